"""What an evaluation has found."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from elect.evaluation import intervals
from elect.evaluation.intervals import Estimate, flat
from elect.evaluation.records import Records
from elect.kernels import NDArray

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)

# Equal parts of the welfare ratio's range from 0 to 1.
BINS = 50


@dataclass(frozen=True)
class WelfareRatio:
    """The elected candidate's welfare over the highest.

    Attributes:
        mean: on average.
        quantiles: by level: a share of 0.05 of elections have at most the quantile of 0.05.
        histogram: how many elections fall into each of 50 equal parts of 0 to 1.
        ceiling: the highest mean that a rule can reach which sees rankings only.
    """

    mean: Estimate
    quantiles: dict[float, Estimate]
    histogram: tuple[int, ...]
    ceiling: Estimate | None

    def to_json(self) -> dict[str, Any]:
        """For JSON."""
        levels = {f"{level:g}": one for level, one in self.quantiles.items()}
        return {
            **flat("mean", self.mean),
            "quantiles": {level: one.value for level, one in levels.items()},
            "quantile_intervals": {level: list(one.interval) for level, one in levels.items()},
            "histogram": list(self.histogram),
            **flat("ceiling", self.ceiling),
        }


@dataclass(frozen=True)
class Figures:
    """What was measured on some elections; None where a figure does not apply.

    Attributes:
        elections: how many they were.
        unsettled: on how many of them the rule or its target gave up; they count for nothing else.
        accuracy: how often the rule elects the target's winner in elections where that is one, or
            the candidate of highest welfare. Where the rule ties candidates it is credited with
            the chance that a lot among them gets it right.
        any_winner: in all elections, how often it elects one of the target's winners.
        exact_set: in all elections, how often its winners are exactly the target's.
        one_label: in all elections, how often it elects the one of the target's winners that a
            lot falls on: what accuracy is where ties are kept and each election has one label.
        guesses: the accuracy of other rules at the same task, the best first.
        ceiling: the accuracy of the best possible rule.
        shortfall: the ceiling less the rule's accuracy, on the same draws of utilities and so far
            surer than the difference of the two figures.
        welfare_ratio: the elected candidate's welfare over the highest.
        excess_entropy: of logits, where the target's winner is one: cross-entropy less log m, in
            nats. 0 is what one reaches who knows nothing and says so.
    """

    elections: int
    unsettled: int
    accuracy: Estimate | None
    any_winner: Estimate | None
    exact_set: Estimate | None
    one_label: Estimate | None
    guesses: dict[str, Estimate]
    ceiling: Estimate | None
    shortfall: Estimate | None
    welfare_ratio: WelfareRatio | None
    excess_entropy: Estimate | None

    @property
    def best_guess(self) -> tuple[str, Estimate] | None:
        """The other rule that is most accurate: what can be had without this one."""
        return next(iter(self.guesses.items()), None)

    def to_json(self) -> dict[str, Any]:
        """For JSON: a number for each figure, and its interval beside it."""
        name, guess = self.best_guess or (None, None)
        accuracy = flat("accuracy", self.accuracy)
        return {
            "accuracy": accuracy["accuracy"],
            "interval": accuracy["accuracy_interval"],
            "elections": self.elections,
            "unsettled": self.unsettled,
            "untied": self.accuracy.elections if self.accuracy else 0,
            **flat("any_winner", self.any_winner),
            **flat("exact_set", self.exact_set),
            **flat("one_label", self.one_label),
            **flat("ceiling", self.ceiling),
            **flat("shortfall", self.shortfall),
            **flat("best_guess", guess),
            "best_guess_rule": name,
            "guesses": {rule: one.value for rule, one in self.guesses.items()},
            "welfare_ratio": self.welfare_ratio.to_json() if self.welfare_ratio else None,
            **flat("excess_entropy", self.excess_entropy),
        }


@dataclass(frozen=True)
class Evaluation:
    """How well a rule does what it should, overall and by parts.

    Attributes:
        rule: what the rule is called.
        target: the rule or the welfare that it is held against.
        cultures: where the elections come from.
        voters: the range of voters.
        candidates: the range of candidates.
        seed: the same seed gives the same figures.
        overall: on all elections.
        by_voters: by numbers of voters, such as ``2-49``.
        by_candidates: by numbers of candidates.
        by_culture: by where the elections come from.
    """

    rule: str
    target: str
    cultures: tuple[str, ...]
    voters: tuple[int, int]
    candidates: tuple[int, int]
    seed: int
    overall: Figures
    by_voters: dict[str, Figures]
    by_candidates: dict[str, Figures]
    by_culture: dict[str, Figures]

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
            **{
                part: {name: figures.to_json() for name, figures in getattr(self, part).items()}
                for part in ("by_voters", "by_candidates", "by_culture")
            },
        }

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Headers and rows of text: all elections first, then parts, if there are several."""
        parts = {"all": self.overall}
        for named, label in (
            (self.by_voters, "{} voters"),
            (self.by_candidates, "{} candidates"),
            (self.by_culture, "{}"),
        ):
            if len(named) > 1:
                parts |= {label.format(name): figures for name, figures in named.items()}
        columns = [
            (header, cells)
            for header, show in _COLUMNS.items()
            if any(cells := [show(figures) for figures in parts.values()])
        ]
        rows = zip(parts, *(cells for _, cells in columns), strict=True)
        return ["elections", *(header for header, _ in columns)], [list(row) for row in rows]


_COLUMNS: dict[str, Callable[[Figures], str]] = {
    "counted": lambda f: f"{f.elections:,}",
    "unsettled": lambda f: f"{f.unsettled:,}" if f.unsettled else "",
    "accuracy": lambda f: _text(f.accuracy),
    "any winner": lambda f: _text(f.any_winner),
    "exact set": lambda f: _text(f.exact_set),
    "best guess": lambda f: "{1.value:.3f} {0}".format(*f.best_guess) if f.best_guess else "",
    "ceiling": lambda f: _text(f.ceiling),
    "shortfall": lambda f: _text(f.shortfall),
    "welfare ratio": lambda f: _text(f.welfare_ratio.mean if f.welfare_ratio else None),
    "excess entropy": lambda f: _text(f.excess_entropy),
}


def figures(records: Records, names: Sequence[str], seed: int) -> Figures:
    """The figures of these elections, with the guesses of the rules of these names."""
    return Figures(
        elections=len(records.accuracy),
        unsettled=int(records.unsettled.sum()),
        accuracy=intervals.share(_known(records.accuracy)),
        any_winner=intervals.share(_known(records.any_winner)),
        exact_set=intervals.share(_known(records.exact_set)),
        one_label=intervals.share(_known(records.one_label)),
        guesses=_guesses(records, names),
        ceiling=intervals.mean(_known(records.ceiling), seed),
        shortfall=intervals.mean(_known(records.ceiling - records.expected), seed),
        welfare_ratio=_welfare_ratio(records, seed),
        excess_entropy=intervals.mean(_known(records.excess), seed),
    )


def _guesses(records: Records, names: Sequence[str]) -> dict[str, Estimate]:
    credits = records.guesses[~np.isnan(records.accuracy)].T
    # A rule that refuses some of the ballots is no guess.
    found = {
        name: estimate
        for name, credit in zip(names, credits, strict=True)
        if not np.isnan(credit).any() and (estimate := intervals.share(credit))
    }
    return dict(sorted(found.items(), key=lambda item: -item[1].value))


def _welfare_ratio(records: Records, seed: int) -> WelfareRatio | None:
    ratios = _known(records.ratio)
    mean = intervals.mean(ratios, seed)
    if mean is None:
        return None
    levels = {level: intervals.quantile(ratios, level) for level in QUANTILES}
    counts, _ = np.histogram(ratios.clip(0, 1), BINS, (0, 1))
    return WelfareRatio(
        mean,
        {level: one for level, one in levels.items() if one},
        tuple(counts.tolist()),
        intervals.mean(_known(records.ceiling_ratio), seed),
    )


def _known(values: NDArray) -> NDArray:
    known: NDArray = values[~np.isnan(values)]
    return known


def _text(estimate: Estimate | None) -> str:
    return str(estimate) if estimate else ""
