"""What `elect train` does unless told otherwise."""

from collections.abc import Callable, Sequence
from typing import Any

from elect import networks, specs
from elect.cultures import Culture, Dirichlet
from elect.cultures import culture as make_culture
from elect.errors import ElectError
from elect.objectives import Objective, expected_welfare, oracle, posterior
from elect.rules import ALIASES
from elect.training.recipe import Range, Recipe

OBJECTIVES: dict[str, Callable[[str], Objective]] = {
    "oracle": oracle,
    "posterior": posterior,
    "expected_welfare": expected_welfare,
}

# The paper's sizes; exact Kemeny and Slater winners take long to find beyond theirs.
VOTERS, CANDIDATES, FEW = (2, 99), (2, 29), (3, 10)

# How long to train, if neither that nor a number of steps is given.
MINUTES = {"tally": 5.0}
LONGER = 10.0

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
# Rules that weigh whole rankings need pairs that hear of each other.
WHOLE = ("kemeny", "slater")
PAIRS = {"pair_blocks": 3, "pair": 24}
# They cost more, so batches are smaller and steps more.
WHOLE_ENTRIES = 32_000

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


def default_recipe(
    objectives: Sequence[Objective],
    network: str = "tally",
    size: str = "paper",
    *,
    neutral: str | None = None,
    culture: str | Culture = "uniform",
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
        culture: where elections come from.
        voters: the range of voters; the paper's, and more for `tally`, unless said.
        candidates: the range of candidates; the paper's unless said.
        steps: how many.
        minutes: or how long; some minutes if neither is said.
        seed: of everything.
    """
    name, given = specs.parse(network)
    specs.choose(name, networks.NETWORKS, "network", "elect train --help")
    if size not in networks.SIZES:
        raise ElectError(f"There is no size '{size}'; sizes are {' and '.join(networks.SIZES)}.")
    whole = any(_rule(objective) in WHOLE for objective in objectives)
    voters = voters or (MANY if name == "tally" else VOTERS)
    candidates = candidates or (FEW if whole else CANDIDATES)
    if name == "tally":
        settings = TALLY | ({"entries": WHOLE_ENTRIES} if whole else {})
        arguments = PAIRS if whole else {}
    else:
        settings = PAPER | OWN.get(name, {})
        arguments = networks.SIZES[size].get(name, {}) | _room(name, voters, candidates)
    if steps is None and minutes is None:
        minutes = MINUTES.get(name, LONGER)
    return Recipe(
        tuple(objectives),
        network,
        # What stands in the network's name goes before.
        {key: value for key, value in arguments.items() if key not in given},
        neutral=neutral,
        culture=culture,
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


def _rule(objective: Objective) -> str:
    name = specs.parse(objective.of)[0] if isinstance(objective.of, str) else ""
    return ALIASES.get(name, name) if objective.kind == "mimic" else ""


def _room(name: str, voters: Range, candidates: Range) -> dict[str, int]:
    """Room for more than the paper's sizes, where a network has a fixed number of places."""
    room = {"max_candidates": candidates[1]} if candidates[1] > CANDIDATES[1] else {}
    return room | ({"max_voters": voters[1]} if name == "mlp" and voters[1] > VOTERS[1] else {})
