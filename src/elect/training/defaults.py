"""What `elect train` does unless told otherwise."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from elect import networks, specs
from elect.cultures import Culture, Dirichlet
from elect.cultures import culture as make_culture
from elect.errors import ElectError
from elect.measuring.batches import Range
from elect.objectives import Objective, expected_welfare, oracle, posterior
from elect.rules import ALIASES, RULES
from elect.rules.base import FEW_CANDIDATES, Learning
from elect.training.recipe import Recipe

OBJECTIVES: dict[str, Callable[[str], Objective]] = {
    "oracle": oracle,
    "posterior": posterior,
    "expected_welfare": expected_welfare,
}

# The paper's sizes; some exact winners take long to find beyond the last.
VOTERS, CANDIDATES, FEW = (2, 99), (2, 29), FEW_CANDIDATES

# Our network: few candidates in large batches, voters of all magnitudes.
TALLY: dict[str, Any] = {
    "optimizer": "adamw",
    "learning_rate": 3e-3,
    "weight_decay": 1e-4,
    "warmup": 50,
    "parts": 4,
    "entries": 120_000,
    "averaging": 0.99,
    "log_voters": True,
    "validate_every": 200,
    "checkpoint_every": 200,
}
# Voters that it is shown, so that it knows what to make of more than it will be measured on.
MANY = (2, 999)
# A rule must be the same wherever ballots come from: half of the elections are of voters who agree
# with each other, more or less.
EVERYWHERE = "uniform+plackett_luce:spread=0/6"
MINUTES = 2.0


# The paper's networks, as the paper trains them.
PAPER: dict[str, Any] = {
    "optimizer": "adam",
    "learning_rate": 1e-4,
    "batch": 64,
    "warmup": 160,
    "averaging": 0.0,
    "validate_every": 200,
    "checkpoint_every": 200,
}
OWN: dict[str, dict[str, Any]] = {"deepsets": {"optimizer": "lookahead"}}
# The same at small size, where minutes must do instead of days: larger batches and steps, and fewer
# voters, whose ballots cost less and teach as much.
SMALL: dict[str, Any] = {
    "optimizer": "adamw",
    "learning_rate": 2e-3,
    "weight_decay": 1e-4,
    "batch": 512,
    "parts": 4,
    "averaging": 0.99,
    "log_voters": True,
}
FEW_VOTERS = (2, 24)
LONGER = 10.0


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
    """A recipe that is known to work; ``dataclasses.replace`` changes any of it.

    Args:
        objectives: what to learn.
        network: by name, with or without settings.
        size: ``paper`` or ``small``; `tally` has one size only.
        neutral: a rule by which candidates are renumbered.
        culture: where elections come from; the paper's uniform one unless said, and for `tally`,
            if it is to imitate rules, also others.
        voters: the range of voters; the paper's, and more for `tally`, and fewer at small size,
            unless said.
        candidates: the range of candidates; the paper's unless said.
        steps: how many.
        minutes: or how long; some minutes if neither is said.
        seed: of everything.
    """
    name, given = specs.parse(network)
    specs.choose(name, networks.NETWORKS, "network", "elect train --help")
    if size not in networks.SIZES:
        raise ElectError(f"There is no size '{size}'; sizes are {' and '.join(networks.SIZES)}.")
    imitated = [_rule(objective) for objective in objectives]
    needs = [RULES[rule].learning for rule in imitated if rule]
    voters = voters or _usual_voters(name, size)
    if candidates is None:
        low, high = zip(*(need.candidates for need in needs or [Learning()]), strict=True)
        candidates = max(low), min(high)
    if name == "tally":
        entries = min((need.entries for need in needs), default=TALLY["entries"])
        settings = TALLY | {"entries": entries}
        arguments: dict[str, float] = {**_most(need.arguments for need in needs)}
        everywhere = all(objective.kind == "mimic" for objective in objectives)
        culture = culture or (EVERYWHERE if everywhere else "uniform")
    else:
        settings = PAPER | (SMALL if size == "small" else OWN.get(name, {}))
        arguments = networks.SIZES[size].get(name, {}) | _room(name, voters, candidates)
    if steps is None and minutes is None:
        minutes = max((need.minutes for need in needs), default=MINUTES)
        minutes = minutes if name == "tally" else LONGER
    return Recipe(
        tuple(objectives),
        network,
        # What stands in the network's name goes before.
        {key: value for key, value in arguments.items() if key not in given},
        neutral=neutral,
        culture=culture or "uniform",
        voters=voters,
        candidates=candidates,
        steps=steps,
        minutes=minutes,
        seed=seed,
        **settings,
    )


def welfare_objective(welfare: str, culture: str | Culture, kind: str | None = None) -> Objective:
    """To elect for a welfare: by the likeliest optimum where that can be told, else by the one
    that happened to be."""
    source = make_culture(culture) if isinstance(culture, str) else culture
    if kind is None:
        kind = "posterior" if isinstance(source, Dirichlet) else "oracle"
    name = specs.choose(specs.plain(kind), OBJECTIVES, "objective", "elect train --help")
    return OBJECTIVES[name](welfare)


def _usual_voters(name: str, size: str) -> Range:
    # An MLP has a place for each voter, and must have seen someone in all of them.
    few = FEW_VOTERS if size == "small" and name != "mlp" else VOTERS
    return MANY if name == "tally" else few


def _rule(objective: Objective) -> str:
    """The rule of the library that is to be imitated, if it is one."""
    name = specs.parse(objective.of)[0] if isinstance(objective.of, str) else ""
    name = ALIASES.get(name, name)
    return name if objective.kind == "mimic" and name in RULES else ""


def _most(several: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Settings that are enough for all."""
    most: dict[str, int] = {}
    for one in several:
        most |= {key: max(value, most.get(key, value)) for key, value in one.items()}
    return most


def _room(name: str, voters: Range, candidates: Range) -> dict[str, int]:
    """Room for more than the paper's sizes, where a network has a fixed number of places."""
    room = {"max_candidates": candidates[1]} if candidates[1] > CANDIDATES[1] else {}
    return room | ({"max_voters": voters[1]} if name == "mlp" and voters[1] > VOTERS[1] else {})
