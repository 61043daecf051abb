"""The simple rules nearest to a rule: the scoring vector and the pairwise rule that agree best.

Both are found by logistic regression, which has one optimum: the chance of a candidate to win is
the softmax of its score, and the score is linear in what is sought. How often they agree is then
measured on elections that they were not fitted to.

Example:
    >>> from elect.cultures import culture
    >>> from elect.rules import winners
    >>> learn, fresh = (culture("impartial")(500, 9, 4, seed=s).profiles for s in (1, 2))
    >>> found = find_nearest_rule(lambda some: winners("borda", some), learn, fresh)
    >>> found.vectors, found.vector_agreement.value
    ({4: (1.0, 0.667, 0.333, 0.0)}, 1.0)
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float64
from scipy.optimize import minimize
from torch import Tensor

from elect.elections import Elections, Profiles, Scores, Winners
from elect.errors import ElectError
from elect.kernels import NDArray
from elect.measuring import estimates as intervals
from elect.measuring.estimates import Estimate
from elect.measuring.outcomes import credit
from elect.rules.exact_scores import masked

Choice = Callable[[Profiles], Winners]
Features = Float64[Tensor, "batch candidate feature"]

# Margins, as shares of the voters, between which what a majority counts is a straight line. A
# tie, and the smallest majority, have values of their own.
KNOTS = (0.0, 0.1, 0.25, 0.5, 1.0)
MARGINS = (*(-knot for knot in reversed(KNOTS)), 0.0, *KNOTS)

# Elections of a sample that simple rules are fitted to, with as many to measure agreement on; fewer
# than the least tell nothing.
FITTED, LEAST = 2000, 100

# How strongly large coefficients are held back: a rule that is met exactly would let them grow
# for ever.
RIDGE = 1e-4

# A score of the simple rules is taken for a tie with another within this.
CLOSE = 1e-9


@dataclass(frozen=True)
class NearestRule:
    """The simple rules nearest to a rule, and how often they agree with it.

    Attributes:
        vectors: by number of candidates, the points of each place, from 1 for the highest to 0
            for the lowest.
        vector_name: the rule that these vectors are, if they are one that has a name.
        vector_agreement: how often the scoring rule elects one of the rule's winners.
        margins: margins as shares of the voters; 0 stands for the smallest defeat, for a tie, and
            for the smallest majority.
        worth: what a margin counts in the pairwise rule, from 0 to 1; a candidate's score is the
            sum over all others.
        pairwise_name: the rule that this is, if it has a name.
        pairwise_agreement: how often the pairwise rule elects one of the rule's winners.
    """

    vectors: dict[int, tuple[float, ...]]
    vector_name: str | None
    vector_agreement: Estimate
    margins: tuple[float, ...]
    worth: tuple[float, ...]
    pairwise_name: str | None
    pairwise_agreement: Estimate

    def to_json(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "scoring": {
                "name": self.vector_name,
                "vectors": {str(m): list(vector) for m, vector in self.vectors.items()},
                "agreement": self.vector_agreement.value,
                "interval": list(self.vector_agreement.interval),
            },
            "pairwise": {
                "name": self.pairwise_name,
                "margins": list(self.margins),
                "worth": list(self.worth),
                "agreement": self.pairwise_agreement.value,
                "interval": list(self.pairwise_agreement.interval),
            },
        }


def find_nearest_rule(choose: Choice, learn: Profiles, fresh: Profiles) -> NearestRule:
    """The scoring vectors and the pairwise rule that agree best with the rule.

    There is a vector for each number of candidates that occurs, and one function of the margin,
    which never falls as the margin grows. Rules that have names are tried beside what was fitted
    and preferred where they agree as often. An agreement is credited with the chance that a lot
    among the simple rule's winners falls on one of the rule's.

    Args:
        choose: who wins, as from ``winners_of(rule)``.
        learn: elections to fit to, with complete ballots; some hundreds for each number of
            candidates are enough.
        fresh: other elections, to measure on; of the same numbers of candidates.
    """
    if not bool(learn.complete.all()) or not bool(fresh.complete.all()):
        raise ElectError("The nearest rule is found on complete ballots; leave the others out.")
    if not set(fresh.num_candidates.tolist()) <= set(learn.num_candidates.tolist()):
        raise ElectError(
            "Measure agreement on numbers of candidates that occur among the elections to fit to."
        )
    won, test = choose(learn), choose(fresh)
    name, vectors = _best_vectors(learn, won)
    pairwise_name, worth = _best_worth(learn, won)
    return NearestRule(
        {m: _rounded(vector) for m, vector in vectors.items()},
        name,
        _agreement(_score(fresh, vectors), fresh, test),
        MARGINS,
        _rounded(worth),
        pairwise_name,
        _agreement(_pairs(fresh) @ torch.from_numpy(worth), fresh, test),
    )


def nearest_rule_in(choose: Choice, sample: Sequence[Elections]) -> NearestRule | None:
    """The simple rules that agree best, where ballots are complete and elections enough."""
    profiles = Profiles.concat([one.profiles for one in sample[: 2 * FITTED // len(sample[0]) + 1]])
    half = min(FITTED, len(profiles) // 2)
    if half < LEAST or not bool(profiles.complete.all()):
        return None
    learn, fresh = profiles[:half], profiles[half : 2 * half]
    known = torch.isin(fresh.num_candidates, learn.num_candidates)
    return find_nearest_rule(choose, learn, fresh[known.nonzero()[:, 0]])


# ---------------------------------------------------------------------- scoring vectors


def _best_vectors(learn: Profiles, won: Winners) -> tuple[str | None, dict[int, NDArray]]:
    sizes = sorted(set(learn.num_candidates.tolist()))
    named: list[tuple[str | None, dict[int, NDArray]]] = [
        ("plurality", {m: np.eye(m)[0] for m in sizes}),
        ("borda", {m: np.linspace(1, 0, m) if m > 1 else np.ones(1) for m in sizes}),
        ("anti_plurality", {m: 1 - np.eye(m)[-1] for m in sizes}),
        (None, {m: _fit_vector(learn, won, m) for m in sizes}),
    ]
    # Of several that agree as often, the first.
    return max(named, key=lambda one: _agreement(_score(learn, one[1]), learn, won).value)


def _fit_vector(learn: Profiles, won: Winners, m: int) -> NDArray:
    rows = learn.num_candidates == m
    places = learn.places[rows][:, :m, :m].double()
    features = places / learn.num_voters[rows, None, None].sqrt()
    # Points count only against each other, so the last place's are 0.
    points = np.append(_fit(features[:, :, :-1], won[rows][:, :m]), 0.0)
    return _scaled(points)


def _score(profiles: Profiles, vectors: dict[int, NDArray]) -> Scores:
    points = torch.zeros(len(profiles), profiles.ranks.shape[2], dtype=torch.float64)
    for row, m in zip(points, profiles.num_candidates.tolist(), strict=True):
        row[:m] = torch.from_numpy(vectors[m])
    return torch.einsum("bck,bk->bc", profiles.places.double(), points)


# ---------------------------------------------------------------------- functions of the margin


def _best_worth(learn: Profiles, won: Winners) -> tuple[str | None, NDArray]:
    margins, half = np.array(MARGINS), len(KNOTS)
    sign = np.repeat([0.0, 0.5, 1.0], [half, 1, half])
    features = _pairs(learn)
    named: list[tuple[str | None, NDArray]] = [
        ("copeland", sign),
        ("borda", (1 + margins) / 2),
        ("llull", np.where(sign > 0, 1.0, 0.0)),
        (None, _fit_worth(features, learn, won)),
    ]
    return max(
        named,
        key=lambda one: _agreement(features @ torch.from_numpy(one[1]), learn, won).value,
    )


def _fit_worth(features: Features, learn: Profiles, won: Winners) -> NDArray:
    """Steps upwards from each margin to the next, none below 0."""
    from_here = features.flip(2).cumsum(2).flip(2)[:, :, 1:]
    steps = _fit(from_here, won, learn.mask, rising=True)
    return _scaled(np.append(0.0, steps.cumsum()))


def _pairs(profiles: Profiles) -> Features:
    """How many others a candidate faces at each of the margins; a margin between two knots counts
    for both, the nearer the more."""
    margins, mask = profiles.margins, profiles.mask
    share = margins.abs().double() / profiles.num_voters[:, None, None].clamp(min=1)
    knots = torch.tensor(KNOTS, dtype=torch.float64)
    upper = torch.bucketize(share, knots).clamp(1, len(KNOTS) - 1)
    part = (share - knots[upper - 1]) / (knots[upper] - knots[upper - 1])
    pair = mask[:, :, None] & mask[:, None] & ~torch.eye(mask.shape[1], dtype=torch.bool)
    centre, columns = len(KNOTS), torch.zeros(*mask.shape, len(MARGINS), dtype=torch.float64)
    sign = margins.sign()
    for place, amount in ((upper - 1, 1 - part), (upper, part)):
        # Knots stand on both sides of the tie in the middle.
        where = torch.where(sign == 0, centre, centre + sign * (place + 1))
        amount = torch.where(sign == 0, 0.5, amount).where(pair, 0)
        columns.scatter_add_(2, where, amount)
    return columns


# ---------------------------------------------------------------------- regression


def _fit(
    features: Features,
    won: Winners,
    mask: Bool[Tensor, "batch candidate"] | None = None,
    rising: bool = False,
) -> NDArray:
    """The coefficients of the likeliest softmax, none below 0 if they are to make it rise."""
    target = won.double() / won.sum(1, keepdim=True)
    padding = torch.zeros_like(won) if mask is None else ~mask

    def loss(values: NDArray) -> tuple[float, NDArray]:
        coefficients = torch.from_numpy(values)
        chances = (features @ coefficients).masked_fill(padding, -torch.inf).log_softmax(1)
        short = target - chances.exp()
        slope = -torch.einsum("bcf,bc->f", features, short) / len(won) + RIDGE * coefficients
        cost = -(target * chances.masked_fill(padding, 0)).sum() / len(won)
        return float(cost + RIDGE / 2 * coefficients.square().sum()), slope.numpy()

    bounds = [(0, None)] * features.shape[2] if rising else None
    start = np.zeros(features.shape[2])
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds)
    result: NDArray = found.x
    return result


def _agreement(scores: Scores, profiles: Profiles, won: Winners) -> Estimate:
    scores = masked(scores, profiles)
    top = scores >= scores.amax(1, keepdim=True) - CLOSE
    found = intervals.share(credit(top, won).numpy())
    if found is None:
        raise ElectError("To find the nearest rule takes elections; give at least one.")
    return found


def _scaled(values: NDArray) -> NDArray:
    """The values from 1 for the highest to 0 for the lowest."""
    span = np.ptp(values)
    return (values - values.min()) / span if span > 0 else values


def _rounded(values: Sequence[float] | NDArray) -> tuple[float, ...]:
    return tuple(round(float(value), 3) for value in values)
