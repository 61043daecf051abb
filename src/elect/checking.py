"""Checks of what users hand in: each fault is told in one sentence that says what to do."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from torch import Tensor

from elect.errors import ElectError
from elect.kernels import NDArray

Count = int | Sequence[int] | NDArray | Tensor


def ranks_of_lists(
    ballots: Iterable[Iterable[Any]], names: Sequence[str] | None, num_candidates: Count | None
) -> tuple[NDArray, Sequence[str] | None]:
    """Ballots as lists of candidates, numbers or names, in which a nested list is a tie."""
    rows = [[_tier(entry) for entry in ballot] for ballot in ballots]
    flat = [candidate for row in rows for tier in row for candidate in tier]
    if not all(isinstance(candidate, int | str) for candidate in flat):
        raise ElectError("A ballot must be a list of candidates, each a whole number or a name.")
    if any(isinstance(candidate, str) for candidate in flat):
        names = list(dict.fromkeys(flat)) if names is None else names
        number: dict[Any, int] = {name: i for i, name in enumerate(names)}
    else:
        known = max((c + 1 for c in flat if isinstance(c, int)), default=0)
        size = len(names) if names is not None else num_candidates
        number = {i: i for i in range(known if size is None else int(np.max(size)))}
    ranks = np.full((len(rows), len(number)), -1.0)
    for v, row in enumerate(rows):
        for place, tier in enumerate(row):
            for candidate in tier:
                if candidate not in number:
                    raise ElectError(
                        f"Ballot {v + 1} ranks {candidate!r}, who is not a candidate; "
                        f"candidates are {_listing(number)}."
                    )
                if ranks[v, number[candidate]] >= 0:
                    raise ElectError(
                        f"Ballot {v + 1} ranks {candidate!r} twice; "
                        "rank every candidate at most once."
                    )
                ranks[v, number[candidate]] = place
    return ranks, names


def as_batch(values: Any, what: str) -> NDArray:
    """Values as ``[batch, ballot, candidate]``; a single election becomes a batch of one."""
    try:
        array = values.cpu().numpy() if isinstance(values, Tensor) else np.asarray(values)
    except ValueError as error:
        raise ElectError(f"All rows of {what} must have the same length.") from error
    if array.dtype.kind not in "biuf":
        raise ElectError(f"The {what} must be numbers.")
    if array.ndim == 2:
        array = array[None]
    if array.ndim != 3:
        raise ElectError(
            f"The {what} must have 2 dimensions (ballot, candidate) or 3 with a batch before "
            f"them, not {array.ndim}."
        )
    if 0 in array.shape[1:]:
        what = "voters" if array.shape[1] == 0 else "candidates"
        raise ElectError(f"An election without {what} cannot be decided; give at least one.")
    return array


def candidate_counts(counts: Count | None, batch: int, width: int) -> NDArray:
    if counts is None:
        return np.full(batch, width, np.int64)
    array = np.array(np.broadcast_to(np.asarray(counts, np.int64), (batch,)))
    if (array < 1).any():
        raise ElectError("An election without candidates cannot be decided; give at least one.")
    return array


def voter_counts(weights: Any, batch: int, ballots: int) -> NDArray:
    if weights is None:
        return np.ones((batch, ballots), np.int64)
    array = weights.cpu().numpy() if isinstance(weights, Tensor) else np.asarray(weights)
    if array.shape not in ((ballots,), (batch, ballots)):
        raise ElectError(
            f"Weights of shape {array.shape} do not fit {batch} x {ballots} ballots; "
            "give one number a ballot."
        )
    array = np.broadcast_to(array, (batch, ballots))
    if array.dtype.kind not in "biuf" or not np.all(array == np.floor(array)):
        raise ElectError(
            "Weights must be whole numbers of voters; scale fractions to whole numbers first."
        )
    if (array < 0).any():
        raise ElectError("Weights must not be negative; a weight counts the voters of a ballot.")
    # Points and margins are added up in 64 bits, and scores in floats that are exact to 2^53.
    if (array.astype(np.float64).sum(1) > 1e12).any():
        raise ElectError("An election of more than 10^12 voters is too large to count exactly.")
    if (array.sum(1) == 0).any():
        raise ElectError("An election without voters cannot be decided; give at least one ballot.")
    return np.array(array, np.int64)


def ranking_fault(row: NDArray, place: int, candidates: int, election: int, ballot: int) -> str:
    candidate = int(row[place])
    where = f"Ballot {ballot + 1} of election {election + 1}"
    if not 0 <= candidate < candidates:
        return (
            f"{where} ranks candidate {candidate}, but candidates are numbered 0 to "
            f"{candidates - 1}."
        )
    if (row[:place] == candidate).any():
        return f"{where} ranks candidate {candidate} twice; rank every candidate at most once."
    return f"{where} goes on after a -1, which ends a ballot; move the -1 to its end."


def _tier(entry: Any) -> list[Any]:
    if isinstance(entry, list | tuple | set | frozenset):
        return list(entry)
    return [entry.item() if isinstance(entry, np.generic | Tensor) else entry]


def _listing(candidates: Iterable[Any]) -> str:
    shown = [str(c) for c in candidates]
    return ", ".join(shown) if len(shown) <= 12 else f"{', '.join(shown[:12])}, …"
