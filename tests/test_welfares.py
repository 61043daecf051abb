"""Welfare: the formulas by hand, and any function on batches of mixed sizes."""

import math
from functools import partial

import pytest
import torch

from elect.cultures import culture
from elect.elections import Elections, Profiles
from elect.errors import ElectError
from elect.rules.posterior import posterior_rule
from elect.welfares import WELFARES, Welfare, builtin, egalitarian, judge, nash, welfare


def by_hand(name, utilities):
    """The welfare of one candidate from a list of its voters' utilities."""
    if name == "utilitarian":
        return sum(utilities)
    if name == "rawlsian":
        return min(utilities)
    if name == "egalitarian":
        return sum(utilities) - 0.5 * sum(u - min(utilities) for u in utilities)
    return math.prod(utilities) ** (1 / len(utilities))


PLAIN = {
    "utilitarian": lambda u: u.sum(1),
    "rawlsian": lambda u: u.amin(1),
    "egalitarian": lambda u: u.sum(1) - 0.5 * (u - u.amin(1, keepdim=True)).sum(1),
    "nash": lambda u: u.prod(1) ** (1 / u.shape[1]),
}


@pytest.fixture(scope="module")
def elections():
    return culture("uniform")(60, (1, 6), (1, 5), seed=0)


@pytest.mark.parametrize("name", WELFARES)
def test_by_hand_on_mixed_sizes(name, elections):
    scores = judge(welfare(name), elections)
    for b, (n, m) in enumerate(
        zip(elections.profiles.num_voters, elections.profiles.num_candidates, strict=True)
    ):
        for c in range(m):
            expected = by_hand(name, elections.utilities[b, :n, c].tolist())
            assert scores[b, c].item() == pytest.approx(expected)
    assert (scores == -torch.inf).equal(~elections.profiles.mask)


@pytest.mark.parametrize("name", WELFARES)
def test_a_users_function_never_sees_padding(name, elections):
    assert torch.allclose(judge(PLAIN[name], elections), judge(welfare(name), elections))


@pytest.mark.parametrize("name", WELFARES)
def test_a_ballot_of_weight_two_is_two_voters(name):
    utilities = torch.tensor([[[0.5, 0.1], [0.2, 0.9], [0.7, 0.7]]], dtype=torch.float64)
    weights = [2, 0, 1]
    merged = Elections(Profiles.from_utilities(utilities, weights), utilities)
    single = Elections(Profiles.from_utilities(utilities[:, [0, 0, 2]]), utilities[:, [0, 0, 2]])
    expected = judge(welfare(name), single)
    assert torch.allclose(judge(welfare(name), merged), expected)
    assert torch.allclose(judge(PLAIN[name], merged), expected)


def test_egalitarian_goes_from_sum_to_floor(elections):
    assert judge(welfare("egalitarian:lam=0"), elections).allclose(
        judge(welfare("utilitarian"), elections)
    )
    floor = judge(welfare("rawlsian"), elections) * elections.profiles.num_voters[:, None]
    assert judge(welfare("egalitarian:lam=1"), elections).allclose(floor)


def test_nash_of_zeros_and_of_many():
    utilities = torch.tensor([[[0.0, 0.5], [1.0, 0.5]]])
    assert judge(nash, Elections(Profiles.from_utilities(utilities), utilities)).tolist() == [
        [0.0, pytest.approx(0.5)]
    ]
    many = torch.full((1, 5000, 2), 1e-3, dtype=torch.float64)
    assert judge(nash, Elections(Profiles.from_utilities(many), many)).tolist() == [
        [pytest.approx(1e-3)] * 2
    ]


def test_names_with_settings():
    for found in (
        welfare("egalitarian:lam=0.3"),
        welfare("egalitarian", lam=0.3),
        welfare(egalitarian, lam=0.3),
        builtin(partial(egalitarian, lam=0.3)),
    ):
        assert found.spec == "egalitarian:lam=0.3"
        assert found.values == {"lam": 0.3}
    assert welfare("Egalitarian").values == {"lam": 0.5}
    assert builtin(egalitarian) is welfare("egalitarian")
    assert builtin(lambda u: u.sum(1)) is None


def test_records_say_what_they_look_at():
    assert welfare("egalitarian", lam=0.3).told == (
        "70 % what the average voter gains, and 30 % what the worst-off voter gains"
    )
    assert all(one.told and one.code for one in WELFARES.values())
    assert repr(welfare("nash")) == "elect.welfare('nash')"


def test_judging_by_name(elections):
    assert judge("nash", elections).equal(judge(nash, elections))
    utilities = torch.tensor([[[0.5, 0.1], [0.2, 0.9]]], dtype=torch.float64)
    assert welfare("utilitarian")(utilities).tolist() == [[0.7, 1.0]]


def test_the_printed_sign_is_told():
    with pytest.raises(ElectError, match=r"lam=0\.5 here"):
        welfare("egalitarian", lam=-0.5)
    with pytest.raises(ElectError, match="name or a function"):
        welfare(3)
    with pytest.raises(ElectError, match="write them into your function"):
        welfare(lambda u: u.sum(1), lam=1)


def test_a_welfare_without_a_kernel_has_a_posterior():
    own = Welfare("sum", lambda u, w: (u * w[:, :, None]).sum(1), "the sum")
    profiles = culture("impartial")(3, 4, 3, seed=0).profiles
    ours = posterior_rule(culture("uniform"), own, 50)(profiles)
    assert ours.allclose(posterior_rule(culture("uniform"), "utilitarian", 50)(profiles))


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("utilitarain", "did you mean 'utilitarian'"),
        ("egalitarian:lam=2", "between 0 and 1"),
        ("egalitarian:lam=nan", "between 0 and 1"),
        ("egalitarian:mu=1", "no setting"),
        ("nash:lam=1", "no setting"),
    ],
)
def test_faulty_names(spec, words):
    with pytest.raises(ElectError, match=words):
        welfare(spec)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda u: u.sum(), "shape|one score"),
        (lambda u: u.sum(2), "one score"),
        (lambda u: 3.0, "float"),
        (lambda u: u.sum(1) * math.nan, "NaN"),
    ],
)
def test_faulty_functions(function, words, elections):
    with pytest.raises(ElectError, match=words):
        judge(function, elections)


def test_no_utilities_no_welfare():
    with pytest.raises(ElectError, match="no utilities"):
        judge(nash, culture("impartial")(2, 3, 3, seed=0))


def test_negative_utilities_have_no_geometric_mean():
    utilities = torch.tensor([[[-1.0, 0.5]]])
    with pytest.raises(ElectError, match="NaN"):
        judge(nash, Elections(Profiles.from_utilities(utilities), utilities))
