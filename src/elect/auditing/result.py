"""The result of an audit."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from elect.auditing.axiom import Axiom
from elect.auditing.imitation import Imitation
from elect.auditing.manipulation import Manipulability
from elect.auditing.measured_distortion import WorstCase
from elect.auditing.nearest_rule import NearestRule
from elect.auditing.published import PublishedGain
from elect.auditing.shrink import Counterexample
from elect.elections import Profiles
from elect.measuring.estimates import Estimate, flat
from elect.result_tables import to_pandas

# The files of elections, by what they show and by label.
BallotFiles = dict[str, dict[str, Path]]

# The parts of an audit besides axioms.
PARTS = ("manipulability", "published", "worst_case", "nearest_rule", "imitation")


@dataclass(frozen=True, eq=False, repr=False)
class Finding:
    """The result for one axiom.

    Attributes:
        axiom: which one.
        applies: the share of elections in which its premise is met.
        holds: of those, the share in which it was not broken; None if there are none.
        trials: how many changed elections were looked at.
        counterexample: the smallest found, if any.
        by_search: whether the counterexample comes from a search, as the sample has none.
        note: a remark, if any.
    """

    axiom: Axiom
    applies: Estimate
    holds: Estimate | None
    trials: int
    counterexample: Counterexample | None = None
    by_search: bool = False
    note: str | None = None

    @property
    def name(self) -> str:
        """The axiom's name."""
        return self.axiom.name

    @property
    def definition(self) -> str:
        """What the axiom requires."""
        return self.axiom.definition

    @property
    def broken(self) -> bool:
        """Whether any election was found that breaks the axiom."""
        return self.counterexample is not None or (self.holds is not None and self.holds.value < 1)

    @property
    def breaks(self) -> Estimate | None:
        """The share of elections in which it is broken, of those in which it applies."""
        one = self.holds
        return one and Estimate(1 - one.value, 1 - one.high, 1 - one.low, one.elections)

    def __str__(self) -> str:
        holds = "did not come up" if self.holds is None else f"holds in {self.holds}"
        found = " Found by a search." if self.by_search else ""
        return f"{self.axiom.title} {holds}.{found}"

    def __repr__(self) -> str:
        return f"<Finding: {self}>"

    def row(self) -> dict[str, Any]:
        """One row of a table."""
        found = self.counterexample
        return {
            "axiom": self.name,
            "broken": self.broken,
            **flat("applies", self.applies),
            **flat("holds", self.holds),
            "elections": self.holds.elections if self.holds else 0,
            "voters_of_counterexample": found.voters if found else None,
            "by_search": self.by_search,
        }

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        found = self.counterexample
        return {
            "definition": self.definition,
            "broken": self.broken,
            **flat("applies", self.applies),
            **flat("holds", self.holds),
            "trials": self.trials,
            "by_search": self.by_search,
            "note": self.note,
            "counterexample": found.to_json() if found else None,
        }


@dataclass(frozen=True, eq=False, repr=False)
class Audit:
    """The result of an audit.

    Attributes:
        rule: the name of the rule.
        source: where elections come from.
        voters: the range of voters.
        candidates: the range of candidates.
        elections: how many elections were tested.
        seed: the seed of all randomness.
        trials: the most changes of an election that were tried for an axiom.
        axioms: the findings by axiom.
        manipulability: the gain from misreporting; None if it was not measured.
        published: the same at a size with published figures.
        worst_case: the distortion.
        nearest_rule: the simple rules nearest to it; None where ballots are not complete.
        imitation: for a learned rule that imitates another.
        seconds: how long it took.
        files: where ballots that show what was found were written, if they were.
    """

    rule: str
    source: str
    voters: tuple[int, int]
    candidates: tuple[int, int]
    elections: int
    seed: int
    trials: int
    axioms: dict[str, Finding]
    manipulability: Manipulability | None = None
    published: PublishedGain | None = None
    worst_case: WorstCase | None = None
    nearest_rule: NearestRule | None = None
    imitation: Imitation | None = None
    seconds: float = 0.0
    files: BallotFiles = field(default_factory=dict)

    @property
    def counterexamples(self) -> dict[str, Counterexample]:
        """All there are, by axiom."""
        found = {name: one.counterexample for name, one in self.axioms.items()}
        if self.manipulability:
            found["manipulation"] = self.manipulability.example
        if self.imitation:
            found["imitation"] = self.imitation.counterexample
        return {name: one for name, one in found.items() if one}

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        parts = {
            name: part.to_json() if part else None
            for name in PARTS
            for part in [getattr(self, name)]
        }
        return {
            "rule": self.rule,
            "source": self.source,
            "voters": list(self.voters),
            "candidates": list(self.candidates),
            "elections": self.elections,
            "seed": self.seed,
            "trials": self.trials,
            "axioms": {name: finding.to_json() for name, finding in self.axioms.items()},
            **parts,
            "seconds": round(self.seconds, 1),
        }

    def shown(self) -> Iterator[tuple[str, str, Profiles, list[str]]]:
        """The elections that files can show, each with the name of what it shows, a label of its
        own there, and its winners."""
        for name, one in self.counterexamples.items():
            if one.repeats:
                for label, election in one.elections.items():
                    yield name, label, election, one.winners[label]
        if worst := self.worst_case:
            yield "distortion", "election", worst.election, worst.winners

    def rows(self) -> list[dict[str, Any]]:
        """A row for each axiom, for a data frame."""
        return [finding.row() for finding in self.axioms.values()]

    def __str__(self) -> str:
        from elect.auditing.summary import table

        return table(self)

    def __repr__(self) -> str:
        broken = sum(finding.broken for finding in self.axioms.values())
        return f"<Audit of {self.rule}: broke {broken} of {len(self.axioms)} axioms>"

    def to_pandas(self) -> Any:
        """The rows as a pandas data frame."""
        return to_pandas(self.rows())

    def _repr_html_(self) -> str:
        from elect.auditing.report import short

        return short(self)

    def write(self, folder: str | Path) -> BallotFiles:
        """Write report.html, audit.json and, in ``ballots``, each counterexample that files can
        show as PrefLib files; returns where the elections of each are.

        Either all of it is written or nothing.
        """
        from elect.auditing.report import write

        return write(self, Path(folder))
