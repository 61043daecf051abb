"""Elections in batches that fit into memory, the same elections for the same seed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from elect import cultures
from elect.cultures import Culture, Resample, Size
from elect.cultures.base import sizes
from elect.elections import Elections, Profiles
from elect.errors import ElectError
from elect.objectives import called

Range = tuple[int, int]
Origin = str | Culture | Profiles

# The sizes of the paper, used where none are given.
VOTERS, CANDIDATES = (2, 99), (2, 29)

# The most elections, and entries on their ballots, in memory at a time. Changing either changes the
# elections that are drawn, and so published figures.
BATCH, ENTRIES = 512, 2**22


class Batch(NamedTuple):
    """Some of the elections that were asked for.

    Attributes:
        start: how many came before.
        elections: the elections.
        rng: the generator that drew them, for whatever else is random.
    """

    start: int
    elections: Elections
    rng: np.random.Generator


@dataclass(frozen=True)
class ElectionSource:
    """A culture, with the sizes of the elections to draw from it.

    Attributes:
        name: how it is shown.
        culture: the culture.
        voters: the range of voters.
        candidates: the range of candidates.
    """

    name: str
    culture: Culture
    voters: Range
    candidates: Range

    def __post_init__(self) -> None:
        # Report impossible sizes before anything is drawn.
        sizes(1, self.voters, self.candidates, np.random.default_rng(0))

    def batches(
        self, elections: int, seed: Sequence[int], tag: Sequence[int] = (), most: int | None = None
    ) -> Iterator[Batch]:
        """Draw elections in batches.

        Args:
            elections: how many in all.
            seed: the same seed gives the same elections.
            tag: follows the number of the batch in its seed. A tag that nothing else uses makes
                the elections different from all others.
            most: elections in a batch; by default as many as fit into memory.
        """
        step = most or max(1, min(BATCH, ENTRIES // (self.voters[1] * self.candidates[1])))
        for number, start in enumerate(range(0, elections, step)):
            rng = np.random.default_rng([*seed, number, *tag])
            count = min(step, elections - start)
            yield Batch(start, self.culture(count, self.voters, self.candidates, seed=rng), rng)


def source(
    origin: Origin,
    voters: Size | None = None,
    candidates: Size | None = None,
    name: str | None = None,
    usual: tuple[Range, Range] = (VOTERS, CANDIDATES),
) -> ElectionSource:
    """The source of elections for a culture, or for a real election to draw voters from.

    Args:
        origin: a culture, by name or as an object, or one real election.
        voters: how many, or a range. By default the usual range; for a real election no more than
            voted in it.
        candidates: likewise. By default all candidates of a real election.
        name: how to show it.
        usual: the ranges of voters and candidates where none are given.
    """
    n, m = usual
    if isinstance(origin, Profiles):
        n = within(n, int(origin.num_voters[0]))
        m = ends(int(origin.num_candidates[0]))
    culture = as_culture(origin)
    if isinstance(culture, Resample):
        m = ends(int(culture.profile.num_candidates[0]))
    name = name or (str(origin) if isinstance(origin, Profiles) else called(origin))
    return ElectionSource(name, culture, ends(voters, n), ends(candidates, m))


def as_culture(origin: Origin) -> Culture:
    """The culture of this name, or one that draws voters of a real election."""
    if isinstance(origin, Profiles):
        return Resample(origin, replace=False)
    return cultures.culture(origin) if isinstance(origin, str) else origin


def by_name(origins: Origin | Sequence[Origin] | Mapping[str, Origin]) -> dict[str, Origin]:
    """One or several cultures, by the names under which they are shown."""
    if isinstance(origins, Mapping):
        found = dict(origins)
    elif isinstance(origins, Sequence) and not isinstance(origins, str):
        found = {called(one): one for one in origins}
    else:
        found = {called(origins): origins}
    if not found:
        raise ElectError("Name at least one culture to take elections from.")
    return found


def ends(size: Size | None, usual: Range = (1, 1)) -> Range:
    """Both ends of a size, or the usual range where none is given.

    >>> ends(5), ends((2, 9)), ends(None, (3, 4))
    ((5, 5), (2, 9), (3, 4))
    """
    if size is None:
        return usual
    return size if isinstance(size, tuple) else (size, size)


def within(size: Range, most: int) -> Range:
    """The range, cut off at ``most``.

    >>> within((2, 99), 60), within((2, 99), 1)
    ((2, 60), (1, 1))
    """
    return min(size[0], most), min(size[1], most)


def span(size: Range) -> str:
    """A range as text.

    >>> span((2, 49)), span((5, 5))
    ('2-49', '5')
    """
    low, high = size
    return f"{low}-{high}" if low < high else f"{low}"
