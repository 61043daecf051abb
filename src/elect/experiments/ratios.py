"""Histograms of the welfare ratio: the elected candidate's welfare over the highest."""

from typing import Any

from elect.experiments.chapters import Chapter, Picture
from elect.experiments.grid import NETWORKS, WELFARES
from elect.experiments.mimicking import TITLES
from elect.experiments.recorded import recorded
from elect.experiments.study import Study
from elect.experiments.tables import CEILING, OURS, RULE, TRAINED, Cell, Figures, Row, Table
from elect.experiments.welfare import best_reached, reached

# Who is shown, by what they are called there; the paper's networks with neutral numbers.
SHOWN = {
    "plurality": ("plurality", RULE),
    "borda": ("Borda", RULE),
    "copeland": ("Copeland", RULE),
    "maximin": ("maximin", RULE),
    **{f"{name}-by-borda": (f"{TITLES[name]}, by Borda", TRAINED) for name in NETWORKS},
    "tally": ("tally", OURS),
    "best": ("the best possible rule", CEILING),
}


def histograms(study: Study, number: int, culture: str) -> Chapter:
    """The figure of this number, which is about this culture."""
    found = {welfare: _ratios(study, number, welfare, culture) for welfare in WELFARES}
    name = f"figure-{number}"
    picture = Picture(
        name,
        f"Welfare ratios, {culture}",
        "How often (upwards, on a logarithmic scale) the elected candidate has how much of the "
        "highest welfare (to the right). A line that falls off to the left more steeply belongs to "
        "a rule with fewer bad days.",
        found,
    )
    return Chapter(
        name,
        f"Figure {number}: welfare ratios, {culture}",
        f"Electing the best candidate is one thing; how much is lost when it fails? In {culture} "
        "elections, the elected candidate's welfare over the highest.",
        [_table(found)],
        [picture],
        ["The paper prints no numbers for its histograms."],
    )


def _ratios(study: Study, number: int, welfare: str, culture: str) -> dict[str, dict[str, Any]]:
    found: dict[str, Figures] = dict(reached(study, welfare, culture))
    found["best"] = best_reached(study, welfare, culture)
    ratios = {key: found[key]["welfare_ratio"] for key in SHOWN if key in found}
    kept = recorded(f"figure-{number}")
    if kept is not None and not study.budget.trains:
        for key, ratio in kept["pictures"][0]["data"][welfare].items():
            if SHOWN[key][1] == TRAINED:
                ratios[key] = ratio
    return ratios


def _table(found: dict[str, dict[str, dict[str, Any]]]) -> Table:
    columns: dict[str, str] = {}
    for welfare in WELFARES:
        columns |= {f"{welfare} mean": f"{welfare}, mean", f"{welfare} 0.05": "1 of 20 below"}
    rows = []
    for key, (label, kind) in SHOWN.items():
        cells: dict[str, Cell] = {}
        for welfare in WELFARES:
            if key in found[welfare]:
                cells |= _cells(welfare, found[welfare][key])
        if cells:
            rows.append(Row(label, kind, cells, key=key))
    return Table("Share of the highest welfare", columns, rows)


def _cells(welfare: str, ratio: dict[str, Any]) -> dict[str, Cell]:
    low, high = ratio["mean_interval"]
    bad = ratio["quantile_intervals"]["0.05"]
    count = sum(ratio["histogram"])
    return {
        f"{welfare} mean": Cell(ratio["mean"], (low, high), count),
        f"{welfare} 0.05": Cell(ratio["quantiles"]["0.05"], (bad[0], bad[1]), count),
    }
