"""The posterior of utilities given rankings, and the best possible rule that follows."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

import numpy as np
import torch

from elect.cultures import CULTURES, Culture, Dirichlet, Seed, posterior_of
from elect.cultures import culture as make_culture
from elect.elections import Profiles, Scores
from elect.errors import ElectError
from elect.kernels import NDArray
from elect.limits import at_most
from elect.rules import posterior_kernels as kernels
from elect.rules.exact_scores import masked
from elect.rules.optimal import Rule
from elect.rules.scoring import require_complete
from elect.welfares import WelfareFunction, builtin, checked
from elect.welfares import welfare as make_welfare

S = TypeVar("S")
T = TypeVar("T")
# Elections per kernel call and random generator; changing this changes the draws.
SLICE = 64


def posterior_rule(
    culture: str | Culture,
    welfare: str | WelfareFunction,
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
        welfare: a name or a function.
        samples: how many draws of utilities for each election.
        by: expected ``welfare``, or the ``share`` of draws in which the candidate is optimal.
        seed: the same seed gives the same scores, whatever the number of threads.
    """
    source, goal = require_dirichlet(make_culture(culture)), make_welfare(welfare)
    _require_samples(samples)
    if by not in ("welfare", "share"):
        raise ElectError(f"Score by 'welfare' or by 'share', not by '{by}'.")
    reduce = _mean if by == "welfare" else _share

    def posterior(profiles: Profiles) -> Scores:
        require_complete(profiles, "posterior")
        rows = over_posterior(source, goal, profiles, samples, seed, reduce)
        return _padded(rows, profiles)

    return posterior


def posterior_shares(
    culture: Culture,
    welfares: Sequence[WelfareFunction],
    profiles: Profiles,
    samples: int,
    seed: Seed,
) -> list[Scores]:
    """For each welfare, how often each candidate would be optimal, all by the same draws."""
    require_complete(profiles, "posterior")
    if require_dirichlet(culture).symmetric and _codes(welfares)[0].all():
        return _shares(require_dirichlet(culture), welfares, profiles, samples, seed)
    found = over_posteriors(
        culture, welfares, profiles, samples, seed, lambda scores: [_share(one) for one in scores]
    )
    return [_padded(rows, profiles) for rows in zip(*found, strict=True)]


def _shares(
    culture: Dirichlet,
    welfares: Sequence[WelfareFunction],
    profiles: Profiles,
    samples: int,
    seed: Seed,
) -> list[Scores]:
    """Label each slice of the batch in one kernel call with the GIL released, so that training
    continues meanwhile."""
    _require_samples(samples)
    _check_voters(profiles)
    ranks, weights, sizes = profiles.arrays
    culture.check_candidates(sizes)
    codes, lams = _codes(welfares)
    alpha = float(culture.values[0])
    shares = np.zeros((len(ranks), len(welfares), ranks.shape[1]))
    edges = range(0, len(ranks), SLICE)

    def work(job: tuple[int, np.random.Generator]) -> None:
        (b, rng), e = job, job[0] + SLICE
        some = ranks[b:e], weights[b:e], sizes[b:e], codes, lams, samples, shares[b:e]
        kernels.share_symmetric(rng, alpha, *some)

    jobs = zip(edges, np.random.default_rng(seed).spawn(len(edges)), strict=True)
    _each(work, jobs)
    return [masked(torch.from_numpy(shares[:, k]), profiles) for k in range(len(welfares))]


def require_dirichlet(culture: Culture) -> Dirichlet:
    """The culture, if its utilities can be drawn given the rankings."""
    found = posterior_of(culture)
    if found is not None:
        return found
    names = ", ".join(record.name for record in CULTURES.values() if record.posterior)
    raise ElectError(
        f"Only Dirichlet cultures have a known posterior and ceiling; choose one of {names}."
    )


def _check_voters(profiles: Profiles) -> None:
    """Refuse more voters than can each be given utilities of their own."""
    voters = int(profiles.num_voters.max()) if len(profiles) else 0
    numbers = voters * profiles.ranks.shape[2]
    what = f"Utilities of {voters:,} voters are {numbers:,} numbers"
    at_most(numbers, "entries", what, "divide all weights by the same number")


def _require_samples(samples: int) -> None:
    if samples < 1:
        raise ElectError(f"Draw at least one sample, not {samples}.")


def over_posterior(
    culture: Culture,
    welfare: WelfareFunction,
    profiles: Profiles,
    samples: int,
    seed: Seed,
    reduce: Callable[[NDArray], T],
) -> list[T]:
    """For each election, ``reduce(scores)`` of the welfare ``[sample, candidate]`` of draws."""
    return over_posteriors(
        culture, [welfare], profiles, samples, seed, lambda scores: reduce(scores[0])
    )


def over_posteriors(
    culture: Culture,
    welfares: Sequence[WelfareFunction],
    profiles: Profiles,
    samples: int,
    seed: Seed,
    reduce: Callable[[NDArray], T],
) -> list[T]:
    """The same for several welfares of the same draws, ``[welfare, sample, candidate]``."""
    _require_samples(samples)
    _check_voters(profiles)
    dirichlet = require_dirichlet(culture)
    ranks, weights, sizes = profiles.arrays
    dirichlet.check_candidates(sizes)

    def work(job: tuple[int, np.random.Generator]) -> T:
        b, rng = job
        ballots = ranks[b, : sizes[b]]
        # A ballot of weight w is w voters, who share a ranking and nothing else.
        rankings = np.repeat(np.argsort(ballots, axis=0), weights[b], axis=1).T
        return reduce(_draw(dirichlet, welfares, np.ascontiguousarray(rankings), samples, rng))

    return _each(work, enumerate(np.random.default_rng(seed).spawn(len(profiles))))


def _each(work: Callable[[S], T], jobs: Iterable[S]) -> list[T]:
    """The results of all jobs, by as many threads as there are."""
    threads = torch.get_num_threads()
    if threads == 1:
        # A pool would cost more than the few draws that a label is made of.
        return [work(job) for job in jobs]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, jobs))


def _codes(welfares: Sequence[WelfareFunction]) -> tuple[NDArray, NDArray]:
    """What the kernels call welfares, and their settings."""
    known = [builtin(welfare) for welfare in welfares]
    codes = [one.code or kernels.NONE if one else kernels.NONE for one in known]
    lams = [float(one.values.get("lam", 0)) if one else 0.0 for one in known]
    return np.array(codes), np.array(lams)


def _draw(
    culture: Dirichlet,
    welfares: Sequence[WelfareFunction],
    rankings: NDArray,
    samples: int,
    rng: np.random.Generator,
) -> NDArray:
    codes, lams = _codes(welfares)
    n, m = rankings.shape
    # Draws are kept only for a welfare that the kernels do not know.
    utilities = np.zeros((samples if kernels.NONE in codes else 1, n, m))
    scores = np.zeros((len(welfares), samples, m))
    rest = rankings, codes, lams, utilities, scores
    if culture.symmetric:
        kernels.sample_symmetric(rng, float(culture.values[0]), *rest)
    else:
        kernels.sample_chain(rng, *_chain(culture, m), *rest)
    for welfare, code, found in zip(welfares, codes, scores, strict=True):
        if code == kernels.NONE:
            found[:] = checked(welfare(torch.from_numpy(utilities)), found.shape).numpy()
    return scores


def _padded(rows: Iterable[NDArray], profiles: Profiles) -> Scores:
    scores = np.zeros((len(profiles), profiles.ranks.shape[2]))
    for row, values in zip(scores, rows, strict=True):
        row[: len(values)] = values
    return masked(torch.from_numpy(scores), profiles)


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
    # SciPy takes a while to load, and few commands need it.
    from scipy.special import gammainc, gammaincc

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
