"""How much welfare rules reach: what table 3 and figures 1 to 3 are made of."""

from collections.abc import Mapping
from dataclasses import replace

from elect.experiments import printed
from elect.experiments.contenders import (
    Contender,
    best_possible,
    exact,
    optimal_vector,
    order,
    tally,
    together,
)
from elect.experiments.grid import CULTURES, NETWORKS, ORDERS, WELFARES
from elect.experiments.mimicking import MARKS, TITLES, called
from elect.experiments.recorded import ABSENT, FAILED, recorded_row
from elect.experiments.study import CANDIDATES, VOTERS, Entry, Study, Where
from elect.experiments.tables import (
    CEILING,
    ORDER,
    OURS,
    PAPER,
    RULE,
    TRAINED,
    Cell,
    Figures,
    Row,
    Table,
    as_printed,
    empty,
    measured,
)
from elect.objectives import oracle

# Classical rules by the names of the paper's rows.
CLASSICAL = {
    "plurality": "plurality",
    "borda": "borda",
    "copeland": "copeland:tie=0",
    "maximin": "maximin",
}
HEADS = tuple(f"{welfare}@{culture}" for culture in CULTURES for welfare in WELFARES)

Found = dict[str, Figures]


def reached(study: Study, welfare: str, culture: str) -> Found:
    """What everyone reaches of a welfare in a culture, by contender."""
    target = oracle(welfare)
    who: dict[str, Contender | None] = {key: exact(spec) for key, spec in CLASSICAL.items()}
    who |= {"order": order("borda"), "optimal": optimal_vector(culture)}
    for network in NETWORKS:
        for by in ORDERS:
            head = f"{welfare}@{culture}"
            who[called(network, by)] = study.networks.get((network, by, head))
    entries = {name: Entry(one, target) for name, one in who.items() if one}
    if ours := tally(welfare, culture):
        entries["tally"] = Entry(ours, target, judged=study.budget.judged)
    where = Where(culture, VOTERS, CANDIDATES, study.budget.elections)
    return study.measure(where, entries)


def best_reached(study: Study, welfare: str, culture: str) -> Figures:
    """What the best possible rule reaches, on fewer elections, since it takes its time."""
    budget = study.budget
    best = Entry(best_possible(culture, welfare, max(64, budget.samples // 2)), oracle(welfare))
    quick = welfare == "utilitarian"
    where = Where(culture, VOTERS, CANDIDATES, budget.elections if quick else budget.judged)
    return study.measure(where, {"best": best})["best"]


def welfare_table(study: Study, welfare: str, number: int) -> Table:
    """How often the candidate of highest welfare is elected."""
    theirs = printed.printed("table-3", welfare)
    found = {culture: reached(study, welfare, culture) for culture in CULTURES}
    rows: list[Row] = []
    for network, name in TITLES.items():
        cells = as_printed(theirs[network])
        rows.append(Row(f"{name}, the paper", PAPER, cells, key=f"paper-{network}"))
        for by in ORDERS:
            rows.append(_trained(study, welfare, number, network, by, theirs[network], found))
    rows.append(_measured("Borda's order by itself", ORDER, found, "order"))
    rows += _classical(theirs, found)
    rows += _vectors(theirs, found)
    best = {culture: printed.best("table-3", culture, welfare) for culture in CULTURES}
    rows += _ours(welfare, found, best)
    title = f"{welfare.capitalize()} welfare: how often the best candidate is elected"
    return Table(title, {culture: culture for culture in CULTURES}, rows, [MARKS])


def _trained(
    study: Study,
    welfare: str,
    number: int,
    network: str,
    by: str | None,
    theirs: Mapping[str, float | None],
    found: Mapping[str, Found],
) -> Row:
    """One of the paper's networks as trained here, or as it was recorded."""
    key = called(network, by)
    label = f"{TITLES[network]}, {'numbered by Borda' if by else 'trained here'}"
    one = study.networks.get((network, by, f"{welfare}@{CULTURES[0]}"))
    if one is None:
        kept = None if study.budget.trains else recorded_row("table-3", number, key)
        if kept is not None:
            return replace(kept, about=f"{kept.about}, recorded")
        absent = FAILED if study.budget.trains else ABSENT
        return Row(label, TRAINED, empty(CULTURES, absent), key=key)
    reason = (
        f"{TITLES[network]} here is not the paper's: {one.about}, there about "
        f"{printed.PARAMETERS} parameters, {printed.COST}."
    )
    cells = {c: measured(found[c].get(key)).beside(theirs[c], reason) for c in CULTURES}
    return Row(label, TRAINED, cells, one.about, key)


def _measured(label: str, kind: str, found: Mapping[str, Found], who: str) -> Row:
    cells = {culture: measured(found[culture].get(who)) for culture in CULTURES}
    return Row(label, kind, cells, key=who)


def _classical(
    theirs: Mapping[str, Mapping[str, float | None]], found: Mapping[str, Found]
) -> list[Row]:
    """The rules that need no training, as printed and as measured."""
    reason = "The same rule on other elections, with its ties broken by lot: samples differ."
    rows = []
    for rule in CLASSICAL:
        name = {"borda": "Borda", "copeland": "Copeland"}.get(rule, rule)
        rows.append(Row(f"{name}, the paper", PAPER, as_printed(theirs[rule]), key=f"paper-{rule}"))
        mine = _measured(name, RULE, found, rule)
        cells = {c: cell.beside(theirs[rule][c], reason) for c, cell in mine.cells.items()}
        rows.append(replace(mine, cells=cells))
    return rows


def _vectors(
    theirs: Mapping[str, Mapping[str, float | None]], found: Mapping[str, Found]
) -> list[Row]:
    """The paper's "optimal" scoring vector, and the one that is."""
    rows = []
    if "optimal" in theirs:
        cells = as_printed(theirs["optimal"])
        rows.append(Row('"Optimal", the paper', PAPER, cells, key="paper-optimal"))
    label = "optimal scoring vector for each number of candidates"
    return [*rows, _measured(label, RULE, found, "optimal")]


def _ours(welfare: str, found: Mapping[str, Found], best: Mapping[str, float]) -> list[Row]:
    """`tally`, the ceiling, and what is missing to it on the same draws."""
    about = together([tally(welfare, culture) for culture in CULTURES])
    cells, ceilings, missing = {}, {}, {}
    for culture in CULTURES:
        figures = found[culture].get("tally")
        if figures is None:
            cells[culture] = Cell(note="not on the shelf")
            continue
        ceilings[culture] = measured(figures, "ceiling")
        missing[culture] = measured(figures, "shortfall", 4)
        lacking = missing[culture].text if (missing[culture].value or 0) > 0 else "nothing"
        reason = (
            f"No rule can be expected to reach more than {ceilings[culture].text}; of that, "
            f"{lacking} is missing. The paper's sample is another one."
        )
        cells[culture] = measured(figures).beside(best[culture], reason)
    return [
        Row("tally", OURS, cells, about, "tally"),
        Row("the ceiling: the best possible rule", CEILING, ceilings, key="ceiling"),
        Row("missing to it, on the same draws", CEILING, missing, key="missing"),
    ]
