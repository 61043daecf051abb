"""Evaluation by welfare, against counts by hand and the paper's values."""

import pytest
import torch

from elect.cultures import culture
from elect.elections import Elections, Profiles
from elect.measuring.evaluation import evaluate
from elect.objectives import oracle
from elect.rules.posterior import posterior_rule
from elect.welfares import egalitarian, welfare
from profiles import always

PAPER = {"voters": (2, 99), "candidates": (2, 29)}


# Table 3 of the paper: the share of elections in which the welfare optimum is elected.
TABLE_3 = {
    ("uniform", "utilitarian"): (0.42, 0.56, 0.52, 0.50),
    ("uniform", "egalitarian"): (0.40, 0.58, 0.53, 0.50),
    ("polarized", "utilitarian"): (0.47, 0.50, 0.48, 0.46),
    ("polarized", "egalitarian"): (0.46, 0.51, 0.49, 0.47),
    ("indecisive", "utilitarian"): (0.39, 0.61, 0.56, 0.53),
    ("indecisive", "egalitarian"): (0.31, 0.53, 0.48, 0.45),
}


def test_welfare_counted_by_hand():
    utilities = torch.tensor(
        [
            [[0.6, 0.3, 0.1], [0.5, 0.4, 0.1], [0.0, 0.7, 0.3]],  # sums 1.1, 1.4, 0.5
            [[0.8, 0.2, 0.0], [0.9, 0.1, 0.0], [0.1, 0.3, 0.6]],  # sums 1.8, 0.6, 0.6
            [[1.0, 0.0, 0.0], [0.0, 0.6, 0.4], [0.0, 0.1, 0.9]],  # sums 1.0, 0.7, 1.3
        ],
        dtype=torch.float64,
    )
    elections = Elections(Profiles.from_utilities(utilities), utilities)
    found = evaluate("plurality", "utilitarian", always(elections), 3, 3, 3).overall
    # A; A; a tie of all.
    assert found.accuracy.value == pytest.approx((0 + 1 + 1 / 3) / 3)
    ratios = sorted([1.1 / 1.4, 1.0, (1.0 + 0.7 + 1.3) / 3 / 1.3])
    ratio = found.welfare_ratio
    assert ratio.mean.value == pytest.approx(sum(ratios) / 3)
    assert [one.value for one in ratio.quantiles.values()] == pytest.approx(
        [ratios[0], ratios[0], ratios[1], ratios[2], ratios[2]]
    )
    assert list(ratio.quantiles) == [0.05, 0.25, 0.5, 0.75, 0.95]
    expected = [0] * 50
    expected[int(ratios[0] * 50)] = expected[int(ratios[1] * 50)] = 1
    expected[49] += 1
    assert list(ratio.histogram) == expected
    assert found.any_winner is found.exact_set is found.ceiling is None


@pytest.mark.parametrize(("source", "goal"), TABLE_3)
def test_table_3(source, goal):
    others = ["borda", "copeland:tie=0", "maximin"]
    settings = {"guesses": others, "ceiling_elections": 0}
    found = evaluate("plurality", goal, source, **PAPER, elections=2000, **settings).overall
    measured = [found.accuracy, *(found.guesses[name] for name in others)]
    for estimate, printed in zip(measured, TABLE_3[source, goal], strict=True):
        # Twice the 95 % interval, and what rounding to two digits hides.
        assert abs(estimate.value - printed) < estimate.high - estimate.low + 0.005


def test_the_ceiling_stands_beside_and_the_best_rule_reaches_it():
    goal, settings = welfare("egalitarian"), {"elections": 400, "seed": 5, "guesses": ()}
    settings |= {"voters": (2, 30), "candidates": (2, 9)}
    best = posterior_rule(culture("uniform"), goal, samples=500, by="share")
    reached = evaluate(best, "egalitarian", **settings).overall
    missed = evaluate("plurality", goal, **settings).overall
    assert reached.ceiling == missed.ceiling
    assert reached.shortfall.value == pytest.approx(0, abs=0.01)
    assert missed.shortfall.low > 0.1
    # The rule's accuracy itself, though noisier, must lie as far below.
    gap = missed.ceiling.value - missed.accuracy.value
    assert missed.shortfall.value == pytest.approx(gap, abs=0.1)
    assert reached.accuracy.low < reached.ceiling.value < reached.accuracy.high
    assert missed.welfare_ratio.mean.value < missed.welfare_ratio.ceiling.value <= 1


def test_the_ceiling_of_the_paper_and_of_some_elections():
    found = evaluate("borda", "egalitarian", **PAPER, elections=600, ceiling_elections=300)
    assert found.overall.ceiling.elections == 300
    assert found.overall.ceiling.low - 0.01 < 0.682 < found.overall.ceiling.high + 0.01
    parts = found.by_voters.values()
    assert sum(part.ceiling.elections for part in parts) == 300


def test_one_voter_has_nothing_to_hide():
    found = evaluate("plurality", "nash", "polarized", 1, (2, 5), 30).overall
    assert found.accuracy.value == found.ceiling.value == found.welfare_ratio.mean.value == 1
    assert found.shortfall.value == 0


def test_utilities_of_another_culture_behind_the_same_rankings():
    settings = {"elections": 1500, "guesses": (), "ceiling_elections": 100}
    own = evaluate("borda", "nash", "polarized", (2, 30), (2, 9), **settings).overall
    drawn = evaluate("borda", oracle("nash", "polarized"), "impartial", (2, 30), (2, 9), **settings)
    assert drawn.target == "nash@polarized"
    assert drawn.overall.accuracy.low < own.accuracy.high
    assert own.accuracy.low < drawn.overall.accuracy.high
    assert drawn.overall.ceiling.elections == 100


def test_welfares_of_your_own_and_cultures_without_a_ceiling():
    settings = {"voters": 7, "candidates": 4, "elections": 60}
    ours = evaluate("borda", egalitarian, "euclidean", **settings).overall
    yours = oracle(lambda u: u.sum(1) / 2 + u.amin(1) * u.shape[1] / 2)
    assert evaluate("borda", yours, "euclidean", **settings).overall == ours
    assert ours.ceiling is None
    assert ours.welfare_ratio.ceiling is None
