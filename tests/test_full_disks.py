"""Commands on full disks and in folders where nothing can be written: one sentence, exit code 2."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from elect.checkpoints import WEIGHTS, load
from elect.training.state import STATE

# A process may write files of so many bytes only: what it then gets is what a full disk gives.
CHILD = """
import io, json, os, resource, sys
from contextlib import redirect_stderr, redirect_stdout
from elect import designing, experiments
from elect.cli import main
from elect.experiments import budgets

designing.ELECTIONS, designing.OTHERS, designing.AUDITED = 16, 16, 16
designing.AUDIT_SECONDS = 0.5
tiny = experiments.Budget("minutes", "tiny", elections=40, judged=8, samples=8)
budgets.BUDGETS["minutes"] = tiny
none = resource.RLIM_INFINITY

def call(arguments, limit):
    err = io.StringIO()
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, none))
    try:
        with redirect_stderr(err), redirect_stdout(io.StringIO()):
            main(arguments)
    except SystemExit as stop:
        code = stop.code
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (none, none))
    names = [name for _, folders, files in os.walk(".") for name in [*folders, *files]]
    return code, err.getvalue(), sorted(names)

print(json.dumps([call(*one) for one in json.loads(sys.argv[1])]))
"""
Answer = tuple[int, str, list[str]]

TRAIN = "train --rule plurality --network deepsets:width=8,layers=2 --voters 2-9 --candidates 2-5"
COMMANDS = {
    "sample": "sample --culture uniform --voters 99 --candidates 5 --out {}.soc",
    "audit": "audit plurality --axiom condorcet-winner --elections 20 --trials 20 --out {}",
    "train": f"{TRAIN} --steps 3 --out {{}}",
    "reproduce": "reproduce table-2 --out {}",
    "design": "design --welfare utilitarian --culture uniform --voters 3-5 --candidates 3 "
    "--minutes 0 --out {}",
}


def calls(folder: Path, *several: tuple[str, int]) -> list[Answer]:
    """Run commands one after the other in a child process, each with its limit of bytes."""
    words = [(command.split(), limit) for command, limit in several]
    done = subprocess.run(
        [sys.executable, "-c", CHILD, json.dumps(words)],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    return [(code, err, names) for code, err, names in json.loads(done.stdout)]


def refused(code: int, err: str, reason: str) -> None:
    """Exit code 2 and one sentence."""
    assert code == 2, err
    assert len(err.splitlines()) == 1, err
    assert err.startswith("elect: ")
    assert reason in err


@pytest.mark.parametrize("names", [("sample", "audit"), ("reproduce", "design")])
def test_a_full_disk(tmp_path, names):
    """Once with room, so that whatever is compiled is; then without, and with room again."""
    several = []
    for name in names:
        for place, limit in (("room", -1), ("full", 60), ("full", -1)):
            several.append((COMMANDS[name].format(f"{name}-{place}"), limit))
    answers, before = calls(tmp_path, *several), list[str]()
    for number, name in enumerate(names):
        room, full, again = answers[3 * number : 3 * number + 3]
        assert room[0] == 0, room[1]
        refused(full[0], full[1], "File too large")
        # What a reproduction has measured so far would be kept, if it could be written.
        kept = [f"{name}-full", "measurements"] if name == "reproduce" else []
        assert full[2] == sorted([*room[2], *kept])
        assert again[0] == 0, again[1]
        before = again[2]
    assert not [name for name in before if name.endswith((".part", ".lock"))]


def test_the_last_checkpoint_stays(tmp_path):
    nothing, first, full = calls(
        tmp_path,
        (f"{TRAIN} --steps 3 --out rule", 60),
        (f"{TRAIN} --steps 3 --out rule", -1),
        ("train --resume --out rule", 60),
    )
    refused(*nothing[:2], "cannot be written (File too large); free some space, or choose a folder")
    assert nothing[2] == []
    assert first[0] == 0, first[1]
    refused(*full[:2], "cannot be written (File too large); free some space, or choose a folder")
    assert load(tmp_path / "rule").card.steps == 3
    assert full[2] == first[2] == ["card.json", "log.csv", *sorted([WEIGHTS, "rule", STATE])]


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("place", ["below a file", "/proc", "/sys/kernel"])
def test_where_nothing_can_be_written(run, tmp_path, name, place):
    """Also for root, who may write everywhere else."""
    file = tmp_path / "file"
    file.touch()
    place = str(file / "folder") if place == "below a file" else place
    code, out, err = run(*COMMANDS[name].format(f"{place}/out").split())
    assert out == ""
    refused(code, err, f"{place}/out")
    assert list(tmp_path.iterdir()) == [file]
