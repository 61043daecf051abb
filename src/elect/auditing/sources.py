"""Where the elections of an audit come from."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from elect import cultures
from elect.cultures import Culture, Resample, Seed, Size
from elect.cultures.sampling import blank_ranks, elections_of, generator, sizes
from elect.elections import Elections, Profiles
from elect.errors import ElectError
from elect.files import read
from elect.objectives import called

VOTERS, CANDIDATES = (2, 20), (3, 5)

# Elections in memory at a time, and numbers that the work on them takes.
BATCH, ENTRIES = 1000, 2**24

# Kinds of ballot in an election of blocs.
KINDS = 6

Range = tuple[int, int]


@dataclass(frozen=True)
class Source:
    """Elections of some sizes from somewhere.

    Attributes:
        name: what to call it.
        culture: where they come from.
        voters: from how many to how many.
        candidates: the same for candidates.
    """

    name: str
    culture: Culture
    voters: Range
    candidates: Range

    def batches(self, elections: int, seed: int) -> Iterator[Elections]:
        """So many elections, in batches that fit into memory."""
        n, m = self.voters[1], self.candidates[1]
        step = max(1, min(BATCH, ENTRIES // max(m * m * n, n * n, 64 * n * m)))
        for number, start in enumerate(range(0, elections, step)):
            rng = np.random.default_rng([seed, number])
            yield self.culture(min(step, elections - start), self.voters, self.candidates, seed=rng)


@dataclass(frozen=True)
class Blocs:
    """A few kinds of voters, of any sizes: where paradoxes are more at home than among voters who
    all think for themselves."""

    def __call__(self, elections: int, voters: Size, candidates: Size, *, seed: Seed) -> Elections:
        rng = generator(seed)
        n, m = sizes(elections, voters, candidates, rng)
        ranks = blank_ranks(n, m)
        keys = rng.random((elections, ranks.shape[1], KINDS))
        keys[np.arange(ranks.shape[1]) >= m[:, None]] = 2
        kinds = keys.argsort(1).argsort(1)
        edges = rng.dirichlet(np.ones(KINDS), elections).cumsum(1)
        places = (np.arange(ranks.shape[2]) + 0.5) / n[:, None]
        kind = np.minimum((places[:, :, None] > edges[:, None]).sum(2), KINDS - 1)
        drawn = np.take_along_axis(kinds, kind[:, None], 2)
        real = (np.arange(ranks.shape[1]) < m[:, None])[:, :, None] & (places < 1)[:, None]
        return elections_of(np.where(real, drawn, ranks).astype(np.int16), n, m)


def source(
    culture: str | Culture,
    data: str | Path | Profiles | None,
    voters: Size | None,
    candidates: Size | None,
) -> Source:
    """The culture, or the real election of which sub-elections are drawn, with its sizes."""
    if data is None:
        made = cultures.culture(culture) if isinstance(culture, str) else culture
        found = Source(called(culture), made, _ends(voters, VOTERS), _ends(candidates, CANDIDATES))
    else:
        profile = data if isinstance(data, Profiles) else read(data)
        people, standing = int(profile.num_voters[0]), int(profile.num_candidates[0])
        name = "a real election" if isinstance(data, Profiles) else str(data)
        usual = [
            (min(low, have), min(high, have))
            for (low, high), have in ((VOTERS, people), (CANDIDATES, standing))
        ]
        resample = Resample(profile, replace=False)
        found = Source(name, resample, _ends(voters, usual[0]), _ends(candidates, usual[1]))
    # Faults in either size are told before anything is drawn.
    sizes(1, found.voters, found.candidates, np.random.default_rng(0))
    if found.candidates[1] < 2:
        raise ElectError("One candidate leaves nothing to audit; ask for at least 2.")
    return found


def _ends(size: Size | None, usual: Range) -> Range:
    if size is None:
        return usual
    return size if isinstance(size, tuple) else (size, size)
