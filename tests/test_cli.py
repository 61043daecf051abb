"""The command line as a user meets it: what is printed where, and with which exit code."""

import hashlib
import json
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

import elect
from boards import BOARD
from elect import datasets, files
from elect.checkpoints import shelf
from elect.cli.cultures import parse_range
from elect.errors import ElectError
from elect.rules import RULES


def parsed(text):
    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


def words(text):
    return " ".join(text.split())


# ---------------------------------------------------------------------- winner


def test_winner_shows_every_rule(run, ballots):
    code, out, err = run("winner", ballots(BOARD))
    assert (code, err) == (0, "")
    assert "\x1b" not in out
    starts = [line.split("  ")[0] for line in out.splitlines()]
    titles = [rule.title for name, rule in RULES.items() if name not in ("scoring", "approval")]
    assert [start for start in starts if start in titles] == titles
    assert "approval" in starts
    assert [start for start in starts if start in shelf()] == shelf()
    assert "9 voters, 3 candidates, complete ballots" in out
    assert "No Condorcet winner" in out
    assert "Ann is the first choice of 4 of 9 voters" in words(out)
    assert "Ann, Ben (tie)" in words(out)
    assert "Not counted" in out


def test_winner_says_the_condorcet_winner_and_the_title(run, ballots):
    text = "# TITLE: Board 2024\n# NUMBER ALTERNATIVES: 2\n# ALTERNATIVE NAME 1: Ann\n"
    text += "# ALTERNATIVE NAME 2: Ben\n# DATA TYPE: soi\n3: 1,2\n1: 2\n"
    _, out, _ = run("winner", ballots(text, "x.soi"), "--rule", "borda")
    assert "Board 2024 (x.soi)" in out
    assert "4 voters, 2 candidates, truncated ballots" in out
    assert "Condorcet winner: Ann beats everyone else" in out


def test_winner_in_json(run, ballots):
    code, out, err = run("winner", ballots(BOARD), "--json")
    assert (code, err) == (0, "")
    exact = [name for name in RULES if name not in ("scoring", "approval")]
    everyone = parsed(out)
    assert [answer["rule"] for answer in everyone] == [*exact, *shelf()]
    answers = everyone[: len(exact)]
    for answer in everyone[len(exact) :]:
        assert list(answer) == ["rule", "winners", "scores", "probabilities", "caveats"]
    for answer in answers:
        assert list(answer) == ["rule", "winners", "scores"]
        scores = answer["scores"]
        assert list(scores) == ["Ann", "Ben", "Cleo"]
        assert answer["winners"] == [c for c in scores if scores[c] == max(scores.values())]
    by_rule = {answer["rule"]: answer for answer in answers}
    assert by_rule["plurality"]["scores"] == {"Ann": 4, "Ben": 3, "Cleo": 2}
    assert by_rule["borda"]["winners"] == ["Ann", "Ben"]
    assert '"Ann": 4,' in out, "whole numbers are written as such"


def test_rules_are_echoed_as_asked(run, ballots):
    asked = ["Instant-Runoff", "copeland:tie=0", "schulze", "scoring:vector=5/2.5/0"]
    options = [option for name in asked for option in ("--rule", name)]
    _, out, _ = run("winner", ballots(BOARD), *options, "--json")
    answers = parsed(out)
    assert [answer["rule"] for answer in answers] == asked
    assert answers[3]["scores"] == {"Ann": 25, "Ben": 25, "Cleo": 17.5}


def test_rules_that_refuse_are_left_out_of_json(run, ballots):
    _, out, _ = run("winner", ballots("Ann,Ben,Cleo\nBen\n"), "--json")
    named = {answer["rule"] for answer in parsed(out)}
    assert not named & {"anti_plurality", "coombs", "dodgson", "approval", "scoring"}
    assert {"plurality", "borda", "kemeny", "bucklin"} <= named


def test_names_are_printed_literally(run, ballots):
    path = ballots("[red]Åsa[/red],:smile:,日本\n")
    _, out, _ = run("winner", path, "--rule", "kemeny")
    assert "[red]Åsa[/red] > :smile: > 日本" in words(out)
    _, out, _ = run("rank", path, "--rule", "borda")
    assert all(name in out for name in ("[red]Åsa[/red]", ":smile:", "日本"))
    _, out, _ = run("winner", path, "--rule", "borda", "--json")
    assert "日本" in out


def test_nothing_is_cut_off(run, ballots):
    names = [f"The Honourable Candidate Number {i} of Somewhere-upon-Thames" for i in range(9)]
    _, out, _ = run("winner", ballots(",".join(names) + "\n" + ",".join(reversed(names))))
    assert max(map(len, out.splitlines())) <= 80
    # Both ends of the only two ballots tie: their names are there, whole, down a column.
    column = " ".join(line[17:43].strip() for line in out.splitlines() if "─" not in line)
    assert names[0] in words(column)
    assert names[8] in words(column)


def test_colour_is_for_terminals(run, ballots, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    _, out, _ = run("winner", ballots(BOARD), "--rule", "plurality")
    assert "\x1b[1mAnn" in out


# ---------------------------------------------------------------------- rank


def test_rank_shares_places(run, ballots):
    path = ballots("Ann,Ben,Cleo,Dan\nAnn,Cleo,Ben,Dan\n")
    _, out, _ = run("rank", path, "--rule", "borda")
    rows = [line.split() for line in out.splitlines() if line.strip()[:1].isdigit()]
    assert rows == [["1", "Ann", "6"], ["2", "Ben", "3"], ["2", "Cleo", "3"], ["4", "Dan", "0"]]
    _, out, _ = run("rank", path, "--rule", "borda", "--json")
    assert [row["place"] for row in parsed(out)["order"]] == [1, 2, 2, 4]


def test_rank_by_kemeny_shows_the_ranking(run, ballots):
    path = ballots(BOARD)
    _, out, _ = run("rank", path, "--rule", "kemeny_young")
    assert "Optimal ranking: Ann > Ben > Cleo" in out
    assert "17 judgements of pairs; it is the only one" in out
    _, out, _ = run("rank", path, "--rule", "kemeny", "--json")
    record = parsed(out)
    assert (record["ranking"], record["score"]) == (["Ann", "Ben", "Cleo"], 17)
    assert record["unique"] is True


# ---------------------------------------------------------------------- ceiling and sample


def test_ceiling_explains_itself(run):
    options = ("--welfare", "nash", "--culture", "uniform", "--voters", "3-5", "--elections", "20")
    code, out, err = run("ceiling", *options, "--candidates", "2")
    assert (code, err) == (0, "")
    assert "best possible rule elects the nash optimum" in words(out)
    assert "standard error" in words(out)
    _, out, _ = run("ceiling", *options, "--candidates", "2", "--seed", "7", "--json")
    found = parsed(out)
    assert (found["voters"], found["candidates"], found["elections"]) == ([3, 5], [2, 2], 20)
    assert 0.5 <= found["accuracy"] <= 1
    assert 0.5 <= found["welfare_ratio"] <= 1
    assert found["accuracy_error"] > 0


@pytest.mark.parametrize("text", ["9-2", "a-b", "0-5", "0", "", "3-", "-3", "1-2-3", "2.5"])
def test_ranges_that_are_none(text):
    with pytest.raises(ElectError, match="2-99"):
        parse_range(text, "voters")


def test_sample_writes_what_can_be_read(run, tmp_path):
    path = tmp_path / "drawn.soc"
    options = ("sample", "--culture", "mallows:phi=0.7", "--voters", "30", "--candidates", "4")
    code, out, _ = run(*options, "--out", path)
    assert code == 0
    assert str(path) in out
    profile = files.read(path)
    assert profile.names == tuple(f"Candidate {c}" for c in range(1, 5))
    assert profile.num_voters.item() == 30
    assert bool(profile.complete)
    first = path.read_text()
    code, _, err = run(*options, "--out", path)
    assert code == 2
    assert "--force" in err
    assert run(*options, "--out", tmp_path / "drawn")[0] == 2, "which would be drawn.soc"
    assert path.read_text() == first
    assert run(*options, "--out", path, "--force")[0] == 0
    assert path.read_text() == first, "the same seed gives the same ballots"
    assert run(*options, "--out", path, "--force", "--seed", "1")[0] == 0
    assert path.read_text() != first


# ---------------------------------------------------------------------- what there is


def test_listings(run):
    _, out, _ = run("rules", "--json")
    rules = {rule["name"]: rule for rule in parsed(out)}
    assert list(rules) == [*RULES, *shelf()]
    assert rules["tally-kemeny"]["learned"] == "learned to imitate kemeny"
    assert rules["tally-kemeny"]["measured"][0]["accuracy"] > 0.99
    assert rules["beat_path"]["aliases"] == ["schulze"]
    assert rules["copeland"]["settings"] == ["tie=0.5"]
    assert rules["coombs"]["ballots"] == {"complete": "yes", "truncated": "no", "tied": "no"}
    _, out, _ = run("cultures", "--json")
    cultures = {culture["name"]: culture for culture in parsed(out)}
    assert set(elect.CULTURES) < set(cultures)
    assert cultures["mallows"]["settings"] == ["phi", "norm=False"]
    _, out, _ = run("welfares", "--json")
    assert [welfare["name"] for welfare in parsed(out)] == list(elect.WELFARES)
    _, out, _ = run("data", "list", "--json")
    assert [dataset["name"] for dataset in parsed(out)] == list(datasets.DATASETS)


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("rules", "Majority wins and pairwise"),
        ("cultures", "single_peaked_walsh"),
        ("welfares", "The utility of the worst-off voter"),
        ("data list", "5,000 people rank 10 kinds"),
    ],
)
def test_listings_to_read(run, command, told):
    code, out, err = run(*command.split())
    assert (code, err) == (0, "")
    assert told in words(out)
    assert max(map(len, out.splitlines())) <= 80


def test_fetch_prints_paths(run, tmp_path, monkeypatch):
    (tmp_path / "a.soc").write_text(BOARD)
    sha256 = hashlib.sha256(BOARD.encode()).hexdigest()
    mine = datasets.Dataset("Mine", "1 - mine", {"a.soc": sha256}, "Me", "none")
    monkeypatch.setitem(datasets.DATASETS, "mine", mine)
    monkeypatch.setenv("ELECT_DATA", str(tmp_path))
    code, out, err = run("data", "fetch", "Mine")
    assert (code, out) == (0, f"{tmp_path / 'a.soc'}\n")
    assert err == "Please cite: Me. Terms: none.\n"
    monkeypatch.setenv("ELECT_DATA", str(tmp_path / "nowhere"))
    assert run("data", "fetch", "mine")[0] == 2


def test_version_and_help(run):
    assert run("--version") == (0, f"elect {elect.__version__}\n", "")
    commands = ("winner", "rank", "ceiling", "sample", "rules", "cultures", "demo", "data")
    for command in ("", "train", "evaluate", *commands):
        code, out, _ = run(*command.split(), "--help")
        assert code == 0
        assert f"elect {command}".strip() in out.split("Examples")[1]


# ---------------------------------------------------------------------- demo


def test_the_demo_elects_whom_it_says(run):
    """Plurality, instant runoff, Borda, veto and Condorcet, counted by hand: five winners."""
    profile = files.read(Path(elect.__file__).parent / "data" / "demo.csv")
    rows = [(n, [profile.names[c] for [c] in ballot]) for n, ballot in profile.ballots()]

    def count(points):
        tally = Counter()
        for voters, ballot in rows:
            for place, name in enumerate(ballot):
                tally[name] += voters * points(place, name)
        return tally

    left = set(profile.names)
    while len(left) > 1:
        votes = dict.fromkeys(left, 0)
        for voters, ballot in rows:
            votes[next(name for name in ballot if name in left)] += voters
        left.remove(min(votes, key=votes.__getitem__))
    wins = Counter()
    for a, b in combinations(profile.names, 2):
        above = sum(n * (ballot.index(a) < ballot.index(b)) for n, ballot in rows)
        wins[a if 2 * above > 75 else b] += 1
    chosen = [
        count(lambda place, _: place == 0).most_common(1)[0][0],
        left.pop(),
        count(lambda place, _: 4 - place).most_common(1)[0][0],
        count(lambda place, _: place != 4).most_common(1)[0][0],
        wins.most_common(1)[0][0],
    ]
    assert wins.most_common(1)[0][1] == 4
    assert chosen == ["Car park", "Playground", "Garden", "Fountain", "Library"]

    code, out, err = run("demo", "--quick")
    assert (code, err) == (0, "")
    assert "5 winners" in out
    assert all(f"\n{name} " in out for name in chosen)
    assert "Library beats everyone else head to head: it is the Condorcet winner." in words(out)
    assert max(map(len, out.splitlines())) <= 80
