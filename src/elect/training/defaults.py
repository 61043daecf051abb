"""What `elect train` does unless told otherwise."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
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

# The paper's sizes; some exact winners take long to find beyond the second.
VOTERS, CANDIDATES, FEW = (2, 99), (2, 29), (3, 10)

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


@dataclass(frozen=True)
class Need:
    """What it takes `tally` to learn a rule that is more than a sum over places or opponents.

    Attributes:
        arguments: settings of the network.
        entries: the size of batches, smaller where each election costs more.
        candidates: the range of candidates, smaller where exact winners take long to find.
        minutes: how long to train.
    """

    arguments: dict[str, int]
    entries: int = 32_000
    candidates: Range = CANDIDATES
    minutes: float = 5.0


# Rules that weigh whole rankings or paths need pairs that hear of each other.
_PATHS = {"pair_blocks": 3, "pair": 24}
# Rules that go back to the ballots need to know what stands where beside what.
_BALLOTS = {"pair_blocks": 2, "pair": 24, "joint": 8}
NEEDS: dict[str, Need] = {
    "kemeny": Need(_PATHS, candidates=FEW),
    "slater": Need(_PATHS, candidates=FEW),
    "beat_path": Need(_PATHS),
    "split_cycle": Need(_PATHS),
    "ranked_pairs": Need(_PATHS, candidates=FEW),
    "baldwin": Need(_PATHS),
    "strict_nanson": Need(_PATHS),
    "weak_nanson": Need(_PATHS),
    "bucklin": Need({"depths": 8}, entries=120_000, minutes=2.0),
    "instant_runoff": Need(_BALLOTS, minutes=10.0),
    "coombs": Need(_BALLOTS, minutes=10.0),
    "dodgson": Need(_BALLOTS, minutes=10.0),
    "young": Need(_BALLOTS, minutes=10.0),
}

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
    needs = [need for objective in objectives if (need := NEEDS.get(_rule(objective)))]
    voters = voters or _usual_voters(name, size)
    if candidates is None:
        low, high = zip(*(need.candidates for need in needs or [Need({})]), strict=True)
        candidates = max(low), min(high)
    if name == "tally":
        settings = TALLY | ({"entries": min(need.entries for need in needs)} if needs else {})
        arguments: dict[str, float] = {**_most(need.arguments for need in needs)}
        everywhere = all(_rule(objective) for objective in objectives)
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
    name = specs.parse(objective.of)[0] if isinstance(objective.of, str) else ""
    return ALIASES.get(name, name) if objective.kind == "mimic" else ""


def _most(several: Iterable[dict[str, int]]) -> dict[str, int]:
    """Settings that are enough for all."""
    most: dict[str, int] = {}
    for one in several:
        most |= {key: max(value, most.get(key, value)) for key, value in one.items()}
    return most


def _room(name: str, voters: Range, candidates: Range) -> dict[str, int]:
    """Room for more than the paper's sizes, where a network has a fixed number of places."""
    room = {"max_candidates": candidates[1]} if candidates[1] > CANDIDATES[1] else {}
    return room | ({"max_voters": voters[1]} if name == "mlp" and voters[1] > VOTERS[1] else {})
