"""Cultures: each sampler against its known distribution, and what all have in common."""

from collections import Counter
from itertools import permutations, product
from math import factorial, prod

import numpy as np
import pytest
import torch
from prefsampling.ordinal import EuclideanSpace, euclidean, mallows
from prefsampling.ordinal.mallows import phi_from_norm_phi
from scipy import stats

import elect
from elect.cultures import (
    CULTURES,
    Dirichlet,
    Euclidean,
    Impartial,
    ImpartialAnonymous,
    Mallows,
    PlackettLuce,
    Resample,
    Urn,
    culture,
    posterior_of,
    prefsampling_names,
)
from elect.cultures.ordinal import expected_swaps, phi_of_norm
from elect.elections import UNRANKED, Profiles
from elect.errors import ElectError

SPECS = [
    "uniform",
    "polarized",
    "indecisive",
    "landslide",
    "skewed",
    "dirichlet:alpha=0.7",
    "dirichlet:alpha=0.05",
    "impartial",
    "mallows:phi=0.5",
    "mallows:phi=0.5,norm=true",
    "mallows:phi=0",
    "urn:alpha=0.3",
    "plackett_luce",
    "euclidean:dimension=3",
    "euclidean:dimension=1,space=gaussian",
    "single_peaked_walsh",
    "group_separable:tree_sampler=caterpillar",
    "stratification:weight=0.5",
]
RANKINGS = list(permutations(range(3)))


def rankings_of(elections):
    """Rankings, best first, [batch, ballot, place], of complete elections of one size."""
    return elections.profiles.ranks.long().argsort(2).numpy()


def fits(counts, expected):
    """Whether counts are as expected, by a chi-square test at the 0.1 % level."""
    counts, expected = np.asarray(counts, float), np.asarray(expected, float)
    return stats.chisquare(counts, expected / expected.sum() * counts.sum()).pvalue > 0.001


def counts_of(rankings, universe=RANKINGS):
    seen = Counter(map(tuple, rankings.reshape(-1, rankings.shape[-1]).tolist()))
    return [seen[ranking] for ranking in universe]


def swaps(ranking, center):
    place = {c: p for p, c in enumerate(center)}
    return sum(place[a] > place[b] for i, a in enumerate(ranking) for b in ranking[i + 1 :])


# ---------------------------------------------------------------------- what all have in common


@pytest.mark.parametrize("spec", SPECS)
def test_ballots_are_complete_and_padded(spec):
    elections = culture(spec)(40, (2, 9), (2, 6), seed=3)
    profiles = elections.profiles
    assert len(elections) == 40
    assert set(profiles.num_voters.tolist()) <= set(range(2, 10))
    assert len(set(profiles.num_voters.tolist())) > 4
    assert set(profiles.num_candidates.tolist()) == set(range(2, 7))
    for ranks, weights, m in zip(
        profiles.ranks, profiles.weights.tolist(), profiles.num_candidates.tolist(), strict=True
    ):
        n = sum(weights)
        assert weights == [1] * n + [0] * (len(weights) - n)
        assert (ranks[:n, :m].sort(1).values == torch.arange(m)).all()
        assert (ranks[:, m:] == UNRANKED).all()
        assert (ranks[n:] == UNRANKED).all()
    assert profiles.complete.all()
    assert Profiles.concat([profiles]).complete.all()


@pytest.mark.parametrize("spec", SPECS[:7] + SPECS[13:15])
def test_utilities_agree_with_ranks(spec):
    elections = culture(spec)(30, (2, 9), (2, 6), seed=4)
    utilities, profiles = elections.utilities, elections.profiles
    real = (profiles.weights[:, :, None] > 0) & profiles.mask[:, None]
    assert (utilities >= 0).all()
    assert (utilities[~real] == 0).all()
    ranks = profiles.ranks.long()
    above = (ranks[:, :, :, None] < ranks[:, :, None]) & real[:, :, :, None] & real[:, :, None]
    assert (utilities[:, :, :, None] >= utilities[:, :, None])[above].all()


@pytest.mark.parametrize("spec", SPECS)
def test_a_seed_is_a_sample_whatever_the_threads(spec):
    size = 600 if spec in SPECS[:15] else 5
    threads, samples = torch.get_num_threads(), []
    try:
        for count in (1, 3):
            torch.set_num_threads(count)
            samples.append(culture(spec)(size, (1, 5), (2, 4), seed=7))
    finally:
        torch.set_num_threads(threads)
    first, second = samples
    assert torch.equal(first.profiles.ranks, second.profiles.ranks)
    assert torch.equal(first.profiles.weights, second.profiles.weights)
    if first.utilities is not None:
        assert torch.equal(first.utilities, second.utilities)
    other = culture(spec)(size, (1, 5), (2, 4), seed=8)
    assert not torch.equal(first.profiles.num_voters, other.profiles.num_voters)


def test_a_generator_goes_on():
    rng = np.random.default_rng(0)
    first, second = (Impartial()(1, 50, 5, seed=rng).profiles.ranks for _ in range(2))
    assert not torch.equal(first, second)


def test_one_voter_and_one_candidate():
    for spec in SPECS[:15]:
        assert culture(spec)(2, 1, 1, seed=0).profiles.ranks.tolist() == [[[0]], [[0]]]


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("unifrom", "did you mean 'uniform'"),
        ("single_peeked_walsh", "did you mean 'single_peaked_walsh'"),
        ("mallows", "needs phi"),
        ("mallows:phi=1.5", "between 0 and 1"),
        ("mallows:phi=nan", "between 0 and 1"),
        ("mallows:phi=high", "must be a number"),
        ("dirichlet:alpha=0", "above 0"),
        ("dirichlet:alpha=1/-2", "above 0"),
        ("dirichlet:alpha=nan", "above 0"),
        ("dirichlet:alpha=2,draw=true", "several"),
        ("dirichlet:alpha=2/1,favourite=3", "one alpha"),
        ("urn:alpha=-1", "at least 0"),
        ("plackett_luce:strengths=1/0", "above 0"),
        ("euclidean:dimension=0", "dimensions"),
        ("euclidean:space=ball", "'cube' or 'gaussian'"),
        ("uniform:alpha=2", "no setting"),
        ("stratification", "needs weight"),
        ("single_crossing:phi=1", "no setting"),
    ],
)
def test_faults_in_one_sentence(spec, words):
    with pytest.raises(ElectError, match=words) as caught:
        culture(spec)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ((1, 0, 3), "voters"),
        ((1, (5, 2), 3), "upwards"),
        ((1, 3, 0), "candidates"),
        ((1, 3, (0, 2)), "candidates"),
        ((1, 2.5, 3), "whole number"),
        ((1, 3, (1, 2, 3)), "range"),
        ((0, 3, 3), "at least one election"),
        ((1, 3, 40_000), "more than"),
    ],
)
def test_bad_sizes(sizes, words):
    with pytest.raises(ElectError, match=words):
        Impartial()(*sizes, seed=0)


def test_a_vector_fixes_the_number_of_candidates():
    for spec in ("dirichlet:alpha=1/2/3", "plackett_luce:strengths=1/2/3"):
        assert culture(spec)(2, 3, 3, seed=0).profiles.num_candidates.tolist() == [3, 3]
        with pytest.raises(ElectError, match="3 candidates"):
            culture(spec)(2, 3, 4, seed=0)


def test_prefsampling_reports_its_own_faults():
    with pytest.raises(ElectError, match="prefsampling"):
        culture("stratification:weight=7")(1, 3, 3, seed=0)
    with pytest.raises(ElectError, match="caterpillar"):
        culture("group_separable:tree_sampler=oak")(1, 3, 3, seed=0)


def test_every_culture_says_what_it_is():
    for make in CULTURES.values():
        assert (make.__doc__ or "").strip()
    assert "single_peaked_conitzer" in prefsampling_names()


def test_records_tell_the_truth():
    settings = {"mallows": {"phi": 0.5}, "urn": {"alpha": 0.1}}
    for name, record in CULTURES.items():
        made = culture(name, **settings.get(name, {}))
        assert (made(2, 3, 3).utilities is not None) == record.utilities
        assert (posterior_of(made) is not None) == record.posterior
        assert record.name == name
        assert record.lay


def test_names_that_people_know():
    assert culture("IC") == culture("impartial_culture") == Impartial()
    assert culture("IAC") == culture("Impartial Anonymous Culture") == ImpartialAnonymous()
    assert culture("Mallows", phi=0.5) == culture("mallows:phi=0.5") == Mallows(0.5)
    assert culture("single_peaked_walsh") == culture("Single-Peaked-Walsh")
    mine = Urn(0.3)
    assert culture(mine) is mine


@pytest.mark.parametrize(
    ("spec", "settings", "words"),
    [
        ("mallows", {"psi": 1}, "no setting 'psi'"),
        ("mallows", {}, "needs phi"),
        (Impartial(), {"phi": 1}, "give the name instead"),
        ("IC+urn", {"alpha": 1}, "into its names"),
    ],
)
def test_faulty_settings(spec, settings, words):
    with pytest.raises(ElectError, match=words):
        culture(spec, **settings)


def test_sampling_in_one_call():
    once = elect.sample("IC", 5, 3, 4)
    again = culture("impartial")(elections=4, voters=5, candidates=3)
    assert once.profiles.ranks.equal(again.profiles.ranks)
    assert once.profiles.ranks.equal(elect.sample(Impartial(), 5, 3, 4, seed=0).profiles.ranks)
    assert not once.profiles.ranks.equal(elect.sample("IC", 5, 3, 4, seed=1).profiles.ranks)


# ---------------------------------------------------------------------- distributions


def test_impartial_anonymous_makes_all_multisets_equally_likely():
    drawn = rankings_of(culture("IAC")(7000, 3, 2, seed=5))
    ahead = (drawn[:, :, 0] == 0).sum(1)
    assert fits(np.bincount(ahead, minlength=4), [1, 1, 1, 1])


@pytest.mark.parametrize("alpha", [0.05, 0.5, 0.7, 1.0, 2.0, 4.3])
def test_dirichlet_moments_and_impartial_rankings(alpha):
    elections = Dirichlet(alpha)(3000, 4, 3, seed=5)
    utilities = elections.utilities.flatten(0, 1)
    assert torch.allclose(utilities.sum(1), torch.ones(1, dtype=torch.float64))
    marginal = stats.beta(alpha, 2 * alpha)
    for c in range(3):
        assert utilities[:, c].mean() == pytest.approx(1 / 3, abs=0.015)
        assert utilities[:, c].var() == pytest.approx(marginal.var(), rel=0.06)
    if alpha > 0.1:
        assert stats.kstest(utilities[:, 0].numpy(), marginal.cdf).pvalue > 0.001
    assert fits(counts_of(rankings_of(elections)), np.ones(6))


def test_dirichlet_with_its_own_alphas():
    alphas = (0.2, 3.0, 5.5)
    utilities = Dirichlet(alphas)(4000, 3, 3, seed=6).utilities.flatten(0, 1).numpy()
    for c, alpha in enumerate(alphas):
        marginal = stats.beta(alpha, sum(alphas) - alpha)
        assert stats.kstest(utilities[:, c], marginal.cdf).pvalue > 0.001


def test_landslide_has_one_favourite_who_may_be_anyone():
    means = culture("landslide")(2000, 400, 5, seed=7).utilities.mean(1)
    favourites = means.argmax(1)
    assert means.max(1).values.mean() == pytest.approx(3 / 7, abs=0.003)
    assert fits(torch.bincount(favourites, minlength=5), np.ones(5))


def test_skewed_draws_every_alpha():
    means = culture("skewed")(3000, 600, 2, seed=8).utilities.mean(1)[:, 0]
    # Of two candidates, alphas are alike half of the time; else 2 to 3 or 3 to 2.
    shares = [(means - share).abs().lt(0.04).sum().item() for share in (2 / 5, 1 / 2, 3 / 5)]
    assert sum(shares) == 3000
    assert fits(shares, [1, 2, 1])


def test_impartial_rankings_are_uniform():
    rankings = rankings_of(Impartial()(500, 20, 4, seed=9))
    assert fits(counts_of(rankings, list(permutations(range(4)))), np.ones(24))


@pytest.mark.parametrize("phi", [0.1, 0.5, 0.9])
def test_mallows_against_its_probabilities(phi):
    # The center is not shown, but the mean over centers of the chance of a pair of ballots is.
    rankings = rankings_of(Mallows(phi)(20_000, 2, 3, seed=10))
    expected = np.zeros((6, 6))
    for center in RANKINGS:
        chances = np.array([phi ** swaps(ranking, center) for ranking in RANKINGS])
        chances /= chances.sum()
        expected += np.outer(chances, chances) / 6
    number = {ranking: i for i, ranking in enumerate(RANKINGS)}
    counts = np.zeros((6, 6))
    for first, second in rankings.tolist():
        counts[number[tuple(first)], number[tuple(second)]] += 1
    assert fits(counts.ravel(), expected.ravel())


def test_mallows_extremes():
    agreed = Mallows(0.0)(20, 9, 6, seed=0).profiles.ranks
    assert (agreed == agreed[:, :1]).all()
    assert fits(counts_of(rankings_of(Mallows(1.0)(500, 10, 3, seed=1))), np.ones(6))


@pytest.mark.parametrize("candidates", [2, 5, 17])
def test_norm_phi(candidates):
    for norm in (0.2, 0.7):
        phi = phi_of_norm(norm, candidates)
        assert phi == pytest.approx(phi_from_norm_phi(candidates, norm), abs=1e-4)
        assert expected_swaps(phi, candidates) == pytest.approx(
            norm * candidates * (candidates - 1) / 4
        )
    theirs = np.array(mallows(4000, candidates, 0.5, normalise_phi=True, seed=1))
    ours = rankings_of(Mallows(0.5, norm=True)(4000, 2, candidates, seed=2))
    # Two ballots of one center differ as two of theirs do.
    distances = [
        [swaps(a, b) for a, b in pairs]
        for pairs in (ours.tolist(), theirs.reshape(2000, 2, candidates).tolist())
    ]
    assert stats.ks_2samp(*distances).pvalue > 0.001


@pytest.mark.parametrize("alpha", [0.1, 1.0])
def test_urn_against_its_probabilities(alpha):
    rankings = rankings_of(Urn(alpha)(20_000, 3, 2, seed=11))
    firsts = Counter(map(tuple, rankings[:, :, 0].tolist()))
    copies = alpha * factorial(2)

    def chance(profile):
        # A profile's chance: each ballot has 1 ball and `copies` more for each earlier one.
        own = [1 + copies * profile[:v].count(one) for v, one in enumerate(profile)]
        return prod(own) / prod(2 + copies * v for v in range(3))

    profiles = list(product(range(2), repeat=3))
    assert sum(map(chance, profiles)) == pytest.approx(1)
    assert fits([firsts[p] for p in profiles], [chance(p) for p in profiles])


def test_urn_copies_far_back():
    ranks = Urn(1e9)(50, 30, 8, seed=12).profiles.ranks
    assert (ranks == ranks[:, :1]).all()


def test_plackett_luce_against_its_probabilities():
    strengths = (0.5, 3.0, 1.0)
    chances = [
        prod(strengths[c] / sum(strengths[d] for d in ranking[i:]) for i, c in enumerate(ranking))
        for ranking in RANKINGS
    ]
    assert fits(counts_of(rankings_of(PlackettLuce(strengths)(2000, 10, 3, seed=13))), chances)


def test_plackett_luce_draws_flat_strengths():
    # Of two candidates with flat strengths, the first's share of first places is uniform.
    ranks = PlackettLuce()(2000, 400, 2, seed=14).profiles.ranks
    shares = (ranks[:, :, 0] == 0).double().mean(1)
    assert stats.kstest(shares.numpy(), stats.uniform.cdf).pvalue > 0.001


@pytest.mark.parametrize(
    ("space", "theirs"),
    [("cube", EuclideanSpace.UNIFORM_CUBE), ("gaussian", EuclideanSpace.UNBOUNDED_GAUSSIAN)],
)
def test_euclidean_against_prefsampling(space, theirs):
    def agreement(rankings):
        """How often two voters have the same favourite, and the same ranking."""
        first, second = rankings[:, 0], rankings[:, 1]
        return (first[:, 0] == second[:, 0]).mean(), (first == second).all(1).mean()

    ours = rankings_of(Euclidean(2, space)(20_000, 2, 4, seed=15))
    other = np.array([euclidean(2, 4, 2, theirs, theirs, seed=np.random.default_rng(s))
                      for s in range(3000)])  # fmt: skip
    assert agreement(ours) == pytest.approx(agreement(other), abs=0.03)


def test_euclidean_utilities_are_linear_in_distance():
    utilities = Euclidean(1)(100, 5, 4, seed=16).utilities
    assert utilities.amin((1, 2)).abs().max() < 1e-12
    assert utilities.max() < 1
    # On a line, distances to two candidates differ by no more than these are apart.
    spread = (utilities[:, :, 0] - utilities[:, :, 1]).abs()
    assert (spread.max(1).values < 1).all()


# ---------------------------------------------------------------------- a profile one has


PROFILE = Profiles.from_rankings(
    [["Ann", "Ben", "Cleo"], ["Ben", "Cleo"], [["Cleo", "Ann"], "Ben"]], weights=[6, 3, 1]
)


def test_resample_draws_ballots_by_weight():
    elections = Resample(PROFILE)(300, 20, seed=17)
    assert elections.profiles.names == ("Ann", "Ben", "Cleo")
    ranks = elections.profiles.ranks.flatten(0, 1).tolist()
    counts = [ranks.count(ballot) for ballot in PROFILE.ranks[0].tolist()]
    assert sum(counts) == 6000
    assert fits(counts, [6, 3, 1])
    assert elections.profiles.truncated.any()


def test_resample_without_replacement_is_a_part():
    whole = Resample(PROFILE, replace=False)(4, 10, seed=18).profiles
    assert torch.equal(whole.support, PROFILE.support.expand(4, 3, 3))
    with pytest.raises(ElectError, match="without replacement"):
        Resample(PROFILE, replace=False)(1, 11, seed=0)


def test_resample_some_candidates():
    elections = Resample(PROFILE)(200, (2, 5), (1, 3), seed=19)
    profiles = elections.profiles
    assert set(profiles.num_candidates.tolist()) == {1, 2, 3}
    assert profiles.names is None
    first = Resample(PROFILE[0])(300, 1, 2, seed=20).profiles
    expected = {
        ballot
        for kept in ([0, 1], [0, 2], [1, 2])
        for ballot in map(tuple, PROFILE.only(kept).ranks[0].tolist())
    }
    assert set(map(tuple, first.ranks[:, 0].tolist())) == expected
    with pytest.raises(ElectError, match="4 candidates"):
        Resample(PROFILE)(1, 2, 4, seed=0)


def test_resample_wants_one_election():
    with pytest.raises(ElectError, match="one election"):
        Resample(Profiles.concat([PROFILE, PROFILE]))


def test_spread_goes_from_impartial_to_agreement():
    def agreement(spread):
        profiles = culture(f"plackett_luce:spread={spread}")(400, 30, 4, seed=1).profiles
        return profiles.margins.abs().double().mean().item() / 30

    assert agreement("0") < agreement("1") < agreement("6")
    assert agreement("0") < agreement("0/6") < agreement("6")
    impartial = culture("impartial")(400, 30, 4, seed=1).profiles.margins.abs().double().mean()
    assert agreement("0") == pytest.approx(impartial.item() / 30, rel=0.05)
    for wrong in ("-1", "3/1", "17"):
        with pytest.raises(ElectError, match="spread"):
            culture(f"plackett_luce:spread={wrong}")


def test_a_mixture_has_elections_of_all_its_kinds():
    mixture = culture("impartial+mallows:phi=0+single-peaked-walsh")
    drawn = mixture(600, (5, 30), (3, 6), seed=2)
    assert drawn.utilities is None
    assert drawn.profiles.complete.all()
    assert set(drawn.profiles.num_candidates.tolist()) == {3, 4, 5, 6}
    n = drawn.profiles.num_voters
    assert (n.min(), n.max()) == (5, 30)
    unanimous = (drawn.profiles.margins.abs().amin((1, 2)) == 0) & (
        drawn.profiles.margins.abs().amax((1, 2)) == n
    )
    lone = [len(one.merged().weights[0]) == 1 for one in (drawn.profiles[b] for b in range(600))]
    assert sum(lone) / 600 == pytest.approx(1 / 3, abs=0.07)
    assert unanimous[torch.tensor(lone)].all()
    again = mixture(600, (5, 30), (3, 6), seed=2)
    assert torch.equal(drawn.profiles.ranks, again.profiles.ranks)


def test_a_mixture_of_cultures_with_utilities_has_utilities():
    drawn = culture("uniform + polarized")(50, (2, 9), (2, 5), seed=3)
    assert drawn.utilities is not None
    sums = drawn.utilities.sum(2)[drawn.profiles.weights > 0]
    assert torch.allclose(sums, torch.ones_like(sums))
    with pytest.raises(ElectError, match="no culture named 'nonsense'"):
        culture("uniform+nonsense")
