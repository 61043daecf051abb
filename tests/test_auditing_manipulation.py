"""What misreporting is worth: against brute force, pref_voting, and published figures."""

from itertools import permutations

import numpy as np
import pytest

import elect
from elect.auditing.manipulation import (
    COMPROMISE_AND_BURY,
    EVERY_MISREPORT,
    best_gains,
    hand_out,
    manipulability,
    misreports,
)
from elect.auditing.published import PUBLISHED, compare_with_published
from elect.auditing.subject import winners_of
from elect.elections import Elections, Profiles
from elect.kernels import UNRANKED
from elect.rules import winners
from profiles import for_pref_voting


def expected_utility(rule, ballots, utility):
    won = winners(rule, Profiles.from_rankings(np.array(ballots)))[0].numpy()
    return utility[: len(won)][won].mean()


@pytest.mark.parametrize("rule", ["borda", "instant_runoff"])
def test_gains_are_those_of_brute_force(rule):
    for size in (3, 4):
        drawn = elect.culture("uniform")(4, 5, size, seed=size)
        utilities = drawn.utilities.numpy()
        gains = best_gains(winners_of(rule), drawn.profiles, utilities)
        for b in range(len(drawn)):
            ballots = [[tier[0] for tier in tiers] for _, tiers in drawn.profiles.ballots(b)]
            for v in range(5):
                value = utilities[b, v]
                honest = expected_utility(rule, ballots, value)
                best = max(
                    expected_utility(rule, [*ballots[:v], list(lie), *ballots[v + 1 :]], value)
                    for lie in permutations(range(size))
                )
                assert gains[b, v] == pytest.approx((best - honest) / np.ptp(value))


def test_voters_of_equal_ballots_may_gain_differently():
    profile = Profiles.from_rankings([[0, 1, 2], [0, 1, 2], [1, 2, 0], [2, 1, 0], [2, 1, 0]])
    utilities = np.array([[[1, 0.9, 0], [1, 0.1, 0], [0, 1, 0.5], [0, 0.5, 1], [0, 0.5, 1.0]]])
    gains = best_gains(winners_of("plurality"), profile, utilities)
    # 0 and 2 tie; for the first voter 1 would do, but one vote alone does not elect it.
    assert gains.shape == (1, 5)
    assert gains[0, 2] == pytest.approx(0.25)
    assert gains[0, 0] == gains[0, 1] == 0


@pytest.mark.parametrize("name", ["plurality", "borda", "maximin"])
def test_published_gains_of_an_ideal_manipulator(name):
    """Six candidates, ten voters: the mean within the noise of the two samples."""
    drawn = elect.culture("impartial")(250, 10, 6, seed=1)
    found = manipulability(winners_of(name), drawn, every=6, example=False)
    assert found.misreports == EVERY_MISREPORT
    assert found.gain.value == pytest.approx(PUBLISHED[name][0][0], abs=0.012)
    quick = manipulability(winners_of(name), drawn, example=False)
    assert quick.misreports == COMPROMISE_AND_BURY
    assert 0.8 * found.gain.value <= quick.gain.value <= found.gain.value


def test_compromise_and_bury():
    truth = np.array([[0, 1, 2, 3, 4, 5]], np.int16)
    tried = {tuple(row) for row in misreports(truth, 6, every=5)[0].tolist()}
    assert tuple(truth[0]) in tried
    assert (1, 2, 3, 0, 4, 5) in tried  # candidate 3 to the top
    assert (5, 0, 1, 2, 3, 4) in tried  # candidate 0 to the bottom
    assert (5, 0, 2, 1, 3, 4) not in tried
    assert (5, 1, 2, 0, 3, 4) in tried  # both
    assert len(tried) == 6 * 5  # each at the top with each other at the bottom
    # On a truncated ballot whoever is buried is left out too.
    weak = np.array([[0, 1, UNRANKED, UNRANKED, UNRANKED, UNRANKED]], np.int16)
    tried = {tuple(row) for row in misreports(weak, 6, every=5)[0].tolist()}
    assert (0, *[UNRANKED] * 5) in tried
    assert (1, 2, 0, *[UNRANKED] * 3) in tried


def test_utilities_fit_the_ballots():
    profile = Profiles.from_rankings([[0, 1, 2], [2, [0, 1]], [1]], num_candidates=3)
    utilities = hand_out(profile, np.random.default_rng(0))[0]
    assert utilities[0, 0] > utilities[0, 1] > utilities[0, 2]
    assert utilities[1, 2] > utilities[1, 0] == utilities[1, 1]
    assert utilities[2, 1] > utilities[2, 0] == utilities[2, 2]
    assert ((utilities > 0) & (utilities < 1)).all()


def test_a_dictatorship_cannot_be_manipulated():
    def dictator(profiles):
        return -profiles.ranks[:, 0].double()

    drawn = elect.culture("uniform")(100, (2, 9), (3, 5), seed=0)
    found = manipulability(winners_of(dictator), drawn)
    assert found.elections.value == found.gain.value == 0
    assert found.gain_if_any is None
    assert found.example is None
    assert found.utilities == "of the culture"


def test_the_example_is_one():
    drawn = elect.culture("impartial")(100, (2, 9), (3, 5), seed=0)
    found = manipulability(winners_of("borda"), drawn)
    example = found.example
    assert set(example.elections) == {"before", "after"}
    assert (example.voters, example.candidates) == (3, 3)
    from pref_voting.voting_methods import borda

    for label, election in example.elections.items():
        elected = [election.labels[c] for c in borda(for_pref_voting(election))]
        assert elected == example.winners[label]


def test_beside_what_is_published():
    known = compare_with_published(elect.rule("minimax"), winners_of("maximin"), 10**5, 0)
    assert known.ideal == (0.0336, 0.0304)
    assert known.ours.misreports == COMPROMISE_AND_BURY

    def borda(profiles):
        return elect.rule("borda")(profiles)

    unknown = compare_with_published(borda, winners_of(borda), 10**5, 0)
    assert (unknown.ideal, unknown.learned) == (None, None)

    def up_to_five(profiles):
        if profiles.ranks.shape[2] > 5:
            raise elect.ElectError("Too many.")
        return elect.rule("borda")(profiles)

    assert compare_with_published(up_to_five, winners_of(up_to_five), 10**5, 0) is None


def test_one_voter_alone_has_nothing_to_gain():
    profile = Profiles.from_rankings([[2, 0, 1]])
    found = manipulability(winners_of("borda"), Elections(profile))
    assert found.elections.value == 0
