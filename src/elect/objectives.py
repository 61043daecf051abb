"""Training objectives: the targets of elections, and the loss of logits against them.

- `mimic(rule)`: elect whom the rule elects.
- `oracle(welfare)`: elect the candidate of highest welfare, computed from utilities that the
  network does not see (the paper's behaviour cloning).
- `posterior(welfare)`: the same, but the target is each candidate's probability of having the
  highest welfare, given the rankings. This has less noise than the single best candidate.
- `expected_welfare(welfare)`: maximize the expected welfare. The network's probabilities are a
  policy and every candidate's reward is known, so the expected reward is differentiated exactly.

Example:
    >>> from elect.cultures import culture
    >>> elections = culture("uniform")(elections=3, voters=9, candidates=4, seed=0)
    >>> targets = mimic("borda").targets(elections, seed=0)
    >>> targets.values.sum(1).tolist()
    [1.0, 1.0, 1.0]
    >>> mimic("borda").loss(targets.values * 50, targets).item() < 1e-6
    True
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from elect import cultures, resolve
from elect.cultures import Culture, Seed
from elect.elections import Elections, Profiles
from elect.errors import ElectError
from elect.objective_kinds import KINDS, Label, Logits, ObjectiveKind, by_sigmoid
from elect.rules import Scorer
from elect.welfares import WelfareFunction, welfare

# The most draws of utilities for one label, because of memory.
MOST_SAMPLES = 100_000


class Targets(NamedTuple):
    """The targets of a batch of elections.

    Attributes:
        values: each candidate's target probability, whether it wins, or its welfare; 0 for padding.
        weights: the weight of each election; 0 leaves it out.
    """

    values: Float[Tensor, "batch candidate"]
    weights: Float[Tensor, "batch"]

    def to(self, device: torch.device | str) -> "Targets":
        return Targets(self.values.to(device), self.weights.to(device))


@dataclass(frozen=True)
class Objective:
    """A training objective; make one with `mimic`, `oracle`, `posterior` or `expected_welfare`.

    Attributes:
        kind: one of the four kinds.
        of: the rule or the welfare: a name with settings, or your own function.
        culture: redraw utilities from this culture (see `redraw`). Default: the elections' own.
        ties: ``keep`` learns the whole winner set, ``drop`` leaves tied elections out.
        winners: ``softmax`` for one winner, ``sigmoid`` for any number.
        samples: how many draws of utilities a posterior is estimated from.
        max_candidates: leave out elections with more candidates, on which the exact rule is slow.
    """

    kind: str
    of: str | Callable[..., Any]
    culture: str | Culture | None = None
    ties: str = "keep"
    winners: str = "softmax"
    samples: int = 8
    max_candidates: int | None = None

    def __post_init__(self) -> None:
        for value, allowed, what in (
            (self.kind, tuple(KINDS), "The kind of an objective"),
            (self.ties, ("keep", "drop"), "The setting ties"),
            (self.winners, ("softmax", "sigmoid"), "The setting winners"),
        ):
            if value not in allowed:
                raise ElectError(f"{what} must be one of {', '.join(allowed)}, not '{value}'.")
        if self.winners == "sigmoid" and not self.record.sets:
            having = " and ".join(kind.name for kind in KINDS.values() if kind.sets)
            raise ElectError(f"Only {having} can learn winner sets by sigmoid.")
        if not 1 <= self.samples <= MOST_SAMPLES:
            raise ElectError(f"A posterior takes 1 to {MOST_SAMPLES:,} samples.")
        if self.max_candidates is not None and self.max_candidates < 1:
            raise ElectError("max_candidates must be at least 1.")
        _ = self.function, self.source

    @property
    def record(self) -> ObjectiveKind:
        """The record of its kind."""
        return KINDS[self.kind]

    @property
    def function(self) -> Any:
        """The rule or the welfare itself."""
        return resolve.rule(self.of) if self.record.imitates else welfare(self.of)

    @property
    def source(self) -> Culture | None:
        """The culture itself, if the objective has its own."""
        return cultures.culture(self.culture) if isinstance(self.culture, str) else self.culture

    @property
    def name(self) -> str:
        """The name of the network's head: ``borda``, ``nash@polarized``."""
        own = "" if self.culture is None else f"@{called(self.culture)}"
        return called(self.of) + own

    def targets(
        self, elections: Elections, culture: Culture | None = None, *, seed: Seed
    ) -> Targets:
        """The targets of these elections, which come from the culture."""
        return _targets([self], elections, culture, seed)[0]

    def takes(self, profiles: Profiles) -> Bool[Tensor, "batch"]:
        """Which elections have at most ``max_candidates`` candidates."""
        most = self.max_candidates
        if most is None:
            return torch.ones(len(profiles), dtype=torch.bool)
        return profiles.num_candidates <= most

    def loss(self, logits: Logits, targets: Targets) -> Float[Tensor, ""]:
        """The mean loss over elections. Logits of padded candidates are -inf."""
        each = by_sigmoid if self.winners == "sigmoid" else self.record.loss
        loss = each(logits.float(), targets.values)
        return (loss * targets.weights).sum() / targets.weights.sum().clamp(min=1)

    def describe(self) -> dict[str, Any]:
        """The objective as JSON values, from which ``Objective(**words)`` restores it."""
        own = None if self.culture is None else called(self.culture)
        words: dict[str, Any] = {"kind": self.kind, "of": called(self.of), "culture": own}
        words |= {"ties": self.ties, "winners": self.winners, "samples": self.samples}
        # Only if it is set, so that trainings of older versions can be resumed.
        most = self.max_candidates
        return words if most is None else words | {"max_candidates": most}


def mimic(
    rule: str | Scorer,
    ties: str = "keep",
    winners: str = "softmax",
    max_candidates: int | None = None,
) -> Objective:
    """**Elect whom the rule elects.** Tied winners get equal probabilities; elections that the
    rule does not settle in time are left out.

    Args:
        rule: an exact rule, by name or as a function.
        ties: ``keep`` them, or ``drop`` tied elections, as the paper does.
        winners: ``softmax``, or ``sigmoid`` to learn for each candidate whether it wins.
        max_candidates: leave out elections with more candidates, on which the rule is slow.
    """
    return Objective("mimic", rule, ties=ties, winners=winners, max_candidates=max_candidates)


def oracle(
    welfare: str | WelfareFunction, culture: str | Culture | None = None, winners: str = "softmax"
) -> Objective:
    """**Elect the candidate of highest welfare**, computed from the utilities.

    Args:
        welfare: by name or as a function.
        culture: a symmetric Dirichlet culture from which to redraw the utilities, given the
            rankings. Default: use the elections' own utilities.
        winners: ``softmax``, or ``sigmoid`` to learn for each candidate whether it is best.
    """
    return Objective("oracle", welfare, culture, winners=winners)


def posterior(
    welfare: str | WelfareFunction, culture: str | Culture | None = None, samples: int = 8
) -> Objective:
    """**Predict each candidate's probability of having the highest welfare.**

    Args:
        welfare: by name or as a function.
        culture: a Dirichlet culture. Default: the culture of the elections.
        samples: how many draws of utilities, given the rankings, for each election.
    """
    return Objective("posterior", welfare, culture, samples=samples)


def expected_welfare(
    welfare: str | WelfareFunction, culture: str | Culture | None = None
) -> Objective:
    """**Maximize the expected share of the highest possible welfare:**

        loss = −Σ_c p_c · sw(c) / max sw,  p = softmax(logits)

    Args:
        welfare: by name or as a function, 0 or above.
        culture: as for `oracle`.
    """
    return Objective("expected_welfare", welfare, culture)


def all_targets(
    objectives: Sequence[Objective],
    elections: Elections,
    culture: Culture | None = None,
    *,
    seed: Seed,
) -> list[Targets]:
    """The targets of several objectives. Posteriors that differ only in the welfare share draws,
    which take most of the time."""
    rng, found = np.random.default_rng(seed), dict[int, Targets]()
    groups: dict[tuple[Any, ...], list[int]] = {}
    for number, one in enumerate(objectives):
        alike: tuple[Any, ...] = (number,)
        if one.record.shared_draws:
            alike = one.kind, called(one.culture), one.samples, one.max_candidates
        groups.setdefault(alike, []).append(number)
    for numbers in groups.values():
        group = [objectives[number] for number in numbers]
        found |= dict(zip(numbers, _targets(group, elections, culture, rng), strict=True))
    return [found[number] for number in range(len(objectives))]


def hits(logits: Logits, targets: Targets) -> Bool[Tensor, "batch"]:
    """Whether the candidate of the highest logit is one of the best by the targets."""
    chosen = targets.values.gather(1, logits.argmax(1, keepdim=True))[:, 0]
    return chosen == targets.values.amax(1)


def called(thing: Any) -> str:
    """What a rule, welfare or culture is called: its name if it was given by name."""
    if isinstance(thing, str):
        return thing
    return str(getattr(thing, "__name__", thing))


def _targets(
    objectives: Sequence[Objective], elections: Elections, culture: Culture | None, seed: Seed
) -> list[Targets]:
    """Labels as targets, with weight 0 for elections that the objectives leave out."""
    first = objectives[0]
    kept = first.takes(elections.profiles)

    def label(some: Elections) -> list[Label]:
        return first.record.label(objectives, some, first.source or culture, seed)

    if kept.all():
        return [Targets(values.float(), weights.float()) for values, weights in label(elections)]
    blank = Targets(torch.zeros(elections.profiles.mask.shape), torch.zeros(len(elections)))
    rows = kept.nonzero()[:, 0]
    if not len(rows):
        return [blank] * len(objectives)
    utilities = None if elections.utilities is None else elections.utilities[rows]
    some = Elections(elections.profiles[rows], utilities)
    return [
        Targets(
            blank.values.index_copy(0, rows, values.float()),
            blank.weights.index_copy(0, rows, weights.float()),
        )
        for values, weights in label(some)
    ]
