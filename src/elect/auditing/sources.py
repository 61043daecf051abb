"""Where the elections of an audit come from."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from elect.cultures import Culture, Seed, Size
from elect.cultures.base import blank_ranks, elections_of, generator, sizes
from elect.elections import Elections, Profiles
from elect.errors import ElectError
from elect.files import read
from elect.measuring.batches import ElectionSource, ends, within
from elect.measuring.batches import source as source_of

# The sizes by default.
VOTERS, CANDIDATES = (2, 20), (3, 5)

# Elections in memory at a time, and numbers that the work on them takes.
BATCH, ENTRIES = 1000, 2**24

# Kinds of ballot in an election of blocs.
KINDS = 6


def batches(source: ElectionSource, elections: int, seed: int) -> Iterator[Elections]:
    """Sample elections in batches that are small enough for all changes of their ballots."""
    n, m = source.voters[1], source.candidates[1]
    most = max(1, min(BATCH, ENTRIES // max(m * m * n, n * n, 64 * n * m)))
    return (batch.elections for batch in source.batches(elections, [seed], most=most))


@dataclass(frozen=True)
class Blocs:
    """A few groups of voters of random sizes, each with one ranking. Axioms are violated more
    often among them than among independent voters."""

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
) -> ElectionSource:
    """The culture, or the real election from which voters are drawn, with its sizes."""
    if data is None:
        found = source_of(culture, voters, candidates, usual=(VOTERS, CANDIDATES))
    else:
        profile = data if isinstance(data, Profiles) else read(data)
        name = "a real election" if isinstance(data, Profiles) else str(data)
        n = ends(voters, within(VOTERS, int(profile.num_voters[0])))
        m = ends(candidates, within(CANDIDATES, int(profile.num_candidates[0])))
        found = source_of(profile, n, m, name)
    if found.candidates[1] < 2:
        raise ElectError("An audit needs at least 2 candidates.")
    return found
