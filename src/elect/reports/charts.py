"""The geometry of the charts in reports; ``charts.html.jinja`` draws them as SVG.

Colours come from the page, so that the charts work in light and dark mode.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from elect.measuring import estimates as intervals
from elect.measuring.estimates import Estimate

# What each election reached, as numbers of elections in equal parts of 0 to 1.
Histogram = Sequence[int]


class Bar(NamedTuple):
    """A bar of a histogram, in percent of the chart."""

    x: float
    y: float
    width: float
    height: float


def floor(quantiles: Iterable[Mapping[float, Estimate]]) -> float:
    """The start of the axes of all charts: a multiple of 0.1 below the lowest quantiles."""
    least = min(levels[0.05].value for levels in quantiles)
    return min(0.9, max(0.0, int(10 * least) / 10))


def place(value: float, low: float) -> float:
    """Where a value stands on an axis from ``low`` to 1, in percent of its length."""
    return round(100 * max(0.0, value - low) / (1 - low), 2)


def bars(histogram: Histogram, low: float, most: float) -> list[Bar]:
    """How often a rule reached how much, except for the last part of the axis; whatever lies below
    the axis is in its first bar."""
    several = shares(histogram, low)
    width = 100 / (len(several) + 1)
    return [
        Bar(
            round(i * width, 2),
            round(100 - 100 * share / most, 2),
            round(width * 0.86, 2),
            round(100 * share / most, 2),
        )
        for i, share in enumerate(several)
        if share
    ]


def highest(histograms: Iterable[Histogram], low: float) -> float:
    """The highest bar of all, which gives their scale."""
    return max(share for one in histograms for share in shares(one, low)) or 1.0


def nearly_all(histogram: Histogram) -> Estimate:
    """How often a rule reached the last part of the axis."""
    found = intervals.share(np.arange(sum(histogram)) < histogram[-1])
    assert found is not None
    return found


def shares(histogram: Histogram, low: float) -> list[float]:
    """The share of elections in each part of the axis but the last."""
    first, total = round(low * len(histogram)), sum(histogram)
    counts = [sum(histogram[: first + 1]), *histogram[first + 1 : -1]]
    return [count / total for count in counts]
