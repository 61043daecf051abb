"""Voters and candidates as points in space: the nearer, the better."""

from dataclasses import dataclass

import numpy as np
from numba import njit

from elect.cultures.base import (
    NamedCulture,
    Seed,
    Size,
    blank_ranks,
    blank_utilities,
    check_entries,
    elections_of,
    generator,
    in_chunks,
    rank_row,
    sizes,
)
from elect.elections import Elections
from elect.errors import ElectError
from elect.kernels import NDArray
from elect.specs import shown


@dataclass(frozen=True)
class Euclidean:
    """Voters and candidates are random points, and a voter prefers the nearer candidate.

    Utility is linear in distance, u = 1 − d/D, where D is the largest distance between a voter
    and a candidate of that election: 1 at the voter's own place, 0 for the remotest pair, and in
    the same unit for all voters, so the utilitarian optimum is nearest on average.

    Attributes:
        dimension: how many dimensions the space has.
        space: ``cube`` (uniform in the unit cube) or ``gaussian`` (standard normal).
    """

    dimension: int = 2
    space: str = "cube"

    def __post_init__(self) -> None:
        whole = isinstance(self.dimension, int) and not isinstance(self.dimension, bool)
        if not whole or self.dimension < 1:
            raise ElectError(
                f"A space has 1, 2 or more whole dimensions, not {shown(self.dimension)}."
            )
        if not isinstance(self.space, str) or self.space not in ("cube", "gaussian"):
            raise ElectError(f"A space is 'cube' or 'gaussian', not {shown(self.space)}.")

    def __call__(
        self, elections: int, voters: Size, candidates: Size, *, seed: Seed = 0
    ) -> Elections:
        rng = generator(seed)
        n, m = sizes(elections, voters, candidates, rng)
        check_entries(elections * int(n.max() + m.max()) * self.dimension)
        points = rng.random if self.space == "cube" else rng.standard_normal
        places = points((elections, int(n.max()), self.dimension))
        stands = points((elections, int(m.max()), self.dimension))
        ranks, utilities = blank_ranks(n, m), blank_utilities(n, m)
        in_chunks(_measure, rng, places, stands, n, m, ranks, utilities)
        return elections_of(ranks, n, m, utilities)


RECORDS = (
    NamedCulture(
        "euclidean",
        Euclidean,
        "voters and candidates are points in space, and voters like what is near",
        utilities=True,
        aliases=("spatial",),
    ),
)


@njit(nogil=True, cache=True)
def _measure(
    rng: np.random.Generator,
    places: NDArray,
    stands: NDArray,
    num_voters: NDArray,
    num_candidates: NDArray,
    ranks: NDArray,
    utilities: NDArray,
) -> None:
    row = np.zeros(ranks.shape[1], np.int64)
    for b in range(len(ranks)):
        n, m = num_voters[b], num_candidates[b]
        for v in range(n):
            for c in range(m):
                square = 0.0
                for k in range(places.shape[2]):
                    square += (places[b, v, k] - stands[b, c, k]) ** 2
                utilities[b, v, c] = -np.sqrt(square)
            rank_row(utilities[b, v, :m], row[:m])
            ranks[b, :m, v] = row[:m]
        largest = -utilities[b, :n, :m].min()
        utilities[b, :n, :m] = 1 + utilities[b, :n, :m] / largest
