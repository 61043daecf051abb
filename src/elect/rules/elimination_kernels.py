"""The rounds of instant runoff and Coombs, which go back to the ballots every time."""

import numpy as np
from numba import njit

from elect.kernels import UNRANKED, NDArray


@njit(nogil=True, cache=True)
def _choices(ranks: NDArray, weights: NDArray, left: NDArray, sign: int, counts: NDArray) -> None:
    """counts[c] = voters whose best (sign 1) or worst (sign -1) candidate among those left is c."""
    n = ranks.shape[1]
    best = np.full(n, UNRANKED, np.int16)
    for c in range(len(left)):
        if left[c]:
            for v in range(n):
                best[v] = min(best[v], sign * ranks[c, v])
    for c in range(len(left)):
        counts[c] = 0
        if left[c]:
            for v in range(n):
                counts[c] += weights[v] * (sign * ranks[c, v] == best[v] and best[v] != UNRANKED)


@njit(nogil=True, cache=True)
def instant_runoff_rounds(
    ranks: NDArray, weights: NDArray, sizes: NDArray, rounds: NDArray
) -> None:
    for b in range(len(sizes)):
        m = sizes[b]
        left = np.ones(m, np.bool_)
        counts = np.zeros(m, np.int64)
        while True:
            _choices(ranks[b], weights[b], left, 1, counts)
            fewest = counts[left].min()
            if fewest == counts[left].max():
                break
            for c in range(m):
                left[c] = left[c] and counts[c] > fewest
                rounds[b, c] += left[c]


@njit(nogil=True, cache=True)
def coombs_rounds(ranks: NDArray, weights: NDArray, sizes: NDArray, rounds: NDArray) -> None:
    for b in range(len(sizes)):
        m = sizes[b]
        voters = weights[b].sum()
        left = np.ones(m, np.bool_)
        counts = np.zeros(m, np.int64)
        while True:
            _choices(ranks[b], weights[b], left, 1, counts)
            if 2 * counts.max() > voters:
                rounds[b, counts.argmax()] += 1
                break
            _choices(ranks[b], weights[b], left, -1, counts)
            most = counts.max()
            if counts[left].min() == most:
                break
            for c in range(m):
                left[c] = left[c] and counts[c] < most
                rounds[b, c] += left[c]
