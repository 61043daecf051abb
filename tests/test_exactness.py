"""Every rule against the same count in plain whole numbers and fractions, up to 10¹² voters."""

from fractions import Fraction

import numpy as np
import pytest

import plain_rules as plain
from elect.elections import Profiles
from elect.errors import ElectError
from elect.rules import RULES, rule, winners

# Settings under which each rule is counted, and the same for the plain count.
SPECS = {
    **{name: (name, getattr(plain, name, None)) for name in RULES if name != "scoring"},
    "copeland:tie=0.1": (
        "copeland:tie=0.1",
        lambda ballots, m: plain.copeland(ballots, m, Fraction(1, 10)),
    ),
    "scoring": (
        "scoring:vector=0.7/0.3/0.1/0",
        lambda ballots, m: plain.scoring(
            ballots, m, [Fraction(7, 10), Fraction(3, 10), Fraction(1, 10), Fraction(0)]
        ),
    ),
}
# These are compared below: plain Python tries all ways, which takes too long for many voters.
SPECS = {
    name: pair for name, pair in SPECS.items() if name not in ("dodgson", "young", "ranked_pairs")
}


def ballot(rng: np.random.Generator, m: int, kind: str) -> list[list[int]]:
    """A random ballot as tiers: complete, truncated, tied, or both."""
    order = rng.permutation(m).tolist()
    if kind in ("truncated", "any"):
        order = order[: int(rng.integers(0 if kind == "any" else 1, m + 1))]
    tiers: list[list[int]] = []
    for c in order:
        if tiers and kind in ("tied", "any") and rng.random() < 0.4:
            tiers[-1].append(c)
        else:
            tiers.append([c])
    return tiers


def large_ballots(rng: np.random.Generator, m: int, kind: str) -> plain.Ballots:
    """Ballots of 10⁷ to 10¹¹ voters each; half of the elections are near a tie: weights that
    differ by a voter or two, or a ballot and its reverse that nearly cancel out."""
    count = int(rng.integers(2, 8))
    tiers = [ballot(rng, m, kind) for _ in range(count)]
    scale = int(10 ** rng.uniform(7, 10.8))
    weights = (scale * rng.uniform(0.1, 1, count)).astype(np.int64) + 1
    planted = int(rng.integers(4))
    if planted == 1:
        weights = scale + rng.integers(0, 3, count)
    elif planted == 2 and kind in ("complete", "tied"):
        tiers += [one[::-1] for one in tiers]
        weights = np.concatenate([weights, weights + rng.integers(-1, 2, count)])
    elif planted == 3:
        turned = [[[(c + 1) % m for c in tier] for tier in one] for one in tiers]
        tiers, weights = tiers + turned, np.concatenate([weights, weights])
        weights[0] += int(rng.integers(0, 2))
    return list(zip(weights.tolist(), tiers, strict=True))


def profile_of(ballots: plain.Ballots, m: int) -> Profiles:
    ranks = np.full((len(ballots), m), -1)
    for row, (_, tiers) in zip(ranks, ballots, strict=True):
        for place, tier in enumerate(tiers):
            row[tier] = place
    return Profiles.from_ranks(ranks, [n for n, _ in ballots])


def check(spec: str, expected: plain.Scores, ballots: plain.Ballots, m: int) -> bool:
    """Whether the rule takes the ballots; then its winners and scores must be the expected."""
    profile = profile_of(ballots, m)
    if expected is None:
        with pytest.raises(ElectError):
            rule(spec)(profile)
        return False
    won = [c for c in range(m) if expected[c] == max(expected)]
    assert np.flatnonzero(winners(spec, profile)[0]).tolist() == won, (spec, ballots)
    scores = rule(spec)(profile)[0].tolist()
    assert [c for c in range(m) if scores[c] == max(scores)] == won, (spec, ballots)
    for c in range(m):
        assert scores[c] == float(expected[c]), (spec, ballots)
        for d in range(m):
            assert (scores[c] < scores[d]) == (expected[c] < expected[d]), (spec, ballots)
    return True


@pytest.mark.parametrize("name", SPECS)
def test_large_elections_are_counted_exactly(name: str) -> None:
    spec, count = SPECS[name]
    rng = np.random.default_rng(len(name))
    taken = 0
    for i in range(150):
        m = 4 if name == "scoring" else int(rng.integers(1, 6))
        ballots = large_ballots(rng, m, ("complete", "truncated", "tied", "any")[i % 4])
        if name == "approval":
            ballots = [(n, tiers[: 1 + (i % 2)]) for n, tiers in ballots]
        taken += check(spec, count(ballots, m), ballots, m)
    assert taken >= 30


def test_ranked_pairs_of_large_elections() -> None:
    rng = np.random.default_rng(1)
    for i in range(150):
        m = int(rng.integers(1, 5))
        ballots = large_ballots(rng, m, ("complete", "truncated", "tied", "any")[i % 4])
        won = np.flatnonzero(winners("ranked_pairs", profile_of(ballots, m))[0])
        assert set(won.tolist()) == plain.ranked_pairs_winners(ballots, m)


@pytest.mark.parametrize("kind", ["complete", "truncated", "tied", "any"])
def test_young_and_dodgson_of_few_voters_by_trying_everything(kind: str) -> None:
    rng = np.random.default_rng(2)
    for _ in range(25):
        m = int(rng.integers(2, 5))
        ballots = [(int(rng.integers(1, 4)), ballot(rng, m, kind)) for _ in range(4)]
        check("young", plain.young(ballots, m), ballots, m)
        check("dodgson", plain.dodgson(ballots, m), ballots, m)


def test_young_and_dodgson_of_three_candidates_and_any_number_of_voters() -> None:
    rng = np.random.default_rng(3)
    for _ in range(100):
        ballots = large_ballots(rng, 3, "complete")
        check("young", plain.young_of_three(ballots), ballots, 3)
        check("dodgson", plain.dodgson_of_three(ballots), ballots, 3)


@pytest.mark.parametrize("kind", ["complete", "truncated", "tied", "any"])
def test_young_of_weights_that_divide_well(kind: str) -> None:
    rng = np.random.default_rng(4)
    for _ in range(12):
        m = int(rng.integers(2, 5))
        multiple = 55_440 * 10 ** int(rng.integers(1, 6))
        ballots = [(multiple * int(rng.integers(1, 9)), ballot(rng, m, kind)) for _ in range(6)]
        check("young", plain.young_of_multiples(ballots, m), ballots, m)


def test_young_is_quick_where_weights_are_large_and_nearly_equal() -> None:
    rankings = [*("ACBDE", "DCAEB", "CAEBD", "ECBDA", "EABCD")]
    rankings += ["ADEBC", "CEBDA", "CDBAE", "DCEBA", "DAECB"]
    last_digits = [8, 9, 5, 9, 9, 5, 9, 6, 6, 9]
    weights = [50_474_765_380 + digit for digit in last_digits]
    profile = Profiles.from_rankings([list(ranking) for ranking in rankings], weights)
    (row,) = np.flatnonzero(winners("young", profile)[0])
    assert profile.names is not None
    assert profile.names[row] == "C"


# ---------------------------------------------------------------------- the cases that were wrong


def test_borda_of_truncated_and_tied_ballots_is_not_rounded() -> None:
    tied = [(1, [[0, 1, 2]]), (15_000_001, [[0]]), (15_000_000, [[1]])]
    assert winners("borda", profile_of(tied, 3)).tolist() == [[True, False, False]]
    truncated = [(20_000_000, [[0], [1], [2]]), (20_000_001, [[1], [0]])]
    assert winners("borda", profile_of(truncated, 3)).tolist() == [[False, True, False]]


def test_kemeny_scores_are_not_rounded() -> None:
    cycle = [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
    profile = Profiles.from_rankings(cycle, [100_000_001, 100_000_000, 100_000_003])
    scores = rule("kemeny")(profile)[0].tolist()
    assert scores.index(max(scores)) == 2
    assert len(set(scores)) == 3


def test_scoring_vectors_tie_as_they_do_in_whole_numbers() -> None:
    rng = np.random.default_rng(5)
    for _ in range(300):
        rankings = np.argsort(rng.random((6, 3)), -1)
        profile = Profiles.from_rankings(rankings, rng.integers(1, 30, 6))
        whole = winners("scoring:vector=7/3/1", profile)
        assert winners("scoring:vector=0.7/0.3/0.1", profile).equal(whole)


def test_sums_beyond_the_floats_are_still_told_apart() -> None:
    """With sixteen digits a place and 10¹² voters, sums have 28 digits."""
    digits = "0.7000000000000001/0.3/0.1"
    ballots = [(499_999_999_999, [[0], [1], [2]]), (500_000_000_001, [[1], [0], [2]])]
    expected = plain.scoring(ballots, 3, [Fraction(part) for part in digits.split("/")])
    profile = profile_of(ballots, 3)
    scores = rule(f"scoring:vector={digits}")(profile)[0].tolist()
    assert expected is not None
    assert scores == pytest.approx([float(score) for score in expected], rel=1e-15)
    assert winners(f"scoring:vector={digits}", profile).tolist() == [[False, True, False]]
    one_less = [(500_000_000_000, [[0], [1], [2]]), (500_000_000_000, [[1], [0], [2]])]
    tied = winners(f"scoring:vector={digits}", profile_of(one_less, 3))
    assert tied.tolist() == [[True, True, False]]


def test_more_than_a_million_million_voters_are_refused() -> None:
    assert int(profile_of([(10**12, [[0], [1]])], 2).num_voters) == 10**12
    with pytest.raises(ElectError, match="more than 10\\^12 voters"):
        profile_of([(10**12, [[0], [1]]), (1, [[1], [0]])], 2)


@pytest.mark.parametrize("name", sorted(set(RULES) - {"scoring", "approval"}))
def test_a_million_million_voters_are_counted(name: str) -> None:
    """One voter more decides."""
    half = 10**12 // 2
    profile = profile_of([(half - 1, [[0], [1]]), (half + 1, [[1], [0]])], 2)
    won = [[True, True]] if name == "k_approval" else [[False, True]]
    assert winners(name, profile).tolist() == won
