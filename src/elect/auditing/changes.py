"""Elections made from others by a change: voters leave, ballots change, candidates swap names.

Everything here works on whole batches. An election is changed in several ways, each a *trial*:
``origin`` says for each trial which election of the batch it comes from.
"""

from dataclasses import dataclass, field

import numpy as np
import torch

from elect.elections import Profiles
from elect.kernels import UNRANKED, NDArray


@dataclass(frozen=True, eq=False)
class Trials:
    """Changed elections beside those that they come from.

    Attributes:
        origin: the election of the batch that each trial comes from.
        parts: the changed elections, as many batches as a trial has of them.
        facts: what was changed, an array by name with an entry for each trial.
    """

    origin: NDArray
    parts: tuple[Profiles, ...] = ()
    facts: dict[str, NDArray] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.origin)

    def __getitem__(self, trial: int) -> "Trials":
        """One trial, as if it were the only one of a batch of one election."""
        parts = tuple(part[trial] for part in self.parts)
        facts = {name: array[trial : trial + 1] for name, array in self.facts.items()}
        return Trials(np.zeros(1, np.int64), parts, facts)


def numbers(profiles: Profiles) -> tuple[NDArray, NDArray]:
    """How many vote and how many stand."""
    return profiles.num_voters.numpy(), profiles.num_candidates.numpy()


def pick(possible: NDArray, most: int, rng: np.random.Generator) -> tuple[NDArray, ...]:
    """The indices of what is possible ``[election, ...]``: for each election all, or ``most`` of
    them drawn at random.

    >>> pick(np.array([[True, False], [True, True]]), 1, np.random.default_rng(0))
    (array([0, 1]), array([0, 1]))
    """
    places = np.nonzero(possible)
    if len(places[0]) and np.bincount(places[0]).max() > most:
        order = np.lexsort((rng.random(len(places[0])), places[0]))
        owner = places[0][order]
        turn = np.arange(len(owner)) - np.searchsorted(owner, owner)
        kept = np.sort(order[turn < most])
        places = tuple(axis[kept] for axis in places)
    return places


def equals(profiles: Profiles) -> NDArray:
    """Which ballots ``[election, ballot, ballot]`` are cast and equal."""
    ranks, weights, _ = profiles.arrays
    factors = np.random.default_rng(0).integers(1, 2**62, ranks.shape[1]) | 1
    # Sums overflow, and are all the more unlikely to agree by chance.
    codes: NDArray = np.einsum("bcv,c->bv", ranks.astype(np.int64), factors)
    cast = weights > 0
    alike: NDArray = (codes[:, :, None] == codes[:, None]) & cast[:, None] & cast[:, :, None]
    return alike


def first_of_equals(profiles: Profiles, equal: NDArray | None = None) -> NDArray:
    """Whether a ballot ``[election, ballot]`` is cast and differs from all before it."""
    equal = equals(profiles) if equal is None else equal
    before = np.tri(equal.shape[1], k=-1, dtype=bool)
    first: NDArray = (profiles.weights.numpy() > 0) & ~(equal & before).any(2)
    return first


def voters_kept(profiles: Profiles, origin: NDArray, kept: NDArray) -> Profiles:
    """The elections of ``origin`` with only the ballots ``kept [trial, ballot]``."""
    ranks, weights, sizes = profiles.arrays
    kept = kept & (weights[origin] > 0)
    order = np.argsort(~kept, axis=1, kind="stable")
    still = np.take_along_axis(kept, order, 1)
    moved = np.take_along_axis(ranks[origin], order[:, None], 2)
    counts = np.take_along_axis(weights[origin], order, 1)
    return profiles_of(
        np.where(still[:, None], moved, np.int16(UNRANKED)),
        np.where(still, counts, 0),
        sizes[origin],
        profiles,
    )


def voters_moved(profiles: Profiles, origin: NDArray, order: NDArray) -> Profiles:
    """The elections of ``origin`` with their ballots in another order ``[trial, ballot]``."""
    ranks, weights, sizes = profiles.arrays
    moved = np.take_along_axis(ranks[origin], order[:, None], 2)
    return profiles_of(
        moved, np.take_along_axis(weights[origin], order, 1), sizes[origin], profiles
    )


def candidates_moved(profiles: Profiles, origin: NDArray, places: NDArray) -> Profiles:
    """The elections of ``origin`` in which candidate c is called ``places[trial, c]``."""
    ranks, weights, sizes = profiles.arrays
    moved = np.take_along_axis(ranks[origin], np.argsort(places, axis=1)[:, :, None], 1)
    return profiles_of(moved, weights[origin], sizes[origin], profiles)


def candidate_left(profiles: Profiles, origin: NDArray, out: NDArray) -> Profiles:
    """The elections of ``origin`` without the candidate ``out [trial]``; those after it move up."""
    ranks, weights, sizes = profiles.arrays
    ranks, ballots = ranks[origin], np.arange(ranks.shape[2])
    gone = ranks[np.arange(len(origin))[:, None], out[:, None], ballots][:, None]
    fewer = ranks - ((ranks > gone) & (ranks != UNRANKED))
    columns = np.arange(ranks.shape[1])
    source = np.minimum(columns + (columns >= out[:, None]), len(columns) - 1)
    fewer = np.take_along_axis(fewer, source[:, :, None], 1)
    fewer[:, -1] = UNRANKED
    return profiles_of(fewer, weights[origin], sizes[origin] - 1, profiles)


def ballots_changed(
    profiles: Profiles, origin: NDArray, voter: NDArray, ballot: NDArray
) -> Profiles:
    """The elections of ``origin``, ``voter [trial]`` casting ``ballot [trial, candidate]``."""
    ranks, weights, sizes = profiles.arrays
    changed = ranks[origin]
    changed[np.arange(len(origin)), :, voter] = ballot
    return profiles_of(changed, weights[origin], sizes[origin], profiles)


def profiles_of(ranks: NDArray, weights: NDArray, sizes: NDArray, like: Profiles) -> Profiles:
    """A batch from arrays as kernels have them; complete if the elections that it is like are."""
    return Profiles._trusted(
        torch.from_numpy(np.ascontiguousarray(ranks, np.int16)).transpose(1, 2),
        torch.from_numpy(np.ascontiguousarray(weights)),
        torch.from_numpy(np.ascontiguousarray(sizes)),
        complete=bool(like.complete.all()),
    )


def filed(profiles: Profiles) -> Profiles:
    """The elections as a file holds them: equal ballots merged, the most frequent first."""
    ranks, weights, sizes = profiles.arrays
    equal = equals(profiles)
    together = (equal * weights[:, None]).sum(2)
    counts = np.where(first_of_equals(profiles, equal), together, 0)
    order = np.argsort(-counts, axis=1, kind="stable")
    counts = np.take_along_axis(counts, order, 1)
    merged = np.take_along_axis(ranks, order[:, None], 2)
    blank = np.where((counts > 0)[:, None], merged, np.int16(UNRANKED))
    return profiles_of(blank, counts, sizes, profiles)
