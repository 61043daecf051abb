"""The trained rule of a design: a trained rule of the package that fits, or a new one."""

from collections.abc import Sequence
from pathlib import Path

from elect import checkpoints, cultures
from elect.cultures import Dirichlet, posterior_of
from elect.designing.electorate import Electorate
from elect.designing.purpose import Purpose
from elect.errors import ElectError
from elect.learned import Card, LearnedRule
from elect.measuring.batches import Range
from elect.objective_kinds import KINDS
from elect.objectives import Objective, oracle, posterior
from elect.training import train
from elect.training.defaults import default_recipe
from elect.welfares import builtin, welfare


def from_shelf(
    purpose: Purpose, electorate: Electorate, voters: Range, candidates: Range
) -> tuple[str, LearnedRule] | None:
    """The first trained rule of the package for this welfare and electorate, and its name."""
    if electorate.spec is None:
        return None
    for name in checkpoints.shelf():
        card = checkpoints.read_card(checkpoints.find(name) / checkpoints.CARD)
        if not (_covers(card, "voters", voters) and _covers(card, "candidates", candidates)):
            continue
        for head, objective in zip(card.heads, card.objectives, strict=True):
            if _is_for(objective, card.culture, purpose, electorate):
                return name, checkpoints.load(name, head)
    return None


def trained(
    purpose: Purpose,
    electorate: Electorate,
    voters: Range,
    candidates: Range,
    minutes: float,
    seed: int,
    folder: Path,
    progress: bool,
) -> LearnedRule:
    """Train a rule for this many minutes and save it in a folder."""
    recipe = default_recipe(
        [_objective(purpose, electorate, candidates)],
        culture=electorate.spec or electorate.source,
        voters=voters,
        candidates=candidates,
        minutes=minutes,
        seed=seed,
    )
    return train(recipe, folder, progress=progress)


def known_posterior(electorate: Electorate, candidates: Range) -> Dirichlet | None:
    """The Dirichlet culture of the utilities given the rankings, if there is one.

    There is none if the candidates are a subset of those on the ballots, since the full ballot
    then says more about the utilities.
    """
    if electorate.profile is None:
        return electorate.posterior
    standing = int(electorate.profile.num_candidates)
    return electorate.posterior if candidates == (standing, standing) else None


def _objective(purpose: Purpose, electorate: Electorate, candidates: Range) -> Objective:
    """The posterior objective where the posterior is known, otherwise the oracle."""
    of = purpose.name if _builtin(purpose.name) else purpose.function
    source = known_posterior(electorate, candidates)
    if source is None:
        return oracle(of)
    return posterior(of, None if posterior_of(electorate.source) else source)


def _covers(card: Card, what: str, asked: Range) -> bool:
    known: list[Sequence[int]] = [
        getattr(card, what),
        *(m[what] for m in card.measured if what in m),
    ]
    low, high = min(int(ends[0]) for ends in known), max(int(ends[1]) for ends in known)
    return low <= asked[0] and asked[1] <= high


def _is_for(
    objective: dict[str, object], culture: str, purpose: Purpose, electorate: Electorate
) -> bool:
    """Whether an objective on a card is this welfare in this electorate."""
    where = objective.get("culture") or culture
    if KINDS[str(objective["kind"])].imitates or not _builtin(purpose.name):
        return False
    try:
        same = cultures.culture(str(where)) == cultures.culture(electorate.spec or "")
        return same and _builtin(str(objective.get("of"))) == _builtin(purpose.name)
    except ElectError:
        # The user's own cultures and welfares have no name.
        return False


def _builtin(name: str) -> tuple[str, dict[str, object]] | None:
    """The name and settings of a welfare; None if it has no name."""
    try:
        found = builtin(welfare(name))
    except ElectError:
        return None
    return None if found is None else (found.name, found.values)
