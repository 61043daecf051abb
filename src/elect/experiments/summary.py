"""A reproduction in short: a headline, a small table for the terminal, and rows for pandas."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from elect.experiments.chapters import Chapter
from elect.experiments.sources import MEASURED, RECORDED, Source
from elect.experiments.tables import TRAINED, Cell, Row, Table, origins


def headline(chapters: Sequence[Chapter]) -> str:
    """How `tally`, as measured, compares with the paper's printed figures."""
    cells = [
        cell
        for chapter, _, row, _, cell in _cells(chapters)
        if chapter.name.startswith("table") and row.key == "tally" and cell.printed is not None
        if cell.kind == MEASURED
    ]
    if not cells:
        return "Figures that the paper does not have."
    good = sum(not cell.worse for cell in cells)
    much = sum(cell.value is not None and cell.value - (cell.printed or 0) > 0.05 for cell in cells)
    return (
        f"In {good} of {len(cells)} cells our small network tally, as measured by this "
        "reproduction, is at or above the best figure that the paper prints for any of its four "
        f"networks, in {much} of them by more than 0.05."
    )


def summary(chapters: Sequence[Chapter], report: Path) -> str:
    """The headline, and how many cells of each chapter are below the printed figures."""
    header = ["cells below the paper's:", "tally", "retrained", "recorded"]
    lines = [header, *(_line(chapter) for chapter in chapters)]
    notes = [
        f"{chapter.title}: {note}"
        for chapter in chapters
        for note in chapter.notes
        if "is missing" in note or "matplotlib" in note
    ]
    recorded = [_sentence(kept)] if (kept := recorded_sources(chapters)) else []
    where = (
        f"Report: {report}. The same folder has JSON and Markdown of each table, and PNG and SVG "
        "of each figure."
    )
    return "\n\n".join([headline(chapters), _aligned(lines), *recorded, *notes, where])


def recorded_sources(chapters: Sequence[Chapter]) -> list[Source]:
    """The sources of all figures that this reproduction did not measure but shows as recorded."""
    tables = chain.from_iterable(table.sources for c in chapters for table in c.tables)
    pictures = chain.from_iterable(picture.sources for c in chapters for picture in c.pictures)
    found = dict.fromkeys(chain(tables, pictures))
    return [source for source in found if source.kind == RECORDED]


def cell_rows(chapters: Sequence[Chapter]) -> list[dict[str, Any]]:
    """A row for each figure, for pandas."""
    return [
        {
            "chapter": chapter.name,
            "table": table.title,
            "row": row.label,
            "column": column,
            "value": cell.value,
            "low": cell.interval and cell.interval[0],
            "high": cell.interval and cell.interval[1],
            "elections": cell.elections,
            "printed": cell.printed,
            "source": cell.kind,
            "date": cell.source.date if cell.source else "",
        }
        for chapter, table, row, column, cell in _cells(chapters)
        if cell.value is not None
    ]


def _cells(chapters: Sequence[Chapter]) -> Iterator[tuple[Chapter, Table, Row, str, Cell]]:
    for chapter in chapters:
        for table in chapter.tables:
            for row in table.rows:
                for column, cell in row.cells.items():
                    yield chapter, table, row, column, cell


def _line(chapter: Chapter) -> list[str]:
    cells = list(_cells([chapter]))
    ours = [cell for _, _, row, _, cell in cells if row.key == "tally"]
    theirs = [cell for _, _, row, _, cell in cells if row.kind == TRAINED]
    measured = [cell for cell in theirs if cell.kind == MEASURED]
    recorded = [cell for cell in theirs if cell.kind == RECORDED]
    return [chapter.title, *map(_below, (ours, measured, recorded))]


def _below(cells: Sequence[Cell]) -> str:
    """How many of these cells are below what the paper prints."""
    beside = [cell for cell in cells if cell.printed is not None and cell.value is not None]
    return f"{sum(bool(cell.below) for cell in beside)} of {len(beside)}" if beside else ""


def _aligned(lines: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def _sentence(sources: Sequence[Source]) -> str:
    """Where recorded figures come from, without the commands, which are long."""
    short = dict.fromkeys(replace(one, command="") for one in sources)
    return origins(list(short)).replace("Sources:", "Not measured by this reproduction:", 1)
