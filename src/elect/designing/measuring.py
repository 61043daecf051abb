"""Measure the welfare of each rule on the same elections."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from elect.cultures import Dirichlet
from elect.designing.contestants import SLOW, Contestant
from elect.designing.purpose import Purpose
from elect.elections import Elections
from elect.errors import ElectError
from elect.kernels import NDArray
from elect.measuring.batches import ElectionSource
from elect.measuring.estimates import Estimate, distribution, flat, known, mean, share
from elect.measuring.outcomes import best_candidates, credit, welfare_ratio
from elect.measuring.targets import prospects

# Part of every seed here and of none in training or evaluation.
FRESH = 23

# On how many elections slow rules are measured, and the ceiling, with draws of utilities for each.
FEW, JUDGED, SAMPLES = 256, 512, 256


@dataclass(frozen=True, eq=False)
class Field:
    """The results of each rule in each election, ``[election, rule]``; NaN if not measured.

    Attributes:
        names: the rules.
        ratios: the elected candidate's welfare over the highest.
        hits: the chance that the elected is the best, where there is one best.
        refused: rules that cannot read these ballots, and why.
    """

    names: tuple[str, ...]
    ratios: NDArray
    hits: NDArray
    refused: dict[str, str]

    def loss(self, name: str, best: str, seed: int) -> Estimate:
        """The relative loss against the best rule, on the elections that both decided."""
        one, other = (self.ratios[:, self.names.index(which)] for which in (name, best))
        both = ~np.isnan(one) & ~np.isnan(other)
        return _mean((other - one)[both] / other[both].mean(), seed)


@dataclass(frozen=True)
class Standing:
    """The results of a rule.

    Attributes:
        name: the rule.
        ratio: the elected candidate's welfare over the highest, on average.
        quantiles: of that ratio, by level.
        histogram: how many elections fall into each of 50 equal parts of 0 to 1.
        accuracy: how often it elects the best candidate, where there is one.
        loss: the relative loss against the best rule.
    """

    name: str
    ratio: Estimate
    quantiles: dict[float, Estimate]
    histogram: tuple[int, ...]
    accuracy: Estimate
    loss: Estimate

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "rule": self.name,
            "elections": self.ratio.elections,
            **flat("welfare_ratio", self.ratio),
            **flat("accuracy", self.accuracy),
            **flat("loss", self.loss),
            "quantiles": {f"{q:g}": flat("value", one) for q, one in self.quantiles.items()},
            "histogram": list(self.histogram),
        }


def measure(
    several: Sequence[Contestant],
    purpose: Purpose,
    source: ElectionSource,
    elections: int,
    seed: int,
    progress: Callable[[float], None] | None = None,
) -> Field:
    """Measure every rule on the same elections."""
    ratios, hits = (np.full((elections, len(several)), np.nan) for _ in range(2))
    refused: dict[str, str] = {}
    for start, batch, _ in source.batches(elections, [seed, 0], [FRESH]):
        welfare = purpose.judge(batch)
        best = best_candidates(welfare)
        one_best = best.sum(1) == 1
        rows = slice(start, start + len(batch))
        for column, one in enumerate(several):
            if one.name in refused or (one.name in SLOW and start >= FEW):
                continue
            try:
                top = _chosen(one, batch, start)
            except ElectError as error:
                refused[one.name] = str(error)
                continue
            ratios[rows, column] = welfare_ratio(top, welfare)
            hits[rows, column] = credit(top, best).where(one_best, torch.nan)
        if progress is not None:
            progress((start + len(batch)) / elections)
    for column, one in enumerate(several):
        if np.isnan(ratios[:, column]).all():
            refused.setdefault(one.name, "Elections of these sizes are too hard for it.")
    kept = [i for i, one in enumerate(several) if one.name not in refused]
    return Field(tuple(several[i].name for i in kept), ratios[:, kept], hits[:, kept], refused)


def _chosen(one: Contestant, batch: Elections, start: int) -> torch.Tensor:
    """The winners; a slow rule decides only the first elections, and elects nobody in others."""
    if one.name not in SLOW or start + len(batch) <= FEW:
        return one.choose(batch) & batch.profiles.mask
    some = FEW - start
    assert batch.utilities is not None
    few = Elections(batch.profiles[:some], batch.utilities[:some])
    winners = torch.zeros_like(batch.profiles.mask)
    winners[:some] = one.choose(few)
    return winners & batch.profiles.mask


def standings(field: Field, seed: int) -> list[Standing]:
    """The rules by welfare ratio, the best first."""
    means = dict(zip(field.names, np.nanmean(field.ratios, 0), strict=True))
    best = max((name for name in field.names if name not in SLOW), key=lambda name: means[name])
    # A slow rule is the best only if it beats the others on the elections that it decided.
    for name in SLOW:
        if name in means and field.loss(name, best, seed).high < 0:
            best = name
    found = [_standing(field, name, best, seed) for name in field.names]
    return sorted(found, key=lambda one: one.loss.value)


def _standing(field: Field, name: str, best: str, seed: int) -> Standing:
    column = field.names.index(name)
    ratios, hits = (known(values[:, column]) for values in (field.ratios, field.hits))
    return Standing(
        name,
        _mean(ratios, seed),
        *distribution(ratios),
        share(hits) or Estimate(1.0, 0.0, 1.0, 0),
        field.loss(name, best, seed),
    )


def ceiling_of(
    purpose: Purpose,
    source: ElectionSource,
    posterior: Dirichlet,
    best: Contestant,
    reached: Standing,
    seed: int,
) -> tuple[Estimate, Estimate]:
    """The accuracy and the welfare ratio of the best possible rule.

    It is what the best rule reaches in all elections, plus what an even better choice would gain
    in some of them. The gain is measured on the same draws of utilities, so it is more precise
    than the difference of two separate figures.
    """
    gaps: list[tuple[float, float]] = []
    for start, batch, _ in source.batches(JUDGED, [seed, 0], [FRESH]):
        rng = np.random.default_rng([seed, 1, start, FRESH])
        found = prospects(posterior, purpose.function, batch.profiles, SAMPLES, rng)
        for top, one in zip(best.choose(batch), found, strict=True):
            accuracy, ratio = one.reached(top)
            gaps.append((one.accuracy - accuracy, one.ratio - ratio))
    of_accuracy, of_ratio = (_mean(values, seed) for values in np.array(gaps).T)
    return _above(reached.accuracy, of_accuracy), _above(reached.ratio, of_ratio)


def _above(reached: Estimate, gap: Estimate) -> Estimate:
    """The figure plus the gap above it; a gap below 0 is due to chance and counts as 0."""
    value, low, high = (
        min(1.0, one + max(0.0, more))
        for one, more in zip(
            (reached.value, *reached.interval), (gap.value, *gap.interval), strict=True
        )
    )
    return Estimate(value, low, high, gap.elections)


def _mean(values: NDArray, seed: int) -> Estimate:
    found = mean(values, seed)
    assert found is not None
    return found
