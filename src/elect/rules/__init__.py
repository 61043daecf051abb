"""Exact voting rules, by name.

A rule is a function from `Profiles` to scores, one for each candidate; its winners are those of
the highest score. Names follow pref_voting, with ``maximin`` for its ``minimax`` and ``kemeny`` for
``kemeny_young``.

Example:
    >>> from elect.elections import Profiles
    >>> profile = Profiles.from_rankings([["Ann", "Ben", "Cleo"], ["Ben", "Cleo", "Ann"]], [3, 2])
    >>> winners("plurality", profile).tolist()
    [[True, False, False]]
    >>> winners("borda", profile).tolist()
    [[False, True, False]]
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from typing import Any

from elect import specs
from elect.deadlines import time_limit
from elect.elections import Profiles, Scores, Winners
from elect.errors import Unsettled
from elect.rules import dodgson_young, elimination, kemeny, pairwise, ranked_pairs, scoring
from elect.rules.base import Rule

Scorer = Callable[[Profiles], Scores]

_FILES = (scoring, pairwise, ranked_pairs, kemeny, elimination, dodgson_young)

RULES: dict[str, Rule] = {
    record.name: record for record in chain.from_iterable(file.RECORDS for file in _FILES)
}
# Titles are accepted as names too.
ALIASES = {
    alias: rule.name
    for rule in RULES.values()
    for alias in (*rule.aliases, specs.plain(rule.title))
    if alias not in RULES
}


def rule(spec: str, /, **settings: Any) -> Rule:
    """The rule of this name, with settings if there are any: ``copeland:tie=0``.

    >>> rule("schulze").name, rule("copeland", tie=0).spec
    ('beat_path', 'copeland:tie=0')
    """
    name, written = specs.parse(spec)
    name = ALIASES.get(name, name)
    specs.choose(name, {**RULES, **ALIASES}, "rule", "elect rules")
    given = {**written, **settings}
    specs.check(RULES[name].score, name, given, given=1)
    found = RULES[name].using(**given) if given else RULES[name]
    return found if settings or spec == name else replace(found, written=spec)


def winners(of: str | Scorer, profiles: Profiles, seconds: float | None = None) -> Winners:
    """The winners of each election: all candidates with the highest score.

    If the rule has a method ``winners``, as learned rules do, that is used instead.

    Args:
        of: the rule.
        profiles: the elections.
        seconds: the time limit for each election. Default: 60. Kemeny, Slater, Dodgson, Young and
            ranked pairs can be slow with many candidates.

    Raises:
        Unsettled: if the time runs out; the error holds the winners of the other elections.
    """
    if seconds is not None:
        with time_limit(seconds):
            return winners(of, profiles)
    function = rule(of) if isinstance(of, str) else of
    own: Callable[[Profiles], Winners] | None = getattr(function, "winners", None)
    if own is not None:
        return own(profiles)
    scores = function(profiles)
    return scores == scores.amax(1, keepdim=True)


def settled(of: str | Scorer, profiles: Profiles) -> Winners:
    """The winners of each election; nobody in elections that are not settled in time."""
    try:
        return winners(of, profiles)
    except Unsettled as error:
        won: Winners = error.winners
        return won
