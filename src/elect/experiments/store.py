"""Measurements kept on disk, so that none is made twice."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from elect.storage import write_whole

# Of what is measured and how; a new number leaves all old measurements aside.
VERSION = 1

# Below the folder of a reproduction.
MEASUREMENTS = "measurements"


class Store:
    """A folder with a file for each measurement, named after what determines it."""

    def __init__(self, out: Path) -> None:
        self.folder = out / MEASUREMENTS
        self.folder.mkdir(parents=True, exist_ok=True)

    def get(self, key: Mapping[str, Any]) -> dict[str, Any] | None:
        """What was measured, if it was; a damaged file is as good as none."""
        try:
            content = json.loads(self._path(key).read_text("utf-8"))
        except (OSError, ValueError):
            return None
        value: dict[str, Any] | None = content.get("value") if isinstance(content, dict) else None
        return value

    def put(self, key: Mapping[str, Any], value: Mapping[str, Any]) -> None:
        """Keep what was measured."""
        content = {"key": {**key, "version": VERSION}, "value": value}
        write_whole(self._path(key), (json.dumps(content, indent=1) + "\n").encode())

    def _path(self, key: Mapping[str, Any]) -> Path:
        text = json.dumps({**key, "version": VERSION}, sort_keys=True)
        return self.folder / f"{hashlib.sha256(text.encode()).hexdigest()[:24]}.json"
