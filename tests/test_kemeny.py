"""Kemeny against enumeration when small, subsets against the integer program when not."""

from itertools import permutations

import numpy as np
import pytest
import torch

from elect.deadlines import Clock
from elect.elections import Profiles
from elect.errors import ElectError
from elect.rules import linear_ordering
from elect.rules.kemeny import kemeny, kemeny_ranking, kemeny_winners, slater, slater_winners
from elect.rules.kemeny_kernels import SMALL, best_of_subsets, components
from profiles import correlated_profile, random_profile, weak_profile


def value(weights: np.ndarray, order: tuple[int, ...]) -> int:
    return int(np.triu(weights[np.ix_(order, order)]).sum())


@pytest.mark.parametrize("make", [random_profile, weak_profile, correlated_profile])
def test_ranking_score_uniqueness_and_winners_by_enumeration(make) -> None:
    rng = np.random.default_rng(0)
    for _ in range(40):
        profile = make(rng, int(rng.integers(1, 12)), int(rng.integers(1, 6)))
        support = profile.support[0].numpy()
        scores = {order: value(support, order) for order in permutations(range(len(support)))}
        best = max(scores.values())
        optimal = [order for order, score in scores.items() if score == best]
        result = kemeny_ranking(profile)
        assert result.ranking in optimal
        assert result.score == best
        assert result.unique == (len(optimal) == 1)
        assert result.winners == tuple(sorted({order[0] for order in optimal}))


@pytest.mark.parametrize("signs", [False, True])
def test_integer_program_agrees_with_enumeration(signs: bool) -> None:
    rng = np.random.default_rng(1)
    for _ in range(40):
        profile = random_profile(rng, int(rng.integers(2, 12)), int(rng.integers(3, 7)))
        weights = profile.margins[0].numpy()
        weights = np.sign(weights) if signs else weights
        values = {order: value(weights, order) for order in permutations(range(len(weights)))}
        best = max(values.values())
        optimal = [order for order, v in values.items() if v == best]
        relaxed = linear_ordering.relax(weights, Clock())
        assert relaxed.bound >= best
        for found in (
            linear_ordering.best_orders(weights, Clock()),
            linear_ordering._one_by_one(weights, relaxed, Clock()),
        ):
            assert found.value == best == value(weights, tuple(found.order))
            heads = np.flatnonzero(found.heads).tolist()
            assert heads == sorted({order[0] for order in optimal})
            assert found.unique == (len(optimal) == 1)


@pytest.mark.parametrize("size", [12, 15])
def test_integer_program_agrees_with_subsets(size: int) -> None:
    rng = np.random.default_rng(2)
    for voters in (4, 9, 20, 49):
        weights = random_profile(rng, voters, size).margins[0].numpy()
        for matrix in (weights, np.sign(weights)):
            best = np.zeros(1 << size, np.int64)
            best_of_subsets(matrix, best)
            assert linear_ordering.best_orders(matrix, Clock()).value == best[-1]


def test_components_are_those_that_beat_everyone_after_them() -> None:
    rng = np.random.default_rng(3)
    for _ in range(100):
        weights = correlated_profile(rng, int(rng.integers(1, 8)), 6).margins[0].numpy()
        order, ends = components(weights)
        assert sorted(order) == list(range(6))
        cuts = [k for k in range(1, 7) if (weights[np.ix_(order[:k], order[k:])] > 0).all()]
        assert ends.tolist() == cuts


def test_large_elections_fit_together() -> None:
    """Above the subsets' limit: winners alone, scores and the ranking must tell the same."""
    profile = random_profile(np.random.default_rng(4), 25, SMALL + 3)
    scores = kemeny(profile)
    result = kemeny_ranking(profile)
    assert result.score == int(scores.max())
    assert torch.equal(kemeny_winners(profile), scores == scores.max())
    assert result.winners == tuple((scores[0] == scores.max()).nonzero()[:, 0].tolist())


def test_a_large_component_below_a_small_one() -> None:
    """Three leaders in a cycle beat all of many others: scores by components must add up."""
    rng = np.random.default_rng(5)
    others = SMALL + 2
    leaders = np.array([[0, 1, 2], [1, 2, 0], [2, 0, 1]])
    rows = [
        np.concatenate([leaders[v % 3], 3 + rng.permutation(others)]).tolist() for v in range(9)
    ]
    profile = Profiles.from_rankings(np.array(rows))
    scores = kemeny(profile)[0]
    assert scores[:3].tolist() == [scores[0].item()] * 3
    assert scores[:3].min() > scores[3:].max()
    alone = kemeny_ranking(profile.only(range(3, 3 + others)))
    between = 9 * 3 * others
    assert scores[0] == alone.score + between + 15
    # Whoever heads the ranking of the others passes three leaders, whom nobody ranks below it.
    heads = kemeny(profile.only(range(3, 3 + others)))[0]
    assert torch.equal(scores[3:], heads + 15 + between - 27)


@pytest.mark.parametrize("candidates", [29, 50])
def test_large_elections_of_voters_who_agree_somewhat(candidates: int) -> None:
    profile = correlated_profile(np.random.default_rng(6), 99, candidates)
    result = kemeny_ranking(profile)
    assert sorted(result.ranking) == list(range(candidates))
    # Local optimality is necessary: no single candidate can be moved to a better place.
    margins = profile.margins[0].numpy()
    order = list(result.ranking)
    for i in range(candidates):
        moved = order[:i] + order[i + 1 :]
        row = margins[order[i]][moved]
        gains = row.sum() - 2 * np.concatenate([[0], np.cumsum(row)])
        assert gains.argmax() == i or gains[i] == gains.max()


def test_impartial_culture_at_29_candidates() -> None:
    profiles = Profiles.from_rankings(np.argsort(np.random.default_rng(7).random((2, 49, 29)), -1))
    decided = kemeny_winners(profiles)
    assert decided.any(1).all()
    for b in range(2):
        assert decided[b, kemeny_ranking(profiles[b]).ranking[0]]


def test_slater_ignores_the_size_of_margins() -> None:
    rng = np.random.default_rng(8)
    profile = random_profile(rng, 9, 6)
    scores = slater(profile)
    assert torch.equal(slater_winners(profile), scores == scores.amax(1, keepdim=True))


def test_one_election_at_a_time() -> None:
    batch = Profiles.concat([Profiles.from_rankings([[0, 1]])] * 2)
    with pytest.raises(ElectError, match="one election"):
        kemeny_ranking(batch)
