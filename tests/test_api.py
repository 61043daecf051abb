"""The calls that people try first: each works, or says in one sentence what to do."""

import math

import numpy as np
import pytest

import elect
from elect import Profiles
from elect.training import run as run_training

BOARD = {
    ("Anna", "Ben", "Cleo", "Dan"): 7,
    ("Ben", "Cleo", "Anna", "Dan"): 6,
    ("Cleo", "Anna", "Dan", "Ben"): 5,
    ("Dan", "Cleo", "Ben", "Anna"): 3,
}


def first_places(profiles):
    """A rule of a user: the share of first places, as a NumPy array."""
    return profiles.places[:, :, 0].numpy() / profiles.num_voters.numpy()[:, None]


def test_decide_names_the_winners():
    decision = elect.decide("borda", BOARD)
    assert decision.winners == ["Cleo"]
    assert decision.scores == {"Anna": 37, "Ben": 35, "Cleo": 40, "Dan": 14}
    assert decision.ranking == [["Cleo"], ["Anna"], ["Ben"], ["Dan"]]
    assert str(decision).startswith("Borda elects Cleo: Cleo gets 40 points")
    assert decision.to_json()["winners"] == ["Cleo"]


def test_compare_shows_what_the_command_shows():
    found = elect.compare(BOARD)
    assert found.condorcet is None
    assert found.smith_set == ["Anna", "Ben", "Cleo"]
    assert {row["rule"] for row in found.rows()} >= {"borda", "kemeny", "instant_runoff"}
    assert "Instant runoff" in str(found)
    assert found.refused
    assert [one.rule.name for one in elect.compare(BOARD, ["irv", "schulze"]).decisions] == [
        "instant_runoff",
        "beat_path",
    ]


@pytest.mark.parametrize("name", ["tally-borda", "borda", "copeland:tie=0", first_places])
def test_whatever_names_a_rule_works_everywhere(name):
    profile = Profiles.from_rankings(BOARD)
    assert elect.winners(name, profile).shape == (1, 4)
    assert elect.why(name, profile).endswith(".")
    assert elect.decide(name, profile).winners
    assert elect.audit(name, axioms="majority", elections=20).axioms["majority"]
    assert 0 <= float(elect.evaluate(name, "plurality", elections=16).overall.any_winner) <= 1


def test_winners_of_elections_and_of_pref_voting_profiles():
    elections = elect.sample("impartial", 5, 3, elections=4)
    assert elect.winners("borda", elections).shape == (4, 3)
    theirs = Profiles.from_rankings(BOARD).to_pref_voting()
    assert elect.winners("borda", theirs).tolist() == [[False, False, True, False]]
    assert elect.as_pref_voting("borda")(theirs) == [2]


def test_names_of_cultures_and_welfares():
    found = elect.ceiling("uniform", "utilitarian", voters=(2, 5), candidates=(2, 3), elections=32)
    assert 0 < float(found.accuracy) <= 1
    elections = elect.sample("polarized", 7, 3, elections=2)
    assert elect.judge("nash", elections).shape == (2, 3)
    assert elect.culture("IC")(elections=2, voters=3, candidates=3).profiles.num_voters.tolist()
    assert elect.culture("mallows", phi=0.5) is not None
    assert elect.rule("copeland", tie=0).spec == "copeland:tie=0"


@pytest.mark.parametrize("what", ["copeland", first_places])
def test_train_takes_a_name_or_a_function(what, tmp_path, monkeypatch):
    monkeypatch.setattr(run_training, "MEASURED", 32)
    rule = elect.train(what, out=tmp_path / "x", steps=3, voters=(2, 5), candidates=(2, 4))
    assert rule.card.measured[0]["elections"] == 32
    assert elect.decide(tmp_path / "x", Profiles.from_rankings(BOARD)).winners


def test_train_for_a_welfare(tmp_path, monkeypatch):
    monkeypatch.setattr(run_training, "MEASURED", 16)
    monkeypatch.setattr(run_training, "JUDGED", 4)
    options = {"steps": 2, "voters": (2, 4), "candidates": (2, 3)}
    rule = elect.train(welfare="nash", culture="polarized", out=tmp_path / "y", **options)
    assert rule.card.heads == ["nash"]


def test_train_says_what_is_missing(tmp_path):
    with pytest.raises(elect.ElectError, match="Name the folder"):
        elect.train("copeland")
    with pytest.raises(elect.ElectError, match="Say what to learn"):
        elect.train(out=tmp_path)


def test_estimates_are_numbers_and_results_are_short():
    found = elect.audit("borda", axioms="majority", elections=50)
    assert not math.isnan(float(found.axioms["majority"].holds))
    evaluation = elect.evaluate("borda", "kemeny", elections=32, candidates=(2, 4))
    for result in (found, evaluation, elect.decide("borda", BOARD), elect.compare(BOARD)):
        assert len(repr(result)) < 2_500
        assert str(result)
        assert result.rows()


def test_lists_of_numbers_from_one_have_no_phantom_candidate():
    profile = Profiles.from_rankings([[1, 2, 3], [2, 3, 1]])
    assert profile.labels == ("1", "2", "3")
    assert int(Profiles.from_rankings(BOARD).num_voters) == 21
    assert int(Profiles.from_rankings(np.array([[0, 1, 2]])).num_candidates) == 3


def test_simulate_gives_rows():
    found = elect.simulate(["borda", "irv"], ["impartial", "uniform"], voters=5, elections=50)
    assert {row["rule"] for row in found.rows()} >= {"borda"}
    assert len(found.rows()) == 4
