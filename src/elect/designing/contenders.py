"""The rules that are compared: what they are called, how they count, and how simple that is."""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
import torch

from elect.cultures import Culture
from elect.designing.electorate import Electorate, Range
from elect.elections import Elections, Winners
from elect.evaluation.records import decide
from elect.learned import LearnedRule
from elect.rules import RULES, Rule
from elect.rules.optimal import optimal_scoring
from elect.rules.scoring import computed_scoring
from elect.welfare import utilitarian

# From what fits on a tally sheet to what nobody can count by hand.
SIMPLICITY = (
    "count marks",
    "add up points for places",
    "add up points from a table",
    "count in rounds",
    "compare candidates in pairs",
    "follow chains of majorities",
    "search all rankings by computer",
    "ask a trained network",
)
MARKS, POINTS, TABLE, ROUNDS, PAIRS, CHAINS, SEARCH, NETWORK = range(len(SIMPLICITY))

# What the rule that was trained, and the vector made for the purpose, are called.
LEARNED, OPTIMAL = "learned", "optimal scoring"

# What can take long is measured on fewer elections.
SLOW = ("slater", "kemeny", "dodgson", "young", "ranked_pairs")

# How each rule is called in a report, how it counts, and how simple that is.
WORDS: dict[str, tuple[str, str, int]] = {
    "plurality": ("Plurality", "whoever is the first choice of most voters wins", MARKS),
    "approval": ("Approval", "whoever is approved of by most voters wins", MARKS),
    "anti_plurality": ("Veto", "whoever is the last choice of fewest voters wins", MARKS),
    "k_approval": ("Two votes each", "whoever is most often a first or second choice wins", MARKS),
    "borda": (
        "Borda",
        "on each ballot the last choice gets 0 points, the next 1, and so on; most points win",
        POINTS,
    ),
    OPTIMAL: (
        "Made-to-measure points",
        "each place on a ballot gets the points that a voter's "
        "first, second, … choice is worth on average; most points win",
        TABLE,
    ),
    "instant_runoff": (
        "Instant runoff",
        "whoever has fewest first choices leaves, until one is left",
        ROUNDS,
    ),
    "bucklin": (
        "Bucklin",
        "first choices are counted, then second choices too, and so on, until "
        "someone has a majority",
        ROUNDS,
    ),
    "coombs": (
        "Coombs",
        "whoever has most last choices leaves, until someone has a majority of first choices",
        ROUNDS,
    ),
    "baldwin": ("Baldwin", "whoever has fewest Borda points leaves, until one is left", ROUNDS),
    "strict_nanson": (
        "Nanson",
        "all below the average of Borda points leave, until one is left",
        ROUNDS,
    ),
    "weak_nanson": (
        "Nanson, weak",
        "all at or below the average of Borda points leave, until one is left",
        ROUNDS,
    ),
    "copeland": (
        "Copeland",
        "whoever wins most head-to-head comparisons wins; a tie is half a win",
        PAIRS,
    ),
    "llull": ("Llull", "whoever wins or ties most head-to-head comparisons wins", PAIRS),
    "maximin": ("Maximin", "whoever's worst head-to-head defeat is smallest wins", PAIRS),
    "blacks": ("Black", "whoever beats everyone head to head wins, or else Borda decides", PAIRS),
    "beat_path": (
        "Schulze",
        "whoever has the stronger chain of majorities to everyone else wins",
        CHAINS,
    ),
    "ranked_pairs": (
        "Ranked pairs",
        "majorities are locked in from the largest down, unless they contradict earlier ones",
        CHAINS,
    ),
    "split_cycle": (
        "Split cycle",
        "the smallest majority of every cycle is struck out; whoever is then unbeaten wins",
        CHAINS,
    ),
    "slater": ("Slater", "the ranking that contradicts fewest majorities is sought", SEARCH),
    "kemeny": (
        "Kemeny",
        "the ranking that agrees with most voters on most pairs is sought",
        SEARCH,
    ),
    "dodgson": (
        "Dodgson",
        "whoever needs fewest swaps on ballots to beat everyone head to head wins",
        SEARCH,
    ),
    "young": (
        "Young",
        "whoever beats everyone head to head once fewest voters are left out wins",
        SEARCH,
    ),
    LEARNED: (
        "The trained rule",
        "a network that has seen elections by the thousand judges the tallies of the ballots",
        NETWORK,
    ),
}


class Contender(NamedTuple):
    """A rule that is compared.

    Attributes:
        name: as `elect.rule` knows it, if it does.
        choose: who wins each election; only approvals are not read off the rankings.
        rule: the rule itself, to be audited.
    """

    name: str
    choose: Callable[[Elections], Winners]
    rule: Rule

    @property
    def title(self) -> str:
        """What it is called."""
        return WORDS[self.name][0]

    @property
    def counts(self) -> str:
        """How it counts."""
        return WORDS[self.name][1]

    @property
    def level(self) -> int:
        """How simple that is: the lower, the simpler."""
        return WORDS[self.name][2]


def contenders(
    electorate: Electorate, candidates: Range, learned: LearnedRule | None, seed: int
) -> list[Contender]:
    """Every classical rule, the scoring vector that is made for the electorate, and the trained
    rule if there is one."""
    vector = points(electorate, candidates, seed)
    classical = [name for name in RULES if name in WORDS and name != "approval"]
    found = [_ranked(name, RULES[name]) for name in classical]
    if electorate.approvals:
        found.append(Contender("approval", _most_approved, RULES["approval"]))
    found.append(_ranked(OPTIMAL, lambda profiles: computed_scoring(profiles, vector)))
    return found if learned is None else [*found, _ranked(LEARNED, learned)]


def points(
    electorate: Electorate, candidates: Range, seed: int
) -> Callable[[int], tuple[float, ...]]:
    """What a voter's first, second, … choice is worth on average, for any number of candidates:
    the points of the scoring rule that reaches most utilitarian welfare."""
    posterior, most = electorate.posterior, candidates[1]

    @cache
    def vector(m: int) -> tuple[float, ...]:
        if posterior is not None and posterior.symmetric and electorate.profile is None:
            return tuple(optimal_scoring(posterior, m).tolist())
        if m <= most:
            return _mean_utilities(electorate.source, m, seed)
        # Clones may join: the points of the largest number are stretched.
        places = np.linspace(0, 1, m)
        return tuple(np.interp(places, np.linspace(0, 1, most), vector(most)).tolist())

    return vector


def _ranked(name: str, rule: Rule) -> Contender:
    return Contender(name, lambda elections: decide(rule, elections.profiles)[0], rule)


def _most_approved(elections: Elections) -> Winners:
    # Utilities of 1 and 0 are approvals, which rankings have lost.
    assert elections.utilities is not None
    votes = utilitarian(elections.utilities, elections.profiles.weights)
    votes = votes.masked_fill(~elections.profiles.mask, -1)
    return votes == votes.amax(1, keepdim=True)


def _mean_utilities(source: Culture, candidates: int, seed: int) -> tuple[float, ...]:
    elections = source(200, 50, candidates, seed=seed)
    assert elections.utilities is not None
    ordered = elections.utilities.sort(2, descending=True).values.mean((0, 1))
    return tuple(torch.round(ordered, decimals=4).tolist())
