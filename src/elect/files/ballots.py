"""The result of all readers, and their shared helpers."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import NamedTuple

from elect.errors import ElectError
from elect.limits import MOST_CANDIDATES, at_most

Order = tuple[tuple[int, ...], ...]


class Ballots(NamedTuple):
    """The ballots of a file, before they are checked against the candidates.

    Attributes:
        names: the candidates.
        lines: the line of each ballot, for messages.
        counts: how many voters cast it; 0 is allowed.
        orders: the candidates it ranks, numbered from 1, best first; those of a tier are tied.
    """

    names: Sequence[str]
    lines: Sequence[int]
    counts: Sequence[int]
    orders: Sequence[Order]


def fault(path: Path, line: int, what: str) -> ElectError:
    """The error for a bad line."""
    return ElectError(f"{path}, line {line}: {what}")


def short(text: str) -> str:
    """The text, or its beginning, for messages."""
    return text if len(text) <= 40 else f"{text[:40]}…"


def check_name(path: Path, name: str) -> str:
    """The name, unless it is too long."""
    what = f"{path} has a candidate '{name[:20]}…' with {len(name):,} characters"
    at_most(len(name), "name", what, "shorten the name")
    return name


def check_candidates(path: Path, count: int) -> None:
    """Refuse too many candidates."""
    check_possible(path, count)
    at_most(count, "candidates", f"{path} has {count:,} candidates")


def check_possible(path: Path, count: int) -> None:
    """Refuse more candidates than there can be, while they are still being counted."""
    if count > MOST_CANDIDATES:
        raise ElectError(
            f"{path} has {count:,} candidates, and no election may have more than "
            f"{MOST_CANDIDATES:,}; leave some out."
        )


@lru_cache(4096)
def clean(name: str) -> str:
    """The name on one line, in characters that a UTF-8 file can hold."""
    name = re.sub(r"[\x00-\x1f\x7f\x85\u2028\u2029]+", " ", name).strip()
    return name.encode(errors="replace").decode()


def distinct(names: Iterable[str]) -> list[str]:
    """The names, with a number after those that an earlier candidate has.

    >>> distinct(["Smith", "Smith", "Smith (2)"])
    ['Smith', 'Smith (3)', 'Smith (2)']
    """
    names = list(names)
    taken, earlier = set(names), dict[str, int]()
    for i, name in enumerate(names):
        if name in earlier:
            # Continue from the last number; otherwise many equal names take quadratic time.
            number = next(k for k in count(earlier[name] + 1) if f"{name} ({k})" not in taken)
            names[i], earlier[name] = f"{name} ({number})", number
            taken.add(names[i])
        else:
            earlier[name] = 1
    return names
