"""Time limits for slow rules: Kemeny, Slater, Dodgson, Young and ranked pairs.

The limit applies to each election. Default: 60 seconds.

    with time_limit(300):
        elect.winners("kemeny", profiles)

When the time runs out, the rule raises `Unsettled`, which says who can still win.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf
from time import monotonic

from elect.errors import ElectError

DEFAULT_SECONDS = 60.0

_seconds: ContextVar[float] = ContextVar("seconds", default=DEFAULT_SECONDS)


class OutOfTime(Exception):
    """The time limit of an election has been reached."""


class TooLarge(OutOfTime):
    """An election is so large that no time limit would do."""


@contextmanager
def time_limit(seconds: int | float) -> Iterator[None]:
    """Set the time limit of each election inside a ``with`` block.

    Args:
        seconds: a number above 0; ``math.inf`` sets no limit.
    """
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds > 0:
        raise ElectError(f"A time limit must be a number of seconds above 0, not {seconds}.")
    token = _seconds.set(float(seconds))
    try:
        yield
    finally:
        _seconds.reset(token)


def seconds_allowed() -> float:
    """The time limit in force."""
    return _seconds.get()


class Clock:
    """The time left for one election, from the moment the clock is made."""

    def __init__(self) -> None:
        self.end = monotonic() + seconds_allowed()

    def left(self) -> float:
        """Seconds left; raises `OutOfTime` if there are none."""
        left = self.end - monotonic()
        if left <= 0:
            raise OutOfTime
        return left

    def solver_options(self) -> dict[str, float]:
        """The time left as HiGHS takes it."""
        left = self.left()
        return {} if left == inf else {"time_limit": left}
