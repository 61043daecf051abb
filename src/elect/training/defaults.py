"""The default settings of a training."""

from collections.abc import Iterable, Mapping, Sequence

from elect import networks, specs
from elect.cultures import Culture, posterior_of
from elect.cultures import culture as make_culture
from elect.measuring.batches import Range
from elect.networks.base import CANDIDATES, VOTERS
from elect.objective_kinds import KINDS
from elect.objectives import Objective
from elect.rules import ALIASES, RULES
from elect.rules.base import FEW_CANDIDATES, Learning
from elect.training.recipe import Recipe

__all__ = ["CANDIDATES", "FEW", "OBJECTIVES", "VOTERS", "default_recipe", "welfare_objective"]

# The values of `elect train --objective`.
OBJECTIVES = tuple(kind.name for kind in KINDS.values() if not kind.imitates)

# Some exact rules are slow with more candidates.
FEW = FEW_CANDIDATES


def default_recipe(
    objectives: Sequence[Objective],
    network: str = "tally",
    size: str = "paper",
    *,
    neutral: str | None = None,
    culture: str | Culture | None = None,
    voters: Range | None = None,
    candidates: Range | None = None,
    steps: int | None = None,
    minutes: float | None = None,
    seed: int = 0,
) -> Recipe:
    """A recipe with the default settings; change any of them with ``dataclasses.replace``.

    Args:
        objectives: what to learn.
        network: by name, with or without settings.
        size: ``paper`` or ``small``; `tally` has one size only.
        neutral: a rule that sorts the candidates before the network sees them.
        culture: where elections come from. Default: the paper's uniform culture; for `tally`, if
            it imitates rules, a mixture with others.
        voters: the range of voters. Default: the paper's; wider for `tally`, narrower at small
            size.
        candidates: the range of candidates. Default: the paper's, or fewer for slow rules.
        steps: how many steps to train.
        minutes: how long to train, instead of steps. Default: depends on the rule.
        seed: the seed of all randomness.
    """
    name, given = specs.parse(network)
    record = networks.choose(name, size)
    imitated = [_rule(objective) for objective in objectives]
    needs = [RULES[rule].learning for rule in imitated if rule]
    voters = voters or record.voters[size]
    if candidates is None:
        low, high = zip(*(need.candidates for need in needs or [Learning()]), strict=True)
        candidates = max(low), min(high)
    settings = {**record.training[size]}
    arguments = {**record.sizes.get(size, {}), **record.sizes_for(voters, candidates)}
    usual = record.minutes
    if record.by_rule:
        arguments |= _most(need.arguments for need in needs)
        settings["entries"] = min([settings["entries"], *(need.entries for need in needs)])
        usual = max([usual, *(need.minutes for need in needs)])
    if culture is None:
        imitates = all(objective.record.imitates for objective in objectives)
        culture = record.imitation_culture if imitates else "uniform"
    return Recipe(
        tuple(objectives),
        network,
        # Settings in the network's name take precedence.
        {key: value for key, value in arguments.items() if key not in given},
        neutral=neutral,
        culture=culture,
        voters=voters,
        candidates=candidates,
        steps=steps,
        minutes=usual if steps is None and minutes is None else minutes,
        seed=seed,
        **settings,
    )


def welfare_objective(welfare: str, culture: str | Culture, kind: str | None = None) -> Objective:
    """To elect for a welfare: by the likeliest optimum where that can be told, else by the one
    that happened to be."""
    if kind is None:
        kind = "posterior" if posterior_of(make_culture(culture)) else "oracle"
    name = specs.choose(specs.plain(kind), OBJECTIVES, "objective", "elect train --help")
    return Objective(name, welfare)


def _rule(objective: Objective) -> str:
    """The rule of the library that is to be imitated, if it is one."""
    name = specs.parse(objective.of)[0] if isinstance(objective.of, str) else ""
    name = ALIASES.get(name, name)
    return name if objective.record.imitates and name in RULES else ""


def _most(several: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Settings that are enough for all."""
    most: dict[str, int] = {}
    for one in several:
        most |= {key: max(value, most.get(key, value)) for key, value in one.items()}
    return most
