"""Simulations: counted by hand, against Merrill's print, and on the command line."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest
import torch

from elect.cli import main
from elect.cultures import culture
from elect.elections import Elections, Profiles
from elect.errors import ElectError
from elect.measuring.outcomes import agreement
from elect.measuring.simulation import FRESH, simulate
from elect.rules import winners
from elect.welfares import judge, welfare
from profiles import always, random_profile

A, B, C = range(3)
ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "merrill_1984_table_1.py"

# Condorcet winners A, B, none; plurality elects A, A, all three; Borda elects A, B, all three.
THREE = Profiles.concat(
    [
        Profiles.from_rankings([[A, B, C], [B, A, C]], weights=[2, 1]),
        Profiles.from_rankings([[A, B, C], [B, C, A], [C, B, A]], weights=[4, 3, 2]),
        Profiles.from_rankings([[A, B, C], [B, C, A], [C, A, B]]),
    ]
)


def on_three(rules):
    return simulate(rules, {"three": always(Elections(THREE))}, (3, 9), 3, 3)


def test_counted_by_hand():
    found = on_three(["plurality", "borda"])
    plurality, borda = found.results
    assert plurality.condorcet_winner == borda.condorcet_winner
    assert plurality.condorcet_winner.value == pytest.approx(2 / 3)
    assert plurality.condorcet_efficiency.value == 1 / 2
    assert plurality.condorcet_efficiency.elections == 2
    assert borda.condorcet_efficiency.value == 1
    assert plurality.welfare_ratio is None
    [both] = found.agreements
    assert both.agreement.value == pytest.approx((1 + 0 + 1) / 3)


def test_ties_split_the_credit():
    everyone = {"everyone": lambda profiles: profiles.mask.double(), "borda": "borda"}
    found = on_three(everyone)
    assert found.results[0].condorcet_efficiency.value == pytest.approx(1 / 3)
    assert found.agreements[0].agreement.value == pytest.approx((1 / 3 + 1 / 3 + 1) / 3)


def test_the_agreement_is_that_of_one_random_order():
    rng = np.random.default_rng(0)
    one, other = (torch.from_numpy(rng.random((4, 5)) < 0.5) for _ in range(2))
    one[:, 0] = other[:, 1] = True
    places = np.array([rng.permutation(5) for _ in range(20_000)])
    for row in range(4):
        first = [np.where(won[row].numpy(), places, 9).argmin(1) for won in (one, other)]
        same = (first[0] == first[1]).mean()
        assert agreement(one, other)[row].item() == pytest.approx(same, abs=0.02)


def test_welfare_ratios_where_there_are_utilities():
    found = simulate("borda", ["uniform", "impartial"], 9, 4, 300, seed=2, welfare="nash")
    with_utilities, without = found.results
    assert without.welfare_ratio is None
    rng = np.random.default_rng([2, 9, 9, 4, 4, 0, FRESH])
    drawn = culture("uniform")(300, (9, 9), (4, 4), seed=rng)
    worth, top = judge(welfare("nash"), drawn), winners("borda", drawn.profiles)
    ratios = (worth * top).sum(1) / top.sum(1) / worth.amax(1)
    assert with_utilities.welfare_ratio.value == pytest.approx(ratios.mean().item())
    assert "nash welfare" in str(found)


def test_every_setting_is_as_if_alone():
    shares = []
    found = simulate(
        ["borda", "plurality"],
        ["impartial", "mallows:phi=0.8"],
        [5, (2, 9)],
        [3, 4],
        600,
        progress=shares.append,
    )
    assert len(found.results) == 2 * 2 * 2 * 2
    assert len(found.agreements) == 2 * 2 * 2
    assert shares == sorted(shares)
    assert shares[-1] == 1
    alone = simulate("plurality", "mallows:phi=0.8", (2, 9), 4, 600)
    assert alone.results[0] == found.results[-1]
    assert simulate("plurality", "mallows:phi=0.8", (2, 9), 4, 600) == alone
    other = simulate("plurality", "mallows:phi=0.8", (2, 9), 4, 600, seed=1)
    assert other.results[0].condorcet_efficiency != alone.results[0].condorcet_efficiency


def test_a_rule_that_cannot_count_the_ballots_is_noted():
    found = simulate(["approval", "borda"], "impartial", 5, 3, 50)
    refused, borda = found.results
    assert "approval needs" in refused.refused
    assert refused.condorcet_efficiency is None
    assert borda.condorcet_efficiency.value > 0.8
    assert not found.agreements
    assert "approval: approval needs" in str(found)


def test_a_real_election_and_a_trained_rule():
    real = random_profile(np.random.default_rng(3), 60, 4).merged()
    found = simulate(["tally-kemeny", "kemeny"], {"real": real}, 15, elections=50, candidates=4)
    assert found.results[1].condorcet_efficiency.value == 1
    assert found.agreements[0].agreement.value > 0.8


def test_rows_pandas_json_and_print():
    found = simulate(["plurality", "borda"], "uniform", 5, [3, (2, 4)], 100)
    rows = found.rows()
    assert [row["candidates"] for row in rows] == [3, 3, "2-4", "2-4"]
    efficiency = found.results[0].condorcet_efficiency
    assert rows[0]["condorcet_efficiency"] == efficiency.value
    assert rows[0]["condorcet_efficiency_high"] == efficiency.high
    assert found.to_pandas().welfare_ratio.tolist() == [row["welfare_ratio"] for row in rows]
    written = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert written["results"][0]["condorcet_efficiency_interval"] == list(efficiency.interval)
    assert written["agreements"][0]["agreement"] == found.agreement_rows()[0]["agreement"]
    assert "<table>" in found._repr_html_()
    assert len(repr(found)) < 200
    # One table of agreements is printed if there is one setting only.
    assert "\nagreement" not in str(found)
    assert "\nagreement" in str(simulate(["plurality", "borda"], elections=20))


def test_faults_in_one_sentence():
    for faulty, message in (
        (lambda: simulate("nonsense"), "no rule named 'nonsense'"),
        (lambda: simulate([]), "at least one rule"),
        (lambda: simulate(["borda", "borda"]), "same name"),
        (lambda: simulate("borda", "nowhere"), "no culture named"),
        (lambda: simulate("borda", []), "at least one culture"),
        (lambda: simulate("borda", voters=[]), "at least one number of voters"),
        (lambda: simulate("borda", voters=(9, 2)), "must go upwards"),
        (lambda: simulate("borda", elections=0), "at least 1 election"),
        (lambda: simulate("borda", welfare="wealth"), "no welfare named"),
    ):
        with pytest.raises(ElectError, match=message):
            faulty()


def test_merrill_1984_table_1():
    spec = importlib.util.spec_from_file_location("merrill", EXAMPLE)
    merrill = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(merrill)
    found = merrill.table_1()
    assert merrill.beside_print(found) in (ROOT / "docs" / "simulating.md").read_text("utf-8")
    printed = {
        (rule, m): figure / 100
        for rule, figures in merrill.PRINTED.items()
        for m, figure in zip(merrill.CANDIDATES, figures, strict=True)
    }
    assert len(found.results) == len(printed)
    for one in found.results:
        estimate, figure = one.condorcet_efficiency, printed[one.rule, one.candidates[0]]
        # Merrill's figures come from 2,500 elections or more, of which these have a winner.
        theirs = 2500 * one.condorcet_winner.value
        spread = figure * (1 - figure)
        error = (spread / theirs + spread / estimate.elections) ** 0.5
        # 36 figures, and each is printed with one decimal.
        assert abs(estimate.value - figure) < 3.5 * error + 0.0005, (one, figure)
    for m, figure in zip(merrill.CANDIDATES, merrill.PRINTED_EXISTS, strict=True):
        exists = next(one for one in found.results if one.candidates == (m, m)).condorcet_winner
        assert exists.value == pytest.approx(figure / 100, abs=0.04)


def call(capsys, *arguments):
    with pytest.raises(SystemExit) as stop:
        main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return stop.value.code, out, err


def test_on_the_command_line(capsys):
    asked = ("simulate", "--rule", "plurality", "black", "--candidates", 3, 5, "--elections", 200)
    code, out, err = call(capsys, *asked)
    assert (code, err) == (0, "")
    found = simulate(["plurality", "black"], candidates=[3, 5], elections=200)
    assert out.strip() == str(found)
    code, out, _ = call(capsys, *asked, "--culture", "uniform", "impartial", "--json")
    assert {one["culture"] for one in json.loads(out)["results"]} == {"uniform", "impartial"}
    code, _, err = call(capsys, "simulate", "--rule", "nonsense")
    assert code == 2
    assert "no rule named 'nonsense'" in err
