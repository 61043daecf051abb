"""Numba kernels for the loops over ballots.

Ranks lie in memory as ``[batch, candidate, ballot]``: a pair of candidates is then compared
by running down two contiguous rows, which the compiler turns into vector instructions.
Every kernel releases the interpreter lock and treats elections independently, so
`over_batch` may hand slices of a batch to threads.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from numba import njit

# The rank of a candidate that a ballot leaves out: below every other, and tied with its like.
UNRANKED = 32767

NDArray = npt.NDArray[Any]


def over_batch(kernel: Callable[..., None], *arrays: NDArray) -> None:
    """Call ``kernel(*arrays)``, cut along the first axis into a slice for each torch thread."""
    size = len(arrays[0])
    pieces = min(torch.get_num_threads(), size)
    # Starting a thread takes longer than counting a few small elections.
    if pieces < 2 or arrays[0].size < 100_000:
        kernel(*arrays)
        return
    edges = [size * i // pieces for i in range(pieces + 1)]
    with ThreadPoolExecutor(pieces) as pool:
        jobs = [pool.submit(kernel, *(array[a:b] for array in arrays)) for a, b in pairwise(edges)]
        for job in jobs:
            job.result()


@njit(nogil=True, cache=True)
def _enter_ballot(row: NDArray, ranks: NDArray, v: int, m: int) -> tuple[int, int]:
    """Enter one ballot with checks: how many it ranks, and the place of its first error or -1."""
    ranks[:, v] = UNRANKED
    length = 0
    for p in range(len(row)):
        c = row[p]
        if c == -1:
            continue
        if c < 0 or c >= m or length != p or ranks[c, v] != UNRANKED:
            return length, p
        ranks[c, v] = p
        length += 1
    return length, -1


@njit(nogil=True, cache=True)
def invert_rankings(
    rankings: NDArray, num_candidates: NDArray, ranks: NDArray
) -> tuple[int, int, int, bool]:
    """Turn rankings ``[batch, ballot, place]`` (-1 ends a ballot) into ranks.

    Returns (-1, 0, 0, complete), or the (election, ballot, place, False) of the first entry that
    is no candidate, that repeats one, or that follows a -1.
    """
    complete = True
    width = rankings.shape[2]
    for b in range(rankings.shape[0]):
        m = num_candidates[b]
        ranks[b, m:] = UNRANKED
        everyone = ~np.uint64(0) >> np.uint64(64 - m) if m <= 64 else np.uint64(0)
        for v in range(rankings.shape[1]):
            # Most ballots rank all candidates. A bit mask checks that faster than a look-up; other
            # ballots are entered again with checks.
            seen = np.uint64(0)
            for p in range(min(m, width)):
                c = rankings[b, v, p]
                if c < 0 or c >= m:
                    seen = np.uint64(0)
                    break
                seen |= np.uint64(1) << np.uint64(c)
                ranks[b, c, v] = p
            if seen != everyone or m > 64 or (m < width and rankings[b, v, m] != -1):
                length, fault = _enter_ballot(rankings[b, v], ranks[b], v, m)
                if fault >= 0:
                    return b, v, fault, False
                complete = complete and length == m
    return -1, 0, 0, complete


@njit(nogil=True, cache=True)
def find_bad_ballot(ranks: NDArray, weights: NDArray, num_candidates: NDArray) -> tuple[int, int]:
    """The election and number of the first ballot whose ranks do not count the candidates above
    each, or (-1, -1); ballots that nobody cast may hold any ranks that exist."""
    seen = np.zeros(ranks.shape[1], np.int64)
    for b in range(ranks.shape[0]):
        m = num_candidates[b]
        for v in range(ranks.shape[2]):
            seen[:] = 0
            for c in range(m):
                rank = ranks[b, c, v]
                if rank < 0 or (rank >= len(seen) and rank != UNRANKED):
                    return b, v
                if rank != UNRANKED:
                    seen[rank] += 1
            above = 0
            for k in range(len(seen)):
                if seen[k] > 0 and k != above and weights[b, v] > 0:
                    return b, v
                above += seen[k]
    return -1, -1


@njit(nogil=True, cache=True)
def _rank_sorted(row: NDArray, ranks: NDArray, v: int) -> None:
    """Rank one ballot of many candidates by sorting them."""
    order = np.argsort(-row)
    above = 0
    for place in range(len(order)):
        c = order[place]
        # NaN is sorted last, and is left out.
        if row[c] != row[c]:
            break
        if place > 0 and row[c] < row[order[place - 1]]:
            above = place
        ranks[c, v] = above


@njit(nogil=True, cache=True)
def rank_by_value(values: NDArray, num_candidates: NDArray, ranks: NDArray) -> None:
    """Rank candidates by value, highest first; equal values tie and NaN is left out.

    A candidate's rank is the number of candidates above it: a, b tied before c is 0, 0, 2.
    """
    for b in range(values.shape[0]):
        m = num_candidates[b]
        ranks[b] = UNRANKED
        for v in range(values.shape[1]):
            row = values[b, v]
            if m > 128:
                _rank_sorted(row[:m], ranks[b], v)
                continue
            # Few candidates are compared faster than they are sorted.
            for c in range(m):
                if row[c] == row[c]:
                    above = 0
                    for d in range(m):
                        above += row[d] > row[c]
                    ranks[b, c, v] = above


@njit(nogil=True, cache=True)
def _single_ballots(weights: NDArray) -> int:
    """How many ballots there are if all weigh one voter (padding at the end), else -1."""
    n = 0
    while n < len(weights) and weights[n] == 1:
        n += 1
    for v in range(n, len(weights)):
        if weights[v] != 0:
            return -1
    return n


@njit(nogil=True, cache=True)
def _align(ranks: NDArray, n: int, rows: NDArray) -> int:
    """Copy n ballots to rows that end on a multiple of 64, with ties that count for nobody.

    Loops over whole vectors need no remainder: that gains more than the copy costs.
    """
    width = (n + 63) // 64 * 64
    for i in range(ranks.shape[0]):
        for v in range(n):
            rows[i, v] = ranks[i, v]
        for v in range(n, width):
            rows[i, v] = 0
    return width


@njit(nogil=True, cache=True)
def _count_above(first: NDArray, second: NDArray, width: int) -> int:
    # Counted in 16 bits, like the ranks, the loop fills vector registers twice as well.
    count = np.int16(0)
    for v in range(width):
        count = np.int16(count + np.int16(first[v] < second[v]))
    return int(count)


@njit(nogil=True, cache=True)
def _weigh_above(first: NDArray, second: NDArray, weights: NDArray) -> int:
    count = 0
    for v in range(len(first)):
        count += weights[v] * (first[v] < second[v])
    return count


@njit(nogil=True, cache=True)
def _count_sparsely(ranks: NDArray, weights: NDArray, m: int, support: NDArray) -> bool:
    """Count support from the candidates that each ballot ranks, or return False if going through
    all pairs of candidates is faster.

    Of the voters who rank i, all put it above j but those who rank j at least as high.
    """
    lengths = np.zeros(ranks.shape[1] + 1, np.int64)
    for c in range(m):
        for v in range(ranks.shape[1]):
            lengths[v + 1] += ranks[c, v] != UNRANKED
    if m < 32 or 8 * (lengths**2).sum() > m * m * ranks.shape[1]:
        return False
    starts = lengths.cumsum()
    ends = starts[:-1].copy()
    listed, placed = np.empty(starts[-1], np.int16), np.empty(starts[-1], np.int16)
    support[:m, :m] = 0
    for c in range(m):
        for v in range(ranks.shape[1]):
            if ranks[c, v] != UNRANKED:
                listed[ends[v]], placed[ends[v]] = c, ranks[c, v]
                ends[v] += 1
                support[c, :m] += weights[v]
    for v in range(ranks.shape[1]):
        for i in range(starts[v], ends[v]):
            for j in range(starts[v], ends[v]):
                support[listed[i], listed[j]] -= weights[v] * (placed[j] <= placed[i])
    return True


@njit(nogil=True, cache=True)
def count_support(
    ranks: NDArray, weights: NDArray, num_candidates: NDArray, strict: NDArray, support: NDArray
) -> None:
    """support[i, j] = voters who rank i above j; where ballots are strict half of it is free."""
    rows = np.empty((ranks.shape[1], ranks.shape[2] + 63), np.int16)
    for b in range(ranks.shape[0]):
        n = _single_ballots(weights[b])
        if not strict[b] and _count_sparsely(ranks[b], weights[b], num_candidates[b], support[b]):
            continue
        if 0 <= n < 32_768:
            width = _align(ranks[b], n, rows)
            for i in range(num_candidates[b]):
                for j in range(i):
                    above = _count_above(rows[i], rows[j], width)
                    support[b, i, j] = above
                    support[b, j, i] = n - above
                    if not strict[b]:
                        support[b, j, i] = _count_above(rows[j], rows[i], width)
        else:
            for i in range(num_candidates[b]):
                for j in range(num_candidates[b]):
                    support[b, i, j] = _weigh_above(ranks[b, i], ranks[b, j], weights[b])


@njit(nogil=True, cache=True)
def count_duels(
    ranks: NDArray,
    weights: NDArray,
    num_candidates: NDArray,
    strict: NDArray,
    wins: NDArray,
    ties: NDArray,
    worst: NDArray,
) -> None:
    """Each candidate's majority wins, pairwise ties and smallest margin (0 without a rival).

    The support of a whole batch is never written down: it is larger than the ballots.
    """
    most = ranks.shape[1]
    rows = np.empty((most, ranks.shape[2] + 63), np.int16)
    margins = np.empty((most, most), np.int64)
    for b in range(ranks.shape[0]):
        m = num_candidates[b]
        n = _single_ballots(weights[b])
        if 0 <= n < 32_768 and strict[b]:
            width = _align(ranks[b], n, rows)
            for i in range(m):
                for j in range(i):
                    margin = 2 * _count_above(rows[i], rows[j], width) - n
                    margins[i, j] = margin
                    margins[j, i] = -margin
        elif not strict[b] and _count_sparsely(ranks[b], weights[b], m, margins):
            for i in range(m):
                for j in range(i):
                    margins[i, j] -= margins[j, i]
                    margins[j, i] = -margins[i, j]
        else:
            for i in range(m):
                for j in range(i):
                    margin = _weigh_above(ranks[b, i], ranks[b, j], weights[b])
                    margin -= _weigh_above(ranks[b, j], ranks[b, i], weights[b])
                    margins[i, j] = margin
                    margins[j, i] = -margin
        for i in range(m):
            # Against oneself one neither wins nor ties, and no loss is smaller.
            margins[i, i] = np.iinfo(np.int64).max
            won, tied, least = -1, 0, margins[i, i]
            for j in range(m):
                won += margins[i, j] > 0
                tied += margins[i, j] == 0
                least = min(least, margins[i, j])
            wins[b, i], ties[b, i], worst[b, i] = won, tied, least if m > 1 else 0


@njit(nogil=True, cache=True)
def count_places(
    ranks: NDArray, weights: NDArray, num_candidates: NDArray, places: NDArray
) -> None:
    """places[c, k] = voters who put c at rank k; unranked candidates are not counted."""
    for b in range(ranks.shape[0]):
        for c in range(num_candidates[b]):
            for v in range(ranks.shape[2]):
                k = ranks[b, c, v]
                # The rank of an unranked candidate is beyond all places.
                if 0 <= k < places.shape[2]:
                    places[b, c, k] += weights[b, v]


@njit(nogil=True, cache=True)
def count_place_pairs(
    ranks: NDArray, weights: NDArray, num_candidates: NDArray, pairs: NDArray
) -> None:
    """pairs[c, d, k, l] = voters who put c at rank k and d at rank l."""
    for b in range(ranks.shape[0]):
        for c in range(num_candidates[b]):
            for d in range(num_candidates[b]):
                for v in range(ranks.shape[2]):
                    k, other = ranks[b, c, v], ranks[b, d, v]
                    if 0 <= k < pairs.shape[3] and 0 <= other < pairs.shape[4]:
                        pairs[b, c, d, k, other] += weights[b, v]


@njit(nogil=True, cache=True)
def sum_ranks(ranks: NDArray, weights: NDArray, num_candidates: NDArray, sums: NDArray) -> None:
    """sums[c] = the sum of c's ranks over all voters (for strict complete ballots)."""
    for b in range(ranks.shape[0]):
        n = _single_ballots(weights[b])
        for c in range(num_candidates[b]):
            total = 0
            if n >= 0:
                for v in range(n):
                    total += ranks[b, c, v]
            else:
                for v in range(ranks.shape[2]):
                    total += weights[b, v] * ranks[b, c, v]
            sums[b, c] = total


@njit(nogil=True, cache=True)
def describe_ballots(
    ranks: NDArray, weights: NDArray, num_candidates: NDArray, truncated: NDArray, tied: NDArray
) -> None:
    """Say for each election whether a ballot leaves candidates out, and whether one ties them."""
    for b in range(ranks.shape[0]):
        m = num_candidates[b]
        for v in range(ranks.shape[2]):
            if weights[b, v] == 0:
                continue
            ranked = 0
            total = 0
            for c in range(m):
                if ranks[b, c, v] != UNRANKED:
                    ranked += 1
                    total += ranks[b, c, v]
            if ranked < m:
                truncated[b] = True
            # Ranks count the candidates above: their sum is largest where no two are tied.
            if total < ranked * (ranked - 1) // 2:
                tied[b] = True


@njit(nogil=True, cache=True)
def strengthen_paths(strengths: NDArray) -> None:
    """From the strengths of single steps to those of the strongest paths, by Floyd and Warshall's
    recurrence: p[i, j] ← max(p[i, j], min(p[i, k], p[k, j]))."""
    for paths in strengths:
        for k in range(len(paths)):
            for i in range(len(paths)):
                first = paths[i, k]
                if first > 0:
                    for j in range(len(paths)):
                        paths[i, j] = max(paths[i, j], min(first, paths[k, j]))
