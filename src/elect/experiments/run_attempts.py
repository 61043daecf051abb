"""Several workers may carry out the same run, each attempt in a folder of its own.

A worker that seems lost may only be slow or cut off, while another has taken over its run. A lock
with a heartbeat would not keep the two apart: a worker that sleeps past the end of its lease goes
on writing when it wakes up. So no two attempts share a folder:

    runs/gin.attempts/1     seems lost
    runs/gin.attempts/2     resumed from the last checkpoint of the first
    runs/gin                the attempt that finished first, renamed

Creating and renaming a folder are atomic, on network file systems too, so this needs neither
clocks nor locks. It costs a copy of a checkpoint, and the work of workers that only seemed lost.
"""

import json
import os
import shutil
import socket
from pathlib import Path
from typing import Any

from elect.checkpoints import read_tensors
from elect.errors import ElectError
from elect.storage import write_whole
from elect.training.progress import LOG
from elect.training.state import STATE, how_far
from elect.typed_json import read_json

# In the folder of an attempt, and of a finished run: the worker that made it.
ATTEMPT = "attempt.json"


def begin(folder: Path) -> Path:
    """Start a new attempt at the run of this folder, from the furthest checkpoint."""
    attempt = _claim(folder)
    step = _go_on(folder, attempt)
    worker = f"{socket.gethostname()} {os.getpid()}"
    about = {"attempt": int(attempt.name), "worker": worker, "from_step": step}
    write_whole(attempt / ATTEMPT, json.dumps(about) + "\n")
    return attempt


def clear(folder: Path) -> None:
    """Remove the attempts at a finished run; workers that are still at one then stop."""
    shutil.rmtree(_below(folder), ignore_errors=True)


def attempts(folder: Path) -> dict[int, Path]:
    """The attempts at a run that is not finished, the newest last."""
    names = os.listdir(_below(folder)) if _below(folder).is_dir() else []
    numbers = sorted(int(name) for name in names if name.isdigit())
    return {number: _below(folder) / str(number) for number in numbers}


def about(attempt: Path) -> dict[str, Any]:
    """The worker and the first step of an attempt; empty if it has only just begun."""
    try:
        words = read_json(attempt / ATTEMPT)
    except (OSError, ElectError):
        return {}
    known = isinstance(words, dict) and isinstance(words.get("worker"), str)
    return words if known and isinstance(words.get("attempt"), int) else {}


def _below(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.attempts")


def _claim(folder: Path) -> Path:
    """Create a folder that no other worker has."""
    number = max(attempts(folder), default=0) + 1
    while True:
        try:
            (_below(folder) / str(number)).mkdir(parents=True)
        except FileExistsError:
            number += 1
        else:
            return _below(folder) / str(number)


def _go_on(folder: Path, attempt: Path) -> int:
    """Copy the furthest checkpoint, remove those far behind, and return its step."""
    while True:
        steps = {path: _step(path) for path in attempts(folder).values() if path != attempt}
        if max(steps.values(), default=-1) < 0:
            return 0
        source = max(steps, key=lambda path: (steps[path], int(path.name)))
        try:
            _copy(source, attempt)
        except FileNotFoundError:
            # A worker that is further ahead has removed it meanwhile.
            continue
        for path in steps:
            if int(path.name) < int(source.name):
                shutil.rmtree(path, ignore_errors=True)
        return _step(attempt)


def _step(attempt: Path) -> int:
    try:
        # All of it is read, since a damaged checkpoint cannot be resumed.
        read_tensors(attempt / STATE)
        return how_far(attempt).step
    except ElectError:
        return -1


def _copy(source: Path, attempt: Path) -> None:
    # The state is read first and written last: the log may be ahead of it, but never behind.
    state = (source / STATE).read_bytes()
    if (source / LOG).exists():
        write_whole(attempt / LOG, (source / LOG).read_bytes())
    write_whole(attempt / STATE, state)
