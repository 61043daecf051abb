"""The lists of rules, cultures and welfares."""

from dataclasses import asdict
from typing import Any

from elect import specs
from elect.cultures import CULTURES
from elect.elections import Profiles
from elect.errors import ElectError
from elect.learned import LearnedRule
from elect.rules import RULES
from elect.service.rule_catalogue import RuleCatalogue
from elect.welfares import WELFARES

BALLOTS: dict[str, list[Any]] = {
    "complete": [[0, 1, 2]],
    "truncated": [[0], [1, 0]],
    "tied": [[0, [1, 2]]],
}


def list_rules(catalogue: RuleCatalogue) -> list[dict[str, Any]]:
    """Every rule, exact ones first."""
    exact = [
        {
            "name": rule.name,
            "title": rule.title,
            "family": rule.reads,
            "definition": rule.definition,
            "kind": "exact",
            "ballots": dict(rule.ballots),
            "settings": specs.settings(rule.score, given=1),
            "aliases": list(rule.aliases),
        }
        for rule in RULES.values()
    ]
    return [*exact, *(_trained(name, rule, catalogue) for name, rule in catalogue.trained.items())]


def _trained(name: str, rule: LearnedRule, catalogue: RuleCatalogue) -> dict[str, Any]:
    return {
        "name": name,
        "title": name.replace("_", " "),
        "family": "A network was trained on elections and their winners.",
        "definition": f"A {rule.card.network} network that has {rule.lesson}.",
        "kind": catalogue.kind(name),
        "ballots": _accepted(name, rule, catalogue),
        "settings": [],
        "aliases": [],
        "card": asdict(rule.card),
    }


def _accepted(name: str, rule: LearnedRule, catalogue: RuleCatalogue) -> dict[str, str]:
    """Which ballots a rule accepts; this is tried once and cached."""
    if name not in catalogue.accepted:
        catalogue.accepted[name] = {
            ballot: "yes" if _accepts(rule, ballots) else "no"
            for ballot, ballots in BALLOTS.items()
        }
    return catalogue.accepted[name]


def _accepts(rule: LearnedRule, ballots: list[Any]) -> bool:
    try:
        rule(Profiles.from_rankings(ballots, num_candidates=3))
    except ElectError:
        return False
    return True


def list_cultures(catalogue: RuleCatalogue) -> list[dict[str, Any]]:
    """Every culture of the library."""
    return [
        {
            **specs.described(culture.name, culture.make, 0),
            "aliases": list(culture.aliases),
            "utilities": culture.utilities,
            "ceiling": culture.posterior,
        }
        for culture in CULTURES.values()
    ]


def list_welfares(catalogue: RuleCatalogue) -> list[dict[str, Any]]:
    """Every welfare of the library."""
    return [specs.described(name, one.score, 2) for name, one in WELFARES.items()]
