"""A run may be taken up by several workers, each of them in a folder of its own.

A worker that is believed lost may be at work still, cut off or only slow, while another has taken
over its run. A lock with a heartbeat would not keep the two apart: who sleeps through the end of a
lease writes on after waking up. So no two ever share a folder:

    runs/gin.attempts/1     believed lost
    runs/gin.attempts/2     went on from the last checkpoint of the first
    runs/gin                the attempt that was finished first, renamed

Making a folder and renaming one are atomic, on network file systems too, so this needs neither
clocks nor locks. It costs a copy of a checkpoint, and a worker wrongly believed lost works in vain.
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
from elect.training.report import LOG
from elect.training.state import STATE, how_far
from elect.typed_json import read_json

# In the folder of an attempt, and so of a finished run: who made it.
ATTEMPT = "attempt.json"


def begin(folder: Path) -> Path:
    """A new attempt at the run of this folder, from where the furthest one has come."""
    attempt = _claim(folder)
    step = _go_on(folder, attempt)
    worker = f"{socket.gethostname()} {os.getpid()}"
    about = {"attempt": int(attempt.name), "worker": worker, "from_step": step}
    write_whole(attempt / ATTEMPT, json.dumps(about) + "\n")
    return attempt


def clear(folder: Path) -> None:
    """Remove the attempts at a run that is finished; whoever is still at one then stops."""
    shutil.rmtree(_below(folder), ignore_errors=True)


def attempts(folder: Path) -> dict[int, Path]:
    """The attempts at a run that is not finished, the newest last."""
    names = os.listdir(_below(folder)) if _below(folder).is_dir() else []
    numbers = sorted(int(name) for name in names if name.isdigit())
    return {number: _below(folder) / str(number) for number in numbers}


def about(attempt: Path) -> dict[str, Any]:
    """Who made an attempt, and from which step on; nothing if it has only just begun."""
    try:
        words = read_json(attempt / ATTEMPT)
    except (OSError, ElectError):
        return {}
    known = isinstance(words, dict) and isinstance(words.get("worker"), str)
    return words if known and isinstance(words.get("attempt"), int) else {}


def _below(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.attempts")


def _claim(folder: Path) -> Path:
    """A folder that was not there before, so that it is nobody else's."""
    number = max(attempts(folder), default=0) + 1
    while True:
        try:
            (_below(folder) / str(number)).mkdir(parents=True)
        except FileExistsError:
            number += 1
        else:
            return _below(folder) / str(number)


def _go_on(folder: Path, attempt: Path) -> int:
    """Copy the furthest checkpoint, and remove those far behind; gives the step it is at."""
    while True:
        steps = {path: _step(path) for path in attempts(folder).values() if path != attempt}
        if max(steps.values(), default=-1) < 0:
            return 0
        source = max(steps, key=lambda path: (steps[path], int(path.name)))
        try:
            _copy(source, attempt)
        except FileNotFoundError:
            # Somebody who is further still has removed it meanwhile.
            continue
        for path in steps:
            if int(path.name) < int(source.name):
                shutil.rmtree(path, ignore_errors=True)
        return _step(attempt)


def _step(attempt: Path) -> int:
    try:
        # All of it is read, since a run cannot go on from a damaged checkpoint.
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
