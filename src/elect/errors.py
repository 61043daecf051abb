"""Errors that the user can fix."""

from typing import Any


class ElectError(ValueError):
    """Invalid input; the message is one sentence that says what is wrong and what to do."""


class Unwritable(OSError, ElectError):
    """A file or folder that cannot be written; an `OSError` too, for code that handles those."""


class Unsettled(ElectError):
    """A rule ran out of time on some elections of a batch.

    Attributes:
        winners: the winners, ``[batch, candidate]``; nobody in elections that are not settled.
        possible: who can still win in these elections, and the winners of the others.
    """

    def __init__(self, message: str, winners: Any, possible: Any) -> None:
        super().__init__(message)
        self.winners = winners
        self.possible = possible


class OverLimit(ElectError):
    """Input that exceeds a limit, which the user can raise.

    Attributes:
        limit: the name of the limit, as in `elect.limits.Limits`.
        count: what was found or asked for.
        most: what is allowed.
    """

    def __init__(self, message: str, limit: str, count: int, most: float | int) -> None:
        super().__init__(message)
        self.limit, self.count, self.most = limit, count, most
