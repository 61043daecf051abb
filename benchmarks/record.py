"""Write what was measured to `results/`, with what one needs to measure it again."""

import json
import os
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[1] / "results"
_START = time.monotonic()


def record(name: str, seed: int, measured: dict[str, Any]) -> Path:
    """Write `results/NAME.json` in one go, so that no half of it is ever seen."""
    # Not before threads are limited, as some benchmarks do.
    from elect.experiments.machine import machine
    from elect.storage import make_folder, write_whole

    path = RESULTS / f"{name}.json"
    make_folder(path.parent)
    content = {
        "command": "python " + " ".join([os.path.relpath(sys.argv[0]), *sys.argv[1:]]),
        "commit": commit(),
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": machine(),
        "minutes": round((time.monotonic() - _START) / 60, 2),
        "seed": seed,
        **measured,
    }
    write_whole(path, json.dumps(content, indent=2) + "\n")
    return path


def commit() -> str:
    """The commit that is measured."""
    run = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    return run.stdout.strip() or "unknown"
