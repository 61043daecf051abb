"""Logs as JSON lines, which never contain ballots.

The number of lines of each kind per period is limited, so that errors and clients cannot fill the
disk. The next line says how many were left out.
"""

import json
import logging
import sys
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime
from time import monotonic
from typing import Any

# Seconds, and how many lines are written within them: of requests, and of each other kind.
PERIOD, REQUESTS, OTHERS = 10.0, 1000, 10

# Characters of a message of a library.
LONGEST = 200


class Bound:
    """Counts lines of each kind, and says which are to be written."""

    def __init__(self) -> None:
        self.start = monotonic()
        self.counts: Counter[str] = Counter()
        self.left_out = 0

    def allows(self, kind: str) -> bool:
        """Whether a line of this kind is to be written."""
        if monotonic() - self.start >= PERIOD:
            self.start, self.counts = monotonic(), Counter()
        self.counts[kind] += 1
        allowed = self.counts[kind] <= (REQUESTS if kind == "request" else OTHERS)
        self.left_out += not allowed
        return allowed

    def extra(self) -> dict[str, int]:
        """How many lines were left out before this one, if any."""
        left_out, self.left_out = self.left_out, 0
        return {"left_out": left_out} if left_out else {}


_bound = Bound()


def note(event: str, **facts: Any) -> None:
    """Write a line to the error stream."""
    if not _bound.allows("request" if event == "request" else f"{event} {facts.get('kind')}"):
        return
    time = datetime.now(UTC).isoformat(timespec="milliseconds")
    line = {"time": time, "event": event, **facts, **_bound.extra()}
    # Where nothing can be written, nothing can be told.
    with suppress(OSError, ValueError):
        print(json.dumps(line), file=sys.stderr, flush=True)


class Lines(logging.Formatter):
    """Formats messages of libraries as JSON lines, with the type of an error but not its data."""

    def format(self, record: logging.LogRecord) -> str:
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        message = record.getMessage().partition("\n")[0][:LONGEST]
        line = {"time": time, "event": record.levelname.lower(), "message": message}
        if record.exc_info and record.exc_info[0]:
            line["kind"] = record.exc_info[0].__name__
        return json.dumps({**line, **_bound.extra()})


class Few(logging.Filter):
    """Leaves out lines of which there are many."""

    def filter(self, record: logging.LogRecord) -> bool:
        return _bound.allows(f"{record.name} {record.msg!s:.40}")
