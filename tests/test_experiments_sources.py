"""Every figure that was recorded earlier is labelled so, wherever it is shown."""

import importlib
import json
import re
import shutil
from base64 import b64decode
from html.parser import HTMLParser
from pathlib import Path

import pytest

from elect.experiments import Budget, extras_rules, extras_sizes, reproduce, sources
from elect.experiments.chapters import Chapter
from elect.experiments.errata import errata
from elect.experiments.sources import RECORDED, Source

ROOT = Path(__file__).parents[1]
TINY = Budget("minutes", "tiny", elections=40, judged=8, samples=8)
NAMES = ("table-2", "table-3", "figure-1", "beyond")

# Conspicuous numbers: every recorded figure becomes the first, every recorded number of steps,
# parameters or minutes the second.
FIGURE, COST = 0.13131313, 717171


def planted(content, key=""):
    """Recorded content with all figures replaced, and the sources as they were."""
    if key in ("source", "histogram", "elections", "untied"):
        return content
    if key == "about":
        return re.sub(r"[\d,.]*\d", f"{COST}", content)
    if key in ("steps", "minutes"):
        return COST
    if isinstance(content, dict):
        return {name: planted(value, name) for name, value in content.items()}
    if isinstance(content, list):
        return [planted(value) for value in content]
    return FIGURE if isinstance(content, float | int) else content


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recorded")
    for path in Path(sources.RECORDS).glob("*.json"):
        (folder / path.name).write_text(json.dumps(planted(json.loads(path.read_text()))))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "RECORDS", folder)
        # What takes long even for a single election.
        patch.setattr(extras_sizes, "MANY_VOTERS", {10: 0.1})
        patch.setattr(extras_sizes, "MANY_CANDIDATES", {2: 0.1})
        patch.setattr(extras_sizes, "CULTURES", {"impartial": "impartial"})
        patch.setattr(extras_rules, "LARGE", (11,))
        return reproduce(NAMES, TINY, tmp_path_factory.mktemp("out"))


def shows(text: str) -> bool:
    """Whether a text shows a planted number, which is also both ends of its interval."""
    return bool(re.search(r"0\.1313|0\.131–0\.131|0\.13 \(|\b13 %|717,?171", text))


class Lines(HTMLParser):
    """The text of a page, a line for each row, paragraph and item."""

    def __init__(self):
        super().__init__()
        self.lines = [""]

    def handle_starttag(self, tag, attrs):
        if tag in ("tr", "p", "li", "h2", "h3", "figure", "dt"):
            self.lines.append("")
        self.lines[-1] += " ".join(value or "" for name, value in attrs if name == "title")

    def handle_data(self, data):
        self.lines[-1] += data


def unlabelled(lines):
    return [line for line in lines if shows(line) and RECORDED not in line]


def test_the_planted_numbers_are_there(made):
    """Otherwise nothing below could fail."""
    for chapter in made.chapters:
        text = json.dumps(chapter.to_json())
        assert "0.13131313" in text
    assert shows((made.out / "table-2.md").read_text())
    assert shows(made.report.read_text())


def test_terminal(made, capsys):
    assert unlabelled(str(made).splitlines()) == []
    assert RECORDED in str(made)


def test_markdown(made):
    for name in NAMES:
        lines = (made.out / f"{name}.md").read_text().splitlines()
        assert any(shows(line) for line in lines)
        assert unlabelled(lines) == []


def test_report(made):
    page = Lines()
    page.feed(made.report.read_text())
    assert sum(shows(line) for line in page.lines) > 20
    assert unlabelled(page.lines) == []


def test_json(made):
    """Every object with a planted figure has a source that says recorded, in it or around it."""

    def check(content, inside):
        if isinstance(content, dict):
            if isinstance(content.get("source"), dict):
                inside = content["source"]["kind"] == RECORDED
            if "cells" in content:
                # What is said about a row is labelled by its cells.
                kinds = {
                    cell["source"]["kind"] for cell in content["cells"].values() if cell["source"]
                }
                check(content["about"], kinds == {RECORDED})
                content = content["cells"]
            for value in content.values():
                check(value, inside)
        elif isinstance(content, list):
            for value in content:
                check(value, inside)
        elif shows(str(content)):
            assert inside, content

    for name in NAMES:
        check(json.loads((made.out / f"{name}.json").read_text()), False)
    assert {one["source"] for one in made.rows() if shows(str(one["value"]))} == {RECORDED}


@pytest.mark.parametrize("name", ["figure-1", "curves"])
def test_pictures(made, name):
    """The legend marks the lines that are recorded, and the caption says the source."""
    picture = next(one for c in made.chapters for one in c.pictures if one.name == name)
    svg = (made.out / f"{name}.svg").read_text()
    legend = re.findall(r">([^<>]+)</text>", svg)
    for label in ("GIN", "Set Transformer", "DeepSets", "MLP"):
        marked = [text for text in legend if text.startswith(label)]
        assert marked
        assert all("(recorded 2026-11-16)" in text for text in marked)
    kept = [one for one in picture.sources if one.kind == RECORDED]
    assert kept
    assert all(str(one) in picture.full_caption for one in kept)
    report = made.report.read_text()
    embedded = [b64decode(data).decode() for data in re.findall(r'base64,([^"]+)', report)]
    assert svg in embedded
    # Only what was measured bears no mark.
    lines = {key: Source.from_json(line["source"]).kind for key, line in _lines(picture)}
    assert (lines["tally"] == RECORDED) == ("tally" not in legend)


def _lines(picture):
    return [one for panel in picture.data.values() for one in panel.items()]


def test_errata_are_computed(monkeypatch, tmp_path):
    """No figure is typed in: with other recorded figures the remarks show others, labelled."""
    content = json.loads((Path(sources.RECORDS) / "errata.json").read_text())
    for figure in content["figures"].values():
        figure["value"] = FIGURE
    shutil.copytree(sources.RECORDS, tmp_path / "recorded")
    (tmp_path / "recorded" / "errata.json").write_text(json.dumps(content))
    monkeypatch.setattr(sources, "RECORDS", tmp_path / "recorded")
    text = " ".join(text for remarks in errata().values() for text in remarks.values())
    figures = re.findall(r"(0\.13|13 %)(?=[ ,])", text)
    assert len(figures) == len(content["figures"]) == 9
    assert len(re.findall(r"(?:0\.13|13 %) \(recorded 2026-11-1\d\)", text)) == 7


@pytest.fixture
def benchmarks(monkeypatch):
    """Imports a script of `benchmarks/`."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module


def test_recorded_figures_are_those_of_results(benchmarks):
    """`benchmarks/reproduction.py` would write the same files again, with the same sources."""
    gather = benchmarks("reproduction")
    assert gather.equal_time() == sources.recorded("objectives")
    assert gather.learning_curves(None) == sources.recorded("curves")
    for number in range(1, 9):
        chapter = Chapter.from_json(gather.load(f"reproduction/table-{number}"))
        assert gather.tables(chapter) == sources.recorded(f"table-{number}")
    for number in range(1, 4):
        chapter = Chapter.from_json(gather.load(f"reproduction/figure-{number}"))
        assert gather.histograms(chapter) == sources.recorded(f"figure-{number}")
    run = gather.load("learning/by-oracle")
    kept = sources.recorded("objectives")["objectives"]["oracle"]["source"]
    assert [kept[key] for key in ("commit", "seed")] == [run["commit"], run["seed"]]


def test_errata_are_those_of_results(benchmarks):
    gather = benchmarks("errata")
    figures, kept = sources.recorded("errata")["figures"], gather.load("errata")
    assert {name: figures[name] for name in gather.from_results()} == gather.from_results()
    for name, value in kept["figures"].items():
        assert figures[name]["value"] == value
        assert figures[name]["source"]["commit"] == kept["commit"]


def test_recorded_files_hold_what_is_read():
    """A file that nothing reads, or a row of something else, would only make the package larger."""
    names = {path.stem for path in Path(sources.RECORDS).glob("*.json")}
    figures = {f"figure-{number}" for number in (1, 2, 3)}
    tables = {f"table-{number}" for number in range(1, 9)}
    assert names == figures | tables | {"curves", "objectives", "errata"}
    for name in tables:
        content = sources.recorded(name)
        assert all(len(table) == 8 for table in content["tables"])
        assert content["source"]["kind"] == RECORDED
    assert sum(path.stat().st_size for path in Path(sources.RECORDS).iterdir()) < 120_000
