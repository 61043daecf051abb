"""What an evaluation has found, as an object that prints itself."""

from dataclasses import dataclass
from typing import Any

from elect.measuring.batches import Range, span
from elect.measuring.estimates import Estimate, flat
from elect.measuring.figures import Figures
from elect.result_tables import Tabular

# What the columns of the printed table mean.
_NOTES = {
    "accuracy": "how often the rule elects the target's winner, where the target has only one "
    "(for a welfare: the candidate of highest welfare); a tie earns partial credit; with a 95 % "
    "interval.",
    "any winner": "how often it elects one of the target's winners, in all elections.",
    "exact set": "how often its winners are exactly the target's winners, in all elections.",
    "welfare ratio": "the welfare of the elected candidate over the highest, on average.",
    "ceiling": "the accuracy of the best possible rule that sees only rankings.",
    "gap to it": "the ceiling less the rule's accuracy, measured on the same utilities.",
    "best other rule": "the accuracy of the best other rule of the library at the same task.",
    "unsettled": "elections in which the rule or its target gave up; no figure counts them.",
}


@dataclass(frozen=True, repr=False)
class Evaluation(Tabular):
    """The result of an evaluation, overall and by parts.

    Attributes:
        rule: the name of the rule.
        target: the rule or the welfare that it is compared with.
        cultures: where the elections come from.
        voters: the range of voters.
        candidates: the range of candidates.
        seed: the same seed gives the same figures.
        overall: the figures of all elections.
        by_voters: by numbers of voters, such as ``2-49``.
        by_candidates: by numbers of candidates.
        by_culture: by culture.
        order: the rule by which a trained network's candidates are renumbered, if they are.
        order_guess: the accuracy of that order by itself.
    """

    rule: str
    target: str
    cultures: tuple[str, ...]
    voters: Range
    candidates: Range
    seed: int
    overall: Figures
    by_voters: dict[str, Figures]
    by_candidates: dict[str, Figures]
    by_culture: dict[str, Figures]
    order: str | None = None
    order_guess: Estimate | None = None

    @property
    def parts(self) -> dict[str, Figures]:
        """All elections first, then parts of them where there are several."""
        parts = {"all": self.overall}
        for named, label in (
            (self.by_voters, "{} voters"),
            (self.by_candidates, "{} candidates"),
            (self.by_culture, "{}"),
        ):
            if len(named) > 1:
                parts |= {label.format(name): figures for name, figures in named.items()}
        return parts

    def heading(self) -> str:
        """What was compared, and on which elections."""
        return (
            f"{self.rule} compared with {self.target}: {self.overall.elections:,} elections from "
            f"{', '.join(self.cultures)}; {span(self.voters)} voters, "
            f"{span(self.candidates)} candidates, seed {self.seed}."
        )

    def cells(self) -> list[dict[str, str]]:
        """The table as text."""
        return [{"elections": name, **figures.cells()} for name, figures in self.parts.items()]

    def notes(self) -> list[str]:
        """What the columns mean."""
        cells = self.cells()
        notes = [f"{name}: {note}" for name, note in _NOTES.items() if any(c[name] for c in cells)]
        if self.order_guess is not None:
            notes.append(
                f"Candidates are renumbered by {self.order}, which by itself is right in "
                f"{self.order_guess.value:.3f}; the network adds only the difference."
            )
        return notes

    def rows(self) -> list[dict[str, Any]]:
        """A row for all elections and one for each part, with plain numbers."""
        start = {"rule": self.rule, "target": self.target}
        return [{**start, "part": name, **one.row()} for name, one in self.parts.items()]

    def to_json(self) -> dict[str, Any]:
        """For JSON: the overall figures, and those of the parts."""
        return {
            "rule": self.rule,
            "target": self.target,
            "culture": list(self.cultures),
            "voters": list(self.voters),
            "candidates": list(self.candidates),
            "seed": self.seed,
            **self.overall.to_json(),
            **flat("order_guess", self.order_guess),
            **{
                part: {name: figures.to_json() for name, figures in getattr(self, part).items()}
                for part in ("by_voters", "by_candidates", "by_culture")
            },
        }

    def __repr__(self) -> str:
        return f"Evaluation({self.rule} compared with {self.target}: {self.overall.accuracy})"
