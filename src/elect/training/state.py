"""The checkpoint of a training, from which it resumes exactly."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pytorch_optimizer import Lookahead
from torch import Tensor, nn
from torch.optim import Adam, AdamW, Optimizer

from elect import specs
from elect.checkpoints import (
    CARD,
    WEIGHTS,
    load_weights,
    read_about,
    read_card,
    read_tensors,
    write_tensors,
)
from elect.errors import ElectError
from elect.learned import Card
from elect.training.recipe import Recipe, recipe_of
from elect.typed_json import Damaged, checked

STATE = "training.safetensors"

# Lookahead's k and alpha, with its authors' defaults.
LOOKAHEAD, SLOW = 5, 0.5


@dataclass
class State:
    """The progress of a training.

    Attributes:
        step: steps that are done.
        steps: the total number of steps, once it is known.
        seconds: the time spent so far, summed over all runs.
    """

    step: int = 0
    steps: int | None = None
    seconds: float = 0.0

    @property
    def done(self) -> bool:
        return self.steps is not None and self.step >= self.steps

    def due(self, every: int) -> bool:
        """Whether this step is a multiple of ``every``, or the last."""
        return self.steps is not None and (self.step % every == 0 or self.done)


def make_optimizer(recipe: Recipe, parameters: Iterable[nn.Parameter]) -> Optimizer:
    """The optimizer that the recipe names."""
    if recipe.optimizer == "adamw":
        return AdamW(parameters, recipe.learning_rate, weight_decay=recipe.weight_decay)
    adam = Adam(parameters, recipe.learning_rate)
    return Lookahead(adam, k=LOOKAHEAD, alpha=SLOW) if recipe.optimizer == "lookahead" else adam


def save_state(
    out: Path,
    recipe: Recipe,
    state: State,
    network: nn.Module,
    averaged: nn.Module,
    optimizer: Optimizer,
) -> None:
    """Write the state to one file, which is replaced atomically."""
    tensors = {f"network.{name}": value for name, value in network.state_dict().items()}
    tensors |= {f"averaged.{name}": value for name, value in averaged.state_dict().items()}
    for name, _, memory in _memories(optimizer):
        tensors |= {f"{name}.{key}": value for key, value in memory.items()}
    write_tensors(out / STATE, tensors, {"recipe": recipe.describe(), "state": asdict(state)})


def belongs_to(recipe: Recipe, state: State) -> dict[str, Any]:
    """The metadata of weights that identifies their training."""
    return {"training": recipe.fingerprint(state.steps)}


def load_state(
    out: Path, recipe: Recipe, network: nn.Module, averaged: nn.Module, optimizer: Optimizer
) -> State:
    """Restore the state from its file; without one, start from step 0."""
    if not (out / STATE).exists():
        return State(steps=recipe.steps)
    tensors, about = read_tensors(out / STATE)
    _require_same(recipe.describe(), about.get("recipe"), out)
    load_weights(network, _below("network", tensors), out / STATE)
    load_weights(averaged, _below("averaged", tensors), out / STATE)
    state = _state(about, out / STATE)
    for name, parameter, memory in _memories(optimizer):
        kept = _below(name, tensors)
        _require_memory(kept, parameter, out / STATE)
        for key, value in kept.items():
            # Adam keeps its step count on the CPU even if the weights are on a GPU.
            memory[key] = value.clone() if key == "step" else value.to(parameter.device, copy=True)
    for group in optimizer.param_groups:
        if "counter" in group:
            group["counter"] = state.step % LOOKAHEAD
    return state


def require_one_training(out: Path, recipe: Recipe) -> None:
    """Raise an error if the state and the weights in a folder come from different trainings."""
    about = read_about(out / STATE)
    _require_same(recipe.describe(), about.get("recipe"), out)
    state = _state(about, out / STATE)
    if recipe.steps not in (None, state.steps):
        raise ElectError(f"{out / STATE} is damaged: its steps differ from the recipe's.")
    if not (out / WEIGHTS).exists():
        return
    # Weights of older versions do not name their training; then only the card is compared.
    known = read_about(out / WEIGHTS).get("training")
    if known not in (None, belongs_to(recipe, state)["training"]):
        raise _mixed(out, WEIGHTS)
    if (out / CARD).exists() and not _is_card_of(read_card(out / CARD), recipe):
        raise _mixed(out, CARD)


def how_far(out: Path) -> State:
    """The progress of the training in this folder at its last checkpoint."""
    return _state(read_about(out / STATE), out / STATE)


def saved_recipe(out: str | Path) -> Recipe:
    """The recipe of the training in this folder, to resume it with."""
    path = Path(out) / STATE
    if not path.exists():
        raise ElectError(f"{out} holds no training to resume: it has no {STATE}.")
    words = read_tensors(path)[1].get("recipe")
    try:
        return recipe_of(words)
    except Damaged as error:
        raise ElectError(f"{path} cannot be used: {error}") from error
    except (ValueError, TypeError, ArithmeticError) as error:
        raise ElectError(
            f"The recipe of the training in {out} cannot be restored, since a rule, a welfare or a "
            "culture in it has no name; give the recipe again to resume."
        ) from error


def _state(about: dict[str, Any], path: Path) -> State:
    state = State(**checked(State, about.get("state"), str(path)))
    if not (0 <= state.step <= (state.steps or state.step) and state.seconds >= 0):
        raise ElectError(f"{path} is damaged: it is at step {state.step} of {state.steps}.")
    return state


def _is_card_of(card: Card, recipe: Recipe) -> bool:
    """Whether the card of a rule, or of one of its heads, matches this recipe."""
    words, (name, given) = recipe.describe(), specs.parse(recipe.network)
    same = ("neutral", "culture", "voters", "candidates", "seed", "start")
    heads = [objective.name for objective in recipe.objectives]
    arguments = json.loads(json.dumps({**given, **recipe.arguments}))
    return (
        all(getattr(card, key) == words[key] for key in same)
        and set(card.heads) <= set(heads)
        and (card.network, card.arguments) == (name, arguments)
    )


def _mixed(out: Path, name: str) -> ElectError:
    return ElectError(
        f"{name} and {STATE} in {out} come from different trainings; copy both from the same "
        "training, or train in another folder."
    )


def _require_memory(kept: dict[str, Tensor], parameter: nn.Parameter, path: Path) -> None:
    """Raise an error if this cannot be the optimizer's state of the parameter."""
    whole = set(kept) in ({"step", "exp_avg", "exp_avg_sq"}, {"slow_params"}, set())
    fits = (
        value.is_floating_point() and value.shape == (() if key == "step" else parameter.shape)
        for key, value in kept.items()
    )
    if not whole or not all(fits):
        raise ElectError(f"{path} is damaged: the optimizer's state does not fit the network.")


def _memories(optimizer: Optimizer) -> Iterator[tuple[str, nn.Parameter, dict[str, Tensor]]]:
    """The optimizer's state of each parameter; Lookahead also has an inner optimizer."""
    inner = [("inner", optimizer.optimizer)] if isinstance(optimizer, Lookahead) else []
    for layer, one in [("optimizer", optimizer), *inner]:
        parameters = [p for group in one.param_groups for p in group["params"]]
        for number, parameter in enumerate(parameters):
            yield f"{layer}.{number}", parameter, one.state[parameter]


def _below(prefix: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    start = prefix + "."
    return {name[len(start) :]: t for name, t in tensors.items() if name.startswith(start)}


def _require_same(asked: dict[str, Any], kept: Any, out: Path) -> None:
    if not isinstance(kept, dict):
        raise ElectError(f"{out / STATE} is damaged: it has no recipe.")
    for key in asked:
        if key not in kept or asked[key] != kept[key]:
            raise ElectError(
                f"The training in {out} has another {key} ({kept.get(key)}, not {asked[key]}); "
                "resume it with its own settings, or train in another folder."
            )
