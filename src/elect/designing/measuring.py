"""How much welfare each rule reaches, all on the same elections."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from elect.cultures import Culture, Dirichlet
from elect.designing.contenders import SLOW, Contender
from elect.designing.electorate import Range
from elect.designing.purpose import Purpose
from elect.elections import Elections
from elect.errors import ElectError
from elect.evaluation import intervals
from elect.evaluation.figures import BINS, QUANTILES
from elect.evaluation.intervals import Estimate
from elect.evaluation.records import credit
from elect.kernels import NDArray
from elect.rules.ceiling import cross_fit
from elect.rules.posterior import over_posterior

# Part of every seed here and of none in training or evaluation.
FRESH = 23

# Elections in memory at a time, and numbers on their ballots.
BATCH, ENTRIES = 512, 2**22

# On how many elections slow rules are measured, and the ceiling, with draws of utilities for each.
FEW, JUDGED, SAMPLES = 256, 512, 256


@dataclass(frozen=True, eq=False)
class Field:
    """What each rule reached in each election, ``[election, rule]``; NaN where it was not asked.

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
        """What a rule loses of what the best one reaches, on the elections that both decided."""
        one, other = (self.ratios[:, self.names.index(which)] for which in (name, best))
        both = ~np.isnan(one) & ~np.isnan(other)
        return _mean((other - one)[both] / other[both].mean(), seed)


@dataclass(frozen=True)
class Standing:
    """What a rule reaches.

    Attributes:
        name: the rule.
        ratio: the elected candidate's welfare over the highest, on average.
        quantiles: of that ratio, by level.
        histogram: how many elections fall into each of 50 equal parts of 0 to 1.
        accuracy: how often it elects the best candidate, where there is one.
        loss: what it loses of what the best rule reaches.
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
            **plain("welfare_ratio", self.ratio),
            **plain("accuracy", self.accuracy),
            **plain("loss", self.loss),
            "quantiles": {f"{q:g}": plain("value", one) for q, one in self.quantiles.items()},
            "histogram": list(self.histogram),
        }


def plain(name: str, estimate: Estimate) -> dict[str, Any]:
    """A figure and its interval under names of their own."""
    return {name: estimate.value, f"{name}_interval": list(estimate.interval)}


def measure(
    several: Sequence[Contender],
    purpose: Purpose,
    source: Culture,
    voters: Range,
    candidates: Range,
    elections: int,
    seed: int,
    progress: Callable[[float], None] | None = None,
) -> Field:
    """What every rule reaches on the same elections."""
    ratios, hits = (np.full((elections, len(several)), np.nan) for _ in range(2))
    refused: dict[str, str] = {}
    for start, batch in drawn(source, voters, candidates, elections, seed):
        welfare = purpose.judge(batch)
        best = welfare.amax(1, keepdim=True)
        gains = torch.where(best > 0, welfare / best, 1.0)
        won = welfare == best
        one_best = won.sum(1) == 1
        for column, one in enumerate(several):
            if one.name in refused or (one.name in SLOW and start >= FEW):
                continue
            rows = slice(start, start + len(batch))
            try:
                top = _chosen(one, batch, start)
            except ElectError as error:
                refused[one.name] = str(error)
                continue
            asked = top.any(1)
            mean = torch.where(top, gains, 0).sum(1) / top.sum(1)
            ratios[rows, column] = mean.where(asked, torch.nan)
            hits[rows, column] = credit(top, won).where(asked & one_best, torch.nan)
        if progress is not None:
            progress((start + len(batch)) / elections)
    for column, one in enumerate(several):
        if np.isnan(ratios[:, column]).all():
            refused.setdefault(one.name, "Elections of these sizes are too hard for it.")
    kept = [i for i, one in enumerate(several) if one.name not in refused]
    return Field(tuple(several[i].name for i in kept), ratios[:, kept], hits[:, kept], refused)


def _chosen(one: Contender, batch: Elections, start: int) -> torch.Tensor:
    """Who wins; a slow rule is asked for the first few only, and elects nobody in the others."""
    if one.name not in SLOW or start + len(batch) <= FEW:
        return one.choose(batch) & batch.profiles.mask
    some = FEW - start
    assert batch.utilities is not None
    few = Elections(batch.profiles[:some], batch.utilities[:some])
    winners = torch.zeros_like(batch.profiles.mask)
    winners[:some] = one.choose(few)
    return winners & batch.profiles.mask


def drawn(
    source: Culture, voters: Range, candidates: Range, elections: int, seed: int
) -> Iterator[tuple[int, Elections]]:
    """Batches small enough for memory, and where each starts."""
    most = max(1, min(BATCH, ENTRIES // (voters[1] * candidates[1])))
    for number, start in enumerate(range(0, elections, most)):
        rng = np.random.default_rng([seed, 0, number, FRESH])
        yield start, source(min(most, elections - start), voters, candidates, seed=rng)


def standings(field: Field, seed: int) -> list[Standing]:
    """The rules by what they reach, the best first."""
    means = dict(zip(field.names, np.nanmean(field.ratios, 0), strict=True))
    best = max((name for name in field.names if name not in SLOW), key=lambda name: means[name])
    # A slow rule, on its few elections, can be the best only by beating the others there.
    for name in SLOW:
        if name in means and field.loss(name, best, seed).high < 0:
            best = name
    found = [_standing(field, name, best, seed) for name in field.names]
    return sorted(found, key=lambda one: one.loss.value)


def _standing(field: Field, name: str, best: str, seed: int) -> Standing:
    column = field.names.index(name)
    ratios, hits = (values[:, column] for values in (field.ratios, field.hits))
    ratios, hits = ratios[~np.isnan(ratios)], hits[~np.isnan(hits)]
    levels = {level: intervals.quantile(ratios, level) for level in QUANTILES}
    counts, _ = np.histogram(ratios.clip(0, 1), BINS, (0, 1))
    return Standing(
        name,
        _mean(ratios, seed),
        {level: one for level, one in levels.items() if one},
        tuple(counts.tolist()),
        intervals.share(hits) or Estimate(1.0, 0.0, 1.0, 0),
        field.loss(name, best, seed),
    )


def ceiling_of(
    purpose: Purpose,
    source: Culture,
    posterior: Dirichlet,
    voters: Range,
    candidates: Range,
    best: Contender,
    reached: Standing,
    seed: int,
) -> tuple[Estimate, Estimate]:
    """The accuracy and the welfare ratio of the best possible rule.

    It is what the best rule reaches in all elections, and what a still better choice would gain
    in some of them, over the same draws of utilities: far surer than to measure both apart.
    """
    gaps: list[tuple[float, float]] = []
    for start, batch in drawn(source, voters, candidates, JUDGED, seed):
        rng = np.random.default_rng([seed, 1, start, FRESH])
        found = over_posterior(posterior, purpose.function, batch.profiles, SAMPLES, rng, _look)
        for chosen, (right, most, optimal, ratios) in zip(best.choose(batch), found, strict=True):
            top = chosen[: len(optimal)].numpy()
            gaps.append((right - optimal[top].mean(), most - ratios[top].mean()))
    accuracy, ratio = (_mean(values, seed) for values in np.array(gaps).T)
    return _above(reached.accuracy, accuracy), _above(reached.ratio, ratio)


def _look(scores: NDArray) -> tuple[float, float, NDArray, NDArray]:
    """What the best choice reaches, and how often each candidate is optimal and how nearly."""
    best = scores.max(1, keepdims=True)
    ratios = np.divide(scores, best, out=np.ones_like(scores), where=best > 0)
    return *cross_fit(scores), (scores == best).mean(0), ratios.mean(0)


def _above(reached: Estimate, gap: Estimate) -> Estimate:
    """What is reached and the gap above it, which luck alone can make less than nothing."""
    value, low, high = (
        min(1.0, one + max(0.0, more))
        for one, more in zip(
            (reached.value, *reached.interval), (gap.value, *gap.interval), strict=True
        )
    )
    return Estimate(value, low, high, gap.elections)


def _mean(values: NDArray, seed: int) -> Estimate:
    found = intervals.mean(values, seed)
    assert found is not None
    return found
