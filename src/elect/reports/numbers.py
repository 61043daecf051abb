"""Figures, lists and tables as reports write them."""

from collections.abc import Sequence
from math import isinf

from elect.measuring.estimates import Estimate

Range = tuple[int, int]


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


def signed(value: int) -> str:
    """
    >>> signed(-1200), signed(3)
    ('−1,200', '+3')
    """
    return f"{value:+,}".replace("-", "−")


def times(value: float) -> str:
    """A ratio, which may be unbounded."""
    return "∞" if isinf(value) else f"{value:.1f}"


def count(value: int, noun: str) -> str:
    """
    >>> count(1, "voter"), count(1200, "voter")
    ('1 voter', '1,200 voters')
    """
    return f"{value:,} {noun}{'' if value == 1 else 's'}"


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


def first_upper(text: str) -> str:
    """
    >>> first_upper("the ABC")
    'The ABC'
    """
    return f"{text[:1].upper()}{text[1:]}"


def code_split(text: str) -> list[str]:
    """Text in turns with code, which stands between backticks.

    >>> code_split("Call `elect winner` there.")
    ['Call ', 'elect winner', ' there.']
    """
    return text.split("`")


def text_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table for a terminal or a notebook, with columns as wide as they need be.

    >>> print(text_table(["rule", "winner"], [["Borda", "Ann"], ["Plurality", "Ben"]]))
    rule       winner
    Borda      Ann
    Plurality  Ben
    """
    lines = [list(headers), *(list(row) for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(headers))]
    padded = (
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        for line in lines
    )
    return "\n".join(line.rstrip() for line in padded)


def _range(ends: Range) -> str:
    return f"{ends[0]:,}" if ends[0] == ends[1] else f"{ends[0]:,} to {ends[1]:,}"


def _plain(value: float, digits: int) -> str:
    text = f"{100 * value:.{digits}f}"
    # What rounds to nothing has no sign; other minus signs are written as such.
    return text.removeprefix("-") if float(text) == 0 else text.replace("-", "−")
