"""Evaluation of rules that mimic others, against counts by hand; by bands, cultures, real votes."""

import json
import math
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch

import elect
from elect.cultures import Impartial, Resample
from elect.elections import Elections, Profiles
from elect.errors import ElectError
from elect.learned import Card, LearnedRule
from elect.measuring.batches import ENTRIES
from elect.measuring.evaluation import FRESH, Trial, evaluate, evaluate_together
from elect.networks import network
from elect.objectives import mimic
from elect.rules import RULES, rule, winners
from elect.rules import settled as winners_or_nobody
from profiles import always, random_profile, weak_profile

A, B, C = range(3)
PAPER = {"voters": (2, 99), "candidates": (2, 29)}


# Plurality elects A, A, A or B, A, A or B; Borda elects B, A, A or B, A or B, anyone.
FIVE = Profiles.concat(
    [
        Profiles.from_rankings([[A, B, C], [B, C, A]], weights=[3, 2]),
        Profiles.from_rankings([[A, B, C], [B, A, C]], weights=[2, 1]),
        Profiles.from_rankings([[A, B, C], [B, A, C]]),
        Profiles.from_rankings([[A, B, C], [B, C, A]], weights=[2, 1]),
        Profiles.from_rankings([[A, C, B], [B, C, A]]),
    ]
)


def on_five(function, target, **settings):
    sizes = {"voters": (2, 5), "candidates": 3, "elections": 5}
    return evaluate(function, target, always(Elections(FIVE)), **sizes, **settings)


class Sure:
    """A learned rule, as far as an evaluation can tell, with the same logits everywhere."""

    def __init__(self, *logits):
        self.logits = torch.tensor(logits)

    def __call__(self, profiles):
        return self.logits.expand(len(profiles), -1)

    def probabilities(self, profiles):
        return self(profiles).softmax(1)

    def winners(self, profiles):
        chances = self.probabilities(profiles)
        return chances >= chances.amax(1, keepdim=True) / 2


# ---------------------------------------------------------------------- mimicking


def test_elections_on_which_a_rule_gives_up_count_for_nothing_else():
    elections = Impartial()(60, (3, 3), (8, 8), seed=1)
    settled = winners_or_nobody("ranked_pairs:patience=1", elections.profiles).any(1)
    assert 0 < settled.sum() < 60
    known = elections.profiles[settled]
    sizes = {"voters": 3, "candidates": 8}
    target = "ranked_pairs:patience=1"
    some = evaluate("borda", target, always(elections), elections=60, **sizes).overall
    others = evaluate(
        "borda", "ranked_pairs", always(Elections(known)), elections=len(known), **sizes
    ).overall
    assert (some.elections, some.unsettled) == (60, 60 - len(known))
    assert (others.elections, others.unsettled) == (len(known), 0)
    assert some.to_json() | {"elections": 0, "unsettled": 0} == others.to_json() | {"elections": 0}
    turned = evaluate(target, "borda", always(elections), elections=60, **sizes)
    assert turned.overall.unsettled == some.unsettled
    assert turned.overall.any_winner.elections == len(known)
    assert "unsettled" in str(turned)


def test_a_rule_that_gives_up_can_be_held_against_a_welfare():
    sizes = {"voters": 3, "candidates": 8, "elections": 60}
    found = evaluate("ranked_pairs:patience=1", "utilitarian", **sizes, samples=16).overall
    assert found.unsettled > 0
    assert found.accuracy.elections == found.welfare_ratio.mean.elections == 60 - found.unsettled
    assert found.shortfall.elections == 60 - found.unsettled


def test_mimicking_counted_by_hand():
    found = on_five("borda", "plurality").overall
    assert found.elections == 5
    assert found.accuracy.elections == 3
    assert found.accuracy.value == pytest.approx((0 + 1 + 1 / 2) / 3)
    assert found.any_winner.value == pytest.approx((0 + 1 + 1 + 1 / 2 + 2 / 3) / 5)
    assert found.exact_set.value == pytest.approx(2 / 5)
    assert found.ceiling is found.welfare_ratio is found.excess_entropy is found.shortfall is None


def test_functions_are_rules_and_padding_never_wins():
    mixed = Profiles.concat([FIVE, random_profile(np.random.default_rng(0), 2, 5)])
    for padding in (9.0, torch.nan):

        def plurality(profiles, padding=padding):
            return profiles.places[:, :, 0].float().masked_fill(~profiles.mask, padding)

        sizes = {"voters": (2, 5), "candidates": (3, 5), "elections": 6}
        found = evaluate(plurality, mimic("plurality"), always(Elections(mixed)), **sizes).overall
        assert found.accuracy.value == found.any_winner.value == found.exact_set.value == 1
        asked = evaluate("plurality", plurality, always(Elections(mixed)), **sizes).overall
        assert asked.accuracy.value == asked.exact_set.value == 1


def test_a_learned_rule_says_itself_whom_it_elects():
    found = on_five(Sure(0.1, 0.0, -5.0), "plurality").overall
    assert found.accuracy.value == found.any_winner.value == 1
    assert found.exact_set.value == pytest.approx(2 / 5)
    chance = math.exp(0.1) / (math.exp(0.1) + 1 + math.exp(-5))
    assert found.excess_entropy.value == pytest.approx(-math.log(chance) - math.log(3))
    assert found.excess_entropy.elections == 3
    # As a target too: it ties A and B everywhere.
    mimicked = on_five("plurality", mimic(Sure(0.1, 0.0, -5.0))).overall
    assert mimicked.accuracy is None
    assert mimicked.any_winner.value == 1
    assert mimicked.exact_set.value == pytest.approx(2 / 5)


def test_the_null_test_of_one_who_knows_nothing():
    found = on_five(Sure(0.0, 0.0, 0.0), "plurality").overall
    assert found.excess_entropy.value == pytest.approx(0)
    assert found.accuracy.value == pytest.approx(1 / 3)
    assert found.any_winner.value == pytest.approx((3 * 1 / 3 + 2 * 2 / 3) / 5)
    assert found.exact_set.value == 0


def test_a_network_that_was_never_trained():
    card = Card("deepsets", {"width": 16}, [{}], ["borda"], "uniform", [2, 9], [2, 5], 0, 0, 0.0)
    torch.manual_seed(0)
    learned = LearnedRule(network("deepsets:width=16", heads=1), card)
    sizes = {"voters": (2, 9), "candidates": (2, 5), "elections": 300}
    found = evaluate(learned, "borda", **sizes).overall
    assert found.accuracy.value < 0.6 < found.best_guess[1].value
    assert abs(found.excess_entropy.value) < 0.5
    profiles = Impartial()(20, 5, 4, seed=0).profiles
    fixed = {"voters": 5, "candidates": 4, "elections": 20}
    exact = (learned.winners(profiles) == winners("borda", profiles)).all(1).double().mean()
    again = evaluate(learned, "borda", always(Elections(profiles)), **fixed).overall
    assert again.exact_set.value == pytest.approx(exact.item())


def test_borda_guesses_copeland_and_maximin_as_often_as_known():
    for target, known in (("copeland:tie=0", 0.81), ("maximin", 0.755)):
        found = evaluate("borda", target, **PAPER, elections=3000, guesses=[]).overall
        # The known values have two or three digits, from some thousand elections.
        assert found.accuracy.low - 0.015 < known < found.accuracy.high + 0.015


# ---------------------------------------------------------------------- guesses


def test_the_best_guess_is_the_best_of_all_others():
    found = evaluate(lambda p: p.mask.double(), "copeland", "impartial", 9, 5, 200).overall
    # The seeds of an evaluation's batches are part of what it promises.
    rng = np.random.default_rng([0, 0, 0, FRESH])
    profiles = Impartial()(200, (9, 9), (5, 5), seed=rng).profiles
    won = winners("copeland", profiles)
    untied = won.sum(1) == 1
    for name, accuracy in found.guesses.items():
        guess = winners(name, profiles)
        credit = (guess & won)[untied].sum(1) / guess[untied].sum(1)
        assert accuracy.value == pytest.approx(credit.mean().item())
    assert found.best_guess == max(found.guesses.items(), key=lambda item: item[1].value)
    assert {"borda", "maximin", "beat_path", "instant_runoff"} < set(found.guesses)


@pytest.mark.parametrize("asked", ["schulze", "copeland:tie=0", "llull", rule("copeland:tie=0")])
def test_nobody_guesses_himself(asked):
    guesses = on_five("borda", asked).overall.guesses
    assert guesses.keys() <= RULES.keys() - {"borda"}
    assert guesses
    if asked == "schulze":
        assert "beat_path" not in guesses
        assert "copeland" in guesses
    else:
        assert not {"copeland", "llull"} & guesses.keys()


def test_rules_that_refuse_the_ballots_do_not_guess():
    truncated = weak_profile(np.random.default_rng(1), 40, 5, ties=False)
    complete = random_profile(np.random.default_rng(1), 40, 5)
    both = {"some": truncated, "all": complete}
    found = evaluate("plurality", "maximin", both, (2, 20), elections=50)
    assert "borda" in found.overall.guesses
    assert "coombs" not in found.overall.guesses
    assert "coombs" in found.by_culture["all"].guesses
    assert "coombs" not in found.by_culture["some"].guesses


# ---------------------------------------------------------------------- bands, cultures, real votes


def test_bands_are_parts_of_the_whole():
    found = evaluate("borda", "plurality", "impartial", (2, 120), (2, 12), 700, guesses=[])
    assert list(found.by_voters) == ["2-49", "50-99", "100-120"]
    assert list(found.by_candidates) == ["2-4", "5-9", "10-12"]
    for parts in (found.by_voters, found.by_candidates):
        assert sum(part.elections for part in parts.values()) == 700
        right = sum(part.accuracy.value * part.accuracy.elections for part in parts.values())
        assert right == pytest.approx(
            found.overall.accuracy.value * found.overall.accuracy.elections
        )
    asked = evaluate(
        "borda",
        "plurality",
        "impartial",
        (2, 120),
        (2, 12),
        700,
        guesses=[],
        voter_bands=[(2, 49), 7],
    )
    assert asked.by_voters["2-49"] == found.by_voters["2-49"]
    assert 0 < asked.by_voters["7"].elections < 30


def test_bands_by_hand():
    found = on_five("borda", "plurality", voter_bands=[2, 3, 5, (6, 9)]).by_voters
    assert [part.elections for part in found.values()] == [2, 2, 1, 0]
    assert found["2"].accuracy is None
    assert found["3"].accuracy.value == 0.75
    assert found["5"].accuracy.value == 0
    assert found["6-9"].any_winner is None
    assert not found["6-9"].guesses


def test_cultures_side_by_side():
    both = {"agreeing": "mallows:phi=0.2", "at random": Impartial()}
    settings = {"voters": (2, 30), "candidates": (3, 6), "elections": 300}
    found = evaluate("plurality", "borda", both, **settings)
    assert found.cultures == ("agreeing", "at random")
    assert found.overall.elections == 600
    agreeing, random = found.by_culture.values()
    assert agreeing.accuracy.low > random.accuracy.high
    alone = evaluate("plurality", "borda", "mallows:phi=0.2", **settings).overall
    assert alone == agreeing


def test_sub_elections_of_a_real_election():
    real = random_profile(np.random.default_rng(3), 60, 4).merged()
    found = evaluate("borda", "copeland", {"real": real}, (2, 60), elections=200)
    assert (found.voters, found.candidates) == ((2, 60), (4, 4))
    same = {"real": Resample(real, replace=False)}
    assert evaluate("borda", "copeland", same, (2, 60), elections=200) == found
    # All voters of an election are the election.
    whole = evaluate("borda", "copeland", real, 60, elections=3, guesses=[]).overall
    assert whole.exact_set.value == (winners("borda", real) == winners("copeland", real)).all()
    with pytest.raises(ElectError, match="99 voters cannot be drawn from 60"):
        evaluate("borda", "copeland", real, (2, 99))
    assert evaluate("borda", "copeland", {"real": real}, elections=200) == found


# ---------------------------------------------------------------------- as a whole


def test_a_seed_is_an_evaluation():
    settings = {"voters": (2, 20), "candidates": (2, 6), "elections": 700}
    found = evaluate("borda", "nash", **settings, seed=3, ceiling_elections=20, samples=16)
    again = evaluate("borda", "nash", **settings, seed=3, ceiling_elections=20, samples=16)
    assert found == again
    fewer = evaluate("borda", "nash", **settings, seed=3, ceiling_elections=0, guesses=[])
    assert fewer.overall.accuracy == found.overall.accuracy
    assert fewer.overall.welfare_ratio.mean == found.overall.welfare_ratio.mean
    other = evaluate("borda", "nash", **settings, seed=4, ceiling_elections=0)
    assert other.overall.welfare_ratio.mean != found.overall.welfare_ratio.mean


def test_batches_are_bounded_and_progress_is_told():
    asked, shares = [], []

    def source(count, voters, candidates, *, seed):
        asked.append(count)
        return Impartial()(count, 3, candidates, seed=seed)

    settings = {"elections": 1200, "guesses": [], "progress": shares.append}
    evaluate("borda", "plurality", source, 10, 3, **settings)
    assert asked == [512, 512, 176]
    assert shares == pytest.approx([512 / 1200, 1024 / 1200, 1])
    asked.clear()
    evaluate("borda", "plurality", source, 100_000, 20, elections=5, guesses=[])
    assert asked == [ENTRIES // 2_000_000] * 2 + [1]


def test_json():
    mimicked = on_five("borda", "plurality")
    judged = evaluate("borda", "nash", "uniform", (2, 60), 3, 20, ceiling_elections=4, samples=8)
    for found in (mimicked, judged):
        written = json.loads(json.dumps(found.to_json(), allow_nan=False))
        assert written["accuracy"] == found.overall.accuracy.value
        assert written["interval"] == list(found.overall.accuracy.interval)
        assert written["elections"] == found.overall.elections
        assert written["best_guess"] == written["guesses"][written["best_guess_rule"]]
        assert written["voters"] == list(found.voters)
        assert written["accuracy_interval"] == written["interval"]
    assert mimicked.to_json()["ceiling"] is None
    assert judged.to_json()["any_winner"] is judged.to_json()["exact_set"] is None
    assert judged.to_json()["ceiling"] == judged.overall.ceiling.value
    assert judged.to_json()["by_voters"]["50-60"]["elections"] > 0
    assert list(judged.parts) == ["all", "2-49 voters", "50-60 voters"]


def test_an_evaluation_prints_itself():
    found = evaluate("borda", "nash", "uniform", (2, 60), 3, 20, ceiling_elections=4, samples=8)
    heading, _, headers, _, *rest = str(found).splitlines()
    assert heading == (
        "borda compared with nash: 20 elections from uniform; 2-60 voters, 3 candidates, seed 0."
    )
    assert headers.split("  ")[0] == "elections"
    assert "welfare ratio" in headers
    assert "any winner" not in headers
    assert [line.split("  ")[0] for line in rest[:3]] == ["all", "2-49 voters", "50-60 voters"]
    mimicked = on_five("borda", "plurality")
    assert "any winner: how often it elects one of the target's winners" in str(mimicked)
    assert len(repr(mimicked)) < 100
    assert len(repr(mimicked.overall)) < 100


def test_an_evaluation_in_a_notebook_and_in_pandas(monkeypatch):
    found = replace(on_five("borda", "plurality", voter_bands=[2, 3, 5]), rule="<b>")
    page = found._repr_html_()
    assert "<table>" in page
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    rows = found.rows()
    assert [row["part"] for row in rows] == ["all", "2 voters", "3 voters", "5 voters"]
    assert rows[0]["accuracy"] == float(found.overall.accuracy)
    assert rows[0]["accuracy_low"] == found.overall.accuracy.low
    assert rows[1]["accuracy"] is None
    frame = found.to_pandas()
    assert frame.exact_set.tolist() == [row["exact_set"] for row in rows]
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ElectError, match="pip install pandas"):
        found.to_pandas()


def test_a_trained_rule_is_evaluated_on_what_it_was_trained_on():
    found = evaluate("tally-kemeny", elections=64)
    learned = elect.load("tally-kemeny")
    assert (found.rule, found.target, found.cultures) == ("tally-kemeny", "kemeny", ("uniform",))
    assert list(found.candidates) == learned.card.candidates
    again = evaluate(learned, "kemeny", "uniform", found.voters, found.candidates, 64)
    assert again.overall == found.overall
    with pytest.raises(ElectError, match="Name the target of borda"):
        evaluate("borda")


def test_targets_are_computed_once_for_all_rules():
    calls = []

    def plurality(profiles):
        calls.append(len(profiles))
        return profiles.places[:, :, 0].double()

    trials = {name: Trial(name, plurality, ()) for name in ("borda", "copeland", "maximin")}
    evaluate_together(trials, "impartial", 5, 3, elections=40)
    assert calls == [40]


def test_faults_in_one_sentence():
    settings = {"voters": 3, "candidates": 3, "elections": 5}
    for faulty, message in (
        (lambda: evaluate("nonsense", "borda", **settings), "no rule named 'nonsense'"),
        (lambda: evaluate("borda", "utilitarain", **settings), "did you mean 'utilitarian'"),
        (lambda: evaluate("borda", "copeland", "nowhere", **settings), "no culture named"),
        (lambda: evaluate("borda", "nash", "impartial", **settings), "no utilities"),
        (lambda: evaluate("borda", "copeland", {}, **settings), "at least one culture"),
        (lambda: evaluate("borda", "copeland", elections=0), "at least 1 election"),
        (lambda: evaluate("borda", "copeland", **settings, guesses=["brda"]), "no rule named"),
        (lambda: evaluate("borda", "copeland", voters=(9, 2)), "must go upwards"),
        (
            lambda: evaluate(lambda p: p.mask, mimic(lambda p: 3), **settings),
            "must return one score",
        ),
        (lambda: evaluate(lambda p: p.support, "borda", **settings), "one score per election"),
        (lambda: evaluate(lambda p: p.mask / 0 * 0, "borda", **settings), "is NaN"),
    ):
        with pytest.raises(ElectError, match=message):
            faulty()


def test_several_rules_together_are_each_as_if_alone():
    trials = {
        "borda": Trial("borda", "copeland", ()),
        "welfare": Trial("plurality", "nash", (), 20),
    }
    sizes = {"voters": (2, 9), "candidates": (2, 5), "elections": 60, "seed": 3, "samples": 8}
    found = evaluate_together(trials, **sizes)
    assert found["borda"] == evaluate("borda", "copeland", guesses=(), **sizes)
    alone = evaluate("plurality", "nash", guesses=(), ceiling_elections=20, **sizes)
    assert found["welfare"] == alone


def test_one_label_is_what_a_lot_among_tied_winners_says():
    found = evaluate("kemeny", "kemeny", voters=2, candidates=3, elections=200, guesses=()).overall
    assert found.accuracy.value == found.any_winner.value == 1
    assert 0.3 < found.one_label.value < 0.9
    one = evaluate("plurality", "plurality", voters=1, candidates=3, elections=50, guesses=())
    assert one.overall.one_label.value == 1


def test_elections_that_an_objective_leaves_out_count_as_unsettled():
    target = mimic("kemeny", max_candidates=4)
    found = evaluate("borda", target, voters=5, candidates=(3, 6), elections=200, guesses=())
    small = found.by_candidates["3-4"]
    assert small.unsettled == 0
    assert found.overall.unsettled == 200 - small.elections
    assert found.overall.any_winner == small.any_winner
