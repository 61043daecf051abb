"""A design from end to end on few elections, and its parts against something independent."""

import json
import re
from itertools import permutations

import numpy as np
import pytest
import torch
from scipy.special import betainc

import elect
from elect import checkpoints, designing
from elect.cli import main
from elect.cultures import Dirichlet, Impartial
from elect.designing import design
from elect.designing.contestants import LEARNED, OPTIMAL, SIMPLICITY, WORDS, contestants
from elect.designing.electorate import from_culture, from_file
from elect.designing.fitting import at_level, fits, log_likelihood
from elect.designing.grades import read_grades
from elect.designing.learning import from_shelf
from elect.designing.measuring import Standing, measure, standings
from elect.designing.people import People, lend
from elect.designing.purpose import purpose_of
from elect.designing.recommendation import advise, closer_look
from elect.elections import Elections, Profiles
from elect.errors import ElectError
from elect.learned import Card
from elect.measuring.batches import ElectionSource
from elect.measuring.estimates import Estimate
from elect.networks import tally
from elect.rules import RULES

BOARD = "count,1st,2nd,3rd\n4,Ann,<Ben>,Cleo\n3,<Ben>,Cleo,Ann\n2,Cleo,Ann,<Ben>\n"
RATINGS = "count,Ann,Ben,Cleo\n3,5,4,0\n2,0,5,5\n1,1,1,1\n"
APPROVALS = """# DATA TYPE: cat
# NUMBER ALTERNATIVES: 3
# NUMBER VOTERS: 6
# NUMBER CATEGORIES: 3
# ALTERNATIVE NAME 1: Ann
# ALTERNATIVE NAME 2: Ben
# ALTERNATIVE NAME 3: Cleo
3: 1,{},{2,3}
3: {},{2,3},1
"""


@pytest.fixture(autouse=True)
def light(monkeypatch):
    """Few elections to look at, and small steps."""
    monkeypatch.setattr(designing, "AUDITED", 60)
    monkeypatch.setattr(designing, "AUDIT_SECONDS", 0.5)
    monkeypatch.setattr(designing, "OTHERS", 32)
    monkeypatch.setattr(designing.measuring, "JUDGED", 16)
    monkeypatch.setitem(tally.TRAINING, "entries", 2000)


# ---------------------------------------------------------------------- the user's own welfare


def elections() -> Elections:
    return elect.culture("uniform")(3, 4, 3, seed=1)


def test_a_welfare_may_be_a_name_a_function_or_a_file(tmp_path):
    some = elections()
    means = some.utilities.mean(1)
    module, formula = tmp_path / "mine.py", tmp_path / "formula.py"
    module.write_text('def average(u):\n    """The mean."""\n    return u.mean(1)\n')
    formula.write_text("u.mean(1)  # over voters\n")
    for what in (lambda u: u.mean(1), f"{module}:average", str(module), str(formula)):
        assert torch.allclose(purpose_of(what).judge(some), means)
    assert purpose_of(str(module)).told == "The mean"
    assert "u.mean(1)" in purpose_of(str(formula)).told
    assert torch.equal(purpose_of("nash").judge(some), elect.judge(elect.welfare("nash"), some))
    assert "30 %" in purpose_of("egalitarian:lam=0.3").told


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("u.mean(", "not valid Python"),
        ("u.mean(3)", "fails with"),
        ("u.mean(1) - 1", "below 0"),
        ("u.mean(2)", "one score per election and candidate"),
        ("def f(u):\n    return u\ndef g(u):\n    return u\n", "2 functions"),
        ("1 / 0\nx = 2\ndef f(u):\n    return u\n", "cannot be run"),
    ],
)
def test_a_welfare_that_cannot_be_used_is_told(tmp_path, text, said):
    file = tmp_path / "mine.py"
    file.write_text(text)
    with pytest.raises(ElectError, match=said):
        purpose_of(str(file)).judge(elections())


def test_a_welfare_that_is_nowhere_is_told(tmp_path):
    with pytest.raises(ElectError, match="no file"):
        purpose_of(f"{tmp_path}/nowhere.py")
    with pytest.raises(ElectError, match="did you mean 'nash'"):
        purpose_of("nassh")
    (tmp_path / "mine.py").write_text("def f(u):\n    return u\n")
    with pytest.raises(ElectError, match="no function 'g'; it has f"):
        purpose_of(f"{tmp_path}/mine.py:g")


# ---------------------------------------------------------------------- cultures that fit rankings


def test_rankings_of_gammas_have_the_probabilities_they_should():
    two = torch.tensor([0.5, 2.0], dtype=torch.float64)
    chance = log_likelihood(two, np.array([[0, 1], [1, 0]])).exp()
    assert chance[0].item() == pytest.approx(1 - betainc(0.5, 2, 0.5), abs=1e-4)
    assert chance.sum().item() == pytest.approx(1, abs=1e-4)
    alphas = torch.tensor([0.3, 1.0, 2.0, 5.0], dtype=torch.float64)
    rankings = np.array(list(permutations(range(4))))
    chances = log_likelihood(alphas, rankings).exp().numpy()
    assert chances.sum() == pytest.approx(1, abs=1e-3)
    drawn = np.argsort(-np.random.default_rng(0).standard_gamma(alphas, (40_000, 4)), 1)
    shares = [(drawn == ranking).all(1).mean() for ranking in rankings]
    assert chances == pytest.approx(shares, abs=0.01)


def test_alphas_are_found_and_equal_ones_preferred_where_nobody_is_popular():
    true = np.array([0.4, 0.7, 1.0, 1.9])
    found = fits(Dirichlet(tuple(true))(1, 3000, 4, seed=1).profiles)
    fitted = next(fit for fit in found if fit.level == 1 and not fit.culture.symmetric)
    assert np.array(fitted.culture.values) == pytest.approx(true, rel=0.2)
    assert elect.culture(fitted.name) == fitted.culture
    assert found[-1].name == "uniform"
    assert found == sorted(found, key=lambda fit: fit.criterion)
    assert sum(at_level(fitted, 0.5).values) == pytest.approx(2, abs=0.02)
    assert fits(Impartial()(1, 500, 4, seed=2).profiles)[0].name == "uniform"


# ---------------------------------------------------------------------- voters of a file


def test_lent_utilities_fit_the_ballots():
    profile = Dirichlet((0.5, 1.0, 2.0, 1.0))(1, 30, 4, seed=1).profiles
    people = lend(profile, Dirichlet((0.5, 1.0, 2.0, 1.0)), 0, "us")
    drawn = people(50, (5, 9), (2, 4), seed=3)
    voters = drawn.profiles.weights > 0
    sums = drawn.utilities.sum(2)
    assert torch.allclose(sums[voters], torch.ones(1, dtype=torch.float64))
    assert (sums[~voters] == 0).all()
    for b, m in enumerate(drawn.profiles.num_candidates.tolist()):
        n = int(drawn.profiles.num_voters[b])
        ranks, utilities = drawn.profiles.ranks[b, :n, :m], drawn.utilities[b, :n, :m]
        assert (utilities.argsort(1, descending=True) == ranks.argsort(1)).all()
    again = people(50, (5, 9), (2, 4), seed=3)
    assert torch.equal(again.utilities, drawn.utilities)
    with pytest.raises(ElectError, match="5 candidates"):
        people(1, 5, 5, seed=0)


def test_voters_are_drawn_as_often_as_they_are():
    profile = Profiles.from_rankings([[0, 1, 2], [2, 1, 0]], weights=[30, 10])
    firsts = lend(profile, Dirichlet(1.0), 0, "us")(200, 50, seed=1).profiles.places[:, :, 0]
    assert firsts.double().mean(0).tolist() == pytest.approx([37.5, 0, 12.5], abs=0.7)


def test_ballots_that_leave_candidates_out_are_seen_as_cast_and_completed_by_lot():
    profile = Profiles.from_rankings([[0], [1, [0, 2]]], weights=[2, 1], num_candidates=3)
    drawn = lend(profile, Dirichlet(1.0), 0, "us")(300, 9, seed=1)
    assert bool(drawn.profiles.truncated.any())
    assert bool(drawn.profiles.tied.any())
    only = (drawn.profiles.ranks[:, :, 1:] == elect.elections.UNRANKED).all(2)
    mine = drawn.utilities[only]
    assert (mine[:, 0] >= mine.amax(1)).all()
    assert (mine[:, 1] > mine[:, 2]).double().mean().item() == pytest.approx(0.5, abs=0.05)


def test_grades_are_utilities_and_ties_are_broken_by_lot(tmp_path):
    file = tmp_path / "ratings.csv"
    file.write_text(RATINGS)
    voters = from_file(file)
    assert voters.profile.names == ("Ann", "Ben", "Cleo")
    assert voters.profile.num_voters.item() == 6
    drawn = voters.source(100, 6, seed=1)
    assert bool(drawn.profiles.complete.all())
    values = {tuple(row) for row in drawn.utilities.flatten(0, 1).tolist()}
    assert values == {(1, 0.8, 0), (0, 1, 1), (0.2, 0.2, 0.2)}
    torn = drawn.utilities[:, :, 1] == 1
    ahead = (drawn.profiles.ranks[:, :, 1] < drawn.profiles.ranks[:, :, 2])[torn]
    assert ahead.double().mean().item() == pytest.approx(0.5, abs=0.1)


def test_categories_keep_their_distance(tmp_path):
    file = tmp_path / "grades.cat"
    file.write_text(APPROVALS)
    found = read_grades(file)
    assert found.utilities.tolist() == [[1, 0, 0], [0, 0.5, 0.5]]
    assert not found.approvals
    file.write_text(APPROVALS.replace("3\n# ALT", "2\n# ALT").replace("{},", "").replace(",{}", ""))
    assert read_grades(file).approvals


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Ann,Ben\n1,2\n2,1\n", "ranks"),
        ("Ann,Ben\n1,\n2,1\n", "line 2: a rating is missing"),
        ("Ann,Ben\n3,3\n3,3\n", "everyone alike|ranks"),
        ("count,Ann,Ben\nx,1,5\n", "not a number of voters"),
    ],
)
def test_ratings_that_cannot_be_used_are_told(tmp_path, text, said):
    file = tmp_path / "ratings.csv"
    file.write_text(text)
    if said.startswith("everyone"):
        text = "Ann,Ben\n0,0\n0,0\n"
        file.write_text(text)
    with pytest.raises(ElectError, match=said):
        read_grades(file)


def test_tables_of_names_hold_rankings(tmp_path):
    file = tmp_path / "board.csv"
    for text in (BOARD, "1st,2nd\n1,2\n2,1\n", "Ann,Ben\nBen,Ann\n"):
        file.write_text(text)
        assert read_grades(file) is None


# ---------------------------------------------------------------------- what rules reach


def test_ratios_are_those_that_one_finds_by_hand():
    purpose = purpose_of("egalitarian")
    voters = from_culture("uniform")
    several = contestants(voters, (3, 4), None, 0)
    source = ElectionSource("", voters.source, (3, 9), (3, 4))
    field = measure(several, purpose, source, 40, 0)
    assert set(field.names) == {*RULES, OPTIMAL} - {"scoring", "approval"}
    [(_, batch, _)] = source.batches(40, [0, 0], [designing.measuring.FRESH])
    for b in range(40):
        n, m = int(batch.profiles.num_voters[b]), int(batch.profiles.num_candidates[b])
        u = batch.utilities[b, :n, :m].numpy()
        worth = 0.5 * u.sum(0) + 0.5 * n * u.min(0)
        for name in ("plurality", "borda", "kemeny"):
            won = elect.winners(name, batch.profiles[b])[0, :m].numpy()
            column = field.names.index(name)
            assert field.ratios[b, column] == pytest.approx(worth[won].mean() / worth.max())
            assert field.hits[b, column] == pytest.approx(won[worth.argmax()] / won.sum())


def test_the_ceiling_is_that_of_the_culture():
    found = design("utilitarian", "uniform", voters=(5, 9), candidates=4, minutes=0, elections=1000)
    ceiling = elect.ceiling(
        elect.culture("uniform"), elect.welfare("utilitarian"), (5, 9), 4, elections=1000
    )
    accuracy, ratio = found.ceiling
    assert accuracy.value == pytest.approx(ceiling.accuracy, abs=0.04)
    assert ratio.value == pytest.approx(ceiling.welfare_ratio, abs=0.008)
    # For the sum of utilities no rule is better than the optimal vector.
    by = {one.name: one for one in found.standings}
    assert by[OPTIMAL].loss.value < 0.002
    assert found.points[4] == pytest.approx(elect.optimal_scoring(Dirichlet(1.0), 4).tolist())


def test_approvals_are_counted_from_utilities(tmp_path):
    file = tmp_path / "yes.cat"
    text = APPROVALS.replace("CATEGORIES: 3", "CATEGORIES: 2")
    file.write_text(text.replace("3: 1,{},{2,3}\n3: {},{2,3},1", "4: {1,2},3\n2: 3,{1,2}"))
    found = design("utilitarian", data=file, minutes=0, elections=64)
    assert found.advice.recommended == "approval"
    assert found.standings[0].ratio.value == 1
    assert found.what_if.names("approval") == ["Ann", "Ben"]


# ---------------------------------------------------------------------- advice


def standing(name: str, loss: float, reach: float = 0.0) -> Standing:
    ratio = Estimate(0.97 - loss, 0.96 - loss, 0.98 - loss, 100)
    low, high = loss - reach, loss + reach
    return Standing(name, ratio, {}, (1,), ratio, Estimate(loss, low, high, 100))


def test_the_simplest_of_equals_is_recommended():
    several = [standing(LEARNED, 0.0), standing("copeland", 0.001, 0.002), standing("borda", 0.003)]
    advice = advise([*several, standing("plurality", 0.009, 0.003), standing("young", 0.05)])
    assert advice == (LEARNED, "copeland", "borda")
    assert advise([standing("borda", 0.0), standing("plurality", 0.02)]).simplest == "borda"
    assert closer_look(advice, several) == ["copeland", "borda", LEARNED]
    yes = [standing("approval", 0.0), standing("borda", 0.02), standing(LEARNED, 0.03)]
    assert closer_look(advise(yes), yes) == ["approval", "borda"]


def test_an_audit_looks_at_small_elections_of_the_sizes_asked_for():
    sizes = designing._audit_sizes
    uniform, fixed = elect.culture("uniform"), Dirichlet((0.5,) * 7)
    assert sizes(uniform, (2, 99), (2, 29)) == ((2, 20), (3, 5))
    assert sizes(uniform, (10, 10), (4, 9)) == ((10, 10), (4, 5))
    assert sizes(uniform, (99, 99), (2, 2)) == ((2, 20), (2, 2))
    assert sizes(fixed, (99, 99), (7, 7)) == ((2, 20), (7, 7))


def test_every_rule_has_words_and_a_place_in_the_order():
    assert {*WORDS} - {LEARNED, OPTIMAL} == {*RULES} - {"scoring"}
    assert {level for _, _, level in WORDS.values()} == set(range(len(SIMPLICITY)))


def test_a_slow_rule_is_not_the_best_by_luck():
    ratios = np.full((300, 2), np.nan)
    ratios[:, 0] = np.tile([0.9, 1.0], 150)
    ratios[:256, 1] = ratios[:256, 0]
    ratios[:3, 1] = 1.0
    field = designing.measuring.Field(("borda", "kemeny"), ratios, ratios, {})
    assert standings(field, 0)[0].loss.value <= 0
    assert {one.name: one.loss.value for one in standings(field, 0)}["borda"] == 0


# ---------------------------------------------------------------------- the trained rule


def on_the_shelf(folder, monkeypatch, **changes) -> None:
    """A network of random weights with the card of a trained one."""
    words = {"kind": "posterior", "of": "egalitarian", "culture": None, "ties": "keep"}
    card = Card(
        **{
            "network": "tally",
            "arguments": {},
            "objectives": [words],
            "heads": ["egalitarian"],
            "culture": "uniform",
            "voters": [2, 50],
            "candidates": [2, 10],
            "seed": 0,
            "steps": 1,
            "minutes": 0.1,
            **changes,
        }
    )
    torch.manual_seed(0)
    checkpoints.save(folder / "fair", checkpoints.build("tally", {}, 1).state_dict(), card)
    monkeypatch.setattr(checkpoints, "shelf", lambda: ["fair"])
    monkeypatch.setattr(checkpoints, "find", lambda name: folder / str(name))


def test_what_fits_is_taken_from_the_shelf(tmp_path, monkeypatch):
    on_the_shelf(tmp_path, monkeypatch)
    uniform, polarized = from_culture("dirichlet:alpha=1"), from_culture("polarized")
    fair = purpose_of("egalitarian:lam=0.5")
    assert from_shelf(fair, uniform, (2, 9), (3, 4))[0] == "fair"
    assert from_shelf(fair, polarized, (2, 9), (3, 4)) is None
    assert from_shelf(purpose_of("nash"), uniform, (2, 9), (3, 4)) is None
    assert from_shelf(purpose_of("egalitarian:lam=0.3"), uniform, (2, 9), (3, 4)) is None
    assert from_shelf(fair, uniform, (2, 99), (3, 4)) is None
    assert from_shelf(purpose_of(lambda u: u.mean(1)), uniform, (2, 9), (3, 4)) is None
    mimic = {"kind": "mimic", "of": "borda"}
    on_the_shelf(tmp_path, monkeypatch, objectives=[mimic])
    assert from_shelf(fair, uniform, (2, 9), (3, 4)) is None


def test_a_design_with_a_rule_from_the_shelf_needs_no_training(tmp_path, monkeypatch):
    on_the_shelf(tmp_path, monkeypatch)
    out = tmp_path / "new" / "design"
    found = design("egalitarian", "uniform", None, (3, 9), (3, 4), out=out, elections=64)
    assert LEARNED in {one.name for one in found.standings}
    assert "fair" in found.origin
    profiles = elections().profiles
    monkeypatch.undo()
    assert torch.equal(elect.load(out / "rule")(profiles), found.rule(profiles))


def test_a_rule_is_trained_on_the_voters_of_a_file(tmp_path):
    file = tmp_path / "ratings.csv"
    file.write_text(RATINGS)
    out = tmp_path / "design"
    found = design(lambda u: u.amin(1) + u.mean(1), None, file, 8, None, 0.01, out, elections=48)
    assert found.rule.card.culture == "ratings.csv"
    assert elect.load(out / "rule").card.voters == [8, 8]
    assert LEARNED in {one.name for one in found.standings}
    assert found.ceiling is None


# ---------------------------------------------------------------------- end to end


@pytest.fixture(scope="module")
def designed(tmp_path_factory):
    """A design for the voters of a table of rankings, on few elections."""
    folder = tmp_path_factory.mktemp("designing")
    (folder / "board.csv").write_text(BOARD)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(designing, "AUDITED", 60)
        patch.setattr(designing, "AUDIT_SECONDS", 0.5)
        patch.setattr(designing, "OTHERS", 32)
        found = design(
            "nash", data=folder / "board.csv", minutes=0, out=folder / "design", elections=128
        )
    return folder, found


def test_the_folder_has_all_and_nothing_is_left_beside_it(designed):
    folder, found = designed
    assert sorted(path.name for path in (folder / "design").iterdir()) == [
        "design.json",
        "report.html",
    ]
    assert sorted(path.name for path in folder.iterdir()) == ["board.csv", "design"]
    words = json.loads((folder / "design" / "design.json").read_text())
    assert words["recommendation"] == found.sentence
    assert len(words["rules"]) == len(found.standings)
    assert words["fits"][0]["culture"] == found.electorate.fits[0].name
    assert set(words["otherwise"]) == set(found.others)
    assert all(
        low <= rule["welfare_ratio"] <= high
        for rule in words["rules"]
        for low, high in [rule["welfare_ratio_interval"]]
    )


def test_the_report_stands_alone_and_says_it_all(designed):
    folder, found = designed
    page = (folder / "design" / "report.html").read_text("utf-8")
    assert not re.search(r"<(?:script|link|img|iframe)|@import|url\((?!#)|src=", page)
    assert "$" not in re.sub(r"<svg.*?</svg>", "", page, flags=re.DOTALL)
    for text in (found.sentence, found.second_sentence, "Head to head", "board.csv", "assumed"):
        assert text in page
    assert "&lt;Ben&gt;" in page
    assert "<Ben>" not in page
    for one in found.standings:
        assert WORDS[one.name][0] in page
    for tag in ("table", "details", "div", "figure", "ul", "svg", "p"):
        assert len(re.findall(f"<{tag}[ >]", page)) == page.count(f"</{tag}>"), tag
    for audit in found.audits.values():
        for example in audit.counterexamples.values():
            assert example.sentence.split(".")[0][:20] in page


def test_a_design_prints_itself(designed):
    _, found = designed
    assert str(found).startswith(found.sentence)
    assert len(str(found).splitlines()) < 25
    assert len(repr(found)) < 300
    assert found.sentence in found._repr_html_()
    rows = found.rows()
    assert [row["rule"] for row in rows] == [one.name for one in found.standings]
    assert [row["rule"] for row in rows if row["recommended"]] == [found.advice.recommended]
    assert json.dumps(rows)


def test_your_own_ballots_are_decided_by_every_rule(designed):
    _, found = designed
    profile = found.electorate.profile
    for name in ("plurality", "borda", "kemeny"):
        won = elect.winners(name, profile)[0].nonzero()[:, 0].tolist()
        assert found.what_if.winners[name] == won


def test_a_culture_without_utilities_is_lent_some():
    found = design("utilitarian", "mallows:phi=0.5", None, (3, 9), 3, 0, elections=64)
    assert len(found.others) == 2
    assert "assumed" in found.electorate.told
    assert found.ceiling is not None


def test_a_design_that_fails_leaves_nothing_behind(tmp_path, monkeypatch):
    def fail(*_, **__):
        raise ElectError("Something is wrong.")

    monkeypatch.setattr(designing, "what_if", fail)
    with pytest.raises(ElectError, match="Something"):
        design("nash", "uniform", None, 3, 3, 0, tmp_path / "out", elections=16)
    assert list(tmp_path.iterdir()) == []


def call(capsys, *arguments):
    with pytest.raises(SystemExit) as stop:
        main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return stop.value.code, out, err


def test_the_command_prints_and_writes(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(designing, "ELECTIONS", 32)
    small = ("--voters", "3-9", "--candidates", "3", "--minutes", "0")
    options = ("--culture", "uniform", "--welfare", "utilitarian", *small)
    code, out, _ = call(capsys, "design", *options, "--out", tmp_path / "one")
    assert code == 0
    assert out.startswith("Use ")
    assert "report.html" in out
    code, out, _ = call(capsys, "design", *options, "--json", "--out", tmp_path / "two")
    assert code == 0
    assert json.loads(out)["recommended"] in WORDS
    code, _, err = call(capsys, "design", *options, "--out", tmp_path / "one")
    assert code == 2
    assert "already exists" in err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--welfare", "nassh"), "did you mean 'nash'"),
        (("--welfare", "nash", "--culture", "unifrom"), "uniform"),
        (("--welfare", "nash", "--culture", "uniform", "--data", "x.csv"), "leave out one"),
        (("--welfare", "nash", "--data", "nowhere.soc"), "no file"),
        (("--welfare", "nash", "--voters", "9-2"), "number of voters"),
        (("--welfare", "nash", "--minutes", "-1"), "is negative"),
        (("--welfare", "mine.py:f"), "no file"),
    ],
)
def test_mistakes_are_told_in_one_line(tmp_path, capsys, monkeypatch, options, said):
    monkeypatch.chdir(tmp_path)
    code, out, err = call(capsys, "design", *options, "--out", tmp_path / "out")
    assert code == 2
    assert out == ""
    assert said in err
    assert err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_more_candidates_than_stand_are_refused(tmp_path, capsys):
    (tmp_path / "board.csv").write_text(BOARD)
    options = ("--welfare", "nash", "--data", tmp_path / "board.csv", "--candidates", "4")
    code, _, err = call(capsys, "design", *options, "--out", tmp_path / "out")
    assert code == 2
    assert "4 candidates are more than the 3 in the file" in err


def test_people_are_told_apart_from_their_names():
    profile = Profiles.from_rankings([[0, 1]], weights=[2])
    people = People(profile, np.array([[[1.0, 0.0]]]), False, False, "us")
    assert people.__name__ == "us"
    assert people(3, 2, seed=0).utilities.tolist() == [[[1, 0], [1, 0]]] * 3
