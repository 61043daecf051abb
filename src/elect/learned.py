"""A learned rule is a rule: profiles go in, scores come out."""

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

# Numbers on ballots that a network looks at in one go: some hundred megabytes at work.
AT_ONCE = 2**19

# The share of the likeliest's probability from which a tie is likelier than not.
TIED = 1 / 3

# Between the place of a trained rule and the one of the things it has learned that is meant.
HEAD = ":head="

# Probabilities that differ by less than this share are equal: sums in another order differ too.
ROUNDING = 1e-4


@dataclass(frozen=True)
class Card:
    """What a trained rule is and where it comes from.

    Attributes:
        network: the network's name.
        arguments: its settings.
        neutral: the order by which candidates are renumbered, if they are.
        objectives: what each head has learned, in words.
        heads: what the heads are called.
        culture: the elections it was trained on.
        voters: the range of voters in them.
        candidates: the range of candidates.
        seed: the seed of the training.
        steps: how many it took.
        minutes: how long they took.
        start: the rule whose weights it began with, if any.
        accuracy: of each head, on the training's held-out elections.
        measured: what evaluations have added, each with at least ``voters`` and ``candidates``.
        version: of the library that wrote this.
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
    """What a head has learned, as a card has it; `elect.objectives.Objective` tells more."""

    kind: str
    of: str
    culture: str | None = None
    ties: str = "keep"
    winners: str = "softmax"
    samples: int = 8
    max_candidates: int | None = None


@dataclass(frozen=True, eq=False, repr=False)
class LearnedRule:
    """A trained network that stands wherever a rule can.

    Attributes:
        network: the network itself.
        card: what it is and where it comes from.
        index: which of its heads speaks; choose with `head`.
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
        """What the head that speaks has learned."""
        return self.card.heads[self.index]

    @property
    def __name__(self) -> str:
        return self.name

    @property
    def spec(self) -> str:
        """What to write to get it again."""
        several = len(self.card.heads) > 1
        return (
            f"{self.place}{HEAD}{self.name}" if several and self.place else self.place or self.name
        )

    @property
    def title(self) -> str:
        """What to call it."""
        return self.spec

    @property
    def shown(self) -> str:
        """What to call it in a table."""
        return self.spec

    @property
    def lesson(self) -> str:
        """What it has learned, in words."""
        return lesson(self.card.objectives[self.index], self.card.culture)

    def decide(self, profile: Profiles) -> "LearnedDecision":
        """What it decides in one election."""
        return LearnedDecision(self, profile)

    def why(self, decision: "LearnedDecision") -> str:
        """Whom it elects, how sure it is, and what it has learned."""
        labels, chances = decision.profile.labels, decision.chances
        order = sorted(decision.elected, key=lambda c: -chances[c])
        sure = listed([f"{chances[c]:.2f}" for c in order])
        plural = "probabilities" if len(order) > 1 else "probability"
        return f"Elects {listed([labels[c] for c in order])} with {plural} {sure}; {self.lesson}."

    def head(self, name: str) -> "LearnedRule":
        """The same network speaking for another of the things it has learned."""
        if name not in self.card.heads:
            known = ", ".join(self.card.heads)
            raise ElectError(f"This rule has not learned '{name}'; it has learned {known}.")
        return replace(self, index=self.card.heads.index(name))

    def only(self, name: str) -> "LearnedRule":
        """One of the things it has learned, as a rule by itself that has learned nothing else."""
        chosen = self.head(name)
        if len(self.card.heads) == 1:
            return chosen
        part: Callable[[int], nn.Module] | None = getattr(self.network, "only", None)
        if part is None:
            raise ElectError(
                f"A {self.card.network} network cannot be divided into one for each thing that it "
                "has learned."
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
        """The same rule at work on another device."""
        return replace(self, network=self.network.to(device))

    def __call__(self, profiles: Profiles) -> Scores:
        """The logits of the candidates, -inf where there is padding.

        Whatever is random in the network (see `Renumbered`) is drawn anew from the same seed, so
        the same batch always gets the same scores.
        """
        return self.all_heads(profiles)[:, self.index]

    @torch.no_grad()
    def all_heads(self, profiles: Profiles) -> Float[Tensor, "batch head candidate"]:
        """The logits of all that it has learned, from one look at the ballots."""
        size = profiles.ranks.shape[2]
        at_most(size, "trained", f"Trained rules would have to compare {size:,} candidates")
        reseed(self.network, 0)
        device = next(self.network.parameters()).device
        logits = [as_heads(self.network(on(device, piece))) for piece in _pieces(profiles)]
        return torch.cat(logits).float().to(profiles.ranks.device)

    def probabilities(self, profiles: Profiles) -> Scores:
        """How sure it is of each candidate, 0 where there is padding."""
        return self.chances_of(self(profiles))

    def winners(self, profiles: Profiles) -> Winners:
        """Who wins: everyone at least a third as probable as the likeliest.

        A network that has learned winner sets gives tied winners equal shares. Where it is even
        odds whether two are tied or the first wins alone, their shares are ¾ and ¼: above a third
        of the likeliest's, a tie is likelier than not. Where it has learned of each
        candidate whether it wins (``sigmoid``), all who probably do, and at least the likeliest.
        One that has learned a welfare has doubts, not ties, and elects the likeliest; candidates
        whom only rounding tells apart are tied all the same, or their order would decide.
        """
        return self.winners_of(self(profiles))

    def winners_of(self, logits: Scores) -> Winners:
        """Who wins by logits that it has given before."""
        chances = self.chances_of(logits)
        best = chances.amax(1, keepdim=True)
        if self._any_number:
            return chances >= best.clamp(max=0.5)
        kind = KINDS.get(self.card.objectives[self.index].get("kind", ""))
        imitates = kind is not None and kind.imitates
        return chances >= best * (TIED if imitates else 1 - ROUNDING)

    def chances_of(self, logits: Scores) -> Scores:
        """How sure it is of each candidate by logits that it has given before."""
        return logits.sigmoid() if self._any_number else logits.softmax(1)

    def caveats(self, profiles: Profiles) -> list[str]:
        """What these elections ask of the rule that it was neither trained nor measured on."""
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
        # Sampled cultures rank everyone; only a real profile may hold other ballots.
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
        """What the network says, asked once for all that follows from it."""
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
        """How sure the rule is of each candidate, by number."""
        values: list[float] = self.rule.chances_of(self.logits)[0, : self.size].tolist()
        return values

    @property
    def probabilities(self) -> dict[str, float]:
        """How sure the rule is of each candidate, by name."""
        return dict(zip(self.profile.labels, self.chances, strict=False))

    @property
    def caveats(self) -> list[str]:
        """Why its answer may be worth less here than where it was measured."""
        return self.rule.caveats(self.profile)

    def to_json(self) -> dict[str, Any]:
        """The decision as JSON holds it."""
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
    """Logits with a dimension for heads, also from a network that has only one."""
    return logits if logits.ndim == 3 else logits[:, None]


def reseed(network: nn.Module, seed: int) -> None:
    """Let the network's own generators, if it has any, begin at this seed."""
    for module in network.modules():
        if isinstance(generator := getattr(module, "generator", None), torch.Generator):
            generator.manual_seed(seed)


def on(device: torch.device, profiles: Profiles) -> Profiles:
    """The profiles on this device; those already there keep what has been counted."""
    return profiles if profiles.ranks.device == device else profiles.to(device)


def _pieces(profiles: Profiles) -> Iterator[Profiles]:
    """The batch, cut so that a network can look at each piece in one go."""
    if profiles.ranks.numel() <= AT_ONCE:
        yield profiles
        return
    size = max(1, AT_ONCE // profiles.ranks[0].numel())
    for start in range(0, len(profiles), size):
        yield profiles[start : start + size]
