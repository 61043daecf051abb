"""Tables of how well rules are mimicked: the same rows, whatever the columns."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from elect.experiments import printed
from elect.experiments.contenders import Contender, exact, order, shelved, tally, together
from elect.experiments.grid import NETWORKS, ORDERS
from elect.experiments.recorded import ABSENT, FAILED, recorded_row
from elect.experiments.study import Entry, Study, Where
from elect.experiments.tables import (
    GUESS,
    ORDER,
    OURS,
    PAPER,
    TRAINED,
    Cell,
    Figures,
    Row,
    Table,
    as_printed,
    empty,
    guessed,
    measured,
)
from elect.objectives import mimic

TITLES = {
    "set_transformer": "Set Transformer",
    "gin": "GIN",
    "deepsets": "DeepSets",
    "mlp": "MLP",
}
# What the paper calls Copeland, whose pairwise ties get no points.
SPECS = {"copeland": "copeland:tie=0"}
NAMES = {
    "plurality": "plurality",
    "borda": "Borda",
    "copeland": "Copeland",
    "maximin": "maximin",
    "kemeny": "Kemeny",
}

TIES = (
    "Accuracy is on elections with one winner. Copeland is the paper's, in which a pairwise tie "
    "brings no points (`copeland:tie=0`)."
)
KEMENY = (
    "The paper keeps tied elections for Kemeny, with whichever winner its solver returns as the "
    "label. Two more rows tell how `tally` does on all elections: how often it elects any of the "
    "tied winners, and how often the one on whom a lot falls, which is what the paper's figure is."
)
MARKS = "Figures are compared with the paper's once they have its two digits."


@dataclass(frozen=True)
class Column:
    """A column: which rule is mimicked, where, and in which part of that.

    Attributes:
        rule: as the paper calls it.
        where: the elections.
        band: the numbers of voters, if not all.
    """

    rule: str
    where: Where
    band: str | None = None

    @property
    def spec(self) -> str:
        return SPECS.get(self.rule, self.rule)

    def of(self, figures: Figures | None) -> Figures | None:
        """The part of the figures that belongs here."""
        if figures is None or self.band is None:
            return figures
        part: Figures | None = figures["by_voters"].get(self.band)
        return part


Columns = Mapping[str, Column]
Asked = tuple[str, str]


def mimicking(
    study: Study,
    chapter: str,
    title: str,
    columns: Columns,
    headers: Mapping[str, str],
    part: str | None = None,
    number: int = 0,
) -> Table:
    """A table with the paper's networks as printed and as trained here, and what else there is.

    Args:
        study: the reproduction.
        chapter: the table's name in the paper.
        title: what it shows.
        columns: what is measured.
        headers: what the columns are called.
        part: the part of the printed table.
        number: which of the chapter's tables it is.
    """
    theirs = printed.printed(chapter, part)
    found = _measure(study, columns)
    rows: list[Row] = []
    for network, name in TITLES.items():
        rows.append(
            Row(f"{name}, the paper", PAPER, as_printed(theirs[network]), key=f"paper-{network}")
        )
        for by in ORDERS:
            rows.append(_trained(study, chapter, number, columns, network, by, theirs, found))
    rows.append(_row("Borda's order by itself", ORDER, columns, found, "order"))
    guesses = {key: guessed(column.of(found[key].get("order"))) for key, column in columns.items()}
    rows.append(Row("best other rule's guess", GUESS, guesses, key="guess"))
    best = {key: printed.best(chapter, key, part) for key in columns}
    rows += _ours(columns, found, best)
    notes = [TIES, *([KEMENY] if any(c.rule == "kemeny" for c in columns.values()) else []), MARKS]
    return Table(title, dict(headers), rows, notes)


def _measure(study: Study, columns: Columns) -> dict[str, dict[str, Figures]]:
    """What everyone reaches, by column and contender; one look at elections serves all columns."""
    groups: dict[Where, dict[Asked, Entry]] = {}
    for column in columns.values():
        groups.setdefault(column.where, {}).update(_entries(study, column))
    found = {where: study.measure(where, entries) for where, entries in groups.items()}
    return {
        key: {
            who: figures
            for (spec, who), figures in found[column.where].items()
            if spec == column.spec
        }
        for key, column in columns.items()
    }


def _entries(study: Study, column: Column) -> dict[Asked, Entry]:
    target = mimic(column.spec)
    who: dict[str, Contender | None] = {"tally": tally(column.spec)}
    for network in NETWORKS:
        for by in ORDERS:
            if network != "mlp" or column.where.voters[1] <= 99:
                who[called(network, by)] = study.networks.get((network, by, column.spec))
    entries = {(column.spec, name): Entry(one, target) for name, one in who.items() if one}
    entries[column.spec, "order"] = Entry(order("borda"), target, guesses=True)
    if column.rule == "kemeny":
        entries[column.spec, "exact"] = Entry(exact(column.spec), target)
    return entries


def called(network: str, by: str | None) -> str:
    """What the row of a network is known by."""
    return f"{network}-by-{by}" if by else network


def _trained(
    study: Study,
    chapter: str,
    number: int,
    columns: Columns,
    network: str,
    by: str | None,
    theirs: Mapping[str, Mapping[str, float | None]],
    found: Mapping[str, Mapping[str, Figures]],
) -> Row:
    """One of the paper's networks as trained here, or as it was recorded."""
    key = called(network, by)
    label = f"{TITLES[network]}, {'numbered by Borda' if by else 'trained here'}"
    some = [one for c in columns.values() if (one := study.networks.get((network, by, c.spec)))]
    if not some:
        kept = None if study.budget.trains else recorded_row(chapter, number, key)
        if kept is not None:
            return replace(kept, about=f"{kept.about}, recorded")
        absent = FAILED if study.budget.trains else ABSENT
        return Row(label, TRAINED, empty(columns, absent), key=key)
    about = some[0].about
    reason = (
        f"{TITLES[network]} here is not the paper's: {about}, there about {printed.PARAMETERS} "
    )
    reason += f"parameters, {printed.COST}."
    cells = {}
    for name, column in columns.items():
        cell = measured(column.of(found[name].get(key))).beside(theirs[network][name], reason)
        takes = theirs[network][name] is not None
        cells[name] = cell if takes else Cell(note="not applicable")
    return Row(label, TRAINED, cells, about, key)


def _row(
    label: str,
    kind: str,
    columns: Columns,
    found: Mapping[str, Mapping[str, Figures]],
    who: str,
) -> Row:
    cells = {key: measured(column.of(found[key].get(who))) for key, column in columns.items()}
    return Row(label, kind, cells, key=who)


def _ours(
    columns: Columns, found: Mapping[str, Mapping[str, Figures]], best: Mapping[str, float]
) -> list[Row]:
    """`tally`, and where ties are kept, what it reaches there."""
    cells = {}
    for key, column in columns.items():
        figures = column.of(found[key].get("tally"))
        cell = replace(measured(figures, digits=4), digits=4)
        if figures is None:
            cell = Cell(note=f"{shelved(column.spec)} is not on the shelf")
        cells[key] = cell.beside(best[key], _why(cell, best[key]))
    about = together([tally(spec) for spec in {column.spec for column in columns.values()}])
    rows = [Row("tally", OURS, cells, about, "tally")]
    kept = {key: column for key, column in columns.items() if column.rule == "kemeny"}
    if not kept:
        return rows
    among = {
        key: measured(c.of(found[key].get("tally")), "any_winner", 4) for key, c in kept.items()
    }
    rows.append(Row("tally, any tied winner", OURS, among, key="any_winner"))
    lots = {}
    for key, column in kept.items():
        cap = measured(column.of(found[key].get("exact")), "one_label").text
        reason = (
            f"A lot decides which tied winner is the label, so that even the exact rule is right "
            f"in {cap} only; the paper's label is its solver's choice, which may have a pattern."
        )
        cell = measured(column.of(found[key].get("tally")), "one_label")
        lots[key] = cell.beside(best[key], reason)
    return [*rows, Row("tally, one winner by lot", OURS, lots, key="one_label")]


def _why(cell: Cell, printed: float) -> str:
    if cell.interval is not None and cell.interval[1] >= printed - 0.005:
        return "The interval reaches up to the paper's figure, which has two digits."
    return "This rule has not been learned as well as the paper's best network has it."
