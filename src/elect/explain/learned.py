"""What a learned rule answers to one election, and all that can be said about why."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from elect import specs
from elect.checkpoints import load, shelf
from elect.elections import Profiles, Scores
from elect.errors import ElectError
from elect.explain.outcome import Outcome
from elect.explain.phrases import listed
from elect.learned import LearnedRule
from elect.rules import ALIASES, RULES

# Between the place of a trained rule and the one of the things it has learned that is meant.
HEAD = ":head="


@dataclass(frozen=True)
class LearnedOutcome(Outcome):
    """A learned rule's answer to one election.

    Attributes:
        spec: its folder or its name on the shelf; ``:head=NAME`` says which of several it has
            learned.
        profile: the election.
    """

    @cached_property
    def rule(self) -> LearnedRule:
        place, _, head = self.spec.partition(HEAD)
        return load(place, head or None)

    @property
    def name(self) -> str:
        """What it has learned."""
        return self.rule.name

    @cached_property
    def logits(self) -> Scores:
        """What the network says, asked once for all that follows from it."""
        return self.rule(self.profile)

    @cached_property
    def winners(self) -> list[int]:
        """Whom it elects."""
        won = self.rule.winners_of(self.logits)[0].tolist()
        return [c for c in range(self.size) if won[c]]

    @cached_property
    def scores(self) -> list[int | float]:
        """Every candidate's logit."""
        values: list[int | float] = self.logits[0, : self.size].tolist()
        return values

    @cached_property
    def probabilities(self) -> list[float]:
        """How sure it is of each candidate."""
        values: list[float] = self.rule.chances_of(self.logits)[0, : self.size].tolist()
        return values

    @property
    def caveats(self) -> list[str]:
        """Why its answer may be worth less here than where it was measured."""
        return self.rule.caveats(self.profile)

    @property
    def sentence(self) -> str:
        """Whom it elects, how sure it is, and what it has learned."""
        labels, chances = self.profile.labels, self.probabilities
        order = sorted(self.winners, key=lambda c: -chances[c])
        sure = listed([f"{chances[c]:.2f}" for c in order])
        plural = "probabilities" if len(order) > 1 else "probability"
        goal = lesson(self.rule.card.objectives[self.rule.index], self.rule.card.culture)
        return f"Elects {listed([labels[c] for c in order])} with {plural} {sure}; {goal}."


def lesson(objective: dict[str, Any], culture: str) -> str:
    """What was learned, in words.

    >>> lesson({"kind": "mimic", "of": "kemeny"}, "uniform")
    'learned to imitate kemeny'
    >>> lesson({"kind": "oracle", "of": "nash"}, "uniform")
    'learned to maximize nash welfare in uniform elections'
    """
    if objective["kind"] == "mimic":
        return f"learned to imitate {objective['of']}"
    where = objective.get("culture") or culture
    return f"learned to maximize {objective['of']} welfare in {where} elections"


def outcomes(spec: str, profile: Profiles) -> list[Outcome]:
    """What the rule of this name says, or the one trained at this place: for each thing that it
    has learned, unless one is meant. Names of exact rules go before folders."""
    place = spec.partition(HEAD)[0]
    if not _is_learned(place):
        return [Outcome(spec, profile)]
    if HEAD in spec:
        return [LearnedOutcome(spec, profile)]
    heads = load(place).card.heads
    names = [spec] if len(heads) == 1 else [f"{spec}{HEAD}{head}" for head in heads]
    return [LearnedOutcome(name, profile) for name in names]


def outcome(spec: str, profile: Profiles) -> Outcome:
    """The one answer of this rule."""
    first, *more = outcomes(spec, profile)
    if more:
        names = ", ".join(one.spec for one in [first, *more])
        raise ElectError(f"'{spec}' has learned several rules; choose one of {names}.")
    return first


def _is_learned(place: str) -> bool:
    name = place.partition(":")[0]
    if specs.plain(name) in {*RULES, *ALIASES}:
        return False
    # A path to nowhere is no misspelt rule, and should be called what it is.
    return Path(place).exists() or place in shelf() or Path(name).name != name
