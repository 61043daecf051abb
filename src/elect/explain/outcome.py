"""What a rule answers to one election: winners and scores as plain Python values."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

from elect import rules
from elect.elections import Profiles, Scores
from elect.errors import ElectError
from elect.rules.pairwise import condorcet_winner


@dataclass(frozen=True)
class Outcome:
    """One rule's answer to one election; nothing is counted before it is asked for.

    Attributes:
        spec: the rule as it was asked for, such as ``copeland:tie=0``.
        profile: the election, a batch of one.
    """

    spec: str
    profile: Profiles

    def __post_init__(self) -> None:
        if len(self.profile) != 1:
            raise ElectError(
                f"An outcome is of one election, not of {len(self.profile)}; "
                "pick one with profiles[0]."
            )

    @cached_property
    def rule(self) -> Callable[[Profiles], Scores]:
        return rules.rule(self.spec)

    @property
    def name(self) -> str:
        """The rule's own name, whatever it was asked for as."""
        function = self.rule.func if isinstance(self.rule, partial) else self.rule
        return next(name for name, known in rules.RULES.items() if known is function)

    @property
    def settings(self) -> dict[str, object]:
        return dict(self.rule.keywords) if isinstance(self.rule, partial) else {}

    @property
    def size(self) -> int:
        """How many candidates stand."""
        return int(self.profile.num_candidates)

    @property
    def voters(self) -> int:
        return int(self.profile.num_voters)

    @cached_property
    def winners(self) -> list[int]:
        """Who has the highest score, found without the scores of others where that is faster."""
        if self.settings:
            return [c for c, score in enumerate(self.scores) if score == max(self.scores)]
        won = rules.winners(self.rule, self.profile)[0]
        return [c for c in range(self.size) if won[c]]

    @property
    def losers(self) -> list[int]:
        return [c for c in range(self.size) if c not in self.winners]

    @cached_property
    def scores(self) -> list[int | float]:
        """Every candidate's exact score; whole numbers are ints."""
        try:
            values = self.rule(self.profile)[0, : self.size].tolist()
        except (TypeError, ValueError, RuntimeError) as error:
            if isinstance(error, ElectError) or not self.settings:
                raise
            raise ElectError(f"'{self.spec}' has a setting that {self.name} cannot use.") from error
        if not all(map(math.isfinite, values)):
            raise ElectError(
                f"'{self.spec}' gives scores that are no numbers; change its settings."
            )
        return [int(value) if value.is_integer() else value for value in values]

    @cached_property
    def margins(self) -> list[list[int]]:
        matrix: list[list[int]] = self.profile.margins[0, : self.size, : self.size].tolist()
        return matrix


def condorcet(profile: Profiles) -> int | None:
    """The candidate of one election who beats every other head to head, if there is one."""
    found = condorcet_winner(profile)[0].nonzero()[:, 0].tolist()
    return found[0] if found else None
