"""Tables of how well rules are mimicked: the same rows, whatever the columns."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from elect.experiments.contenders import Contender, exact, order, shelved, tally, together
from elect.experiments.paper_networks import Found, Place, key_of, network_rows
from elect.experiments.runs import ORDERS
from elect.experiments.sources import NETWORKS, best_printed, printed
from elect.experiments.study import Entry, Study, Where
from elect.experiments.tables import (
    GUESS,
    ORDER,
    OURS,
    Cell,
    Figures,
    Row,
    Table,
    guessed,
    measured,
)
from elect.objectives import mimic

# The paper's Copeland gives no points for a pairwise tie.
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
    "The paper keeps tied elections for Kemeny and takes the winner that its solver returns as the "
    "label. Two more rows show `tally` on all elections: how often it elects any of the tied "
    "winners, and how often it elects one of them that is drawn by lot."
)
MARKS = "Figures are rounded to two digits, as the paper's are, before they are compared with them."


@dataclass(frozen=True)
class Column:
    """A column of a mimicking table.

    Attributes:
        rule: the mimicked rule, as the paper calls it.
        where: the elections.
        band: a range of voters, if only a part of the elections counts.
    """

    rule: str
    where: Where
    band: str | None = None

    @property
    def spec(self) -> str:
        return SPECS.get(self.rule, self.rule)

    def part(self, figures: Figures) -> Figures | None:
        """The figures of the column's band."""
        if self.band is None:
            return figures
        part: Figures | None = figures["by_voters"].get(self.band)
        return None if part is None else {**part, "source": figures["source"]}


Columns = Mapping[str, Column]
Asked = tuple[str, str]


def mimicking(
    study: Study,
    place: Place,
    title: str,
    columns: Columns,
    headers: Mapping[str, str],
    part: str | None = None,
) -> Table:
    """A table of the paper's networks, as printed and as retrained, and of what they compare with.

    Args:
        study: the reproduction.
        place: the table in the paper.
        title: what the table shows.
        columns: what is measured.
        headers: what the columns are called.
        part: the part of the printed table.
    """
    theirs, found = printed(place.chapter, part), _measure(study, columns)
    heads = [column.spec for column in columns.values()]
    guesses = {name: guessed(reached.get("order")) for name, reached in found.items()}
    best = {name: best_printed(place.chapter, name, part) for name in columns}
    rows = [
        *network_rows(study, place, heads, theirs, found),
        row("Borda's order by itself", ORDER, found, "order"),
        Row("best other rule's guess", GUESS, guesses, key="guess"),
        _tally(columns, found, best),
        *_kemeny(columns, found, best),
    ]
    kemeny = [KEMENY] if any(column.rule == "kemeny" for column in columns.values()) else []
    return Table(title, dict(headers), rows, [TIES, *kemeny, MARKS])


def row(label: str, kind: str, found: Found, who: str) -> Row:
    """The accuracy of a contender in each column."""
    cells = {name: measured(reached.get(who)) for name, reached in found.items()}
    return Row(label, kind, cells, key=who)


def _measure(study: Study, columns: Columns) -> dict[str, dict[str, Figures]]:
    """What everyone reaches, by column and contender; columns share their elections."""
    groups: dict[Where, dict[Asked, Entry]] = {}
    for column in columns.values():
        groups.setdefault(column.where, {}).update(_entries(study, column))
    found = {where: study.measure(where, entries) for where, entries in groups.items()}
    return {
        name: {
            who: part
            for (spec, who), figures in found[column.where].items()
            if spec == column.spec and (part := column.part(figures)) is not None
        }
        for name, column in columns.items()
    }


def _entries(study: Study, column: Column) -> dict[Asked, Entry]:
    target = mimic(column.spec)
    who: dict[str, Contender | None] = {"tally": tally(column.spec)}
    for network in NETWORKS:
        for by in ORDERS:
            if network != "mlp" or column.where.voters[1] <= 99:
                who[key_of(network, by)] = study.networks.get((network, by, column.spec))
    entries = {(column.spec, name): Entry(one, target) for name, one in who.items() if one}
    entries[column.spec, "order"] = Entry(order("borda"), target, guesses=True)
    if column.rule == "kemeny":
        entries[column.spec, "exact"] = Entry(exact(column.spec), target)
    return entries


def _tally(columns: Columns, found: Found, best: Mapping[str, float]) -> Row:
    """`tally`, beside the best figure that the paper prints for any of its networks."""
    cells = {}
    for name, column in columns.items():
        cell = replace(measured(found[name].get("tally")), digits=4)
        if cell.figure is None:
            cell = Cell(note=f"{shelved(column.spec)} is not in the package")
        cells[name] = cell.beside(best[name], _why(cell, best[name]))
    about = together(tally(spec) for spec in {column.spec for column in columns.values()})
    return Row("tally", OURS, cells, about, "tally")


def _kemeny(columns: Columns, found: Found, best: Mapping[str, float]) -> Iterable[Row]:
    """`tally` on all elections, tied ones included, where the paper keeps them."""
    tied = [name for name, column in columns.items() if column.rule == "kemeny"]
    if not tied:
        return
    among = {name: measured(found[name].get("tally"), "any_winner", 4) for name in tied}
    yield Row("tally, any tied winner", OURS, among, key="any_winner")
    lots = {}
    for name in tied:
        cap = measured(found[name].get("exact"), "one_label").text
        reason = (
            f"If a lot decides which tied winner is the label, even the exact rule is right in "
            f"only {cap} of elections. The paper's label is its solver's choice, which may have a "
            "pattern that can be learned."
        )
        lots[name] = measured(found[name].get("tally"), "one_label").beside(best[name], reason)
    yield Row("tally, one winner by lot", OURS, lots, key="one_label")


def _why(cell: Cell, printed: float) -> str:
    if cell.interval is not None and cell.interval[1] >= printed - 0.005:
        return "The interval reaches the paper's figure, which has two digits."
    return "This rule was not learned as well as by the paper's best network."
