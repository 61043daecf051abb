"""Rules in rounds: instant runoff, Coombs, Baldwin and Nanson.

A candidate's score is the round in which it leaves, so the winners are those who stay longest.
Candidates who are tied for leaving leave together; if all who are left are tied, all of them win.
"""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from elect.elections import Profiles, Scores
from elect.kernels import UNRANKED, NDArray, over_batch
from elect.rules.base import (
    BALLOTS,
    COMPLETE,
    ELIMINATION,
    PATHS,
    Decision,
    Rule,
    Simplicity,
)
from elect.rules.elimination_kernels import coombs_rounds, instant_runoff_rounds
from elect.rules.exact_scores import masked
from elect.rules.scoring import require_complete
from elect.rules.sentences import called, winners
from elect.words import count, number, verb


def instant_runoff(profiles: Profiles) -> Scores:
    """**Round by round, the candidate with the fewest first choices leaves** (Hare, ranked choice).

    A truncated ballot is spent when all whom it ranks have left. A ballot that ties several
    candidates at its top counts for each of them (pref_voting's approval instant runoff).

    >>> instant_runoff(Profiles.from_rankings([[0, 1, 2], [1, 0, 2], [2, 1, 0]], weights=[4, 2, 3]))
    tensor([[2., 0., 1.]], dtype=torch.float64)
    """
    return _run(instant_runoff_rounds, profiles)


def coombs(profiles: Profiles) -> Scores:
    """**Until someone has a majority of first choices, the one with the most last places leaves.**

    Truncated and tied ballots name no single last candidate and are refused.

    >>> coombs(Profiles.from_rankings([[0, 1, 2], [1, 0, 2], [2, 1, 0]], weights=[4, 2, 3]))
    tensor([[1., 2., 0.]], dtype=torch.float64)
    """
    require_complete(profiles, "coombs")
    return _run(coombs_rounds, profiles)


def baldwin(profiles: Profiles) -> Scores:
    """**Round by round, the candidate with the lowest Borda score among those left leaves.**

    Truncated and tied ballots are taken as by Borda.

    >>> baldwin(Profiles.from_rankings([[0, 1, 2], [1, 0, 2], [2, 1, 0]], weights=[4, 2, 3]))
    tensor([[1., 2., 0.]], dtype=torch.float64)
    """

    def lowest(borda: Tensor, left: Tensor) -> Tensor:
        return borda == borda.masked_fill(~left, _MOST).amin(1, keepdim=True)

    return _borda_rounds(profiles, lowest)


def strict_nanson(profiles: Profiles) -> Scores:
    """**Round by round, all candidates below the average Borda score leave** (Nanson).

    Truncated and tied ballots are taken as by Borda.

    >>> strict_nanson(Profiles.from_rankings([[0, 1, 2], [1, 0, 2], [2, 1, 0]], weights=[4, 2, 3]))
    tensor([[1., 2., 0.]], dtype=torch.float64)
    """
    # Borda scores counted by margins average to zero in every round.
    return _borda_rounds(profiles, lambda borda, left: borda < 0)


def weak_nanson(profiles: Profiles) -> Scores:
    """**Round by round, all candidates at or below the average Borda score leave.**

    Truncated and tied ballots are taken as by Borda.

    >>> weak_nanson(Profiles.from_rankings([[0, 1, 2], [1, 0, 2], [2, 1, 0]], weights=[4, 2, 3]))
    tensor([[1., 2., 0.]], dtype=torch.float64)
    """
    return _borda_rounds(profiles, lambda borda, left: borda <= 0)


_MOST = torch.iinfo(torch.int64).max


def _borda_rounds(profiles: Profiles, leaves: Callable[[Tensor, Tensor], Tensor]) -> Scores:
    """Rounds in which ``leaves(borda, left)`` marks who goes, from margins among those left."""
    left = profiles.mask
    scores = torch.zeros(left.shape, dtype=torch.int64, device=left.device)
    borda = (profiles.margins * left[:, None]).sum(2)
    while True:
        going = leaves(borda, left) & left
        staying = left & ~going
        # If everyone would leave, all are tied, and the election is decided.
        left = torch.where(staying.any(1, keepdim=True), staying, left)
        gone = going & ~left
        if not bool(gone.any()):
            return masked(scores, profiles)
        scores += left & gone.any(1, keepdim=True)
        some = gone.any(0)
        borda -= (profiles.margins[:, :, some] * gone[:, None, some]).sum(2)


def _run(kernel: Callable[..., None], profiles: Profiles) -> Scores:
    rounds = np.zeros((len(profiles), profiles.ranks.shape[2]), np.int64)
    over_batch(kernel, *profiles.arrays, rounds)
    return masked(torch.from_numpy(rounds).to(profiles.ranks.device), profiles)


# ---------------------------------------------------------------------- what is counted in a round


def first_choices(decision: Decision, standing: list[int]) -> tuple[NDArray, bool]:
    """How many voters rank each first among those standing; who are tied count each."""
    return _choices(decision, standing, 1), False


def last_choices(decision: Decision, standing: list[int]) -> tuple[NDArray, bool]:
    """How many voters rank each last among those standing; or first, once that is a majority."""
    firsts = _choices(decision, standing, 1)
    if 2 * firsts.max() > decision.voters and len(standing) > len(decision.elected):
        return firsts, True
    return _choices(decision, standing, -1), False


def borda_points(decision: Decision, standing: list[int]) -> tuple[NDArray, bool]:
    """Borda points among those standing: half their margins, on top of what a draw is worth."""
    margins = np.array(decision.margins)[np.ix_(standing, standing)]
    points: NDArray = (margins.sum(1) + decision.voters * (len(standing) - 1)) / 2
    return points, False


def _choices(decision: Decision, standing: list[int], sign: int) -> NDArray:
    ranks = sign * decision.profile.arrays[0][0, standing]
    best = ranks.min(0)
    chosen: NDArray = ((ranks == best) & (best != UNRANKED)) @ decision.profile.arrays[1][0]
    return chosen


# ---------------------------------------------------------------------- why, in a sentence


def _why_instant_runoff(decision: Decision) -> str:
    leaving = _leaving(decision)
    if len(decision.elected) > 1:
        each = _first_choice_votes(decision, decision.elected)[decision.elected[0]]
        early = _leave(decision, leaving, "with the fewest first choices; then ")
        return f"{early}{winners(decision)} tie at {count(each, 'vote')} each."
    *before, last = leaving
    votes = _first_choice_votes(decision, [*decision.elected, *last])
    early = _leave(decision, before, "with the fewest first choices; then ")
    against = f"{number(votes[decision.elected[0]])} to {number(votes[last[0]])}"
    return (
        f"{early}{winners(decision)} beats {called(decision, last)} by "
        f"{against}{verb(last, '', ' each')}."
    )


def _why_coombs(decision: Decision) -> str:
    leaving = _leaving(decision)
    if len(decision.elected) > 1:
        early = _leave(decision, leaving, "as last most often; then ")
        return f"{early}{winners(decision)} are last equally often."
    # The candidates of the last round have not left: the winner has a majority before that.
    [winner] = decision.elected
    last = [c for c in leaving[-1] if decision.points[c] == decision.points[winner] - 1]
    early = _leave(decision, leaving[:-1] if last else leaving, "as last most often; then ")
    if not last:
        return f"{early}{winners(decision)} is left."
    votes = _first_choice_votes(decision, [winner, *last])[winner]
    of = f"{number(votes)} of {count(decision.voters, 'voter')}"
    return f"{early}{winners(decision)} is the first choice of {of}, a majority."


def _why_baldwin(decision: Decision) -> str:
    return _by_borda(decision, "with the lowest Borda score")


def _why_strict_nanson(decision: Decision) -> str:
    return _by_borda(decision, "below the average Borda score")


def _why_weak_nanson(decision: Decision) -> str:
    return _by_borda(decision, "at or below the average Borda score")


def _by_borda(decision: Decision, why: str) -> str:
    leaving = _leaving(decision)
    if len(decision.elected) > 1:
        return (
            f"{_leave(decision, leaving, f'{why}; ')}{winners(decision)} are left with equal ones."
        )
    *before, last = leaving
    if len(last) > 1:
        return f"{_leave(decision, leaving, f'{why}; ')}{winners(decision)} is left."
    margin = decision.margins[decision.elected[0]][last[0]]
    duel = f"{winners(decision)} beats {called(decision, last)} by {count(margin, 'vote')}"
    return f"{_leave(decision, before, f'{why}; then ')}{duel}."


def _leaving(decision: Decision) -> list[list[int]]:
    """The losers, round by round: a score is the round in which a candidate leaves."""
    rounds = sorted({decision.points[c] for c in decision.losers})
    return [[c for c in decision.losers if decision.points[c] == score] for score in rounds]


def _leave(decision: Decision, leaving: list[list[int]], why: str) -> str:
    """``Ann, then Ben and Cleo leave`` and why; in short if they are many."""
    if not leaving:
        return ""
    gone = [c for together in leaving for c in together]
    if len(gone) > 4:
        return f"{len(gone)} candidates leave{verb(leaving, '', ' in turn')} {why}"
    order = ", then ".join(called(decision, together) for together in leaving)
    return f"{order} {verb(gone, 'leaves', 'leave')} {why}"


def _first_choice_votes(decision: Decision, left: list[int]) -> dict[int, int]:
    """How many voters rank each candidate first among those left; spent ballots rank nobody."""
    places = decision.profile.only(left).places[0, :, 0].tolist()
    return dict(zip(left, places, strict=True))


# ---------------------------------------------------------------------- what is known of them

RECORDS = (
    Rule(
        "instant_runoff",
        instant_runoff,
        title="Instant runoff",
        family=ELIMINATION,
        reads="The weakest leaves, and the rest are counted again.",
        counting="the candidate with the fewest first choices leaves, until one is left",
        simplicity=Simplicity.ROUNDS,
        why=_why_instant_runoff,
        aliases=("irv", "hare", "ranked_choice", "alternative_vote"),
        round_counts=first_choices,
        learning=BALLOTS,
    ),
    Rule(
        "coombs",
        coombs,
        title="Coombs",
        family=ELIMINATION,
        reads="The weakest leaves, and the rest are counted again.",
        counting="the candidate with the most last choices leaves, until one has a majority of "
        "first choices",
        simplicity=Simplicity.ROUNDS,
        why=_why_coombs,
        ballots=COMPLETE,
        round_counts=last_choices,
        learning=BALLOTS,
    ),
    Rule(
        "baldwin",
        baldwin,
        title="Baldwin",
        family=ELIMINATION,
        reads="The weakest leaves, and the rest are counted again.",
        counting="the candidate with the fewest Borda points leaves, until one is left",
        simplicity=Simplicity.ROUNDS,
        why=_why_baldwin,
        round_counts=borda_points,
        learning=PATHS,
    ),
    Rule(
        "strict_nanson",
        strict_nanson,
        title="Nanson",
        family=ELIMINATION,
        reads="The weakest leaves, and the rest are counted again.",
        counting="all below the average of Borda points leave, until one is left",
        simplicity=Simplicity.ROUNDS,
        why=_why_strict_nanson,
        aliases=("nanson",),
        round_counts=borda_points,
        learning=PATHS,
    ),
    Rule(
        "weak_nanson",
        weak_nanson,
        title="Weak Nanson",
        family=ELIMINATION,
        reads="The weakest leaves, and the rest are counted again.",
        counting="all at or below the average of Borda points leave, until one is left",
        simplicity=Simplicity.ROUNDS,
        why=_why_weak_nanson,
        round_counts=borda_points,
        learning=PATHS,
    ),
)
