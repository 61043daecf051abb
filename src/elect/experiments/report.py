"""What the report of a reproduction shows; ``reproduction.html.jinja`` says how."""

from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from elect import reports
from elect.experiments.chapters import Chapter, Picture
from elect.experiments.errata import errata
from elect.experiments.sources import MEASURED
from elect.experiments.summary import headline, recorded_sources
from elect.experiments.tables import CEILING, GUESS, OURS, PAPER, Cell, Row, Table, origins

About = dict[str, Any]
Values = dict[str, Any]


def page(chapters: Sequence[Chapter], about: About, folder: Path) -> str:
    """The whole report; pictures are taken from the folder, if they could be drawn."""
    return reports.render(
        "reproduction.html.jinja",
        headline=headline(chapters),
        second=second(chapters),
        about=about,
        chapters=[_chapter(one, folder) for one in chapters],
        errata=errata(),
        recorded=origins(recorded_sources(chapters)),
        costs=[(one.title, one.cost) for one in chapters],
    )


# ---------------------------------------------------------------------- the answer


def second(chapters: Sequence[Chapter]) -> str:
    """The gap to the ceiling where welfare is maximized."""
    missing = [
        cell.value
        for chapter in chapters
        for table in chapter.tables
        for row in table.rows
        if row.key == "missing"
        for cell in row.cells.values()
        if cell.value is not None and cell.kind == MEASURED
    ]
    if not missing:
        return "Below each table it is said where its figures come from."
    return (
        "Where welfare is maximized, the measured gap between tally and the best possible rule is "
        f"at most {max(missing):.3f}."
    )


# ---------------------------------------------------------------------- chapters


def _chapter(one: Chapter, folder: Path) -> Values:
    return {
        "name": one.name,
        "title": one.title,
        "asked": one.asked,
        "pictures": [_picture(each, folder) for each in one.pictures if _path(each, folder)],
        "tables": [_table(table) for table in one.tables],
        "notes": one.notes,
    }


def _path(picture: Picture, folder: Path) -> Path | None:
    path = folder / f"{picture.name}.svg"
    return path if path.exists() else None


def _picture(picture: Picture, folder: Path) -> Values:
    path = _path(picture, folder)
    assert path is not None
    # As a picture of its own, so that names inside it meet no others on the page.
    data = b64encode(path.read_bytes()).decode()
    return {"title": picture.title, "caption": picture.full_caption, "data": data}


def _table(table: Table) -> Values:
    return {
        "title": table.title,
        "columns": list(table.columns.values()),
        "rows": [_row(table, row) for row in table.rows],
        "reasons": table.reasons,
        "notes": [note for note in (*table.notes, table.origins()) if note],
        "strips": _strips(table),
    }


def _row(table: Table, row: Row) -> Values:
    notes = {cell.note for cell in row.cells.values() if cell.value is None}
    alone = len(notes) == 1 and all(cell.value is None for cell in row.cells.values())
    return {
        "kind": "chosen" if row.kind == OURS and row.key in ("tally", "accuracy") else row.kind,
        "label": row.label,
        "about": row.remark,
        # Said once for the whole row.
        "said": notes.pop() if alone else None,
        "cells": [_cell(table, row, column) for column in table.columns],
    }


def _cell(table: Table, row: Row, column: str) -> Values:
    cell = row.cells.get(column, Cell())
    return {
        "column": table.columns[column],
        "text": cell.text,
        "mark": table.reasons.index(cell.below) + 1 if cell.below else None,
        "span": cell.span,
        "note": cell.note,
    }


# ---------------------------------------------------------------------- columns as lines


def _strips(table: Table) -> Values | None:
    """Each column as a line, with everyone on it who has a figure there."""
    ours = next((row for row in table.rows if row.key == "tally"), None)
    theirs = [row for row in table.rows if row.kind == PAPER and row.key.startswith("paper-")]
    if ours is None or not theirs:
        return None
    bars = [row for row in table.rows if row.kind == GUESS or row.key == "ceiling"]
    shown = [*((row, "dot") for row in theirs), *((row, "bar") for row in bars), (ours, "us")]
    values = [c.value for row, _ in shown for c in row.cells.values() if c.value is not None]
    low = max(0.0, int(10 * min(values)) / 10)
    high = 1.0 if max(values) > 0.9 else max(values) + 0.02
    lines = {
        title: [
            {
                "look": look,
                "left": 100 * (cell.value - low) / (high - low),
                "title": f"{row.label}: {cell.text}",
            }
            for row, look in shown
            if (cell := row.cells.get(column, Cell())).value is not None
        ]
        for column, title in table.columns.items()
    }
    bar = "the ceiling" if any(row.kind == CEILING for row in bars) else "best other rule's guess"
    return {"lines": lines, "low": low, "high": high, "bar": bar}
