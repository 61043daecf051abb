"""Helpers of the training loop: devices, first weights, validation, time budget."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any, cast

import numpy as np
import torch
from jaxtyping import Float
from lightning_fabric import Fabric
from torch import Tensor, nn

from elect import specs
from elect.checkpoints import CARD, Makers, build, build_for, load
from elect.errors import ElectError
from elect.learned import Card, as_heads, reseed
from elect.objectives import Objective, called, hits
from elect.training.recipe import Recipe
from elect.training.schedules import steps_that_fit
from elect.training.state import STATE, State, require_one_training
from elect.training.stream import Part

# A time budget is turned into a number of steps when this share of it is used, or the warm-up ends.
TRIAL = 0.15

# The first steps are not timed: they include compilation and cold caches.
SETTLE = 5

# A safety factor on the time of a step: processors slow down when they get hot, and the training
# must not take longer than the minutes given.
SLOWER = 1.2

PerHead = Float[Tensor, "head"]


class Learner(nn.Module):
    """A network with its objectives: maps part of a batch to the loss and accuracy of each head."""

    def __init__(self, network: nn.Module, objectives: Sequence[Objective]) -> None:
        super().__init__()
        self.network, self.objectives = network, objectives

    def forward(self, part: Part) -> tuple[PerHead, PerHead]:
        heads = as_heads(self.network(part.profiles)).unbind(1)
        losses, rights = [], []
        for logits, objective, targets in zip(heads, self.objectives, part.targets, strict=True):
            losses.append(objective.loss(logits, targets))
            right = (hits(logits, targets) * targets.weights).sum()
            rights.append(right / targets.weights.sum().clamp(min=1))
        return torch.stack(losses), torch.stack(rights)


def launch(recipe: Recipe, device: str) -> Fabric:
    """Fabric, for one process or for those that ``torchrun`` has started."""
    gpu = torch.cuda.is_available() and device != "cpu"
    if device not in ("auto", "cpu", "cuda") or (device == "cuda" and not gpu):
        raise ElectError(f"There is no device '{device}' here; use cpu or auto.")
    world, local = 1, 1
    if torch.distributed.is_torchelastic_launched():
        world, local = int(os.environ["WORLD_SIZE"]), int(os.environ["LOCAL_WORLD_SIZE"])
    if recipe.parts % world:
        raise ElectError(
            f"A batch of {recipe.parts} parts cannot be divided evenly among {world} processes; "
            "make the recipe's parts a multiple of that."
        )
    mixed = gpu and torch.cuda.is_bf16_supported(including_emulation=False)
    precision = recipe.precision
    if precision == "auto":
        precision = "bf16-mixed" if mixed else "32-true"
    if precision == "bf16-mixed" and not mixed:
        # CPUs are many times slower with it, and some report support that they lack.
        raise ElectError("This device has no mixed precision; use auto or 32-true.")
    fabric = Fabric(
        accelerator="cuda" if gpu else "cpu",
        devices=local,
        num_nodes=world // local,
        strategy="ddp" if world > 1 else "auto",
        precision=cast(Any, precision),
    )
    fabric.launch()
    return fabric


def prepare(out: Path, recipe: Recipe, resume: bool) -> bool:
    """Whether the folder holds a training that can be resumed.

    Raises an error if it holds a rule and ``resume`` is not set.
    """
    begun = (out / STATE).exists()
    if (begun and not resume) or ((out / CARD).exists() and not begun):
        advice = "resume it, or " if begun else ""
        raise ElectError(f"{out} already holds a trained rule; {advice}choose another folder.")
    if begun:
        require_one_training(out, recipe)
    return begun


def first_weights(
    recipe: Recipe, start: str | None, makers: Makers | None, begun: Path | None = None
) -> nn.Module:
    """The network before its first step, with random weights or those of the start.

    Args:
        recipe: the training.
        start: the trained rule whose weights to start from.
        makers: networks of your own by name.
        begun: the folder of the training to resume, whose state the network must fit.
    """
    torch.manual_seed(recipe.seed)
    asked = (recipe.network, recipe.arguments, len(recipe.objectives), recipe.neutral, makers)
    if begun is not None:
        return build_for(begun / STATE, begun / STATE, *asked, prefix="network.")
    network = build(*asked)
    if start is not None:
        earlier = load(start, makers=makers)
        try:
            network.load_state_dict(earlier.network.state_dict())
        except RuntimeError as error:
            raise ElectError(
                f"The rule at {start} cannot be the start: its network differs "
                f"({earlier.card.network}, {earlier.card.arguments}, {len(earlier.card.heads)} "
                "heads); use the same network."
            ) from error
    return network


@torch.no_grad()
def average(averaged: nn.Module, network: nn.Module, keep: float) -> None:
    """Update the moving average: averaged = keep * averaged + (1 - keep) * network."""
    for mean, weight in zip(averaged.parameters(), network.parameters(), strict=True):
        mean.lerp_(weight, 1 - keep)
    for old, new in zip(averaged.buffers(), network.buffers(), strict=True):
        old.copy_(new)


@torch.no_grad()
def validate(network: nn.Module, recipe: Recipe, parts: Sequence[Part]) -> dict[str, float]:
    """Each head's loss and accuracy on held-out elections."""
    learner = Learner(network.eval(), recipe.objectives)
    totals, counts = torch.zeros(2, len(recipe.objectives)), torch.zeros(len(recipe.objectives))
    for part in parts:
        reseed(network, part.seed)
        count = torch.stack([targets.weights.sum() for targets in part.targets]).cpu()
        totals += torch.stack(learner(part)).cpu() * count
        counts += count
    losses, rights = (totals / counts.clamp(min=1)).tolist()
    names = [objective.name for objective in recipe.objectives]
    return {
        **{f"validation_loss {name}": loss for name, loss in zip(names, losses, strict=True)},
        **{f"validation_accuracy {name}": right for name, right in zip(names, rights, strict=True)},
    }


@contextmanager
def spare_core() -> Iterator[None]:
    """Use one torch thread fewer: sampling the next elections needs a core."""
    threads = torch.get_num_threads()
    torch.set_num_threads(max(1, threads - 1))
    try:
        yield
    finally:
        torch.set_num_threads(threads)


@contextmanager
def flush_denormals() -> Iterator[None]:
    """Round denormal numbers to zero.

    The gradients of a confident network are full of them. They do not change the result, but
    arithmetic with them is so slow that a step takes twice as long.
    """
    before = not (torch.tensor([1e-40]) * 1.0).item()
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(before)


class TimeBudget:
    """Turns minutes into a number of steps, from the time that the first steps take.

    This happens during the warm-up, which does not depend on the number of steps. So a training
    by minutes equals the training with that number of steps.
    """

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.clock: list[float] = []

    def known(self, state: State) -> bool:
        """Whether the number of steps can be computed now."""
        self.clock.append(state.seconds)
        spent = state.seconds > TRIAL * 60 * (self.recipe.minutes or 0)
        return state.step >= 2 * SETTLE and (spent or state.step >= self.recipe.warmup)

    def steps(self, state: State, network: nn.Module, validation: Sequence[Part]) -> int:
        """How many steps there will be; a validation is run to see how long it takes."""
        began = perf_counter()
        validate(network, self.recipe, validation)
        validating = (perf_counter() - began) / self.recipe.validate_every
        # A few steps wait for the compiler or for another program: they do not count.
        taken = sorted(np.diff(self.clock[SETTLE - 1 :]).tolist())
        usual = taken[: max(1, len(taken) * 19 // 20)]
        step = SLOWER * sum(usual) / len(usual)
        left = 60 * (self.recipe.minutes or 0) - state.seconds
        return steps_that_fit(state.step, left, step, validating)


def card(recipe: Recipe, state: State, found: dict[str, float]) -> Card:
    """The card of the rule as it is now, with what validation found."""
    name, given = specs.parse(recipe.network)
    names = [objective.name for objective in recipe.objectives]
    accuracy = {name: found.get(f"validation_accuracy {name}") for name in names}
    return Card(
        network=name,
        arguments={**given, **recipe.arguments},
        neutral=recipe.neutral,
        objectives=[objective.describe() for objective in recipe.objectives],
        heads=names,
        culture=called(recipe.culture),
        voters=list(recipe.voters),
        candidates=list(recipe.candidates),
        seed=recipe.seed,
        steps=state.step,
        minutes=round(state.seconds / 60, 3),
        start=recipe.start,
        accuracy={name: round(value, 4) for name, value in accuracy.items() if value is not None},
    )
