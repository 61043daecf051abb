"""What a reproduction of some hours has found, for one of some minutes to show: see `recorded/`."""

import json
from functools import cache
from importlib.resources import files
from typing import Any

from elect.experiments.chapters import Chapter
from elect.experiments.tables import Row

# What a cell says where nothing has been recorded.
ABSENT = "trained by `--budget hours`"
# And where a training was to be made, and could not.
FAILED = "its training has failed"


@cache
def recorded(name: str) -> dict[str, Any] | None:
    """A recorded chapter or measurement, with its seed, commit, command, minutes and machine."""
    path = files("elect.experiments") / "recorded" / f"{name}.json"
    if not path.is_file():
        return None
    content: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return content


def recorded_row(chapter: str, table: int, key: str) -> Row | None:
    """A row of a recorded table."""
    content = recorded(chapter)
    if content is None:
        return None
    rows = Chapter.from_json(content).tables[table].rows
    # Only a network that was trained then has something to say about itself.
    return next((row for row in rows if row.key == key and row.about), None)
