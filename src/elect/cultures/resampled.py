"""Resample voters from a real election."""

from dataclasses import dataclass

import numpy as np

from elect import kernels
from elect.cultures.base import (
    Seed,
    Size,
    blank_ranks,
    elections_of,
    generator,
    sizes,
    yes_or_no,
)
from elect.elections import Elections, Profiles
from elect.errors import ElectError
from elect.kernels import UNRANKED, NDArray


@dataclass(frozen=True, eq=False)
class Resample:
    """Voters drawn at random from one real election, each with the ballot they cast.

    Attributes:
        profile: the election, a batch of one.
        replace: whether a voter may be drawn twice; without it, these are sub-elections.
    """

    profile: Profiles
    replace: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.profile, Profiles):
            raise ElectError("Resample needs an election; give Profiles, as elect.read does.")
        yes_or_no(self.replace, "Resample's replace")
        if len(self.profile) != 1:
            raise ElectError(
                f"Resample one election, not {len(self.profile)}; pick one with profiles[0]."
            )

    def __call__(
        self, elections: int, voters: Size, candidates: Size | None = None, *, seed: Seed = 0
    ) -> Elections:
        """Fewer candidates than stand are a random subset of them, renumbered in their order."""
        rng = generator(seed)
        [ranks], [weights], [standing] = self.profile.arrays
        n, m = sizes(elections, voters, candidates or int(standing), rng)
        self._check(int(n.max()), int(weights.sum()), int(m.max()), int(standing))
        upto = np.cumsum(weights)
        drawn = blank_ranks(n, m)
        whole = bool((m == standing).all())
        for b in range(elections):
            people = rng.choice(int(upto[-1]), n[b], self.replace, shuffle=False)
            ballots = ranks[:standing, np.searchsorted(upto, people, "right")]
            if not whole:
                ballots = _among(ballots[np.sort(rng.permutation(int(standing))[: m[b]])])
            drawn[b, : m[b], : n[b]] = ballots
        names = self.profile.names if whole else None
        strict = bool(self.profile.complete.all())
        return elections_of(drawn, n, m, strict=strict, names=names)

    def _check(self, voters: int, people: int, candidates: int, standing: int) -> None:
        if candidates > standing:
            raise ElectError(
                f"{candidates} candidates cannot be drawn from the {standing} who stand; ask for "
                "fewer."
            )
        if voters > people and not self.replace:
            raise ElectError(
                f"{voters} voters cannot be drawn from {people} without replacement; ask for "
                "fewer, or draw with replacement."
            )


def _among(ranks: NDArray) -> NDArray:
    """Ranks ``[candidate, ballot]`` of some candidates, counted anew among themselves."""
    values = np.where(ranks == UNRANKED, np.nan, -ranks.astype(np.float64)).T
    anew = np.empty((1, *ranks.shape), np.int16)
    kernels.rank_by_value(np.ascontiguousarray(values)[None], np.array([len(ranks)]), anew)
    result: NDArray = anew[0]
    return result
