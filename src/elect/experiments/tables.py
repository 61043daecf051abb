"""Tables: figures with intervals, each beside what is printed, as JSON and as Markdown."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

# What a row of a table is; a page shows each in its own way.
PAPER, TRAINED, ORDER, GUESS, OURS, RULE, CEILING = (
    "paper",
    "trained",
    "order",
    "guess",
    "ours",
    "rule",
    "ceiling",
)

Figures = Mapping[str, Any]


@dataclass(frozen=True)
class Cell:
    """One figure of a table.

    Attributes:
        value: the figure; None where there is none.
        interval: two figures between which the true one lies, with 95 % confidence.
        elections: how many it was measured on.
        note: a word beside it, such as the rule whose guess it is, or why there is no figure.
        printed: what is printed elsewhere for the same.
        below: why it is below what is printed, if it is.
        digits: how many of it are shown.
    """

    value: float | None = None
    interval: tuple[float, float] | None = None
    elections: int | None = None
    note: str = ""
    printed: float | None = None
    below: str = ""
    digits: int = 3

    @property
    def text(self) -> str:
        """The figure alone, as it is shown."""
        return (
            "" if self.value is None else f"{round(self.value, self.digits) + 0.0:.{self.digits}f}"
        )

    @property
    def span(self) -> str:
        """The interval, as it is shown."""
        if self.interval is None:
            return ""
        # Nothing is minus zero.
        low, high = (round(end, self.digits) + 0.0 for end in self.interval)
        return f"{low:.{self.digits}f}–{high:.{self.digits}f}"

    @property
    def worse(self) -> bool:
        """Whether it is below what is printed, once it has as few digits as that."""
        return (
            self.value is not None
            and self.printed is not None
            and round(self.value + 1e-9, 2) < self.printed
        )

    def beside(self, printed: float | None, reason: str) -> "Cell":
        """The cell beside a printed figure, marked with the reason if it is below that."""
        cell = replace(self, printed=printed)
        return replace(cell, below=reason) if cell.worse else cell


@dataclass(frozen=True)
class Row:
    """A line of a table.

    Attributes:
        label: what it is.
        kind: one of the kinds above.
        cells: a figure for each column.
        about: what it took, or how it was made.
        key: what a program knows it by.
    """

    label: str
    kind: str
    cells: dict[str, Cell]
    about: str = ""
    key: str = ""


@dataclass(frozen=True)
class Table:
    """Rows and columns, and what to know when reading them."""

    title: str
    columns: dict[str, str]
    rows: list[Row]
    notes: list[str] = field(default_factory=list)

    @property
    def reasons(self) -> list[str]:
        """Why cells are below what is printed, each once."""
        return list(
            dict.fromkeys(c.below for row in self.rows for c in row.cells.values() if c.below)
        )

    def row(self, key: str) -> Row:
        """The row of this key."""
        return next(row for row in self.rows if row.key == key)

    def markdown(self) -> str:
        """The table, reasons and notes below it."""
        header = ["", *self.columns.values()]
        lines = [[_label(row), *(self._cell(row, c) for c in self.columns)] for row in self.rows]
        marks = [f"{_superscript(i)} {reason}" for i, reason in enumerate(self.reasons, 1)]
        parts = [f"**{self.title}**", grid(header, lines), *marks, *self.notes]
        return "\n\n".join(part for part in parts if part)

    def _cell(self, row: Row, column: str) -> str:
        cell = row.cells.get(column, Cell())
        shown = " ".join(filter(None, [cell.text, cell.span and f"({cell.span})", cell.note]))
        return shown + (_superscript(self.reasons.index(cell.below) + 1) if cell.below else "")

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, words: Mapping[str, Any]) -> "Table":
        """The table that `to_json` put into words."""
        rows = [row_of(row) for row in words["rows"]]
        return cls(words["title"], words["columns"], rows, list(words["notes"]))


def row_of(words: Mapping[str, Any]) -> Row:
    """A row from its words."""
    cells = {
        name: Cell(**{**one, "interval": tuple(one["interval"]) if one["interval"] else None})
        for name, one in words["cells"].items()
    }
    return Row(**{**words, "cells": cells})


def measured(figures: Figures | None, key: str = "accuracy", digits: int = 3) -> Cell:
    """A figure of an evaluation, with its interval; empty if there is none."""
    if figures is None or figures.get(key) is None:
        return Cell()
    ends = figures["interval" if key == "accuracy" else f"{key}_interval"]
    count = figures["untied"] if key == "accuracy" else figures["elections"]
    return Cell(figures[key], (ends[0], ends[1]), count, digits=digits)


def guessed(figures: Figures | None) -> Cell:
    """The best other rule's guess, with its name."""
    cell = measured(figures, "best_guess")
    return replace(cell, note=str(figures["best_guess_rule"])) if figures and cell.text else cell


def as_printed(values: Mapping[str, float | None]) -> dict[str, Cell]:
    """Printed figures, as cells."""
    return {
        name: Cell(note="not applicable") if value is None else Cell(value, digits=2)
        for name, value in values.items()
    }


def empty(columns: Iterable[str], note: str) -> dict[str, Cell]:
    """Cells that say why there is no figure."""
    return {column: Cell(note=note) for column in columns}


def grid(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; all columns but the first are numbers."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _label(row: Row) -> str:
    name = f"**{row.label}**" if row.kind == OURS else row.label
    return f"{name} ({row.about})" if row.about else name


def _superscript(number: int) -> str:
    return "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(digit)] for digit in str(number))
