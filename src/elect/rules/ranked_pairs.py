"""Ranked pairs; a candidate wins if it wins under some way of breaking ties between margins.

Majorities are locked in from the largest margin to the smallest, except those that would close a
cycle with what is locked already. A candidate with nobody locked above it wins.
Where equal margins compete, the order among them matters; a candidate wins if it does under one of
these orders (the parallel universes of Conitzer, Rognlie and Xia, IJCAI 2009). That question is
hard in general. Here most elections are settled without asking it, for the rest a search asks it
of one candidate at a time, and split cycle rules out most candidates beforehand, since every
winner of ranked pairs is one of split cycle's. Where that leaves one, it wins.
"""

from dataclasses import replace

import numpy as np
import torch

from elect.deadlines import Clock
from elect.elections import Profiles, Scores
from elect.errors import ElectError, Unsettled
from elect.kernels import NDArray, over_batch
from elect.rules.base import (
    FEW_CANDIDATES,
    PAIRWISE,
    PATHS,
    Decision,
    Rule,
    Simplicity,
    condorcet,
)
from elect.rules.exact_scores import masked
from elect.rules.pairwise import split_cycle
from elect.rules.ranked_pairs_kernels import (
    LOSES,
    OPEN,
    UNDECIDED,
    WINS,
    lock_majorities,
    search_on,
    search_orders,
)
from elect.rules.sentences import (
    beats_everyone,
    called,
    lose_to_nobody,
    losses_of,
    undefeated,
    winners,
)
from elect.rules.unsettled import HardElections
from elect.words import verb

# Steps that take a fraction of a second, and bytes for the partial orders of one search.
QUICK_WORK, QUICK_MEMORY, MEMORY = 2 * 10**8, 10**7, 10**8


def ranked_pairs(profiles: Profiles, patience: int = 20_000) -> Scores:
    """**Minus the candidates that end up locked in above it** (Tideman); winners score 0.

    Where the order among equal margins matters, candidates who win under one of these orders score
    0 and all others -1. Truncated and tied ballots are taken as they are.

    Args:
        profiles: the elections.
        patience: the most partial orders to search for one candidate; large elections also have a
            time limit (`elect.deadlines`).

    >>> ranked_pairs(Profiles.from_rankings([[0, 1, 2], [1, 2, 0], [2, 0, 1]], weights=[4, 3, 2]))
    tensor([[ 0., -1., -2.]], dtype=torch.float64)
    """
    if not isinstance(patience, int) or patience < 1:
        raise ElectError(f"ranked_pairs needs a whole patience of at least 1, not {patience}.")
    margins, sizes = profiles.margins.cpu().numpy(), profiles.num_candidates.cpu().numpy()
    above = np.zeros(margins.shape[:2], np.int64)
    ambiguous = np.zeros(len(sizes), np.bool_)
    over_batch(lock_majorities, margins, sizes, above, ambiguous)
    fates = np.where(above == 0, WINS, LOSES)
    hard = HardElections("ranked_pairs", profiles, scores=True)
    if ambiguous.any():
        fates[ambiguous] = _fates(profiles[torch.from_numpy(ambiguous)], patience)
        _settle_large(profiles, patience, fates, hard)
        above[ambiguous] = fates[ambiguous] != WINS
    scores = masked(torch.from_numpy(-above).to(profiles.ranks.device), profiles)
    _give_up(fates, scores, patience)
    hard.finish(scores == 0)
    return scores


def _fates(profiles: Profiles, patience: int) -> NDArray:
    """What becomes of each candidate where the order among equal margins matters.

    UNDECIDED if the patience allows for more than a moment's work.
    """
    hopeful = (split_cycle(profiles) == 0).cpu().numpy()
    fates = np.where(hopeful, WINS, LOSES)
    # Somebody wins, so the only one who can does.
    hard = hopeful.sum(1) > 1
    margins, sizes = profiles.margins.cpu().numpy(), profiles.num_candidates.cpu().numpy()
    if hard.any():
        width = margins.shape[1]
        quick = max(1, min(patience, QUICK_WORK // width**3, QUICK_MEMORY // width**2))
        found, limits = fates[hard], np.full(hard.sum(), quick)
        over_batch(search_orders, margins[hard], sizes[hard], hopeful[hard], limits, found)
        if quick < patience:
            found[found == OPEN] = UNDECIDED
        fates[hard] = found
    return fates


def _settle_large(profiles: Profiles, patience: int, fates: NDArray, hard: HardElections) -> None:
    """Decide with a clock what is still undecided."""
    margins, sizes = profiles.margins.cpu().numpy(), profiles.num_candidates.cpu().numpy()
    for b in np.flatnonzero((fates == UNDECIDED).any(1)).tolist():
        matrix = np.ascontiguousarray(margins[b, : sizes[b], : sizes[b]])
        possible = np.flatnonzero((fates[b] == WINS) | (fates[b] == UNDECIDED)).tolist()
        with hard.election(b, possible) as clock:
            for c in np.flatnonzero(fates[b] == UNDECIDED).tolist():
                fates[b, c] = _fate(matrix, c, patience, clock)
                if fates[b, c] == LOSES:
                    possible.remove(c)


def _fate(margins: NDArray, c: int, patience: int, clock: Clock) -> int:
    """Whether one candidate wins, checking the time limit between steps."""
    m = len(margins)
    most = max(1, min(patience, MEMORY // m**2))
    reaches = np.empty((most, m, m), np.bool_)
    notes, stack = np.empty(most, np.int64), np.empty(most, np.int64)
    table, at = np.full(2 * most + 1, -1), np.zeros(2, np.int64)
    turns = max(1, QUICK_WORK // m**3)
    fate = UNDECIDED
    while fate == UNDECIDED:
        clock.left()
        fate = search_on(margins, c, reaches, notes, stack, table, 0, at, turns)
    return int(fate)


def _give_up(fates: NDArray, scores: Scores, patience: int) -> None:
    """Raise `Unsettled` where a candidate takes more partial orders than the patience allows."""
    open_ = torch.from_numpy((fates == OPEN).any(1)).to(scores.device)[:, None]
    if bool(open_.any()):
        possible = torch.from_numpy(fates != LOSES).to(scores.device) & (scores > -torch.inf)
        raise Unsettled(
            "ranked_pairs cannot be settled here because too many margins are equal; raise its "
            f"patience above {patience}, or use beat_path or split_cycle, which need no order.",
            (scores == 0) & ~open_,
            torch.where(open_, possible, scores == 0),
        )


# ---------------------------------------------------------------------- why, in a sentence


def _why_ranked_pairs(decision: Decision) -> str:
    if condorcet(decision.profile) is not None:
        return beats_everyone(decision, ", so nobody can be locked in above")
    if undefeated(decision):
        return f"{lose_to_nobody(decision)}, so nobody can be locked in above."
    locked = "With majorities locked in from the largest down, nobody"
    if len(decision.elected) > 1:
        return f"{locked} need end up above {winners(decision, 'or')}."
    losses = losses_of(decision, decision.elected[0])
    late = verb(losses, "win of {} comes too late and", "wins of {} come too late and")
    return (
        f"{locked} ends up above {winners(decision)}: the {late.format(called(decision, losses))} "
        "would close a cycle."
    )


# ---------------------------------------------------------------------- what is known of them

RECORDS = (
    Rule(
        "ranked_pairs",
        ranked_pairs,
        title="Ranked pairs",
        family=PAIRWISE,
        reads="Each pair of candidates is put to a vote.",
        counting="majorities are locked in from the largest down, unless they "
        "contradict earlier ones",
        simplicity=Simplicity.CHAINS,
        why=_why_ranked_pairs,
        aliases=("tideman",),
        slow=True,
        learning=replace(PATHS, candidates=FEW_CANDIDATES),
    ),
)
