"""The kinds of error that a user can cause and mend."""

from typing import Any


class ElectError(ValueError):
    """Input that cannot be used: one sentence that says what is wrong and what to do."""


class Unwritable(OSError, ElectError):
    """A file or folder that cannot be written; an `OSError` too, for code that handles those."""


class Unsettled(ElectError):
    """Some elections of a batch are too hard for a rule.

    Attributes:
        winners: who wins each of the others, ``[batch, candidate]``; nobody where it gave up.
        possible: who can still win where it gave up, and who wins elsewhere.
    """

    def __init__(self, message: str, winners: Any, possible: Any) -> None:
        super().__init__(message)
        self.winners = winners
        self.possible = possible


class OverLimit(ElectError):
    """Input that is larger than a limit, which may be raised.

    Attributes:
        limit: the name of the limit, as in `elect.limits.Limits`.
        count: what was found or asked for.
        most: what is allowed.
    """

    def __init__(self, message: str, limit: str, count: int, most: float | int) -> None:
        super().__init__(message)
        self.limit, self.count, self.most = limit, count, most
