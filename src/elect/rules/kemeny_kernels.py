"""Components of the majority graph, and dynamic programming over the subsets of a component."""

import numpy as np
from numba import njit

from elect.kernels import NDArray

# Beyond this many candidates the integer program is faster than 2^m steps.
SMALL = 18


@njit(nogil=True, cache=True)
def components(weights: NDArray) -> tuple[NDArray, NDArray]:
    """Candidates in an order that puts whole components one after the other, and where each ends.

    With 2 points a win and 1 a tie, k candidates can have k (k - 1) points from each other and at
    most 2 k (m - k) from the rest, and have them all just if each of them beats all the rest.
    """
    m = len(weights)
    points = np.zeros(m, np.int64)
    for a in range(m):
        for b in range(m):
            if a != b:
                points[a] += np.sign(weights[a, b]) + 1
    order = np.argsort(-points)
    ends = np.zeros(m, np.int64)
    count = 0
    total = 0
    for k in range(1, m + 1):
        total += points[order[k - 1]]
        if total == k * (k - 1) + 2 * k * (m - k):
            ends[count] = k
            count += 1
    return order, ends[:count]


@njit(nogil=True, cache=True)
def _row_sums(weights: NDArray, first: int, last: int) -> NDArray:
    """sums[c, T] = Σ w[c, b] over the candidates b that the bits of T name, counted from first."""
    sums = np.zeros((len(weights), 1 << (last - first)), np.int64)
    for c in range(len(weights)):
        for i in range(last - first):
            for rest in range(1 << i):
                sums[c, (1 << i) | rest] = sums[c, rest] + weights[c, first + i]
    return sums


@njit(nogil=True, cache=True)
def best_of_subsets(weights: NDArray, best: NDArray) -> None:
    """best[S] = V of the best ranking of the subset S, for all subsets."""
    size = len(weights)
    half = size // 2
    low, high = _row_sums(weights, 0, half), _row_sums(weights, half, size)
    below = (1 << half) - 1
    best[0] = 0
    for subset in range(1, 1 << size):
        top = np.iinfo(np.int64).min
        for c in range(size):
            if subset >> c & 1:
                rest = subset ^ (1 << c)
                value = best[rest] + low[c, rest & below] + high[c, rest >> half]
                top = max(top, value)
        best[subset] = top


@njit(nogil=True, cache=True)
def _heads_of_component(weights: NDArray, best: NDArray, heads: NDArray) -> None:
    """heads[c] = V of the best ranking of the component headed by c."""
    size = len(weights)
    best_of_subsets(weights, best)
    for c in range(size):
        heads[c] = best[((1 << size) - 1) ^ (1 << c)] + weights[c].sum()


@njit(nogil=True, cache=True)
def _select(weights: NDArray, members: NDArray) -> NDArray:
    part = np.empty((len(members), len(members)), np.int64)
    for i in range(len(members)):
        for j in range(len(members)):
            part[i, j] = weights[members[i], members[j]]
    return part


@njit(nogil=True, cache=True)
def top_winners(weights: NDArray, sizes: NDArray, winners: NDArray, large: NDArray) -> None:
    best = np.empty(1 << SMALL, np.int64)
    heads = np.empty(SMALL, np.int64)
    for b in range(len(sizes)):
        order, ends = components(weights[b, : sizes[b], : sizes[b]])
        size = ends[0]
        if size == 1:
            winners[b, order[0]] = True
        elif size > SMALL:
            large[b] = True
        else:
            _heads_of_component(_select(weights[b], order[:size]), best, heads)
            for i in range(size):
                winners[b, order[i]] = heads[i] == heads[:size].max()


@njit(nogil=True, cache=True)
def head_values(weights: NDArray, sizes: NDArray, values: NDArray, large: NDArray) -> None:
    best = np.empty(1 << SMALL, np.int64)
    heads = np.empty(SMALL, np.int64)
    for b in range(len(sizes)):
        m = sizes[b]
        order, ends = components(weights[b, :m, :m])
        optimum = 0
        start = 0
        for end in ends:
            size = end - start
            if size > SMALL:
                large[b] = True
                break
            members = order[start:end]
            _heads_of_component(_select(weights[b], members), best, heads)
            top = heads[:size].max()
            optimum += top
            for i in range(size):
                # What this candidate's heading its component costs, and passing those before it.
                values[b, members[i]] = heads[i] - top
                for a in order[:start]:
                    values[b, members[i]] -= 2 * weights[b, a, members[i]]
                    optimum += weights[b, a, members[i]]
            start = end
        for c in range(m):
            values[b, c] += optimum


@njit(nogil=True, cache=True)
def trace(weights: NDArray, best: NDArray) -> tuple[NDArray, bool]:
    """Read an optimal order off the table of subsets, and whether there is another.

    Another order parts from this one at some place: there, someone else could stand as well.
    """
    size = len(weights)
    order = np.empty(size, np.int64)
    unique = True
    subset = (1 << size) - 1
    for place in range(size):
        found = -1
        for c in range(size):
            if subset >> c & 1:
                value = best[subset ^ (1 << c)]
                for b in range(size):
                    if subset >> b & 1:
                        value += weights[c, b]
                if value == best[subset]:
                    unique = unique and found < 0
                    found = c if found < 0 else found
        order[place] = found
        subset ^= 1 << found
    return order, unique
