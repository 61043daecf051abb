"""Trained networks as rules: functions from profiles to scores."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.metadata import version
from typing import Any, ClassVar

import torch
from jaxtyping import Float
from torch import Tensor, nn

from elect.elections import Profiles, Scores, Winners
from elect.errors import ElectError
from elect.limits import at_most
from elect.objective_kinds import KINDS
from elect.rules.base import Decision
from elect.words import listed

# Entries (ballots times candidates) per forward pass: some hundred megabytes.
AT_ONCE = 2**19

# Candidates with at least this share of the highest probability are tied with the first.
TIED = 1 / 3

# Separates the folder or name of a trained rule from the name of a head.
HEAD = ":head="

# Probabilities that differ by less than this share are equal up to rounding.
ROUNDING = 1e-4


@dataclass(frozen=True)
class Card:
    """The metadata of a trained rule.

    Attributes:
        network: the network's name.
        arguments: its settings.
        neutral: the rule that sorts the candidates, if any.
        objectives: the objective of each head.
        heads: the names of the heads.
        culture: the elections it was trained on.
        voters: the range of voters in them.
        candidates: the range of candidates.
        seed: the seed of the training.
        steps: the number of training steps.
        minutes: the time of the training.
        start: the rule whose weights it started from, if any.
        accuracy: the accuracy of each head on held-out elections.
        measured: the results of evaluations, each with at least ``voters`` and ``candidates``.
        version: the version of the library that wrote the card.
    """

    network: str
    arguments: dict[str, Any]
    objectives: list[dict[str, Any]]
    heads: list[str]
    culture: str
    voters: list[int]
    candidates: list[int]
    seed: int
    steps: int
    minutes: float
    neutral: str | None = None
    start: str | None = None
    accuracy: dict[str, float] = field(default_factory=dict)
    measured: list[dict[str, Any]] = field(default_factory=list)
    version: str = field(default_factory=lambda: version("elect"))


@dataclass(frozen=True)
class Lesson:
    """The objective of a head as it is stored on a card; see `elect.objectives.Objective`."""

    kind: str
    of: str
    culture: str | None = None
    ties: str = "keep"
    winners: str = "softmax"
    samples: int = 8
    max_candidates: int | None = None


@dataclass(frozen=True, eq=False, repr=False)
class LearnedRule:
    """A trained network, usable like any other rule.

    Attributes:
        network: the network itself.
        card: its metadata.
        index: the number of the head in use; choose one with `head`.
        place: the folder or name that it was loaded from, if any.
    """

    network: nn.Module
    card: Card
    index: int = 0
    place: str = ""

    slow: ClassVar[bool] = False
    settings: ClassVar[dict[str, Any]] = {}

    def __post_init__(self) -> None:
        self.network.eval().requires_grad_(False)

    @property
    def name(self) -> str:
        """The name of the head in use."""
        return self.card.heads[self.index]

    @property
    def __name__(self) -> str:
        return self.name

    @property
    def spec(self) -> str:
        """The text from which `elect.rule` gets this rule."""
        several = len(self.card.heads) > 1
        return (
            f"{self.place}{HEAD}{self.name}" if several and self.place else self.place or self.name
        )

    @property
    def title(self) -> str:
        """The name to show."""
        return self.spec

    @property
    def shown(self) -> str:
        """The name to show in a table."""
        return self.spec

    @property
    def lesson(self) -> str:
        """What it was trained for, in words."""
        return lesson(self.card.objectives[self.index], self.card.culture)

    def decide(self, profile: Profiles) -> "LearnedDecision":
        """Decide one election."""
        return LearnedDecision(self, profile)

    def why(self, decision: "LearnedDecision") -> str:
        """The winners, their probabilities, and what the rule was trained for."""
        labels, chances = decision.profile.labels, decision.chances
        order = sorted(decision.elected, key=lambda c: -chances[c])
        sure = listed([f"{chances[c]:.2f}" for c in order])
        plural = "probabilities" if len(order) > 1 else "probability"
        return f"Elects {listed([labels[c] for c in order])} with {plural} {sure}; {self.lesson}."

    def head(self, name: str) -> "LearnedRule":
        """The same network with another head."""
        if name not in self.card.heads:
            known = ", ".join(self.card.heads)
            raise ElectError(f"This rule has not learned '{name}'; it has learned {known}.")
        return replace(self, index=self.card.heads.index(name))

    def only(self, name: str) -> "LearnedRule":
        """A rule with only this head."""
        chosen = self.head(name)
        if len(self.card.heads) == 1:
            return chosen
        part: Callable[[int], nn.Module] | None = getattr(self.network, "only", None)
        if part is None:
            raise ElectError(
                f"A {self.card.network} network cannot be divided into one network for each head."
            )
        card = replace(
            self.card,
            heads=[name],
            objectives=[self.card.objectives[chosen.index]],
            accuracy={key: value for key, value in self.card.accuracy.items() if key == name},
            measured=[one for one in self.card.measured if one.get("head", name) == name],
        )
        return LearnedRule(part(chosen.index), card)

    def to(self, device: torch.device | str) -> "LearnedRule":
        """The same rule on another device."""
        return replace(self, network=self.network.to(device))

    def __call__(self, profiles: Profiles) -> Scores:
        """The logits of the candidates, -inf for padding.

        Random numbers in the network (see `Renumbered`) always use the same seed, so the same
        batch gets the same scores.
        """
        return self.all_heads(profiles)[:, self.index]

    @torch.no_grad()
    def all_heads(self, profiles: Profiles) -> Float[Tensor, "batch head candidate"]:
        """The logits of all heads, from one forward pass."""
        size = profiles.ranks.shape[2]
        at_most(size, "trained", f"Trained rules would have to compare {size:,} candidates")
        reseed(self.network, 0)
        device = next(self.network.parameters()).device
        logits = [as_heads(self.network(on(device, piece))) for piece in _pieces(profiles)]
        return torch.cat(logits).float().to(profiles.ranks.device)

    def probabilities(self, profiles: Profiles) -> Scores:
        """Each candidate's probability of winning, 0 for padding."""
        return self.chances_of(self(profiles))

    def winners(self, profiles: Profiles) -> Winners:
        """The winners of each election.

        A network that imitates a rule gives tied winners equal probabilities. If a tie of two and
        a win of the first are equally likely, their probabilities are ¾ and ¼. So everyone with at
        least a third of the highest probability wins. With ``sigmoid`` outputs, everyone with a
        probability of at least one half wins, or else the most probable. A network that maximizes
        a welfare elects the most probable candidate; probabilities that differ only by rounding
        are ties.
        """
        return self.winners_of(self(profiles))

    def winners_of(self, logits: Scores) -> Winners:
        """The winners by these logits."""
        chances = self.chances_of(logits)
        best = chances.amax(1, keepdim=True)
        if self._any_number:
            return chances >= best.clamp(max=0.5)
        kind = KINDS.get(self.card.objectives[self.index].get("kind", ""))
        imitates = kind is not None and kind.imitates
        return chances >= best * (TIED if imitates else 1 - ROUNDING)

    def chances_of(self, logits: Scores) -> Scores:
        """Each candidate's probability of winning by these logits."""
        return logits.sigmoid() if self._any_number else logits.softmax(1)

    def caveats(self, profiles: Profiles) -> list[str]:
        """In what way these elections differ from those the rule was trained and measured on."""
        notes = []
        for what, asked in (
            ("voters", profiles.num_voters),
            ("candidates", profiles.num_candidates),
        ):
            known = [getattr(self.card, what), *(m[what] for m in self.card.measured if what in m)]
            low, high = min(int(ends[0]) for ends in known), max(int(ends[1]) for ends in known)
            if int(asked.min()) < low or int(asked.max()) > high:
                notes.append(
                    f"This rule was trained and measured on {low} to {high} {what}; how well it "
                    "does on others is not known."
                )
        # Sampled ballots are complete; only real ones may be truncated or tied.
        if not profiles.complete.all():
            notes.append(
                "Some ballots are truncated or tied; the rule was trained on complete rankings."
            )
        return notes

    @property
    def _any_number(self) -> bool:
        return self.card.objectives[self.index].get("winners") == "sigmoid"

    def __repr__(self) -> str:
        return f"LearnedRule({self.name!r}, {self.card.network}, {self.card.steps} steps)"


@dataclass(frozen=True, eq=False, repr=False)
class LearnedDecision(Decision):
    """What a learned rule decides in one election."""

    rule: LearnedRule

    @cached_property
    def logits(self) -> Scores:
        """The logits, computed once."""
        return self.rule(self.profile)

    @cached_property
    def elected(self) -> list[int]:
        """The winners' numbers."""
        won = self.rule.winners_of(self.logits)[0].tolist()
        return [c for c in range(self.size) if won[c]]

    @cached_property
    def points(self) -> list[int | float]:
        """Every candidate's logit."""
        values: list[int | float] = self.logits[0, : self.size].tolist()
        return values

    @cached_property
    def chances(self) -> list[float]:
        """Each candidate's probability of winning, by number."""
        values: list[float] = self.rule.chances_of(self.logits)[0, : self.size].tolist()
        return values

    @property
    def probabilities(self) -> dict[str, float]:
        """Each candidate's probability of winning, by name."""
        return dict(zip(self.profile.labels, self.chances, strict=False))

    @property
    def caveats(self) -> list[str]:
        """Why the result may be less reliable here than where the rule was measured."""
        return self.rule.caveats(self.profile)

    def to_json(self) -> dict[str, Any]:
        """The decision as JSON values."""
        return {**super().to_json(), "probabilities": self.probabilities}


def lesson(objective: dict[str, Any], culture: str) -> str:
    """What was learned, in words.

    >>> lesson({"kind": "mimic", "of": "kemeny"}, "uniform")
    'learned to imitate kemeny'
    >>> lesson({"kind": "oracle", "of": "nash"}, "uniform")
    'learned to maximize nash welfare in uniform elections'
    """
    where = objective.get("culture") or culture
    return f"learned to {KINDS[objective['kind']].title.format(of=objective['of'], culture=where)}"


def as_heads(logits: Tensor) -> Float[Tensor, "batch head candidate"]:
    """Logits with a dimension for heads, even if the network has only one."""
    return logits if logits.ndim == 3 else logits[:, None]


def reseed(network: nn.Module, seed: int) -> None:
    """Reset the network's random generators, if it has any, to this seed."""
    for module in network.modules():
        if isinstance(generator := getattr(module, "generator", None), torch.Generator):
            generator.manual_seed(seed)


def on(device: torch.device, profiles: Profiles) -> Profiles:
    """The profiles on this device; the same object, with its caches, if they are there already."""
    return profiles if profiles.ranks.device == device else profiles.to(device)


def _pieces(profiles: Profiles) -> Iterator[Profiles]:
    """The batch in pieces that fit into one forward pass."""
    if profiles.ranks.numel() <= AT_ONCE:
        yield profiles
        return
    size = max(1, AT_ONCE // profiles.ranks[0].numel())
    for start in range(0, len(profiles), size):
        yield profiles[start : start + size]
