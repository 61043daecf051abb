"""Checks of user input; each error is one sentence that says what to do."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

import numpy as np
import torch
from torch import Tensor

from elect import limits
from elect.errors import ElectError
from elect.kernels import NDArray, find_bad_ballot

Count = int | Sequence[int] | NDArray | Tensor


# ---------------------------------------------------------------------- numbers


def as_array(values: Any, what: str) -> NDArray:
    """Values as an array of numbers."""
    try:
        array = values.detach().cpu().numpy() if isinstance(values, Tensor) else np.asarray(values)
    except (ValueError, TypeError, RuntimeError) as error:
        raise ElectError(
            f"All rows of {what} must have the same length and hold plain numbers."
        ) from error
    if array.dtype.kind not in "biuf":
        raise ElectError(f"The {what} must be numbers of ordinary size.")
    return array


def as_batch(values: Any, what: str) -> NDArray:
    """Values as ``[batch, ballot, candidate]``; a single election becomes a batch of one."""
    array = as_array(values, what)
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
    limits.check_candidates(array.shape[2])
    return array


def candidate_counts(counts: Count | None, batch: int, width: int, most: int) -> NDArray:
    """The number of candidates of each election, at most ``most``. Default: ``width``."""
    if counts is None:
        return np.full(batch, width, np.int64)
    array = as_array(counts, "numbers of candidates")
    if array.dtype.kind not in "iu" or array.shape not in ((), (1,), (batch,)):
        raise ElectError(
            "Give num_candidates as a whole number, or as one for each election of the batch."
        )
    if (array < 1).any():
        raise ElectError("An election without candidates cannot be decided; give at least one.")
    if (array > most).any():
        raise ElectError(
            f"num_candidates is {int(array.max()):,}, but at most {most:,} candidates are possible "
            "here; give a smaller number."
        )
    return np.array(np.broadcast_to(array, (batch,)), np.int64)


def voter_counts(weights: Any, batch: int, ballots: int) -> NDArray:
    """How many voters cast each ballot. Default: one each."""
    if weights is None:
        return np.ones((batch, ballots), np.int64)
    array = _weights(weights)
    if array.shape not in ((ballots,), (batch, ballots)):
        raise ElectError(
            f"Weights of shape {array.shape} do not fit {batch} x {ballots} ballots; "
            "give one number a ballot."
        )
    array = np.broadcast_to(array, (batch, ballots))
    # Added up as floats first, which cannot overflow, and exactly only if that is safe.
    most = limits.MOST_VOTERS
    if (array.sum(1, dtype=np.float64) > 2 * most).any() or (array.sum(1) > most).any():
        raise _too_many_voters()
    return check_voters(np.array(array, np.int64))


def check_voters(weights: NDArray) -> NDArray:
    """Refuse elections without voters."""
    if (weights.sum(1) == 0).any():
        raise ElectError("An election without voters cannot be decided; give at least one ballot.")
    return weights


def _weights(weights: Any) -> NDArray:
    whole = "Weights must be whole numbers of voters; scale fractions to whole numbers first."
    try:
        array = (
            weights.detach().cpu().numpy() if isinstance(weights, Tensor) else np.asarray(weights)
        )
    except (ValueError, TypeError, RuntimeError) as error:
        raise ElectError(whole) from error
    if array.dtype.kind == "O" and all(type(weight) is int for weight in array.flat):
        raise _too_many_voters()
    if array.dtype.kind not in "iuf" or not np.all(array == np.floor(array)):
        raise ElectError(whole)
    if (array < 0).any():
        raise ElectError("Weights must not be negative; a weight counts the voters of a ballot.")
    return array


def _too_many_voters() -> ElectError:
    return ElectError(
        "An election of more than 10^12 voters is too large to count exactly; divide all weights "
        "by the same number."
    )


# ---------------------------------------------------------------------- names


def checked_names(names: Any, candidates: int) -> tuple[str, ...] | None:
    """The names, if they are distinct, text, and one for each candidate."""
    if names is None:
        return None
    made = listed_names(names)
    if len(made) != candidates:
        raise ElectError(
            f"{len(made)} names were given for {candidates} candidates; name each once."
        )
    check_distinct(made)
    return made


def listed_names(names: Any) -> tuple[str, ...]:
    """The names, if they are text."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise ElectError("Give the candidates' names as a list of text, one for each candidate.")
    made = tuple(islice(names, limits.MOST_CANDIDATES + 1))
    if not all(isinstance(name, str) for name in made):
        stranger = next(name for name in made if not isinstance(name, str))
        raise ElectError(
            f"Names must be text, but one is of type {type(stranger).__name__}; write '1', not 1."
        )
    return made


def check_distinct(names: Sequence[str]) -> None:
    """Refuse names that are too long, or that two candidates share."""
    seen = set[str]()
    for name in names:
        check_name(name)
        if name in seen:
            raise ElectError(f"Two candidates are called '{name}'; give each a name of its own.")
        seen.add(name)


def check_name(name: str) -> None:
    """Refuse a name that is too long."""
    what = f"The name '{name[:20]}…' has {len(name):,} characters"
    limits.at_most(len(name), "name", what, "shorten it")


# ---------------------------------------------------------------------- whole profiles


def check_profiles(ranks: Any, weights: Any, num_candidates: Any) -> None:
    """Refuse tensors that are no elections: kernels use ranks and counts to index memory."""
    _check_types(ranks, weights, num_candidates)
    batch, ballots, candidates = ranks.shape
    if weights.shape != (batch, ballots) or num_candidates.shape != (batch,):
        raise ElectError(
            f"Weights of shape {tuple(weights.shape)} and candidate counts of shape "
            f"{tuple(num_candidates.shape)} do not fit ranks of shape "
            f"{tuple(ranks.shape)}; give one weight a ballot and one count an election."
        )
    limits.check_candidates(candidates)
    if batch:
        counts = candidate_counts(num_candidates, batch, candidates, candidates)
        voters = voter_counts(weights, batch, ballots)
        laid_out = ranks.transpose(1, 2).contiguous().cpu().numpy()
        b, v = find_bad_ballot(laid_out, voters, counts)
        if b >= 0:
            raise ElectError(
                f"Ballot {v + 1} of election {b + 1} has ranks that do not count the candidates "
                "above each; build the election with Profiles.from_ranks, which does so."
            )


def _check_types(ranks: Any, weights: Any, num_candidates: Any) -> None:
    wanted = {"ranks": torch.int16, "weights": torch.int64, "num_candidates": torch.int64}
    for (name, dtype), value in zip(wanted.items(), (ranks, weights, num_candidates), strict=True):
        if not isinstance(value, Tensor) or value.dtype != dtype:
            got = value.dtype if isinstance(value, Tensor) else type(value).__name__
            raise ElectError(f"{name} must be a tensor of {dtype}, not {got}.")
    if ranks.ndim != 3:
        raise ElectError(
            f"ranks must have 3 dimensions (election, ballot, candidate), not {ranks.ndim}."
        )


def ranking_fault(row: NDArray, place: int, candidates: int, election: int, ballot: int) -> str:
    """What is wrong at this place of a ballot."""
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
