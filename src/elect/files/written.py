"""Ballots as lines of text such as ``12: Ann > Ben = Cleo``.

- Without a count a line is one voter; ``0:`` only introduces candidates.
- ``=`` is a tie, and candidates who are not named are unranked.
- ``#`` starts a comment.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from elect.errors import ElectError
from elect.files.ballots import Ballots, check_candidates, check_name, check_possible, clean, short

_COUNT = re.compile(r"([0-9]{1,13})\s*:\s*")
# What must have been meant as a count; 10:30 is a name.
_NUMBER = re.compile(r"([-+]?[0-9][0-9.,']*)\s*:(?:\s|$)")
_HOW = "write ballots as in '12: Anna > Ben = Cleo > Dan'."
_SEPARATOR = re.compile(r"[,;\t]")


class Line(NamedTuple):
    """A ballot: the number of its line, how many cast it, and names, tied ones together."""

    number: int
    voters: int
    tiers: list[list[str]]


def split(text: str, path: Path | None = None) -> Iterator[Line]:
    """The ballots of a text, which may be that of a file.

    >>> [(line.voters, line.tiers) for line in split("12: Ann > Ben = Cleo\\nBen")]
    [(12, [['Ann'], ['Ben', 'Cleo']]), (1, [['Ben']])]
    """
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if line and not line.startswith("#"):
            count = _COUNT.match(line)
            if count is None and (odd := _NUMBER.match(line)):
                raise _fault(path, number, f"begins with '{short(odd[1])}', no number of voters")
            order = line[count.end() :] if count else line
            tiers = [[name.strip() for name in tier.split("=")] for tier in order.split(">")]
            if order and not all(map(all, tiers)):
                raise _fault(path, number, "lacks a name")
            yield Line(number, int(count[1]) if count else 1, tiers if order else [])


def _fault(path: Path | None, number: int, what: str) -> ElectError:
    where = f"{path}, line {number}" if path else f"Line {number}"
    return ElectError(f"{where} {what}; {_HOW}")


def looks_written(lines: Sequence[tuple[int, str]], kind: str) -> bool:
    """Whether these lines are such ballots and no table. In a table a name may hold a ``>``, here
    one may hold a comma; the extension decides then."""
    ballots = [line for _, line in lines if not line.startswith("#")]
    if kind in ("csv", "tsv") and any(_SEPARATOR.search(line) for line in ballots):
        return False
    return not ballots or any(">" in line or _NUMBER.match(line) for line in ballots)


def parse(path: Path, text: str) -> Ballots:
    """The ballots in the text of a file; candidates in the order in which they are first named."""
    found = list(split(text, path))
    ranked = {name for line in found if len(line.tiers) > 1 for tier in line.tiers for name in tier}
    for line in found:
        alone = line.tiers[0][0] if len(line.tiers) == 1 else ""
        if _SEPARATOR.search(alone) and alone not in ranked:
            raise _fault(path, line.number, f"has '{short(alone)}', who is on no other ballot")
    numbers: dict[str, int] = {}
    for name in chain.from_iterable(chain.from_iterable(line.tiers for line in found)):
        numbers.setdefault(check_name(path, clean(name)), len(numbers) + 1)
        check_possible(path, len(numbers))
    check_candidates(path, len(numbers))
    orders = [
        tuple(tuple(numbers[clean(name)] for name in tier) for tier in line.tiers) for line in found
    ]
    lines, counts = [line.number for line in found], [line.voters for line in found]
    return Ballots(list(numbers), lines, counts, orders)
