"""The rules that are compared: their titles, how they count, and how simple they are."""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
import torch

from elect.cultures import Culture
from elect.designing.electorate import Electorate
from elect.elections import Elections, Winners
from elect.learned import LearnedRule
from elect.measuring.batches import Range
from elect.measuring.outcomes import decide
from elect.rules import RULES, Scorer
from elect.rules.base import Simplicity
from elect.rules.optimal import optimal_scoring
from elect.rules.scoring import computed_scoring
from elect.welfares import utilitarian

# The names of the trained rule and of the scoring rule fitted to the electorate.
LEARNED, OPTIMAL = "learned", "optimal scoring"


class RuleWords(NamedTuple):
    """How a report describes a rule: its title, how it counts, and how simple it is."""

    title: str
    counting: str
    simplicity: Simplicity


# The rules of the library, and two that are fitted to the electorate.
WORDS = {
    **{
        name: RuleWords(rule.title, rule.counting, rule.simplicity)
        for name, rule in RULES.items()
        if not rule.needs
    },
    OPTIMAL: RuleWords(
        "Made-to-measure points",
        "each place on a ballot gets the points that a voter's first, second, … choice is worth on "
        "average; most points win",
        Simplicity.TABLE,
    ),
    LEARNED: RuleWords(
        "The trained rule",
        "a network trained on many thousand elections scores the candidates from the tallies",
        Simplicity.NETWORK,
    ),
}

SIMPLICITY = tuple(level.words for level in Simplicity)

# Slow rules are measured on fewer elections.
SLOW = tuple(name for name, rule in RULES.items() if rule.slow)


class Contestant(NamedTuple):
    """A rule that is compared.

    Attributes:
        name: the name for `elect.rule`, if it has one.
        choose: the winners of each election; approval uses utilities instead of rankings.
        rule: the rule itself, for the audit.
    """

    name: str
    choose: Callable[[Elections], Winners]
    rule: Scorer

    @property
    def title(self) -> str:
        """Its title."""
        return WORDS[self.name][0]

    @property
    def counts(self) -> str:
        """How it counts."""
        return WORDS[self.name][1]

    @property
    def level(self) -> int:
        """How simple it is; lower is simpler."""
        return WORDS[self.name][2]


def contestants(
    electorate: Electorate, candidates: Range, learned: LearnedRule | None, seed: int
) -> list[Contestant]:
    """All classical rules, the scoring rule fitted to the electorate, and the trained rule if there
    is one."""
    vector = points(electorate, candidates, seed)
    classical = [name for name in RULES if name in WORDS and name != "approval"]
    found = [_ranked(name, RULES[name]) for name in classical]
    if electorate.approvals:
        found.append(Contestant("approval", _most_approved, RULES["approval"]))
    found.append(_ranked(OPTIMAL, lambda profiles: computed_scoring(profiles, vector)))
    return found if learned is None else [*found, _ranked(LEARNED, learned)]


def points(
    electorate: Electorate, candidates: Range, seed: int
) -> Callable[[int], tuple[float, ...]]:
    """The mean utility of a voter's first, second, … choice, for any number of candidates: the
    points of the scoring rule with the highest utilitarian welfare."""
    posterior, most = electorate.posterior, candidates[1]

    @cache
    def vector(m: int) -> tuple[float, ...]:
        if posterior is not None and posterior.symmetric and electorate.profile is None:
            return tuple(optimal_scoring(posterior, m).tolist())
        if m <= most:
            return _mean_utilities(electorate.source, m, seed)
        # Audits may add clones: then the points of the largest number are interpolated.
        places = np.linspace(0, 1, m)
        return tuple(np.interp(places, np.linspace(0, 1, most), vector(most)).tolist())

    return vector


def _ranked(name: str, rule: Scorer) -> Contestant:
    return Contestant(name, lambda elections: decide(rule, elections.profiles)[0], rule)


def _most_approved(elections: Elections) -> Winners:
    # Utilities of 1 and 0 are approvals, which rankings do not show.
    assert elections.utilities is not None
    votes = utilitarian(elections.utilities, elections.profiles.weights)
    votes = votes.masked_fill(~elections.profiles.mask, -1)
    return votes == votes.amax(1, keepdim=True)


def _mean_utilities(source: Culture, candidates: int, seed: int) -> tuple[float, ...]:
    elections = source(200, 50, candidates, seed=seed)
    assert elections.utilities is not None
    ordered = elections.utilities.sort(2, descending=True).values.mean((0, 1))
    return tuple(torch.round(ordered, decimals=4).tolist())
