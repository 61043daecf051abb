"""Write what was measured to `results/`, with what one needs to measure it again."""

import json
import os
import re
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results"
RECORDED = ROOT / "src" / "elect" / "experiments" / "recorded"
_START = time.monotonic()


def record(name: str, seed: int, measured: dict[str, Any]) -> Path:
    """Write `results/NAME.json`; the date, commit and machine are this run's, unless `measured`
    has those of an earlier run."""
    # Imported late, since some benchmarks limit threads first.
    from elect.experiments.sources import commit, machine

    content = {
        "command": "python " + " ".join([os.path.relpath(sys.argv[0]), *sys.argv[1:]]),
        "commit": commit() or "unknown",
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": machine(),
        "minutes": round((time.monotonic() - _START) / 60, 2),
        "seed": seed,
        **measured,
    }
    return _write(RESULTS / f"{name}.json", json.dumps(content, indent=2))


def record_in_package(name: str, content: dict[str, Any]) -> Path:
    """Write a file of the package, which says of each figure where it comes from."""
    text = json.dumps(content, indent=1)
    # Lists of numbers on one line, which makes the package a good deal smaller.
    short = re.sub(r"\[[\s\d.,e+-]+\]", lambda numbers: "".join(numbers[0].split()), text)
    return _write(RECORDED / f"{name}.json", short)


def load(name: str) -> dict[str, Any]:
    """The content of `results/NAME.json`."""
    content: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text("utf-8"))
    return content


def _write(path: Path, text: str) -> Path:
    from elect.storage import make_folder, write_whole

    make_folder(path.parent)
    write_whole(path, text + "\n")
    return path.relative_to(ROOT)
