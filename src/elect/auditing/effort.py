"""How much is tried: as much as a rule's speed allows."""

import time
from dataclasses import dataclass

from elect.auditing.subject import Ask
from elect.elections import Profiles

# Elections to take the time with, after as many to warm up.
TIMED = 128

# Changes of an election to choose from, and what parts of the time the parts of an audit may take;
# a hunt is for one axiom.
TRIALS = (64, 16, 4, 2, 1)
AXIOMS, HUNT, MANIPULATION, SEARCH = 0.5, 0.01, 0.1, 0.05

# All that is worth doing: elections hunted through for an axiom, elections to manipulate, steps.
MOST_HUNTED, MOST_MANIPULATED, MOST_STEPS = 20_000, 1000, 400


@dataclass(frozen=True)
class Effort:
    """How much to try.

    Attributes:
        trials: changes of an election for an axiom, at most.
        hunted: elections to search for a counterexample that the sample does not have.
        manipulated: elections in which all voters misreport.
        compared: elections that may be counted for the same at a published size.
        steps: of the search for the worst case.
    """

    trials: int
    hunted: int
    manipulated: int
    compared: int
    steps: int


def rate(ask: Ask, profiles: Profiles) -> float:
    """Elections a second that the rule counts."""
    # The first call may compile. Time at work, not on the clock, so that the same is tried however
    # busy the machine is.
    ask(profiles[:TIMED])
    start = time.process_time()
    ask(profiles[:TIMED])
    return min(len(profiles), TIMED) / max(1e-6, time.process_time() - start)


def plan(
    speed: float, elections: int, voters: float, candidates: float, seconds: float | int
) -> Effort:
    """What can be done in about so many seconds by a rule of this speed.

    >>> plan(1e6, 10_000, 11.0, 4.0, 100).trials, plan(1500.0, 10_000, 11.0, 4.0, 100).trials
    (64, 1)
    """
    afford = speed * seconds
    trials = next(
        (t for t in TRIALS if elections * _asked(t, voters, candidates) <= AXIOMS * afford), 1
    )
    reports = voters * (candidates**2 if candidates > 5 else 1.0)
    for size in range(2, int(candidates + 0.5) + 1):
        reports *= size if candidates <= 5 else 1
    return Effort(
        trials=trials,
        hunted=_upto(MOST_HUNTED, HUNT * afford / (1 + 2 * min(trials, 8))),
        manipulated=_upto(MOST_MANIPULATED, MANIPULATION * afford / reports),
        compared=int(MANIPULATION / 2 * afford),
        steps=_upto(MOST_STEPS, SEARCH * afford / 256),
    )


def _asked(trials: int, voters: float, candidates: float) -> float:
    """How many elections the axioms take to judge one: itself, turned upside down, reordered and
    renumbered, with ballots lifted, voters gone, voters divided and clones in two."""
    lifts, leaves = voters * (candidates - 1) / 2, voters
    once = min(trials, 3) * 2 + min(trials, lifts) + min(trials, leaves)
    return float(2 + once + 2 * (min(trials, 8) + min(trials, 4)))


def _upto(most: int, afford: float) -> int:
    return max(16, min(most, int(afford)))
