"""A training killed and resumed, or shared out among processes, ends with the same weights."""

import csv
import multiprocessing
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from elect.checkpoints import CARD, WEIGHTS, load, read_tensors
from elect.errors import ElectError
from elect.training import Recipe, saved_recipe
from elect.training.progress import LOG
from elect.training.state import STATE
from trainings import BASE, quietly, same, weights


def quietly_elsewhere(recipe: Recipe, out: Path) -> None:
    """In a process of its own."""
    torch.set_num_threads(1)
    quietly(recipe, out, resume=True)


# ---------------------------------------------------------------------- stopped and resumed


class Stop(Exception):
    pass


VARIANTS = {
    "adam": BASE,
    "lookahead": replace(BASE, optimizer="lookahead", checkpoint_every=3),
    "adamw in parts": replace(BASE, optimizer="adamw", parts=4, entries=800),
    "renumbered": replace(BASE, neutral="plurality"),
    "set transformer": replace(
        BASE,
        network="set_transformer",
        arguments={"attention_heads": 2, "dimension": 4, "max_candidates": 5},
    ),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_resumed_is_undisturbed(tmp_path, monkeypatch, name):
    recipe = VARIANTS[name]
    quietly(recipe, tmp_path / "whole")
    for stop in (2, 6, 9):
        real = np.random.default_rng

        def fuse(seed, stop=stop, real=real):
            if isinstance(seed, list) and seed[1] == stop:
                raise Stop
            return real(seed)

        monkeypatch.setattr(np.random, "default_rng", fuse)
        with pytest.raises(Stop):
            quietly(recipe, tmp_path / "parts", resume=True)
        monkeypatch.undo()
    quietly(saved_recipe(tmp_path / "parts"), tmp_path / "parts", resume=True)
    assert same(weights(tmp_path / "whole"), weights(tmp_path / "parts"))
    assert same(weights(tmp_path / "whole", STATE), weights(tmp_path / "parts", STATE))
    steps = [row["step"] for row in csv.DictReader((tmp_path / "parts" / LOG).open())]
    assert steps == ["5", "10", "12"]
    # Once done, there is nothing left to do.
    (tmp_path / "parts" / CARD).unlink()
    quietly(recipe, tmp_path / "parts", resume=True)
    assert load(tmp_path / "parts").card.accuracy == load(tmp_path / "whole").card.accuracy


LONG = replace(BASE, steps=60, checkpoint_every=3, validate_every=50, optimizer="lookahead")


def test_killed_at_any_moment(tmp_path):
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["test_training_resumed"])
    seed, kills = time.time_ns(), 0
    print(f"The moments are drawn with seed {seed}.")
    rng, out = np.random.default_rng(seed), tmp_path / "killed"
    while not (out / CARD).exists() or load(out).card.steps < LONG.steps:
        worker = context.Process(target=quietly_elsewhere, args=(LONG, out))
        worker.start()
        # Half of the time after a new checkpoint, half of the time whenever.
        before, progress = _age(out / STATE), kills % 2 == 0
        while worker.is_alive() and progress and _age(out / STATE) == before:
            time.sleep(0.001)
        worker.join(float(rng.uniform(0, 0.05 if progress else 0.6)) if kills < 6 else 60)
        if worker.is_alive():
            kills += 1
            worker.kill()
            worker.join()
        else:
            assert worker.exitcode == 0
    assert kills >= 2
    # Half-written files of killed processes are gone, and so is the lock.
    assert sorted(os.listdir(out)) == sorted([CARD, LOG, STATE, WEIGHTS])
    quietly(LONG, tmp_path / "whole")
    assert same(weights(tmp_path / "whole"), weights(out))
    assert same(weights(tmp_path / "whole", STATE), weights(out, STATE))


def _age(path: Path) -> int:
    return path.stat().st_mtime_ns if path.exists() else 0


def test_minutes_are_steps(tmp_path):
    """However many steps fit, they are those of a training of that many steps."""
    recipe = replace(BASE, steps=None, minutes=0.02, checkpoint_every=10**6)
    quietly(recipe, tmp_path / "minutes")
    steps = load(tmp_path / "minutes").card.steps
    assert steps >= 8
    quietly(replace(BASE, steps=steps), tmp_path / "steps")
    assert same(weights(tmp_path / "minutes"), weights(tmp_path / "steps"))
    assert read_tensors(tmp_path / "minutes" / STATE)[1]["state"]["steps"] == steps


def test_a_folder_is_not_overwritten(tmp_path):
    quietly(BASE, tmp_path)
    with pytest.raises(ElectError, match="resume it, or choose another"):
        quietly(BASE, tmp_path)
    with pytest.raises(ElectError, match="another learning_rate"):
        quietly(replace(BASE, learning_rate=1.0), tmp_path, resume=True)
    (tmp_path / STATE).unlink()
    with pytest.raises(ElectError, match="already holds a trained rule; choose"):
        quietly(BASE, tmp_path, resume=True)
    with pytest.raises(ElectError, match="no training to resume"):
        saved_recipe(tmp_path)


def test_a_damaged_state_is_refused(tmp_path):
    quietly(BASE, tmp_path)
    content = (tmp_path / STATE).read_bytes()
    (tmp_path / STATE).write_bytes(content[:-100])
    with pytest.raises(ElectError, match="damaged"):
        quietly(BASE, tmp_path, resume=True)
    (tmp_path / STATE).write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(ElectError, match="damaged"):
        quietly(BASE, tmp_path, resume=True)


# ---------------------------------------------------------------------- several processes

SCRIPT = """
import sys
sys.path.insert(0, {tests!r})
from test_training_resumed import SHARED, quietly_elsewhere
quietly_elsewhere(SHARED, {out!r})
"""

SHARED = replace(BASE, parts=4, batch=16, steps=6)


def test_two_processes_are_one(tmp_path):
    script = tmp_path / "two.py"
    script.write_text(SCRIPT.format(tests=str(Path(__file__).parent), out=str(tmp_path / "two")))
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [*command, "--nproc-per-node", "2", script], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr
    quietly(SHARED, tmp_path / "one")
    one, two = weights(tmp_path / "one"), weights(tmp_path / "two")
    assert all(torch.allclose(one[name], two[name], rtol=0, atol=1e-6) for name in one)


def test_parts_must_be_shared_out_evenly(tmp_path, monkeypatch):
    for key in ("WORLD_SIZE", "LOCAL_WORLD_SIZE"):
        monkeypatch.setenv(key, "3")
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "test")
    with pytest.raises(ElectError, match="multiple"):
        quietly(SHARED, tmp_path)
