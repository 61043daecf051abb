"""The effort of an audit, which depends on the speed of the rule."""

import time
from collections.abc import Iterable
from dataclasses import dataclass

from elect.auditing.axiom import Axiom
from elect.auditing.subject import Ask
from elect.elections import Profiles

# Elections for timing the rule, after as many for warming up.
TIMED = 128

# Changes of an election to choose from, and what parts of the time the parts of an audit may take;
# a search is for one axiom.
TRIALS = (64, 16, 4, 2, 1)
AXIOMS, SEARCH, MANIPULATION, WORST_CASE = 0.5, 0.01, 0.1, 0.05

# All that is worth doing: elections searched for an axiom, elections to manipulate, steps.
MOST_SEARCHED, MOST_MANIPULATED, MOST_STEPS = 20_000, 1000, 400


@dataclass(frozen=True)
class Effort:
    """How much to try.

    Attributes:
        trials: changes of an election for an axiom, at most.
        searched: elections to search for a counterexample that the sample does not have.
        manipulated: elections in which all voters misreport.
        compared: elections that may be counted for the same at a published size.
        steps: of the search for the worst case.
    """

    trials: int
    searched: int
    manipulated: int
    compared: int
    steps: int


def rate(ask: Ask, profiles: Profiles) -> float:
    """How many elections the rule counts per second."""
    # The first call may compile. Time at work, not on the clock, so that the same is tried however
    # busy the machine is.
    ask(profiles[:TIMED])
    start = time.process_time()
    ask(profiles[:TIMED])
    return min(len(profiles), TIMED) / max(1e-6, time.process_time() - start)


def plan(
    axioms: Iterable[Axiom],
    speed: float,
    elections: int,
    voters: float,
    candidates: float,
    seconds: float | int,
) -> Effort:
    """Plan the effort for this many seconds and a rule of this speed.

    Args:
        axioms: those to check.
        speed: elections that the rule counts in a second.
        elections: how many to check each axiom on.
        voters: how many an election has on average.
        candidates: the same for candidates.
        seconds: about how long the audit may take.
    """
    afford, several = speed * seconds, list(axioms)

    def counted(trials: int) -> float:
        # Every unchanged election is counted once for all axioms.
        return 1.0 + sum(one.counted(trials, voters, candidates) for one in several)

    trials = next((t for t in TRIALS if elections * counted(t) <= AXIOMS * afford), 1)
    reports = voters * (candidates**2 if candidates > 5 else 1.0)
    for size in range(2, int(candidates + 0.5) + 1):
        reports *= size if candidates <= 5 else 1
    return Effort(
        trials=trials,
        searched=_upto(MOST_SEARCHED, SEARCH * afford / (1 + 2 * min(trials, 8))),
        manipulated=_upto(MOST_MANIPULATED, MANIPULATION * afford / reports),
        compared=int(MANIPULATION / 2 * afford),
        steps=_upto(MOST_STEPS, WORST_CASE * afford / 256),
    )


def _upto(most: int, afford: float) -> int:
    return max(16, min(most, int(afford)))
