"""Distortion against a linear program, and the search against what is known."""

import sys

import numpy as np
import pytest
import torch
from scipy.optimize import linprog

from elect import rules
from elect.auditing.distortion import disagreement_of, distortion_of, distortions, worst_case
from elect.elections import Profiles
from elect.errors import ElectError
from elect.reports.margin_graph import WON, draw_margin_graph, margin_graph_svg
from profiles import correlated_profile, mixed_batch, random_profile, weak_profile


def program(profile: Profiles, winner: int) -> float:
    """The largest welfare of anyone over the winner's, as a linear program (Charnes and Cooper):
    utilities scaled so that the winner's welfare is 1, with the scale t a variable of its own."""
    ballots, m = profile.ballots(), int(profile.num_candidates)
    n = len(ballots)
    above, equal, sums = [], np.zeros(n * m + 1), np.zeros((n, n * m + 1))
    for v, (weight, tiers) in enumerate(ballots):
        left_out = set(range(m)) - {c for tier in tiers for c in tier}
        order = [*tiers, list(left_out)]
        for k, tier in enumerate(order):
            for a in tier:
                for b in (c for later in order[k + 1 :] for c in later):
                    row = np.zeros(n * m + 1)
                    row[v * m + b], row[v * m + a] = 1, -1
                    above.append(row)
        equal[v * m + winner] = weight
        sums[v, v * m : v * m + m], sums[v, -1] = 1, -1
    worst = 1.0
    for rival in range(m):
        gain = np.zeros(n * m + 1)
        for v, (weight, _) in enumerate(ballots):
            gain[v * m + rival] = -weight
        found = linprog(
            gain,
            A_ub=np.array(above) if above else None,
            b_ub=np.zeros(len(above)) if above else None,
            A_eq=np.vstack([equal, sums]),
            b_eq=np.array([1.0, *[0.0] * n]),
        )
        # The winner may be worth nothing: then the program is unbounded, or has no solution.
        worst = max(worst, -found.fun if found.status == 0 else np.inf)
    return worst


@pytest.mark.parametrize("make", [random_profile, correlated_profile, weak_profile])
def test_distortion_is_what_a_linear_program_finds(make):
    rng = np.random.default_rng(3)
    profiles = [make(rng, int(rng.integers(1, 9)), int(rng.integers(2, 6))) for _ in range(25)]
    infinite = 0
    for profile in profiles:
        m = int(profile.num_candidates)
        for winner in range(m):
            elected = torch.arange(m)[None] == winner
            found, expected = distortions(elected, profile).item(), program(profile, winner)
            assert found == pytest.approx(expected, rel=1e-6)
            infinite += np.isinf(found)
    assert infinite > 0


def test_of_several_winners_the_worst_counts_and_padding_does_not():
    rng = np.random.default_rng(4)
    profiles = [random_profile(rng, int(rng.integers(3, 9)), m) for m in (2, 3, 5, 4)]
    batch = mixed_batch(profiles).merged()
    won = rules.winners("plurality", batch)
    together = distortions(won, batch)
    for b, profile in enumerate(profiles):
        m = int(profile.num_candidates)
        alone = [
            distortions(torch.arange(m)[None] == w, profile).item() for w in won[b].nonzero()[:, 0]
        ]
        assert together[b].item() == max(alone)


def test_a_choice_that_all_agree_on_is_the_best():
    profile = Profiles.from_rankings([[1, 0, 2]], weights=[10])
    assert distortions(torch.tensor([[False, True, False]]), profile).item() == 1
    assert distortions(torch.tensor([[True]]), Profiles.from_rankings([[0]])).item() == 1
    with pytest.raises(ElectError, match="who is elected"):
        distortions(torch.zeros(1, 3, dtype=torch.bool), profile)


@pytest.mark.parametrize("m", [3, 4, 5])
def test_the_worst_case_of_plurality_is_found(m):
    """The elected has n / m first places at least. Whoever is best instead is first on no more of
    the ballots and second on all others that do not begin with the elected: 1 + m² / 2."""
    score = distortion_of(lambda profiles: rules.winners("plurality", profiles))
    profile, found = worst_case(score, voters=2 * m, candidates=m, seed=0)
    assert found == pytest.approx(1 + m**2 / 2)
    assert profile.num_voters.item() == 2 * m
    assert score(profile).item() == found


def test_the_search_keeps_within_bounds_and_repeats_itself():
    def score(profiles: Profiles) -> torch.Tensor:
        assert bool((profiles.num_voters >= 4).all() and (profiles.num_voters <= 9).all())
        assert set(profiles.num_candidates.tolist()) <= {2, 3}
        assert bool(profiles.merged().complete.all())
        return profiles.margins.amax((1, 2)).double()

    (first, a), (second, b) = (worst_case(score, (4, 9), (2, 3), seed=5, steps=60) for _ in "ab")
    assert a == b == 9
    assert first.ballots() == second.ballots()


def test_borda_can_be_arbitrarily_bad():
    profile, found = worst_case(
        distortion_of(lambda profiles: rules.winners("borda", profiles)), (2, 9), (3, 4)
    )
    assert found == np.inf
    won = rules.winners("borda", profile)[0]
    assert (profile.places[0, won, 0] == 0).any()


def test_a_rule_is_found_to_differ_from_the_one_it_imitates():
    borda, copeland = rules.rule("borda"), rules.rule("copeland")
    score = disagreement_of(borda, lambda profiles: rules.winners(copeland, profiles))
    profile, found = worst_case(score, voters=7, candidates=4, steps=100)
    assert found > 0
    assert not (rules.winners(borda, profile) & rules.winners(copeland, profile)).any()
    same = disagreement_of(borda, lambda profiles: rules.winners(borda, profiles))
    assert worst_case(same, voters=7, candidates=4, steps=40)[1] <= 0


def test_the_margin_graph_is_drawn_twice(tmp_path):
    profile = Profiles.from_rankings([["Ann", "$Ben$", "Cleo"], ["$Ben$", "Cleo", "Ann"]], [3, 2])
    won = rules.winners("borda", profile)
    svg, png = draw_margin_graph(profile, tmp_path / "new" / "graph", won)
    assert (svg.name, png.name) == ("graph.svg", "graph.png")
    text = svg.read_text("utf-8")
    assert all(name in text for name in ("Ann", "$Ben$", "Cleo", ">1<", ">5<"))
    assert text.count(WON) == 2
    assert png.read_bytes().startswith(b"\x89PNG")
    assert draw_margin_graph(profile, svg, [1])[0].read_text("utf-8") == text
    assert margin_graph_svg(profile, [1]).startswith("<svg")
    with pytest.raises(ElectError, match="one election"):
        draw_margin_graph(Profiles.concat([profile, profile]), tmp_path / "two")


def test_without_matplotlib_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ElectError, match=r"elect\[plots\]"):
        draw_margin_graph(Profiles.from_rankings([[0, 1]]), tmp_path / "graph")
