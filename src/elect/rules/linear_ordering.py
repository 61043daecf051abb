"""The linear ordering problem: the order of largest value Σ w[a, b] over all pairs with a above b.

Of each pair a < b one stands above the other: x[a, b] is 1 if a does, 0 if b does. A choice for all
pairs is an order just if no three go round in a circle: for a < b < c,

    0 ≤ x[a, b] + x[b, c] - x[a, c] ≤ 1.

1. *Relaxation.* We start from the majorities, add the triangles that the solution violates, and
   solve the linear program again. The solver (HiGHS) works with floats. Its prices of the
   triangles, rounded to fractions, give a bound on the value of every order that is computed in
   whole numbers and so is certain, whatever the solver's errors.
2. *An order* from the relaxed solution, improved by moving single candidates.
3. *Fixed pairs.* An order that turns a pair round loses at least the pair's price against the
   bound. Where that puts it below the order found, the pair is fixed.
4. *Sets from the bottom up.* Dynamic programming over the sets of candidates that can stand below
   all others, given the fixed pairs, finds the best orders that are left. Most pairs are fixed, so
   there are few such sets.
5. *Branching* in HiGHS, only where there are too many sets and the weights are small enough for
   floats to be safe.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from elect.deadlines import Clock, OutOfTime, TooLarge
from elect.kernels import NDArray
from elect.rules.linear_ordering_kernels import (
    TooManySets,
    best_above_sets,
    find_circles,
    improve,
)

# SciPy takes a while to load and few elections need it, so it is loaded where it is used.
if TYPE_CHECKING:
    from scipy.sparse import csr_array

# Prices are rounded to fractions of this denominator, which has as factors those that occur.
PARTS = 5040

# Beyond this many candidates the linear program takes gigabytes and hours.
MOST_CANDIDATES = 400

# Up to this sum of weights, in units of their common divisor, HiGHS's integer optimum is exact.
SAFE_FOR_FLOATS = 10**6

_CLOSE = 1e-6


@dataclass(frozen=True)
class Relaxation:
    """What the linear program says.

    Attributes:
        order: an order of candidates, best first, near its solution.
        bound: no order has a larger value.
        price: an order with a above b has at most the value ``bound - price[a, b]``.
        triangles: those that the program needed, as rows a < b < c.
    """

    order: NDArray
    bound: int
    price: NDArray
    triangles: NDArray


@dataclass(frozen=True)
class Optimum:
    """The orders of largest value.

    Attributes:
        order: one of them, best first.
        value: their value.
        heads: which candidates head one of them.
        unique: whether there is only one.
    """

    order: NDArray
    value: int
    heads: NDArray
    unique: bool


def best_orders(weights: NDArray, clock: Clock) -> Optimum:
    """All that matters about the orders of largest value."""
    relaxed = relax(weights, clock)
    # All optimal orders agree on the pairs that any order of this value agrees on.
    least = value_of(weights, relaxed.order)
    try:
        return _among(weights, fixed_pairs(relaxed, least), clock)
    except TooManySets:
        return _one_by_one(weights, relaxed, clock)


def best_value(weights: NDArray, clock: Clock) -> int:
    """The largest value of an order."""
    relaxed = relax(weights, clock)
    return value_of(weights, _best_order(weights, relaxed, clock))


def good_order(weights: NDArray) -> NDArray:
    """An order that no move of a single candidate improves, found at once."""
    order = np.argsort(-weights.sum(1), kind="stable")
    improve(weights, order)
    return order


def value_of(weights: NDArray, order: NDArray) -> int:
    """Σ w[a, b] over all pairs with a above b."""
    return int(np.triu(weights[np.ix_(order, order)], 1).sum())


# ---------------------------------------------------------------------- the relaxation


def relax(weights: NDArray, clock: Clock) -> Relaxation:
    """The linear relaxation, and an order that it suggests."""
    from scipy.optimize import linprog
    from scipy.sparse import vstack

    size = len(weights)
    if size > MOST_CANDIDATES:
        raise TooLarge
    first, second = np.triu_indices(size, 1)
    number = np.zeros((size, size), np.int64)
    number[first, second] = np.arange(len(first))
    gain = weights[first, second]
    scale = max(1, int(np.abs(gain).max(initial=0)))
    x = (gain > 0).astype(float)
    prices = np.zeros(0)
    triangles = np.zeros((0, 3), np.int64)
    while len(found := find_circles(_matrix(x, size), _CLOSE)):
        triangles = np.concatenate([triangles, found])
        rows = _rows(triangles, number, len(gain))
        solution = linprog(
            -2 * (gain / scale),
            A_ub=vstack([rows, -rows]),
            b_ub=np.concatenate([np.ones(len(triangles)), np.zeros(len(triangles))]),
            bounds=(0, 1),
            method="highs-ds",
            options=clock.solver_options(),
        )
        if solution.status != 0:
            raise OutOfTime
        x = solution.x
        upper, lower = np.split(-solution.ineqlin.marginals, 2)
        prices = np.clip(upper - lower, -4, 4)
    rows = _rows(triangles, number, len(gain)).astype(np.int64)
    # As fine as 64 bits allow for the sum of the prices of all triangles of a pair.
    parts = min(PARTS, 2**61 // (4 * scale * size))
    bound, price = _certain_bound(gain, np.rint(prices * scale * parts), rows, parts)
    matrix = np.zeros((size, size), np.int64)
    matrix[first, second], matrix[second, first] = price
    order = np.argsort(-_matrix(x, size).sum(1), kind="stable")
    improve(weights, order)
    return Relaxation(order, _attainable(weights, bound), matrix, triangles)


def _certain_bound(
    gain: NDArray, prices: NDArray, rows: "csr_array", parts: int
) -> tuple[int, NDArray]:
    """A bound on the value of every order, and what choosing 1 or 0 for a pair takes off it.

    With s the sum of a triangle, which is between 0 and 1, and any price p = p⁺ - p⁻ for each,
    Σ gain (2x - 1) is at most Σ gain (2x - 1) + Σ p⁺ (1 - s) + Σ p⁻ s. That is a constant plus
    Σ r x with r = 2 gain - rows' p, and largest where x is 1 just for positive r. Prices are given
    in parts, so that all of this is whole numbers.
    """
    whole = prices.astype(np.int64)
    reduced = 2 * parts * gain - rows.T @ whole
    # Python adds up what 64 bits might not hold.
    bound = sum(np.maximum(reduced, 0).tolist()) + sum(np.maximum(whole, 0).tolist())
    bound -= parts * int(gain.sum())
    # Rounded down: an order loses at least this.
    price = np.stack([np.maximum(-reduced, 0), np.maximum(reduced, 0)]) // parts
    return bound // parts, price


def _attainable(weights: NDArray, bound: int) -> int:
    """The largest value an order may have up to the bound: values move in steps of 2 gcd(w)."""
    step = 2 * int(np.gcd.reduce(weights, axis=None))
    start = int(np.triu(weights, 1).sum())
    return start + (bound - start) // step * step if step else 0


def _rows(triangles: NDArray, number: NDArray, pairs: int) -> "csr_array":
    from scipy.sparse import csr_array

    a, b, c = triangles.T
    columns = np.stack([number[a, b], number[b, c], number[a, c]], 1)
    count = len(triangles)
    values = np.tile([1.0, 1.0, -1.0], count)
    return csr_array(
        (values, (np.repeat(np.arange(count), 3), columns.ravel())), shape=(count, pairs)
    )


def _matrix(x: NDArray, size: int) -> NDArray:
    first, second = np.triu_indices(size, 1)
    matrix = np.zeros((size, size))
    matrix[first, second], matrix[second, first] = x, 1 - x
    return matrix


# ---------------------------------------------------------------------- exact orders


def fixed_pairs(relaxed: Relaxation, value: int) -> NDArray:
    """fixed[a, b]: in every order of at least this value a stands above b."""
    spare = relaxed.bound - value
    fixed: NDArray = spare < relaxed.price.T
    return fixed


def _among(weights: NDArray, fixed: NDArray, clock: Clock) -> Optimum:
    """The best of all orders that agree with the fixed pairs."""
    order, value, unique = [], 0, True
    heads = np.zeros(len(weights), bool)
    blocks = _blocks(fixed)
    for i, block in enumerate(blocks):
        part, fixed_part = weights[np.ix_(block, block)], fixed[np.ix_(block, block)]
        found, tops, only = best_above_sets(part, fixed_part, clock.left)
        order += block[found].tolist()
        unique &= only
        if i == 0:
            heads[block] = tops
    value = value_of(weights, np.array(order))
    return Optimum(np.array(order), value, heads, unique)


def _blocks(fixed: NDArray) -> list[NDArray]:
    """Sets of candidates that are ranked one after the other in every order left."""
    closed = fixed.copy()
    for k in range(len(closed)):
        closed |= closed[:, k : k + 1] & closed[k]
    ranked = np.argsort(closed.sum(0), kind="stable")
    above = closed[np.ix_(ranked, ranked)]
    ends = [k for k in range(1, len(ranked)) if above[:k, k:].all()]
    return np.split(ranked, ends)


def _best_order(weights: NDArray, relaxed: Relaxation, clock: Clock) -> NDArray:
    least = value_of(weights, relaxed.order)
    if least == relaxed.bound:
        return relaxed.order
    try:
        return _among(weights, fixed_pairs(relaxed, least), clock).order
    except TooManySets:
        return _branch(weights, relaxed, clock)


def _one_by_one(weights: NDArray, relaxed: Relaxation, clock: Clock) -> Optimum:
    """The same answers from one program for each candidate and neighbour that need one."""
    order = _best_order(weights, relaxed, clock)
    best = value_of(weights, order)
    everyone = np.arange(len(weights))
    heads: NDArray = everyone == order[0]
    for c in everyone[~heads]:
        # To head an order is to stand above each of the others.
        if int(relaxed.price[c].sum()) <= relaxed.bound - best:
            rest = everyone[everyone != c]
            value = best_value(weights[np.ix_(rest, rest)], clock)
            heads[c] = int(weights[c].sum()) + value == best
    unique = not _has_other(weights, order, relaxed, clock)
    return Optimum(order, best, heads, unique)


def _has_other(weights: NDArray, order: NDArray, relaxed: Relaxation, clock: Clock) -> bool:
    """Whether several orders are optimal: another one turns round some neighbours of the first."""
    best = value_of(weights, order)
    neighbours = list(pairwise(order))
    if any(weights[a, b] == 0 for a, b in neighbours):
        return True
    for a, b in neighbours:
        if relaxed.price[b, a] <= relaxed.bound - best:
            turned = weights.copy()
            turned[b, a] = np.abs(weights).sum()
            turned[a, b] = -turned[b, a]
            found = _best_order(turned, relax(turned, clock), clock)
            if value_of(weights, found) == best:
                return True
    return False


def _branch(weights: NDArray, relaxed: Relaxation, clock: Clock) -> NDArray:
    """The integer program itself, from the triangles that the relaxation needed."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    divisor = int(np.gcd.reduce(weights, axis=None))
    if int(np.abs(weights).sum()) // divisor > SAFE_FOR_FLOATS:
        # Floats could not tell the best order from the next.
        raise OutOfTime
    size = len(weights)
    first, second = np.triu_indices(size, 1)
    number = np.zeros((size, size), np.int64)
    number[first, second] = np.arange(len(first))
    gain = (weights[first, second] // divisor).astype(float)
    triangles = relaxed.triangles
    while True:
        solution = milp(
            -2 * gain,
            constraints=LinearConstraint(_rows(triangles, number, len(gain)), 0, 1),
            bounds=Bounds(0, 1),
            integrality=np.ones(len(gain)),
            options={"mip_rel_gap": 0, **clock.solver_options()},
        )
        if solution.status != 0:
            raise OutOfTime
        matrix = _matrix(np.round(solution.x), size)
        found = find_circles(matrix, _CLOSE)
        if not len(found):
            return np.argsort(-matrix.sum(1), kind="stable")
        triangles = np.concatenate([triangles, found])
