"""The axioms, and how one is checked on a batch of elections.

An axiom changes an election in some ways, its trials, and compares who wins before and after; some
judge the election as it is. An axiom *applies* to an election if its premise is met in some trial,
and *holds* there unless a trial breaks it. Winners are sets, and definitions are those of
pref_voting wherever it has the axiom.
"""

from dataclasses import dataclass

import numpy as np

from elect.auditing import axioms_alone, axioms_candidates, axioms_voters
from elect.auditing.changes import Trials
from elect.auditing.describing import Axiom
from elect.auditing.subject import Ask
from elect.elections import Profiles
from elect.kernels import NDArray

AXIOMS: dict[str, Axiom] = {
    axiom.name: axiom
    for axiom in (
        axioms_voters.ANONYMITY,
        axioms_candidates.NEUTRALITY,
        axioms_alone.UNANIMITY,
        axioms_alone.MAJORITY,
        axioms_alone.CONDORCET_WINNER,
        axioms_alone.CONDORCET_LOSER,
        axioms_candidates.MONOTONICITY,
        axioms_voters.PARTICIPATION,
        axioms_candidates.REVERSAL_SYMMETRY,
        axioms_voters.REINFORCEMENT,
        axioms_candidates.INDEPENDENCE_OF_CLONES,
    )
}


@dataclass(frozen=True, eq=False)
class Verdict:
    """What became of an axiom on a batch of elections.

    Attributes:
        applies: whether its premise was met, for each election.
        broken: whether it was broken, for each election.
        trials: all trials.
        breaking: which of them broke it.
    """

    applies: NDArray
    broken: NDArray
    trials: Trials
    breaking: NDArray


def check(
    axiom: Axiom, ask: Ask, profiles: Profiles, won: NDArray, most: int, rng: np.random.Generator
) -> Verdict:
    """Check an axiom on elections with a row for each voter, of whom the rule elects ``won``.

    Args:
        axiom: what to check.
        ask: who wins under the rule.
        profiles: the elections.
        won: whom the rule elects there.
        most: how many trials an election has at most.
        rng: where trials are drawn from if there are more.
    """
    trials = axiom.vary(profiles, won, most, rng)
    met = broke = np.zeros(0, bool)
    if len(trials):
        after = [ask(part).cpu().numpy() for part in trials.parts]
        met, broke = axiom.judge(profiles, won, trials, after)
    applies, broken = (
        np.bincount(trials.origin[which], minlength=len(profiles)) > 0 for which in (met, broke)
    )
    return Verdict(applies, broken, trials, np.flatnonzero(broke))
