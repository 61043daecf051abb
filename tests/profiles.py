"""Random elections for tests, and the same elections for pref_voting."""

from collections.abc import Callable
from typing import Any

import numpy as np
from pref_voting.profiles import Profile
from pref_voting.profiles_with_ties import ProfileWithTies

from elect.elections import Elections, Profiles


def random_profile(rng: np.random.Generator, voters: int, candidates: int) -> Profiles:
    """Impartial culture, each ballot on a row of its own."""
    return Profiles.from_rankings(np.argsort(rng.random((1, voters, candidates)), -1))


def correlated_profile(rng: np.random.Generator, voters: int, candidates: int) -> Profiles:
    """Voters who mostly agree, so that majorities are seldom cyclic."""
    quality = rng.random(candidates) * 2
    return Profiles.from_utilities(quality + rng.random((1, voters, candidates)))


def weak_profile(
    rng: np.random.Generator, voters: int, candidates: int, ties: bool = True
) -> Profiles:
    """Ballots that leave candidates out and, if asked, tie some; never an empty one."""
    ranks = np.argsort(np.argsort(rng.random((voters, candidates)), -1), -1)
    if ties:
        ranks //= rng.integers(1, 3, (voters, 1))
    cut = rng.integers(1, candidates + 1, (voters, 1))
    return Profiles.from_ranks(np.where(ranks < cut, ranks, -1))


def mixed_batch(profiles: list[Profiles]) -> Profiles:
    """All of them in one padded batch."""
    return Profiles.concat(profiles)


def for_pref_voting(profiles: Profiles, election: int = 0, weak: bool = False) -> Any:
    """A pref_voting profile: linear, or ``weak``, a ProfileWithTies."""
    m = int(profiles.num_candidates[election])
    ballots = profiles.ballots(election)
    counts = [count for count, _ in ballots]
    if not weak:
        return Profile([[tier[0] for tier in tiers] for _, tiers in ballots], counts)
    # Ranks start at 0: pref_voting's Bucklin for truncated ballots counts from there.
    rankings = [
        {c: place for place, tier in enumerate(tiers) for c in tier} for _, tiers in ballots
    ]
    profile = ProfileWithTies(rankings, counts, candidates=list(range(m)))
    profile.use_extended_strict_preference()
    return profile


def winner_list(scores: Any) -> list[int]:
    """The maximizers of one row of scores."""
    return np.flatnonzero(np.asarray(scores) == np.asarray(scores).max()).tolist()


def always(elections: Elections) -> Callable[..., Elections]:
    """A culture that knows these elections only, in their order."""

    def source(count, voters, candidates, *, seed):
        assert count == len(elections)
        return elections

    return source
