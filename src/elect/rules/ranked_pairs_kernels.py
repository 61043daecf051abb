"""Locking majorities one after the other, as long as the order among equal ones does not matter."""

import numpy as np
from numba import njit

from elect.kernels import NDArray


@njit(nogil=True, cache=True)
def _lock(reach: NDArray, a: int, b: int) -> None:
    """Lock a above b: all that reach a (and a itself) now reach b and all that b reaches."""
    for x in range(len(reach)):
        if x == a or reach[x, a]:
            for y in range(len(reach)):
                reach[x, y] |= reach[b, y]
            reach[x, b] = True


@njit(nogil=True, cache=True)
def lock_majorities(margins: NDArray, sizes: NDArray, above: NDArray, ambiguous: NDArray) -> None:
    """above[c] = how many are locked above c, unless the order among equal margins matters."""
    for election in range(len(sizes)):
        m = sizes[election]
        flat = margins[election, :m, :m].copy().reshape(-1)
        order = np.argsort(-flat)
        reach = np.zeros((m, m), np.bool_)
        start = 0
        while start < m * m and flat[order[start]] > 0 and not ambiguous[election]:
            end = start
            while end < m * m and flat[order[end]] == flat[order[start]]:
                end += 1
            # Those that contradict what was locked before this group are out, whatever the order.
            fresh = [p for p in order[start:end] if not reach[p % m, p // m]]
            for p in fresh:
                # One that contradicts its equals is in or out depending on who comes first.
                if reach[p % m, p // m]:
                    ambiguous[election] = True
                elif not reach[p // m, p % m]:
                    _lock(reach, p // m, p % m)
            start = end
        for c in range(m):
            above[election, c] = reach[:, c].sum()
