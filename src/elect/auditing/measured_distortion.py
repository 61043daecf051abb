"""How bad the choices of a rule are at worst: over a sample, and the worst that a search finds."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import numpy as np

from elect.auditing.changes import filed
from elect.auditing.distortion import distortion_of, distortions, worst_case
from elect.auditing.shrink import lines, names_for
from elect.auditing.subject import Ask
from elect.elections import Elections, Profiles, Winners
from elect.measuring.batches import ElectionSource
from elect.measuring.estimates import Estimate, flat, quantile, share

# Levels of the distortion's distribution.
LEVELS = (0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True, eq=False)
class WorstCase:
    """How bad the choices of a rule can be.

    Attributes:
        quantiles: of the distortion over the sample: the level that a share of the elections do
            not exceed, infinite where it is unbounded.
        unbounded: the share of elections in which the distortion is infinite.
        found: the largest distortion that a search has found.
        election: the election in which it is.
        winners: whom the rule elects there.
    """

    quantiles: dict[float, Estimate]
    unbounded: Estimate
    found: float
    election: Profiles
    winners: list[str]

    @property
    def ballots(self) -> list[str]:
        """The ballots of the election as text."""
        return lines(self.election)

    def to_json(self) -> dict[str, Any]:
        """Plain values; JSON knows no infinity, so null stands for it."""
        levels = {f"{level:g}": flat("value", one) for level, one in self.quantiles.items()}
        return {
            "quantiles": levels,
            **flat("unbounded", self.unbounded),
            "found": self.found if isfinite(self.found) else None,
            "election": {"ballots": self.ballots, "winners": self.winners},
        }


def measure_distortion(
    ask: Ask,
    sample: Sequence[Elections],
    won: Sequence[Winners],
    where: ElectionSource,
    steps: int,
    seed: int,
) -> WorstCase:
    """The distortion over the sample, where ``won`` are elected, and the largest that a search
    finds."""
    pairs = zip(won, sample, strict=True)
    values = np.concatenate([distortions(some, one.profiles) for some, one in pairs])
    unbounded = share(np.isinf(values))
    levels = {level: quantile(values, level) for level in LEVELS}
    profile, found = worst_case(
        distortion_of(ask), where.voters, where.candidates, seed, steps=steps
    )
    held = replace(filed(profile), names=names_for(profile))
    winners = [held.labels[c] for c in np.flatnonzero(ask(held)[0].cpu().numpy())]
    assert unbounded is not None
    known = {level: one for level, one in levels.items() if one}
    return WorstCase(known, unbounded, found, held, winners)
