"""Limits on the size of elections, and how to raise them.

Sizes are checked before memory is allocated, so that a file of a few bytes cannot exhaust it.
Raise a limit with ``--limit candidates=5000`` on the command line, or with `allow` in Python.

Example:
    >>> limits_of(["candidates=5000"]).candidates
    5000
    >>> at_most(2, "pairs", "2 pairs of candidates are compared")
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from elect import specs
from elect.errors import ElectError, OverLimit

# Ranks are 16-bit integers; the largest one marks candidates that a ballot leaves out.
MOST_CANDIDATES = 32_766

# Points and margins are added up in 64 bits, and scores in floats that are exact to 2^53.
MOST_VOTERS = 10**12


@dataclass(frozen=True)
class Limits:
    """The largest sizes that are accepted.

    Attributes:
        megabytes: the size of a file.
        candidates: how many candidates a file may have.
        ballots: how many distinct ballots a file may have.
        places: distinct ballots times candidates of a file, of two bytes each.
        ratings: rows times columns of a table of ratings, of eight bytes each.
        name: the number of characters in a candidate's name.
        entries: elections times ballots times candidates of a batch that is sampled, joined or
            spread out in memory, of two bytes each, or ten with utilities.
        pairs: elections times pairs of candidates that are counted, of eight bytes each.
        trained: how many candidates a trained rule takes, at about 1,000 bytes per pair.
    """

    megabytes: float | int = 50.0
    candidates: int = 1_000
    ballots: int = 1_000_000
    places: int = 70_000_000
    ratings: int = 5_000_000
    name: int = 1_000
    entries: int = 200_000_000
    pairs: int = 20_000_000
    trained: int = 300

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            kinds = (int, float) if name == "megabytes" else (int,)
            if isinstance(value, bool) or not isinstance(value, kinds) or not 0 < value < inf:
                kind = "a number" if name == "megabytes" else "a whole number"
                raise ElectError(f"The limit of {name} must be {kind} above 0, not {value!r}.")
        if self.candidates > MOST_CANDIDATES:
            raise ElectError(
                f"The limit of candidates can be {MOST_CANDIDATES:,} at most, not "
                f"{self.candidates:,}."
            )


DEFAULTS = Limits()
_current: ContextVar[Limits] = ContextVar("limits", default=DEFAULTS)


def current() -> Limits:
    """The current limits of this thread."""
    return _current.get()


def allow(**limits: Any) -> Limits:
    """Change some of the limits, and return the previous ones.

    >>> before = allow(candidates=5_000)
    >>> current().candidates
    5000
    >>> use(before)
    """
    before = current()
    unknown = [name for name in limits if name not in vars(before)]
    if unknown:
        specs.choose(unknown[0], list(vars(before)), "limit", "elect winner --help")
    use(replace(before, **limits))
    return before


def use(limits: Limits) -> None:
    """Set the limits."""
    _current.set(limits)


@contextmanager
def using(limits: Limits | None) -> Iterator[Limits]:
    """Set the limits inside a ``with`` block; None keeps the current ones."""
    before = current()
    use(limits or before)
    try:
        yield current()
    finally:
        use(before)


def limits_of(settings: Iterable[str]) -> Limits:
    """The current limits with changes such as ``candidates=5000``."""
    known = vars(current())
    given: dict[str, Any] = {}
    for setting in settings:
        name, _, value = setting.partition("=")
        name = specs.choose(specs.plain(name), known, "limit", "elect winner --help")
        try:
            given[name] = float(value) if name == "megabytes" else int(value)
        except ValueError:
            raise ElectError(
                f"'{setting}' is not a valid limit; write it as in {name}={known[name]}."
            ) from None
    return replace(current(), **given)


def at_most(count: int, name: str, what: str, remedy: str = "", least: int = 0) -> None:
    """Raise `OverLimit` if a count is above the limit of this name.

    Args:
        count: what was found or asked for.
        name: the limit.
        what: the beginning of the error message.
        remedy: what to do instead of raising the limit.
        least: a count that is accepted even if the limit is lower.
    """
    most = getattr(current(), name)
    if count <= most or count <= least:
        return
    if count > 10**18:
        raise ElectError(f"{what}, far more than the limit of {most:,}; {remedy or 'give fewer'}.")
    otherwise = f"{remedy}, or allow" if remedy else "allow"
    raise OverLimit(
        f"{what}, more than the limit of {most:,}; {otherwise} more with --limit {name}={count} on "
        f"the command line or elect.limits.allow({name}={count}) in Python.",
        name,
        count,
        most,
    )


def check_candidates(count: int) -> None:
    """Raise an error for more candidates than 16-bit ranks can hold."""
    if count > MOST_CANDIDATES:
        raise ElectError(
            f"{count if count < 10**18 else 'So many'} candidates are more than the "
            f"{MOST_CANDIDATES:,} allowed; leave some out."
        )
