"""The tutorials run from top to bottom, and the site shows them."""

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))

import notebooks


@pytest.mark.parametrize("path", notebooks.TUTORIALS, ids=lambda path: path.stem)
def test_tutorials_run(path: Path, monkeypatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "Agg")
    notebook = json.loads(path.read_text("utf-8"))
    kept = [len(cell["outputs"]) for cell in notebooks.code_cells(notebook)]
    notebooks.run(notebook)
    assert [len(cell["outputs"]) for cell in notebooks.code_cells(notebook)] == kept


def test_there_are_three_tutorials() -> None:
    assert {path.stem for path in notebooks.TUTORIALS} == {"study", "choosing", "lesson"}
