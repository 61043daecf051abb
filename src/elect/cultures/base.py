"""Shared code of all cultures: records, sizes, seeds, and reproducible threads."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np
import torch
from numba import njit

from elect import limits, specs
from elect.elections import Elections, Profiles
from elect.errors import ElectError
from elect.kernels import UNRANKED, NDArray
from elect.specs import shown

Size = int | tuple[int, int]
Seed = int | np.random.Generator

# Elections per random generator; changing this changes every sample.
CHUNK = 256


@runtime_checkable
class Culture(Protocol):
    """A distribution of elections.

    Sizes are a number, or an inclusive range from which each election draws its own. The same
    seed gives the same elections, whatever the number of threads.
    """

    def __call__(
        self, elections: int, voters: Size, candidates: Size, *, seed: Seed
    ) -> Elections: ...


@dataclass(frozen=True)
class NamedCulture:
    """A culture with a name and metadata.

    Attributes:
        name: its name in commands and in Python.
        make: from settings to the culture: a class, or a function that returns one.
        lay: what its voters are like, for lay people, as the end of a sentence.
        utilities: whether it says how much voters like candidates, and not only how they rank them.
        posterior: whether its utilities can be drawn given the rankings, so that the best possible
            rule and the ceiling are known.
        aliases: other names that users know it by.
    """

    name: str
    make: Callable[..., Culture]
    lay: str
    utilities: bool = False
    posterior: bool = False
    aliases: tuple[str, ...] = ()

    def __call__(self, **settings: Any) -> Culture:
        """The culture with these settings."""
        return specs.call(self.make, self.name, settings)

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return self.make.__doc__


def sizes(
    elections: int, voters: Size, candidates: Size, rng: np.random.Generator
) -> tuple[NDArray, NDArray]:
    """How many voters and how many candidates each election has.

    >>> sizes(2, 3, (4, 4), np.random.default_rng(0))
    (array([3, 3]), array([4, 4]))
    """
    if isinstance(elections, bool) or not isinstance(elections, int | np.integer):
        raise ElectError("The number of elections must be a whole number.")
    if elections < 1:
        raise ElectError(f"Ask for at least one election; {shown(elections)} were asked for.")
    n, m = _bounds(voters, "voters"), _bounds(candidates, "candidates")
    limits.check_candidates(m[1])
    check_entries(elections * n[1] * m[1])
    return (
        rng.integers(*n, elections, endpoint=True),
        rng.integers(*m, elections, endpoint=True),
    )


def check_entries(entries: int) -> None:
    """Refuse to draw more than fits into memory."""
    what = f"The elections to draw have {shown(entries)} entries"
    limits.at_most(entries, "entries", what, "draw fewer or smaller elections at a time")


def generator(seed: Seed) -> np.random.Generator:
    """The generator of a seed."""
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError) as error:
        raise ElectError(f"A seed must be a whole number from 0 on, not {shown(seed)}.") from error


def _bounds(size: Size, what: str) -> tuple[int, int]:
    bounds = size if isinstance(size, tuple) else (size, size)
    if len(bounds) != 2 or not all(map(_whole, bounds)):
        raise ElectError(f"The number of {what} must be a whole number or a range such as (2, 99).")
    low, high = bounds
    if low < 1:
        raise ElectError(f"An election needs {what}; ask for at least 1, not {shown(low)}.")
    if low > high:
        raise ElectError(
            f"The range of {what} must go upwards; write ({shown(high)}, {shown(low)})."
        )
    return int(low), int(high)


def _whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def in_chunks(
    kernel: Callable[..., None], rng: np.random.Generator, *arrays: NDArray, chunk: int = CHUNK
) -> None:
    """Call ``kernel(child, *slices)`` on fixed slices of the batch, each with a generator of its
    own, on as many threads as torch uses."""
    starts = range(0, len(arrays[0]), chunk)
    jobs = [
        (child, *(array[start : start + chunk] for array in arrays))
        for start, child in zip(starts, rng.spawn(len(starts)), strict=True)
    ]
    threads = min(torch.get_num_threads(), len(jobs))
    if threads < 2:
        for job in jobs:
            kernel(*job)
        return
    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(kernel, *job) for job in jobs]:
            done.result()


def blank_ranks(num_voters: NDArray, num_candidates: NDArray) -> NDArray:
    """Ranks ``[batch, candidate, ballot]`` for a kernel to fill, padding everywhere."""
    shape = len(num_voters), num_candidates.max(), num_voters.max()
    return np.full(shape, UNRANKED, np.int16)


def blank_utilities(num_voters: NDArray, num_candidates: NDArray) -> NDArray:
    """Utilities ``[batch, ballot, candidate]`` for a kernel to fill, 0 everywhere."""
    return np.zeros((len(num_voters), num_voters.max(), num_candidates.max()))


def elections_of(
    ranks: NDArray,
    num_voters: NDArray,
    num_candidates: NDArray,
    utilities: NDArray | None = None,
    strict: bool = True,
    names: tuple[str, ...] | None = None,
) -> Elections:
    """Elections from filled ranks, a voter a row; strict says that all ballots are complete."""
    weights = (np.arange(ranks.shape[2]) < num_voters[:, None]).astype(np.int64)
    profiles = Profiles._trusted(
        torch.from_numpy(ranks).transpose(1, 2),
        torch.from_numpy(weights),
        torch.from_numpy(num_candidates),
        names,
        complete=strict,
    )
    return Elections(profiles, None if utilities is None else torch.from_numpy(utilities))


def number(value: Any, what: str, low: float, high: float = np.inf, above: bool = False) -> float:
    """The value as a float if it lies between low and high, or above low if so said."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise ElectError(f"{what} must be a number, not {shown(value)}.")
    # No float is as large as some whole numbers.
    small = abs(cast(float, value)) < 1e300
    if not (small and low <= value <= high) or (above and value == low):
        span = f"between {low:g} and {high:g}" if np.isfinite(high) else f"of at least {low:g}"
        raise ElectError(
            f"{what} must be {f'above {low:g}' if above else span}, not {shown(value)}."
        )
    return float(value)


def yes_or_no(value: Any, what: str) -> None:
    """Refuse what is neither True nor False."""
    if not isinstance(value, bool | np.bool_):
        raise ElectError(f"{what} must be true or false, not {shown(value)}.")


@njit(nogil=True, cache=True)
def rank_row(values: NDArray, ranks: NDArray) -> None:
    """Rank one ballot's values, highest first; of equal values the first stands above."""
    for c in range(len(values)):
        place = 0
        for d in range(c):
            above = values[d] >= values[c]
            place += above
            ranks[d] += 1 - above
        ranks[c] = place
