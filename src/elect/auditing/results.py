"""What an audit finds, and what is kept of it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from math import isfinite
from pathlib import Path
from typing import Any

from elect.auditing.likeness import Likeness
from elect.auditing.manipulation import Manipulability
from elect.auditing.pictures import margin_graph
from elect.auditing.shrinking import Counterexample, lines
from elect.elections import Profiles
from elect.errors import ElectError
from elect.files import write
from elect.measuring.estimates import Estimate, flat
from elect.storage import staged, write_whole


@dataclass(frozen=True, eq=False)
class Finding:
    """How a rule fares with an axiom.

    Attributes:
        name: the axiom.
        definition: what it asks for.
        applies: the share of elections in which its premise is met.
        holds: of those, the share in which it was not broken; None if there are none.
        trials: how many changed elections were looked at.
        counterexample: the smallest found, if any.
        hunted: whether the counterexample comes from a search, as the sample has none.
        note: what else is to be said.
    """

    name: str
    definition: str
    applies: Estimate
    holds: Estimate | None
    trials: int
    counterexample: Counterexample | None = None
    hunted: bool = False
    note: str | None = None

    @property
    def broken(self) -> bool:
        """Whether any election was found that breaks the axiom."""
        return self.counterexample is not None or (self.holds is not None and self.holds.value < 1)

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        found = self.counterexample
        return {
            "definition": self.definition,
            "broken": self.broken,
            **flat("applies", self.applies),
            **flat("holds", self.holds),
            "trials": self.trials,
            "hunted": self.hunted,
            "note": self.note,
            "counterexample": found.to_json() if found else None,
        }


@dataclass(frozen=True, eq=False)
class WorstCase:
    """How bad the rule's choice can be.

    Attributes:
        quantiles: of the distortion over the sample: the level that a share of the elections do
            not exceed, infinite where it is unbounded.
        unbounded: the share of elections in which the distortion is infinite.
        found: the largest distortion that a search has found.
        election: the election in which it is.
        winners: whom the rule elects there.
    """

    quantiles: dict[float, Estimate]
    unbounded: Estimate
    found: float
    election: Profiles
    winners: list[str]

    def to_json(self) -> dict[str, Any]:
        """Plain values; JSON knows no infinity, so null stands for it."""
        levels = {f"{level:g}": flat("value", one) for level, one in self.quantiles.items()}
        return {
            "quantiles": levels,
            **flat("unbounded", self.unbounded),
            "found": self.found if isfinite(self.found) else None,
            "election": {"ballots": lines(self.election), "winners": self.winners},
        }


@dataclass(frozen=True, eq=False)
class Imitation:
    """How a learned rule differs from the one that it imitates.

    Attributes:
        of: the exact rule.
        exact: the share of the elections in which both elect the same set.
        counterexample: the smallest election found in which they have no winner in common.
    """

    of: str
    exact: Estimate
    counterexample: Counterexample | None

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        found = self.counterexample
        shown = found.to_json() if found else None
        return {"of": self.of, **flat("exact", self.exact), "counterexample": shown}


@dataclass(frozen=True)
class Beside:
    """Manipulability at the size for which others have published it.

    Attributes:
        ours: measured with 6 candidates and 10 or 11 voters.
        ideal: the published gain of a manipulator who knows all ballots, with 10 and with 11
            voters; None for rules of which none is published.
        learned: that of the best published network, which knows majorities only.
    """

    ours: Manipulability
    ideal: tuple[float, float] | None
    learned: float | None

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        source = (
            "Holliday, Kristoffersen and Pacuit, Learning to Manipulate under Limited Information"
        )
        ideal = list(self.ideal) if self.ideal else None
        shown = {"ideal": ideal, "learned": self.learned, "source": source}
        return {"ours": self.ours.to_json(), "published": shown}


@dataclass(frozen=True, eq=False)
class Audit:
    """All that was found about a rule.

    Attributes:
        rule: what it is called.
        source: where elections come from.
        voters: from how many to how many.
        candidates: the same for candidates.
        elections: how many.
        seed: of all that was drawn.
        trials: how many changes of an election were tried at most for an axiom.
        axioms: by name.
        manipulability: what misreporting is worth; None if it was not asked for.
        beside: the same at a published size.
        worst_case: the distortion.
        likeness: the simple rules that it is most like; None where ballots are not complete.
        imitation: for a learned rule that imitates another.
        seconds: how long it took.
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
    beside: Beside | None = None
    worst_case: WorstCase | None = None
    likeness: Likeness | None = None
    imitation: Imitation | None = None
    seconds: float = 0.0

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
            for name in ("manipulability", "beside", "worst_case", "likeness", "imitation")
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

    def write(self, folder: str | Path) -> dict[str, dict[str, Path]]:
        """Write audit.json, and each counterexample that files can show as PrefLib files with a
        picture of who beats whom; returns where the elections of each are.

        Either all of it is written or nothing.
        """
        folder = Path(folder)
        if folder.exists() and not folder.is_dir():
            raise ElectError(f"{folder} is a file; name a folder to write to.")
        shown = {
            name: (one.elections, one.winners)
            for name, one in self.counterexamples.items()
            if one.repeats
        }
        if worst := self.worst_case:
            shown["distortion"] = {"election": worst.election}, {"election": worst.winners}
        with staged(folder) as draft:
            places = {name: _write(draft, name, *one) for name, one in shown.items()}
            text = json.dumps(self.to_json(), indent=2, ensure_ascii=False, allow_nan=False)
            write_whole(draft / "audit.json", text + "\n")
        return {
            name: {label: folder / path.name for label, path in several.items()}
            for name, several in places.items()
        }


def _write(
    folder: Path, name: str, elections: Mapping[str, Profiles], winners: Mapping[str, list[str]]
) -> dict[str, Path]:
    paths = {}
    for label, election in elections.items():
        stem = name if label == "election" else f"{name}-{label}"
        paths[label] = write(election, folder / stem)
        if find_spec("matplotlib"):
            won = [election.labels.index(one) for one in winners[label]]
            margin_graph(election, folder / f"{stem}.svg", won)
    return paths
