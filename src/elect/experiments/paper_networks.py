"""Rows of the paper's networks: as printed, as retrained here, or as recorded earlier."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from elect.experiments import sources
from elect.experiments.contenders import Contender
from elect.experiments.runs import ORDERS
from elect.experiments.sources import Source
from elect.experiments.study import Study
from elect.experiments.tables import PAPER, TRAINED, Cell, Figures, Row, as_printed, empty, measured

TITLES = {
    "set_transformer": "Set Transformer",
    "gin": "GIN",
    "deepsets": "DeepSets",
    "mlp": "MLP",
}

# Why there is no figure: it was not recorded, or a training of this reproduction failed.
ABSENT, FAILED = "trained by `--budget hours`", "its training has failed"

Printed = Mapping[str, Mapping[str, float | None]]
# What everyone reaches, by column and by contender.
Found = Mapping[str, Mapping[str, Figures]]


class Place(NamedTuple):
    """A table in the paper: the name of its chapter, and its number there."""

    chapter: str
    number: int = 0


def key_of(network: str, order: str | None) -> str:
    """The key of a network's row."""
    return f"{network}-by-{order}" if order else network


def network_rows(
    study: Study, place: Place, heads: Iterable[str], theirs: Printed, found: Found
) -> list[Row]:
    """Each of the paper's networks as printed, and below that as retrained or recorded."""
    rows, heads = [], list(heads)
    for network in TITLES:
        rows.append(printed_row(TITLES[network], network, theirs, place.chapter))
        for order in ORDERS:
            some = [study.networks.get((network, order, head)) for head in heads]
            one = next(filter(None, some), None)
            rows.append(_retrained(study, place, network, order, one, theirs[network], found))
    return rows


def printed_row(title: str, row: str, theirs: Printed, chapter: str) -> Row:
    """A row of the paper's table."""
    cells = as_printed(theirs[row], sources.printed_source(chapter))
    return Row(f"{title}, the paper", PAPER, cells, key=f"paper-{row}")


def _retrained(
    study: Study,
    place: Place,
    network: str,
    order: str | None,
    one: Contender | None,
    theirs: Mapping[str, float | None],
    found: Found,
) -> Row:
    key = key_of(network, order)
    label = f"{TITLES[network]}, retrained{', numbered by Borda' if order else ''}"
    if one is not None:
        about, cells = one.about, {name: measured(found[name].get(key)) for name in found}
    elif study.budget.trains or (kept := recorded_row(place, key)) is None:
        absent = FAILED if study.budget.trains else ABSENT
        return Row(label, TRAINED, empty(found, absent), key=key)
    else:
        about, cells = kept
    spent = Row(label, TRAINED, cells, about).remark
    reason = (
        f"{TITLES[network]} was retrained with less than in the paper ({spent}); the paper's has "
        f"about {sources.PARAMETERS} parameters and took {sources.COST}."
    )
    shown = {
        name: Cell(note="not applicable")
        if theirs[name] is None
        else cells.get(name, Cell()).beside(theirs[name], reason)
        for name in found
    }
    return Row(label, TRAINED, shown, about, key)


def recorded_row(place: Place, key: str) -> tuple[str, dict[str, Cell]] | None:
    """A row recorded by `--budget hours`: what the training took, and the cells."""
    content = sources.recorded(place.chapter)
    row = content and content["tables"][place.number].get(key)
    if not content or not row:
        return None
    source = Source.from_json(content["source"], sources.RECORDED)
    cells = {name: Cell.from_json(cell, source) for name, cell in row["cells"].items()}
    return row["about"], cells
