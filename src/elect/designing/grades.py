"""Files of approvals, grades or ratings."""

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from elect.elections import Profiles
from elect.errors import ElectError, OverLimit
from elect.files import preflib, read
from elect.files.ballots import check_candidates, check_name
from elect.files.reading import text_of
from elect.files.tables import COUNT, PLACE, WHOLE
from elect.kernels import NDArray
from elect.limits import at_most


class Grades(NamedTuple):
    """The ratings of a file.

    Attributes:
        profile: the implied rankings with ties, a batch of one.
        utilities: the ratings scaled to 0 to 1, ``[ballot, candidate]``.
        told: how the utilities were computed, in a sentence.
        approvals: whether all utilities are 0 or 1.
    """

    profile: Profiles
    utilities: NDArray
    told: str
    approvals: bool


def read_grades(path: Path) -> Grades | None:
    """The grades of a file; None if it holds rankings.

    PrefLib's cat files have categories from best to worst, which are taken to be equally far
    apart. A table has a column for each candidate, named in the first row, and a number in each
    cell, the higher the better; a column ``count`` says how many voters a row stands for.
    """
    if path.suffix.lower() == ".cat":
        return _categories(path)
    if path.suffix.lower() in (".csv", ".tsv") and path.is_file():
        return _ratings(path)
    return None


# ---------------------------------------------------------------------- categories


def _categories(path: Path) -> Grades | None:
    profile = read(path)
    text = text_of(path)
    lines = [(i, line.strip()) for i, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not any(preflib.HEADER.match(line) for _, line in lines):
        return None
    ballots = preflib.parse(path, lines)
    stated = re.search(r"^#\s*NUMBER CATEGORIES\s*:\s*([0-9]+)", text, re.MULTILINE)
    count = max([int(stated[1]) if stated else 0, *map(len, ballots.orders)])
    if count < 2:
        raise ElectError(
            f"{path} has one category for all; give a file that tells candidates apart."
        )
    _check_size(path, len(ballots.orders), ballots.names)
    utilities = np.zeros((len(ballots.orders), len(ballots.names)))
    for row, order in zip(utilities, ballots.orders, strict=True):
        for category, members in enumerate(order):
            row[[c - 1 for c in members]] = 1 - category / (count - 1)
    told = (
        "a voter gains 1 from a candidate whom they approve of, and 0 from any other"
        if count == 2
        else f"the {count} grades are taken to be equally far apart, from 1 for the best to 0"
    )
    return _grades(utilities, ballots.counts, profile.names, told)


# ---------------------------------------------------------------------- tables of numbers


def _ratings(path: Path) -> Grades | None:
    head, rows = _table(path)
    column = next((i for i, cell in enumerate(head) if cell.casefold() in COUNT), None)
    names = [cell for i, cell in enumerate(head) if i != column]
    if not _is_rated(names, rows, column):
        return None
    _check_size(path, len(rows), names)
    short = next((line for line, row in rows if len(row) != len(head)), None)
    if short is not None:
        raise ElectError(
            f"{path}, line {short}: this row is not as long as the first; rate every candidate."
        )
    values = np.array(
        [
            [_number(path, line, cell) for i, cell in enumerate(row) if i != column]
            for line, row in rows
        ]
    )
    if column is None:
        counts = [1] * len(rows)
    else:
        counts = [_count(path, line, row[column]) for line, row in rows]
    places = np.arange(1, len(names) + 1)
    if (np.sort(values, 1) == places).all():
        raise ElectError(
            f"{path} seems to hold ranks, with 1 for the best; write the candidates' names in the "
            "cells instead, best first, or ratings, the higher the better."
        )
    low, high = min(0.0, values.min()), values.max()
    if not np.isfinite(high - low):
        raise ElectError(f"{path} has ratings beyond 10^308; divide all by the same number.")
    if low == high:
        raise ElectError(f"{path} rates everyone alike; give a file that tells candidates apart.")
    told = f"ratings are taken as they stand, on one scale for all voters ({low:g} to {high:g})"
    return _grades((values - low) / (high - low), counts, tuple(names), told)


def _check_size(path: Path, rows: int, names: Sequence[str]) -> None:
    check_candidates(path, len(names))
    for name in names:
        check_name(path, name)
    ratings = rows * len(names)
    what = f"{path} has {rows:,} rows x {len(names):,} candidates, {ratings:,} ratings"
    at_most(ratings, "ratings", what)


def _table(path: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    try:
        text = text_of(path)
        delimiter = next((mark for mark in "\t;" if mark in text), ",")
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        rows = [(reader.line_num, [cell.strip() for cell in row]) for row in reader if any(row)]
    except OverLimit:
        raise
    except (ElectError, csv.Error):
        # The reader of rankings will report what is wrong.
        return [], []
    return (rows[0][1], rows[1:]) if rows else ([], [])


def _is_rated(names: list[str], rows: list[tuple[int, list[str]]], column: int | None) -> bool:
    """Whether names stand in the first row, and only numbers below."""
    named = all(name and not WHOLE.fullmatch(name) for name in names)
    placed = all(PLACE.fullmatch(name.casefold()) for name in names)
    cells = [c for _, row in rows for i, c in enumerate(row) if i != column and c]
    return len(names) > 1 and named and not placed and bool(cells) and all(map(_numeric, cells))


def _numeric(cell: str) -> bool:
    return re.fullmatch(r"[+-]?[0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?|[+-]?[0-9]+\.", cell) is not None


def _number(path: Path, line: int, cell: str) -> float:
    if not cell:
        raise ElectError(f"{path}, line {line}: a rating is missing; give everyone a number.")
    return float(cell)


def _count(path: Path, line: int, cell: str) -> int:
    if whole := WHOLE.fullmatch(cell):
        return int(whole[1])
    raise ElectError(f"{path}, line {line}: '{cell}' is not a number of voters; write a whole one.")


def _grades(utilities: NDArray, counts: object, names: tuple[str, ...] | None, told: str) -> Grades:
    profile = Profiles.from_utilities(utilities, counts, names)
    approvals = bool(np.isin(utilities, (0, 1)).all())
    return Grades(profile, utilities, told, approvals)
