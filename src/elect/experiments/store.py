"""Measurements kept on disk, so that none is repeated."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from elect.errors import ElectError
from elect.storage import OLD, delete_drafts, make_folder, write_whole
from elect.typed_json import read_json

# Changes when measuring changes; measurements of other versions are not used.
VERSION = 1

# Below the folder of a reproduction.
MEASUREMENTS = "measurements"


class Store:
    """A folder with a file for each measurement, named by a hash of what determines it."""

    def __init__(self, out: Path) -> None:
        self.folder = out / MEASUREMENTS
        make_folder(self.folder)
        delete_drafts(self.folder, OLD)

    def get(self, key: Mapping[str, Any]) -> dict[str, Any] | None:
        """The measurement of this key; None if there is none, or its file is damaged."""
        try:
            content = read_json(self._path(key))
        except (OSError, ElectError):
            return None
        if not isinstance(content, dict) or not isinstance(content.get("value"), dict):
            return None
        value: dict[str, Any] = content["value"]
        # Measurements from before there were checksums have none.
        same = _hash(content.get("key")) == _hash({**key, "version": VERSION})
        return value if same and content.get("checksum", _hash(value)) == _hash(value) else None

    def put(self, key: Mapping[str, Any], value: Mapping[str, Any]) -> None:
        """Keep a measurement."""
        about = {"key": {**key, "version": VERSION}, "checksum": _hash(value)}
        write_whole(self._path(key), json.dumps({**about, "value": value}, indent=1) + "\n")

    def _path(self, key: Mapping[str, Any]) -> Path:
        return self.folder / f"{_hash({**key, 'version': VERSION})[:24]}.json"


def _hash(value: Any) -> str:
    # Through JSON, so that a kept value has the same hash as the measured one.
    plain = json.loads(json.dumps(value))
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()
