"""What a rule is evaluated on by default: a trained rule on what it was trained on."""

from collections.abc import Callable
from typing import Any, NamedTuple

from elect import resolve, rules, specs
from elect.errors import ElectError
from elect.learned import HEAD, LearnedRule
from elect.measuring.batches import CANDIDATES, VOTERS, Range
from elect.objectives import Objective, called, mimic, oracle
from elect.rules import Scorer
from elect.welfares import WELFARES, builtin

Goal = str | Objective | Callable[..., Any]


class Defaults(NamedTuple):
    """The default elections of an evaluation.

    Attributes:
        culture: the culture.
        voters: the range of voters.
        candidates: the range of candidates.
    """

    culture: str = "uniform"
    voters: Range = VOTERS
    candidates: Range = CANDIDATES

    @classmethod
    def of(cls, rule: Scorer) -> "Defaults":
        """The defaults for this rule."""
        if not isinstance(rule, LearnedRule):
            return cls()
        low, high = (int(end) for end in rule.card.voters)
        first, last = (int(end) for end in rule.card.candidates)
        # At most the paper's number of voters, also if it was trained on more.
        voters = low, min(high, max(low, VOTERS[1]))
        # The first culture of a mixture; the others only help to learn.
        return cls(rule.card.culture.split("+")[0], voters, (first, last))


def as_objective(target: Goal | None, rule: Scorer) -> Objective:
    """What a name or a function asks for: to maximize a welfare, or to imitate a rule; by default
    what the rule has learned."""
    if target is None:
        return learned_objective(rule)
    if isinstance(target, Objective):
        return target
    if isinstance(target, str):
        name = specs.parse(target)[0]
        if name not in WELFARES:
            _check_target(target, name)
        return oracle(target) if name in WELFARES else mimic(target)
    return oracle(target) if builtin(target) else mimic(target)


def _check_target(target: str, name: str) -> None:
    """Suggest a rule or a welfare if there is none of this name."""
    if not (resolve.OWN.fullmatch(target) or resolve.is_trained(target.partition(HEAD)[0])):
        known = {**rules.RULES, **rules.ALIASES, **WELFARES}
        specs.choose(name, known, "target", "elect rules")


def learned_objective(rule: Scorer) -> Objective:
    """What a trained rule has learned, according to its card."""
    if not isinstance(rule, LearnedRule):
        raise ElectError(
            f"Name the target of {called(rule)}: a rule to imitate, such as copeland, or a "
            "welfare to maximize, such as utilitarian."
        )
    try:
        return Objective(**rule.card.objectives[rule.index])
    except (ElectError, TypeError) as error:
        raise ElectError(
            f"{rule.name} has learned something that has no name here; call elect.evaluate with "
            "its target."
        ) from error


def renumbering_order(rule: Scorer) -> str | None:
    """The rule by which a trained network's candidates are renumbered, if they are."""
    return rule.card.neutral if isinstance(rule, LearnedRule) else None
