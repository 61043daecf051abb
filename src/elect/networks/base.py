"""The record of a network: its sizes and its default training."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from torch import nn

Range = tuple[int, int]

# The paper's network of about ten million parameters, and one that learns in minutes.
SIZES = PAPER, SMALL = "paper", "small"

# The paper's sizes of elections.
VOTERS, CANDIDATES = (2, 99), (2, 29)
# Fewer voters, whose ballots cost less and teach as much.
FEW_VOTERS = (2, 24)

# How the paper trains its networks.
PAPER_TRAINING: Mapping[str, Any] = {
    "optimizer": "adam",
    "learning_rate": 1e-4,
    "batch": 64,
    "warmup": 160,
    "averaging": 0.0,
    "validate_every": 200,
    "checkpoint_every": 200,
}
# At small size minutes must do instead of days: larger batches and steps.
SMALL_TRAINING: Mapping[str, Any] = {
    **PAPER_TRAINING,
    "optimizer": "adamw",
    "learning_rate": 2e-3,
    "weight_decay": 1e-4,
    "batch": 512,
    "parts": 4,
    "averaging": 0.99,
    "log_voters": True,
}


@dataclass(frozen=True)
class Network:
    """A network that can learn a rule, with its metadata.

    Attributes:
        name: what it is called in commands and in Python.
        make: from settings to a network with fresh weights; one setting is ``heads``.
        title: what people call it.
        sizes: its settings at each size; defaults where a size is not there.
        training: how it is trained at each size: settings of `elect.Recipe`.
        voters: the range of voters that it is trained on at each size.
        minutes: how long it is trained.
        imitation_culture: where elections come from when it is to imitate rules.
        by_rule: whether the `Learning` of a rule says what it takes to imitate it.
        limits: settings that hold its largest number of candidates or voters, by what they limit.
    """

    name: str
    make: Callable[..., nn.Module]
    title: str
    sizes: Mapping[str, Mapping[str, int | float]] = field(default_factory=dict)
    training: Mapping[str, Mapping[str, Any]] = field(
        default_factory=lambda: {PAPER: PAPER_TRAINING, SMALL: SMALL_TRAINING}
    )
    voters: Mapping[str, Range] = field(default_factory=lambda: {PAPER: VOTERS, SMALL: FEW_VOTERS})
    minutes: float = 10.0
    imitation_culture: str = "uniform"
    by_rule: bool = False
    limits: Mapping[str, str] = field(default_factory=lambda: {"candidates": "max_candidates"})

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return self.make.__doc__

    def sizes_for(self, voters: Range, candidates: Range) -> dict[str, int]:
        """Settings that allow larger elections than the paper's."""
        asked = {"voters": (voters, VOTERS), "candidates": (candidates, CANDIDATES)}
        return {
            setting: asked[what][0][1]
            for what, setting in self.limits.items()
            if asked[what][0][1] > asked[what][1][1]
        }
