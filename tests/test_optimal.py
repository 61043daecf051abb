"""The best rules and their ceiling, against brute force, calibration and printed values."""

import numpy as np
import pytest
import torch
from scipy.integrate import quad

import elect
from elect.cultures import Dirichlet, Impartial, culture
from elect.elections import Elections, Profiles
from elect.errors import ElectError
from elect.rules.ceiling import ceiling
from elect.rules.optimal import optimal_scoring, optimal_scoring_rule
from elect.rules.posterior import posterior_rule
from elect.welfares import WELFARES, judge, welfare

ASYMMETRIC = {
    "landslide": culture("landslide"),
    "skewed": culture("skewed"),
    "drawn": Dirichlet((0.4, 2.0, 6.0), draw=True),
    "vector": Dirichlet((0.3, 1.0, 4.5)),
}
PAPER = {
    "utilitarian": (0.693, 0.678, 0.699),
    "egalitarian": (0.682, 0.679, 0.589),
    "rawlsian": (0.396, 0.388, 0.400),
    "nash": (0.724, 0.709, 0.734),
}
SCORING = {"utilitarian": (0.693, 0.678, 0.699), "egalitarian": (0.663, 0.675, 0.519)}
SYMMETRIC = ("uniform", "polarized", "indecisive")


# ---------------------------------------------------------------------- the scoring vector


@pytest.mark.parametrize("candidates", [1, 2, 7, 29])
def test_the_integral_meets_the_closed_form(candidates):
    close = optimal_scoring(Dirichlet(1 + 1e-9), candidates)
    assert torch.allclose(close, optimal_scoring(Dirichlet(1.0), candidates), atol=1e-7)


@pytest.mark.parametrize("alpha", [0.05, 0.5, 2.0, 11.0])
def test_the_vector_is_the_mean_of_sorted_utilities(alpha):
    utilities = Dirichlet(alpha)(2000, 20, 6, seed=0).utilities.flatten(0, 1)
    drawn = utilities.sort(1, descending=True).values
    error = drawn.std(0) / len(drawn) ** 0.5
    vector = optimal_scoring(Dirichlet(alpha), 6)
    assert vector.sum().item() == pytest.approx(1)
    assert ((vector - drawn.mean(0)).abs() < 4 * error + 1e-9).all()


def test_the_rule_takes_the_vector_of_each_size():
    profiles = Profiles.concat(
        [Profiles.from_rankings([[0, 1], [1, 0], [0, 1]]), Profiles.from_rankings([[2, 0, 1]])]
    )
    scores = optimal_scoring_rule(Dirichlet(1.0))(profiles)
    assert scores[0].tolist() == pytest.approx([1.75, 1.25, -np.inf])
    assert scores[1].tolist() == pytest.approx([5 / 18, 2 / 18, 11 / 18])


def test_only_symmetric_cultures_have_a_vector():
    for other in (culture("landslide"), Impartial()):
        with pytest.raises(ElectError, match="symmetric"):
            optimal_scoring_rule(other)


# ---------------------------------------------------------------------- the posterior


RANKINGS = np.array([[2, 1, 0], [2, 0, 1]]), np.array([[2, 1, 0], [1, 2, 0]])


def by_rejection(source, rankings, function):
    """Welfare [sample, candidate] of all elections of a culture that have these rankings."""
    elections = source(100_000, 2, 3, seed=1)
    ranks = Profiles.from_rankings(rankings).ranks
    match = (elections.profiles.ranks == ranks).flatten(1).all(1)
    profiles = elections.profiles[match.nonzero()[:, 0]]
    return judge(function, Elections(profiles, elections.utilities[match]))


@pytest.mark.parametrize("name", [*ASYMMETRIC, "polarized", "small"])
@pytest.mark.parametrize("which", [0, 1])
def test_posterior_against_rejection(name, which):
    source = {**ASYMMETRIC, "small": Dirichlet(0.1)}.get(name) or culture(name)
    profiles = Profiles.from_rankings(RANKINGS[which])
    # Where alphas are drawn, one draw is much like the next.
    samples = 200_000 if source.draw else 20_000
    for spec in WELFARES:
        function = welfare(spec)
        kept = by_rejection(source, RANKINGS[which], function)
        assert len(kept) > 500
        expected, error = kept.mean(0), kept.std(0) / len(kept) ** 0.5
        mean = posterior_rule(source, function, samples=samples)(profiles)[0]
        assert ((mean - expected).abs() < 4.5 * error + 0.002 * expected).all(), spec
        chances = (kept == kept.amax(1, keepdim=True)).double().mean(0)
        share = posterior_rule(source, function, samples=samples, by="share")(profiles)[0]
        error = (chances * (1 - chances) / len(kept)).sqrt()
        assert ((share - chances).abs() < 4.5 * error + 0.005).all(), spec


def test_many_candidates_of_nearly_equal_alphas():
    # The chain on a grid must find what is known in closed form.
    source = Dirichlet(tuple(1 + 1e-9 * c for c in range(29)))
    rule = posterior_rule(source, welfare("utilitarian"), samples=2000)
    scores = rule(Profiles.from_rankings(np.arange(29)[None], weights=[20]))[0] / 20
    assert torch.allclose(scores, optimal_scoring(Dirichlet(1.0), 29), rtol=0.01, atol=2e-5)


@pytest.mark.parametrize("name", ["landslide", "skewed", "uniform"])
def test_the_posterior_is_calibrated(name):
    # What it says of the likeliest optimum must come true as often as it says.
    elections = culture(name)(400, (5, 30), (3, 12), seed=3)
    function = welfare("nash")
    rule = posterior_rule(culture(name), function, samples=200, by="share")
    claimed, winner = rule(elections.profiles).max(1)
    hits = (judge(function, elections).argmax(1) == winner).double()
    surprise = (claimed * (1 - claimed)).sum().sqrt() / len(hits)
    # Choosing among noisy shares flatters the choice a little.
    assert abs((claimed - hits).mean().item()) < 4 * surprise.item() + 0.01


def test_expected_utilitarian_welfare_is_optimal_scoring():
    profiles = Impartial()(20, (2, 9), (2, 6), seed=4).profiles
    for name in SYMMETRIC:
        expected = optimal_scoring_rule(culture(name))(profiles)
        scores = posterior_rule(culture(name), welfare("utilitarian"), samples=4000)(profiles)
        real = profiles.mask
        assert torch.allclose(scores[real], expected[real], atol=0.06)
        assert (scores[~real] == -torch.inf).all()


@pytest.mark.parametrize("name", ["uniform", "landslide", "skewed"])
def test_weights_are_voters_and_functions_are_welfares(name):
    merged = Profiles.from_rankings([[0, 1, 2], [2, 1, 0], [1, 0, 2]], weights=[2, 0, 1])
    single = Profiles.from_rankings([[0, 1, 2], [0, 1, 2], [1, 0, 2]])
    ours = posterior_rule(culture(name), welfare("rawlsian"), samples=50)
    yours = posterior_rule(culture(name), lambda u: u.amin(1), samples=50)
    assert torch.equal(ours(merged), ours(single))
    assert torch.allclose(ours(merged), yours(merged))


def test_a_seed_is_a_sample_whatever_the_threads():
    profiles = Impartial()(30, (2, 9), (2, 6), seed=5).profiles
    threads, scores = torch.get_num_threads(), []
    try:
        for count in (1, 3):
            torch.set_num_threads(count)
            scores.append(posterior_rule(culture("skewed"), welfare("nash"), samples=9)(profiles))
    finally:
        torch.set_num_threads(threads)
    assert torch.equal(*scores)


@pytest.mark.parametrize("ballots", [[[0, 1, 2], [0]], [[0, 1, 2], [[0, 1], 2]]])
def test_incomplete_ballots_are_refused(ballots):
    profiles = Profiles.from_rankings(ballots)
    for rule in (
        posterior_rule(culture("uniform"), welfare("nash")),
        optimal_scoring_rule(culture("uniform")),
    ):
        with pytest.raises(ElectError, match="ballots"):
            rule(profiles)


def test_faults_in_one_sentence():
    nash = welfare("nash")
    with pytest.raises(ElectError, match="Only Dirichlet"):
        posterior_rule(Impartial(), nash)
    with pytest.raises(ElectError, match="Only Dirichlet"):
        ceiling(culture("mallows:phi=0.5"), nash, 3, 3)
    with pytest.raises(ElectError, match="at least one sample"):
        posterior_rule(culture("uniform"), nash, samples=0)
    with pytest.raises(ElectError, match="'welfare' or by 'share'"):
        posterior_rule(culture("uniform"), nash, by="luck")
    with pytest.raises(ElectError, match="at least 2 elections"):
        ceiling(culture("uniform"), nash, 3, 3, elections=1)
    with pytest.raises(ElectError, match="one score"):
        ceiling(culture("uniform"), lambda u: u.sum(), 3, 3, elections=4)
    with pytest.raises(ElectError, match="alphas for 3"):
        posterior_rule(ASYMMETRIC["vector"], nash)(Profiles.from_rankings([[0, 1]]))


# ---------------------------------------------------------------------- the ceiling


def test_one_voter_has_nothing_to_hide():
    for name in WELFARES:
        result = ceiling(culture("landslide"), welfare(name), 1, (1, 9), elections=20, samples=8)
        assert (result.accuracy, result.welfare_ratio) == (1, 1)
        assert (result.accuracy_error, result.welfare_ratio_error) == (0, 0)


def test_two_voters_two_candidates_by_hand():
    # Half of the time the two agree. Else utilities a and 1 - b against 1 - a and b, with a and b
    # uniform above ½, are anyone's: right half of the time, and else short by |a - b| = d.
    lost, _ = quad(lambda d: (1 - d) / (1 + d) * 8 * (0.5 - d), 0, 0.5)
    result = ceiling(culture("uniform"), welfare("utilitarian"), 2, 2, elections=2000, samples=64)
    assert result.accuracy == pytest.approx(0.75, abs=4 * result.accuracy_error)
    ratio = 0.5 + 0.5 * (1 + lost) / 2
    assert result.welfare_ratio == pytest.approx(ratio, abs=4 * result.welfare_ratio_error)


@pytest.mark.parametrize("name", WELFARES)
def test_ceilings_roughly(name):
    for source, expected in zip(SYMMETRIC, PAPER[name], strict=True):
        result = ceiling(
            culture(source), welfare(name), (2, 99), (2, 29), elections=300, samples=128
        )
        assert result.accuracy == pytest.approx(expected, abs=4 * result.accuracy_error + 0.01)


def test_ceiling_of_your_own_welfare_and_progress():
    seen = []
    sizes = {"voters": (2, 20), "candidates": (2, 9), "elections": 40, "samples": 64}
    ours = ceiling(culture("polarized"), welfare("nash"), **sizes)
    yours = ceiling(
        culture("polarized"), lambda u: u.log().mean(1).exp(), **sizes, progress=seen.append
    )
    assert ours.accuracy == pytest.approx(yours.accuracy)
    assert ours.welfare_ratio == pytest.approx(yours.welfare_ratio)
    assert seen[-1] == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", PAPER)
def test_ceilings_at_full_length(name):
    for source, expected in zip(SYMMETRIC, PAPER[name], strict=True):
        result = ceiling(culture(source), welfare(name), (2, 99), (2, 29))
        assert result.accuracy_error <= 0.003
        # Either value has a standard error of 0.003.
        assert result.accuracy == pytest.approx(expected, abs=0.011)


@pytest.mark.slow
def test_optimal_scoring_at_full_length():
    for number, source in enumerate(SYMMETRIC):
        batches = [culture(source)(2500, (2, 99), (2, 29), seed=seed) for seed in range(8)]
        rule = optimal_scoring_rule(culture(source))
        for name, expected in SCORING.items():
            hits = [
                judge(welfare(name), batch).argmax(1) == rule(batch.profiles).argmax(1)
                for batch in batches
            ]
            accuracy = torch.cat(hits).double().mean().item()
            assert accuracy == pytest.approx(expected[number], abs=0.012)


def test_names_do_for_cultures_and_welfares():
    sizes = {"voters": 5, "candidates": 3, "elections": 8, "samples": 8}
    named = elect.ceiling("uniform", "utilitarian", **sizes)
    assert named == elect.ceiling(culture("uniform"), welfare("utilitarian"), **sizes)
    with pytest.raises(ElectError, match="choose one of uniform, polarized"):
        elect.ceiling("mallows:phi=0.5", "utilitarian")
