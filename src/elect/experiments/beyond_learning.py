"""How `tally` learns: four objectives in equal time, and accuracy against minutes."""

from typing import Any

from elect.experiments.chapters import Picture
from elect.experiments.recorded import recorded
from elect.experiments.tables import OURS, RULE, Cell, Row, Table, measured

WORDS = {
    "oracle": "the optimum that happened to be (oracle)",
    "posterior": "how likely each is the optimum (posterior)",
    "expected-welfare": "the welfare to expect (expected welfare)",
    "mimic": "the winners of the best classical rule, Borda (mimic)",
}


def objectives() -> list[Table]:
    """A welfare learned in equal time by each objective, if that has been recorded."""
    kept = recorded("objectives")
    title = "Objectives in equal time: egalitarian welfare, uniform culture"
    columns = {
        "accuracy": "elects the best",
        "missing": "missing to the ceiling",
        "ratio": "reaches",
    }
    if kept is None:
        cells = {"accuracy": Cell(note="recorded by benchmarks/reproduction.py")}
        return [Table(title, columns, [Row("each objective", RULE, cells)])]
    rows = [
        _objective(words, kept["objectives"][name])
        for name, words in WORDS.items()
        if name in kept["objectives"]
    ]
    note = (
        "What each was shown in training differs; network, elections and minutes do not. To mimic "
        "needs a rule to imitate, and a welfare has none by itself: it is as good as its model."
    )
    return [Table(title, columns, rows, [note])]


def _objective(label: str, run: dict[str, Any]) -> Row:
    figures = run["figures"]
    ratio = figures["welfare_ratio"]
    cells = {
        "accuracy": measured(figures),
        "missing": measured(figures, "shortfall", 4),
        "ratio": Cell(ratio["mean"], (ratio["mean_interval"][0], ratio["mean_interval"][1])),
    }
    return Row(label, OURS, cells, f"{run['minutes']:.1f} minutes, {run['steps']:,} steps")


def curves() -> Picture | None:
    """Accuracy against minutes of training, if that has been recorded."""
    kept = recorded("curves")
    if kept is None:
        return None
    return Picture(
        "curves",
        "Accuracy against training time",
        "Accuracy on held-out elections, of the sizes that each trains on, while training on two "
        "cores; the paper's networks at small size. Dashed: with candidates numbered by Borda "
        "score, an order that answers Borda by itself.",
        kept["curves"],
    )
