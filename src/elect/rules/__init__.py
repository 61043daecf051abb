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
from functools import partial

from elect import specs
from elect.deadlines import time_limit
from elect.elections import Profiles, Scores, Winners
from elect.errors import Unsettled
from elect.rules.closeness import dodgson, dodgson_winners, young, young_winners
from elect.rules.elimination import (
    baldwin,
    bucklin,
    coombs,
    instant_runoff,
    strict_nanson,
    weak_nanson,
)
from elect.rules.kemeny import kemeny, kemeny_winners, slater, slater_winners
from elect.rules.pairwise import beat_path, blacks, copeland, llull, maximin, split_cycle
from elect.rules.ranked_pairs import ranked_pairs
from elect.rules.scoring import anti_plurality, approval, borda, k_approval, plurality, scoring

Rule = Callable[[Profiles], Scores]

RULES: dict[str, Callable[..., Scores]] = {
    "plurality": plurality,
    "anti_plurality": anti_plurality,
    "k_approval": k_approval,
    "approval": approval,
    "borda": borda,
    "scoring": scoring,
    "copeland": copeland,
    "llull": llull,
    "maximin": maximin,
    "blacks": blacks,
    "beat_path": beat_path,
    "ranked_pairs": ranked_pairs,
    "split_cycle": split_cycle,
    "slater": slater,
    "kemeny": kemeny,
    "instant_runoff": instant_runoff,
    "coombs": coombs,
    "baldwin": baldwin,
    "strict_nanson": strict_nanson,
    "weak_nanson": weak_nanson,
    "bucklin": bucklin,
    "dodgson": dodgson,
    "young": young,
}

# Other names that users know these rules by.
ALIASES = {
    "veto": "anti_plurality",
    "antiplurality": "anti_plurality",
    "minimax": "maximin",
    "simpson": "maximin",
    "black": "blacks",
    "schulze": "beat_path",
    "tideman": "ranked_pairs",
    "kemeny_young": "kemeny",
    "irv": "instant_runoff",
    "hare": "instant_runoff",
    "ranked_choice": "instant_runoff",
    "alternative_vote": "instant_runoff",
    "nanson": "strict_nanson",
}

# Rules whose winners can be known without the scores of everyone who loses.
_SHORTCUTS: dict[Callable[..., Scores], Callable[[Profiles], Winners]] = {
    kemeny: kemeny_winners,
    slater: slater_winners,
    dodgson: dodgson_winners,
    young: young_winners,
}


def rule(spec: str) -> Rule:
    """The rule of this name, with settings if there are any: ``copeland:tie=0``.

    >>> rule("schulze").__name__
    'beat_path'
    """
    name, settings = specs.parse(spec)
    name = ALIASES.get(name, name)
    specs.choose(name, {**RULES, **ALIASES}, "rule", "elect rules")
    function = RULES[name]
    specs.check(function, name, settings, given=1)
    return partial(function, **settings) if settings else function


def winners(of: str | Rule, profiles: Profiles, seconds: float | None = None) -> Winners:
    """Who wins each election: all candidates of the highest score, so a tie is several.

    A rule that has a method ``winners``, as learned ones do, is asked for them itself.

    Args:
        of: the rule.
        profiles: the elections.
        seconds: how long each election may take, 60 by default. Kemeny, Slater, Dodgson, Young and
            ranked pairs need more than a moment for some elections with many candidates.

    Raises:
        Unsettled: if the time was not enough; it knows the winners of the other elections.
    """
    if seconds is not None:
        with time_limit(seconds):
            return winners(of, profiles)
    function = rule(of) if isinstance(of, str) else of
    own: Callable[[Profiles], Winners] | None = getattr(function, "winners", None)
    if own is not None:
        return own(profiles)
    if function in _SHORTCUTS:
        return _SHORTCUTS[function](profiles)
    scores = function(profiles)
    return scores == scores.amax(1, keepdim=True)


def settled(of: str | Rule, profiles: Profiles) -> Winners:
    """Who wins each election, and nobody where the rule gives up."""
    try:
        return winners(of, profiles)
    except Unsettled as error:
        won: Winners = error.winners
        return won
