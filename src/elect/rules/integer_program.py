"""Small integer programs whose numbers may be large.

The least Σ cost · x of whole numbers x from 0 to `most` with rows · x ≥ `at_least`. HiGHS works
with floats, and elections have up to 10¹² voters, so its answers are checked:

1. The linear relaxation is solved in units that suit floats. Its prices, rounded to fractions,
   give a bound that is computed in whole numbers and so is certain.
2. Near the relaxed solution x₀, whole numbers x₀ + y are sought with y small, where floats are
   safe. What is found is checked in whole numbers. Where it meets the bound, it is the least.
3. Where it does not, y may be anything, and HiGHS branches until it is sure. That the solution is
   feasible is checked in whole numbers; that it is the least rests on HiGHS.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from elect.deadlines import Clock, OutOfTime
from elect.kernels import NDArray

# SciPy takes a while to load and few elections need it, so it is loaded where it is used.
if TYPE_CHECKING:
    from scipy.sparse import csr_array

# Prices are rounded to fractions of this denominator, which has as factors those that occur.
PARTS = 5040

# How far from the relaxed solution to look for a whole one.
REACHES = (2, 20)


@dataclass(frozen=True)
class Program:
    """Least Σ cost · x of whole numbers x from 0 to `most` with rows · x ≥ `at_least`.

    Attributes:
        cost: of one unit of each variable.
        rows: the constraints, of small whole numbers.
        at_least: what each must reach.
        most: the largest value of each variable.
    """

    cost: NDArray
    rows: "csr_array"
    at_least: NDArray
    most: NDArray

    def value(self, x: NDArray) -> int | None:
        """The cost of these whole numbers, or None if they break a constraint."""
        fine = (self.rows @ x >= self.at_least).all() and (x >= 0).all() and (x <= self.most).all()
        return int(self.cost @ x) if fine else None


def relax(program: Program, clock: Clock) -> tuple[NDArray, NDArray]:
    """A solution of the linear relaxation, and prices of the constraints in parts."""
    from scipy.optimize import linprog

    largest = max(program.at_least.max(initial=0), program.most.max(initial=0))
    unit = max(1.0, float(largest) / 1e4)
    # Interior points end in whole corners more often than the simplex method.
    relaxed = linprog(
        program.cost.astype(float),
        A_ub=-program.rows.astype(float),
        b_ub=-program.at_least / unit,
        bounds=np.stack([0 * program.most, program.most / unit], 1),
        method="highs-ipm",
        options=clock.solver_options(),
    )
    if relaxed.status != 0:
        raise OutOfTime
    prices = np.rint(np.maximum(-relaxed.ineqlin.marginals, 0) * PARTS).astype(np.int64)
    return relaxed.x * unit, prices


def certain_bound(program: Program, prices: NDArray) -> int:
    """What no solution is below: cost · x ≥ prices · at_least + (cost - prices · rows) · x for any
    prices, and of the last term each part is at least 0 or what it is for the largest x."""
    reduced = np.minimum(PARTS * program.cost - program.rows.T @ prices, 0)
    terms = (prices, program.at_least), (reduced, program.most)
    # Python's whole numbers hold these sums, 64 bits might not.
    bound = sum(
        a * b for one, other in terms for a, b in zip(one.tolist(), other.tolist(), strict=True)
    )
    return -int(-bound // PARTS)


def least_cost(program: Program, clock: Clock, odd: NDArray | None = None) -> int:
    """The least cost.

    Args:
        program: what to solve.
        clock: how much time there is.
        odd: what each constraint must reach where the cost is odd, if that is more.
    """
    x, prices = relax(program, clock)
    bound = certain_bound(program, prices)
    if odd is not None and bound % 2:
        bound = min(bound + 1, certain_bound(replace(program, at_least=odd), prices))
    start = np.clip(np.floor(x + 1e-6).astype(np.int64), 0, program.most)
    best: int | None = None
    for reach in (*REACHES, None):
        low, high = -start, program.most - start
        if reach is not None:
            low, high = np.maximum(low, -reach), np.minimum(high, reach)
        found, proved = _near(program, start, low, high, clock)
        best = found if best is None else min(best, best if found is None else found)
        if best is not None and (best == bound or (reach is None and proved)):
            return best
    raise OutOfTime


def _near(
    program: Program, start: NDArray, low: NDArray, high: NDArray, clock: Clock
) -> tuple[int | None, bool]:
    """The least cost of start + y with y between low and high, and whether that is sure."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    solution = milp(
        program.cost.astype(float),
        constraints=LinearConstraint(
            program.rows.astype(float), lb=(program.at_least - program.rows @ start).astype(float)
        ),
        bounds=Bounds(low.astype(float), high.astype(float)),
        integrality=np.ones(len(start)),
        options={"mip_rel_gap": 0, **clock.solver_options()},
    )
    if solution.x is None:
        clock.left()
        return None, False
    value = program.value(start + np.rint(solution.x).astype(np.int64))
    return value, solution.status == 0
