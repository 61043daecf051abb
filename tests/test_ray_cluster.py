"""The grid of runs on a Ray cluster of two nodes, of which one is killed in the middle."""

import os
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from elect.errors import ElectError
from elect.experiments import BUDGETS, Run, grid, on_ray, one_by_one
from elect.experiments.ray_cluster import _carry_out, _needs
from elect.experiments.run_attempts import about
from elect.experiments.run_board import run_status
from elect.experiments.runs import RUNS, finished
from elect.training.state import STATE
from trainings import BASE, same, weights

LONG = replace(BASE, steps=300, checkpoint_every=20, validate_every=150)
GRID = [Run(f"seed-{seed}", replace(LONG, seed=seed)) for seed in range(3)]
BROKEN = Run("broken", replace(LONG, start="nowhere"))

# Nothing here waits for long unless something is wrong.
LIMIT = 120.0


# ---------------------------------------------------------------------- two nodes, one killed


@pytest.fixture
def cluster():
    pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    node = {"num_cpus": 1, "object_store_memory": 80 * 2**20, "include_dashboard": False}
    # A node that does not answer is dead after a second or two, rather than half a minute.
    soon = {"health_check_initial_delay_ms": 0, "health_check_period_ms": 500}
    config = {**soon, "health_check_timeout_ms": 1000, "health_check_failure_threshold": 3}
    cluster = Cluster(initialize_head=True, head_node_args={**node, "_system_config": config})
    cluster.add_node(**node)
    yield cluster
    cluster.shutdown()


def kill_in_the_middle(cluster, out: Path) -> None:
    """Once each node has come some way with a run, kill one, worker and all."""
    (node,) = cluster.worker_nodes
    until = time.monotonic() + LIMIT
    while sum(0 < run_status(out / RUNS / run.name).step < LONG.steps for run in GRID) < 2:
        assert time.monotonic() < until
        time.sleep(0.02)
    cluster.remove_node(node, allow_graceful=False)


def times(out: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in (out / RUNS).rglob("*")}


def test_a_killed_node(cluster, tmp_path, capsys):
    out = tmp_path / "cluster"
    killer = threading.Thread(target=kill_in_the_middle, args=(cluster, out))
    killer.start()
    done = {run.name for run in on_ray(cluster.address)([BROKEN, *GRID], out)}
    killer.join()

    assert done == {run.name for run in GRID}
    printed, told = capsys.readouterr()
    assert printed == ""
    (sentence,) = [line for line in told.splitlines() if "failed: " in line]
    assert sentence.startswith("broken failed: There is no trained rule at 'nowhere'")

    list(one_by_one(GRID, tmp_path / "alone"))
    for run in GRID:
        ours, theirs = (tmp_path / where / RUNS / run.name for where in ("cluster", "alone"))
        assert same(weights(ours), weights(theirs))
        assert same(weights(ours, STATE), weights(theirs, STATE))

    # One run was taken up again, from a checkpoint, and by another worker; the others just once.
    first, second, again = sorted(
        (about(out / RUNS / run.name) for run in GRID), key=lambda one: one["attempt"]
    )
    assert [one["attempt"] for one in (first, second, again)] == [1, 1, 2]
    assert [one["from_step"] for one in (first, second)] == [0, 0]
    assert again["from_step"] > 0
    assert len(os.listdir(out / RUNS)) == 4  # with the attempt that failed

    # What is finished needs no cluster any more, and is not touched.
    before = times(out)
    assert [run.name for run in on_ray()(GRID, out)] == [run.name for run in GRID]
    assert times(out) == before
    assert all(finished(out / RUNS / run.name) for run in GRID)


# ---------------------------------------------------------------------- what can go wrong


@pytest.mark.parametrize(
    "address", ["127.0.0.1:1", "nonsense", "host.invalid:6379", ":", "a:99999"]
)
def test_a_bad_address(run, tmp_path, address):
    pytest.importorskip("ray")
    code, out, err = run("reproduce", "all", "--ray", address, "--out", tmp_path)
    assert (code, out) == (2, "")
    assert err.startswith(
        f"elect: No Ray cluster can be reached at '{address}'; give the HOST:PORT"
    )
    assert len(err.splitlines()) == 1


def test_without_ray(run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    code, _, err = run("reproduce", "all", "--ray", "auto", "--out", tmp_path)
    assert code == 2
    assert err.startswith('elect: Clusters need Ray; `pip install "elect[cluster]"` brings it')
    assert len(err.splitlines()) == 1


class Refusing:
    """A Ray that cannot be started."""

    def is_initialized(self):
        return False

    def init(self, *args, **kwargs):
        raise RuntimeError("Version mismatch: 2.40 here, 2.41 there.\nAnd so on.")


def test_a_cluster_that_refuses(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", Refusing())
    with pytest.raises(ElectError, match=r"cannot be used at 'auto': Version mismatch: 2.40 .*\.$"):
        list(on_ray()(GRID, tmp_path))


def test_a_machine_that_does_not_see_the_folder(tmp_path):
    problem = _carry_out(GRID[0], tmp_path / RUNS / "run", tmp_path / RUNS / ".shared", 1)
    assert problem is not None
    assert "does not see" in problem
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("nodes", "cpus", "gpus"),
    [
        ([], 1, 0),
        ([{"CPU": 1.0}, {"CPU": 1.0}], 1, 0),
        ([{"CPU": 64.0}], 2, 0),
        ([{"CPU": 64.0}, {"CPU": 1.0, "GPU": 1.0}], 1, 1),
    ],
)
def test_what_a_run_takes(nodes, cpus, gpus):
    assert _needs([{"Resources": node} for node in nodes]) == {"num_cpus": cpus, "num_gpus": gpus}


def test_the_docs_count_the_runs():
    page = (Path(__file__).parents[1] / "docs" / "scaling.md").read_text("utf-8")
    hours, paper = (len(grid(BUDGETS[name])) for name in ("hours", "paper"))
    assert f"{hours} runs with `--budget hours`, {paper}\nwith `--budget paper`" in page
    assert f"{hours} runs of {BUDGETS['hours'].minutes:.0f} minutes" in page
