"""Keep what `elect reproduce` has found: for the documentation, and for the package.

    elect reproduce all --budget hours --out report
    python benchmarks/reproduction.py report      # its chapters become results/reproduction/*.json

Of a reproduction with `--budget hours` the figures of the paper's networks also become
`src/elect/experiments/recorded/`, which `--budget minutes` shows. Learning curves and objectives
go there from `results/learning/`, with or without a folder. Every figure keeps the source that it
was measured with: its date, seed, commit, machine and command. The curves are also drawn to
`docs/curves.png` and `docs/curves.svg`.
"""

import csv
import json
import sys
from pathlib import Path
from typing import Any

from elect.experiments import NAMES
from elect.experiments.chapters import Chapter
from elect.experiments.extras_learning import curves
from elect.experiments.paper_networks import TITLES
from elect.experiments.plots import draw
from elect.experiments.sources import RECORDED, Source, recorded
from elect.experiments.tables import TRAINED, Cell, Table
from elect.experiments.welfare_histograms import SHOWN
from record import RESULTS, ROOT, load, record, record_in_package

CURVES = {"borda": "Borda", "copeland": "Copeland", "kemeny": "Kemeny"}
OBJECTIVES = ("oracle", "posterior", "expected-welfare", "mimic")
# What the table of objectives shows.
FIGURES = ("accuracy", "interval", "untied", "elections", "shortfall", "shortfall_interval")


def keep(folder: Path) -> None:
    """Keep the chapters of a reproduction as results, with the commit and date of that run."""
    for name in NAMES:
        path = folder / f"{name}.json"
        if path.exists():
            # A package without its history knows no commit, and this checkout's is another.
            content = {"commit": "unknown"} | json.loads(path.read_text("utf-8"))
            print("written to", record(f"reproduction/{name}", content["seed"], content))


def keep_networks(name: str) -> None:
    """Put the figures of the paper's networks into the package, if a run of hours has them."""
    content = load(f"reproduction/{name}")
    if content["budget"] != "hours":
        return
    chapter = Chapter.from_json(content)
    found = histograms(chapter) if chapter.pictures else tables(chapter)
    print("recorded in", record_in_package(name, found))


def tables(chapter: Chapter) -> dict[str, Any]:
    """The rows of the paper's networks, as retrained, in each table."""
    source = trained_cells(chapter.tables[0])[0].source
    assert source is not None
    parts = [
        {row.key: {"about": row.about, "cells": cells(row.cells, source)} for row in table.rows
         if row.kind == TRAINED and row.about}
        for table in chapter.tables
    ]  # fmt: skip
    return {"source": source.as_recorded().to_json(), "tables": parts}


def trained_cells(table: Table) -> list[Cell]:
    rows = [row for row in table.rows if row.kind == TRAINED]
    return [cell for row in rows for cell in row.cells.values() if cell.value is not None]


def cells(found: dict[str, Cell], source: Source) -> dict[str, Any]:
    """Figures, intervals and numbers of elections; a source only where it is another one."""
    kept = {}
    for name, cell in found.items():
        if cell.value is not None and cell.source is not None:
            words = {key: cell.to_json()[key] for key in ("value", "interval", "elections")}
            other = {} if cell.source == source else {"source": cell.source.as_recorded().to_json()}
            kept[name] = words | other
    return kept


def histograms(chapter: Chapter) -> dict[str, Any]:
    """The welfare ratios of the paper's networks, numbered by Borda."""
    lines = {
        welfare: {key: ratio for key, ratio in panel.items() if SHOWN[key][1] == TRAINED}
        for welfare, panel in chapter.pictures[0].data.items()
    }
    found = {Source.from_json(ratio["source"]) for one in lines.values() for ratio in one.values()}
    assert len(found) == 1, "the histograms come from several runs"
    bare = {
        welfare: {
            key: {name: value for name, value in ratio.items() if name != "source"}
            for key, ratio in panel.items()
        }
        for welfare, panel in lines.items()
    }
    return {"source": found.pop().as_recorded().to_json(), "histograms": bare}


def learning_curves(folder: Path | None) -> dict[str, Any]:
    """Minutes and accuracy while training, by rule and network, each with its source."""
    before = (recorded("curves") or {"curves": {}})["curves"]
    found: dict[str, dict[str, Any]] = {title: {} for title in CURVES.values()}
    for rule, title in CURVES.items():
        if (one := measured(rule)) is not None:
            found[title]["tally"] = line([[row["minutes"], row[rule]] for row in one["curve"]], one)
        for network, name in TITLES.items():
            for suffix, label in (("", name), ("-by-borda", f"{name}, numbered by Borda")):
                new = logged(folder, network.replace("_", "-") + suffix, rule)
                # Without the folder of the run, its curve stays as it was recorded.
                if kept := new or before.get(title, {}).get(label):
                    found[title][label] = kept
    return {"curves": {rule: lines for rule, lines in found.items() if lines}}


def line(points: list[list[float]], about: dict[str, Any]) -> dict[str, Any]:
    return {"points": points, "source": Source.from_json(about, RECORDED).to_json()}


def logged(folder: Path | None, run: str, rule: str) -> dict[str, Any] | None:
    """A learning curve from the log of a reproduction's run, of about a hundred points."""
    if folder is None or not (path := folder / "runs" / run / "log.csv").exists():
        return None
    with path.open() as file:
        rows = list(csv.DictReader(file))
    key = f"validation_accuracy {'copeland:tie=0' if rule == 'copeland' else rule}"
    some = rows[:: max(1, len(rows) // 100)]
    about = json.loads(next(folder.glob("table-*.json")).read_text("utf-8"))
    return line([[float(row["minutes"]), float(row[key])] for row in some], about)


def equal_time() -> dict[str, Any]:
    """What each objective has reached in the same minutes, with its source."""
    runs = {name: one for name in OBJECTIVES if (one := measured(f"by-{name}")) is not None}
    return {"objectives": {name: objective(one) for name, one in runs.items()}}


def objective(one: dict[str, Any]) -> dict[str, Any]:
    figures = next(iter(one["heads"].values()))["paper"]
    ratio = {key: figures["welfare_ratio"][key] for key in ("mean", "mean_interval")}
    return {
        "minutes": one["training_minutes"],
        "steps": one["steps"],
        "figures": {**{key: figures[key] for key in FIGURES}, "welfare_ratio": ratio},
        "source": Source.from_json(one, RECORDED).to_json(),
    }


def measured(name: str) -> dict[str, Any] | None:
    exists = (RESULTS / "learning" / f"{name}.json").exists()
    return load(f"learning/{name}") if exists else None


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    if folder is not None:
        keep(folder)
    for name in NAMES:
        if name != "beyond":
            keep_networks(name)
    for name, content in (("curves", learning_curves(folder)), ("objectives", equal_time())):
        print("recorded in", record_in_package(name, content))
    # Read again, since the file has just been written.
    picture = curves(learning_curves(folder)["curves"])
    if picture is not None and any(len(lines) > 1 for lines in picture.data.values()):
        print("drawn to", *draw(picture, ROOT / "docs"))


if __name__ == "__main__":
    main()
