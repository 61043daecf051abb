"""Histograms of the welfare ratio: the elected candidate's welfare over the highest."""

from typing import Any

from elect.experiments.chapters import Chapter, Picture
from elect.experiments.paper_networks import TITLES
from elect.experiments.runs import WELFARES
from elect.experiments.sources import NETWORKS, RECORDED, Source, recorded
from elect.experiments.study import Study
from elect.experiments.tables import CEILING, OURS, RULE, TRAINED, Cell, Figures, Row, Table
from elect.experiments.welfare_tables import best_reached, reached
from elect.measuring.estimates import Estimate

# The lines of the figures, with their labels and kinds; the paper's networks are numbered by Borda.
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
        "The share of elections (vertical, on a logarithmic scale) in which the elected candidate "
        "has a given share of the highest welfare (horizontal). The more steeply a line falls to "
        "the left, the rarer are bad results.",
        found,
    )
    return Chapter(
        name,
        f"Figure {number}: welfare ratios, {culture}",
        f"How much welfare is lost when a rule does not elect the best candidate? In {culture} "
        "elections, the elected candidate's welfare over the highest.",
        [_table(found)],
        [picture],
        ["The paper prints no numbers for its histograms."],
    )


def _ratios(study: Study, number: int, welfare: str, culture: str) -> dict[str, dict[str, Any]]:
    """Welfare ratios by contender, each with its source; recorded ones where none is trained."""
    found: dict[str, Figures] = dict(reached(study, welfare, culture))
    found["best"] = best_reached(study, welfare, culture)
    ratios = {
        key: {**found[key]["welfare_ratio"], "source": found[key]["source"]}
        for key in SHOWN
        if key in found
    }
    kept = recorded(f"figure-{number}")
    if kept is not None and not study.budget.trains:
        source = Source.from_json(kept["source"], RECORDED).to_json()
        for key, ratio in kept["histograms"][welfare].items():
            ratios[key] = {**ratio, "source": source}
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
    count, source = sum(ratio["histogram"]), Source.from_json(ratio["source"])
    (low, high), bad = ratio["mean_interval"], ratio["quantile_intervals"]["0.05"]
    mean = Estimate(ratio["mean"], low, high, count)
    quantile = Estimate(ratio["quantiles"]["0.05"], bad[0], bad[1], count)
    return {f"{welfare} mean": Cell(mean, source), f"{welfare} 0.05": Cell(quantile, source)}
