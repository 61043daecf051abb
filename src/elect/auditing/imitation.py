"""How a learned rule differs from the exact rule that it imitates."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from elect import rules
from elect.auditing.changes import filed, numbers
from elect.auditing.distortion import disagreement_of, worst_case
from elect.auditing.shrink import Counterexample, make_smaller, names_for
from elect.auditing.subject import Ask
from elect.elections import Elections, Profiles, Winners
from elect.kernels import NDArray
from elect.learned import LearnedRule
from elect.measuring.batches import ElectionSource
from elect.measuring.estimates import Estimate, flat, share
from elect.rules import Scorer
from elect.words import listed


@dataclass(frozen=True, eq=False)
class Imitation:
    """How a learned rule differs from the one that it imitates.

    Attributes:
        of: the exact rule.
        exact: the share of the elections in which both elect the same set.
        counterexample: the smallest election found in which they have no winner in common.
    """

    of: str
    exact: Estimate
    counterexample: Counterexample | None

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        found = self.counterexample
        shown = found.to_json() if found else None
        return {"of": self.of, **flat("exact", self.exact), "counterexample": shown}


def compare_with_imitated(
    rule: Scorer,
    ask: Ask,
    sample: Sequence[Elections],
    won: Sequence[Winners],
    where: ElectionSource,
    steps: int,
    seed: int,
) -> Imitation | None:
    """How often a learned rule differs from the one that it imitates, with a counterexample."""
    if not isinstance(rule, LearnedRule):
        return None
    lesson = rule.card.objectives[rule.index]
    if lesson.get("kind") != "mimic" or not isinstance(lesson.get("of"), str):
        return None
    name = lesson["of"]

    def exact(profiles: Profiles) -> Winners:
        return rules.winners(name, profiles)

    def apart(profiles: Profiles) -> NDArray:
        held = filed(profiles)
        return ~(ask(held) & exact(held)).any(1).cpu().numpy()

    same, suspects = [], []
    for elected, profiles in zip(won, (one.profiles for one in sample), strict=True):
        right = exact(profiles)
        same.append((elected == right).all(1).numpy())
        rows = np.flatnonzero(~(elected & right).any(1).numpy())
        suspects += [profiles[int(row)] for row in rows[np.argsort(numbers(profiles)[0][rows])][:2]]
    profile, _ = worst_case(
        disagreement_of(rule, exact), where.voters, where.candidates, seed, steps=steps
    )
    suspects = [one for one in [*suspects, profile.single()] if apart(one)[0]]
    found = [make_smaller(one, apart) for one in suspects[:4]]
    smallest = min(
        found, key=lambda one: (int(one.num_candidates), int(one.num_voters)), default=None
    )
    shared = share(np.concatenate(same))
    assert shared is not None
    shown = _differs(ask, exact, smallest, name) if smallest is not None else None
    return Imitation(name, shared, shown)


def _differs(ask: Ask, exact: Ask, profile: Profiles, name: str) -> Counterexample:
    held = replace(filed(profile), names=names_for(profile))
    elected, right = (
        [held.labels[c] for c in np.flatnonzero(winners(held)[0].cpu().numpy())]
        for winners in (ask, exact)
    )
    sentence = f"The rule elects {listed(elected)}, and {name} elects {listed(right)}."
    promise = f"It elects the same as {name}"
    return Counterexample("imitation", promise, sentence, {"election": held}, {"election": elected})
