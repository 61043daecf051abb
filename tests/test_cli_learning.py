"""Learning on the command line: train, resume, evaluate, elect, and what goes wrong."""

import json
import shutil

import pytest
import torch

import elect
from elect.checkpoints import CARD, WEIGHTS, read_card, read_tensors, write_card
from elect.cli import main
from elect.cli.spreading import spread
from elect.networks import tally
from elect.training import run as run_training
from elect.training.state import STATE

BOARD = "count,1st,2nd,3rd\n4,Ann,Ben,Cleo\n3,Ben,Cleo,Ann\n2,Cleo,Ann,Ben\n"
SMALL = ("--voters", "2-9", "--candidates", "2-4")


def call(capsys, *arguments):
    with pytest.raises(SystemExit) as stop:
        main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return stop.value.code, out, err


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Threads of several tests at work in parallel would wait for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(autouse=True)
def light(monkeypatch):
    """Small steps, and few elections to measure on."""
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(run_training, "MEASURED", 48)
    monkeypatch.setattr(run_training, "JUDGED", 8)
    monkeypatch.setitem(tally.TRAINING, "entries", 2000)


@pytest.fixture
def run(capsys):
    return lambda *arguments: call(capsys, *arguments)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A rule after a dozen steps, as the command line trains it."""
    folder = tmp_path_factory.mktemp("learning") / "rule"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run_training, "MEASURED", 48)
        patch.setitem(tally.TRAINING, "entries", 2000)
        with pytest.raises(SystemExit) as stop:
            main(["train", "--rule", "borda", "--steps", "12", *SMALL, "--out", str(folder)])
    assert stop.value.code == 0
    return folder


@pytest.fixture
def board(tmp_path):
    path = tmp_path / "board.csv"
    path.write_text(BOARD)
    return path


def words(text):
    return " ".join(text.split())


def test_a_training_leaves_a_rule_and_its_measures(trained):
    card = read_card(trained / CARD)
    assert (card.heads, card.steps, card.voters, card.candidates) == (["borda"], 12, [2, 9], [2, 4])
    [measured] = card.measured
    assert measured["elections"] == 48
    assert measured["interval"][0] <= measured["accuracy"] <= measured["interval"][1]
    assert measured["best_guess_rule"] != "borda"
    assert measured["ceiling"] is measured["order_guess"] is None


def test_resume_alone_goes_on_as_it_began(run, trained, tmp_path):
    again = shutil.copytree(trained, tmp_path / "again")
    (again / WEIGHTS).unlink()
    code, out, err = run("train", "--resume", "--out", again)
    assert (code, err) == (0, "")
    assert "borda" in out
    weights, same = (read_tensors(folder / WEIGHTS)[0] for folder in (trained, again))
    assert all(torch.equal(weights[name], same[name]) for name in weights)
    assert read_card(again / CARD).measured == read_card(trained / CARD).measured


def test_several_rules_in_one_network(run, tmp_path, board):
    folder = tmp_path / "two"
    code, out, _ = run(
        "train", "--rule", "borda", "plurality", "--steps", 2, *SMALL, "--out", folder
    )
    assert code == 0
    assert [row.split()[0] for row in out.splitlines()[2:4]] == ["borda", "plurality"]
    _, out, _ = run("winner", board, "--rule", folder, "--json")
    heads = [f"{folder}:head=borda", f"{folder}:head=plurality"]
    assert [answer["rule"] for answer in json.loads(out)] == heads
    assert run("rank", board, "--rule", heads[1])[0] == 0
    assert "choose one of" in run("rank", board, "--rule", folder)[2]
    assert ":head=plurality" in run("evaluate", folder)[2]
    code, out, _ = run("evaluate", folder, "--head", "plurality", "--elections", 32, "--json")
    assert json.loads(out)["target"] == "plurality"


def test_a_welfare_has_a_ceiling_and_one_winner(run, tmp_path, board):
    folder = tmp_path / "fair"
    goal = ("--welfare", "egalitarian", "--culture", "uniform", "--objective", "expected-welfare")
    code, out, _ = run("train", *goal, "--steps", 2, *SMALL, "--out", folder)
    assert code == 0
    assert "ceiling" in out
    card = read_card(folder / CARD)
    assert card.objectives[0]["kind"] == "expected_welfare"
    assert 0 < card.measured[0]["ceiling"] <= 1
    _, out, _ = run("winner", board, "--rule", folder, "--json")
    [answer] = json.loads(out)
    assert answer["winners"] == [max(answer["probabilities"], key=answer["probabilities"].get)]


def test_a_renumbered_network_is_shown_beside_its_order(run, tmp_path):
    folder = tmp_path / "mlp"
    options = ("--network", "mlp:width=4", "--size", "small", "--neutral", "--seed", 3)
    code, out, _ = run("train", "--rule", "borda", *options, "--steps", 2, *SMALL, "--out", folder)
    assert code == 0
    assert "its order" in out
    card = read_card(folder / CARD)
    assert (card.neutral, card.arguments["width"], card.seed) == ("borda", 4, 3)
    # Renumbered by Borda's scores, the order is right whenever Borda has one winner.
    assert card.measured[0]["order_guess"] == 1
    code, out, _ = run("evaluate", folder, "--elections", 32)
    assert "renumbered by borda, which by itself is right in 1.000" in words(out)


def test_evaluate_in_json(run, trained, board):
    code, out, err = run("evaluate", trained, "--voters", "100-120", "--elections", 64, "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["voters"] == [100, 120]
    assert found["candidates"] == [2, 4]
    assert found["elections"] == 64
    low, high = found["interval"]
    assert 0 <= low <= found["accuracy"] <= high <= 1
    assert found["exact_set"] <= found["any_winner"]
    assert 0 < found["best_guess"] <= 1
    assert found["ceiling"] is None
    found = elect.evaluate(elect.load(trained), "borda", "uniform", (100, 120), (2, 4), 64)
    assert found.to_json()["accuracy"] == json.loads(out)["accuracy"]

    _, out, _ = run("evaluate", trained, "--data", board, "--elections", 16, "--json")
    found = json.loads(out)
    assert (found["voters"], found["candidates"]) == ([2, 9], [3, 3])
    _, out, _ = run("evaluate", trained, "--culture", "mallows:phi=0.5", "--elections", 16)
    assert "elections from mallows:phi=0.5; 2-9 voters, 2-4 candidates, seed 0." in words(out)


def test_any_rule_is_evaluated_against_any_target(run):
    code, out, _ = run("evaluate", "borda", "--target", "nash", *SMALL, "--elections", 32, "--json")
    assert code == 0
    found = elect.evaluate("borda", "nash", voters=(2, 9), candidates=(2, 4), elections=32)
    assert json.loads(out) == json.loads(json.dumps(found.to_json()))
    assert "Name the target of borda" in run("evaluate", "borda")[2]


def test_a_learned_rule_beside_exact_ones(run, trained, board):
    _, out, _ = run("winner", board, "--rule", trained, "--rule", "borda", "--json")
    learned, exact = json.loads(out)
    chances = learned["probabilities"]
    assert list(chances) == list(exact["scores"]) == ["Ann", "Ben", "Cleo"]
    assert sum(chances.values()) == pytest.approx(1, abs=1e-5)
    assert set(learned["winners"]) == {
        c for c in chances if chances[c] >= max(chances.values()) / 2
    }
    assert "probabilities" not in exact
    code, out, _ = run("winner", board, "--rule", trained)
    assert "learned to imitate borda." in words(out)
    assert "probabilit" in out
    code, out, _ = run("rank", board, "--rule", trained)
    best = max(chances, key=chances.get)
    assert (
        next(line for line in out.splitlines() if line.strip().startswith("1 ")).split()[1] == best
    )
    assert code == 0


def test_ballots_unlike_those_it_was_trained_on_are_pointed_out(run, trained, tmp_path):
    path = tmp_path / "many.csv"
    path.write_text("count,1,2\n500,Ann,Ben\n3,Ben\n")
    _, out, _ = run("winner", path, "--rule", trained)
    assert "trained and measured on 2 to 9 voters" in words(out)
    assert "truncated or tied" in words(out)


def test_exact_names_go_before_folders(run, trained, board, tmp_path, monkeypatch):
    shutil.copytree(trained, tmp_path / "plurality")
    monkeypatch.chdir(tmp_path)
    _, out, _ = run("winner", board, "--rule", "plurality", "--json")
    assert json.loads(out)[0]["scores"] == {"Ann": 4, "Ben": 3, "Cleo": 2}
    _, out, _ = run("winner", board, "--rule", "./plurality", "--json")
    assert "probabilities" in json.loads(out)[0]


def test_the_demo_learns(run, monkeypatch):
    monkeypatch.setattr("elect.cli.demo.MEASURED", 48)
    monkeypatch.setattr("elect.cli.demo.JUDGED", 8)
    monkeypatch.setenv("COLUMNS", "80")
    code, out, err = run("demo", "--seconds", 1)
    assert (code, err) == (0, "")
    assert all(name in out for name in ("the learned rule", "best possible", "borda", "maximin"))
    assert "learned to maximize egalitarian welfare in uniform elections." in words(out)
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ((), "Say what to learn"),
        (("--rule", "borda", "--welfare", "nash", "--culture", "uniform"), "Say what to learn"),
        (("--rule", "bordaa"), "no rule named 'bordaa'; did you mean 'borda'?"),
        (("--welfare", "nash"), "name a culture"),
        (("--welfare", "nash", "--culture", "impartial"), "utilities"),
        (("--welfare", "nish", "--culture", "uniform"), "did you mean 'nash'?"),
        (("--welfare", "nash", "--culture", "uniform", "--objective", "oracel"), "'oracle'"),
        (("--rule", "borda", "--objective", "oracle"), "leave it out"),
        (("--rule", "borda", "--network", "deepset"), "did you mean 'deepsets'?"),
        (("--rule", "borda", "--network", "gin:depth=3"), "no setting 'depth'"),
        (("--rule", "borda", "--network", "gin", "--size", "huge"), "paper and small"),
        (("--rule", "borda", "--neutral", "nonsense"), "no rule named 'nonsense'"),
        (("--rule", "borda", "--minutes", 1, "--steps", 5), "not both"),
        (("--rule", "borda", "--steps", 0), "must be above 0"),
        (("--rule", "borda", "--voters", "9-2"), "not a number of voters"),
        (("--rule", "borda", "borda"), "same name"),
        (("--resume",), "no training to resume"),
        (("--resume", "--steps", 5), "leave out steps"),
    ],
)
def test_mistakes_are_told_in_a_line(run, tmp_path, options, told):
    code, out, err = run("train", *options, "--out", tmp_path / "new")
    assert (code, out) == (2, "")
    assert err.startswith("elect: ")
    assert err.count("\n") == 1
    assert told in err
    assert not (tmp_path / "new" / CARD).exists()


def test_a_training_is_not_overwritten(run, trained):
    before = (trained / STATE).read_bytes()
    code, _, err = run("train", "--rule", "plurality", "--steps", 2, "--out", trained)
    assert code == 2
    assert "already holds a trained rule" in err
    code, _, err = run("train", "--rule", "plurality", "--steps", 2, "--resume", "--out", trained)
    assert code == 2
    assert "another objectives" in err
    assert (trained / STATE).read_bytes() == before


def test_damage_is_told_in_a_line(run, trained, board, tmp_path):
    for number, (name, content) in enumerate(
        [(WEIGHTS, b"\0" * 100), (CARD, b"{"), (WEIGHTS, (trained / WEIGHTS).read_bytes()[:-9])]
    ):
        broken = shutil.copytree(trained, tmp_path / str(number))
        (broken / name).write_bytes(content)
        for command in (("evaluate", broken), ("winner", board, "--rule", broken)):
            code, out, err = run(*command)
            assert (code, out, err.count("\n")) == (2, "", 1)
            assert "damaged" in err
    broken = shutil.copytree(trained, tmp_path / "state")
    (broken / STATE).write_bytes(b"nonsense")
    assert "damaged" in run("train", "--resume", "--out", broken)[2]
    assert "no trained rule" in run("evaluate", tmp_path / "nowhere")[2]
    assert "no trained rule" in run("winner", board, "--rule", tmp_path / "nowhere")[2]
    card = read_card(trained / CARD)
    write_card(broken, card)
    assert "not both" in run("evaluate", broken, "--culture", "uniform", "--data", board)[2]


def test_options_may_have_several_values_or_none():
    assert spread(["--out", "x", "--neutral"]) == ["--out", "x", "--neutral", "borda"]
    assert spread(["--neutral", "plurality", "--out", "x"])[1] == "plurality"
    assert spread(["d", "--data", "a", "b", "--json"]) == [
        *("d", "--data", "a", "--data", "b", "--json")
    ]
