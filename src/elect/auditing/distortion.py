"""Exact distortion, and a search for elections with high distortion.

A ballot says who is preferred to whom, and not by how much. The distortion of a choice is the
largest ratio, over all utilities that fit the ballots, of the welfare of the best candidate to
that of the elected.

Example:
    >>> profile = Profiles.from_rankings([["Ann", "Ben", "Cleo"], ["Ben", "Cleo", "Ann"]], [3, 2])
    >>> distortions(torch.tensor([[True, False, False]]), profile).tolist()
    [3.0]
"""

from collections.abc import Callable

import numpy as np
import torch
from jaxtyping import Float, Float64
from numba import njit
from torch import Tensor

from elect.cultures import Seed, Size
from elect.cultures.base import sizes
from elect.elections import Profiles, Scores, Winners
from elect.errors import ElectError
from elect.kernels import UNRANKED, NDArray, over_batch

# How bad each election of a batch is: the higher, the worse.
Badness = Callable[[Profiles], Float[Tensor, "batch"]]
Choice = Callable[[Profiles], Winners]

# Elections that a search improves side by side, and changes of each that it tries in a step.
CHAINS, NEIGHBOURS = 16, 16

# Steps without progress after which a search begins anew.
STUCK = 60

# Distinct ballots in an election of a search: the voters are shared out among them.
ROWS = 32


def distortions(winners: Winners, profiles: Profiles) -> Float64[Tensor, "batch"]:
    """**The largest ratio of the best candidate's utilitarian welfare to that of the elected**,
    over all utilities of 0 or above that sum to 1 for each voter and fit the ballots.

    Utilities fit if nobody gets more than a candidate whom the ballot places above; of candidates
    that a ballot ties, or leaves out, nothing follows. The worst such utilities are known for each
    elected w and rival x. A voter who does not place w above x gives x, and all above x, equal
    shares, and w nothing. A voter whose only first choice is w gives everyone 1 / m, and all others
    can give to neither. With p the place of x, 1 for the best,

        distortion = 1 + m · max_x Σ_{w not above x} 1 / p(x) / (voters whose first choice is w),

    which is infinite where w is nobody's first choice. Of several winners the worst counts.
    References: Procaccia and Rosenschein, "The Distortion of Cardinal Preferences in Voting", CIA
    2006; Caragiannis et al., "Subset Selection via Implicit Utilitarian Voting", JAIR 2017.

    Args:
        winners: who is elected, at least one an election.
        profiles: the ballots.
    """
    if winners.shape != profiles.mask.shape or not bool((winners & profiles.mask).any(1).all()):
        raise ElectError("Distortion is that of a choice; say who is elected in every election.")
    worst = np.ones(len(profiles))
    over_batch(_distort, *profiles.arrays, winners.cpu().numpy(), worst)
    return torch.from_numpy(worst)


def distortion_of(choose: Choice) -> Badness:
    """The distortion of a rule's choice, as what `worst_case` maximizes."""
    return lambda profiles: distortions(choose(profiles), profiles)


def disagreement_of(rule: Callable[[Profiles], Scores], exact: Choice) -> Badness:
    """How far a rule prefers someone else to all whom the exact one elects, for `worst_case`.

    It is the rule's highest score among the others, less its highest among the exact winners:
    above 0 where the rule elects wrongly, and below where it is right, by how little.
    """

    def badness(profiles: Profiles) -> Float[Tensor, "batch"]:
        scores, right = rule(profiles).double(), exact(profiles)
        others = scores.masked_fill(right | ~profiles.mask, -torch.inf).amax(1)
        return others - scores.masked_fill(~right, -torch.inf).amax(1)

    return badness


def worst_case(
    badness: Badness, voters: Size, candidates: Size, seed: Seed = 0, steps: int = 400
) -> tuple[Profiles, float]:
    """An election of these sizes that is as bad as can be found, and how bad it is.

    Several searches run side by side from random elections. In each step some ballots are
    changed, or voters join, leave or change sides, in many ways at once; the worst outcome is
    kept if it is no better than before. A search that is stuck begins anew, and all of them end
    where nothing can be worse: at infinity.

    Args:
        badness: of each election of a batch; the higher, the worse.
        voters: how many, or an inclusive range.
        candidates: how many, or an inclusive range.
        seed: the same seed finds the same election.
        steps: how long to search.
    """
    rng = np.random.default_rng(seed)
    state, bounds = _start(rng, voters, candidates)
    found, since = _judge(badness, *state), np.zeros(CHAINS, np.int64)
    worst, election = -np.inf, tuple(array[[0]] for array in state)
    for _ in range(steps + 1):
        top = int(found.argmax())
        if found[top] > worst:
            worst, election = float(found[top]), tuple(array[[top]] for array in state)
        if worst == np.inf:
            break
        stuck = since >= STUCK
        if stuck.any():
            anew, _ = _start(rng, voters, candidates)
            for array, other in zip((*state, found), (*anew, _judge(badness, *anew)), strict=True):
                array[stuck] = other[stuck]
        before = np.where(stuck, -np.inf, found)
        _advance(rng, badness, state, found, bounds)
        since = np.where(found > before, 0, since + 1)
    ranks, weights, num_candidates = election
    return _profiles(ranks[:, : num_candidates[0]], weights, num_candidates).merged(), worst


State = tuple[NDArray, NDArray, NDArray]


def _advance(
    rng: np.random.Generator,
    badness: Badness,
    state: State,
    found: NDArray,
    bounds: tuple[int, int],
) -> None:
    """Try changes of every election, and keep the worst outcome of each unless it is better."""
    trial = tuple(np.repeat(array, NEIGHBOURS, axis=0) for array in state)
    _change(rng, *trial, *bounds)
    outcome = _judge(badness, *trial).reshape(CHAINS, NEIGHBOURS)
    best = outcome.argmax(1)
    taken = np.flatnonzero(outcome.max(1) >= found)
    for array, tried in zip(state, trial, strict=True):
        array[taken] = tried.reshape(CHAINS, NEIGHBOURS, *tried.shape[1:])[taken, best[taken]]
    found[taken] = outcome.max(1)[taken]


def _start(
    rng: np.random.Generator, voters: Size, candidates: Size
) -> tuple[State, tuple[int, int]]:
    """Random elections ``[search, candidate, ballot]``, with the bounds on their voters."""
    n, m = sizes(CHAINS, voters, candidates, rng)
    low, high = voters if isinstance(voters, tuple) else (voters, voters)
    # More often than not the largest is the worst.
    n[0], m[0] = high, candidates[1] if isinstance(candidates, tuple) else candidates
    rows = min(high, ROWS)
    values = rng.random((CHAINS, m.max(), rows))
    values[np.arange(m.max()) >= m[:, None]] = 2
    ranks = values.argsort(1).argsort(1).astype(np.int16)
    ranks[values == 2] = UNRANKED
    weights = rng.multinomial(n, np.full(rows, 1 / rows)).astype(np.int64)
    return (ranks, weights, m), (low, high)


def _profiles(ranks: NDArray, weights: NDArray, num_candidates: NDArray) -> Profiles:
    return Profiles._trusted(
        torch.from_numpy(ranks).transpose(1, 2),
        torch.from_numpy(weights),
        torch.from_numpy(num_candidates),
        complete=True,
    )


def _judge(badness: Badness, *state: NDArray) -> NDArray:
    values: NDArray = badness(_profiles(*state)).double().cpu().numpy()
    return np.nan_to_num(values, nan=-np.inf, posinf=np.inf, neginf=-np.inf)


# ---------------------------------------------------------------------- kernels


@njit(nogil=True, cache=True)
def _distort(
    ranks: NDArray, weights: NDArray, num_candidates: NDArray, winners: NDArray, worst: NDArray
) -> None:
    most = ranks.shape[1]
    places, gains, firsts = np.zeros(most, np.int64), np.zeros((most, most)), np.zeros(most)
    for b in range(len(ranks)):
        m = num_candidates[b]
        gains[:] = 0
        firsts[:] = 0
        for v in range(ranks.shape[2]):
            if weights[b, v] > 0:
                _count(ranks[b, :m, v], weights[b, v], winners[b], places, gains, firsts)
        for w in range(m):
            if winners[b, w]:
                gain = gains[w, :m].max()
                if gain > 0:
                    ratio = 1 + m * gain / firsts[w] if firsts[w] > 0 else np.inf
                    worst[b] = max(worst[b], ratio)


@njit(nogil=True, cache=True)
def _count(
    ranks: NDArray, weight: int, winners: NDArray, places: NDArray, gains: NDArray, firsts: NDArray
) -> None:
    """Add what a ballot lets every rival gain on every winner, and for whom it is the first."""
    m, ranked, tops = len(ranks), 0, 0
    for c in range(m):
        ranked += ranks[c] != UNRANKED
    for c in range(m):
        places[c] = 1 + (ranks[c] if ranks[c] != UNRANKED else ranked)
        tops += places[c] == 1
    for w in range(m):
        if winners[w]:
            if tops == 1 and places[w] == 1:
                firsts[w] += weight
            for x in range(m):
                if x != w and places[w] >= places[x]:
                    gains[w, x] += weight / places[x]


@njit(nogil=True, cache=True)
def _change(
    rng: np.random.Generator,
    ranks: NDArray,
    weights: NDArray,
    num_candidates: NDArray,
    fewest: int,
    most: int,
) -> None:
    """Change each election in one to three ways."""
    rows = ranks.shape[2]
    for b in range(len(ranks)):
        m = num_candidates[b]
        for _ in range(1 + int(rng.random() * 3)):
            kind = rng.random()
            i, j = int(rng.random() * rows), int(rng.random() * rows)
            if kind < 0.5:
                _move(rng, ranks[b, :m, i])
            elif kind < 0.9:
                # Voters change sides; a ballot that nobody cast is a variation on their own.
                if weights[b, j] == 0:
                    ranks[b, :m, j] = ranks[b, :m, i]
                    _move(rng, ranks[b, :m, j])
                if i != j and weights[b, i] > 0:
                    some = 1 if rng.random() < 0.5 else 1 + int(rng.random() * weights[b, i])
                    weights[b, i] -= some
                    weights[b, j] += some
            elif kind < 0.95 and weights[b].sum() < most:
                weights[b, i] += 1
            elif weights[b, i] > 0 and weights[b].sum() > fewest:
                weights[b, i] -= 1


@njit(nogil=True, cache=True)
def _move(rng: np.random.Generator, ranks: NDArray) -> None:
    """Move a candidate to another place on a ballot."""
    m = len(ranks)
    c, place = int(rng.random() * m), int(rng.random() * m)
    before = ranks[c]
    for d in range(m):
        if before < ranks[d] <= place:
            ranks[d] -= 1
        elif place <= ranks[d] < before:
            ranks[d] += 1
    ranks[c] = place
