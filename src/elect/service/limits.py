"""Limits of requests, which `elect serve --limit` can change."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

from elect import specs
from elect.errors import ElectError

# The most dimensions of a Euclidean culture, which take memory besides voters and candidates.
DIMENSIONS = 16

# Numbers in a batch once every election is padded to the size of the largest: 40 megabytes.
ENTRIES = 20_000_000

# Characters of a candidate's name, which an answer may repeat many times.
NAME = 200

# How much larger an answer may be than the body of a request.
ANSWER = 4


@dataclass(frozen=True)
class ServiceLimits:
    """Limits of a request, and of concurrent requests.

    Attributes:
        candidates: the most candidates in an election.
        ballots: the most distinct ballots in an election.
        voters: the most voters in an election.
        elections: the most elections in a batch.
        rules: the most rules in a request.
        megabytes: the largest body of a request.
        seconds: the time limit for the computation of a request.
        wait: how many seconds a request may wait in the queue.
        workers: the number of worker processes.
        clients: concurrent requests, queued included.
        in_flight: the megabytes of all their bodies together.
        memory: the megabytes that a worker may use for a request.
    """

    candidates: int = 100
    ballots: int = 20_000
    voters: int = 10**12
    elections: int = 10_000
    rules: int = 64
    megabytes: float = 8.0
    seconds: float = 10.0
    wait: float = 30.0
    workers: int = 2
    clients: int = 256
    in_flight: float = 64.0
    memory: float = 2000.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not 0 < value < inf:
                raise ElectError(f"The limit of {name} must be above 0, not {value}.")


def limits_of(settings: Iterable[str]) -> ServiceLimits:
    """Limits from settings such as ``candidates=50``; the others keep their defaults.

    >>> limits_of(["candidates=50", "seconds=2.5"]).seconds
    2.5
    """
    known = vars(ServiceLimits())
    given: dict[str, Any] = {}
    for setting in settings:
        name, _, value = setting.partition("=")
        name = specs.choose(specs.plain(name), known, "limit", "elect serve --help")
        try:
            given[name] = type(known[name])(value)
        except ValueError:
            raise ElectError(f"'{setting}' is not valid; write {name}={known[name]}.") from None
    return ServiceLimits(**given)


def at_most(count: int, most: int, what: str) -> None:
    """Refuse more than the limit.

    >>> at_most(101, 100, "candidates")
    Traceback (most recent call last):
    ...
    elect.errors.ElectError: 101 candidates are more than the 100 that this server takes.
    """
    if count > most:
        raise ElectError(f"{count:,} {what} are more than the {most:,} that this server takes.")


def check_names(names: Iterable[str]) -> None:
    """Refuse long names.

    >>> check_names(["x" * 201])
    Traceback (most recent call last):
    ...
    elect.errors.ElectError: The name 'xxxxxxxxxxxxxxxxxxxx…' has 201 characters; use at most 200.
    """
    for name in names:
        if len(name) > NAME:
            told = f"The name '{name[:20]}…' has {len(name):,} characters"
            raise ElectError(f"{told}; use at most {NAME}.")


def check_answer(size: int, limits: ServiceLimits) -> None:
    """Raise an error if the answer would be too large.

    >>> check_answer(50_000_000, ServiceLimits())
    Traceback (most recent call last):
    ...
    elect.errors.ElectError: The answer might have 50 megabytes, more than the 32 that this server \
sends; shorten the names of candidates, or ask for less at a time.
    """
    most = ANSWER * limits.megabytes
    if size > most * 1e6:
        raise ElectError(
            f"The answer might have {size / 1e6:,.0f} megabytes, more than the {most:g} that this "
            "server sends; shorten the names of candidates, or ask for less at a time."
        )


def called(folder: str) -> tuple[str, str]:
    """The name and path of a folder, from ``runs/7`` or ``fair=runs/7``."""
    name, equals, place = folder.partition("=")
    if equals and not Path(folder).exists():
        return name.strip(), place
    return Path(folder).resolve().name, folder
