"""How much welfare rules reach: the figures of table 3 and of figures 1 to 3."""

from collections.abc import Mapping
from dataclasses import replace

from elect.experiments.contenders import (
    Contender,
    best_possible,
    exact,
    optimal_vector,
    order,
    tally,
    together,
)
from elect.experiments.mimicking import MARKS, row
from elect.experiments.paper_networks import (
    Found,
    Place,
    Printed,
    key_of,
    network_rows,
    printed_row,
)
from elect.experiments.runs import CULTURES, ORDERS
from elect.experiments.sources import NETWORKS, best_printed, printed
from elect.experiments.study import CANDIDATES, VOTERS, Entry, Study, Where
from elect.experiments.tables import CEILING, ORDER, OURS, RULE, Cell, Figures, Row, Table, measured
from elect.objectives import oracle

# Classical rules by the names of the paper's rows.
CLASSICAL = {
    "plurality": "plurality",
    "borda": "borda",
    "copeland": "copeland:tie=0",
    "maximin": "maximin",
}


def reached(study: Study, welfare: str, culture: str) -> dict[str, Figures]:
    """What each contender reaches of a welfare in a culture."""
    target = oracle(welfare)
    who: dict[str, Contender | None] = {key: exact(spec) for key, spec in CLASSICAL.items()}
    who |= {"order": order("borda"), "optimal": optimal_vector(culture)}
    for network in NETWORKS:
        for by in ORDERS:
            head = f"{welfare}@{culture}"
            who[key_of(network, by)] = study.networks.get((network, by, head))
    entries = {name: Entry(one, target) for name, one in who.items() if one}
    if ours := tally(welfare, culture):
        entries["tally"] = Entry(ours, target, judged=study.budget.judged)
    where = Where(culture, VOTERS, CANDIDATES, study.budget.elections)
    return study.measure(where, entries)


def best_reached(study: Study, welfare: str, culture: str) -> Figures:
    """What the best possible rule reaches, on fewer elections where it is slow."""
    budget = study.budget
    best = Entry(best_possible(culture, welfare, max(64, budget.samples // 2)), oracle(welfare))
    quick = welfare == "utilitarian"
    where = Where(culture, VOTERS, CANDIDATES, budget.elections if quick else budget.judged)
    return study.measure(where, {"best": best})["best"]


def welfare_table(study: Study, welfare: str, number: int) -> Table:
    """How often the candidate of highest welfare is elected, as in table 3."""
    theirs = printed("table-3", welfare)
    found = {culture: reached(study, welfare, culture) for culture in CULTURES}
    heads = [f"{welfare}@{culture}" for culture in CULTURES]
    rows = [
        *network_rows(study, Place("table-3", number), heads, theirs, found),
        row("Borda's order by itself", ORDER, found, "order"),
        *_classical(theirs, found),
        *_vectors(theirs, found),
        *_ours(welfare, found),
    ]
    title = f"{welfare.capitalize()} welfare: how often the best candidate is elected"
    return Table(title, {culture: culture for culture in CULTURES}, rows, [MARKS])


def _classical(theirs: Printed, found: Found) -> list[Row]:
    """The rules that need no training, as printed and as measured."""
    reason = "The same rule on other elections, with ties broken by lot: samples differ."
    rows = []
    for rule in CLASSICAL:
        name = {"borda": "Borda", "copeland": "Copeland"}.get(rule, rule)
        mine = row(name, RULE, found, rule)
        cells = {c: cell.beside(theirs[rule][c], reason) for c, cell in mine.cells.items()}
        rows += [printed_row(name, rule, theirs, "table-3"), replace(mine, cells=cells)]
    return rows


def _vectors(theirs: Printed, found: Found) -> list[Row]:
    """The paper's "Optimal" row, where there is one, and the optimal scoring vectors."""
    label = "optimal scoring vector for each number of candidates"
    ours = row(label, RULE, found, "optimal")
    known = "optimal" in theirs
    return [*([printed_row('"Optimal"', "optimal", theirs, "table-3")] if known else []), ours]


def _ours(welfare: str, found: Found) -> list[Row]:
    """`tally`, the ceiling, and the gap between them on the same draws."""
    rows: dict[str, dict[str, Cell]] = {"tally": {}, "ceiling": {}, "missing": {}}
    for culture, reached in found.items():
        best = best_printed("table-3", culture, welfare)
        for key, cell in _beside_ceiling(reached.get("tally"), best).items():
            rows[key][culture] = cell
    about = together(tally(welfare, culture) for culture in found)
    return [
        Row("tally", OURS, rows["tally"], about, "tally"),
        Row("the ceiling: the best possible rule", CEILING, rows["ceiling"], key="ceiling"),
        Row("gap to the ceiling, on the same draws", CEILING, rows["missing"], key="missing"),
    ]


def _beside_ceiling(figures: Figures | None, best: float) -> Mapping[str, Cell]:
    if figures is None:
        return {"tally": Cell(note="not in the package")}
    ceiling, missing = measured(figures, "ceiling"), measured(figures, "shortfall", 4)
    gap = missing.text if (missing.value or 0) > 0 else "zero"
    reason = (
        f"No rule can be expected to reach more than {ceiling.text}; the gap to that is {gap}. The "
        "paper's sample is another one."
    )
    return {
        "tally": measured(figures).beside(best, reason),
        "ceiling": ceiling,
        "missing": missing,
    }
