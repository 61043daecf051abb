"""Rules in rounds: instant runoff, Coombs, Baldwin, Nanson; and Bucklin, which widens by rounds.

A candidate's score is the round in which it leaves, so the winners are those who stay longest.
Whoever is tied for leaving leaves together; if all who are left are tied, all of them win.
"""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from elect.elections import Profiles, Scores
from elect.kernels import over_batch
from elect.rules.elimination_kernels import coombs_rounds, instant_runoff_rounds
from elect.rules.exact_scores import masked
from elect.rules.scoring import require_complete, require_untied


def instant_runoff(profiles: Profiles) -> Scores:
    """**Round by round, whoever has the fewest first choices leaves** (Hare, ranked choice).

    A truncated ballot is spent when all whom it ranks have left. A ballot that ties several
    candidates at its top counts for each of them (pref_voting's approval instant runoff).

    >>> instant_runoff(Profiles.from_rankings([[0, 1, 2], [1, 0, 2], [2, 1, 0]], weights=[4, 2, 3]))
    tensor([[2., 0., 1.]], dtype=torch.float64)
    """
    return _run(instant_runoff_rounds, profiles)


def coombs(profiles: Profiles) -> Scores:
    """**Until someone is the first choice of a majority, whoever is last most often leaves.**

    Truncated and tied ballots name no single last candidate and are refused.

    >>> coombs(Profiles.from_rankings([[0, 1, 2], [1, 0, 2], [2, 1, 0]], weights=[4, 2, 3]))
    tensor([[1., 2., 0.]], dtype=torch.float64)
    """
    require_complete(profiles, "coombs")
    return _run(coombs_rounds, profiles)


def baldwin(profiles: Profiles) -> Scores:
    """**Round by round, whoever has the lowest Borda score among those left leaves.**

    Truncated and tied ballots are taken as by Borda.

    >>> baldwin(Profiles.from_rankings([[0, 1, 2], [1, 0, 2], [2, 1, 0]], weights=[4, 2, 3]))
    tensor([[1., 2., 0.]], dtype=torch.float64)
    """

    def lowest(borda: Tensor, left: Tensor) -> Tensor:
        return borda == borda.masked_fill(~left, _MOST).amin(1, keepdim=True)

    return _borda_rounds(profiles, lowest)


def strict_nanson(profiles: Profiles) -> Scores:
    """**Round by round, whoever has less than the average Borda score leaves** (Nanson).

    Truncated and tied ballots are taken as by Borda.

    >>> strict_nanson(Profiles.from_rankings([[0, 1, 2], [1, 0, 2], [2, 1, 0]], weights=[4, 2, 3]))
    tensor([[1., 2., 0.]], dtype=torch.float64)
    """
    # Borda scores counted by margins average to zero in every round.
    return _borda_rounds(profiles, lambda borda, left: borda < 0)


def weak_nanson(profiles: Profiles) -> Scores:
    """**Round by round, whoever has no more than the average Borda score leaves.**

    Truncated and tied ballots are taken as by Borda.

    >>> weak_nanson(Profiles.from_rankings([[0, 1, 2], [1, 0, 2], [2, 1, 0]], weights=[4, 2, 3]))
    tensor([[1., 2., 0.]], dtype=torch.float64)
    """
    return _borda_rounds(profiles, lambda borda, left: borda <= 0)


def bucklin(profiles: Profiles) -> Scores:
    """**The voters who rank the candidate among their first r, for the least r at which someone
    has a strict majority.**

    On truncated ballots those left out are never counted; empty ballots do not count towards the
    majority, and if nobody reaches one all places are counted. Tied ballots are refused.

    >>> bucklin(Profiles.from_rankings([[0, 1, 2], [1, 0, 2], [2, 1, 0]], weights=[4, 2, 3]))
    tensor([[6., 9., 3.]], dtype=torch.float64)
    """
    require_untied(profiles, "bucklin")
    reach = profiles.places.cumsum(2)
    voters = profiles.places[:, :, 0].sum(1)
    enough = (2 * reach > voters[:, None, None]).any(1)
    enough[:, -1] = True
    # argmax of whole numbers is the first of the largest.
    r = enough.int().argmax(1)
    return masked(reach[torch.arange(len(profiles)), :, r], profiles)


_MOST = torch.iinfo(torch.int64).max


def _borda_rounds(profiles: Profiles, leaves: Callable[[Tensor, Tensor], Tensor]) -> Scores:
    """Rounds in which ``leaves(borda, left)`` marks who goes, from margins among those left."""
    left = profiles.mask
    scores = torch.zeros(left.shape, dtype=torch.int64, device=left.device)
    borda = (profiles.margins * left[:, None]).sum(2)
    while True:
        going = leaves(borda, left) & left
        staying = left & ~going
        # Nobody goes alone with nobody left: then all are tied, and the election is decided.
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
