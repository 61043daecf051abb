"""Compare the gain from misreporting with published figures."""

from dataclasses import dataclass
from math import factorial
from typing import Any

import numpy as np

from elect.auditing.manipulation import Manipulability, manipulability
from elect.auditing.subject import Ask
from elect.cultures import Impartial
from elect.errors import ElectError
from elect.rules import Scorer
from elect.rules.base import Rule

SOURCE = "Holliday, Kristoffersen and Pacuit, Learning to Manipulate under Limited Information"

# What they report for 6 candidates under their uniform model: the mean gain of an ideal
# manipulator with 10 and with 11 voters, and that of the best of their networks, which know the
# majority relation alone, over both. The figures are in the data that they publish with the paper,
# https://github.com/epacuit/ltm (ideal_voter_1_uniform_6_(10, 11).csv and
# df_avg_6_['majority']_1_1.csv); there is none for other rules.
PUBLISHED: dict[str, tuple[tuple[float, float], float | None]] = {
    "plurality": ((0.0680, 0.0631), 0.0137),
    "borda": ((0.0861, 0.0812), 0.0409),
    "instant_runoff": ((0.0616, 0.0601), 0.0083),
    "maximin": ((0.0336, 0.0304), 0.0056),
    "split_cycle": ((0.0384, 0.0304), 0.0038),
    "strict_nanson": ((0.0467, 0.0527), 0.0118),
    "blacks": ((0.0836, 0.0592), None),
}

# The size that these figures are for.
VOTERS, CANDIDATES = (10, 11), 6

# Elections of that size: how many are enough to try every misreport in, if it is affordable, and
# how many are tried at most.
ENOUGH, MOST = 200, 400


@dataclass(frozen=True)
class PublishedGain:
    """Manipulability at the size for which others have published it.

    Attributes:
        ours: measured with 6 candidates and 10 or 11 voters.
        ideal: the published gain of a manipulator who knows all ballots, with 10 and with 11
            voters; None for rules of which none is published.
        learned: that of the best published network, which knows majorities only.
    """

    ours: Manipulability
    ideal: tuple[float, float] | None
    learned: float | None

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        ideal = list(self.ideal) if self.ideal else None
        shown = {"ideal": ideal, "learned": self.learned, "source": SOURCE}
        return {"ours": self.ours.to_json(), "published": shown}


def compare_with_published(rule: Scorer, ask: Ask, afford: int, seed: int) -> PublishedGain | None:
    """What misreporting is worth with 6 candidates and 10 or 11 voters, beside what is published.

    As there, all rankings are equally likely and utilities are numbers between 0 and 1. Every
    misreport is tried if the rule can count so many elections. None if it refuses that size.
    """
    thorough, quick = (
        afford // (VOTERS[1] * reports) for reports in (factorial(CANDIDATES), CANDIDATES**2)
    )
    every = CANDIDATES if thorough >= ENOUGH else 0
    count = max(1, min(MOST, thorough if every else quick))
    rng = np.random.default_rng([seed, CANDIDATES])
    drawn = Impartial()(count, VOTERS, CANDIDATES, seed=rng)
    try:
        ours = manipulability(ask, drawn, seed, every, example=False)
    except ElectError:
        return None
    # Only the library's own rules are meant: a function of the user's may be called as one of them.
    exact = rule.name if isinstance(rule, Rule) and not rule.settings else ""
    known = exact if exact in PUBLISHED else None
    return PublishedGain(ours, *(PUBLISHED[known] if known else (None, None)))
