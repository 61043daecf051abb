"""The result of a design, and its folder."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elect.auditing import Audit
from elect.checkpoints import save
from elect.designing import summary
from elect.designing.electorate import Electorate
from elect.designing.measuring import Standing
from elect.designing.purpose import Purpose
from elect.designing.recommendation import Advice, second_sentence, sentence
from elect.designing.report import page
from elect.designing.whatif import WhatIf
from elect.learned import LearnedRule
from elect.measuring.batches import Range
from elect.measuring.estimates import Estimate, flat
from elect.result_tables import to_pandas
from elect.storage import write_whole

RULE, RESULT, REPORT = "rule", "design.json", "report.html"


@dataclass(frozen=True, eq=False, repr=False)
class Design:
    """The recommended rule for a welfare and an electorate, with all figures.

    Attributes:
        purpose: the welfare.
        electorate: the voters.
        voters: the range of voters.
        candidates: the range of candidates.
        advice: the recommended rules.
        standings: the results of each rule, the best first.
        refused: rules that cannot read these ballots, and why.
        ceiling: the accuracy and the welfare ratio of the best possible rule, if it is known.
        others: the results of each rule under other assumptions about utilities, by assumption.
        audits: audits of the best few rules, by rule; approval is not audited.
        rule: the trained rule, if there is one.
        origin: where it comes from.
        what_if: the winners of each rule on the file's own ballots, if there is a file.
        points: the points of the fitted scoring rule, by number of candidates.
        seed: the seed of all randomness.
        seconds: how long it took.
    """

    purpose: Purpose
    electorate: Electorate
    voters: Range
    candidates: Range
    advice: Advice
    standings: list[Standing]
    refused: dict[str, str]
    ceiling: tuple[Estimate, Estimate] | None
    others: dict[str, list[Standing]]
    audits: dict[str, Audit]
    rule: LearnedRule | None
    origin: str
    what_if: WhatIf | None
    points: dict[int, tuple[float, ...]]
    seed: int
    seconds: float

    @property
    def sentence(self) -> str:
        """The recommendation."""
        return sentence(self.advice, self.standings)

    @property
    def second_sentence(self) -> str:
        """The simplest rule that is nearly as good."""
        return second_sentence(self.advice, self.standings)

    def __str__(self) -> str:
        return summary.text(self)

    def __repr__(self) -> str:
        return f"<Design for {self.purpose.name} welfare: {self.sentence}>"

    def to_pandas(self) -> Any:
        """The rows as a pandas data frame."""
        return to_pandas(self.rows())

    def _repr_html_(self) -> str:
        return summary.html(self)

    def rows(self) -> list[dict[str, Any]]:
        """A row for each rule, the best first, for a data frame."""
        return [
            {
                "rule": one.name,
                **flat("welfare_ratio", one.ratio),
                **flat("loss", one.loss),
                **flat("accuracy", one.accuracy),
                "elections": one.ratio.elections,
                "recommended": one.name == self.advice.recommended,
            }
            for one in self.standings
        ]

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        ceiling = self.ceiling and {
            **flat("accuracy", self.ceiling[0]),
            **flat("welfare_ratio", self.ceiling[1]),
        }
        return {
            "welfare": self.purpose.name,
            "electorate": self.electorate.name,
            "assumed": self.electorate.told,
            "fits": [
                {"culture": fit.name, "log_likelihood": fit.likelihood, "bic": fit.criterion}
                for fit in self.electorate.fits
            ],
            "voters": list(self.voters),
            "candidates": list(self.candidates),
            "seed": self.seed,
            "seconds": round(self.seconds, 1),
            "recommendation": self.sentence,
            "simplest_sentence": self.second_sentence,
            **self.advice._asdict(),
            "trained_rule": self.origin,
            "ceiling": ceiling,
            "rules": [one.to_json() for one in self.standings],
            "refused": self.refused,
            "points": {str(m): list(points) for m, points in self.points.items()},
            "otherwise": {
                name: [one.to_json() for one in several] for name, several in self.others.items()
            },
            "what_if": self.what_if.to_json() if self.what_if else None,
            "audits": {name: one.to_json() for name, one in self.audits.items()},
        }

    def write(self, folder: Path) -> None:
        """Write design.json and the report, and the trained rule unless it is there."""
        if self.rule is not None and not (folder / RULE).exists():
            save(folder / RULE, self.rule.network.state_dict(), self.rule.card)
        text = json.dumps(self.to_json(), indent=2, ensure_ascii=False, allow_nan=False)
        write_whole(folder / RESULT, text + "\n")
        write_whole(folder / REPORT, page(self))
