"""Where elections come from.

Every culture is called the same way, and the same seed gives the same elections:

    >>> elections = culture("mallows:phi=0.5")(elections=2, voters=(3, 9), candidates=4, seed=1)
    >>> elections.profiles
    2 elections, 4 candidates, 6 voters
"""

import re
from collections.abc import Callable

from elect import specs
from elect.cultures.borrowed import Prefsampling, Resample, prefsampling_names
from elect.cultures.dirichlet import Dirichlet
from elect.cultures.euclidean import Euclidean
from elect.cultures.mixture import Mixture
from elect.cultures.ordinal import Impartial, Mallows, PlackettLuce, Urn
from elect.cultures.sampling import Culture, Seed, Size
from elect.errors import ElectError

__all__ = [
    "CULTURES",
    "Culture",
    "Dirichlet",
    "Euclidean",
    "Impartial",
    "Mallows",
    "Mixture",
    "PlackettLuce",
    "Prefsampling",
    "Resample",
    "Seed",
    "Size",
    "Urn",
    "culture",
    "prefsampling_names",
]


def uniform() -> Dirichlet:
    """Utilities uniform among all that sum to 1: a Dirichlet with α = 1."""
    return Dirichlet(1.0)


def polarized() -> Dirichlet:
    """Few candidates are liked, and those much: a Dirichlet with α = 0.5."""
    return Dirichlet(0.5)


def indecisive() -> Dirichlet:
    """All candidates are liked about as much: a Dirichlet with α = 2."""
    return Dirichlet(2.0)


def landslide() -> Dirichlet:
    """One candidate, anyone, is the favourite: a Dirichlet with α = 3 for it, 1 for the rest."""
    return Dirichlet(1.0, favourite=3.0)


def skewed() -> Dirichlet:
    """Some candidates are liked better: a Dirichlet with each α drawn from {2, 3}."""
    return Dirichlet((2.0, 3.0), draw=True)


CULTURES: dict[str, Callable[..., Culture]] = {
    "uniform": uniform,
    "polarized": polarized,
    "indecisive": indecisive,
    "landslide": landslide,
    "skewed": skewed,
    "dirichlet": Dirichlet,
    "impartial": Impartial,
    "mallows": Mallows,
    "urn": Urn,
    "plackett_luce": PlackettLuce,
    "euclidean": Euclidean,
}


def culture(spec: str) -> Culture:
    """The culture that a name with settings stands for; prefsampling's names are known too.

    Names joined by ``+`` are a mixture, from which each election draws one.

    >>> culture("dirichlet:alpha=0.7")
    Dirichlet(alpha=0.7, favourite=None, draw=False)
    >>> culture("impartial+plackett_luce")
    Mixture(cultures=(Impartial(), PlackettLuce(strengths=None, spread=1.0)))
    """
    if not isinstance(spec, str):
        raise ElectError(f"A culture is named by text, not {specs.shown(spec)}.")
    # Not every plus joins names: some settings are numbers like 1e+3.
    names = re.split(r"\+(?=\s*[^\W\d])", spec)
    if len(names) > 1:
        return Mixture(tuple(culture(one) for one in names))
    name, settings = specs.parse(spec)
    if name in CULTURES:
        return specs.call(CULTURES[name], name, settings)
    # Its import takes a while, so it waits until a name is not ours.
    specs.choose(name, [*CULTURES, *prefsampling_names()], "culture", "elect cultures")
    return Prefsampling(name, settings)
