"""Ranked pairs, with ties between margins told honestly: who wins under some way of breaking them.

Majorities are locked in from the largest margin to the smallest, except those that would close a
cycle with what is locked already. Nobody above whom a candidate remains locked: that is a winner.
Where equal margins compete, the order among them matters; a candidate wins if it does under one of
these orders (the parallel universes of Conitzer, Rognlie and Xia, IJCAI 2009). That question is
hard in general. Here most elections are settled without asking it, for the rest a search asks it
of one candidate at a time, and split cycle rules out most candidates beforehand, since every
winner of ranked pairs is one of split cycle's.
"""

from typing import Literal

import numpy as np
import torch

from elect.elections import Profiles, Scores
from elect.errors import ElectError
from elect.kernels import NDArray, over_batch
from elect.rules.pairwise import split_cycle
from elect.rules.ranked_pairs_kernels import lock_majorities
from elect.rules.scoring import masked

# How many partial orders the search may look at for one candidate before it gives up.
PATIENCE = 20_000


def ranked_pairs(profiles: Profiles) -> Scores:
    """**Minus the candidates that end up locked in above it** (Tideman); winners score 0.

    Where the order among equal margins matters, whoever wins under one of these orders scores 0
    and everyone else -1. Truncated and tied ballots are taken as they are.

    >>> ranked_pairs(Profiles.from_rankings([[0, 1, 2], [1, 2, 0], [2, 0, 1]], weights=[4, 3, 2]))
    tensor([[ 0., -1., -2.]], dtype=torch.float64)
    """
    margins, sizes = profiles.margins.cpu().numpy(), profiles.num_candidates.cpu().numpy()
    above = np.zeros(margins.shape[:2], np.int64)
    ambiguous = np.zeros(len(sizes), np.bool_)
    over_batch(lock_majorities, margins, sizes, above, ambiguous)
    for b in np.flatnonzero(ambiguous):
        undefeated = split_cycle(profiles[int(b)])[0].numpy() == 0
        m = sizes[b]
        above[b, :m] = [
            not (undefeated[c] and _Search(margins[b, :m, :m], c).wins()) for c in range(m)
        ]
    return masked(torch.from_numpy(-above).to(profiles.ranks.device), profiles)


# A search state: the group of equal margins at hand, whether the candidate's reach has stopped
# growing within it, and who reaches whom. Sets of candidates are the bits of whole numbers.
State = tuple[int, bool, tuple[int, ...]]


class _Search:
    """Can this candidate win under some order among equal margins?

    Whatever the order, the majorities by which the candidate's reach grows can come first within
    their group: taken earlier, they are locked all the same, and so is everything after them. So
    the search lets the reach grow, then stops it, then tries the orders of the others.
    """

    def __init__(self, margins: NDArray, candidate: int) -> None:
        self.candidate = candidate
        values = np.unique(margins[margins > 0])[::-1]
        self.groups = [
            [(int(a), int(b)) for a, b in np.argwhere(margins == value)] for value in values
        ]
        self.threats = sum(1 << int(a) for a in np.flatnonzero(margins[:, candidate] > 0))
        self.start: State = (0, False, (0,) * len(margins))

    def wins(self) -> bool:
        stack, seen = [self.start], set[State]()
        while stack:
            state = stack.pop()
            if state in seen:
                continue
            seen.add(state)
            if len(seen) > PATIENCE:
                raise ElectError(
                    "ranked_pairs cannot be settled here because too many margins are equal; "
                    "use beat_path or split_cycle, which need no order among them."
                )
            following = self._follow(*state)
            if following is True:
                return True
            stack += following
        return False

    def _follow(
        self, group: int, stopped: bool, reach: tuple[int, ...]
    ) -> Literal[True] | list[State]:
        """True if the candidate wins from here, otherwise the states to look at next."""
        c = self.candidate
        while True:
            # Nobody can be locked above whom reaches all who could be locked above it.
            if not self.threats & ~reach[c]:
                return True
            own = reach[c] | 1 << c
            undecided = [
                (a, b)
                for a, b in self.groups[group]
                if not reach[b] >> a & 1 and not reach[a] >> b & 1
            ]
            growing = [(a, b) for a, b in undecided if own >> a & 1 and not own >> b & 1]
            others = [edge for edge in undecided if edge not in growing] if stopped else undecided
            joint = _closure(reach, others)
            # What lies on no cycle of its group is locked whatever the order.
            certain = [(a, b) for a, b in others if not joint[b] >> a & 1]
            for a, b in certain:
                reach = _locked(reach, a, b)
            if any(bits >> c & 1 for bits in reach):
                return []
            if stopped and any(not joint[b] >> a & 1 for a, b in growing):
                return []
            if self._hopeless(group, reach, others):
                return []
            if certain:
                continue
            if not undecided:
                group, stopped = group + 1, False
                continue
            if stopped:
                return [(group, True, _locked(reach, a, b)) for a, b in others if b != c]
            return [(group, True, reach)] + [(group, False, _locked(reach, *e)) for e in growing]

    def _hopeless(
        self, group: int, reach: tuple[int, ...], undecided: list[tuple[int, int]]
    ) -> bool:
        """Whether some threat is out of reach even if everything open up to it were locked."""
        joint = _closure(reach, undecided)
        for later in range(group, len(self.groups)):
            edges = self.groups[later]
            if later > group:
                joint = _closure(tuple(joint), [(a, b) for a, b in edges if not reach[b] >> a & 1])
            threats = sum(1 << a for a, b in edges if b == self.candidate)
            if threats & ~joint[self.candidate]:
                return True
        return False


def _locked(reach: tuple[int, ...], a: int, b: int) -> tuple[int, ...]:
    gained = reach[b] | 1 << b
    return tuple(bits | gained if x == a or bits >> a & 1 else bits for x, bits in enumerate(reach))


def _closure(reach: tuple[int, ...], majorities: list[tuple[int, int]]) -> list[int]:
    """Who reaches whom if all these majorities were added, cycles and all."""
    joint = list(reach)
    for a, b in majorities:
        joint[a] |= 1 << b
    for k in range(len(joint)):
        for x in range(len(joint)):
            if joint[x] >> k & 1:
                joint[x] |= joint[k]
    return joint
