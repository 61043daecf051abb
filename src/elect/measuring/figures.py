"""The figures that an evaluation reports of some elections."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from elect.measuring.estimates import Estimate, columns, distribution, flat, known, mean, share
from elect.measuring.observations import Observations


@dataclass(frozen=True)
class WelfareRatio:
    """The elected candidate's welfare over the highest.

    Attributes:
        mean: the average.
        quantiles: by level; the quantile of 0.05 is exceeded in 95 % of the elections.
        histogram: how many elections fall into each of 50 equal parts of 0 to 1.
        ceiling: the highest mean of any rule that sees only rankings.
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
        elections: how many elections there were.
        unsettled: in how many of them the rule or its target gave up. All other figures leave
            these out.
        accuracy: how often the rule elects the target's winner, in elections where the target has
            only one, or the candidate of highest welfare. A tie earns the chance that a random
            choice among the tied candidates is right.
        any_winner: in all elections, how often it elects one of the target's winners.
        exact_set: in all elections, how often its winners are exactly the target's.
        one_label: in all elections, how often it elects one of the target's winners chosen at
            random: the accuracy if ties are kept and each election has one label.
        guesses: the accuracy of other rules at the same task, the best first.
        ceiling: the accuracy of the best possible rule.
        shortfall: the gap to the ceiling: the ceiling less the rule's accuracy. Both are measured
            on the same draws of utilities, so it is more precise than the difference of the two.
        welfare_ratio: the elected candidate's welfare over the highest.
        excess_entropy: for logits, where the target has one winner: cross-entropy less log m, in
            nats. 0 equals uniform guessing.
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
        """The most accurate of the other rules."""
        return next(iter(self.guesses.items()), None)

    @property
    def estimates(self) -> dict[str, Estimate | None]:
        """The figures by name, without those of other rules."""
        ratio = self.welfare_ratio.mean if self.welfare_ratio else None
        return {
            "accuracy": self.accuracy,
            "any_winner": self.any_winner,
            "exact_set": self.exact_set,
            "one_label": self.one_label,
            "ceiling": self.ceiling,
            "shortfall": self.shortfall,
            "welfare_ratio": ratio,
            "excess_entropy": self.excess_entropy,
        }

    def __repr__(self) -> str:
        return f"Figures({self.elections:,} elections, accuracy {self.accuracy})"

    def cells(self) -> dict[str, str]:
        """The most important figures as text, by the headers of a table."""
        figures, guess = self.estimates, self.best_guess
        headers = {
            "any winner": "any_winner",
            "exact set": "exact_set",
            "welfare ratio": "welfare_ratio",
            "ceiling": "ceiling",
            "gap to it": "shortfall",
        }
        brief = {
            header: f"{one.value:.3f}" if (one := figures[name]) else ""
            for header, name in headers.items()
        }
        return {
            "unsettled": f"{self.unsettled:,}" if self.unsettled else "",
            "accuracy": str(self.accuracy or ""),
            **brief,
            "best other rule": f"{guess[1].value:.3f} {guess[0]}" if guess else "",
        }

    def row(self) -> dict[str, Any]:
        """The figures as one flat row."""
        name, guess = self.best_guess or (None, None)
        row: dict[str, Any] = {"elections": self.elections, "unsettled": self.unsettled}
        for figure, estimate in self.estimates.items():
            row |= columns(figure, estimate)
        return {**row, "best_guess_rule": name, "best_guess": guess.value if guess else None}

    def to_json(self) -> dict[str, Any]:
        """For JSON: a number for each figure, and its interval beside it."""
        name, guess = self.best_guess or (None, None)
        written = {"best_guess": guess, **self.estimates}
        ratio = written.pop("welfare_ratio") and self.welfare_ratio
        return {
            "elections": self.elections,
            "unsettled": self.unsettled,
            "untied": self.accuracy.elections if self.accuracy else 0,
            **{key: value for one in written for key, value in flat(one, written[one]).items()},
            # The accuracy's interval under the name that cards and stored results give it.
            "interval": flat("", self.accuracy)["_interval"],
            "best_guess_rule": name,
            "guesses": {rule: one.value for rule, one in self.guesses.items()},
            "welfare_ratio": ratio.to_json() if ratio else None,
        }


def figures(observed: Observations, names: Sequence[str], seed: int) -> Figures:
    """The figures of these elections, with the guesses of the rules of these names."""
    return Figures(
        elections=len(observed.accuracy),
        unsettled=int(observed.unsettled.sum()),
        accuracy=share(known(observed.accuracy)),
        any_winner=share(known(observed.any_winner)),
        exact_set=share(known(observed.exact_set)),
        one_label=share(known(observed.one_label)),
        guesses=_guesses(observed, names),
        ceiling=mean(known(observed.ceiling), seed),
        shortfall=mean(known(observed.ceiling - observed.expected), seed),
        welfare_ratio=_welfare_ratio(observed, seed),
        excess_entropy=mean(known(observed.excess), seed),
    )


def _guesses(observed: Observations, names: Sequence[str]) -> dict[str, Estimate]:
    credits = observed.guesses[~np.isnan(observed.accuracy)].T
    # A rule that refuses some of the ballots is left out.
    found = {
        name: estimate
        for name, credit in zip(names, credits, strict=True)
        if not np.isnan(credit).any() and (estimate := share(credit))
    }
    return dict(sorted(found.items(), key=lambda item: -item[1].value))


def _welfare_ratio(observed: Observations, seed: int) -> WelfareRatio | None:
    ratios = known(observed.ratio)
    average = mean(ratios, seed)
    if average is None:
        return None
    ceiling = mean(known(observed.ceiling_ratio), seed)
    return WelfareRatio(average, *distribution(ratios), ceiling)
