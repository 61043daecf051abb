"""The winners of a rule in each election, their accuracy and their welfare ratio."""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from elect import rules, specs
from elect.elections import Profiles, Scores, Winners
from elect.learned import LearnedRule
from elect.objectives import Objective
from elect.resolve import checked_scores
from elect.rules import ALIASES, RULES, Scorer
from elect.rules.base import Rule

Credit = Float[Tensor, "batch"]


class Elected(NamedTuple):
    """What a rule decides in a batch of elections; nobody is elected where it gives up.

    Attributes:
        top: the candidates with the highest score.
        winners: who is elected. A learned rule also elects candidates that nearly tie with the top.
        logits: the scores of a learned rule; None for other rules.
    """

    top: Winners
    winners: Winners
    logits: Scores | None


def decide(rule: Scorer, profiles: Profiles) -> Elected:
    """The winners of each election."""
    # Some of the library's own rules know their winners without all scores.
    if isinstance(rule, Rule) and rule.function is None:
        top = rules.settled(rule, profiles)
        return Elected(top, top, None)
    scores = checked_scores(rule(profiles), profiles)
    top = (scores == scores.amax(1, keepdim=True)) & profiles.mask
    elected = top
    if isinstance(rule, LearnedRule):
        # Its scores are known; asking for its winners would run the network again.
        elected = rule.winners_of(scores) & profiles.mask
    elif isinstance(rule, Rule) and rule.winners_only is not None:
        elected = rule.winners(profiles).to(top.device) & profiles.mask
    function = rule.function if isinstance(rule, Rule) else rule
    logits = hasattr(function, "probabilities") or isinstance(function, nn.Module)
    return Elected(top, elected, scores if logits else None)


def decide_once(profiles: Profiles) -> Callable[[Scorer], Elected]:
    """`decide` for these elections, which asks each rule only once."""
    known: dict[int, tuple[Scorer, Elected]] = {}

    def decided(rule: Scorer) -> Elected:
        # The rule is kept as well, so that no other rule gets its id.
        if id(rule) not in known:
            known[id(rule)] = rule, decide(rule, profiles)
        return known[id(rule)][1]

    return decided


def credit(top: Winners, right: Winners) -> Credit:
    """The chance that a random choice among the top candidates is right; NaN if there are none."""
    return (top & right).sum(1).double() / top.sum(1)


def agreement(one: Winners, other: Winners) -> Credit:
    """The chance that two rules elect the same candidate, if one random order of the candidates
    breaks the ties of both; NaN if neither elects anyone.

    The first of all their winners in that order must be a winner of both.
    """
    return (one & other).sum(1).double() / (one | other).sum(1)


def welfare_ratio(top: Winners, welfare: Scores) -> Credit:
    """The welfare of the elected candidate over the highest, on average over tied candidates; NaN
    if nobody is elected."""
    best = welfare.amax(1)
    mean = torch.where(top, welfare, 0).sum(1) / top.sum(1)
    # If even the best is worth nothing, no choice loses anything.
    ratio = torch.where(best > 0, mean / best, 1.0).double()
    return ratio.where(top.any(1), torch.nan)


def best_candidates(welfare: Scores) -> Winners:
    """The candidates of highest welfare."""
    return welfare == welfare.amax(1, keepdim=True)


def library_name(rule: Any) -> str | None:
    """The name of a rule of the library, given by name or as a record; None for other rules."""
    if isinstance(rule, str):
        name = specs.parse(rule)[0]
        name = ALIASES.get(name, name)
    else:
        name = rule.name if isinstance(rule, Rule) else ""
    return name if name in RULES else None


def guesses_for(rule: Any, objective: Objective) -> tuple[str, ...]:
    """The quick rules of the library, without the rule itself and the one that it imitates."""
    own = {_original(rule), _original(objective.of)} - {None}
    return tuple(
        name
        for name, one in RULES.items()
        # Approval reads ballots of its own kind.
        if not (one.slow or one.needs or name == "approval") and _original(name) not in own
    )


def _original(rule: Any) -> str | None:
    """The rule that this one is, perhaps with another setting."""
    name = library_name(rule)
    return name and (RULES[name].same_as or name)
