"""Elections of several kinds in one batch."""

from dataclasses import dataclass

import numpy as np

from elect.cultures.base import (
    Culture,
    Seed,
    Size,
    blank_ranks,
    blank_utilities,
    elections_of,
    generator,
)
from elect.elections import Elections
from elect.errors import ElectError


@dataclass(frozen=True)
class Mixture:
    """Each election comes from one of several cultures, with equal probability.

    It has utilities if all of the cultures do.

    Attributes:
        cultures: the cultures; one that is named twice comes twice as often.
    """

    cultures: tuple[Culture, ...]

    def __post_init__(self) -> None:
        if not self.cultures or not all(map(callable, self.cultures)):
            raise ElectError("A mixture needs at least one culture.")

    def __call__(
        self, elections: int, voters: Size, candidates: Size, *, seed: Seed = 0
    ) -> Elections:
        rng = generator(seed)
        kinds = rng.integers(len(self.cultures), size=elections)
        drawn = [
            (rows, culture(len(rows), voters, candidates, seed=rng))
            for kind, culture in enumerate(self.cultures)
            if len(rows := np.flatnonzero(kinds == kind))
        ]
        n, m = np.zeros((2, elections), np.int64)
        for rows, some in drawn:
            n[rows] = (some.profiles.weights > 0).sum(1).numpy()
            m[rows] = some.profiles.num_candidates.numpy()
        ranks, utilities = blank_ranks(n, m), blank_utilities(n, m)
        for rows, some in drawn:
            part = some.profiles.arrays[0]
            ranks[rows, : part.shape[1], : part.shape[2]] = part
            if some.utilities is not None:
                values = some.utilities.numpy()
                utilities[rows, : values.shape[1], : values.shape[2]] = values
        known = all(some.utilities is not None for _, some in drawn)
        strict = all(bool(some.profiles.complete.all()) for _, some in drawn)
        return elections_of(ranks, n, m, utilities if known else None, strict)
