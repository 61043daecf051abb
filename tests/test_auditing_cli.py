"""The command line of the audit, and its page of documentation."""

import json
import re
from pathlib import Path

import pytest

import elect
from elect.cli import main

DOCS = Path(__file__).parents[1] / "docs" / "audit.md"

OWN = """
def dictator(profiles):
    return -profiles.ranks[:, 0].double()

def crash(profiles):
    raise RuntimeError("no")

value = 3
"""


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as stop:
        main([str(argument) for argument in arguments])
    out = capsys.readouterr()
    return stop.value.code, " ".join(out.out.split()), out.err


def test_counterexamples_replay_through_elect_winner(capsys, tmp_path):
    folder = tmp_path / "audit"
    axioms = ["--axiom", "monotonicity", "--axiom", "condorcet-winner", "--axiom", "reinforcement"]
    options = [*axioms, "--elections", 400, "--out", folder, "--json"]
    code, out, _ = run(capsys, "audit", "instant-runoff", *options)
    assert code == 0
    found = json.loads(out)
    assert set(found["axioms"]) == {"monotonicity", "condorcet_winner", "reinforcement"}
    assert found["manipulability"] is None
    for name, files in found["files"].items():
        elections = found["axioms"][name]["counterexample"]["elections"]
        assert set(files) == set(elections)
        for label, path in files.items():
            _, out, _ = run(capsys, "winner", path, "--rule", "instant_runoff", "--json")
            assert json.loads(out)[0]["winners"] == elections[label]["winners"]
    kept = json.loads((folder / "audit.json").read_text())
    assert kept["axioms"] == found["axioms"]


def test_what_is_printed(capsys, tmp_path):
    sizes = ["--voters", "2-9", "--candidates", "3-4", "--elections", 300]
    code, out, err = run(capsys, "audit", "borda", *sizes, "--out", tmp_path)
    assert (code, err) == (0, "")
    for words in (
        "Audit of borda 300 elections from impartial with 2-9 voters and 3-4 candidates; seed 0.",
        "of those, holds (%)",
        "beats everyone else head to head, but",
        f"elect winner {tmp_path}/ballots/condorcet_winner.soc --rule borda",
        "Some voter gains by misreporting in",
        "Holliday, Kristoffersen and Pacuit publish 0.086 (10) and 0.081 (11)",
        "The scoring rule nearest to it is borda, which elects one of its winners in 100.0 %",
        "Distortion is the largest ratio",
    ):
        assert words in out.replace("\n", " "), words
    code, out, _ = run(capsys, "audit", "borda", *sizes, "--axiom", "majority")
    assert "Add --out DIR" in out
    assert "Manipulation" not in out


def test_a_function_of_ones_own(capsys, tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(OWN)
    options = ["--elections", 100, "--axiom", "anonymity", "--json"]
    code, out, _ = run(capsys, "audit", f"{path}:dictator", *options)
    assert code == 0
    assert json.loads(out)["axioms"]["anonymity"]["broken"]
    for spec, message in [
        (f"{path}:nobody", "has no function 'nobody'"),
        (f"{path}:value", "has no function 'value'"),
        (f"{tmp_path}/none.py:f", "There is no file"),
        (f"{path}:crash", "RuntimeError: no"),
    ]:
        code, out, err = run(capsys, "audit", spec, *options)
        assert (code, out) == (2, "")
        assert message in err
        assert err.count("\n") == 1
    path.write_text("1 / 0")
    assert "ZeroDivisionError" in run(capsys, "audit", f"{path}:f", *options)[2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["bord"], "did you mean 'borda'"),
        (["borda", "--axiom", "monotony"], "did you mean 'monotonicity'"),
        (["borda", "--voters", "9-2"], "not a number of voters"),
        (["borda", "--culture", "uniform", "--data", "x.soc"], "leave out one of them"),
        (["borda", "--data", "nowhere.soc"], "There is no file nowhere.soc"),
        (["no/such/folder"], "no trained rule"),
    ],
)
def test_bad_input(capsys, arguments, message):
    code, out, err = run(capsys, "audit", *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_data(capsys, tmp_path):
    profile = elect.culture("mallows:phi=0.7")(1, 40, 5, seed=0).profiles
    path = elect.write(profile, tmp_path / "real.soc")
    options = ["--elections", 100, "--axiom", "majority", "--json"]
    code, out, _ = run(capsys, "audit", "plurality", "--data", path, *options)
    assert code == 0
    found = json.loads(out)
    assert found["source"] == str(path)
    assert not found["axioms"]["majority"]["broken"]


def test_the_example_of_the_page_prints_what_it_says(capsys, tmp_path, monkeypatch):
    (code,) = re.findall(r"```python\n(.+?)```", DOCS.read_text(), flags=re.S)
    monkeypatch.chdir(tmp_path)
    exec(compile(code, str(DOCS), "exec"), {})
    assert re.search(r"counterexample.sentence\)  # (.+)", code)[1] in capsys.readouterr().out
    assert (tmp_path / "unfair-audit" / "ballots" / "neutrality-before.soc").is_file()


def test_the_page_defines_every_axiom():
    text = DOCS.read_text()
    from elect.auditing import AXIOMS

    assert all(f"**{axiom.title}**" in text for axiom in AXIOMS.values())


def test_what_a_function_of_ones_own_elects(capsys, tmp_path):
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "ballots.csv").write_text("Ann,Ben,Cleo\nBen,Cleo,Ann\nBen,Ann,Cleo\n")
    rules = ["--rule", f"{tmp_path / 'own.py'}:dictator", "--rule", "plurality"]
    code, out, _ = run(capsys, "winner", tmp_path / "ballots.csv", *rules, "--json")
    assert code == 0
    assert [one["winners"] for one in json.loads(out)] == [["Ann"], ["Ben"]]
    wrong = ["--rule", f"{tmp_path / 'own.py'}:crash"]
    code, _, err = run(capsys, "winner", tmp_path / "ballots.csv", *wrong)
    assert code == 2
    assert err.count("\n") == 1


def test_axioms_are_listed(capsys):
    from elect.auditing import AXIOMS

    code, out, _ = run(capsys, "axioms", "--json")
    assert code == 0
    assert [one["name"] for one in json.loads(out)] == [name.replace("_", "-") for name in AXIOMS]
    code, out, _ = run(capsys, "axioms")
    assert code == 0
    assert "condorcet-winner" in out
