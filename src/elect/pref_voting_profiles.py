"""Profiles of the package pref_voting, to and from plain ballots."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from elect.errors import ElectError
from elect.kernels import NDArray

if TYPE_CHECKING:
    from pref_voting.profiles import Profile
    from pref_voting.profiles_with_ties import ProfileWithTies

Ballots = Sequence[tuple[int, list[list[int]]]]


def is_profile(thing: Any) -> bool:
    """Whether this is a profile of pref_voting with rankings."""
    return hasattr(thing, "rankings_counts")


def from_profile(profile: Any) -> tuple[NDArray, NDArray, list[str]]:
    """Ranks ``[ballot, candidate]``, -1 where left out, how many cast each, and the names."""
    try:
        candidates = list(profile.candidates)
        rankings, counts = profile.rankings_counts
    except (AttributeError, TypeError, ValueError) as error:
        raise ElectError(
            f"{type(profile).__name__} is not a pref_voting profile with rankings; give a "
            "Profile or a ProfileWithTies."
        ) from error
    position = {c: i for i, c in enumerate(candidates)}
    ranks = np.full((len(rankings), len(candidates)), -1.0)
    for row, ranking in zip(ranks, rankings, strict=True):
        places = getattr(ranking, "rmap", None)
        if places is None:
            places = {c: place for place, c in enumerate(ranking)}
        for candidate, place in places.items():
            row[position[candidate]] = place
    return ranks, np.asarray(counts), [str(profile.cmap.get(c, c)) for c in candidates]


def to_profile(
    ballots: Ballots, candidates: int, names: Sequence[str] | None, strict: bool
) -> "Profile | ProfileWithTies":
    """A ``Profile`` if every ballot strictly ranks everyone, else a ``ProfileWithTies``."""
    try:
        from pref_voting.profiles import Profile
        from pref_voting.profiles_with_ties import ProfileWithTies
    except ImportError as error:
        raise missing() from error
    counts = [count for count, _ in ballots]
    cmap = None if names is None else dict(enumerate(names))
    if strict:
        return Profile([[tier[0] for tier in tiers] for _, tiers in ballots], counts, cmap=cmap)
    # Ranks start at 0: pref_voting's Bucklin for truncated ballots counts from there.
    rankings = [
        {c: place for place, tier in enumerate(tiers) for c in tier} for _, tiers in ballots
    ]
    profile = ProfileWithTies(rankings, counts, candidates=list(range(candidates)), cmap=cmap)
    # Candidates that a ballot leaves out stand below all others, as they do here.
    profile.use_extended_strict_preference()
    return profile


def missing() -> ElectError:
    """What to do where the package is not installed."""
    return ElectError("This needs pref_voting; install it with `pip install elect[pref-voting]`.")
