"""Ballots as Python lists, dictionaries and tables of pandas, turned into ranks."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from torch import Tensor

from elect import limits
from elect.checking import Count, candidate_counts, checked_names, listed_names
from elect.errors import ElectError
from elect.kernels import UNRANKED, NDArray

Tiers = list[list[Any]]

# What a table of pandas calls the number of voters of a ballot, and a place.
COUNT = {"count", "counts", "weight", "weights", "n", "votes", "voters", "ballots", "number"}
PLACE = re.compile(
    r"[0-9]+|(?:rank|choice|place|position|pref|preference)[ _#-]*[0-9]+|"
    r"(?:[0-9]+(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)"
    r"(?:[ _-](?:rank|choice|place|position|preference))?"
)


def unpacked(ballots: Any, weights: Any) -> tuple[Any, Any]:
    """The ballots as a list, and how many voters cast each, if the ballots say so themselves."""
    counts: list[Any] | None
    if isinstance(ballots, Mapping):
        listed, counts = list(ballots), list(ballots.values())
    elif all(hasattr(ballots, name) for name in ("columns", "isna", "itertuples")):
        listed, counts = _from_table(ballots)
    else:
        return ballots, weights
    if counts is not None and weights is not None:
        raise ElectError("The ballots already have counts; leave out weights.")
    return listed, weights if counts is None else counts


def _from_table(table: Any) -> tuple[list[list[Any]], list[Any] | None]:
    """A ballot a row; empty cells are passed over."""
    labels = [str(label).strip().casefold() for label in table.columns]
    counting = [i for i, label in enumerate(labels) if label in COUNT]
    others = [label for label in labels if label not in COUNT and not PLACE.fullmatch(label)]
    if others:
        raise ElectError(
            f"Column '{others[0][:40]}' is neither a place (1, '1st', 'rank 1') nor 'count'; "
            "leave it out or rename it. If columns are candidates, use Profiles.from_ranks."
        )
    if len(counting) > 1:
        raise ElectError("Two columns say how many voters cast a ballot; keep one.")
    empty = table.isna().to_numpy().tolist()
    rows = [list(row) for row in table.itertuples(index=False, name=None)]
    listed = [
        [_cell(value) for i, value in enumerate(row) if i not in counting and not blank[i]]
        for row, blank in zip(rows, empty, strict=True)
    ]
    return listed, [row[counting[0]] for row in rows] if counting else None


def _cell(value: Any) -> Any:
    # A column of numbers with empty cells is one of floating-point numbers.
    return int(value) if isinstance(value, float) and value.is_integer() else value


def ranks_of_lists(
    ballots: Any, names: Sequence[str] | None, num_candidates: Count | None
) -> tuple[NDArray, tuple[str, ...] | None]:
    """Ranks ``[candidate, ballot]`` of ballots that list numbers or names; a nested list is a tie.

    Numbers that are exactly 1 to m are names: there is no candidate 0 that nobody ranks.
    """
    rows = _rows(ballots)
    if not rows:
        raise ElectError("An election without voters cannot be decided; give at least one ballot.")
    flat = [candidate for row in rows for tier in row for candidate in tier]
    given = None
    if num_candidates is not None:
        given = int(candidate_counts(num_candidates, 1, 0, limits.MOST_CANDIDATES)[0])
    if any(isinstance(candidate, str) for candidate in flat):
        number, names = _by_name(flat, names, given)
    else:
        number, names = _by_number(flat, names, given)
    if not number:
        raise ElectError("An election without candidates cannot be decided; give at least one.")
    what = f"{len(rows):,} ballots times {len(number):,} candidates are {len(rows) * len(number):,}"
    limits.at_most(len(rows) * len(number), "entries", what, "merge equal ballots with weights")
    return _ranks(rows, number), checked_names(names, len(number))


def _rows(ballots: Any) -> list[Tiers]:
    try:
        rows = [[_tier(entry) for entry in ballot] for ballot in ballots]
    except TypeError as error:
        raise ElectError(
            "Give rankings as a list of ballots, each a list of candidates, best first."
        ) from error
    for row in rows:
        for tier in row:
            if not all(isinstance(c, int | str) and not isinstance(c, bool) for c in tier):
                raise ElectError(
                    "A ballot must be a list of candidates, each a whole number or a name."
                )
    return rows


def _tier(entry: Any) -> list[Any]:
    if isinstance(entry, set | frozenset):
        # Sets of text come in another order in every process, and candidates in that of ballots.
        return sorted(entry, key=str)
    if isinstance(entry, list | tuple):
        return list(entry)
    try:
        return [entry.item() if isinstance(entry, np.generic | Tensor) else entry]
    except (ValueError, RuntimeError):
        return [entry]


def _by_name(
    flat: list[Any], names: Sequence[str] | None, given: int | None
) -> tuple[dict[Any, int], Sequence[str]]:
    known = list(dict.fromkeys(flat) if names is None else listed_names(names))
    limits.check_candidates(len(known))
    if given is not None and given != len(known):
        raise ElectError(
            f"num_candidates is {given}, but {len(known)} candidates have names; leave out "
            "num_candidates, or name all candidates with names."
        )
    made = checked_names([str(c) for c in known] if names is None else known, len(known))
    assert made is not None
    return {name: i for i, name in enumerate(known)}, made


def _by_number(
    flat: list[Any], names: Sequence[str] | None, given: int | None
) -> tuple[dict[Any, int], Sequence[str] | None]:
    used = set(flat)
    names = None if names is None else listed_names(names)
    named = None if names is None else len(names)
    if named is not None and given not in (None, named):
        raise ElectError(f"{named} names were given for {given} candidates; name each once.")
    stated = given if named is None else named
    size = max(used, default=0) if stated is None else stated
    limits.check_candidates(size)
    from_one = 0 not in used and size in used
    if from_one and (stated is not None or used == set(range(1, size + 1))):
        # Numbers from 1 on: there is no candidate 0.
        names = [str(c) for c in range(1, size + 1)] if names is None else names
        return {c: c - 1 for c in range(1, size + 1)}, names
    size = max(used, default=-1) + 1 if stated is None else stated
    limits.check_candidates(size)
    return {c: c for c in range(size)}, names


def _ranks(rows: list[Tiers], number: dict[Any, int]) -> NDArray:
    ranks = np.full((len(number), len(rows)), UNRANKED, np.int16)
    for v, row in enumerate(rows):
        above = 0
        for tier in row:
            for candidate in tier:
                if candidate not in number:
                    raise ElectError(
                        f"Ballot {v + 1} ranks {_shown(candidate)}, who is not a candidate; "
                        f"candidates are {_listing(number)}."
                    )
                if ranks[number[candidate], v] != UNRANKED:
                    raise ElectError(
                        f"Ballot {v + 1} ranks {_shown(candidate)} twice; "
                        "rank every candidate at most once."
                    )
                ranks[number[candidate], v] = above
            above += len(tier)
    return ranks


def _shown(candidate: Any) -> str:
    text = repr(candidate) if isinstance(candidate, str) or abs(candidate) < 10**18 else "a number"
    return text if len(text) <= 60 else f"{text[:60]}…"


def _listing(candidates: Iterable[Any]) -> str:
    shown = [str(c)[:60] for c in candidates]
    return ", ".join(shown) if len(shown) <= 12 else f"{', '.join(shown[:12])}, …"
