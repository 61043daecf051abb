"""Intervals, against those of other libraries and of the literature."""

import numpy as np
import pytest
from scipy.stats import binomtest

from elect.measuring.estimates import mean, quantile, share


def test_wilson_as_published():
    # Newcombe, Statistics in Medicine 1998, table I, method 3.
    for right, n, low, high in [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ]:
        found = share(np.arange(n) < right)
        assert found.interval == pytest.approx((low, high), abs=5e-5)
        other = binomtest(right, n).proportion_ci(method="wilson")
        assert found.interval == pytest.approx((other.low, other.high))
        assert (found.value, found.elections) == (right / n, n)
    assert share(np.ones(7)).high == 1


def test_the_bootstrap_of_a_mean():
    values = np.random.default_rng(0).exponential(size=5000)
    found, error = mean(values, seed=1), values.std() / 5000**0.5
    assert found.value == values.mean()
    assert found.low == pytest.approx(found.value - 1.96 * error, abs=0.15 * error)
    assert found.high == pytest.approx(found.value + 1.96 * error, abs=0.15 * error)
    assert mean(values, seed=1) == found != mean(values, seed=2)
    assert mean(np.ones(3), seed=0).interval == (1, 1)


@pytest.mark.parametrize("level", [0.05, 0.5, 0.95])
def test_the_bootstrap_of_a_quantile_needs_no_draws(level):
    rng = np.random.default_rng(2)
    values = rng.normal(size=400)
    drawn = np.quantile(
        values[rng.integers(400, size=(20_000, 400))], level, axis=1, method="inverted_cdf"
    )
    found = quantile(values, level)
    assert found.value == np.quantile(values, level, method="inverted_cdf")
    # Twenty thousand draws know the ends to about a hundredth of the way.
    share_below = [(drawn < end).mean() for end in found.interval]
    share_upto = [(drawn <= end).mean() for end in found.interval]
    assert share_below[0] - 0.004 <= 0.025 <= share_upto[0] + 0.004
    assert share_below[1] - 0.004 <= 0.975 <= share_upto[1] + 0.004


def test_nothing_is_known_of_no_elections():
    assert share(np.zeros(0)) is mean(np.zeros(0), 0) is quantile(np.zeros(0), 0.5) is None
