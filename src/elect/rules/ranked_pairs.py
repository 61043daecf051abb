"""Ranked pairs, with ties between margins told honestly: who wins under some way of breaking them.

Majorities are locked in from the largest margin to the smallest, except those that would close a
cycle with what is locked already. Nobody above whom a candidate remains locked: that is a winner.
Where equal margins compete, the order among them matters; a candidate wins if it does under one of
these orders (the parallel universes of Conitzer, Rognlie and Xia, IJCAI 2009). That question is
hard in general. Here most elections are settled without asking it, for the rest a search asks it
of one candidate at a time, and split cycle rules out most candidates beforehand, since every
winner of ranked pairs is one of split cycle's. Where that leaves one, it wins.
"""

import numpy as np
import torch

from elect.elections import Profiles, Scores
from elect.errors import ElectError, Unsettled
from elect.kernels import NDArray, over_batch
from elect.rules.pairwise import split_cycle
from elect.rules.ranked_pairs_kernels import LOSES, OPEN, WINS, lock_majorities, search_orders
from elect.rules.scoring import masked


def ranked_pairs(profiles: Profiles, patience: int = 20_000) -> Scores:
    """**Minus the candidates that end up locked in above it** (Tideman); winners score 0.

    Where the order among equal margins matters, whoever wins under one of these orders scores 0
    and everyone else -1. Truncated and tied ballots are taken as they are.

    Args:
        profiles: the elections.
        patience: how many partial orders to look at for one candidate before giving up.

    >>> ranked_pairs(Profiles.from_rankings([[0, 1, 2], [1, 2, 0], [2, 0, 1]], weights=[4, 3, 2]))
    tensor([[ 0., -1., -2.]], dtype=torch.float64)
    """
    if not isinstance(patience, int) or patience < 1:
        raise ElectError(f"ranked_pairs needs a whole patience of at least 1, not {patience}.")
    margins, sizes = profiles.margins.cpu().numpy(), profiles.num_candidates.cpu().numpy()
    above = np.zeros(margins.shape[:2], np.int64)
    ambiguous = np.zeros(len(sizes), np.bool_)
    over_batch(lock_majorities, margins, sizes, above, ambiguous)
    unsettled = np.zeros(len(sizes), np.bool_)
    if ambiguous.any():
        fates = _fates(profiles[torch.from_numpy(ambiguous)], patience)
        above[ambiguous], unsettled[ambiguous] = fates != WINS, (fates == OPEN).any(1)
    scores = masked(torch.from_numpy(-above).to(profiles.ranks.device), profiles)
    if unsettled.any():
        raise Unsettled(
            "ranked_pairs cannot be settled here because too many margins are equal; raise its "
            f"patience above {patience}, or use beat_path or split_cycle, which need no order.",
            (scores == 0) & ~torch.from_numpy(unsettled).to(scores.device)[:, None],
        )
    return scores


def _fates(profiles: Profiles, patience: int) -> NDArray:
    """What becomes of each candidate where the order among equal margins matters."""
    hopeful = (split_cycle(profiles) == 0).cpu().numpy()
    fates = np.where(hopeful, WINS, LOSES)
    # Somebody wins, so the only one who can does.
    hard = hopeful.sum(1) > 1
    margins, sizes = profiles.margins.cpu().numpy(), profiles.num_candidates.cpu().numpy()
    if hard.any():
        found, limits = fates[hard], np.full(hard.sum(), patience)
        over_batch(search_orders, margins[hard], sizes[hard], hopeful[hard], limits, found)
        fates[hard] = found
    return fates
