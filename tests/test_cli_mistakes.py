"""What goes wrong on the command line: one line, and an exit code."""

import json
import os
import subprocess
import sys

import pytest

from boards import BOARD
from elect import files
from elect.errors import ElectError

HEADER = "# NUMBER ALTERNATIVES: 2\n# ALTERNATIVE NAME 1: Ann\n# ALTERNATIVE NAME 2: Ben\n"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("", "empty.csv"),
        ("count,1st\n", "bare.csv"),
        (b"\x00\x01\x02", "binary.soc"),
        (b"Ann,Bj\xf6rn\n", "latin.csv"),
        ("Ann,Ben,Ann\n", "twice.csv"),
        ('"Ann,Ben\n', "quotes.csv"),
        ("count,1st\nmany,Ann\n", "count.csv"),
        ("# NUMBER ALTERNATIVES: x\n", "header.soc"),
        (HEADER + "1: 1,7\n", "stranger.soc"),
        (HEADER + "1: 1,{2\n", "braces.toc"),
        (HEADER + "nonsense\n", "nonsense.soc"),
        ("hello", "kind.pdf"),
    ],
)
def test_broken_files_are_answered_in_a_line(run, ballots, text, name):
    for command in (("winner",), ("winner", "--json"), ("rank", "--rule", "borda")):
        _is_one_line(run(command[0], ballots(text, name), *command[1:]))


@pytest.mark.parametrize(
    "arguments",
    [
        "winner nowhere.soc",
        "winner .",
        "winner BOARD --rule bordo",
        "winner BOARD --rule scoring",
        "winner BOARD --rule approval",
        "winner BOARD --rule scoring:vector=3/1",
        "winner BOARD --rule scoring:vector=a/b/c",
        "winner BOARD --rule copeland:tie=x",
        "winner BOARD --rule copeland:tie=nan --json",
        "winner BOARD --rule copeland:tie",
        "winner BOARD --rule k_approval:k=0",
        "rank BOARD --rule approval",
        "ceiling --welfare joy --culture uniform",
        "ceiling --welfare nash --culture impartial",
        "ceiling --welfare nash --culture nowhere",
        "ceiling --welfare nash --culture uniform --voters 9-2",
        "ceiling --welfare nash --culture uniform --elections 1",
        "sample --culture urn --voters 3 --candidates 3 --out x.soc",
        "sample --culture uniform --voters 0 --candidates 3 --out x.soc",
        "sample --culture uniform --voters 3 --candidates 3 --out x.pdf",
        "sample --culture uniform --voters 3 --candidates 3 --out no/where/x.soc",
        "data fetch nothing",
    ],
)
def test_mistakes_are_answered_in_a_line(run, ballots, monkeypatch, tmp_path, arguments):
    monkeypatch.chdir(tmp_path)
    board = ballots(BOARD)
    _is_one_line(run(*(board if word == "BOARD" else word for word in arguments.split())))
    assert list(tmp_path.iterdir()) == [board]


@pytest.mark.parametrize(
    "arguments", ["nonsense", "rank x.csv", "winner", "sample --voters many", "rules --nonsense"]
)
def test_wrong_usage_keeps_its_own_words(run, arguments):
    code, out, err = run(*arguments.split())
    assert (code, out) == (2, "")
    assert "Usage: elect" in err


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        (OSError(28, "No space left on device"), 2, "elect: No space left on device"),
        (PermissionError(13, "Permission denied", "x.csv"), 2, "elect: x.csv: Permission denied"),
        (MemoryError(), 2, "elect: Out of memory"),
        (ElectError("Two\nlines."), 2, "elect: Two lines.\n"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_accidents(run, ballots, monkeypatch, error, code, told):
    def fail(path):
        raise error

    monkeypatch.setattr(files, "read", fail)
    result = run("winner", ballots(BOARD))
    assert result[:2] == (code, "")
    assert result[2].startswith(told)
    assert result[2].count("\n") == (code == 2)


@pytest.mark.parametrize(
    ("work", "arguments", "told"),
    [
        ("elect.training.train", "train --rule borda", "to continue from the last checkpoint"),
        ("elect.experiments.reproduce", "reproduce table-1", "the same command again to continue"),
    ],
)
def test_who_interrupts_long_work_hears_how_to_go_on(
    run, tmp_path, monkeypatch, work, arguments, told
):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(work, interrupted)
    code, out, err = run(*arguments.split(), "--out", str(tmp_path / "out"))
    assert (code, out) == (130, "")
    assert told in err
    assert err.count("\n") == 1


@pytest.mark.skipif(os.name == "nt", reason="pipes break otherwise there")
@pytest.mark.parametrize("option", ["--help", "--version"])
def test_a_broken_pipe_is_quiet(option):
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "elect", option]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert done.stderr == ""


@pytest.mark.skipif(os.name == "nt", reason="there are no such terminals there")
def test_a_watched_command_keeps_its_output_apart(ballots):
    watching, terminal = os.openpty()
    command = [sys.executable, "-m", "elect", "winner", str(ballots(BOARD)), "--rule", "borda"]
    done = subprocess.run([*command, "--json"], stdout=subprocess.PIPE, stderr=terminal, text=True)
    os.close(terminal)
    assert json.loads(done.stdout)[0]["winners"] == ["Ann", "Ben"]
    assert b"Counting" in os.read(watching, 65536)
    os.close(watching)


def _is_one_line(result):
    code, out, err = result
    assert (code, out) == (2, "")
    assert err.startswith("elect: ")
    assert err.count("\n") == 1
    assert err.endswith("\n")
