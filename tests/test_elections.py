"""Profiles: what goes in comes out, counts are right, and faults are named."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import torch
from pandas import DataFrame
from pref_voting.profiles import Profile
from pref_voting.profiles_with_ties import ProfileWithTies

import elect
from elect.elections import Elections, Profiles
from elect.errors import ElectError
from elect.kernels import UNRANKED
from profiles import for_pref_voting, random_profile, weak_profile


def brute_support(profiles: Profiles, b: int) -> list[list[int]]:
    """Counted ballot by ballot in plain Python."""
    size = profiles.ranks.shape[2]
    counts = [[0] * size for _ in range(size)]
    for weight, tiers in profiles.ballots(b):
        place = {c: i for i, tier in enumerate(tiers) for c in tier}
        for x in range(int(profiles.num_candidates[b])):
            for y in range(int(profiles.num_candidates[b])):
                counts[x][y] += weight * (place.get(x, 999) < place.get(y, 999))
    return counts


@pytest.mark.parametrize("make", [random_profile, weak_profile])
def test_support_places_and_duels_by_hand(make) -> None:
    rng = np.random.default_rng(0)
    batch = Profiles.concat(
        [make(rng, int(rng.integers(1, 30)), int(rng.integers(1, 7))) for _ in range(60)]
    )
    for profiles in (batch, batch.merged(), batch.single()):
        for b in range(len(profiles)):
            assert profiles.support[b].tolist() == brute_support(profiles, b)
            m = int(profiles.num_candidates[b])
            margins = profiles.margins[b, :m, :m]
            assert profiles.duels.wins[b, :m].tolist() == (margins > 0).sum(1).tolist()
            assert profiles.duels.ties[b, :m].tolist() == ((margins == 0).sum(1) - 1).tolist()
            rivals = [margins[i][torch.arange(m) != i] for i in range(m)]
            worst = [int(row.min()) if len(row) else 0 for row in rivals]
            assert profiles.duels.worst[b, :m].tolist() == worst
            for c in range(m):
                for k in range(m):
                    ranked = profiles.ranks[b, :, c] == k
                    assert profiles.places[b, c, k] == profiles.weights[b][ranked].sum()


def test_more_ballots_than_sixteen_bits_can_count() -> None:
    ranks = torch.zeros(1, 70_000, 2, dtype=torch.int16)
    ranks[:, :, 1] = 1
    profiles = Profiles(ranks, torch.ones(1, 70_000, dtype=torch.int64), torch.tensor([2]))
    assert profiles.support[0].tolist() == [[0, 70_000], [0, 0]]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.int64])
def test_rankings_of_any_integer_type(dtype: type) -> None:
    rankings = np.argsort(np.random.default_rng(1).random((5, 9, 6)), -1)
    profiles = Profiles.from_rankings(rankings.astype(dtype))
    assert profiles.ranks.tolist() == np.argsort(rankings, -1).tolist()
    assert bool(profiles.complete.all())
    assert torch.equal(Profiles.from_rankings(torch.from_numpy(rankings)).ranks, profiles.ranks)


def test_many_candidates() -> None:
    rankings = np.argsort(np.random.default_rng(2).random((1, 4, 200)), -1)
    profiles = Profiles.from_rankings(rankings)
    assert profiles.ranks.tolist() == np.argsort(rankings, -1).tolist()
    assert bool(profiles.complete.all())


def test_truncated_rankings_and_mixed_sizes_as_an_array() -> None:
    rankings = np.array([[[2, 0, 1], [1, -1, -1]], [[1, 0, -1], [0, 1, -1]]])
    profiles = Profiles.from_rankings(rankings, num_candidates=[3, 2])
    assert profiles.ballots(0) == [(1, [[2], [0], [1]]), (1, [[1]])]
    assert profiles.truncated.tolist() == [True, False]
    assert profiles.tied.tolist() == [False, False]
    assert profiles.mask.tolist() == [[True] * 3, [True, True, False]]


def test_all_ways_of_building_agree() -> None:
    utilities = [[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]]
    built = Profiles.from_utilities(utilities, weights=[2, 3])
    assert torch.equal(built.ranks, Profiles.from_ranks([[1, 2, 3], [2, 2, 1]]).ranks)
    listed = Profiles.from_rankings([["a", "b", "c"], ["c", ["a", "b"]]], weights=[2, 3])
    assert torch.equal(built.ranks, listed.ranks)
    assert listed.names == ("a", "b", "c")
    assert built.ranks[0].tolist() == [[0, 1, 2], [1, 1, 0]]


def test_pref_voting_profiles_there_and_back() -> None:
    rng = np.random.default_rng(3)
    for weak, make in ((False, random_profile), (True, weak_profile)):
        for _ in range(20):
            profiles = make(rng, 7, 4)
            back = Profiles.from_pref_voting(for_pref_voting(profiles, weak=weak))
            assert torch.equal(back.support, profiles.support)
            assert torch.equal(back.truncated, profiles.truncated)


def test_merging_keeps_the_election_and_single_undoes_it() -> None:
    profile = Profiles.from_rankings([[0, 1], [1, 0], [0, 1]], weights=[2, 1, 3])
    merged = profile.merged()
    assert sorted(merged.ballots()) == [(1, [[1], [0]]), (5, [[0], [1]])]
    assert merged.single().ranks.shape[1] == 6
    assert torch.equal(merged.single().margins, profile.margins)


def test_choosing_elections_and_candidates() -> None:
    rng = np.random.default_rng(4)
    batch = Profiles.concat([random_profile(rng, n, 4) for n in (3, 5, 8)])
    assert repr(batch) == "3 elections, 4 candidates, 3 to 8 voters"
    assert torch.equal(batch[1].support, batch.support[1:2])
    assert torch.equal(batch[-2:].support, batch.support[1:])
    assert torch.equal(batch[batch.num_voters > 4].support, batch.support[1:])
    fewer = batch.only([3, 1])
    assert torch.equal(fewer.support, batch.support[:, [3, 1]][:, :, [3, 1]])
    assert batch.to("cpu").num_voters.tolist() == [3, 5, 8]
    assert len(Elections(batch)) == 3
    with pytest.raises(IndexError, match="no election 3"):
        batch[3]


def test_names_survive_where_they_agree() -> None:
    one = Profiles.from_rankings([["x", "y"]])
    assert Profiles.concat([one, one]).names == ("x", "y")
    assert Profiles.concat([one, Profiles.from_rankings([["p", "q"]])]).names is None
    assert one.only([1]).names == ("y",)
    assert Profiles.from_rankings([[0, 1]]).labels == ("0", "1")


def test_left_out_candidates_share_the_last_rank() -> None:
    profile = Profiles.from_rankings([[2]], num_candidates=3)
    assert profile.ranks[0, 0].tolist() == [UNRANKED, UNRANKED, 0]
    assert profile.margins[0].tolist() == [[0, 0, -1], [0, 0, -1], [1, 1, 0]]


@pytest.mark.parametrize(
    ("build", "fault"),
    [
        (lambda: Profiles.from_rankings([]), "without voters"),
        (lambda: Profiles.from_rankings([[]]), "without candidates"),
        (lambda: Profiles.from_rankings([["a", "b", "a"]]), "ranks 'a' twice"),
        (lambda: Profiles.from_rankings([["a"]], names=["b"]), "not a candidate"),
        (lambda: Profiles.from_rankings([[0, {1: 2}]]), "whole number or a name"),
        (lambda: Profiles.from_rankings(np.array([[0, 0, 1]])), "candidate 0 twice"),
        (lambda: Profiles.from_rankings(np.array([[0, 5, 1]])), "candidate 5, but"),
        (lambda: Profiles.from_rankings(np.array([[0, -3, 1]])), "candidate -3, but"),
        (lambda: Profiles.from_rankings(np.array([[0, -1, 1]])), "goes on after a -1"),
        (lambda: Profiles.from_rankings(np.array([[0.5, 1.0]])), "whole candidate numbers"),
        (lambda: Profiles.from_rankings(np.zeros(3, int)), "2 dimensions"),
        (lambda: Profiles.from_rankings(np.array([[0, 1]]), weights=[0]), "without voters"),
        (lambda: Profiles.from_rankings(np.array([[0, 1]]), weights=[-1]), "not be negative"),
        (lambda: Profiles.from_rankings(np.array([[0, 1]]), weights=[0.5]), "whole numbers"),
        (lambda: Profiles.from_rankings(np.array([[0, 1]]), weights=[np.nan]), "whole numbers"),
        (lambda: Profiles.from_rankings(np.array([[0, 1]]), weights=[1, 2]), "do not fit"),
        (lambda: Profiles.from_rankings(np.array([[0, 1]]), weights=[10**13]), "10.12 voters"),
        (lambda: Profiles.from_rankings(np.array([[0, 1]]), names=["a"]), "1 names"),
        (lambda: Profiles.from_utilities([[0.1, np.nan]]), "contain NaN"),
        (lambda: Profiles.from_ranks([[0, np.inf]]), "finite"),
        (lambda: Profiles.from_ranks([[0, 1], [0]]), "same length"),
        (lambda: Profiles.from_ranks([["x"]]), "must be numbers"),
        (lambda: Profiles.from_ranks(np.zeros((1, 1, 0))), "without candidates"),
        (lambda: Profiles.concat([]), "nothing to join"),
        (lambda: Profiles.from_rankings([[0, 1]]).only([]), "at least one"),
        (lambda: Profiles.from_rankings([[0, 1]]).only([2]), "numbers from 0 to 1"),
    ],
)
def test_faults_are_told_in_one_sentence(build, fault: str) -> None:
    with pytest.raises(ElectError, match=fault) as caught:
        build()
    message = str(caught.value)
    assert "\n" not in message
    assert message.endswith(".")


def test_place_pairs_count_who_stands_where_beside_whom():
    profile = Profiles.from_rankings([[0, 1, 2], [1, [0, 2]], [2]], weights=[5, 3, 2])
    pairs = profile.place_pairs[0]
    assert pairs[0, 1, 0, 1] == 5
    assert pairs[0, 1, 1, 0] == pairs[0, 2, 1, 1] == 3
    assert pairs[2, 2, 0, 0] == 2
    assert pairs[0, 1].sum() == 8
    # Summed over the second candidate's places, among those who rank both, it counts places.
    strict = Profiles.from_rankings([[0, 1, 2], [2, 0, 1]], weights=[4, 3])
    for other in range(3):
        assert torch.equal(strict.place_pairs[0, :, other].sum(2), strict.places[0])


# ---------------------------------------------------------------------- other forms of ballots


def test_dictionaries_and_counters_say_how_many_cast_each() -> None:
    votes = {("A", "B", "C"): 3, ("B", "C", "A"): 2}
    for given in (votes, Counter(votes), Counter(Counter(votes).elements())):
        profile = Profiles.from_rankings(given)
        assert profile.names == ("A", "B", "C")
        assert profile.ballots() == [(3, [[0], [1], [2]]), (2, [[1], [2], [0]])]
    tied = Profiles.from_rankings({("A", ("B", "C")): 1, ("B",): 4})
    assert tied.ballots() == [(1, [[0], [1, 2]]), (4, [[1]])]


def test_tables_of_pandas() -> None:
    rows = [["A", "B", "C"], ["B", None, "A"], ["C", "A", None]]
    expected = Profiles.from_rankings([["A", "B", "C"], ["B", "A"], ["C", "A"]], [4, 1, 2])
    for columns in (range(3), ["1st", "2nd", "3rd"], ["First choice", "Second choice", "Third"]):
        plain = DataFrame(rows, columns=columns)
        assert Profiles.from_rankings(plain).num_voters.tolist() == [3]
        for name in ("count", "Weight", "n"):
            profile = Profiles.from_rankings(plain.assign(**{name: [4, 1, 2]}))
            assert profile.ballots() == expected.ballots()
            assert profile.names == expected.names
    numbers = Profiles.from_rankings(DataFrame([[0, 1, 2], [2, 0, None]]))
    assert numbers.ballots() == [(1, [[0], [1], [2]]), (1, [[2], [0]])]


def test_faulty_dictionaries_and_tables() -> None:
    for given, weights, words in (
        ({("A", "B"): 1}, [2], "leave out weights"),
        ({("A", "B"): -1}, None, "voters"),
        ({}, None, "at least one ballot"),
        (DataFrame({"Timestamp": ["today"], "1st": ["A"]}), None, "'timestamp' is neither a place"),
        (DataFrame({"Ann": [1], "Ben": [2]}), None, "from_ranks"),
        (DataFrame({"n": [1], "count": [2], "1": ["A"]}), None, "keep one"),
    ):
        with pytest.raises(ElectError, match=words):
            Profiles.from_rankings(given, weights)


@pytest.mark.parametrize("make", [random_profile, weak_profile])
def test_to_pref_voting_and_back(make) -> None:
    rng = np.random.default_rng(3)
    for _ in range(30):
        size = int(rng.integers(1, 6))
        profile = make(rng, int(rng.integers(1, 20)), size).merged()
        named = replace(profile, names=tuple("ABCDE"[:size]))
        theirs = named.to_pref_voting()
        assert isinstance(theirs, Profile if bool(named.complete) else ProfileWithTies)
        back = Profiles.from_pref_voting(theirs)
        assert back.names == named.names
        assert sorted(back.ballots()) == sorted(named.ballots())
        assert theirs.num_voters == int(named.num_voters)


def test_pref_voting_takes_one_election_and_gives_several() -> None:
    one = Profiles.from_rankings([["A", "B"], ["B", "A"]], [2, 1])
    both = Profiles.from_pref_voting([one.to_pref_voting()] * 2)
    assert len(both) == 2
    assert both.names == ("A", "B")
    with pytest.raises(ElectError, match="pick one"):
        both.to_pref_voting()
    assert elect.winners("borda", [one.to_pref_voting()] * 2).tolist() == [[True, False]] * 2


def test_any_rule_as_a_method_of_pref_voting() -> None:
    profile = Profiles.from_rankings([[0, 1, 2], [2, 1, 0]], [3, 2]).to_pref_voting()
    for rule in (
        "borda",
        "tally-borda",
        "copeland:tie=0",
        lambda p: p.margins.sum(2),
    ):
        method = elect.as_pref_voting(rule)
        assert set(method(profile)) <= {0, 1}
        assert method(profile, curr_cands=[1, 2]) == [1]
    assert elect.as_pref_voting("borda").name == "Borda"
