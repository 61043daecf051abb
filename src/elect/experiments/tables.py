"""Tables: figures with intervals and sources, beside printed figures, as JSON and as Markdown."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from elect.experiments.sources import Source
from elect.measuring.estimates import Estimate

# The kinds of rows; the report shows each in its own way.
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
        figure: an estimate with its interval, or a plain number; None where there is none.
        source: where the figure comes from.
        note: a word beside it, such as the rule whose guess it is, or why there is no figure.
        printed: what the paper prints for the same.
        below: why the figure is below the printed one, if it is.
        digits: how many digits are shown.
    """

    figure: Estimate | float | None = None
    source: Source | None = None
    note: str = ""
    printed: float | None = None
    below: str = ""
    digits: int = 3

    def __post_init__(self) -> None:
        if self.figure is not None and self.source is None:
            raise ValueError("A figure needs a source.")

    @property
    def value(self) -> float | None:
        return self.figure.value if isinstance(self.figure, Estimate) else self.figure

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval, if one was estimated."""
        return self.figure.interval if isinstance(self.figure, Estimate) else None

    @property
    def elections(self) -> int | None:
        """How many elections were measured."""
        return self.figure.elections if isinstance(self.figure, Estimate) else None

    @property
    def kind(self) -> str:
        """The kind of its source; empty if there is no figure."""
        return self.source.kind if self.source is not None and self.figure is not None else ""

    @property
    def text(self) -> str:
        """The figure as it is shown."""
        return "" if self.value is None else self._rounded(self.value)

    @property
    def span(self) -> str:
        """The interval as it is shown."""
        return "–".join(map(self._rounded, self.interval)) if self.interval else ""

    def _rounded(self, number: float) -> str:
        # Adding zero turns a rounded minus zero into zero.
        return f"{round(number, self.digits) + 0.0:.{self.digits}f}"

    @property
    def worse(self) -> bool:
        """Whether the figure is below the printed one when rounded to two digits, as that is."""
        return (
            self.value is not None
            and self.printed is not None
            and round(self.value + 1e-9, 2) < self.printed
        )

    def beside(self, printed: float | None, reason: str) -> "Cell":
        """The cell beside a printed figure, marked with the reason if it is below that."""
        cell = replace(self, printed=printed)
        return replace(cell, below=reason) if cell.worse else cell

    def to_json(self) -> dict[str, Any]:
        return {
            "value": self.value,
            "interval": self.interval and list(self.interval),
            "elections": self.elections,
            "note": self.note,
            "printed": self.printed,
            "below": self.below,
            "digits": self.digits,
            "source": self.source and self.source.to_json(),
        }

    @classmethod
    def from_json(cls, words: Mapping[str, Any], source: Source | None = None) -> "Cell":
        """The cell in these words; if they name no source, it is the one given."""
        figure: Estimate | float | None = words["value"]
        if figure is not None and words["interval"]:
            low, high = words["interval"]
            figure = Estimate(words["value"], low, high, words["elections"])
        own = Source.from_json(words["source"]) if words.get("source") else source
        rest = {key: words[key] for key in ("note", "printed", "below", "digits") if key in words}
        return cls(figure, own if figure is not None else None, **rest)


@dataclass(frozen=True)
class Row:
    """A line of a table.

    Attributes:
        label: what the row shows.
        kind: one of the kinds above.
        cells: a figure for each column.
        about: what it took to train, or how it was made.
        key: a name for programs.
    """

    label: str
    kind: str
    cells: dict[str, Cell]
    about: str = ""
    key: str = ""

    @property
    def mark(self) -> str:
        """Says that the row was recorded, and when; empty if it was measured or printed."""
        marks = {cell.source.label for cell in self.cells.values() if cell.source and cell.kind}
        return ", ".join(sorted(marks - {""}))

    @property
    def remark(self) -> str:
        """What is said beside the label: that it was recorded, and what it took."""
        return ", ".join(filter(None, [self.mark, self.about]))

    def to_json(self) -> dict[str, Any]:
        return vars(self) | {"cells": {name: cell.to_json() for name, cell in self.cells.items()}}

    @classmethod
    def from_json(cls, words: Mapping[str, Any]) -> "Row":
        cells = {name: Cell.from_json(one) for name, one in words["cells"].items()}
        return cls(**{**words, "cells": cells})


@dataclass(frozen=True)
class Table:
    """Rows and columns, with notes for the reader."""

    title: str
    columns: dict[str, str]
    rows: list[Row]
    notes: list[str] = field(default_factory=list)

    @property
    def cells(self) -> list[Cell]:
        """All cells, row by row."""
        return [cell for row in self.rows for cell in row.cells.values()]

    @property
    def reasons(self) -> list[str]:
        """Why cells are below what is printed, each reason once."""
        return list(dict.fromkeys(cell.below for cell in self.cells if cell.below))

    @property
    def sources(self) -> list[Source]:
        """The sources of its figures, each once."""
        return list(dict.fromkeys(cell.source for cell in self.cells if cell.source))

    def origins(self, known: Collection[Source] = ()) -> str:
        """A sentence on where the figures come from, without the sources that are known."""
        return origins([one for one in self.sources if one not in known])

    def markdown(self, known: Collection[Source] = ()) -> str:
        """The table, and below it reasons, notes, and sources that are not known already."""
        header = ["", *self.columns.values()]
        lines = [[_label(row), *(self._cell(row, c) for c in self.columns)] for row in self.rows]
        marks = [f"{_superscript(i)} {reason}" for i, reason in enumerate(self.reasons, 1)]
        parts = [f"**{self.title}**", grid(header, lines), *marks, *self.notes, self.origins(known)]
        return "\n\n".join(part for part in parts if part)

    def _cell(self, row: Row, column: str) -> str:
        cell = row.cells.get(column, Cell())
        shown = " ".join(filter(None, [cell.text, cell.span and f"({cell.span})", cell.note]))
        return shown + (_superscript(self.reasons.index(cell.below) + 1) if cell.below else "")

    def to_json(self) -> dict[str, Any]:
        return vars(self) | {"rows": [row.to_json() for row in self.rows]}

    @classmethod
    def from_json(cls, words: Mapping[str, Any]) -> "Table":
        rows = [Row.from_json(row) for row in words["rows"]]
        return cls(words["title"], words["columns"], rows, list(words["notes"]))


def origins(sources: Sequence[Source]) -> str:
    """A sentence on where figures come from; empty if there are no sources."""
    return f"Sources: {'; '.join(map(str, sources))}." if sources else ""


def measured(figures: Figures | None, key: str = "accuracy", digits: int = 3) -> Cell:
    """A figure of an evaluation with its interval; empty if there is none."""
    if figures is None or figures.get(key) is None:
        return Cell()
    low, high = figures["interval" if key == "accuracy" else f"{key}_interval"]
    count = figures["untied"] if key == "accuracy" else figures["elections"]
    estimate = Estimate(figures[key], low, high, count)
    return Cell(estimate, Source.from_json(figures["source"]), digits=digits)


def guessed(figures: Figures | None) -> Cell:
    """The best other rule's guess, with its name."""
    cell = measured(figures, "best_guess")
    return replace(cell, note=str(figures["best_guess_rule"])) if figures and cell.text else cell


def as_printed(values: Mapping[str, float | None], source: Source) -> dict[str, Cell]:
    """Printed figures as cells."""
    return {
        name: Cell(note="not applicable") if value is None else Cell(value, source, digits=2)
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
    return f"{name} ({row.remark})" if row.remark else name


def _superscript(number: int) -> str:
    return "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(digit)] for digit in str(number))
