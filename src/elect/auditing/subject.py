"""The audited rule as a function from elections to winners."""

from collections.abc import Callable
from typing import Any

from elect.elections import Profiles, Winners
from elect.measuring.outcomes import decide
from elect.resolve import rule as resolve

Ask = Callable[[Profiles], Winners]


def winners_of(rule: Any) -> Ask:
    """The function that says who wins under this rule, whatever kind of rule it is.

    >>> winners_of("borda")(Profiles.from_rankings([[0, 1, 2], [1, 2, 0]])).tolist()
    [[False, True, False]]
    """
    found = resolve(rule)

    def ask(profiles: Profiles) -> Winners:
        return decide(found, profiles)[1]

    return ask


def rule_of(rule: Any) -> Any:
    """The rule itself."""
    return resolve(rule)


def named(rule: Any) -> str:
    """What to call the rule."""
    return rule if isinstance(rule, str) else resolve(rule).spec
