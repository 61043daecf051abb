"""The linear ordering problem as an integer program in HiGHS, with constraints added as needed.

Of each pair a < b one stands above the other: x[a, b] is 1 if a does, 0 if b does. A choice for all
pairs is a ranking just if no three go round in a circle: for a < b < c,

    0 ≤ x[a, b] + x[b, c] - x[a, c] ≤ 1.

Of these m (m - 1) (m - 2) / 6 triangles few matter: we start from the majorities, add the triangles
that the solution violates, and solve again. On elections the relaxed solution is nearly always a
ranking already; where it is not, a local search may still meet its bound, and otherwise HiGHS
branches. Reduced costs then dismiss most alternatives without solving anything.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from scipy.sparse import csr_array, vstack

from elect.errors import ElectError
from elect.kernels import NDArray

_CLOSE = 1e-6


@dataclass(frozen=True)
class Order:
    """An optimal order and what proves it.

    Attributes:
        order: candidates, best first.
        value: Σ w[a, b] over all pairs with a above b.
        bound: the value of the relaxation, which no order exceeds.
        price: price[a, b] is what any order loses against `bound` by putting a above b.
    """

    order: NDArray
    value: int
    bound: float
    price: NDArray


def best_order(weights: NDArray) -> Order:
    """An order of largest value."""
    relaxed, price, bound, triangles = _relax(weights)
    order = _improve(weights, np.argsort(-relaxed.sum(1), kind="stable"))
    if value_of(weights, order) < _attainable(weights, bound):
        order = _branch(weights, triangles)
    return Order(order, value_of(weights, order), bound, price)


def can_head(weights: NDArray) -> NDArray:
    """Which candidates head an optimal order."""
    best = best_order(weights)
    everyone = np.arange(len(weights))
    heads: NDArray = everyone == best.order[0]
    for c in everyone[~heads]:
        # To head an order is to stand above each of the others.
        if _attainable(weights, best.bound - best.price[c].sum()) == best.value:
            rest = everyone[everyone != c]
            part = weights[np.ix_(rest, rest)]
            heads[c] = weights[c].sum() + best_order(part).value == best.value
    return heads


def has_other_order(weights: NDArray, best: Order | None = None) -> bool:
    """Whether several orders are optimal: another one turns round some neighbours of the first."""
    best = best or best_order(weights)
    neighbours = list(zip(best.order[:-1], best.order[1:], strict=True))
    if any(weights[a, b] == 0 for a, b in neighbours):
        return True
    for a, b in neighbours:
        if _attainable(weights, best.bound - best.price[b, a]) == best.value:
            turned = weights.copy()
            turned[b, a] = np.abs(weights).sum()
            turned[a, b] = -turned[b, a]
            if value_of(weights, best_order(turned).order) == best.value:
                return True
    return False


def value_of(weights: NDArray, order: NDArray) -> int:
    """Σ w[a, b] over all pairs with a above b."""
    return int(np.triu(weights[np.ix_(order, order)]).sum())


@lru_cache(maxsize=64)
def _pairs_and_triangles(size: int) -> tuple[tuple[NDArray, NDArray], NDArray]:
    """All pairs a < b, and the three pairs (by number) of each triangle a < b < c."""
    first, second = np.triu_indices(size, 1)
    number = np.zeros((size, size), np.int64)
    number[first, second] = np.arange(len(first))
    a, b, c = np.indices((size,) * 3, dtype=np.int16).reshape(3, -1)
    a, b, c = np.stack([a, b, c])[:, (a < b) & (b < c)]
    return (first, second), np.stack([number[a, b], number[b, c], number[a, c]], 1)


def _rows(triangles: NDArray, pairs: int) -> csr_array:
    count = len(triangles)
    values = np.tile([1.0, 1.0, -1.0], count)
    return csr_array(
        (values, (np.repeat(np.arange(count), 3), triangles.ravel())), shape=(count, pairs)
    )


def _violated(x: NDArray, triangles: NDArray) -> NDArray:
    sums = x[triangles[:, 0]] + x[triangles[:, 1]] - x[triangles[:, 2]]
    return (sums > 1 + _CLOSE) | (sums < -_CLOSE)


def _relax(weights: NDArray) -> tuple[NDArray, NDArray, float, NDArray]:
    """The linear relaxation: x as a matrix, prices, the bound, and which triangles it needed."""
    size = len(weights)
    pairs, triangles = _pairs_and_triangles(size)
    gain = weights[pairs].astype(float)
    x = (gain > 0).astype(float)
    reduced = 2 * np.abs(gain)
    active = np.zeros(len(triangles), bool)
    while (violated := _violated(x, triangles)).any():
        active |= violated
        rows = _rows(triangles[active], len(gain))
        count = int(active.sum())
        solution = linprog(
            -2 * gain,
            A_ub=vstack([rows, -rows]),
            b_ub=np.concatenate([np.ones(count), np.zeros(count)]),
            bounds=(0, 1),
            method="highs-ds",
        )
        if solution.x is None:
            raise ElectError(f"The linear program of a ranking failed: {solution.message}")
        x = solution.x
        reduced = np.abs(solution.lower.marginals + solution.upper.marginals)
    price = np.zeros((size, size))
    price[pairs] = np.where(x < _CLOSE, reduced, 0)
    price.T[pairs] = np.where(x > 1 - _CLOSE, reduced, 0)
    return _matrix(x, size), price, float(2 * gain @ x - gain.sum()), active


def _matrix(x: NDArray, size: int) -> NDArray:
    pairs, _ = _pairs_and_triangles(size)
    matrix = np.zeros((size, size))
    matrix[pairs] = x
    matrix.T[pairs] = 1 - x
    return matrix


def _attainable(weights: NDArray, bound: float) -> int:
    """The largest value an order may have up to the bound: values move in steps of 2 gcd(w)."""
    step = 2 * int(np.gcd.reduce(weights, axis=None))
    if step == 0:
        return 0
    start = int(np.triu(weights).sum())
    # A hundredth of a step is far more than the solver's error and far less than a mistake.
    return start + step * int(np.floor((bound - start) / step + 0.01))


def _improve(weights: NDArray, order: NDArray) -> NDArray:
    """Move single candidates to better places until no move helps."""
    position = 0
    while position < len(order):
        candidate = order[position]
        rest = np.delete(order, position)
        # gains[k]: the candidate's own part of the value when k of the rest stand above it.
        passed = np.concatenate([[0], np.cumsum(weights[candidate, rest])])
        gains = passed[-1] - 2 * passed
        place = int(gains.argmax())
        if gains[place] > gains[position]:
            order = np.insert(rest, place, candidate)
            position = 0
        else:
            position += 1
    return order


def _branch(weights: NDArray, active: NDArray) -> NDArray:
    """The integer program itself, from the triangles that the relaxation needed."""
    pairs, triangles = _pairs_and_triangles(len(weights))
    gain = weights[pairs].astype(float)
    while True:
        solution = milp(
            -2 * gain,
            constraints=LinearConstraint(_rows(triangles[active], len(gain)), 0, 1),
            bounds=Bounds(0, 1),
            integrality=np.ones(len(gain)),
            options={"mip_rel_gap": 0},
        )
        if solution.x is None:
            raise ElectError(f"The integer program of a ranking failed: {solution.message}")
        x = np.round(solution.x)
        violated = _violated(x, triangles)
        if not violated.any():
            return np.argsort(-_matrix(x, len(weights)).sum(1), kind="stable")
        active = active | violated
