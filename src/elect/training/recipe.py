"""All settings of a training, in one place and in plain words."""

import hashlib
import json
from dataclasses import dataclass, field, fields
from math import isfinite
from typing import Any

from elect import cultures
from elect.cultures import Culture
from elect.errors import ElectError
from elect.measuring.batches import Range
from elect.objectives import Objective, called
from elect.typed_json import checked

# Numbers on the ballots of one part of a batch, and elections to validate on: more would take many
# gigabytes.
LARGEST_PART, LARGEST_VALIDATION = 2**31, 10**7


@dataclass(frozen=True)
class Recipe:
    """A training; the same recipe gives the same weights.

    Attributes:
        objectives: what to learn; the network has a head for each.
        network: its name, with or without settings.
        arguments: more of its settings.
        neutral: a rule by which candidates are renumbered to make the network neutral.
        start: a trained rule, by folder or name, whose weights to begin with.
        culture: where elections come from, by name with settings or as such.
        voters: the range of voters.
        candidates: the range of candidates.
        log_voters: draw voters evenly on a logarithmic scale: each part of a batch has a range of
            its own, from some number to its double.
        batch: elections a step.
        entries: if given, each part of a batch has one number of candidates and as many elections
            as this budget allows, more of them where candidates are few: see `share_out`.
        parts: pieces of a batch that go through the network one by one, or on one process each.
        optimizer: ``adam``, ``adamw`` or ``lookahead`` (k = 5, α = 0.5, around Adam).
        learning_rate: its peak.
        weight_decay: for ``adamw``.
        warmup: steps of linear rise before the cosine decay.
        clip: the norm that gradients are clipped to.
        averaging: the decay of the moving average of the weights, which is what is kept; 0 keeps
            the last weights.
        precision: ``32-true``, ``bf16-mixed`` where a GPU has it, or ``auto`` for what the device
            does well.
        steps: how many.
        minutes: or how long; during warm-up the steps that fit are counted, once and for all.
        seed: of everything.
        validation: held-out elections, the same all along.
        validate_every: steps between their use.
        checkpoint_every: steps between checkpoints.
    """

    objectives: tuple[Objective, ...]
    network: str = "tally"
    arguments: dict[str, Any] = field(default_factory=dict)
    neutral: str | None = None
    start: str | None = None
    culture: str | Culture = "uniform"
    voters: Range = (2, 99)
    candidates: Range = (2, 29)
    log_voters: bool = False
    batch: int = 64
    entries: int | None = None
    parts: int = 1
    optimizer: str = "adam"
    learning_rate: float = 1e-4
    weight_decay: float = 0.01
    warmup: int = 160
    clip: float = 1.0
    averaging: float = 0.999
    precision: str = "auto"
    steps: int | None = None
    minutes: float | None = None
    seed: int = 0
    validation: int = 1024
    validate_every: int = 500
    checkpoint_every: int = 500

    def __post_init__(self) -> None:
        names = [objective.name for objective in self.objectives]
        for wrong, message in (
            (not names, "Give at least one objective to learn."),
            (len(set(names)) < len(names), f"Two heads would have one name: {', '.join(names)}."),
            ((self.steps is None) == (self.minutes is None), "Give either steps or minutes."),
            (
                (self.steps is not None and self.steps < 1)
                or (self.minutes is not None and self.minutes <= 0),
                "Train for more than no time.",
            ),
            (
                self.minutes is not None and self.warmup < 10,
                "A budget in minutes is measured during warm-up; give that at least 10 steps.",
            ),
            (
                min(self.batch, self.parts, self.validation, self.entries or 1) < 1
                or min(self.validate_every, self.checkpoint_every) < 1,
                "Sizes and intervals must be at least 1.",
            ),
            (
                self.batch % max(1, self.parts) > 0,
                f"A batch of {self.batch} cannot be cut into {self.parts} equal parts.",
            ),
            (not 0 <= self.averaging < 1, "The averaging's decay must be at least 0, below 1."),
            (
                self.learning_rate <= 0 or self.clip <= 0 or self.warmup < 0,
                "Learning rate and clip must be above 0, warm-up not below.",
            ),
            (
                not all(map(isfinite, (self.learning_rate, self.clip, self.weight_decay)))
                or not 0 < (self.minutes or 1) < 10**7,
                "Learning rate, clip, weight decay and minutes must be finite numbers.",
            ),
            (not 0 <= self.seed < 2**64, "The seed must be 0 or above, and below 2^64."),
            (
                any(not 1 <= low <= high for low, high in (self.voters, self.candidates)),
                "Ranges of voters and candidates begin at 1 or above, and go upwards.",
            ),
            (
                self._largest_part > LARGEST_PART or self.validation > LARGEST_VALIDATION,
                "Such a batch takes too much memory; ask for fewer elections, voters or "
                "candidates, or for more parts.",
            ),
        ):
            if wrong:
                raise ElectError(message)
        _one_of("optimizer", self.optimizer, ("adam", "adamw", "lookahead"))
        _one_of("precision", self.precision, ("auto", "32-true", "bf16-mixed"))

    @property
    def _largest_part(self) -> int:
        """Numbers on the ballots of one part of a batch, at the most: see `share_out`."""
        one, parts = self.voters[1] * self.candidates[1], max(1, self.parts)
        if self.entries is None:
            return one * (self.batch // parts)
        return max(one, 16 * self.entries // parts)

    @property
    def source(self) -> Culture:
        """The culture itself."""
        return cultures.culture(self.culture) if isinstance(self.culture, str) else self.culture

    def describe(self) -> dict[str, Any]:
        """The recipe in words and numbers, as it is kept in JSON."""
        words = {f.name: getattr(self, f.name) for f in fields(self)}
        words["objectives"] = [objective.describe() for objective in self.objectives]
        words["culture"] = called(self.culture)
        result: dict[str, Any] = json.loads(json.dumps(words))
        return result

    def fingerprint(self, steps: int | None) -> str:
        """What tells a training of this recipe and so many steps from every other."""
        text = json.dumps([self.describe(), steps], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


def recipe_of(words: Any) -> Recipe:
    """The recipe that `Recipe.describe` put into words, with every value checked.

    Functions and cultures that have no name cannot be remade from it; they raise an `ElectError`.
    """
    recipe = Recipe(**checked(Recipe, words, "The recipe"))
    _ = recipe.source
    return recipe


def _one_of(what: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ElectError(f"The {what} must be one of {', '.join(allowed)}, not '{value}'.")
