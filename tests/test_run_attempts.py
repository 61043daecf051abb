"""Several workers at one run: none writes into another's folder, and the first to finish wins."""

import json
import os
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from elect.errors import ElectError
from elect.experiments import BUDGETS, Run, carry_out, grid, run_attempts
from elect.experiments.run_board import run_status
from elect.experiments.runs import DONE, RUNS, check, finished
from elect.training.progress import LOG
from elect.training.state import STATE
from trainings import BASE, quietly, same, weights

RUN = Run("run", BASE)


class Lost(Exception):
    pass


def at_step(monkeypatch, stop, what):
    """Do something, once, when the elections of a step are drawn."""
    real, done = np.random.default_rng, []

    def fuse(seed):
        if isinstance(seed, list) and seed[1] == stop and not done:
            done.append(stop)
            what()
        return real(seed)

    monkeypatch.setattr(np.random, "default_rng", fuse)


def lose(monkeypatch, folder, stop):
    def fail():
        raise Lost

    with monkeypatch.context() as patch:
        at_step(patch, stop, fail)
        with pytest.raises(Lost):
            carry_out(RUN, folder)


@pytest.fixture
def undisturbed(tmp_path):
    quietly(BASE, tmp_path / "undisturbed")
    return tmp_path / "undisturbed"


def test_a_lost_run_goes_on(tmp_path, monkeypatch, undisturbed):
    folder = tmp_path / "runs" / "run"
    assert run_status(folder).cells == ["", "", ""]
    lose(monkeypatch, folder, 3)
    assert not finished(folder)
    assert run_attempts.about(run_attempts.attempts(folder)[1])["from_step"] == 0
    lose(monkeypatch, folder, 11)
    now = run_status(folder)
    assert (now.step, now.steps, now.attempt) == (8, 12, 2)
    assert now.worker.endswith(f" {os.getpid()}")
    # The log has gone further than the checkpoint; what is beyond it is dropped.
    carry_out(RUN, folder)
    assert same(weights(undisturbed), weights(folder))
    assert same(weights(undisturbed, STATE), weights(folder, STATE))
    assert json.loads((folder / run_attempts.ATTEMPT).read_text())["from_step"] == 8
    steps = [line.split(",")[0] for line in (folder / LOG).read_text().splitlines()]
    assert steps == ["step", "5", "10", "12"]
    assert os.listdir(folder.parent) == ["run"]
    assert run_status(folder).cells[0] == "12 of 12"
    assert run_status(folder).cells[2].endswith(", attempt 3")


def test_a_finished_run_is_not_repeated(tmp_path):
    folder = tmp_path / "run"
    carry_out(RUN, folder)
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    carry_out(RUN, folder)
    assert before == {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}


@pytest.mark.parametrize("every", [4, 10**6], ids=["while it writes", "when it has finished"])
def test_believed_lost_and_yet_alive(tmp_path, monkeypatch, undisturbed, every):
    """Another finishes the run in the middle of it; the first then stops and spoils nothing."""
    folder, seen = tmp_path / "runs" / "run", []
    run = Run("run", replace(BASE, checkpoint_every=every))

    def take_over():
        carry_out(run, folder)
        seen.append((folder / DONE).stat())

    at_step(monkeypatch, 6, take_over)
    carry_out(run, folder)
    assert [(folder / DONE).stat()] == seen
    assert run_attempts.about(folder)["attempt"] == 2
    assert same(weights(undisturbed), weights(folder))
    assert os.listdir(folder.parent) == ["run"]


@pytest.mark.parametrize("budget", ["hours", "paper"])
def test_runs_travel(budget):
    """To another machine, they are sent as bytes."""
    runs = grid(BUDGETS[budget])
    assert pickle.loads(pickle.dumps(runs)) == runs
    assert len({run.name for run in runs}) == len(runs)


def test_nobody_has_another_s_folder(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        places = list(pool.map(run_attempts.begin, [tmp_path / "run"] * 40))
    assert len(set(places)) == 40


def test_half_a_checkpoint_is_passed_over(tmp_path, monkeypatch):
    folder = tmp_path / "run"
    lose(monkeypatch, folder, 11)
    lose(monkeypatch, folder, 11)
    (run_attempts.attempts(folder)[2] / STATE).write_bytes(b"half")
    attempt = run_attempts.begin(folder)
    assert run_attempts.about(attempt)["from_step"] == 8


def test_what_is_far_behind_is_removed(tmp_path, monkeypatch):
    folder = tmp_path / "run"
    for _ in range(4):
        lose(monkeypatch, folder, 11)
    assert list(run_attempts.attempts(folder)) == [3, 4]


def test_a_folder_that_is_no_finished_run(tmp_path):
    folder: Path = tmp_path / RUNS / RUN.name
    quietly(BASE, folder)
    with pytest.raises(ElectError, match="not a finished run; move it to"):
        check([RUN], tmp_path)
    folder.with_name("run.attempts").mkdir()
    folder.rename(folder.with_name("run.attempts") / "1")
    check([RUN], tmp_path)
    carry_out(RUN, folder)
    assert run_attempts.about(folder)["from_step"] == 12
