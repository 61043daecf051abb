"""Keep what `elect reproduce` has found: for the documentation, and for the package.

    elect reproduce all --budget minutes --out report
    python benchmarks/reproduction.py report      # its chapters become results/reproduction/*.json

Of a reproduction with `--budget hours` the chapters also become `src/elect/experiments/recorded/`,
which `--budget minutes` shows of the paper's networks. Learning curves and objectives go there from
`results/learning/`, whatever the folder; without a folder, nothing else is done. Once the paper's
networks are among the curves, they are drawn to `docs/curves.png` and `docs/curves.svg`.
"""

import csv
import json
import sys
from pathlib import Path
from typing import Any

from elect.experiments import NAMES
from elect.experiments.beyond_learning import curves
from elect.experiments.drawing import draw
from elect.experiments.machine import machine
from elect.experiments.mimicking import TITLES
from record import commit, record

ROOT = Path(__file__).parents[1]
LEARNING = ROOT / "results" / "learning"
RECORDED = ROOT / "src" / "elect" / "experiments" / "recorded"
CURVES = {"borda": "Borda", "copeland": "Copeland", "kemeny": "Kemeny"}
OBJECTIVES = ("oracle", "posterior", "expected-welfare", "mimic")


def keep(folder: Path) -> None:
    """The chapters of a reproduction, each a file of results with its commit."""
    for name in NAMES:
        path = folder / f"{name}.json"
        if not path.exists():
            continue
        content = json.loads(path.read_text("utf-8"))
        print("written to", record(f"reproduction/{name}", content.pop("seed"), content))
        if content["budget"] == "hours" and name != "beyond":
            write(name, {**content, "seed": json.loads(path.read_text("utf-8"))["seed"]})


def write(name: str, content: dict[str, Any]) -> None:
    """A file of the package, with the commit that it was measured at."""
    path = RECORDED / f"{name}.json"
    path.write_text(json.dumps({"commit": commit(), **content}, indent=1) + "\n", "utf-8")
    print("recorded in", path.relative_to(ROOT))


def learning_curves(folder: Path | None) -> dict[str, Any]:
    """Minutes and accuracy while training, by rule and network."""
    curves: dict[str, dict[str, list[list[float]]]] = {title: {} for title in CURVES.values()}
    for rule, title in CURVES.items():
        if (one := measured(rule)) is not None:
            curves[title]["tally"] = [[row["minutes"], row[rule]] for row in one["curve"]]
        for network, name in TITLES.items():
            for suffix, label in (("", name), ("-by-borda", f"{name}, numbered by Borda")):
                run = network.replace("_", "-") + suffix
                if points := logged(folder, run, rule):
                    curves[title][label] = points
    return {"curves": {rule: lines for rule, lines in curves.items() if lines}}


def logged(folder: Path | None, run: str, rule: str) -> list[list[float]]:
    """A learning curve from a reproduction's log, at most a hundred points, or from results."""
    path = (folder or Path()) / "runs" / run / "log.csv"
    if folder is not None and path.exists():
        with path.open() as file:
            rows = list(csv.DictReader(file))
        heads = {"copeland": "copeland:tie=0"}
        key = f"validation_accuracy {heads.get(rule, rule)}"
        kept = rows[:: max(1, len(rows) // 100)]
        return [[float(row["minutes"]), float(row[key])] for row in kept]
    one = measured(run)
    if one is None or rule not in one["curve"][0]:
        return []
    return [[row["minutes"], row[rule]] for row in one["curve"]]


def equal_time() -> dict[str, Any]:
    """What each objective has reached in the same minutes."""
    runs = {name: one for name in OBJECTIVES if (one := measured(f"by-{name}")) is not None}
    return {
        "objectives": {
            name: {
                "minutes": one["training_minutes"],
                "steps": one["steps"],
                "figures": next(iter(one["heads"].values()))["paper"],
            }
            for name, one in runs.items()
        }
    }


def measured(name: str) -> dict[str, Any] | None:
    path = LEARNING / f"{name}.json"
    return json.loads(path.read_text()) if path.exists() else None


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    if folder is not None:
        keep(folder)
    about = {"command": "python benchmarks/learning.py", "machine": machine(), "seed": 0}
    for name, content in (("curves", learning_curves(folder)), ("objectives", equal_time())):
        if all(content.values()):
            write(name, {**about, **content})
    picture = curves()
    if picture is not None and any(len(lines) > 1 for lines in picture.data.values()):
        print("drawn to", *draw(picture, ROOT / "docs"))


if __name__ == "__main__":
    main()
