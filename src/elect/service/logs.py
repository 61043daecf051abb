"""Logs in lines of JSON: what was done and how long it took, and never a ballot."""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any


def note(event: str, **facts: Any) -> None:
    """Write a line to the error stream."""
    time = datetime.now(UTC).isoformat(timespec="milliseconds")
    print(json.dumps({"time": time, "event": event, **facts}), file=sys.stderr, flush=True)


class Lines(logging.Formatter):
    """The messages of libraries as such lines: what kind of error it was, and not its data."""

    def format(self, record: logging.LogRecord) -> str:
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line = {"time": time, "event": record.levelname.lower(), "message": record.getMessage()}
        if record.exc_info and record.exc_info[0]:
            line["kind"] = record.exc_info[0].__name__
        return json.dumps(line)
