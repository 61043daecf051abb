"""Kemeny and Slater, computed exactly.

Both look for the ranking that agrees best with a matrix of weights w (w[a, b] = -w[b, a]; Kemeny's
are the margins, Slater's their signs): it maximizes V = Σ w[a, b] over all pairs with a above b.

1. *Components.* Where every member of a set strictly beats everyone outside, every optimal ranking
   puts the set first (Truchon's extended Condorcet criterion). So the candidates fall into
   components that are ranked one after the other, and only members of the first can win.
2. *Dynamic programming over subsets* settles a component of up to `SMALL` candidates:
   best(S) = max over c in S of Σ_{b in S} w[c, b] + best(S - c), 2^|S| steps of |S|.
3. *A linear program and what is left of it* (`linear_ordering`) settle what is larger.

The last step can take long, so each election has a time limit (`elect.deadlines`).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import torch

from elect.deadlines import Clock
from elect.elections import Profiles, Scores, Winners
from elect.errors import ElectError
from elect.kernels import NDArray, over_batch
from elect.rules.base import DISTANCE, FEW_CANDIDATES, PATHS, Decision, Rule, Simplicity
from elect.rules.exact_scores import exact_scores
from elect.rules.kemeny_kernels import (
    SMALL,
    best_of_subsets,
    components,
    head_values,
    top_winners,
    trace,
)
from elect.rules.linear_ordering import best_orders, best_value, good_order
from elect.rules.sentences import MANY_CANDIDATES, best, following, winners
from elect.rules.unsettled import HardElections
from elect.words import count, number, verb


def kemeny(profiles: Profiles) -> Scores:
    """**The agreements between the voters and the best ranking headed by the candidate**: for each
    pair, the voters who rank it in that order (Kemeny–Young).

    Truncated and tied ballots are taken as they are: they agree only with the order of pairs that
    they strictly rank.

    >>> kemeny(Profiles.from_rankings([[0, 1, 2], [1, 2, 0], [2, 0, 1]], weights=[4, 3, 2]))
    tensor([[17., 15., 13.]], dtype=torch.float64)
    """
    # Of all ordered pairs that voters rank, (total + V) / 2 agree with a ranking of value V.
    total = profiles.support.sum((1, 2))[:, None]
    return exact_scores(total + _values(profiles.margins, profiles, "kemeny"), 2, profiles)


def kemeny_winners(profiles: Profiles) -> Winners:
    """Kemeny's winners alone, without the scores of those who lose: much faster when m is large."""
    return _winners(profiles.margins, profiles, "kemeny")


def slater(profiles: Profiles) -> Scores:
    """**The majorities that the best ranking headed by the candidate agrees with**, each pair of
    candidates counting once however large its margin; pairwise ties count for nothing.

    Truncated and tied ballots are taken as they are.

    >>> slater(Profiles.from_rankings([[0, 1, 2], [1, 2, 0], [2, 0, 1]], weights=[4, 3, 2]))
    tensor([[2., 2., 2.]], dtype=torch.float64)
    """
    signs = profiles.margins.sign()
    total = (signs > 0).sum((1, 2))[:, None]
    return exact_scores(total + _values(signs, profiles, "slater"), 2, profiles)


def slater_winners(profiles: Profiles) -> Winners:
    """Slater's winners alone, without the scores of those who lose."""
    return _winners(profiles.margins.sign(), profiles, "slater")


@dataclass(frozen=True)
class KemenyResult:
    """An optimal ranking.

    Attributes:
        ranking: one optimal ranking, best first, as candidate numbers.
        score: its agreements with the voters.
        unique: whether it is the only optimal ranking.
        winners: who heads an optimal ranking.
    """

    ranking: tuple[int, ...]
    score: int
    unique: bool
    winners: tuple[int, ...]


def kemeny_ranking(profile: Profiles) -> KemenyResult:
    """One election's optimal ranking, its score, whether it is unique, and all winners.

    >>> kemeny_ranking(Profiles.from_rankings([[0, 1, 2], [1, 2, 0], [2, 0, 1]], weights=[4, 3, 2]))
    KemenyResult(ranking=(0, 1, 2), score=17, unique=True, winners=(0,))
    """
    if len(profile) != 1:
        raise ElectError(f"kemeny_ranking takes one election at a time, not {len(profile)}.")
    m = int(profile.num_candidates[0])
    margins = profile.margins[0, :m, :m].cpu().numpy()
    hard = HardElections("kemeny", profile, scores=True)
    ranking: list[int] = []
    unique = True
    with hard.election(0, *_known(margins)) as clock:
        for members in _split(margins):
            order, only = _order(margins[np.ix_(members, members)], clock)
            ranking += members[order].tolist()
            unique &= only
    hard.finish(torch.zeros(1, m, dtype=torch.bool))
    score = int(profile.support[0, ranking][:, ranking].triu().sum())
    winners = kemeny_winners(profile)[0].nonzero()[:, 0]
    return KemenyResult(tuple(ranking), score, unique, tuple(winners.tolist()))


def _values(weights: torch.Tensor, profiles: Profiles, rule: str) -> torch.Tensor:
    """V of the best ranking headed by each candidate, for each election."""
    matrices, sizes = weights.cpu().numpy(), profiles.num_candidates.cpu().numpy()
    values = np.zeros(matrices.shape[:2], np.int64)
    large = np.zeros(len(sizes), np.bool_)
    over_batch(head_values, matrices, sizes, values, large)
    hard = HardElections(rule, profiles, scores=True)
    for b in np.flatnonzero(large).tolist():
        matrix = matrices[b, : sizes[b], : sizes[b]]
        with hard.election(b, *_known(matrix)) as clock:
            values[b, : sizes[b]] = _large_head_values(matrix, clock)
    scores = torch.from_numpy(values).to(weights.device)
    real = scores.masked_fill(~profiles.mask, torch.iinfo(torch.int64).min)
    hard.finish(real == real.amax(1, keepdim=True))
    return scores


def _winners(weights: torch.Tensor, profiles: Profiles, rule: str) -> Winners:
    matrices, sizes = weights.cpu().numpy(), profiles.num_candidates.cpu().numpy()
    winners = np.zeros(matrices.shape[:2], np.bool_)
    large = np.zeros(len(sizes), np.bool_)
    over_batch(top_winners, matrices, sizes, winners, large)
    hard = HardElections(rule, profiles, scores=False)
    for b in np.flatnonzero(large).tolist():
        matrix = matrices[b, : sizes[b], : sizes[b]]
        with hard.election(b, *_known(matrix)) as clock:
            members = _split(matrix)[0]
            part = matrices[b][np.ix_(members, members)]
            winners[b, members] = best_orders(part, clock).heads
    return hard.finish(torch.from_numpy(winners).to(weights.device))


# ---------------------------------------------------------------------- one election at a time


def _split(weights: NDArray) -> list[NDArray]:
    """The components, best first."""
    order, ends = components(weights)
    return np.split(order, ends[:-1])


def _known(weights: NDArray) -> tuple[list[int], Callable[[], int]]:
    """What is known from the start: only the first component can win; and who heads a ranking of
    it that is good, if not the best."""
    first = _split(weights)[0]
    return first.tolist(), lambda: int(first[good_order(weights[np.ix_(first, first)])[0]])


def _order(weights: NDArray, clock: Clock) -> tuple[NDArray, bool]:
    """An optimal order of one component, and whether it is the only one."""
    size = len(weights)
    if size > SMALL:
        found = best_orders(weights, clock)
        return found.order, found.unique
    best = np.zeros(1 << size, np.int64)
    best_of_subsets(weights, best)
    order, unique = trace(weights, best)
    return order, bool(unique)


def _large_head_values(weights: NDArray, clock: Clock) -> NDArray:
    """V of the best ranking headed by each candidate, where some component is large."""
    components = _split(weights)
    ranked = np.concatenate(components)
    heads = [_component_head_values(weights[np.ix_(c, c)], clock) for c in components]
    bests = [int(values.max()) for values in heads]
    inside = sum(int(np.triu(weights[np.ix_(c, c)]).sum()) for c in components)
    optimum = sum(bests) + int(np.triu(weights[np.ix_(ranked, ranked)]).sum()) - inside
    result = np.zeros(len(weights), np.int64)
    start = 0
    for members, values, top in zip(components, heads, bests, strict=True):
        # To head the ranking, a candidate must pass everyone in the components before its own.
        passed = weights[np.ix_(ranked[:start], members)].sum(0)
        result[members] = optimum - top + values - 2 * passed
        start += len(members)
    return result


def _component_head_values(weights: NDArray, clock: Clock) -> NDArray:
    size = len(weights)
    values = np.zeros(size, np.int64)
    if size <= SMALL:
        sizes, large = np.array([size]), np.zeros(1, np.bool_)
        head_values(weights[None], sizes, values[None], large)
        return values
    for c in range(size):
        rest = np.delete(np.arange(size), c)
        values[c] = weights[c].sum() + _optimum(weights[np.ix_(rest, rest)], clock)
    return values


def _optimum(weights: NDArray, clock: Clock) -> int:
    """V of the best ranking."""
    ranked = np.concatenate(_split(weights))
    value = int(np.triu(weights[np.ix_(ranked, ranked)]).sum())
    for members in _split(weights):
        part = weights[np.ix_(members, members)]
        value += _best_of_component(part, clock) - int(np.triu(part).sum())
    return value


def _best_of_component(weights: NDArray, clock: Clock) -> int:
    if len(weights) > SMALL:
        return best_value(weights, clock)
    best = np.zeros(1 << len(weights), np.int64)
    best_of_subsets(weights, best)
    return int(best[-1])


# ---------------------------------------------------------------------- why, in a sentence


def _why_slater(decision: Decision) -> str:
    majorities = sum(margin > 0 for row in decision.margins for margin in row)
    if not majorities:
        return "No pair of candidates has a majority, so nobody is ahead."
    agree = verb(decision.elected, "A ranking headed by {} agrees", "Rankings headed by {} agree")
    if decision.size > MANY_CANDIDATES:
        return f"{agree.format(winners(decision))} with the most majorities."
    of = f"{number(best(decision))} of {count(majorities, 'majority', 'majorities')}"
    return f"{agree.format(winners(decision))} with {of}{following(decision)}."


def _why_kemeny(decision: Decision) -> str:
    found = kemeny_ranking(decision.profile)
    total = int(decision.profile.support.sum())
    judgements = f"{number(found.score)} of the voters' {number(total)} judgements of pairs"
    if len(decision.elected) > 1:
        return (
            f"Rankings headed by {winners(decision)} agree with {judgements}, and none with more."
        )
    names = [decision.profile.labels[c] for c in found.ranking]
    ranking = " > ".join(names if len(names) < 7 else [*names[:5], "…"])
    most = "more than any other" if found.unique else "and none with more"
    return f"The ranking {ranking} agrees with {judgements}, {most}."


# ---------------------------------------------------------------------- what is known of them

RECORDS = (
    Rule(
        "slater",
        slater,
        title="Slater",
        family=DISTANCE,
        reads="The ranking closest to all voters is sought.",
        counting="the ranking that contradicts fewest majorities is sought",
        simplicity=Simplicity.SEARCH,
        why=_why_slater,
        winners_only=slater_winners,
        slow=True,
        learning=replace(PATHS, candidates=FEW_CANDIDATES),
    ),
    Rule(
        "kemeny",
        kemeny,
        title="Kemeny",
        family=DISTANCE,
        reads="The ranking closest to all voters is sought.",
        counting="the ranking that agrees with most voters on most pairs is sought",
        simplicity=Simplicity.SEARCH,
        why=_why_kemeny,
        aliases=("kemeny_young",),
        winners_only=kemeny_winners,
        slow=True,
        learning=replace(PATHS, candidates=FEW_CANDIDATES),
    ),
)
