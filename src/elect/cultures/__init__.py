"""Cultures: distributions of elections.

Every culture is called the same way, and the same seed gives the same elections:

    >>> elections = culture("mallows", phi=0.5)(elections=2, voters=(3, 9), candidates=4, seed=1)
    >>> elections.profiles
    2 elections, 4 candidates, 6 voters
"""

import re
from itertools import chain
from typing import Any

from elect import specs
from elect.cultures import dirichlet, euclidean, ordinal
from elect.cultures.base import Culture, NamedCulture, Seed, Size
from elect.cultures.dirichlet import Dirichlet, posterior_of
from elect.cultures.euclidean import Euclidean
from elect.cultures.external import Prefsampling, prefsampling_names
from elect.cultures.mixture import Mixture
from elect.cultures.ordinal import Impartial, ImpartialAnonymous, Mallows, PlackettLuce, Urn
from elect.cultures.resampled import Resample
from elect.elections import Elections
from elect.errors import ElectError

__all__ = [
    "ALIASES",
    "CULTURES",
    "Culture",
    "Dirichlet",
    "Euclidean",
    "Impartial",
    "ImpartialAnonymous",
    "Mallows",
    "Mixture",
    "NamedCulture",
    "PlackettLuce",
    "Prefsampling",
    "Resample",
    "Seed",
    "Size",
    "Urn",
    "culture",
    "posterior_of",
    "prefsampling_names",
    "sample",
]

_FILES = (dirichlet, ordinal, euclidean)

CULTURES: dict[str, NamedCulture] = {
    record.name: record for record in chain.from_iterable(file.RECORDS for file in _FILES)
}
ALIASES = {alias: record.name for record in CULTURES.values() for alias in record.aliases}


def culture(spec: str | Culture, /, **settings: Any) -> Culture:
    """Get a culture by name, with settings; the names of prefsampling are accepted too.

    Names joined by ``+`` are a mixture: each election comes from one of them. A `Culture` is
    returned unchanged.

    >>> culture("dirichlet", alpha=0.7)
    Dirichlet(alpha=0.7, favourite=None, draw=False)
    >>> culture("IC+plackett_luce")
    Mixture(cultures=(Impartial(), PlackettLuce(strengths=None, spread=1.0)))
    """
    if not isinstance(spec, str):
        if not callable(spec):
            raise ElectError(f"A culture is named by text, not {specs.shown(spec)}.")
        if settings:
            raise ElectError("Settings go with a culture's name; give the name instead.")
        return spec
    # Not every plus joins names: some settings are numbers like 1e+3.
    names = re.split(r"\+(?=\s*[^\W\d])", spec)
    if len(names) > 1:
        if settings:
            raise ElectError("Write the settings of a mixture into its names, as in 'urn:alpha=1'.")
        return Mixture(tuple(culture(one) for one in names))
    name, written = specs.parse(spec)
    name, given = ALIASES.get(name, name), {**written, **settings}
    if name in CULTURES:
        return CULTURES[name](**given)
    # Importing prefsampling is slow, so it is done only for other names.
    known = [*CULTURES, *ALIASES, *prefsampling_names()]
    specs.choose(name, known, "culture", "elect cultures")
    return Prefsampling(name, given)


def sample(
    of: str | Culture, voters: Size, candidates: Size, elections: int = 1, seed: Seed = 0
) -> Elections:
    """Sample elections from a culture.

    Args:
        of: the culture: a name or a `Culture`.
        voters: how many, or an inclusive range from which each election draws its own.
        candidates: the same for candidates.
        elections: how many elections.
        seed: the same seed gives the same elections.

    >>> sample("IC", voters=5, candidates=3)
    1 election, 3 candidates, 5 voters, no utilities
    """
    return culture(of)(elections, voters, candidates, seed=seed)
