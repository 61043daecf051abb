"""The ceiling: the best possible result of a rule that sees rankings and not utilities."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from elect.cultures import Culture, Impartial, Seed, Size
from elect.cultures import culture as make_culture
from elect.elections import Profiles
from elect.errors import ElectError
from elect.kernels import NDArray
from elect.rules.posterior import over_posterior, require_dirichlet
from elect.welfares import WelfareFunction
from elect.welfares import welfare as make_welfare

# Elections in memory at a time.
BATCH = 512

# Folds of the draws, for cross-validation.
FOLDS = 8


@dataclass(frozen=True)
class Ceiling:
    """The results of the best possible rule, with standard errors.

    Attributes:
        accuracy: how often it elects the candidate of highest welfare.
        welfare_ratio: the mean of its winner's welfare over the highest.
        elections: how many elections this was measured on.
        samples: how many draws of utilities each election was judged on.
    """

    accuracy: float
    accuracy_error: float
    welfare_ratio: float
    welfare_ratio_error: float
    elections: int
    samples: int


def ceiling(
    culture: str | Culture,
    welfare: str | WelfareFunction,
    voters: Size = (2, 99),
    candidates: Size = (2, 29),
    elections: int = 5120,
    samples: int = 768,
    seed: Seed = 0,
    progress: Callable[[float], None] | None = None,
) -> Ceiling:
    """The accuracy and the welfare ratio of the best possible rule on a Dirichlet culture.

    Given the rankings, the best rule elects the candidate who is most often optimal (or, for the
    ratio, has the highest mean ratio) over utilities consistent with them. The choice is made on
    some draws and tested on others, by cross-validation, so chance does not inflate the result:
    too few draws can only make the ceiling too low.

    Args:
        culture: a Dirichlet culture: a name or a `Culture`.
        welfare: a name or a function.
        voters: how many, or an inclusive range.
        candidates: how many, or an inclusive range.
        elections: how many elections to average over.
        samples: how many draws of utilities for each.
        seed: the same seed gives the same ceiling, whatever the number of threads.
        progress: called with the share of the work that is done.
    """
    # Equal alphas rank all candidates alike, and rankings are all that is needed here.
    utilities, goal = require_dirichlet(make_culture(culture)), make_welfare(welfare)
    source = Impartial() if utilities.symmetric else make_culture(culture)
    if samples < 4 or elections < 2:
        raise ElectError("A ceiling needs at least 2 elections and 4 samples of each.")
    rng = np.random.default_rng(seed)
    results: list[tuple[float, float]] = []
    while len(results) < elections:
        count = min(BATCH, elections - len(results))
        profiles: Profiles = source(count, voters, candidates, seed=rng).profiles
        results += over_posterior(utilities, goal, profiles, samples, rng, cross_fit)
        if progress is not None:
            progress(len(results) / elections)
    accuracy, ratio = np.array(results).T
    return Ceiling(
        float(accuracy.mean()),
        _standard_error(accuracy),
        float(ratio.mean()),
        _standard_error(ratio),
        elections,
        samples,
    )


def cross_fit(scores: NDArray) -> tuple[float, float]:
    """The accuracy and the welfare ratio of choices, in draws that they were not made on."""
    best = scores.max(1, keepdims=True)
    ratios = np.divide(scores, best, out=np.ones_like(scores), where=best > 0)
    return _tested(scores == best), _tested(ratios)


def _tested(gains: NDArray) -> float:
    """The mean gain in each fold of the draws of the candidate who gains most in the others."""
    folds = np.array([fold.sum(0) for fold in np.array_split(gains, min(FOLDS, len(gains)))])
    chosen = (folds.sum(0) - folds).argmax(1)
    return float(folds[np.arange(len(folds)), chosen].sum() / len(gains))


def _standard_error(values: NDArray) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values)))
