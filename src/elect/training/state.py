"""What a training must remember to go on as if nothing had happened."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pytorch_optimizer import Lookahead
from torch import Tensor, nn
from torch.optim import Adam, AdamW, Optimizer

from elect.checkpoints import load_weights, read_about, read_tensors, write_tensors
from elect.errors import ElectError
from elect.training.recipe import Recipe, recipe_of

STATE = "training.safetensors"

# Steps between two of Lookahead's slow ones, and how far these go: its authors' defaults.
LOOKAHEAD, SLOW = 5, 0.5


@dataclass
class State:
    """How far a training is.

    Attributes:
        step: steps that are done.
        steps: how many there will be, once that is known.
        seconds: how long it has taken so far, over all interruptions.
    """

    step: int = 0
    steps: int | None = None
    seconds: float = 0.0

    @property
    def done(self) -> bool:
        return self.steps is not None and self.step >= self.steps

    def due(self, every: int) -> bool:
        """Whether something is to be done that is done every so many steps, and at the end."""
        return self.steps is not None and (self.step % every == 0 or self.done)


def make_optimizer(recipe: Recipe, parameters: Iterable[nn.Parameter]) -> Optimizer:
    """The optimizer that the recipe names."""
    if recipe.optimizer == "adamw":
        return AdamW(parameters, recipe.learning_rate, weight_decay=recipe.weight_decay)
    adam = Adam(parameters, recipe.learning_rate)
    return Lookahead(adam, k=LOOKAHEAD, alpha=SLOW) if recipe.optimizer == "lookahead" else adam


def remember(
    out: Path,
    recipe: Recipe,
    state: State,
    network: nn.Module,
    averaged: nn.Module,
    optimizer: Optimizer,
) -> None:
    """Write everything to one file, which is replaced in one go."""
    tensors = {f"network.{name}": value for name, value in network.state_dict().items()}
    tensors |= {f"averaged.{name}": value for name, value in averaged.state_dict().items()}
    for name, _, memory in _memories(optimizer):
        tensors |= {f"{name}.{key}": value for key, value in memory.items()}
    write_tensors(out / STATE, tensors, {"recipe": recipe.describe(), "state": asdict(state)})


def recall(
    out: Path, recipe: Recipe, network: nn.Module, averaged: nn.Module, optimizer: Optimizer
) -> State:
    """Put everything back as it was; a training that was never written begins anew."""
    if not (out / STATE).exists():
        return State(steps=recipe.steps)
    tensors, about = read_tensors(out / STATE)
    _require_same(recipe.describe(), about.get("recipe", {}), out)
    load_weights(network, _below("network", tensors), out / STATE)
    load_weights(averaged, _below("averaged", tensors), out / STATE)
    state = State(**about["state"])
    for name, parameter, memory in _memories(optimizer):
        for key, value in _below(name, tensors).items():
            # Adam counts its steps on the CPU, wherever the weights are.
            memory[key] = value.clone() if key == "step" else value.to(parameter.device, copy=True)
    for group in optimizer.param_groups:
        if "counter" in group:
            group["counter"] = state.step % LOOKAHEAD
    return state


def how_far(out: Path) -> State:
    """How far the training in this folder was at its last checkpoint."""
    return State(**read_about(out / STATE)["state"])


def saved_recipe(out: str | Path) -> Recipe:
    """The recipe of the training in this folder, to resume it with."""
    if not (Path(out) / STATE).exists():
        raise ElectError(f"{out} holds no training to resume: it has no {STATE}.")
    words = read_tensors(Path(out) / STATE)[1]["recipe"]
    try:
        return recipe_of(words)
    except (ElectError, TypeError, KeyError) as error:
        raise ElectError(
            f"The recipe of the training in {out} cannot be remade from its words, since a rule, "
            "a welfare or a culture in it has no name; give the recipe again to resume."
        ) from error


def _memories(optimizer: Optimizer) -> Iterator[tuple[str, nn.Parameter, dict[str, Tensor]]]:
    """What the optimizer keeps for each parameter; Lookahead wraps one that has its own."""
    inner = [("inner", optimizer.optimizer)] if isinstance(optimizer, Lookahead) else []
    for layer, one in [("optimizer", optimizer), *inner]:
        parameters = [p for group in one.param_groups for p in group["params"]]
        for number, parameter in enumerate(parameters):
            yield f"{layer}.{number}", parameter, one.state[parameter]


def _below(prefix: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    start = prefix + "."
    return {name[len(start) :]: t for name, t in tensors.items() if name.startswith(start)}


def _require_same(asked: dict[str, Any], kept: dict[str, Any], out: Path) -> None:
    for key in asked:
        if key not in kept or asked[key] != kept[key]:
            raise ElectError(
                f"The training in {out} has another {key} ({kept.get(key)}, not {asked[key]}); "
                "resume it with its own settings, or train in another folder."
            )
