"""The record of a rule, and its decision in one election.

Every rule of the library is a `Rule`, defined beside its function. Listings, reports, the web page
and the defaults of training are derived from it.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import cached_property
from inspect import cleandoc
from typing import Any

import torch

from elect import specs
from elect.elections import Profiles, Scores, Winners
from elect.errors import ElectError, Unsettled
from elect.kernels import NDArray
from elect.result_tables import Tabular

# The families of rules, by what they look at.
SCORING, PAIRWISE, ELIMINATION, DISTANCE = "scoring", "pairwise", "elimination", "distance"

# Which ballots a rule reads: complete, truncated and tied ones.
ALL = {"complete": "yes", "truncated": "yes", "tied": "yes"}
ONE_FIRST = {"complete": "yes", "truncated": "yes", "tied": "some"}
UNTIED = {"complete": "yes", "truncated": "yes", "tied": "no"}
COMPLETE = {"complete": "yes", "truncated": "no", "tied": "no"}
TWO_LEVELS = {"complete": "no", "truncated": "some", "tied": "some"}


class Simplicity(IntEnum):
    """How simple it is to count by a rule, from a tally sheet to a computer."""

    MARKS = 0
    POINTS = 1
    TABLE = 2
    ROUNDS = 3
    PAIRS = 4
    CHAINS = 5
    SEARCH = 6
    NETWORK = 7

    @property
    def words(self) -> str:
        """How to count, in a few words.

        >>> Simplicity.ROUNDS.words
        'count in rounds'
        """
        return _SIMPLICITY[self]


_SIMPLICITY = (
    "count marks",
    "add up points for places",
    "add up points from a table",
    "count in rounds",
    "compare candidates in pairs",
    "follow chains of majorities",
    "search all rankings by computer",
    "ask a trained network",
)


@dataclass(frozen=True)
class Learning:
    """What it takes the network `tally` to learn a rule.

    Attributes:
        arguments: settings of the network.
        entries: the size of batches, smaller where each election costs more.
        candidates: the range of candidates, smaller where exact winners take long to find.
        minutes: how long to train.
    """

    arguments: Mapping[str, int] = field(default_factory=dict)
    entries: int = 120_000
    candidates: tuple[int, int] = (2, 29)
    minutes: float = 2.0


# Slow rules are trained on at most this many candidates.
FEW_CANDIDATES = (3, 10)

# Rules that depend on whole rankings or paths need a network that combines pairs; rules that return
# to the ballots need the joint places of two candidates.
PATHS = Learning({"pair_blocks": 3, "pair": 24}, entries=32_000, minutes=5.0)
BALLOTS = Learning({"pair_blocks": 2, "pair": 24, "joint": 8}, entries=32_000, minutes=10.0)


@dataclass(frozen=True, eq=False, repr=False)
class Rule:
    """A rule: a function from elections to scores, with its metadata.

    Attributes:
        name: its name in commands and in Python.
        score: one score per election and candidate; the highest wins.
        title: its usual name.
        family: one of `SCORING`, `PAIRWISE`, `ELIMINATION` and `DISTANCE`.
        reads: what it looks at on the ballots, in a sentence.
        counting: how it counts, for lay people, as the end of a sentence.
        simplicity: how hard it is to count.
        why: explains a decision in a sentence.
        aliases: other names that users know it by.
        ballots: which ballots it reads.
        winners_only: the winners without everyone's scores, where that is faster.
        round_counts: what each candidate has in a round among those standing, and whether that
            decides the election, if the rule goes in rounds.
        slow: whether it can be slow or run out of time.
        learning: what it takes to learn it.
        same_as: the rule that this one is with another setting.
        needs: settings without which it cannot be used, with an example of each.
        settings: the given settings.
        written: the name as the user wrote it, if it differs.
        function: the user's own function, if the rule is made of one.
    """

    name: str
    score: Callable[..., Scores]
    title: str
    family: str
    reads: str
    counting: str
    simplicity: Simplicity
    why: Callable[["Decision"], str]
    aliases: tuple[str, ...] = ()
    ballots: Mapping[str, str] = field(default_factory=lambda: ALL)
    winners_only: Callable[[Profiles], Winners] | None = None
    round_counts: Callable[["Decision", list[int]], tuple[NDArray, bool]] | None = None
    slow: bool = False
    learning: Learning = Learning()
    same_as: str | None = None
    needs: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    written: str = ""
    function: Callable[[Profiles], Any] | None = None

    def __call__(self, profiles: Profiles, **settings: Any) -> Scores:
        """One score per election and candidate, -inf where there is padding."""
        given = {**self.settings, **settings}
        try:
            return self.score(profiles, **given)
        except (TypeError, ValueError, ArithmeticError, RuntimeError) as error:
            if isinstance(error, ElectError) or not given:
                raise
            raise ElectError(f"'{self.spec}' has a setting that {self.name} cannot use.") from error

    def winners(self, profiles: Profiles) -> Winners:
        """All candidates of the highest score."""
        if self.winners_only is not None and not self.settings:
            return self.winners_only(profiles)
        scores = self(profiles)
        return scores == scores.amax(1, keepdim=True)

    def decide(self, profile: Profiles) -> "Decision":
        """Decide one election."""
        return Decision(self, profile)

    def using(self, **settings: Any) -> "Rule":
        """The same rule with these settings."""
        specs.check(self.score, self.name, {**self.needs, **settings}, given=1)
        return replace(self, settings={**self.settings, **settings}, written="")

    @property
    def __name__(self) -> str:
        return self.name

    @property
    def spec(self) -> str:
        """The name with the settings, as the user wrote it if they did."""
        return self.written or specs.render(self.name, self.settings)

    @property
    def shown(self) -> str:
        """Its usual name with the settings."""
        written = specs.render("", self.settings).removeprefix(":")
        return f"{self.title} ({written})" if written else self.title

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return self.score.__doc__

    @property
    def definition(self) -> str:
        """The definition of the score: the bold text in the function's docstring."""
        bold = re.match(r"\*\*(.+?)\.?\*\*", cleandoc(self.score.__doc__ or ""), re.DOTALL)
        if not bold:
            return f"{self.counting[:1].upper()}{self.counting[1:]}."
        return f"{' '.join(bold[1].replace('``', '').split())}."

    def __repr__(self) -> str:
        return f"elect.rule('{self.spec}')"


@dataclass(frozen=True, eq=False, repr=False)
class Decision(Tabular):
    """The decision of a rule in one election; everything is computed on first use.

    Attributes:
        rule: the rule.
        profile: the election, a batch of one.
    """

    rule: Any
    profile: Profiles

    def __post_init__(self) -> None:
        if len(self.profile) != 1:
            raise ElectError(
                f"A decision is about one election, not {len(self.profile)}; "
                "pick one with profiles[0]."
            )

    @property
    def settings(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.rule.settings
        return found

    @property
    def size(self) -> int:
        """How many candidates stand."""
        return int(self.profile.num_candidates)

    @property
    def voters(self) -> int:
        return int(self.profile.num_voters)

    @cached_property
    def elected(self) -> list[int]:
        """The winners' numbers."""
        won = self.rule.winners(self.profile)[0].tolist()
        return [c for c in range(self.size) if won[c]]

    @property
    def losers(self) -> list[int]:
        """The numbers of all others."""
        return [c for c in range(self.size) if c not in self.elected]

    @cached_property
    def points(self) -> list[int | float]:
        """Every candidate's score by number; whole numbers are ints."""
        values = self.rule(self.profile)[0, : self.size].tolist()
        if not all(map(math.isfinite, values)):
            raise ElectError(
                f"'{self.rule.spec}' gives scores that are not numbers; change its settings."
            )
        return [int(value) if value.is_integer() else value for value in values]

    @cached_property
    def margins(self) -> list[list[int]]:
        """``margins[a][b]``: how many more voters rank a above b than b above a."""
        matrix: list[list[int]] = self.profile.margins[0, : self.size, : self.size].tolist()
        return matrix

    # ------------------------------------------------------------------ by name

    @property
    def winners(self) -> list[str]:
        """The winners' names."""
        return [self.profile.labels[c] for c in self.elected]

    @property
    def scores(self) -> dict[str, int | float]:
        """Every candidate's score by name."""
        return dict(zip(self.profile.labels, self.points, strict=False))

    @property
    def ranking(self) -> list[list[str]]:
        """Everyone by score, best first; equal scores share a place."""
        order = sorted(set(self.points), reverse=True)
        labels = self.profile.labels
        return [[labels[c] for c in range(self.size) if self.points[c] == s] for s in order]

    @property
    def why(self) -> str:
        """Why the winners win, in a sentence."""
        if self.size == 1:
            return f"{self.winners[0]} is the only candidate."
        try:
            return str(self.rule.why(self))
        except Unsettled:
            one = f"{self.winners[0]} wins" if len(self.elected) == 1 else "These tie"
            return f"{one}; the explanation takes longer than the time limit."

    @property
    def caveats(self) -> list[str]:
        """Why the result may be less reliable here; exact rules have no caveats."""
        return []

    @property
    def rounds(self) -> list[dict[str, Any]]:
        """The candidates, their counts and who leaves, for each round; empty without rounds.

        A score is the round in which a candidate leaves, so the rounds are read off the scores.
        """
        if getattr(self.rule, "round_counts", None) is None:
            return []
        told = []
        for number in range(int(max(self.points)) + 1):
            standing = [c for c in range(self.size) if self.points[c] >= number]
            leaving = [c for c in standing if self.points[c] == number and c not in self.elected]
            counts, decided = self.rule.round_counts(self, standing)
            leaving = [] if decided else leaving
            told.append(self._round(standing, counts, leaving))
            if decided or len(standing) == len(self.elected):
                break
        return told

    def _round(self, standing: list[int], counts: NDArray, leaving: list[int]) -> dict[str, Any]:
        labels = self.profile.labels
        plain = [int(n) if float(n).is_integer() else float(n) for n in counts]
        return {
            "standing": [labels[c] for c in standing],
            "counts": {labels[c]: n for c, n in zip(standing, plain, strict=True)},
            "eliminated": [labels[c] for c in leaving],
        }

    def rows(self) -> list[dict[str, Any]]:
        """A row for each candidate: its name, score, place and whether it wins."""
        return [
            {
                "candidate": name,
                "score": score,
                "place": 1 + sum(other > score for other in self.points),
                "wins": name in self.winners,
            }
            for name, score in self.scores.items()
        ]

    def to_json(self) -> dict[str, Any]:
        """The decision as JSON values."""
        return {
            "rule": self.rule.spec,
            "winners": self.winners,
            "scores": self.scores,
            "why": self.why,
            "caveats": self.caveats,
        }

    def heading(self) -> str:
        """Who wins, and why."""
        tie = "" if len(self.elected) == 1 else " (a tie)"
        return f"{self.rule.shown} elects {', '.join(self.winners)}{tie}: {self.why}"

    def cells(self) -> list[dict[str, str]]:
        """Everyone by place."""
        ordered = sorted(self.rows(), key=lambda row: row["place"])
        return [
            {
                "place": str(row["place"]),
                "candidate": row["candidate"],
                "score": f"{row['score']:,}",
            }
            for row in ordered
        ]

    def notes(self) -> list[str]:
        """Why the answer may be worth less here than elsewhere."""
        return self.caveats

    def __str__(self) -> str:
        return self.heading()

    __repr__ = __str__


def condorcet(profile: Profiles) -> int | None:
    """The candidate of one election who beats every other head to head, if there is one."""
    wins = profile.duels.wins[0]
    found = (wins == profile.num_candidates[0] - 1) & profile.mask[0]
    numbers = torch.nonzero(found)[:, 0].tolist()
    return numbers[0] if numbers else None
