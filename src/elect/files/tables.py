"""CSV files with one ballot a row: candidate names, best first.

Commas, semicolons or tabs separate the cells, quotes protect names that contain one of these,
and the text is UTF-8.

- Empty cells are passed over, so they may fill up a truncated ballot.
- ``Ann = Ben`` in a cell is a tie.
- A header is optional. It is a first row in which a cell says count, votes, voters, weight,
  number or ballots, or one that only numbers the places: "1st, 2nd", "Choice 1, Choice 2".
- The column under that cell says how many voters cast the ballot. Without a header, a first
  column of whole numbers does so if no other cell is one. Otherwise each row is one voter.
- A ballot of 0 voters only introduces candidates: it sets their order, which is otherwise that
  of their first appearance, and it names those whom no voter ranks.
"""

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path

from elect.errors import ElectError
from elect.files.ballots import (
    Ballots,
    Order,
    check_candidates,
    check_name,
    check_possible,
    clean,
    fault,
    short,
)

Rows = list[tuple[int, list[str]]]

COUNT = {"count", "counts", "votes", "voters", "weight", "weights", "number", "ballots"}
PLACE = re.compile(
    r"(?:rank|choice|place|position|pref|preference)[ _#-]*[0-9]+|"
    r"(?:[0-9]+(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)"
    r"(?: (?:rank|choice|place|position|preference))?"
)
# Spreadsheets write 3 as 3.0 once a column has had a fraction.
WHOLE = re.compile(r"([0-9]{1,13})(?:\.0*)?")


def parse(path: Path, text: str) -> Ballots:
    """The ballots in the text of a table."""
    rows = _rows(path, text)
    first = [cell.casefold() for cell in rows[0][1]]
    column = next((i for i, cell in enumerate(first) if cell in COUNT), None)
    if _has_ranks(rows, column):
        raise ElectError(
            f"{path} seems to have a column for each candidate and ranks in the cells; "
            "write the candidates' names in the cells instead, best first."
        )
    if column is not None or all(PLACE.fullmatch(cell) for cell in first if cell):
        del rows[0]
    elif _counts_lead([row for _, row in rows]):
        column = 0
    lines = [line for line, _ in rows]
    counts = [1 if column is None else _count(path, line, row, column) for line, row in rows]
    kept = [[cell for i, cell in enumerate(row) if cell and i != column] for _, row in rows]
    numbers: dict[str, int] = {}
    tiers: dict[str, tuple[int, ...]] = {}
    for line, cells in zip(lines, kept, strict=True):
        for cell in cells:
            if cell not in tiers:
                names = [check_name(path, name) for name in _tied(path, line, cell)]
                tiers[cell] = tuple(numbers.setdefault(n, len(numbers) + 1) for n in names)
                check_possible(path, len(numbers))
    if not numbers:
        raise ElectError(f"{path} names no candidate; write a ballot a row, names best first.")
    check_candidates(path, len(numbers))
    orders = [tuple(tiers[cell] for cell in cells) for cells in kept]
    return Ballots(list(numbers), lines, counts, orders)


def _rows(path: Path, text: str) -> Rows:
    unquoted = re.sub(r'"[^"\n]*"', "", text)
    # Names have bare commas more often than semicolons or tabs, so these decide where they occur.
    delimiter = next((mark for mark in "\t;" if mark in unquoted), ",")
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True
    )
    try:
        rows = [(reader.line_num, [clean(cell) for cell in row]) for row in reader]
    except csv.Error as error:
        what = f"the table cannot be split into cells ({error}); check the quotation marks."
        raise fault(path, reader.line_num, what) from None
    rows = [(line, row) for line, row in rows if any(row)]
    if not rows:
        raise ElectError(f"{path} has no ballots; write a ballot a row, names best first.")
    return rows


def _count(path: Path, line: int, row: Sequence[str], column: int) -> int:
    cell = row[column] if column < len(row) else ""
    if whole := WHOLE.fullmatch(cell):
        return int(whole[1])
    what = f"'{short(cell)}' is not a number of voters; write a whole number up to 10^12."
    raise fault(path, line, what)


def _tied(path: Path, line: int, cell: str) -> list[str]:
    names = [name.strip() for name in cell.split("=")]
    if "" in names:
        raise fault(path, line, "'=' is for ties; write a name on each side of it.")
    return names


def _counts_lead(rows: list[list[str]]) -> bool:
    others = [cell for row in rows for cell in row[1:] if cell]
    return (
        len(others) > 0
        and all(WHOLE.fullmatch(row[0]) for row in rows)
        and not any(WHOLE.fullmatch(cell) for cell in others)
    )


def _has_ranks(rows: Rows, column: int | None) -> bool:
    """Whether, the counts aside, names stand in the first row and only numbers in the others."""
    head, *others = [[c for i, c in enumerate(row) if c and i != column] for _, row in rows]
    return (
        any(others)
        and all(WHOLE.fullmatch(cell) for cells in others for cell in cells)
        and not all(WHOLE.fullmatch(c) or PLACE.fullmatch(c.casefold()) for c in head)
    )


def render(path: Path, names: list[str], weights: dict[Order, int]) -> str:
    """The text of a table, with a header and a count."""
    for name in names:
        if "=" in name:
            raise ElectError(
                f"A .csv file cannot name '{name}', as '=' is for ties; "
                f"rename the candidate, or write {path.with_suffix('')} without .csv."
            )
    everyone = tuple((c,) for c in range(len(names)))
    seen = dict.fromkeys(c for order in weights for tier in order for c in tier)
    introduction = {} if tuple((c,) for c in seen) == everyone else {everyone: 0}
    rows = [["count", *(f"rank {k}" for k in range(1, len(names) + 1))]]
    for order, count in [*introduction.items(), *weights.items()]:
        cells = [" = ".join(names[c] for c in tier) for tier in order]
        rows.append([str(count), *cells, *[""] * (len(names) - len(cells))])
    return "".join(",".join(map(_cell, row)) + "\n" for row in rows)


def _cell(text: str) -> str:
    # A bare semicolon or tab would pass for the separator.
    return '"' + text.replace('"', '""') + '"' if set(text) & set(',;\t"') else text
