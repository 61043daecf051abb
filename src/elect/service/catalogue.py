"""What can be asked for: rules, cultures and welfares."""

from dataclasses import asdict
from typing import Any

from elect import specs
from elect.cultures import CULTURES
from elect.elections import Profiles
from elect.errors import ElectError
from elect.explain import FAMILIES, definition, takes
from elect.explain.learned import lesson
from elect.learned import LearnedRule
from elect.rules import ALIASES, RULES
from elect.service.hall import Hall
from elect.welfare import WELFARES

# Cultures whose voters have utilities, and among them those whose best possible rule is known.
DIRICHLET = ("uniform", "polarized", "indecisive", "landslide", "skewed", "dirichlet")
UTILITIES = (*DIRICHLET, "euclidean")

BALLOTS: dict[str, list[Any]] = {
    "complete": [[0, 1, 2]],
    "truncated": [[0], [1, 0]],
    "tied": [[0, [1, 2]]],
}


def list_rules(hall: Hall) -> list[dict[str, Any]]:
    """Every rule, exact ones first."""
    exact = [
        {
            "name": name,
            "title": name.replace("_", " ").capitalize(),
            "family": next(family.look for family in FAMILIES if name in family.rules),
            "definition": definition(name),
            "kind": "exact",
            "ballots": takes(name),
            "settings": specs.settings(RULES[name], given=1),
            "aliases": [alias for alias, of in ALIASES.items() if of == name],
        }
        for name in RULES
    ]
    return [*exact, *(_trained(name, rule, hall) for name, rule in hall.trained.items())]


def _trained(name: str, rule: LearnedRule, hall: Hall) -> dict[str, Any]:
    learned = lesson(rule.card.objectives[rule.index], rule.card.culture)
    return {
        "name": name,
        "title": name.replace("_", " "),
        "family": "A network has seen elections, and whom it should elect.",
        "definition": f"A {rule.card.network} network that has {learned}.",
        "kind": hall.kind(name),
        "ballots": _accepted(name, rule, hall),
        "settings": [],
        "aliases": [],
        "card": asdict(rule.card),
    }


def _accepted(name: str, rule: LearnedRule, hall: Hall) -> dict[str, str]:
    """Which ballots a rule can read; it is tried, which takes a moment, and remembered."""
    if name not in hall.accepted:
        hall.accepted[name] = {
            ballot: "yes" if _accepts(rule, ballots) else "no"
            for ballot, ballots in BALLOTS.items()
        }
    return hall.accepted[name]


def _accepts(rule: LearnedRule, ballots: list[Any]) -> bool:
    try:
        rule(Profiles.from_rankings(ballots, num_candidates=3))
    except ElectError:
        return False
    return True


def list_cultures(hall: Hall) -> list[dict[str, Any]]:
    """Every culture of the library."""
    return [
        {
            **specs.described(name, make, 0),
            "utilities": name in UTILITIES,
            "ceiling": name in DIRICHLET,
        }
        for name, make in CULTURES.items()
    ]


def list_welfares(hall: Hall) -> list[dict[str, Any]]:
    """Every welfare of the library."""
    return [specs.described(name, make, 2) for name, make in WELFARES.items()]
