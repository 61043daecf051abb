"""Runs as tasks of a Ray cluster.

A task only calls `carry_out`. Checkpoints are in a folder that all machines share, so a run whose
worker is lost is resumed elsewhere, and a finished run is not repeated.
"""

import logging
import os
import socket
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any
from uuid import uuid4

import torch

from elect.errors import ElectError
from elect.experiments.run_board import board
from elect.experiments.runs import RUNS, Run, Runner, carry_out, finished

# Workers that a run may lose before it fails, since the run itself may kill them.
RETRIES = 20

# Processors of a run: one computes, the other draws the next elections.
CPUS = 2

# Seconds to wait for an address, for workers to start, and between updates of the board.
PATIENCE, WORKER, REFRESH = 5.0, 120.0, 2.0


def on_ray(address: str = "auto") -> Runner:
    """A runner that carries out runs on a Ray cluster.

    Args:
        address: of a running cluster, as ``HOST:PORT``; ``auto`` takes the one that this machine
            belongs to, and starts one on this machine if there is none.
    """
    # Ray reports usage to its makers unless this is set before it starts.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        ray = import_module("ray")
    except ImportError as error:
        raise ElectError(
            'Clusters need Ray; `pip install "elect[cluster]"` brings it, here and on all machines.'
        ) from error
    if address != "auto":
        _reach(address)
    return partial(_spread, ray, None if address == "auto" else address)


def _reach(address: str) -> None:
    """Check the address within seconds; Ray itself would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), PATIENCE).close()
    except (OSError, ValueError, OverflowError) as error:
        raise ElectError(
            f"No Ray cluster can be reached at '{address}'; give the HOST:PORT that `ray start` "
            "told, or auto."
        ) from error


@contextmanager
def _connected(ray: Any, address: str | None) -> Iterator[None]:
    if ray.is_initialized():
        yield
        return
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR, "include_dashboard": False}
    try:
        ray.init(address, **quiet)
    except Exception as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise ElectError(f"Ray cannot be used at '{address or 'auto'}': {reason}") from error
    # Ray tells of lost machines on the output, which belongs to what a command prints; some of it
    # only when it is shut down.
    with redirect_stdout(sys.stderr):
        try:
            yield
        finally:
            ray.shutdown()


def _spread(ray: Any, address: str | None, runs: Sequence[Run], out: Path) -> Iterator[Run]:
    """Carry out all runs and yield each when it is finished; failures are printed."""
    folders = {run.name: (out / RUNS / run.name).resolve() for run in runs}
    left, failed = [], 0
    for run in runs:
        if finished(folders[run.name]):
            yield run
        else:
            left.append(run)
    if not left:
        return
    with _connected(ray, address), _mark(out) as mark:
        for run, problem in _all(ray, left, folders, mark):
            if problem is None:
                yield run
            failed += problem is not None
    if failed == len(runs):
        raise ElectError("All runs failed, for the reasons above.")


def _all(
    ray: Any, runs: Sequence[Run], folders: dict[str, Path], mark: Path
) -> Iterator[tuple[Run, str | None]]:
    """Yield each run when it has ended, with its problem if it failed."""
    nodes = [node for node in ray.nodes() if node["Alive"]]
    _require_shared(ray, nodes, mark)
    needs = _needs(nodes)
    task = ray.remote(max_retries=RETRIES, **needs)(_carry_out)
    waiting = {
        task.options(name=run.name).remote(run, folders[run.name], mark, needs["num_cpus"]): run
        for run in runs
    }
    try:
        with board({run.name: folders[run.name] for run in runs}) as watch:
            while waiting:
                ended, _ = ray.wait(list(waiting), timeout=REFRESH)
                for one in ended:
                    run = waiting.pop(one)
                    problem = _problem(ray, one)
                    watch.end(run.name, problem)
                    yield run, problem
                watch.show()
    finally:
        for one in waiting:
            ray.cancel(one, force=True)


def _require_shared(ray: Any, nodes: Sequence[dict[str, Any]], mark: Path) -> None:
    """Check that all machines see the folder: one that does not would fail run after run."""
    pin = import_module("ray.util.scheduling_strategies").NodeAffinitySchedulingStrategy
    look = ray.remote(num_cpus=0, max_retries=0)(_unseen)
    asked = [
        look.options(scheduling_strategy=pin(node["NodeID"], soft=False)).remote(mark)
        for node in nodes
        if node["Resources"].get("CPU")
    ]
    answered, _ = ray.wait(asked, num_returns=len(asked), timeout=WORKER) if asked else ([], [])
    for one in answered:
        # Ray deals with machines that are lost before they answer.
        with suppress(ray.exceptions.RayError):
            if problem := ray.get(one):
                raise ElectError(problem)


def _unseen(mark: Path) -> str | None:
    """The problem, if this machine does not see the folder."""
    if mark.exists():
        return None
    return (
        f"{socket.gethostname()} does not see {mark.parent}; give a folder with --out that all "
        "machines share."
    )


def _needs(nodes: Sequence[dict[str, Any]]) -> dict[str, int]:
    """What a run reserves: a GPU if any machine has one, and up to two processors."""
    have = [node["Resources"] for node in nodes]
    gpus = int(any(one.get("GPU", 0) >= 1 for one in have))
    cpus = [int(one.get("CPU", 0)) for one in have if one.get("GPU", 0) >= gpus]
    return {"num_cpus": min(CPUS, max([1, *cpus])), "num_gpus": gpus}


def _carry_out(run: Run, folder: Path, mark: Path, threads: int) -> str | None:
    """Carry out a run and return its problem, if any; Ray would retry after an exception."""
    # The machine may have joined after all were asked.
    if problem := _unseen(mark):
        return problem
    # As many threads as Ray has reserved, so that a run computes the same sums everywhere.
    torch.set_num_threads(threads)
    try:
        carry_out(run, folder)
    except ElectError as error:
        return str(error)
    except Exception as error:
        # For the worker's log; the driver prints one sentence.
        traceback.print_exc()
        return f"{type(error).__name__}: {error}"
    return None


def _problem(ray: Any, ended: Any) -> str | None:
    try:
        problem: str | None = ray.get(ended)
    except Exception as error:
        # Ray's own: workers that died too often, or cannot import what a run needs.
        lines = [line for line in str(error).splitlines() if line.strip()]
        return f"its workers were lost ({type(error).__name__}: {lines[-1] if lines else ''})"
    return problem


@contextmanager
def _mark(out: Path) -> Iterator[Path]:
    """A file by which a worker knows that it sees the same folder."""
    mark = (out / RUNS / f".shared-{uuid4().hex}").resolve()
    mark.parent.mkdir(parents=True, exist_ok=True)
    mark.touch()
    try:
        yield mark
    finally:
        with suppress(OSError):
            mark.unlink()
