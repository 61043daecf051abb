"""Figures with 95 % intervals, and the form in which they are written in JSON."""

from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np
from scipy.special import betaincinv, ndtri

from elect.kernels import NDArray

# The quantiles at the ends of an interval.
TAILS = (0.025, 0.975)

# Bootstrap samples, and how many of their values are in memory at a time.
RESAMPLES = 1000
AT_ONCE = 2**20

# With more values than this, bootstrap means are practically normal.
MANY = 2**13

# Levels of the quantiles, and bins of the histogram, of a welfare ratio.
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
BINS = 50


@dataclass(frozen=True)
class Estimate:
    """A figure with its 95 % interval.

    Attributes:
        value: the figure.
        low: the lower end of the interval.
        high: its upper end.
        elections: how many elections it was measured on.
        source: where the figure comes from, if it was not measured in this run.

    >>> estimate = Estimate(0.916, 0.885, 0.939, 500)
    >>> print(estimate)
    0.916 (0.885–0.939)
    >>> float(estimate)
    0.916
    """

    value: float
    low: float
    high: float
    elections: int
    source: str | None = None

    @property
    def interval(self) -> tuple[float, float]:
        """Both ends."""
        return self.low, self.high

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        return f"{self.value:.3f} ({self.low:.3f}–{self.high:.3f})"


def share(credits: NDArray) -> Estimate | None:
    """The share of elections that went right, with Wilson's interval; None if there are none.

        (p + z²/2n ± z √(p(1 − p)/n + z²/4n²)) / (1 + z²/n)

    An election that a tie gets half right counts as half. Such credits vary less than zeros and
    ones do, so the interval is then wider than necessary. Reference: Wilson, "Probable
    Inference, the Law of Succession, and Statistical Inference", JASA 1927.

    >>> print(share(np.array([1, 1, 1, 0])))
    0.750 (0.301–0.954)
    """
    n = len(credits)
    if not n:
        return None
    p, z = float(credits.mean()), float(ndtri(TAILS[1]))
    centre = p + z**2 / (2 * n)
    reach = z * (p * (1 - p) / n + z**2 / (4 * n**2)) ** 0.5
    scale = 1 + z**2 / n
    # Rounding must not put the end of an interval beyond the figure itself.
    low, high = min(p, (centre - reach) / scale), max(p, (centre + reach) / scale)
    return Estimate(p, max(0.0, low), min(1.0, high), n)


def mean(values: NDArray, seed: int) -> Estimate | None:
    """The mean, with the bootstrap's percentile interval, which for many values is the normal one;
    None if there are no values."""
    n = len(values)
    if not n:
        return None
    if n > MANY:
        centre, reach = float(values.mean()), float(ndtri(TAILS[1]) * values.std() / n**0.5)
        return Estimate(centre, centre - reach, centre + reach, n)
    rng, rows = np.random.default_rng(seed), max(1, AT_ONCE // n)
    counts = [min(rows, RESAMPLES - start) for start in range(0, RESAMPLES, rows)]
    means = [values[rng.integers(n, size=(count, n))].mean(1) for count in counts]
    low, high = np.quantile(np.concatenate(means), TAILS)
    return Estimate(float(values.mean()), float(low), float(high), n)


def quantile(values: NDArray, level: float) -> Estimate | None:
    """The least value that a share of ``level`` does not exceed, with the bootstrap's interval.

    It is the k-th smallest of n. In a bootstrap sample the k-th smallest is the value whose place
    is n times the k-th smallest of n uniforms, a Beta(k, n − k + 1). So the percentile interval of
    infinitely many samples is known without drawing any.
    """
    n = len(values)
    if not n:
        return None
    ordered, k = np.sort(values), max(1, int(np.ceil(level * n)))
    places = np.floor(n * betaincinv(k, n - k + 1, TAILS)).astype(int)
    low, high = ordered[np.minimum(places, n - 1)]
    return Estimate(float(ordered[k - 1]), float(low), float(high), n)


def distribution(
    ratios: NDArray,
) -> tuple[dict[float, Estimate], tuple[int, ...]]:
    """Quantiles of welfare ratios by level, and how many fall into each of 50 equal parts of the
    range from 0 to 1."""
    levels = {level: quantile(ratios, level) for level in QUANTILES}
    return {level: one for level, one in levels.items() if one}, histogram(ratios)


def histogram(ratios: NDArray) -> tuple[int, ...]:
    """How many of the ratios fall into each of 50 equal parts of the range from 0 to 1."""
    counts, _ = np.histogram(ratios.clip(0, 1), BINS, (0, 1))
    return tuple(counts.tolist())


def known(values: NDArray) -> NDArray:
    """The values that are not NaN."""
    found: NDArray = values[~np.isnan(values)]
    return found


def flat(name: str, estimate: Estimate | None) -> dict[str, Any]:
    """An estimate in JSON: the figure under its name, the interval beside it.

    JSON has no infinity, so an infinite number becomes None.

    >>> flat("accuracy", Estimate(0.75, 0.5, 1.0, 8))
    {'accuracy': 0.75, 'accuracy_interval': [0.5, 1.0]}
    """
    if estimate is None:
        return {name: None, f"{name}_interval": None}
    value, low, high = map(_finite, (estimate.value, estimate.low, estimate.high))
    return {name: value, f"{name}_interval": [low, high]}


def columns(name: str, estimate: Estimate | None) -> dict[str, float | None]:
    """An estimate in a row of a table, with a column for each end of the interval.

    >>> columns("accuracy", Estimate(0.75, 0.5, 1.0, 8))
    {'accuracy': 0.75, 'accuracy_low': 0.5, 'accuracy_high': 1.0}
    """
    values = (None,) * 3 if estimate is None else (estimate.value, estimate.low, estimate.high)
    return dict(zip((name, f"{name}_low", f"{name}_high"), values, strict=True))


def _finite(number: float) -> float | None:
    return number if isfinite(number) else None
