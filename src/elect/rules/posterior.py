"""The best that can be known from rankings: the utilities that may lie behind them."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

import numpy as np
import torch
from scipy.special import gammainc, gammaincc

from elect.cultures import Culture, Dirichlet, Seed
from elect.elections import Profiles, Scores
from elect.errors import ElectError
from elect.kernels import NDArray
from elect.rules import posterior_kernels as kernels
from elect.rules.optimal import Rule
from elect.rules.scoring import masked, require_complete
from elect.welfare import Welfare, builtin, checked

T = TypeVar("T")
CODES = {
    "utilitarian": kernels.UTILITARIAN,
    "egalitarian": kernels.EGALITARIAN,
    "rawlsian": kernels.RAWLSIAN,
    "nash": kernels.NASH,
}


def posterior_rule(
    culture: Culture,
    welfare: Welfare,
    samples: int = 1000,
    by: str = "welfare",
    seed: Seed = 0,
) -> Rule:
    """**What a candidate's welfare would be on average over all utilities that the voters may
    have, given their rankings** and the Dirichlet culture they come from.

    With ``by="share"``, how often the candidate would be optimal: the rule that most often elects
    the optimum. Truncated and tied ballots are refused.

    Args:
        culture: a Dirichlet culture.
        welfare: what to judge by.
        samples: how many draws of utilities an election is judged on.
        by: expected ``welfare``, or the ``share`` of draws in which the candidate is optimal.
        seed: the same seed gives the same scores, whatever the number of threads.
    """
    require_dirichlet(culture)
    if samples < 1:
        raise ElectError(f"Draw at least one sample, not {samples}.")
    if by not in ("welfare", "share"):
        raise ElectError(f"Score by 'welfare' or by 'share', not by '{by}'.")
    reduce = _mean if by == "welfare" else _share

    def posterior(profiles: Profiles) -> Scores:
        require_complete(profiles, "posterior")
        rows = over_posterior(culture, welfare, profiles, samples, seed, reduce)
        scores = np.zeros((len(profiles), profiles.ranks.shape[2]))
        for row, values in zip(scores, rows, strict=True):
            row[: len(values)] = values
        return masked(torch.from_numpy(scores), profiles)

    return posterior


def require_dirichlet(culture: Culture) -> Dirichlet:
    """The culture, if its utilities can be drawn given the rankings."""
    if isinstance(culture, Dirichlet):
        return culture
    raise ElectError(
        "Only Dirichlet cultures have a known posterior and ceiling: uniform, polarized, "
        "indecisive, landslide, skewed, or dirichlet with alphas of your own."
    )


def over_posterior(
    culture: Culture,
    welfare: Welfare,
    profiles: Profiles,
    samples: int,
    seed: Seed,
    reduce: Callable[[NDArray], T],
) -> list[T]:
    """For each election, ``reduce(scores)`` of the welfare ``[sample, candidate]`` of draws."""
    dirichlet = require_dirichlet(culture)
    ranks, weights, sizes = profiles.arrays
    dirichlet.check_candidates(sizes)

    def work(job: tuple[int, np.random.Generator]) -> T:
        b, rng = job
        ballots = ranks[b, : sizes[b]]
        # A ballot of weight w is w voters, who share a ranking and nothing else.
        rankings = np.repeat(np.argsort(ballots, axis=0), weights[b], axis=1).T
        return reduce(_draw(dirichlet, welfare, np.ascontiguousarray(rankings), samples, rng))

    jobs = enumerate(np.random.default_rng(seed).spawn(len(profiles)))
    with ThreadPoolExecutor(torch.get_num_threads()) as pool:
        return list(pool.map(work, jobs))


def _draw(
    culture: Dirichlet,
    welfare: Welfare,
    rankings: NDArray,
    samples: int,
    rng: np.random.Generator,
) -> NDArray:
    own = builtin(welfare)
    name, settings = own or ("", {})
    n, m = rankings.shape
    utilities = np.zeros((1 if own else samples, n, m))
    scores = np.zeros((samples, m))
    rest = (
        rankings,
        CODES.get(name, kernels.NONE),
        float(settings.get("lam", 0.5)),
        utilities,
        scores,
    )
    if culture.symmetric:
        kernels.sample_symmetric(rng, float(culture.values[0]), *rest)
    else:
        kernels.sample_chain(rng, *_chain(culture, m), *rest)
    if own:
        return scores
    result: NDArray = checked(welfare(torch.from_numpy(utilities)), scores.shape).numpy()
    return result


def _mean(scores: NDArray) -> NDArray:
    mean: NDArray = scores.mean(0)
    return mean


def _share(scores: NDArray) -> NDArray:
    best = scores == scores.max(1, keepdims=True)
    share: NDArray = (best / best.sum(1, keepdims=True)).mean(0)
    return share


@cache
def _chain(culture: Dirichlet, m: int) -> tuple[int, NDArray, NDArray, NDArray]:
    """How the alphas are known, the alphas, a grid, and each gamma's share of every cell.

    Grid points cut the gammas, mixed in equal parts, into like shares, with ever smaller ones
    in the tails. Straight lines between them then put expected utilities wrong by some (m /
    cells)² / 3, which eight cells a candidate make half a percent.
    """
    values = np.array(culture.values, np.float64)
    mode = kernels.FIXED if culture.favourite is None else kernels.FAVOURITE
    mode = kernels.DRAWN if culture.draw else mode
    cells = max(64, 8 * m)
    tail, bulk = np.geomspace(1e-9, 1 / cells, 24), np.arange(2, cells // 2) / cells
    x = np.geomspace(1e-30, values.max() + 60 + 12 * np.sqrt(values.max()), 20001)
    below = gammainc(values[:, None], x).mean(0)
    above = gammaincc(values[:, None], x).mean(0)
    lower = np.interp([*tail, *bulk, 1 / 2], below, x)
    upper = np.interp([*bulk[::-1], *tail[::-1]], above[::-1], x[::-1])
    grid = np.concatenate([[0.0], lower, upper, [x[-1]]])
    # Half a step goes with either end of a cell.
    return mode, values, grid, np.diff(gammainc(values[:, None], grid), axis=1) / 2
