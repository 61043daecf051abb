"""All settings of a training."""

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

# The most entries (ballots times candidates) in one part of a batch, and the most validation
# elections: more would take many gigabytes.
LARGEST_PART, LARGEST_VALIDATION = 2**31, 10**7


@dataclass(frozen=True)
class Recipe:
    """The settings of a training; the same recipe gives the same weights.

    Attributes:
        objectives: what to learn; the network has a head for each.
        network: its name, with or without settings.
        arguments: further settings of the network.
        neutral: a rule that sorts the candidates, which makes the network neutral.
        start: a trained rule, by folder or name, whose weights to start from.
        culture: where elections come from: a name with settings, or a `Culture`.
        voters: the range of voters.
        candidates: the range of candidates.
        log_voters: draw the number of voters evenly on a logarithmic scale: each part of a batch
            has its own range, from some number to its double.
        batch: elections per step.
        entries: if given, all elections in a part of a batch have the same number of candidates,
            and this budget sets how many there are (see `part_size`).
        parts: pieces of a batch, which the network processes one after the other or in several
            processes.
        optimizer: ``adam``, ``adamw`` or ``lookahead`` (k = 5, α = 0.5, around Adam).
        learning_rate: the peak of the schedule.
        weight_decay: for ``adamw``.
        warmup: steps of linear rise before the cosine decay.
        clip: the norm that gradients are clipped to.
        averaging: the decay of the moving average of the weights, which is what is saved; 0 saves
            the last weights.
        precision: ``32-true``, ``bf16-mixed`` where a GPU has it, or ``auto`` for the best on
            the device.
        steps: how many steps to train.
        minutes: how long to train, instead of steps; the number of steps is fixed during the
            warm-up, from the time that they take.
        seed: the seed of all randomness.
        validation: how many held-out elections to validate on.
        validate_every: steps between validations.
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
            (len(set(names)) < len(names), f"Two heads have the same name: {', '.join(names)}."),
            ((self.steps is None) == (self.minutes is None), "Give either steps or minutes."),
            (
                (self.steps is not None and self.steps < 1)
                or (self.minutes is not None and self.minutes <= 0),
                "Steps and minutes must be above 0.",
            ),
            (
                self.minutes is not None and self.warmup < 10,
                "Training by minutes needs a warm-up of at least 10 steps, which are timed.",
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
            (
                not 0 <= self.averaging < 1,
                "The decay of the averaging must be at least 0 and below 1.",
            ),
            (
                self.learning_rate <= 0 or self.clip <= 0 or self.warmup < 0,
                "The learning rate and clip must be above 0, and the warm-up at least 0.",
            ),
            (
                not all(map(isfinite, (self.learning_rate, self.clip, self.weight_decay)))
                or not 0 < (self.minutes or 1) < 10**7,
                "Learning rate, clip, weight decay and minutes must be finite numbers.",
            ),
            (not 0 <= self.seed < 2**64, "The seed must be 0 or above, and below 2^64."),
            (
                any(not 1 <= low <= high for low, high in (self.voters, self.candidates)),
                "Ranges of voters and candidates must start at 1 or above, and not decrease.",
            ),
            (
                self._largest_part > LARGEST_PART or self.validation > LARGEST_VALIDATION,
                "Such a batch takes too much memory; use fewer elections, voters or "
                "candidates, or more parts.",
            ),
        ):
            if wrong:
                raise ElectError(message)
        _one_of("optimizer", self.optimizer, ("adam", "adamw", "lookahead"))
        _one_of("precision", self.precision, ("auto", "32-true", "bf16-mixed"))

    @property
    def _largest_part(self) -> int:
        """The most entries that one part of a batch can have (see `part_size`)."""
        one, parts = self.voters[1] * self.candidates[1], max(1, self.parts)
        if self.entries is None:
            return one * (self.batch // parts)
        return max(one, 16 * self.entries // parts)

    @property
    def source(self) -> Culture:
        """The culture itself."""
        return cultures.culture(self.culture) if isinstance(self.culture, str) else self.culture

    def describe(self) -> dict[str, Any]:
        """The recipe as JSON values."""
        words = {f.name: getattr(self, f.name) for f in fields(self)}
        words["objectives"] = [objective.describe() for objective in self.objectives]
        words["culture"] = called(self.culture)
        result: dict[str, Any] = json.loads(json.dumps(words))
        return result

    def fingerprint(self, steps: int | None) -> str:
        """A hash that identifies a training with this recipe and number of steps."""
        text = json.dumps([self.describe(), steps], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


def recipe_of(words: Any) -> Recipe:
    """The reverse of `Recipe.describe`, with every value checked.

    Raises an `ElectError` for functions and cultures without a name, which cannot be restored.
    """
    recipe = Recipe(**checked(Recipe, words, "The recipe"))
    _ = recipe.source
    return recipe


def _one_of(what: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ElectError(f"The {what} must be one of {', '.join(allowed)}, not '{value}'.")
