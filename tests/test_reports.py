"""One look for all reports: templates that escape what they are given, and one stylesheet."""

import re
from html import unescape
from pathlib import Path

import pytest
from jinja2 import UndefinedError

import elect
from elect import reports
from elect.auditing import AXIOMS, audit
from elect.errors import ElectError
from elect.measuring.estimates import Estimate
from elect.reports import charts

SOURCE = Path(elect.__file__).parent
PAGES = ("design", "audit", "reproduction")


def test_names_are_escaped_and_missing_values_raise():
    page = reports.render("summary.html.jinja", title="a", heads=["<b>"], rows=[["&", "<i>"]])
    assert "<th>&lt;b&gt;</th>" in page
    assert "<tr><th>&amp;</th><td>&lt;i&gt;</td></tr>" in page
    with pytest.raises(UndefinedError):
        reports.render("summary.html.jinja", title="a")


def test_no_html_is_escaped_by_hand():
    for path in SOURCE.rglob("*.py"):
        assert not re.search(r"from html import|import html|html\.escape", path.read_text("utf-8"))


@pytest.mark.parametrize("name", PAGES)
def test_every_report_has_the_one_look(name):
    text = (SOURCE / "reports" / "templates" / f"{name}.html.jinja").read_text("utf-8")
    assert text.startswith('{% extends "base.html.jinja" %}')
    assert "<style" not in text


def test_filters():
    write = reports.environment().from_string
    one = Estimate(0.9812, 0.98, 0.9833, 10)
    assert write("{{ one|percent }}").render(one=one) == "98.1 % (98.0–98.3 %)"
    assert write("{{ -3|signed }} {{ 1|count('voter') }}").render() == "−3 1 voter"
    assert write("{{ x|times }}").render(x=float("inf")) == "∞"


def test_charts_have_all_elections():
    histogram = (0,) * 40 + (1, 2, 3, 4, 5, 6, 7, 8, 9, 55)
    assert sum(charts.shares(histogram, 0.9)) == pytest.approx(0.45)
    bars = charts.bars(histogram, 0.9, charts.highest([histogram], 0.9))
    assert max(bar.height for bar in bars) == 100
    assert all(bar.y + bar.height == pytest.approx(100) for bar in bars)
    assert charts.nearly_all(histogram).value == 0.55
    assert charts.place(0.95, 0.9) == pytest.approx(50)


# ---------------------------------------------------------------------- the audit


@pytest.fixture(scope="module")
def audited(tmp_path_factory):
    folder = tmp_path_factory.mktemp("audit") / "audit"
    options = {"elections": 300, "candidates": (3, 4), "seconds": 2}
    return folder, audit("instant_runoff", **options, out=folder)


def test_the_folder_of_an_audit(audited):
    folder, found = audited
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["audit.json", "ballots", "report.html"]
    for several in found.files.values():
        assert all(path.parent == folder / "ballots" for path in several.values())
        assert all(path.is_file() for path in several.values())


def test_the_report_of_an_audit_says_it_all(audited):
    folder, found = audited
    page = (folder / "report.html").read_text("utf-8")
    assert not re.search(r"<(?:script|link|img|iframe)|@import|url\((?!#)|src=", page)
    for tag in ("table", "details", "div", "ul", "svg", "p", "pre"):
        assert len(re.findall(f"<{tag}[ >]", page)) == page.count(f"</{tag}>"), tag
    for axiom in AXIOMS.values():
        assert axiom.title in page
    for text in ("Manipulation", "Worst case", "Nearest simple rule", "Ballots that show it"):
        assert f">{text}</h2>" in page
    for example in found.counterexamples.values():
        assert example.sentence in unescape(page)
        assert example.promise in unescape(page)
    for link in re.findall(r'href="(?!#)(.+?)"', page):
        assert (folder / link).is_file()
    assert page.count("<svg") == sum(1 for _ in found.shown())
    identifiers = re.findall(r'<(?:g|div) id="(.+?)"', page)
    assert len(identifiers) == len(set(identifiers))


def test_another_audit_may_be_written_to_the_same_folder(audited):
    folder, found = audited
    assert found.write(folder) == found.files
    assert not list(folder.rglob(".*"))


def test_an_audit_prints_itself(audited):
    _, found = audited
    lines = str(found).splitlines()
    assert lines[0] == "Audit of instant_runoff"
    assert len(lines) < 20
    assert repr(found) == f"<Audit of instant_runoff: broke {len(_broken(found))} of 11 axioms>"
    assert len(repr(found.axioms)) < 2000
    assert found._repr_html_().count("<tr>") == len(AXIOMS) + 1
    assert [row["axiom"] for row in found.rows()] == list(AXIOMS)
    assert {row["axiom"] for row in found.rows() if row["broken"]} == set(_broken(found))


def test_ties_are_told(audited):
    _, found = audited
    loser = found.axioms["condorcet_loser"].counterexample
    if len(loser.winners["election"]) > 1:
        assert "tied with" in loser.sentence


def _broken(found):
    return [name for name, finding in found.axioms.items() if finding.broken]


@pytest.mark.parametrize("axioms", ["condorcet-winner", "condorcet_winner", ["Condorcet winner"]])
def test_one_axiom_by_any_spelling_and_nothing_else(axioms):
    found = audit("borda", elections=100, axioms=axioms)
    assert list(found.axioms) == ["condorcet_winner"]
    assert found.manipulability is found.worst_case is found.nearest_rule is None
    more = audit("borda", elections=100, seconds=1, axioms=axioms, axioms_only=False)
    assert more.worst_case is not None


def test_an_axiom_is_checked_in_the_same_way_alone_and_among_others():
    options = {"elections": 200, "seconds": 1, "trials": 4, "axioms_only": True}
    alone = audit("instant_runoff", axioms="monotonicity", **options)
    among = audit("instant_runoff", **options)
    assert alone.axioms["monotonicity"].holds == among.axioms["monotonicity"].holds


def test_a_culture_and_a_file_at_once_are_refused():
    with pytest.raises(ElectError, match="leave out one"):
        audit("borda", "uniform", "x.soc")
