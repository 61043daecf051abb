"""The electorate: a culture, or the voters of a file, with known or assumed utilities."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from elect import specs
from elect.cultures import ALIASES, CULTURES, Culture, Dirichlet, posterior_of
from elect.cultures import culture as make_culture
from elect.designing.fitting import LEVELS, Fit, at_level, fits
from elect.designing.grades import Grades, read_grades
from elect.designing.people import Assumed, People, lend
from elect.elections import Profiles
from elect.errors import ElectError
from elect.files import read
from elect.limits import at_most
from elect.measuring.batches import Range
from elect.objectives import called

# Default sizes: the paper's, or those of the file, up to this number of voters.
VOTERS, CANDIDATES, MOST_VOTERS = (2, 99), (2, 29), 999

# A description of the voters at each level of alpha.
DECIDED = {
    0.5: "voters who care about few candidates, and those much",
    1.0: "voters for whom any way to share out one unit of liking is equally likely",
    2.0: "voters who like all candidates about as much",
}


@dataclass(frozen=True, eq=False)
class Electorate:
    """Where elections come from, and what is known or assumed about their voters.

    Attributes:
        name: its name.
        source: the culture, which has utilities.
        told: where ballots and utilities come from, in sentences.
        spec: the name for `elect.culture`, if it has one.
        posterior: the Dirichlet culture of the utilities given the rankings, if there is one.
        others: the same ballots under other assumptions about utilities, by assumption.
        profile: the ballots of the file, if there is one.
        fits: the cultures that were fitted to the ballots, the best first.
        approvals: whether the ballots are approvals.
    """

    name: str
    source: Culture
    told: str
    spec: str | None = None
    posterior: Dirichlet | None = None
    others: dict[str, Culture] = field(default_factory=dict)
    profile: Profiles | None = None
    fits: list[Fit] = field(default_factory=list)
    approvals: bool = False

    def sizes(self, voters: Range | None, candidates: Range | None) -> tuple[Range, Range]:
        """The ranges of voters and candidates: as given, or the defaults."""
        if self.profile is None:
            return voters or VOTERS, candidates or CANDIDATES
        people = min(MOST_VOTERS, int(self.profile.num_voters))
        standing = int(self.profile.num_candidates)
        if standing < 2:
            raise ElectError("A design needs at least 2 candidates; give ballots with more.")
        if candidates and candidates[1] > standing:
            raise ElectError(
                f"{candidates[1]} candidates are more than the {standing} in the file; use fewer."
            )
        return voters or (people, people), candidates or (standing, standing)


def from_culture(culture: str | Culture, candidates: int = 3) -> Electorate:
    """The voters of a culture; if it has only rankings, uniform utilities are assumed.

    Args:
        culture: a name or a `Culture`.
        candidates: a number of candidates that the culture supports.
    """
    source = make_culture(culture)
    name = called(culture)
    spec = culture if isinstance(culture, str) else None
    if source(1, 2, candidates, seed=0).utilities is not None:
        told = f"Voters are drawn from the culture {name}{_like(name)}."
        return Electorate(name, source, told, spec, posterior_of(source))
    told = (
        f"Ballots are drawn from the culture {name}{_like(name)}. It says how voters rank "
        "candidates but not how much they like them. That is assumed: "
        f"{DECIDED[1.0]}, given how they rank."
    )
    others = {DECIDED[a]: Assumed(source, Dirichlet(a)) for a in LEVELS if a != 1}
    assumed = Assumed(source, Dirichlet(1.0))
    return Electorate(name, assumed, told, None, Dirichlet(1.0), dict(others))


def _like(name: str) -> str:
    name = specs.parse(name)[0]
    known = CULTURES.get(ALIASES.get(name, name))
    return f": {known.lay}" if known else ""


def from_file(path: str | Path, seed: int = 0) -> Electorate:
    """The voters of a file, drawn at random with replacement."""
    path = Path(path)
    grades = read_grades(path)
    profile = read(path) if grades is None else grades.profile
    size = int(profile.num_candidates)
    what = f"{path} has {size:,} candidates, and a design trains a rule for as many"
    at_most(size, "trained", what, "keep the most important ones")
    return _ranked(path, profile, seed) if grades is None else _graded(path, grades)


def _graded(path: Path, grades: Grades) -> Electorate:
    people = People(
        grades.profile, grades.utilities[:, None], unit=False, by_lot=True, name=path.name
    )
    told = (
        f"Voters are drawn at random from those of {path.name}. Their utilities are their own: "
        f"{grades.told}. To vote by ranking, a voter who grades two candidates alike puts them in "
        "an order drawn by lot."
    )
    return Electorate(path.name, people, told, profile=grades.profile, approvals=grades.approvals)


def _ranked(path: Path, profile: Profiles, seed: int) -> Electorate:
    found = fits(profile, seed)
    best = found[0]
    complete = bool(profile.complete.all())
    lots = (
        ""
        if complete
        else " Where a ballot ties candidates or leaves some out, the voter is taken to like them "
        "in an order drawn by lot; the rules see the ballot as it was cast."
    )
    told = (
        f"Ballots are drawn at random from those of {path.name}, which say how voters rank "
        "candidates but not how much they like them. That is assumed, and no ballot can prove it: "
        f"{DECIDED[best.level]}{_popularity(best, profile)}.{lots}"
    )
    others: dict[str, Culture] = {
        DECIDED[level]: lend(profile, at_level(best, level), seed + 1, path.name)
        for level in LEVELS
        if level != best.level
    }
    return Electorate(
        path.name,
        lend(profile, best.culture, seed, path.name),
        told,
        posterior=best.culture if complete else None,
        others=others,
        profile=profile,
        fits=found,
    )


def _popularity(fit: Fit, profile: Profiles) -> str:
    """The popularity of the candidates in the fitted culture, in words."""
    if fit.culture.symmetric:
        return ", with no candidate more popular than another beforehand"
    alphas = list(fit.culture.values)
    most, least = (profile.labels[alphas.index(end)] for end in (max(alphas), min(alphas)))
    return (
        ", with each candidate as popular as the ballots suggest, from "
        f"{most} (α = {max(alphas):.2g}) down to {least} (α = {min(alphas):.2g})"
    )


def as_cast(source: Culture) -> Culture:
    """The same voters with ballots as they were cast, including ties."""
    return replace(source, by_lot=False) if isinstance(source, People) else source


def fresh(electorate: Electorate, seed: int) -> Electorate:
    """The same electorate with new draws of the assumed utilities, for measuring."""
    if electorate.profile is None or not electorate.fits:
        return electorate
    culture = electorate.fits[0].culture
    drawn = lend(electorate.profile, culture, seed + 2, electorate.name)
    return replace(electorate, source=drawn)
