"""Tables and figures of the paper: what is printed, what is asked of each, and how it is told."""

import json
import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser

import pytest

from elect import datasets
from elect.errors import ElectError
from elect.experiments import BUDGETS, NAMES, Budget, extras_rules, extras_sizes, grid, reproduce
from elect.experiments.chapters import Chapter
from elect.experiments.contenders import shelved, tally
from elect.experiments.errata import errata
from elect.experiments.runs import CULTURES, RULES, WELFARES
from elect.experiments.sources import (
    MEASURED,
    NETWORKS,
    PRINTED,
    RECORDED,
    Source,
    best_printed,
    printed,
    sub_elections,
)
from elect.experiments.study import Study
from elect.experiments.tables import OURS, Cell, Row, Table, measured
from elect.measuring.estimates import Estimate

TINY = Budget("minutes", "tiny", elections=40, judged=8, samples=8, real=0.0005)

# ---------------------------------------------------------------------- what is printed

# Typed from the paper's tables, apart from the files of the package.
TABLE_1 = {
    "set_transformer": "1.0 .99 .82 .80 .94",
    "gin": "1.0 .99 .81 .77 .82",
    "deepsets": "1.0 .96 .83 .78 .89",
    "mlp": "1.0 .95 .81 .75 .76",
}
BY_VOTERS = {
    "table-2": [".99 .99 .99 .99", ".99 .99 .98 .98", ".97 .96 .95 .95", ".96 .93 - -"],
    "table-5": ["1 1 1 1", "1 1 1 1", "1 1 1 1", "1 .99 - -"],
    "table-6": [".83 .81 .81 .80", ".82 .80 .80 .80", ".84 .82 .80 .79", ".81 .79 - -"],
    "table-7": [".83 .77 .76 .74", ".79 .74 .73 .72", ".81 .75 .73 .74", ".79 .73 - -"],
    "table-8": [".94 .94 .93 .92", ".82 .81 .79 .76", ".91 .89 .89 .87", ".78 .77 - -"],
}
# Utilitarian and egalitarian, for uniform, polarized and indecisive in turn.
TABLE_3 = {
    "set_transformer": ".68 .66 .67 .68 .70 .54",
    "gin": ".69 .65 .68 .67 .70 .55",
    "deepsets": ".67 .65 .66 .67 .68 .57",
    "mlp": ".67 .65 .66 .67 .69 .54",
    "plurality": ".42 .40 .47 .46 .39 .31",
    "borda": ".56 .58 .50 .51 .61 .53",
    "copeland": ".52 .53 .48 .49 .56 .48",
    "maximin": ".50 .50 .46 .47 .53 .45",
    "optimal": ".65 - .65 - .67 -",
}
TABLE_4 = {
    "set_transformer": "1 1 1 1 .99  1 1 .98 1 .98  1 1 1 1 1",
    "gin": "1 1 .98 .98 .97  1 1 .98 .98 .96  1 1 .98 .99 .99",
    "deepsets": "1 1 1 1 .99  1 1 .98 .99 .97  1 1 1 1 1",
    "mlp": "1 1 .96 .97 .97  1 1 .98 .98 .96  1 1 .98 .98 .99",
}


def numbers(text: str) -> list[float | None]:
    return [None if word == "-" else float(word) for word in text.split()]


def test_printed_figures_are_the_papers():
    assert {n: list(row.values()) for n, row in printed("table-1").items()} == {
        name: numbers(text) for name, text in TABLE_1.items()
    }
    for name, rows in BY_VOTERS.items():
        found = [list(row.values()) for row in printed(name).values()]
        assert found == [numbers(text) for text in rows]
        assert list(printed(name)) == list(NETWORKS)
        assert list(printed(name)["gin"]) == ["2-49", "50-99", "100-149", "150-199"]
    for name, text in TABLE_3.items():
        values = iter(numbers(text))
        for culture in CULTURES:
            for welfare in WELFARES:
                row = printed("table-3", welfare).get(name, {})
                assert row.get(culture) == next(values)
    for name, text in TABLE_4.items():
        parts = [printed("table-4", data)[name] for data in ("netflix", "sushi", "puzzle")]
        assert [value for part in parts for value in part.values()] == numbers(text)
    totals = [sub_elections(data) for data in ("netflix", "sushi", "puzzle")]
    assert totals == [163_840, 16_384, 65_536]
    assert best_printed("table-8", "150-199") == 0.92
    assert list(printed("gevn")["gevn"].values()) == [0.92, 1.0, 0.78, 0.70, 0.49]
    assert list(printed("kujawska")["kujawska"].values()) == [0.99, 0.85, 0.89]


# ---------------------------------------------------------------------- the grid


def test_the_grid_of_hours_and_of_the_paper():
    hours = grid(BUDGETS["hours"])
    assert len(hours) == 8
    assert sum(run.recipe.minutes for run in hours) <= 8 * 60
    assert {(run.network, run.order) for run in hours} == {
        (network, order) for network in NETWORKS for order in (None, "borda")
    }
    for run in hours:
        assert len(run.heads) == 11
        kemeny = run.recipe.objectives[4]
        assert (kemeny.of, kemeny.ties, kemeny.max_candidates) == ("kemeny", "keep", 10)
        assert all(one.ties == "drop" for one in run.recipe.objectives[:4])
    paper = grid(BUDGETS["paper"])
    assert len(paper) == len({run.name for run in paper}) == 88
    assert {run.recipe.steps for run in paper if run.network == "mlp"} == {960_000}
    assert {run.recipe.steps for run in paper if run.network != "mlp"} == {320_000}
    assert {(run.recipe.batch, run.recipe.warmup) for run in paper} == {(64, 160)}
    assert {run.recipe.voters for run in paper} == {(2, 99)}
    deepsets = next(run for run in paper if run.name == "deepsets-kemeny").recipe
    assert (deepsets.optimizer, deepsets.candidates) == ("lookahead", (3, 10))
    assert grid(BUDGETS["minutes"]) == []
    assert [run.heads for run in grid(BUDGETS["paper"], heads={"borda"})] == [["borda"]] * 8


def test_what_the_shelf_calls_a_rule():
    assert shelved("copeland:tie=0") == "tally-copeland-tie-0"
    assert tally("borda").cost["parameters"] > 10_000
    assert tally("borda") is tally("borda")  # loaded once
    assert tally("scoring:vector=3/1/0") is None


# ---------------------------------------------------------------------- cells and tables


HERE = Source(MEASURED, "2026-11-17", 3, "abc1234", "a machine", "elect reproduce")


def test_cells_below_the_paper_are_marked_with_the_reason():
    cell = Cell(Estimate(0.9963, 0.99, 1.0, 100), HERE)
    assert cell.beside(1.0, "why").below == ""  # it rounds to 1.00
    assert cell.beside(0.99, "why").below == ""
    below = Cell(Estimate(0.9949, 0.99, 1.0, 100), HERE).beside(1.0, "why")
    assert (below.below, below.printed, below.worse) == ("why", 1.0, True)
    assert Cell(None).beside(1.0, "why").below == ""
    assert Cell(0.5, HERE).beside(None, "why").below == ""
    row = Row("tally", OURS, {"a": below, "b": cell, "c": replace(below, below="else")})
    table = Table("Title", {"a": "A", "b": "B", "c": "C"}, [row], ["A note."])
    text = table.markdown()
    assert "0.995 (0.990–1.000)¹ | 0.996 (0.990–1.000) | 0.995 (0.990–1.000)²" in text
    assert "¹ why" in text
    assert "² else" in text
    assert "A note." in text
    details = "(seed 3, commit abc1234, a machine, by `elect reproduce`)"
    assert text.endswith(f"Sources: measured 2026-11-17 {details}.")
    assert Table.from_json(json.loads(json.dumps(table.to_json()))) == table
    assert measured(None) == Cell()
    with pytest.raises(ValueError, match="needs a source"):
        Cell(0.5)


# ---------------------------------------------------------------------- everything, tiny


class Asked(Study):
    """Notes what is to be measured, and measures nothing."""

    def measure(self, where, entries):
        self.places.append(where)
        return {}

    def cached(self, key, find):
        self.sizes.append(key["kemeny"])
        found = {"accuracy": 1.0, "interval": [1.0, 1.0], "untied": 1, "source": HERE.to_json()}
        return {**found, "tally_ms": 1.0, "exact_ms": 1.0}


def test_sizes_of_the_extras(tmp_path):
    study = Asked(BUDGETS["minutes"], 0, tmp_path)
    study.places, study.sizes = [], []
    extras_sizes.by_candidates(study)
    assert [one.candidates[1] for one in study.places] == [2, 5, 10, 20, 29, 50, 100]
    study.places.clear()
    extras_sizes.by_number_of_voters(study)
    assert [one.voters[1] for one in study.places] == [2, *(10**power for power in range(1, 7))]
    study.places.clear()
    extras_sizes.by_culture(study)
    assert len({one.culture for one in study.places}) == 10
    extras_rules.large_kemeny(study)
    assert study.sizes == list(range(11, 30, 3))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """All chapters in some seconds, without real data."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ELECT_DATA", str(tmp_path_factory.mktemp("empty")))
        # What takes long even for a single election; `test_sizes_of_the_extras` has the sizes.
        patch.setattr(extras_sizes, "MANY_VOTERS", {10: 0.1, 1000: 0.1})
        patch.setattr(extras_sizes, "MANY_CANDIDATES", {2: 0.1, 30: 0.1})
        patch.setattr(extras_sizes, "CULTURES", {"impartial": "impartial", "urn:alpha=0.1": "urn"})
        patch.setattr(extras_rules, "LARGE", (11, 12))
        return reproduce(["all"], TINY, tmp_path_factory.mktemp("out") / "report")


def test_every_table_and_figure_is_there(made):
    assert [chapter.name for chapter in made.chapters] == list(NAMES)
    for chapter in made.chapters:
        for kind in ("json", "md"):
            assert (made.out / f"{chapter.name}.{kind}").is_file()
        assert Chapter.from_json(json.loads((made.out / f"{chapter.name}.json").read_text()))
        for picture in chapter.pictures:
            assert (made.out / f"{picture.name}.png").read_bytes().startswith(b"\x89PNG")
            assert "<svg" in (made.out / f"{picture.name}.svg").read_text()
    assert [len(chapter.pictures) for chapter in made.chapters[8:11]] == [1, 1, 1]
    about = json.loads((made.out / "table-1.json").read_text())
    assert {"seed", "machine", "command", "version", "budget"} <= about.keys()


def test_the_shapes_of_tables(made):
    def row(table, key):
        return next(row for row in table.rows if row.key == key)

    one = made.chapters[0].tables[0]
    assert list(one.columns) == [rule.split(":")[0] for rule in RULES]
    assert len([row for row in one.rows if row.kind == "trained"]) == 8
    keys = [row.key for row in one.rows if row.kind != "trained"]
    assert keys[4:] == ["order", "guess", "tally", "any_winner", "one_label"]
    bands = made.chapters[1].tables[0]
    assert len(bands.columns) == 4
    mlp = row(bands, "paper-mlp").cells
    assert mlp["150-199"].note == "not applicable"
    welfare = made.chapters[2].tables
    assert [len(table.columns) for table in welfare] == [3, 3]
    rows = {row.key for row in welfare[0].rows}
    assert {"plurality", "borda", "copeland", "maximin", "optimal", "ceiling", "missing"} <= rows
    for chapter in made.chapters:
        for table in chapter.tables:
            for one in table.rows:
                assert one.cells.keys() <= table.columns.keys()


def test_measured_cells_have_intervals_and_marks_have_reasons(made):
    for _, table, row, column, cell in cells(made):
        if cell.value is None:
            continue
        if cell.printed is not None and abs(cell.value - cell.printed + 0.005) > 1e-4:
            assert bool(cell.below) == (cell.value < cell.printed - 0.005), (row.label, column)
        # Times have no intervals, nor have printed figures.
        if row.kind != "paper" and cell.digits != 2:
            low, high = cell.interval
            assert low <= cell.value <= high
        assert not cell.below or cell.below in table.markdown()


def cells(made):
    for chapter in made.chapters:
        for table in chapter.tables:
            for row in table.rows:
                for column, cell in row.cells.items():
                    yield chapter, table, row, column, cell


def test_every_figure_has_the_source_of_its_row(made):
    commits = set()
    for chapter, table, row, _, cell in cells(made):
        if cell.value is None:
            continue
        kept = row.kind == "trained" or table.title.startswith("Objectives")
        expected = PRINTED if row.kind == "paper" else RECORDED if kept else MEASURED
        assert cell.source.kind == expected, (chapter.name, row.label)
        if expected == MEASURED:
            assert (cell.source.seed, cell.source.date) == (0, made.about["date"])
        if expected == RECORDED:
            assert (cell.source.date, cell.source.machine[:5]) == ("2026-11-16", "Intel")
            commits.add((cell.source.commit, cell.source.seed))
    # Those of the runs that measured, not of the command that gathered their figures.
    assert commits == {("bcc036c", 0), ("040ea8d", 2027)}
    sources = {one["source"] for one in made.rows()}
    assert sources == {MEASURED, RECORDED, PRINTED}


def test_what_a_reproduction_prints(made):
    lines = str(made).splitlines()
    assert "as measured by this reproduction" in lines[0]
    one = next(line for line in lines if line.startswith("Table 1"))
    # `tally` is measured and the paper's networks recorded: none was retrained here.
    assert re.fullmatch(r"Table 1: mimicking five rules +\d of 5 +\d+ of 40", one)
    header = next(line for line in lines if line.startswith("cells below"))
    assert one.index(" of 40") > header.index("recorded") > header.index("retrained")
    assert "reproduction: recorded 2026-11-16 (seed 0, commit bcc036c, Intel" in str(made)
    assert "tally" in made._repr_html_()
    assert len(made.to_pandas()) == len(made.rows()) > 100
    assert max(map(len, lines[2:16])) <= 80
    assert len(repr(made)) < 200


def test_without_data_the_rest_goes_on(made):
    chapter = made.chapters[3]
    assert chapter.tables == []
    assert len(chapter.notes) == 3
    assert all("is missing: 000" in note for note in chapter.notes)


class Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.sources, self.ids, self.targets = [], [], []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.sources += [given[key] for key in ("src", "href") if key in given and tag != "a"]
        self.ids += [given["id"]] if "id" in given else []
        self.targets += [given["href"]] if tag == "a" else []


def test_the_report_needs_nothing_else(made):
    page = made.report.read_text("utf-8")
    links = Links()
    links.feed(page)
    assert links.sources
    assert all(source.startswith("data:image/svg+xml;base64,") for source in links.sources)
    assert all(target.removeprefix("#") in links.ids for target in links.targets)
    assert len(links.ids) == len(set(links.ids))
    assert not re.search(r"https?://|@import|url\(|<script", page)
    assert "prefers-color-scheme: dark" in page
    assert "max-width: 720px" in page
    assert '<meta name="viewport"' in page
    for remarks in errata().values():
        for title in remarks:
            assert title in unescape(page)
    assert "trained here" not in page
    assert "$" not in re.sub(r'base64,[^"]+', "", page)


def test_a_reproduction_without_matplotlib(monkeypatch, tmp_path, made):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    found = reproduce(["figure-1"], TINY, made.out)
    assert any("elect[plots]" in note for note in found.chapters[0].notes)
    assert len(found.files["figure-1"]) == 2


def test_real_elections(tmp_path, monkeypatch, put):
    ballots = "# NUMBER ALTERNATIVES: 3\n60: 1,2,3\n40: 2,3,1\n30: 3,1,2\n"
    path = put("small.soc", ballots)
    monkeypatch.setattr(datasets, "fetch", lambda name: [path])
    found = reproduce(["table-4"], replace(TINY, real=0.002), tmp_path / "out").chapters[0]
    assert [len(table.columns) for table in found.tables] == [5, 5, 5]
    assert "328 sub-elections" in found.tables[0].title
    assert found.notes[0] == "The paper draws 163,840 from Netflix."


# ---------------------------------------------------------------------- mistakes


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["table-9"], "There is no 'table-9' to reproduce; there are table-1 to table-8"),
        (["all", "--budget", "days"], "There is no budget 'days'; it is one of minutes, hours"),
        (["table-1", "--out", "FILE"], "Nothing can be written to"),
        (["table-1", "--minutes", "3"], "minutes sets how long the budget hours trains"),
    ],
)
def test_mistakes_are_told_in_a_sentence(run, put, arguments, words):
    place = str(put("file", "x"))
    code, out, err = run("reproduce", *(place if a == "FILE" else a for a in arguments))
    assert (code, out) == (2, "")
    assert words in err
    assert len(err.splitlines()) == 1


def test_json_tells_where_everything_is(run, made):
    code, out, _ = run("reproduce", "--help")
    assert code == 0
    assert "elect reproduce table-1" in out
    words = made.to_json()
    assert words["report"].endswith("report.html")
    assert set(words["files"]) == set(NAMES)
    json.dumps(words)


def test_a_folder_of_another_training(tmp_path):
    run = grid(replace(BUDGETS["hours"], minutes=0.1))[0]
    (tmp_path / "runs" / run.name).mkdir(parents=True)
    with pytest.raises(ElectError, match=r"not a finished run|something else"):
        reproduce(["table-1"], BUDGETS["hours"], tmp_path)
