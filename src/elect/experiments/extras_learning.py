"""How `tally` learns: four objectives in equal time, and accuracy against minutes.

Both take long to measure, so every reproduction shows what was recorded.
"""

from typing import Any

from elect.experiments.chapters import Picture
from elect.experiments.sources import RECORDED, Source, recorded
from elect.experiments.tables import OURS, RULE, Cell, Row, Table, measured
from elect.measuring.estimates import Estimate

LABELS = {
    "oracle": "the candidate who was best (oracle)",
    "posterior": "how likely each candidate is the best (posterior)",
    "expected-welfare": "the expected welfare of each candidate (expected welfare)",
    "mimic": "the winners of the best classical rule, Borda (mimic)",
}


def objectives() -> Table:
    """A welfare learned in equal time by each objective, as recorded."""
    kept = recorded("objectives")
    title = "Objectives in equal time: egalitarian welfare, uniform culture"
    columns = {
        "accuracy": "elects the best",
        "missing": "gap to the ceiling",
        "ratio": "welfare ratio",
    }
    if kept is None:
        cells = {"accuracy": Cell(note="recorded by benchmarks/reproduction.py")}
        return Table(title, columns, [Row("each objective", RULE, cells)])
    rows = [
        _objective(label, kept["objectives"][name])
        for name, label in LABELS.items()
        if name in kept["objectives"]
    ]
    note = (
        "The objectives differ in what the network is shown in training; network, elections and "
        "minutes are the same. Mimicking needs a rule to imitate and is at best as good as that."
    )
    return Table(title, columns, rows, [note])


def _objective(label: str, run: dict[str, Any]) -> Row:
    source = Source.from_json(run["source"], RECORDED)
    figures = {**run["figures"], "source": source.to_json()}
    ratio = figures["welfare_ratio"]
    low, high = ratio["mean_interval"]
    mean = Estimate(ratio["mean"], low, high, figures["elections"])
    cells = {
        "accuracy": measured(figures),
        "missing": measured(figures, "shortfall", 4),
        "ratio": Cell(mean, source),
    }
    return Row(label, OURS, cells, f"{run['minutes']:.1f} minutes, {run['steps']:,} steps")


def curves(lines: dict[str, Any] | None = None) -> Picture | None:
    """Accuracy against minutes of training: these lines, or those that were recorded."""
    lines = lines or (recorded("curves") or {}).get("curves")
    if lines is None:
        return None
    return Picture(
        "curves",
        "Accuracy against training time",
        "Accuracy on held-out elections, of the sizes that each network trains on, while training "
        "on two cores; the paper's networks at small size. Dashed: with candidates numbered by "
        "Borda score, an order that alone gives Borda's winner.",
        lines,
    )
