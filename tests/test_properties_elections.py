"""Whatever is handed to a constructor gives a consistent election or one plain sentence."""

import re

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from jaxtyping import TypeCheckError

from elect import limits
from elect.cultures import CULTURES, culture
from elect.elections import Elections, Profiles
from elect.errors import ElectError
from elect.kernels import UNRANKED

few = settings(max_examples=60, deadline=None)

odd = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(),
    st.text(max_size=3),
    st.lists(st.integers(-2, 5), max_size=3),
)
numbers = st.integers(-2, 5)
names = st.one_of(st.none(), st.lists(st.text("ab", max_size=2), max_size=4), odd)
weights = st.one_of(
    st.none(),
    st.lists(st.integers(-1, 2 * 10**12), max_size=4),
    st.lists(st.floats(), max_size=4),
    odd,
)
counts = st.one_of(st.none(), st.integers(-1, 600), st.lists(st.integers(0, 5), max_size=3), odd)
ballots = st.one_of(
    st.lists(st.lists(st.one_of(numbers, st.text("abc", max_size=1)), max_size=4), max_size=4),
    st.lists(st.permutations([1, 2, 3]), min_size=1, max_size=4),
    st.lists(st.lists(st.one_of(numbers, st.lists(numbers, max_size=2)), max_size=3), max_size=3),
    odd,
)
tables = st.one_of(
    st.lists(st.lists(st.one_of(numbers, st.floats()), max_size=4), max_size=4),
    st.tuples(st.integers(0, 4), st.integers(1, 4)).flatmap(
        lambda shape: st.lists(
            st.lists(st.integers(-1, 6), min_size=shape[1], max_size=shape[1]),
            min_size=shape[0],
            max_size=shape[0],
        ).map(lambda rows: np.array(rows, np.int64).reshape(shape))
    ),
    odd,
)


def attempt(build):
    """The election, or None if it was refused in one sentence."""
    try:
        return build()
    except TypeCheckError as error:
        # Annotations are checked in tests alone; test_limits.py does without.
        if not re.search(
            r"parameters of elect\.(elections\.Profiles\.from_|cultures\.|rules\.)", str(error)
        ):
            raise
        return None
    except ElectError as error:
        said = str(error)
    assert said.endswith(".")
    assert "\n" not in said
    assert len(said) < 500
    return None


def check(profiles: Profiles) -> None:
    """Counts agree with a count ballot by ballot, and nothing is out of range."""
    batch, ballots, width = profiles.ranks.shape
    assert profiles.weights.shape == (batch, ballots)
    assert 1 <= int(profiles.num_candidates.min()) <= int(profiles.num_candidates.max()) <= width
    assert profiles.names is None or len(set(profiles.names)) == width
    assert int(profiles.num_voters.min()) > 0
    for b in range(batch):
        m = int(profiles.num_candidates[b])
        support = [[0] * width for _ in range(width)]
        places = [[0] * width for _ in range(width)]
        for v in range(ballots):
            weight, row = int(profiles.weights[b, v]), profiles.ranks[b, v].tolist()
            for c in range(m):
                ranked = row[c] != UNRANKED
                if weight:
                    above = sum(rank < row[c] for rank in row[:m])
                    assert row[c] == above or not ranked
                if ranked and weight:
                    places[c][row[c]] += weight
                for d in range(m):
                    support[c][d] += weight * (row[c] < row[d])
        assert profiles.support[b].tolist() == support
        assert profiles.places[b].tolist() == places
    rebuilt = Profiles(profiles.ranks, profiles.weights, profiles.num_candidates, profiles.names)
    assert torch.equal(rebuilt.complete, profiles.complete)
    assert torch.equal(profiles.merged().support, profiles.support)


@few
@given(ballots, weights, names, counts)
def test_lists_of_ballots(given_ballots, given_weights, given_names, count):
    made = attempt(lambda: Profiles.from_rankings(given_ballots, given_weights, given_names, count))
    if made is not None:
        check(made)


@few
@given(tables, weights, names, counts, st.sampled_from(["rankings", "ranks", "utilities"]))
def test_tables_of_numbers(table, given_weights, given_names, count, kind):
    build = getattr(Profiles, f"from_{kind}")
    made = attempt(lambda: build(table, given_weights, given_names, count))
    if made is not None:
        check(made)


@few
@given(
    st.lists(st.sampled_from([-3, 0, 0, 0, 1, 1, 2, 3, 500, UNRANKED]), min_size=6, max_size=6),
    st.lists(st.sampled_from([-1, 0, 1, 2, 10**12]), min_size=2, max_size=2),
    st.sampled_from([-1, 0, 1, 2, 3, 4, 500]),
)
def test_tensors(ranks, weight, count):
    made = attempt(
        lambda: Profiles(
            torch.tensor(ranks, dtype=torch.int16).view(1, 2, 3),
            torch.tensor([weight]),
            torch.tensor([count]),
        )
    )
    if made is not None:
        check(made)


def test_numbers_from_one_have_no_candidate_zero():
    listed = Profiles.from_rankings([[1, 2, 3], [2, 3, 1]])
    assert listed.names == ("1", "2", "3")
    assert listed.ballots() == [(1, [[0], [1], [2]]), (1, [[1], [2], [0]])]
    assert Profiles.from_rankings([[1, 2]], names=["x", "y"]).ballots() == [(1, [[0], [1]])]
    assert Profiles.from_rankings([[1, 2]], num_candidates=3).num_candidates.tolist() == [3]
    assert Profiles.from_rankings([[0, 2, 1]]).names is None


def profile() -> Profiles:
    return Profiles.from_rankings([[0, 1]], weights=[10**12])


REFUSED = {
    "candidates beyond the columns": lambda: Profiles.from_ranks([[1, 2]], num_candidates=500),
    "utilities too": lambda: Profiles.from_utilities([[1, 2]], num_candidates=500),
    "two of one name": lambda: Profiles.from_rankings([["a", "b"]], names=["a", "a"]),
    "a long name": lambda: Profiles.from_rankings([["a" * 1001]]),
    "names that are numbers": lambda: Profiles.from_rankings([[0, 1]], names=[1, 2]),
    "a voter too many": lambda: Profiles.from_rankings([[0]], weights=[10**12 + 1]),
    "a voter too many in all": lambda: Profiles.from_rankings([[0], [0]], weights=[10**12, 1]),
    "weights beyond 64 bits": lambda: Profiles.from_rankings([[0]], weights=[10**30]),
    "true voters": lambda: Profiles.from_rankings([[0]], weights=[True]),
    "infinite voters": lambda: Profiles.from_rankings([[0]], weights=[np.inf]),
    "a candidate 10^9": lambda: Profiles.from_rankings([[10**9]]),
    "wide": lambda: Profiles.from_rankings(np.zeros((10**6, 1), int), num_candidates=30_000),
    "10^12 rows": lambda: profile().single(),
    "10^9 pairs": lambda: Profiles.from_rankings(np.arange(32_766)[None]).margins,
    "10^12 pairs of places": lambda: Profiles.from_rankings(np.arange(1000)[None]).place_pairs,
    "10^9 voters": lambda: culture("uniform")(1, 10**9, 3, seed=0),
    "10^9 candidates": lambda: culture("impartial")(1, 3, 10**9, seed=0),
    "10^9 dimensions": lambda: culture("euclidean:dimension=1000000000")(1, 3, 3, seed=0),
    "other utilities": lambda: Elections(profile(), torch.zeros(2, 2, 2)),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_before_memory_is_taken(case):
    assert attempt(REFUSED[case]) is None


def test_tensors_that_were_written_to_cannot_corrupt_memory():
    election = Profiles.from_rankings([[0, 1], [1, 0]])
    election.ranks[0, 0, 0] = 500
    assert int(election.places.sum()) == 3
    election.num_candidates[0] = 500
    assert attempt(lambda: election.support) is None


def test_sparse_ballots_are_counted_as_dense_ones():
    rng = np.random.default_rng(0)
    for _ in range(20):
        n, m = int(rng.integers(1, 40)), int(rng.integers(32, 60))
        values = rng.integers(1, 4, (n, m)).astype(float)
        values[rng.random((n, m)) < 0.9] = np.nan
        election = Profiles.from_ranks(values, rng.integers(1, 5, n))
        ranks, weight = election.ranks[0].long(), election.weights[0]
        above = (ranks[:, :, None] < ranks[:, None]).long() * weight[:, None, None]
        assert torch.equal(election.support[0], above.sum(0))
        margins = election.margins[0].clone().fill_diagonal_(2**40)
        assert torch.equal(election.duels.worst[0], margins.amin(1))


NASTY = ["0/1/2", "true", "nan", "inf", "-1", "1e400", "9" * 30, "9" * 5000, "x", "", "/", "1/"]
NASTY += ["a/b", "true/false", "nan/1", "0", "5/2", "1e-300", "-1e300", "{}", "0/0", "2.5"]


@pytest.mark.parametrize("name", CULTURES)
def test_settings_of_cultures(name):
    from inspect import signature

    for key in signature(CULTURES[name].make).parameters:
        usual = "phi=0.5," if name == "mallows" and key != "phi" else ""
        for value in NASTY:
            spec = f"{name}:{usual}{key}={value}"
            attempt(lambda spec=spec: culture(spec)(2, 3, 3, seed=0))
        for value in (None, [], (), {}, 1j, b"x", 10**400, -1.0, [None], float("nan")):
            made = {"phi": 0.5} if usual else {}
            made[key] = value
            attempt(lambda made=made: CULTURES[name](**made)(2, 3, 3, seed=0))


def test_settings_of_welfares_and_rules():
    from inspect import signature

    from elect.rules import RULES, rule
    from elect.welfares import WELFARES, welfare

    election = Profiles.from_rankings([[0, 1, 2], [1, 2, 0]])
    for value in NASTY:
        for name in WELFARES:
            attempt(lambda name=name, value=value: welfare(f"{name}:lam={value}"))
        for name, function in RULES.items():
            for key in list(signature(function).parameters)[1:]:
                spec = f"{name}:{key}={value}"
                attempt(lambda spec=spec: rule(spec)(election))


@pytest.mark.parametrize("spec", [None, 5, "", ":", "+", "mallows:phi=1,phi=0", "a" * 10**5])
def test_names_that_are_none(spec):
    assert attempt(lambda: culture(spec)) is None


@pytest.mark.parametrize("change", [{"candidates": 0}, {"name": True}, {"candidates": 40_000}])
def test_limits_are_checked(change):
    assert attempt(lambda: limits.allow(**change)) is None
    assert limits.current() == limits.Limits()
