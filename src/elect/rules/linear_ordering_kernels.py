"""Circles of three in a relaxed order, and dynamic programming over sets of candidates."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from elect.kernels import NDArray

# Sets are whole numbers of 64 bits.
MOST_CANDIDATES = 62
MOST_SETS = 600_000

# So many triangles are looked at, and so many of the worst are added at a time.
LISTED_CIRCLES, MOST_CIRCLES = 200_000, 20_000


class TooManySets(Exception):
    """More sets of candidates than dynamic programming can go through."""


def find_circles(x: NDArray, tolerance: float) -> NDArray:
    """The triangles a < b < c that a relaxed order violates, the worst first if there are many."""
    count = _count_circles(x, tolerance)
    every = -(-count // LISTED_CIRCLES) or 1
    triangles, by = np.empty((-(-count // every), 3), np.int64), np.empty(-(-count // every))
    _list_circles(x, tolerance, every, triangles, by)
    if len(triangles) > MOST_CIRCLES:
        triangles = triangles[np.argsort(-by, kind="stable")[:MOST_CIRCLES]]
    return triangles


@njit(nogil=True, cache=True)
def _count_circles(x: NDArray, tolerance: float) -> int:
    count = 0
    for a in range(len(x)):
        for b in range(a + 1, len(x)):
            for c in range(b + 1, len(x)):
                total = x[a, b] + x[b, c] - x[a, c]
                count += total > 1 + tolerance or total < -tolerance
    return count


@njit(nogil=True, cache=True)
def _list_circles(
    x: NDArray, tolerance: float, every: int, triangles: NDArray, by: NDArray
) -> None:
    """Write down one violated triangle in every so many, and by how much it is violated."""
    found, count = 0, 0
    for a in range(len(x)):
        for b in range(a + 1, len(x)):
            for c in range(b + 1, len(x)):
                total = x[a, b] + x[b, c] - x[a, c]
                if total > 1 + tolerance or total < -tolerance:
                    if found % every == 0:
                        triangles[count, 0], triangles[count, 1], triangles[count, 2] = a, b, c
                        by[count] = max(total - 1, -total)
                        count += 1
                    found += 1


@njit(nogil=True, cache=True)
def improve(weights: NDArray, order: NDArray) -> None:
    """Move single candidates to better places until no move helps."""
    size, still = len(order), 0
    position = 0
    while still < size:
        c = order[position]
        gain, most, place = 0, 0, position
        for i in range(position - 1, -1, -1):
            gain += 2 * weights[c, order[i]]
            if gain > most:
                most, place = gain, i
        gain = 0
        for i in range(position + 1, size):
            gain -= 2 * weights[c, order[i]]
            if gain > most:
                most, place = gain, i
        step = -1 if place < position else 1
        for i in range(position, place, step):
            order[i] = order[i + step]
        order[place] = c
        still = 0 if most > 0 else still + 1
        position = (position + 1) % size


# ---------------------------------------------------------------------- sets from the bottom up


def best_above_sets(
    weights: NDArray, fixed: NDArray, check: Callable[[], Any]
) -> tuple[NDArray, NDArray, bool]:
    """One best order of those in which a stands above b wherever fixed[a, b], which candidates head
    a best order, and whether there is only one.

    A level has the sets of so many candidates that can stand at the bottom, as bits of a whole
    number, with the value of their best order and how many have it (2 stands for more).

    Args:
        weights: w[a, b], gained if a stands above b.
        fixed: pairs that are fixed.
        check: called now and then; it may raise to end this.
    """
    size = len(weights)
    if size > MOST_CANDIDATES:
        raise TooManySets
    below = np.array([sum(1 << int(b) for b in np.flatnonzero(row)) for row in fixed], np.int64)
    sets, values, counts = (np.array([n], np.int64) for n in (0, 0, 1))
    levels = []
    total = 0
    for _ in range(size):
        check()
        levels.append((sets, values))
        entries = _count_entries(below, sets)
        if entries > 8 * MOST_SETS:
            raise TooManySets
        joined, gained, ways = _next_level(weights, below, sets, values, counts, entries)
        order = np.lexsort((-gained, joined))
        sets, values, counts = _merge_sets(joined[order], gained[order], ways[order])
        total += len(sets)
        if total > MOST_SETS:
            raise TooManySets
    return *_trace_back(weights, below, levels), bool(counts[0] == 1)


@njit(nogil=True, cache=True)
def _count_entries(below: NDArray, sets: NDArray) -> int:
    entries = 0
    for s in sets:
        for c in range(len(below)):
            entries += (s >> c) & 1 == 0 and (below[c] & ~s) == 0
    return entries


@njit(nogil=True, cache=True)
def _next_level(
    weights: NDArray,
    below: NDArray,
    sets: NDArray,
    values: NDArray,
    counts: NDArray,
    entries: int,
) -> tuple[NDArray, NDArray, NDArray]:
    """Every set with one more candidate directly above it, if all fixed below that are in it."""
    size = len(weights)
    joined, gained = np.empty(entries, np.int64), np.empty(entries, np.int64)
    ways = np.empty(entries, np.int64)
    entry = 0
    for i in range(len(sets)):
        s = sets[i]
        for c in range(size):
            if (s >> c) & 1 == 0 and (below[c] & ~s) == 0:
                gain = 0
                for b in range(size):
                    if (s >> b) & 1:
                        gain += weights[c, b]
                joined[entry], gained[entry] = s | (np.int64(1) << c), values[i] + gain
                ways[entry] = counts[i]
                entry += 1
    return joined, gained, ways


@njit(nogil=True, cache=True)
def _merge_sets(
    joined: NDArray, gained: NDArray, ways: NDArray
) -> tuple[NDArray, NDArray, NDArray]:
    """Each set once, with its best value (which comes first) and in how many ways it is reached."""
    count = 0
    for i in range(len(joined)):
        count += i == 0 or joined[i] != joined[i - 1]
    sets, values = np.empty(count, np.int64), np.empty(count, np.int64)
    counts = np.zeros(count, np.int64)
    last = -1
    for i in range(len(joined)):
        if i == 0 or joined[i] != joined[i - 1]:
            last += 1
            sets[last], values[last] = joined[i], gained[i]
        if gained[i] == values[last]:
            counts[last] = min(2, counts[last] + ways[i])
    return sets, values, counts


def _trace_back(
    weights: NDArray, below: NDArray, levels: list[tuple[NDArray, NDArray]]
) -> tuple[NDArray, NDArray]:
    """One best order, best first, and who heads a best order."""
    size = len(weights)
    order: list[int] = []
    heads = np.zeros(size, bool)
    rest = (1 << size) - 1
    for sets, values in reversed(levels):
        found = []
        for c in range(size):
            under = rest & ~(1 << c)
            i = int(np.searchsorted(sets, under))
            if rest >> c & 1 and not int(below[c]) & ~under and i < len(sets) and sets[i] == under:
                members = [b for b in range(size) if under >> b & 1]
                found.append((int(values[i]) + int(weights[c, members].sum()), c))
        most = max(value for value, _ in found)
        if not order:
            heads[[c for value, c in found if value == most]] = True
        top = next(c for value, c in found if value == most)
        order.append(top)
        rest &= ~(1 << top)
    return np.array(order), heads
