"""The report's pictures as SVG, coloured by the page, so that they suit day and night."""

from collections.abc import Sequence

import numpy as np

from elect.designing.measuring import Standing
from elect.measuring import estimates as intervals
from elect.measuring.estimates import Estimate


def floor(standings: Sequence[Standing]) -> float:
    """Where the axes of all pictures begin: at a tenth below all but the worst days."""
    least = min(one.quantiles[0.05].value for one in standings)
    return min(0.9, max(0.0, int(10 * least) / 10))


def spread(one: Standing, low: float) -> str:
    """A line for 90 % of elections, a broad one for half of them, a mark for the average."""

    def x(value: float) -> float:
        return round(100 * max(0.0, value - low) / (1 - low), 2)

    q = {level: x(estimate.value) for level, estimate in one.quantiles.items()}
    said = (
        f"half of the elections between {one.quantiles[0.25].value:.0%} and "
        f"{one.quantiles[0.75].value:.0%}, nine of ten between {one.quantiles[0.05].value:.0%} and "
        f"{one.quantiles[0.95].value:.0%}, on average {one.ratio.value:.1%}"
    )
    lines = [
        _line("thin", q[0.05], q[0.95], 10, 10),
        _line("thick", q[0.25], q[0.75], 10, 10),
        _line("tick", x(one.ratio.value), x(one.ratio.value), 2, 18),
    ]
    return (
        f'<svg viewBox="0 0 100 20" preserveAspectRatio="none" role="img" aria-label="{said}">'
        f"{''.join(lines)}</svg>"
    )


def histogram(one: Standing, low: float, most: float) -> str:
    """In how many elections a rule reached how much, but for those in the last part of the axis;
    what lies below the axis is in its first bar."""
    shares = _shares(one, low)
    width = 100 / (len(shares) + 1)
    bars = [
        f'<rect class="fill" x="{i * width:.2f}" y="{100 - 100 * share / most:.2f}" '
        f'width="{width * 0.86:.2f}" height="{100 * share / most:.2f}"/>'
        for i, share in enumerate(shares)
        if share
    ]
    return (
        '<svg class="bars" viewBox="0 0 100 100" preserveAspectRatio="none" role="img" '
        f'aria-label="the distribution of what it reached">{"".join(bars)}</svg>'
    )


def highest(standings: Sequence[Standing], low: float) -> float:
    """The highest bar of all, which they are measured by."""
    return max(share for one in standings for share in _shares(one, low)) or 1.0


def nearly_all(one: Standing) -> Estimate:
    """How often a rule reached the last part of the axis."""
    total, last = sum(one.histogram), one.histogram[-1]
    found = intervals.share(np.arange(total) < last)
    assert found is not None
    return found


def _shares(one: Standing, low: float) -> list[float]:
    first, total = round(low * len(one.histogram)), sum(one.histogram)
    counts = [sum(one.histogram[: first + 1]), *one.histogram[first + 1 : -1]]
    return [count / total for count in counts]


def axis(low: float, below: str = "") -> str:
    """What the ends of an axis are; ``below`` says what becomes of what lies before it."""
    left = f"{100 * low:.0f} %{below if low else ''}"
    return f'<div class="axis"><span>{left}</span><span>100 %</span></div>'


def _line(kind: str, x1: float, x2: float, y1: int, y2: int) -> str:
    return (
        f'<line class="{kind}" vector-effect="non-scaling-stroke" x1="{x1}" x2="{x2}" y1="{y1}" '
        f'y2="{y2}"/>'
    )
