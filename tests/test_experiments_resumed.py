"""A reproduction that is stopped goes on, and does nothing twice."""

import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

from elect.experiments import Budget, Run, grid, reproduce
from elect.experiments import reproduction as module
from elect.experiments import study as studies
from elect.experiments.runs import RUNS, finished
from elect.experiments.store import MEASUREMENTS, Store
from elect.experiments.tables import TRAINED

TINY = Budget("minutes", "tiny", elections=40, judged=8, samples=8)

SCRIPT = """
import sys, time
from elect.experiments import reproduce
from elect.experiments import study
sys.path.insert(0, {tests!r})
from test_experiments_resumed import TINY
real = study.evaluate_together
def slow(*arguments, **options):
    found = real(*arguments, **options)
    time.sleep(0.4)
    return found
study.evaluate_together = slow
reproduce(["table-2", "table-5"], TINY, {out!r})
"""


def times(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in (folder / MEASUREMENTS).iterdir()}


def test_killed_and_called_again(tmp_path):
    out = tmp_path / "killed"
    script = SCRIPT.format(tests=str(Path(__file__).parent), out=str(out))
    worker = subprocess.Popen([sys.executable, "-c", script], env={**os.environ})
    until = time.monotonic() + 120
    while not list((out / MEASUREMENTS).glob("*.json")) if out.exists() else True:
        assert time.monotonic() < until
        assert worker.poll() is None
        time.sleep(0.01)
    worker.kill()
    worker.wait()
    before = times(out)
    assert not (out / "table-5.json").exists()

    reproduce(["table-2", "table-5"], TINY, out)
    after = times(out)
    whole = {name: when for name, when in before.items() if name.endswith(".json")}
    assert whole
    assert all(after[name] == when for name, when in whole.items())
    reproduce(["table-2", "table-5"], TINY, tmp_path / "whole")
    for name in ("table-2", "table-5"):
        one, other = (
            json.loads((p / f"{name}.json").read_text()) for p in (out, tmp_path / "whole")
        )
        assert one["tables"] == other["tables"]


def test_what_is_measured_is_not_measured_again(tmp_path, monkeypatch):
    first = reproduce(["table-2"], TINY, tmp_path)
    calls = []
    real = studies.evaluate_together
    monkeypatch.setattr(
        studies, "evaluate_together", lambda *a, **k: calls.append(len(a[0])) or real(*a, **k)
    )
    again = reproduce(["table-2"], TINY, tmp_path)
    assert calls == []
    assert again.chapters[0].tables == first.chapters[0].tables
    # Another seed, another number of elections, or other weights are another measurement.
    reproduce(["table-2"], TINY, tmp_path, seed=1)
    assert calls == [2, 2, 2]
    reproduce(["table-2"], replace(TINY, elections=41), tmp_path)
    assert len(calls) == 6
    # A damaged measurement is made again, and no other.
    victim = next((tmp_path / MEASUREMENTS).glob("*.json"))
    victim.write_text(victim.read_text()[:50])
    for seed, budget in ((0, TINY), (1, TINY), (0, replace(TINY, elections=41))):
        reproduce("table-2", budget, tmp_path, seed=seed)
    assert calls[6:] == [1]


def test_a_store_knows_what_it_was_told(tmp_path):
    store = Store(tmp_path)
    assert store.get({"a": 1}) is None
    store.put({"a": 1, "b": [2]}, {"value": 0.5})
    assert store.get({"b": [2], "a": 1}) == {"value": 0.5}
    assert store.get({"a": 2, "b": [2]}) is None


def test_trained_networks_are_measured_and_never_trained_again(tmp_path, monkeypatch):
    """Two tiny networks in place of the eight; what they reach does not matter."""
    means = replace(TINY, name="hours", trains=True, minutes=1.0)

    def tiny(budget, seed, heads):
        runs = [run for run in grid(budget, seed, heads) if run.network in ("deepsets", "mlp")]
        return [_tiny(run) for run in runs if run.order or run.network == "mlp"]

    monkeypatch.setattr(module, "grid", tiny)
    made = reproduce(["table-1", "table-2", "table-3"], means, tmp_path)
    names = ["deepsets-by-borda", "mlp", "mlp-by-borda"]
    assert all(finished(tmp_path / RUNS / name) for name in names)
    assert [run["name"] for run in made.about["trainings"]] == names
    assert made.about["command"].endswith("--budget hours --seed 0 --minutes 1")
    table = made.chapters[0].tables[0]
    trained = {row.key: row for row in table.rows if row.kind == TRAINED}
    cells = trained["deepsets-by-borda"].cells
    assert all(cell.value is not None for cell in cells.values())
    assert "3 steps of 8" in trained["mlp"].about
    assert all(bool(cell.below) == cell.worse for cell in cells.values())
    assert any("less than in the paper" in reason for reason in table.reasons)
    assert {cell.source.kind for cell in cells.values()} == {"measured"}
    assert "Table 1: mimicking five rules" in str(made)
    assert "recorded 2026" not in str(made)
    assert trained["gin"].cells["borda"].note == "its training has failed"
    band = row(made.chapters[1].tables[0], "mlp").cells["100-149"]
    assert band.note == "not applicable"
    welfare = row(made.chapters[2].tables[1], "mlp-by-borda")
    assert all(cell.value is not None for cell in welfare.cells.values())

    runs = [path for path in (tmp_path / RUNS).rglob("*") if path.is_file()]
    before = {path: path.stat().st_mtime_ns for path in runs}
    reproduce(["table-1"], means, tmp_path)
    assert {path: path.stat().st_mtime_ns for path in before} == before


def _tiny(run: Run) -> Run:
    arguments = {"width": 8, "layers": 2}
    small = {"steps": 3, "minutes": None, "batch": 8, "validation": 16, "warmup": 10}
    return replace(run, recipe=replace(run.recipe, arguments=arguments, **small))


def row(table, key):
    return next(one for one in table.rows if one.key == key)
