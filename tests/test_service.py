"""The service's answers, without the network around them."""

import json
import os
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import torch
from pref_voting.c1_methods import copeland
from pref_voting.iterative_methods import instant_runoff
from pref_voting.profiles import Profile
from pref_voting.scoring_methods import borda

from elect import rules
from elect.checkpoints import build, load, save, shelf
from elect.elections import Profiles
from elect.errors import ElectError
from elect.learned import Card
from elect.service import sample
from elect.service.limits import ServiceLimits, called, limits_of
from elect.service.rule_catalogue import RuleCatalogue, trained_rules
from elect.service.schemas import WinnersAnswer
from elect.service.worker import OPERATIONS, WARM_UP, answers, as_json
from profiles import random_profile

SMALL = ServiceLimits(candidates=12, ballots=300, voters=10_000, elections=20, rules=30)
ARGUMENTS = {"pair": 4, "place": 4, "width": 8}


def save_network(folder: Path, heads: list[str]) -> Path:
    """An untrained network: what it says is arbitrary, but always the same."""
    torch.manual_seed(0)
    card = Card(
        network="tally",
        arguments=ARGUMENTS,
        objectives=[{"kind": "mimic", "of": head} for head in heads],
        heads=heads,
        culture="uniform",
        voters=[2, 99],
        candidates=[2, 9],
        seed=0,
        steps=1,
        minutes=0.1,
    )
    save(folder, build("tally", ARGUMENTS, len(heads)).state_dict(), card)
    return folder


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> RuleCatalogue:
    place = tmp_path_factory.mktemp("rules")
    one = save_network(place / "borda", ["borda"])
    two = save_network(place / "two", ["instant_runoff", "kemeny"])
    folder = tmp_path_factory.mktemp("private")
    return RuleCatalogue(SMALL, trained_rules([str(one), f"pair={two}"]), str(folder))


def ask(catalogue: RuleCatalogue, operation: str, request: object, status: int = 200):
    """The last answer, which must have this status; text if it is a file."""
    body = request if isinstance(request, bytes) else as_json(request)
    *_, last = answers(operation, body, catalogue)
    assert last.status == status, last.body
    return last if last.filename else json.loads(last.body)


def refusal(catalogue: RuleCatalogue, operation: str, request: object, status: int = 422) -> str:
    answer = ask(catalogue, operation, request, status)
    assert list(answer) == ["error"]
    assert answer["error"].endswith((".", "…"))
    return answer["error"]


def random_election(rng: np.random.Generator, voters: int, candidates: int, truncated=False):
    names = [f"{c}: <b>{c} & 'co'" for c in range(candidates)]
    ballots = []
    for _ in range(voters):
        order = rng.permutation(candidates)[: rng.integers(1, candidates + 1) if truncated else 99]
        ballots.append({"count": int(rng.integers(1, 5)), "ranking": [[names[c]] for c in order]})
    return {"candidates": names, "ballots": ballots}


# ---------------------------------------------------------------------- one election


def test_warm_up_asks_what_can_be_answered(catalogue: RuleCatalogue) -> None:
    for operation, request in WARM_UP:
        ask(catalogue, operation, request)


def test_winners_are_those_of_another_library(catalogue: RuleCatalogue) -> None:
    rng = np.random.default_rng(1)
    for _ in range(10):
        election = random_election(rng, 12, 4)
        names = election["candidates"]
        profile = Profile(
            [[names.index(name) for [name] in b["ranking"]] for b in election["ballots"]],
            [b["count"] for b in election["ballots"]],
        )
        asked = {"borda": borda, "copeland": copeland, "instant_runoff": instant_runoff}
        answer = ask(catalogue, "winners", {**election, "rules": [*asked]})
        for result, method in zip(answer["rules"], asked.values(), strict=True):
            assert result["winners"] == [names[c] for c in sorted(method(profile))]
            assert max(result["scores"].values()) == result["scores"][result["winners"][0]]
        winner = profile.condorcet_winner()
        assert answer["condorcet"] == (None if winner is None else names[winner])
        assert answer["margins"] == [[profile.margin(a, b) for b in range(4)] for a in range(4)]


def test_all_rules_are_asked_unless_some_are_named(catalogue: RuleCatalogue) -> None:
    answer = ask(catalogue, "winners", {"text": "3: a > b > c\n2: b > c > a"})
    WinnersAnswer.model_validate(answer)
    names = [result["rule"] for result in answer["rules"]]
    trained = [*shelf(), "learned-borda", "pair:head=instant_runoff", "pair:head=kemeny"]
    assert names == [*(name for name in rules.RULES if name != "scoring"), *trained]
    decided = [r["rule"] for r in answer["rules"] if "error" not in r]
    assert sorted(name for group in answer["groups"] for name in group["rules"]) == sorted(decided)
    assert answer["candidates"] == ["a", "b", "c"]
    assert answer["voters"] == 5
    assert answer["places"] == [[3, 0, 2], [2, 3, 0], [0, 2, 3]]
    assert all(r["why"].endswith(".") for r in answer["rules"] if "error" not in r)
    short = ask(catalogue, "winners", {"text": "a > b", "rules": ["irv", "irv"], "why": False})
    assert [sorted(r) for r in short["rules"]] == [
        ["caveats", "kind", "rule", "scores", "title", "winners"]
    ]


def test_a_rule_that_refuses_says_so_and_keeps_no_other_from_deciding(
    catalogue: RuleCatalogue,
) -> None:
    answer = ask(catalogue, "winners", {"text": "a > b\n2: b", "rules": ["coombs", "borda"]})
    refused, decided = answer["rules"]
    assert "coombs needs every candidate" in refused["error"]
    assert refused["winners"] == []
    assert decided["winners"] == ["b"]


def test_lines_ballots_and_absent_candidates(catalogue: RuleCatalogue) -> None:
    lines = "# a remark\n2: Ann > Ben = Cleo\n\nCleo>Ann\n 0: Dan > Eve\n3:"
    told = [
        {"count": 2, "ranking": [["Ann"], ["Ben", "Cleo"]]},
        {"ranking": [["Cleo"], ["Ann"]]},
        {"count": 0, "ranking": [["Dan"], ["Eve"]]},
        {"count": 3, "ranking": []},
    ]
    names = ["Ann", "Ben", "Cleo", "Dan", "Eve"]
    asked = {"rules": ["borda", "maximin", "kemeny"]}
    by_text = ask(catalogue, "winners", {"text": lines, **asked})
    assert by_text == ask(catalogue, "winners", {"ballots": told, **asked})
    assert by_text["candidates"] == names
    assert by_text["voters"] == 6
    gone = ask(catalogue, "winners", {"text": lines, "absent": ["Ann", "Eve", "Dan"], **asked})
    without = ask(catalogue, "winners", {"text": "2: Ben = Cleo\nCleo\n3:", **asked})
    assert gone == without


@pytest.mark.parametrize(
    ("election", "said"),
    [
        ({}, "either as ballots or as text"),
        ({"text": "a", "ballots": []}, "either as ballots or as text"),
        ({"text": ""}, "without candidates"),
        ({"text": "0: a > b"}, "without voters"),
        ({"candidates": ["a"], "ballots": []}, "without voters"),
        ({"text": "a > b >"}, "Line 1 lacks a name"),
        ({"text": "a > b\na > a"}, "Ballot 2 ranks 'a' twice"),
        ({"candidates": ["a"], "text": "a > b"}, "'b', who is not a candidate"),
        ({"candidates": ["a", "a"], "text": "a"}, "Two candidates are called 'a'"),
        ({"ballots": [{"ranking": [[" "]]}]}, "has no name"),
        ({"text": "a > b", "absent": ["c"]}, "'c' is to be left out"),
        ({"text": "a > b", "absent": ["a", "b"]}, "without candidates"),
        ({"text": "9999999999999: a"}, "voters are more than the 10,000"),
        ({"text": "a\n" * 301}, "301 ballots are more than the 300"),
        ({"text": ">".join(map(str, range(13)))}, "13 candidates are more than the 12"),
        ({"text": "a", "rules": ["borda"] * 31}, "31 rules are more than the 30"),
        ({"text": "a", "rules": ["bordo"]}, "did you mean 'borda'"),
        ({"text": "a", "rules": ["copeland:tie"]}, "is not a setting"),
        ({"text": "a", "rules": ["copeland:tied=1"]}, "has no setting 'tied'"),
        ({"text": "a", "rules": ["scoring"]}, "needs vector"),
        ({"text": "a", "weight": 3}, "'weight' does not fit"),
        ({"text": 3}, "'text' does not fit: input should be a valid string"),
        ({"ballots": [{"count": "3", "ranking": []}]}, "'ballots.0.count' does not fit"),
        ({"ballots": [{"count": -1, "ranking": []}]}, "greater than or equal to 0"),
        ({"candidates": [""], "ballots": []}, "'candidates.0' does not fit"),
    ],
)
def test_faults_of_an_election_are_told_in_a_sentence(
    catalogue: RuleCatalogue, election, said: str
) -> None:
    assert said in refusal(catalogue, "winners", election)


@pytest.mark.parametrize(
    "setting", ["vector=x", "vector=1/2", "vector=nan/0/0", "vector=1e999/0/0"]
)
def test_settings_that_cannot_be_used_are_told(catalogue: RuleCatalogue, setting: str) -> None:
    spec = f"scoring:{setting}"
    answer = ask(catalogue, "winners", {"text": "a > b > c", "rules": [spec]})
    assert answer["rules"][0]["error"]
    batch = ask(catalogue, "elections", {"rankings": [[[0, 1, 2]]], "rules": [spec]})
    assert batch["results"][0][spec]["error"]


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b"\xff", b'{"text": "\\ud800"}', b"NaN"]
)
def test_what_is_no_json_or_no_object_is_told(catalogue: RuleCatalogue, body: bytes) -> None:
    for operation in ("winners", "elections", "parse", "export", "sample", "welfare"):
        *_, last = answers(operation, body, catalogue)
        assert last.status in (400, 422)


# ---------------------------------------------------------------------- rounds


def test_rounds_are_as_counted_by_hand(catalogue: RuleCatalogue) -> None:
    rng = np.random.default_rng(2)
    for trial in range(20):
        election = random_election(rng, 9, 5, truncated=trial % 2 == 1)
        answer = ask(catalogue, "winners", election)
        counters = {"instant_runoff": tops, "baldwin": points, "coombs": bottoms}
        for rule, count in counters.items():
            result = next(r for r in answer["rules"] if r["rule"] == rule)
            if "error" in result:
                assert rule not in answer["rounds"]
                continue
            told = answer["rounds"][rule]
            *before, last = told
            for number, one in enumerate(before):
                counts = count(election, one["standing"])
                assert one["counts"] == counts
                worst = (max if rule == "coombs" else min)(counts.values())
                assert one["eliminated"] == [c for c in one["standing"] if counts[c] == worst]
                left = [c for c in one["standing"] if c not in one["eliminated"]]
                assert told[number + 1]["standing"] == left
            assert last["eliminated"] == []
            assert set(result["winners"]) <= set(last["standing"])
            if rule != "coombs":
                assert last["counts"] == count(election, last["standing"])
                assert result["winners"] == last["standing"]


def tops(election, standing) -> dict:
    return _ends(election, standing, 0)


def bottoms(election, standing) -> dict:
    return _ends(election, standing, -1)


def _ends(election, standing, end: int) -> dict:
    counts = Counter(dict.fromkeys(standing, 0))
    for ballot in election["ballots"]:
        left = [name for [name] in ballot["ranking"] if name in standing]
        if left:
            counts[left[end]] += ballot["count"]
    return dict(counts)


def points(election, standing) -> dict:
    """Borda points, half a point for a pair that a ballot does not order."""
    counts = dict.fromkeys(standing, 0.0)
    for ballot in election["ballots"]:
        place = {name: k for k, [name] in enumerate(ballot["ranking"])}
        for a, b in combinations(standing, 2):
            first, second = place.get(a, 99), place.get(b, 99)
            gain = 0.5 if first == second else float(first < second)
            counts[a] += gain * ballot["count"]
            counts[b] += (1 - gain) * ballot["count"]
    return counts


# ---------------------------------------------------------------------- trained rules


def test_trained_rules_tell_probabilities_and_caveats(catalogue: RuleCatalogue) -> None:
    answer = ask(catalogue, "winners", {"text": "a > b > c\nb", "rules": ["learned-borda", "pair"]})
    assert [r["rule"] for r in answer["rules"]] == [
        "learned-borda",
        "pair:head=instant_runoff",
        "pair:head=kemeny",
    ]
    for result in answer["rules"]:
        assert result["kind"] == "trained"
        assert sum(result["probabilities"].values()) == pytest.approx(1)
        assert None not in result["scores"].values()
        assert any("truncated" in note for note in result["caveats"])
    assert answer["rounds"] == {}
    listed = {one["name"]: one for one in ask(catalogue, "rules", {})}
    assert listed["pair:head=kemeny"]["card"]["heads"] == ["instant_runoff", "kemeny"]
    assert listed["pair:head=kemeny"]["kind"] == "trained"


def test_a_network_with_several_heads_looks_once(catalogue: RuleCatalogue, monkeypatch) -> None:
    network = catalogue.trained["pair:head=kemeny"].network.network
    seen = []
    forward = type(network).forward
    monkeypatch.setattr(
        type(network), "forward", lambda self, p: seen.append(p) or forward(self, p)
    )
    ask(catalogue, "winners", {"text": "a > b > c\nb > a > c", "rules": ["pair"]})
    assert len(seen) == 1


def test_no_path_is_ever_taken_from_a_client(
    catalogue: RuleCatalogue, tmp_path: Path, monkeypatch
) -> None:
    save_network(tmp_path / "secret", ["borda"])
    monkeypatch.chdir(tmp_path)
    for spec in (str(tmp_path / "secret"), "secret", "./secret", "../secret", "secret:head=borda"):
        for operation, request in (
            ("winners", {"text": "a > b"}),
            ("elections", {"rankings": [[[0, 1]]]}),
            ("welfare", {"culture": "uniform", "welfare": "nash", "voters": 3, "candidates": 3}),
        ):
            assert "There is no rule named" in refusal(
                catalogue, operation, {**request, "rules": [spec]}
            )


def test_rules_of_the_shelf_answer_together_as_they_do_alone(catalogue: RuleCatalogue) -> None:
    rng = np.random.default_rng(5)
    for voters, candidates in ((1, 2), (9, 3), (40, 7), (5, 1)):
        profile = random_profile(rng, voters, candidates)
        for name in shelf():
            rule, alone = catalogue.trained[name], load(name)
            assert torch.allclose(rule(profile), alone(profile), atol=1e-3)
            assert rule.winners(profile).equal(alone.winners(profile))
    many = Profiles.concat([random_profile(rng, 9, 4) for _ in range(3)])
    assert torch.equal(catalogue.trained["tally-borda"](many), load("tally-borda")(many))


def test_names_of_folders(tmp_path: Path) -> None:
    one = save_network(tmp_path / "borda", ["borda"])
    assert list(trained_rules([str(one), str(one), f"fair={one}"])) == [
        *shelf(),
        "learned-borda",
        "learned-borda-2",
        "fair",
    ]
    assert called("fair=runs/7") == ("fair", "runs/7")
    with pytest.raises(ElectError, match="no trained rule"):
        trained_rules([str(tmp_path / "nowhere")])
    told: list[str] = []
    found = trained_rules([str(tmp_path), str(one)], told.append)
    assert [name for name in found if name not in shelf()] == ["learned-borda"]
    assert "holds no trained rule" in told[0]


# ---------------------------------------------------------------------- many elections


def test_a_batch_is_decided_as_one_by_one(catalogue: RuleCatalogue) -> None:
    rng = np.random.default_rng(3)
    asked = ["borda", "coombs", "kemeny", "learned-borda", "copeland:tie=0"]
    elections = [random_election(rng, 2 + i, 2 + i % 4, truncated=i % 3 == 0) for i in range(12)]
    batch = ask(catalogue, "elections", {"elections": elections, "rules": asked})["results"]
    for election, results in zip(elections, batch, strict=True):
        single = ask(catalogue, "winners", {**election, "rules": asked})
        for result in single["rules"]:
            told = results[result["rule"]]
            assert told["winners"] == result["winners"]
            assert ("error" in told) == ("error" in result)
            if result["kind"] == "trained":
                expected = list(result["probabilities"].values())
                assert told["probabilities"] == pytest.approx(expected, abs=1e-5)


def test_rankings_by_number(catalogue: RuleCatalogue) -> None:
    full = [[[0, 1, 2], [0, 2, 1]], [[2, 1, 0], [2, 0, 1]]]
    batch = ask(catalogue, "elections", {"rankings": full, "rules": ["borda"]})["results"]
    assert [one["borda"]["winners"] for one in batch] == [[0], [2]]
    # Ballots of any length, and elections of any number of ballots and candidates.
    ragged = [[[0, 1], [1], [1, 0]], [[3]]]
    batch = ask(catalogue, "elections", {"rankings": ragged, "rules": ["plurality"]})["results"]
    assert [one["plurality"]["winners"] for one in batch] == [[1], [3]]
    more = {"rankings": [[[0], [1]]], "candidates": 4, "rules": ["anti_plurality", "maximin"]}
    [one] = ask(catalogue, "elections", more)["results"]
    assert one["maximin"]["winners"] == [0, 1]
    assert "error" in one["anti_plurality"]


@pytest.mark.parametrize(
    ("batch", "said"),
    [
        ({}, "either as elections or as rankings"),
        ({"rankings": []}, "without elections"),
        ({"rankings": [[]]}, "without voters"),
        ({"rankings": [[[]]]}, "without candidates"),
        ({"rankings": [[[0, 0]]]}, "ranks candidate 0 twice"),
        ({"rankings": [[[0, 5]]], "candidates": 2}, "ranks candidate 5"),
        ({"rankings": [[[99]]]}, "candidates are more than the 12"),
        ({"rankings": [[[0]]] * 21}, "21 elections are more than the 20"),
        ({"rankings": [[["0"]]]}, "should be a valid integer"),
        ({"elections": [{"text": "a"}, {"text": "a > a"}]}, "twice"),
    ],
)
def test_faults_of_a_batch_are_told_in_a_sentence(
    catalogue: RuleCatalogue, batch, said: str
) -> None:
    assert said in refusal(catalogue, "elections", {**batch, "rules": ["borda"]})


def test_padding_cannot_be_blown_up(catalogue: RuleCatalogue) -> None:
    roomy = RuleCatalogue(ServiceLimits(), {}, catalogue.folder)
    ballots = [{"ranking": []}] * 20_000
    tall = {"candidates": ["a"], "ballots": ballots}
    wide = {"candidates": [str(c) for c in range(100)], "ballots": ballots[:1]}
    sentence = refusal(roomy, "elections", {"elections": [tall, *[wide] * 10], "rules": ["borda"]})
    assert "more than" in sentence


# ---------------------------------------------------------------------- files


@pytest.mark.parametrize("kind", ["csv", "preflib"])
def test_what_is_exported_can_be_parsed(catalogue: RuleCatalogue, kind: str) -> None:
    rng = np.random.default_rng(4)
    for trial in range(6):
        election = random_election(rng, 5, 4, truncated=trial % 2 == 1)
        if trial > 3:
            election["ballots"][0]["ranking"] = [election["candidates"][:3]]
        file = ask(catalogue, "export", {**election, "format": kind})
        request = {"text": file.body.decode(), "format": kind, "filename": file.filename}
        back = ask(catalogue, "parse", request)
        assert back["candidates"] == election["candidates"]
        assert tallied(back) == tallied(election)
        tied, cut = trial > 3, trial % 2 == 1 or trial > 3
        suffix = "csv" if kind == "csv" else "st"[tied] + "o" + "ci"[cut]
        assert file.filename == f"election.{suffix}"
    assert os.listdir(catalogue.folder) == []


def tallied(election) -> Counter:
    tally: Counter = Counter()
    for ballot in election["ballots"]:
        tally[json.dumps([sorted(tier) for tier in ballot["ranking"]])] += ballot["count"]
    return tally


def test_formats_that_are_read(catalogue: RuleCatalogue) -> None:
    expected = {"Ann": 2, "Ben": 1}
    texts = {
        "lines": "2: Ann > Ben\n1: Ben > Ann",
        "csv": "count,1,2\r\n2,Ann,Ben\r\n1,Ben,Ann\r\n",
        "preflib": "# NUMBER ALTERNATIVES: 2\n# ALTERNATIVE NAME 1: Ann\n"
        "# ALTERNATIVE NAME 2: Ben\n2: 1,2\n1: 2,1\n",
    }
    old = "2\n1,Ann\n2,Ben\n3,3,2\n2,1,2\n1,2,1\n"
    for kind, text in [*texts.items(), ("preflib", old)]:
        told = ask(catalogue, "parse", {"text": text, "format": kind})
        assert {b["ranking"][0][0]: b["count"] for b in told["ballots"]} == expected


def test_faults_of_a_file_do_not_tell_where_it_was(catalogue: RuleCatalogue) -> None:
    for kind, text in (("csv", "count,1\nx,Ann\n"), ("preflib", "1: 1,1\n"), ("csv", "\0")):
        for name in ("../../etc/passwd", "a.soc", None):
            sentence = refusal(catalogue, "parse", {"text": text, "format": kind, "filename": name})
            assert catalogue.folder not in sentence
            assert "/" not in sentence
    unwritable = {"text": "2: a > b", "candidates": ["a", "b", "c=d"], "format": "csv"}
    assert catalogue.folder not in refusal(catalogue, "export", unwritable)
    assert os.listdir(catalogue.folder) == []


# ---------------------------------------------------------------------- samples and welfare


def test_samples(catalogue: RuleCatalogue) -> None:
    request = {"culture": "mallows:phi=0.3", "voters": 40, "candidates": 5, "seed": 7}
    drawn = ask(catalogue, "sample", request)
    assert drawn == ask(catalogue, "sample", request)
    assert drawn != ask(catalogue, "sample", {**request, "seed": 8})
    assert drawn["candidates"] == ["A", "B", "C", "D", "E"]
    counts = [ballot["count"] for ballot in drawn["ballots"]]
    assert sum(counts) == 40
    assert counts == sorted(counts, reverse=True)
    ask(catalogue, "winners", drawn)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"culture": "single_peaked_walsh"}, "does not sample from 'single_peaked_walsh'"),
        ({"culture": "nowhere"}, "no culture named"),
        ({"culture": "impartial+euclidean:dimension=1000000000"}, "dimensions are more"),
        ({"culture": "euclidean:dimension=1000000000"}, "dimensions are more than the 16"),
        ({"culture": "mallows"}, "needs phi"),
        ({"voters": 301}, "301 voters are more than the 300"),
        ({"candidates": 13}, "13 candidates are more than the 12"),
        ({"voters": 0}, "'voters' does not fit"),
        ({"seed": -1}, "'seed' does not fit"),
    ],
)
def test_samples_that_cannot_be_drawn(catalogue: RuleCatalogue, change, said: str) -> None:
    request = {"culture": "impartial", "voters": 5, "candidates": 3, **change}
    assert said in refusal(catalogue, "sample", request)


def test_welfare_has_a_ceiling(catalogue: RuleCatalogue) -> None:
    request = {"culture": "polarized", "welfare": "utilitarian", "voters": 15, "candidates": 4}
    answer = ask(catalogue, "welfare", {**request, "rules": ["plurality", "borda", "approval"]})
    *told, refused = answer["rules"]
    assert "approval needs" in refused["error"]
    for one in [*told, answer["best"]]:
        assert sum(one["histogram"]) == pytest.approx(1, abs=1e-3)
        middles = (np.array(answer["edges"][1:]) + answer["edges"][:-1]) / 2
        assert one["mean"] == pytest.approx(middles @ one["histogram"], abs=0.011)
        # On average nobody who sees rankings only does better than the best possible rule.
        assert one["mean"] <= answer["best"]["mean"] + 1e-9
    assert answer["best"]["mean"] < 1
    assert ask(catalogue, "welfare", {**request, "culture": "euclidean"})["best"] is None
    assert "no utilities" in refusal(catalogue, "welfare", {**request, "culture": "impartial"})
    huge = {**request, "voters": 5000, "candidates": 12}
    assert "utilities in an election" in refusal(catalogue, "welfare", huge)
    assert "no welfare named" in refusal(catalogue, "welfare", {**request, "welfare": "wealth"})


# ---------------------------------------------------------------------- catalogue and limits


def test_the_catalogue_names_what_can_be_asked_for(catalogue: RuleCatalogue, monkeypatch) -> None:
    monkeypatch.setattr(sample, "ELECTIONS", sample.FEWEST)
    for one in ask(catalogue, "rules", {}):
        assert one["definition"]
        assert one["ballots"].keys() == {"complete", "truncated", "tied"}
        spec = f"{one['name']}:vector=2/1/0" if one["name"] == "scoring" else one["name"]
        ask(catalogue, "winners", {"text": "a > b > c", "rules": [spec]})
    for one in ask(catalogue, "welfares", {}):
        request = {"culture": "uniform", "welfare": one["name"], "voters": 3, "candidates": 3}
        ask(catalogue, "welfare", request)
    for one in ask(catalogue, "cultures", {}):
        needed = {"mallows": ":phi=0.5", "urn": ":alpha=0.1"}
        spec = one["name"] + needed.get(one["name"], "")
        request = {"culture": spec, "voters": 3, "candidates": 3}
        ask(catalogue, "sample", request)
        answer = ask(
            catalogue, "welfare", {**request, "welfare": "nash"}, 200 if one["utilities"] else 422
        )
        assert (answer.get("best") is not None) == one["ceiling"]


def test_an_accident_is_told_without_the_ballots(
    catalogue: RuleCatalogue, monkeypatch, capsys
) -> None:
    def fail(body: bytes, catalogue: RuleCatalogue):
        raise KeyError("Ann > Ben")

    monkeypatch.setitem(OPERATIONS, "winners", fail)
    assert "Ann" not in refusal(catalogue, "winners", {"text": "Ann > Ben"}, 500)
    line = json.loads(capsys.readouterr().err)
    assert line["kind"] == "KeyError"
    assert "Ann" not in json.dumps(line)


def test_sentences_do_not_repeat_all_that_was_sent(catalogue: RuleCatalogue) -> None:
    assert len(refusal(catalogue, "winners", {"text": "a", "x" * 100_000: 1})) < 500
    assert len(refusal(catalogue, "winners", {"text": "a", "absent": ["x" * 100_000]})) < 500


def test_limits_as_one_writes_them() -> None:
    assert limits_of([]) == ServiceLimits()
    assert limits_of(["Candidates=7", "seconds=0.5"]) == ServiceLimits(candidates=7, seconds=0.5)
    for setting in ("candidates", "candidates=x", "candidates=0", "seconds=nan", "colour=7"):
        with pytest.raises(ElectError):
            limits_of([setting])
