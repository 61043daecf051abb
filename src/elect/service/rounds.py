"""The rounds of elimination, as one would count them on a blackboard."""

from collections.abc import Callable
from typing import Any

import numpy as np

from elect.explain import Outcome
from elect.kernels import UNRANKED, NDArray

Count = Callable[[Outcome, list[int]], NDArray]


def rounds(outcome: Outcome) -> list[dict[str, Any]]:
    """Who stands in each round, what each has, and who leaves.

    A score is the round in which a candidate leaves, so the rounds are read off the scores; only
    Coombs' last round, in which a majority stops the counting, eliminates nobody although the
    others score less.
    """
    labels, scores = outcome.profile.labels, outcome.scores
    told = []
    for number in range(int(max(scores)) + 1):
        standing = [c for c in range(outcome.size) if scores[c] >= number]
        leaving = [c for c in standing if scores[c] == number and c not in outcome.winners]
        counts = COUNTS[outcome.name](outcome, standing)
        decided = len(standing) == len(outcome.winners)
        if outcome.name == "coombs" and not decided:
            firsts = first_choices(outcome, standing)
            if 2 * firsts.max() > outcome.voters:
                counts, leaving, decided = firsts, [], True
        told.append(
            {
                "standing": [labels[c] for c in standing],
                "counts": {labels[c]: _plain(n) for c, n in zip(standing, counts, strict=True)},
                "eliminated": [labels[c] for c in leaving],
            }
        )
        if decided:
            break
    return told


def first_choices(outcome: Outcome, standing: list[int]) -> NDArray:
    """How many voters rank each first among those standing; who are tied count each."""
    return _choices(outcome, standing, 1)


def last_choices(outcome: Outcome, standing: list[int]) -> NDArray:
    """How many voters rank each last among those standing."""
    return _choices(outcome, standing, -1)


def borda_points(outcome: Outcome, standing: list[int]) -> NDArray:
    """Borda points among those standing: half their margins, on top of what a draw is worth."""
    margins = np.array(outcome.margins)[np.ix_(standing, standing)]
    points: NDArray = (margins.sum(1) + outcome.voters * (len(standing) - 1)) / 2
    return points


def _choices(outcome: Outcome, standing: list[int], sign: int) -> NDArray:
    ranks = sign * outcome.profile.arrays[0][0, standing]
    best = ranks.min(0)
    chosen: NDArray = ((ranks == best) & (best != UNRANKED)) @ outcome.profile.arrays[1][0]
    return chosen


def _plain(value: Any) -> int | float:
    number = float(value)
    return int(number) if number.is_integer() else number


COUNTS: dict[str, Count] = {
    "instant_runoff": first_choices,
    "coombs": last_choices,
    "baldwin": borda_points,
    "strict_nanson": borda_points,
    "weak_nanson": borda_points,
}
