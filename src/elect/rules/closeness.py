"""Dodgson and Young: how much must change before a candidate beats everyone?

Both are small integer programs, one for each candidate, in which ballots that look alike to the
candidate are one variable: a million voters cost no more than their distinct ballots. Where a
bound is met at once the program is not needed, and to know the winners alone, not for those whose
bound already loses.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
import torch
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from scipy.sparse import coo_array, csr_array, vstack

from elect.elections import Profiles, Scores, Winners
from elect.errors import ElectError
from elect.kernels import NDArray
from elect.rules.scoring import masked, require_complete


def dodgson(profiles: Profiles) -> Scores:
    """**Minus the swaps of neighbours on ballots that would make the candidate a Condorcet
    winner**, that is, beat everyone else by a strict majority.

    Truncated and tied ballots have no accepted number of swaps and are refused.

    >>> dodgson(Profiles.from_rankings([[0, 1, 2], [1, 2, 0], [2, 0, 1]], weights=[4, 3, 2]))
    tensor([[-1., -2., -3.]], dtype=torch.float64)
    """
    require_complete(profiles, "dodgson")
    return _scores(_dodgson_bounds, _dodgson_score, profiles, everyone=True)


def dodgson_winners(profiles: Profiles) -> Winners:
    """Dodgson's winners alone: candidates whose bound already loses are not looked at."""
    require_complete(profiles, "dodgson")
    return _best(_scores(_dodgson_bounds, _dodgson_score, profiles, everyone=False))


def young(profiles: Profiles) -> Scores:
    """**The most voters that can be kept such that the candidate loses to nobody among them** (it
    is a weak Condorcet winner of what is left).

    Truncated and tied ballots are taken as they are: what counts of a ballot is whom it ranks
    above the candidate and whom below.

    >>> young(Profiles.from_rankings([[0, 1, 2], [1, 2, 0], [2, 0, 1]], weights=[4, 3, 2]))
    tensor([[8., 6., 4.]], dtype=torch.float64)
    """
    return _scores(_young_bounds, _young_score, profiles, everyone=True)


def young_winners(profiles: Profiles) -> Winners:
    """Young's winners alone: candidates whose bound already loses are not looked at."""
    return _best(_scores(_young_bounds, _young_score, profiles, everyone=False))


def _scores(
    bounds: Callable[[Profiles], tuple[NDArray, NDArray]],
    score: Callable[..., int],
    profiles: Profiles,
    everyone: bool,
) -> Scores:
    """The bounds where they are met, and exact scores for the others that matter."""
    values, met = bounds(profiles)
    ranks, weights, sizes = profiles.arrays
    margins = profiles.margins.cpu().numpy()
    for b in range(len(profiles)):
        m = int(sizes[b])
        exact = partial(score, ranks[b, :m], weights[b], margins[b, :m, :m])
        best = values[b, :m][met[b, :m]].max(initial=np.iinfo(np.int64).min)
        for c in np.argsort(-values[b, :m], kind="stable"):
            if not met[b, c] and (everyone or values[b, c] >= best):
                values[b, c] = exact(int(c))
                best = max(best, values[b, c])
    return masked(torch.from_numpy(values).to(profiles.ranks.device), profiles)


def _best(scores: Scores) -> Winners:
    return scores == scores.amax(1, keepdim=True)


# ---------------------------------------------------------------------- Dodgson


def _lacks(margins: NDArray) -> NDArray:
    """lacks[c, y] = how many more voters must rank c above y before c beats y."""
    lacks: NDArray = np.maximum(0, -margins // 2 + 1)
    size = margins.shape[-1]
    lacks[..., np.arange(size), np.arange(size)] = 0
    return lacks


def _dodgson_bounds(profiles: Profiles) -> tuple[NDArray, NDArray]:
    """A swap passes one candidate, so at least Σ lacks are needed; they are enough if for each y
    so many voters have c directly below y."""
    ranks, weights, _ = profiles.arrays
    lacks = _lacks(profiles.margins.cpu().numpy())
    lacks *= (profiles.mask[:, :, None] & profiles.mask[:, None]).cpu().numpy()
    below = np.zeros_like(lacks)
    for c in range(ranks.shape[1]):
        below[:, c] = ((ranks == ranks[:, c : c + 1] - 1) * weights[:, None]).sum(2)
    met: NDArray = np.all(below >= lacks, axis=2)
    return -lacks.sum(2), met


def _dodgson_score(ranks: NDArray, weights: NDArray, margins: NDArray, c: int) -> int:
    lacks = _lacks(margins)[c]
    needed = np.flatnonzero(lacks)
    # What a ballot offers is how far above c each needed candidate stands, if it stands above.
    distance = np.maximum(0, ranks[c] - ranks[needed])
    kinds, counts = _alike(distance, weights)
    # One variable for each kind of ballot and each needed candidate on it that c rises past.
    top, kind = np.nonzero(kinds)
    passed = (kinds[:, kind] > 0) & (kinds[:, kind] <= kinds[top, kind])
    once = coo_array(
        (-np.ones(len(kind)), (kind, np.arange(len(kind)))), (kinds.shape[1], len(kind))
    )
    rows = vstack([coo_array(passed.astype(float)), once]).tocsr()
    at_least = np.concatenate([lacks[needed], -counts])
    return -_solve(kinds[top, kind].astype(float), rows, at_least, counts[kind])


# ---------------------------------------------------------------------- Young


def _young_bounds(profiles: Profiles) -> tuple[NDArray, NDArray]:
    """To lose a defeat of margin t, t voters must go; who is not defeated keeps everyone."""
    size = profiles.ranks.shape[2]
    real = profiles.mask[:, None].expand(-1, size, -1)
    defeat = torch.where(real, -profiles.margins, 0).amax(2).clamp(min=0)
    kept = profiles.num_voters[:, None] - defeat
    return kept.cpu().numpy(), (defeat == 0).cpu().numpy()


def _young_score(ranks: NDArray, weights: NDArray, margins: NDArray, c: int) -> int:
    others = np.delete(ranks, c, axis=0)
    kinds, counts = _alike(np.sign(others - ranks[c].astype(np.int32)), weights)
    rows = csr_array(kinds.astype(float))
    return -_solve(-np.ones(len(counts)), rows, np.zeros(len(kinds)), counts)


# ---------------------------------------------------------------------- both


def _alike(columns: NDArray, weights: NDArray) -> tuple[NDArray, NDArray]:
    """The distinct columns, and how many voters have each."""
    kinds, which = np.unique(columns[:, weights > 0], axis=1, return_inverse=True)
    return kinds, np.bincount(which.ravel(), weights=weights[weights > 0])


def _solve(cost: NDArray, rows: csr_array, at_least: NDArray, most: NDArray) -> int:
    """The least cost · x of whole numbers x from 0 to `most` with rows · x ≥ at_least.

    The relaxation's solution is nearly always whole (interior points end in such corners more
    often than the simplex method), or can be rounded without exceeding its bound. To branch takes
    a hundred times longer and is for what is left.
    """
    relaxed = linprog(
        cost, A_ub=-rows, b_ub=-at_least, bounds=np.stack([0 * most, most], 1), method="highs-ipm"
    )
    if relaxed.x is None:
        raise ElectError(f"The linear program of this rule failed: {relaxed.message}")
    x = relaxed.x
    if np.abs(x - np.round(x)).max() < 1e-6:
        return round(float(cost @ np.round(x)))
    nearby = Bounds(np.floor(x), np.where(x > 0, np.minimum(most, np.ceil(x) + 1), 0))
    for bounds in (nearby, Bounds(0, most)):
        solution = milp(
            cost,
            constraints=LinearConstraint(rows, lb=at_least),
            bounds=bounds,
            integrality=np.ones(len(cost)),
            options={"mip_rel_gap": 0},
        )
        if solution.x is not None and round(solution.fun) <= np.ceil(relaxed.fun - 1e-6):
            break
    return round(float(solution.fun))
