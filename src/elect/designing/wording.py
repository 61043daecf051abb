"""Figures and lists as a report writes them."""

from collections.abc import Sequence

from elect.measuring.batches import Range
from elect.measuring.estimates import Estimate


def percent(one: Estimate, digits: int = 1) -> str:
    """
    >>> percent(Estimate(0.9812, 0.98, 0.9833, 10))
    '98.1 % (98.0–98.3 %)'
    """
    return f"{amount(one.value, digits)} ({span(one, digits)})"


def amount(value: float, digits: int = 1) -> str:
    """
    >>> amount(0.12345), amount(-0.00001)
    ('12.3 %', '0.0 %')
    """
    return f"{_plain(value, digits)} %"


def span(one: Estimate, digits: int = 1) -> str:
    """Both ends of an interval."""
    return f"{_plain(one.low, digits)}–{_plain(one.high, digits)} %"


def cell(label: str, one: Estimate, digits: int = 1) -> str:
    """A cell of a table, with the interval in small letters below."""
    return (
        f'<td data-label="{label}">{amount(one.value, digits)}'
        f'<span class="ci">{span(one, digits)}</span></td>'
    )


def sizes(voters: Range, candidates: Range) -> str:
    """
    >>> sizes((2, 9), (4, 4))
    '2 to 9 voters and 4 candidates'
    """
    return f"{_range(voters)} voters and {_range(candidates)} candidates"


def and_list(names: Sequence[str]) -> str:
    """
    >>> and_list(["Ann", "Ben", "Cleo"]), and_list(["Ann"])
    ('Ann, Ben and Cleo', 'Ann')
    """
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def _range(ends: Range) -> str:
    return f"{ends[0]:,}" if ends[0] == ends[1] else f"{ends[0]:,} to {ends[1]:,}"


def _plain(value: float, digits: int) -> str:
    text = f"{100 * value:.{digits}f}"
    # What rounds to nothing has no sign; other minus signs are written as such.
    return text.removeprefix("-") if float(text) == 0 else text.replace("-", "−")
