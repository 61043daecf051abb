"""The page in a real browser: what it shows is what the library says, whatever hands do to it."""

import random
import re
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

import elect
from browsing import (
    FLAGS,
    Page,
    ballots_of,
    cells,
    counted,
    drop,
    link_of,
    paste,
    profile_of,
    readable,
    right_groups,
    settles,
    sheet,
    shown_groups,
    tab_to,
    until,
)
from elect.checkpoints import build, save, shelf
from elect.learned import Card

api = pytest.importorskip("playwright.sync_api", reason="needs the package playwright")
pytest.importorskip("uvicorn", reason="needs the extra elect[serve]")
BROWSER = shutil.which("chromium")
if BROWSER is None:
    pytest.skip("needs a browser; install Debian's package chromium", allow_module_level=True)

STATIC = Path(elect.__file__).parent / "service" / "static"
DEMO = Path(elect.__file__).parent / "data" / "demo.csv"
MARKUP = "<img src=x onerror=alert(1)>"
LINES = "12: Anna > Ben = Cleo > Dan\n7: Ben > Cleo > Anna\n5: Cleo > Dan > Anna > Ben\n4: Dan"
CYCLE = "4: Ann > Ben > Cleo\n3: Ben > Cleo > Ann\n2: Cleo > Ann > Ben"

Open = Callable[..., Page]


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A rule that would have learned Borda, had it been trained."""
    folder, arguments = (
        tmp_path_factory.mktemp("trained") / "guess",
        {"pair": 4, "place": 4, "width": 8},
    )
    card = Card(
        network="tally",
        arguments=arguments,
        objectives=[{"kind": "mimic", "of": "borda"}],
        heads=["borda"],
        culture="uniform",
        voters=[2, 20],
        candidates=[2, 9],
        seed=0,
        steps=0,
        minutes=0.0,
    )
    torch.manual_seed(0)
    save(folder, build("tally", arguments, 1).state_dict(), card)
    return folder


@pytest.fixture(scope="module")
def url(learned: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "elect", "serve", "--port", "0", "--no-browser", "--quiet"]
    command += ["--rule", f"guess={learned}"]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        found = re.findall(r"http://\S+/", running.stdout.readline())[0]
        until(lambda: b'"ready":true' in urllib.request.urlopen(found + "healthz").read(), 300)
        yield found
    finally:
        running.terminate()
        running.wait(20)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with api.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=BROWSER, args=FLAGS)
        yield running
        running.close()


@pytest.fixture
def open_page(url: str, browser: Any) -> Iterator[Open]:
    """Opens the page, and afterwards sees to it that nothing failed and nobody else was called."""
    contexts, complaints, called = [], [], []

    def opened(address: str = "", width: int = 1280, **options: Any) -> Page:
        size = {"width": width, "height": 800}
        contexts.append(browser.new_context(viewport=size, **options))
        page = contexts[-1].new_page()
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: complaints.append(said.text) if alarming(said) else None)
        page.on("request", lambda request: called.append(request.url))
        page.goto(address or url)
        page.locator(".card").first.wait_for()
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not complaints
    assert all(address.startswith((url, "blob:")) for address in called)


def alarming(said: Any) -> bool:
    # A refusal is told to the user in a sentence; that the browser notes it too is no alarm.
    return said.type == "error" and "422" not in said.text


# ---------------------------------------------------------------------- what the page says


def test_it_opens_with_the_demo_on_which_the_rules_part(open_page: Open) -> None:
    profile = elect.read(DEMO)
    example = re.search(r"`(.+?)`", (STATIC / "example.js").read_text(), re.S)[1]
    assert ballots_of(profile_of(example)) == ballots_of(profile)
    page = open_page()
    assert shown_groups(page) == right_groups(profile)
    assert page.locator("#headline").inner_text().startswith("22 rules, ")
    assert "Library beats everyone else" in page.locator("#condorcet").inner_text()
    assert "approved and not" in page.locator("#refused").inner_text()
    assert page.locator("#welcome").is_visible()


def test_every_rule_says_why_and_opens_its_scores(open_page: Open) -> None:
    page, profile = open_page(), elect.read(DEMO)
    for row in page.locator(".rules li").all():
        assert row.locator(".why").text_content().endswith(".")
    row = page.locator("[data-rule=borda]")
    assert row.locator(".why").inner_text() == elect.why("borda", profile)
    row.locator("summary").click()
    scores = elect.rule("borda")(profile)[0].int().tolist()
    right = {name: str(score) for name, score in zip(profile.names, scores, strict=True)}
    settles(right, lambda: dict(cells(row.locator("tbody tr"), "th, .number")))


def test_scores_that_would_take_long_are_left_out(open_page: Open) -> None:
    draw = random.Random(1)
    lines = ["1: " + " > ".join(draw.sample("ABCDEFGHIJ", 10)) for _ in range(300)]
    page = open_page()
    paste(page, "\n".join(lines))
    rule = page.locator("[data-rule=young]")
    rule.locator("summary").click()
    # Its definition is there, and no table of scores.
    until(lambda: rule.locator("details p").count() >= 1)
    assert rule.locator("tbody tr").count() == 0


def test_a_learned_rule_shows_how_sure_it_is(open_page: Open, learned: Path) -> None:
    page, profile, rule = open_page(), elect.read(DEMO), elect.load(learned)
    row = page.locator("[data-rule=guess]")
    assert "learned" in row.locator(".rule").inner_text()
    assert "with probabilit" in row.locator(".why").inner_text()
    row.locator("summary").click()
    chances = rule.probabilities(profile)[0].tolist()
    right = {name: f"{p:.3f}" for name, p in zip(profile.names, chances, strict=True)}
    settles(right, lambda: dict(cells(row.locator("tbody tr"), "th, .number")))
    assert "trained and measured on 2 to 20 voters" in row.locator(".caveat").inner_text()
    card = page.locator(".card").filter(has=row)
    won = rule.winners(profile)[0].tolist()
    names = {name for name, wins in zip(profile.names, won, strict=True) if wins}
    assert {one.inner_text() for one in card.locator("h3 span").all()} == names


def test_trained_rules_of_the_package_wait_behind_a_line(open_page: Open) -> None:
    page, profile = open_page(), elect.read(DEMO)
    assert page.locator("[data-rule^=tally-]").count() == 0
    page.locator(".shelf > summary", has_text="trained rule").first.wait_for()
    for line in page.locator(".shelf > summary").all():
        if line.is_visible():
            line.click()
    settles(len(shelf()), page.locator("[data-rule^=tally-]").count)
    for card in page.locator(".card").all():
        names = {one.inner_text() for one in card.locator("h3 span").all()}
        for row in card.locator("[data-rule^=tally-]").all():
            won = elect.load(row.get_attribute("data-rule")).winners(profile)[0].tolist()
            assert {n for n, wins in zip(profile.names, won, strict=True) if wins} == names
    row = page.locator("[data-rule=tally-borda]")
    assert "Tally: borda" in row.inner_text()
    with counted(page):
        page.get_by_label("Voters of ballot 2").press("ArrowUp")
    assert row.is_visible()


def test_pasted_lines_with_ties_and_gaps(open_page: Open) -> None:
    page = open_page()
    paste(page, LINES)
    assert shown_groups(page) == right_groups(profile_of(LINES))
    assert page.locator("#size").inner_text() == "28 voters, 4 candidates"


def test_a_tie_is_shown_as_a_tie(open_page: Open) -> None:
    page = open_page()
    paste(page, "1: Ann > Ben\n1: Ben > Ann")
    assert page.locator("#headline").inner_text().startswith("Ann and Ben tie under all")
    assert page.locator(".card h3").inner_text() == "Ann = Ben tie"


def test_bad_ballots_are_told_in_a_sentence_and_change_nothing(open_page: Open) -> None:
    page = open_page()
    before = shown_groups(page)
    for text, why in (("3: Ann > Ann", "Line 1"), ('Ann,Ben\n"Cleo', "quotation marks")):
        page.locator("#open-paste").click()
        page.locator("#lines").fill(text)
        page.locator("#paste button").click()
        page.locator("#trouble").get_by_text(why).wait_for()
        page.locator("#open-paste").click()
    assert shown_groups(page) == before


# ---------------------------------------------------------------------- editing


def test_edits_of_the_table_are_counted_at_once(open_page: Open) -> None:
    page = open_page()
    paste(page, CYCLE)
    with counted(page):
        page.get_by_label("Voters of ballot 2").press("ArrowUp")
    assert shown_groups(page) == right_groups(profile_of(CYCLE.replace("3:", "4:")))
    with counted(page):
        page.get_by_label("Ranking of ballot 1").fill("Cleo > Ben")
    edited = "4: Cleo > Ben\n4: Ben > Cleo > Ann\n2: Cleo > Ann > Ben"
    assert shown_groups(page) == right_groups(profile_of(edited, ["Ann", "Ben", "Cleo"]))
    with counted(page):
        page.get_by_label("Remove ballot 3").click()
    rest = "\n".join(edited.splitlines()[:2])
    assert shown_groups(page) == right_groups(profile_of(rest, ["Ann", "Ben", "Cleo"]))


def test_a_new_name_waits_for_enter_and_everything_can_be_undone(open_page: Open) -> None:
    page = open_page()
    paste(page, CYCLE)
    first = page.get_by_label("Ranking of ballot 1")
    first.press("End")
    first.press_sequentially(" > Dan")
    assert "Dan" in page.locator("#hint").inner_text()
    assert page.locator("#size").inner_text() == "9 voters, 3 candidates"
    with counted(page):
        first.press("Enter")
    assert page.locator("#size").inner_text() == "9 voters, 4 candidates"
    assert page.evaluate("document.activeElement.ariaLabel") == "Ranking of ballot 2"
    changed = CYCLE.replace("> Cleo\n3", "> Cleo > Dan\n3")
    assert shown_groups(page) == right_groups(profile_of(changed))
    with counted(page):
        page.keyboard.press("Control+z")
    assert page.locator("#size").inner_text() == "9 voters, 3 candidates"
    assert first.input_value() == "Ann > Ben > Cleo"
    with counted(page):
        page.keyboard.press("Control+Shift+Z")
    assert first.input_value() == "Ann > Ben > Cleo > Dan"
    with counted(page):
        page.get_by_role("button", name="Undo").click()
    with counted(page):
        page.get_by_role("button", name="Undo").click()
    assert shown_groups(page) == right_groups(elect.read(DEMO))


def test_a_ballot_that_ranks_someone_twice_waits_until_it_is_right(open_page: Open) -> None:
    page = open_page()
    paste(page, CYCLE)
    field = page.get_by_label("Ranking of ballot 2")
    field.fill("Ben > Cleo > Ben")
    assert "twice" in page.locator("#hint").inner_text()
    field.press("Tab")
    assert field.input_value() == "Ben > Cleo > Ben"
    assert shown_groups(page) == right_groups(profile_of(CYCLE))
    field.press("Escape")
    assert field.input_value() == "Ben > Cleo > Ann"


def test_candidates_are_renamed_removed_and_put_back(open_page: Open) -> None:
    page, profile = open_page(), elect.read(DEMO)
    with counted(page):
        page.get_by_label("Name of candidate 1").fill("Books")
    assert {"Books", "Garden"} < set(shown_groups(page))
    assert "Books > Garden" in page.get_by_label("Ranking of ballot 1").input_value()
    page.get_by_label("Name of candidate 1").fill("Garden")
    assert "another Garden" in page.locator("#hint").inner_text()
    page.get_by_label("Name of candidate 1").press("Tab")
    assert page.get_by_label("Name of candidate 1").input_value() == "Books"
    with counted(page):
        page.get_by_role("button", name="Remove Books").click()
    left = profile.only([c for c, name in enumerate(profile.names) if name != "Library"])
    assert shown_groups(page) == right_groups(left)
    with counted(page):
        page.get_by_role("button", name="Put Books back").click()
    with counted(page):
        page.keyboard.press("Control+z")
    assert shown_groups(page) == right_groups(left)


def test_a_run_with_the_keyboard_alone(open_page: Open) -> None:
    page = open_page()
    tab_to(page, "Paste")
    page.keyboard.press("Enter")
    page.keyboard.type("3: Ann > Ben\n2: Ben > Ann")
    with counted(page):
        page.keyboard.press("Control+Enter")
    tab_to(page, "Voters of ballot 2")
    with counted(page):
        page.keyboard.press("ArrowUp")
    with counted(page):
        page.keyboard.press("ArrowUp")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowUp")
    settles("Ranking of ballot 1", lambda: page.evaluate("document.activeElement.ariaLabel"))
    assert shown_groups(page) == right_groups(profile_of("3: Ann > Ben\n4: Ben > Ann"))
    until(lambda: "Ben wins under" in page.locator("#announce").inner_text())
    tab_to(page, "Plurality")
    page.keyboard.press("Enter")
    settles(2, page.locator(".rules details[open] tbody tr").count)
    # Whatever has the focus shows it.
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"


def test_a_thousand_ballots_are_light_and_all_there(open_page: Open) -> None:
    page, rng, names = open_page(), random.Random(1), list("ABCDEFGHIJ")
    lines = [" > ".join(rng.sample(names, 10)) for _ in range(1000)]
    paste(page, "\n".join(lines))
    assert page.locator("#table tbody tr").count() < 80
    assert page.locator("#table").get_attribute("aria-rowcount") == "1001"
    page.locator("#scroll").evaluate("(element) => (element.scrollTop = 1e9)")
    last = page.get_by_label("Ranking of ballot 1000", exact=True)
    assert last.input_value() == lines[-1]
    with counted(page):
        last.fill("A > B")
    lines[-1] = "A > B"
    assert shown_groups(page) == right_groups(profile_of("\n".join(lines), list("ABCDEFGHIJ")))
    copy = open_page(link_of(page))
    assert shown_groups(copy) == shown_groups(page)


# ---------------------------------------------------------------------- in and out


def test_a_link_shares_an_election(open_page: Open) -> None:
    page = open_page()
    paste(page, f'{LINES}\n2: "{MARKUP}" > Anna')
    with counted(page):
        page.get_by_role("button", name="Remove Cleo").click()
    copy = open_page(link_of(page))
    assert shown_groups(copy) == shown_groups(page)
    assert copy.get_by_role("button", name="Put Cleo back").is_visible()
    fields = [
        label
        for row in range(1, 6)
        for label in (f"Voters of ballot {row}", f"Ranking of ballot {row}")
    ]
    assert [copy.get_by_label(one).input_value() for one in fields] == [
        page.get_by_label(one).input_value() for one in fields
    ]


@pytest.mark.parametrize(
    "damage", [lambda link: link[:-9], lambda link: link.replace("#e=", "#e=~")]
)
def test_a_damaged_link_is_told(open_page: Open, url: str, damage: Callable[[str], str]) -> None:
    page = open_page(damage(link_of(open_page())))
    page.locator("#trouble").get_by_text("link is damaged").wait_for()
    assert shown_groups(page) == right_groups(elect.read(DEMO))


def test_files_are_dropped_or_chosen(open_page: Open, tmp_path: Path) -> None:
    page, profile = open_page(), profile_of(LINES)
    soi, table = elect.write(profile, tmp_path / "board"), elect.write(profile, tmp_path / "b.csv")
    with counted(page):
        drop(page, soi)
    assert shown_groups(page) == right_groups(profile)
    with counted(page):
        page.locator("#file").set_input_files(DEMO)
    assert shown_groups(page) == right_groups(elect.read(DEMO))
    with counted(page):
        page.locator("#file").set_input_files(table)
    assert shown_groups(page) == right_groups(profile)
    page.locator("#file").set_input_files(
        {"name": "a.csv", "mimeType": "text/csv", "buffer": b"PK\0\0"}
    )
    page.locator("#trouble").get_by_text("not text").wait_for()


@pytest.mark.parametrize("kind", ["PrefLib", "CSV"])
def test_export_is_read_back(open_page: Open, tmp_path: Path, kind: str) -> None:
    page = open_page()
    paste(page, LINES)
    with page.expect_download() as waiting:
        page.get_by_role("button", name=kind).click()
    path = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(path)
    assert ballots_of(elect.read(path)) == ballots_of(profile_of(LINES))


def test_markup_in_names_is_text(open_page: Open) -> None:
    page = open_page()
    page.evaluate("void (window.alert = () => (window.hit = true))")
    paste(
        page,
        f'3: "{MARKUP}" > "<b>Ben</b>"\n2: "<b>Ben</b>" > "</script><script>alert(1)</script>"',
    )
    page.locator("#margins svg").wait_for()
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    assert page.locator(".card h3").first.inner_text() == MARKUP
    assert page.locator("main img, main b b, main script").count() == 0
    assert page.evaluate("window.hit") is None
    page.get_by_label("Name of candidate 2").fill('"><svg onload=alert(1)>')
    page.locator(".rules").get_by_text("svg onload").first.wait_for()
    assert page.locator("svg[onload]").count() == 0


def test_names_that_mean_something_to_the_browser_are_only_names(open_page: Open) -> None:
    page = open_page()
    lines = "4: constructor > __proto__ > toString\n3: __proto__ > toString > constructor\n2: 1"
    paste(page, lines)
    assert shown_groups(page) == right_groups(profile_of(lines))
    for rule in ("instant_runoff", "baldwin"):
        page.locator("#rounds-rule").select_option(rule)
        page.locator("#rounds svg").wait_for()
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    assert shown_groups(open_page(link_of(page))) == right_groups(profile_of(lines))


def test_sampling_moves_with_the_sliders(open_page: Open, url: str) -> None:
    page = open_page()
    page.get_by_role("button", name="Sample").click()
    with counted(page):
        page.locator("#culture").select_option("mallows")
    with counted(page):
        page.get_by_label("Dispersion").fill("0")
    assert page.locator("#table tbody tr:not(.spacer)").count() == 1
    with counted(page):
        page.locator("#sample-candidates").fill("7")
    assert page.locator("#candidates li").count() == 7
    with counted(page):
        page.get_by_role("button", name="Draw another").click()
    with counted(page):
        page.keyboard.press("Control+z")
    with counted(page):
        page.keyboard.press("Control+z")
    assert shown_groups(page) == right_groups(elect.read(DEMO))


def test_clearing_leads_to_an_invitation(open_page: Open) -> None:
    page = open_page()
    page.get_by_role("button", name="Clear").click()
    page.locator("#empty").wait_for()
    settles(0, page.locator(".card").count)
    until(lambda: not page.evaluate("location.hash"))
    with counted(page):
        page.get_by_role("button", name="Show the example").click()
    assert shown_groups(page) == right_groups(elect.read(DEMO))


# ---------------------------------------------------------------------- pictures


def test_pictures_tell_what_they_show(open_page: Open) -> None:
    page = open_page()
    paste(page, CYCLE)
    for name in ("margins", "majorities", "places", "rounds"):
        picture = page.locator(f"#{name} svg[role=img]")
        picture.wait_for()
        assert len(picture.get_attribute("aria-label")) > 20
    page.evaluate("document.querySelectorAll('.as-table').forEach((one) => (one.open = true))")
    settles(4, lambda: len(sheet(page, "margins")))
    margins = sheet(page, "margins")
    profile = profile_of(CYCLE)
    for a, row in zip(profile.names, profile.margins[0].tolist(), strict=True):
        shown = dict(zip(margins[0][1:], margins[1 + margins[0][1:].index(a)][1:], strict=True))
        for b, margin in zip(profile.names, row, strict=True):
            assert shown[b] == ("" if a == b else f"{margin:+}".replace("-", "−"))
    majorities = [
        ["Ann", "Ben", "nobody", "Cleo"],
        ["Ben", "Cleo", "nobody", "Ann"],
        ["Cleo", "Ann", "nobody", "Ben"],
    ]
    settles(majorities, lambda: sheet(page, "majorities")[1:])
    places = [["Ann", "4", "2", "3"], ["Ben", "3", "4", "2"], ["Cleo", "2", "3", "4"]]
    settles(places, lambda: sheet(page, "places")[1:])
    settles(["Ann", "4", "6"], lambda: sheet(page, "rounds")[1][:3])
    settles(["Cleo", "2, leaves"], lambda: sheet(page, "rounds")[3][:2])


def test_welfare_is_drawn_with_its_ceiling(open_page: Open) -> None:
    page = open_page()
    page.locator("#welfare").scroll_into_view_if_needed()
    page.locator("#welfare .ceiling").first.wait_for()
    page.evaluate("document.querySelector('#welfare details').open = true")
    means = {row[0]: float(row[1]) for row in sheet(page, "welfare")[1:]}
    assert all(means["Ceiling"] >= mean - 0.01 for mean in means.values())
    assert {"Plurality", "Borda"} < set(means)
    page.locator("#welfare-culture").select_option("polarized")
    until(lambda: float(sheet(page, "welfare")[1][1]) != means["Ceiling"])


# ---------------------------------------------------------------------- for everyone


@pytest.mark.parametrize("width", [390, 1024, 1920])
def test_nothing_sticks_out_at_any_width(open_page: Open, width: int) -> None:
    page = open_page(width=width)
    names = [f"Candidate with quite a long name {c}" for c in range(12)] + ["X" * 150]
    rng = random.Random(2)
    paste(page, "\n".join(" > ".join(rng.sample(names, 13)) for _ in range(30)))
    page.locator("#rounds svg").wait_for()
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    page.get_by_role("button", name="Sample").click()
    assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark_can_be_read(open_page: Open, scheme: str) -> None:
    page = open_page(color_scheme=scheme)
    assert readable(page)
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("button", name="Dark").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before
    assert readable(page)
    page.reload()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before


def test_everything_has_a_name_and_a_place(open_page: Open) -> None:
    page = open_page()
    page.evaluate("document.querySelectorAll('[hidden]').forEach((one) => (one.hidden = false))")
    for field in page.locator("button, input, select, textarea, summary").all():
        assert field.evaluate(
            "(one) => (one.ariaLabel || one.textContent.trim() || one.labels?.length) && true"
        ), field.evaluate("(one) => one.outerHTML")
    for landmark in ("banner", "main", "contentinfo", "navigation"):
        assert page.get_by_role(landmark).count() == 1
    for region in ("Ballots", "Winners", "Pictures"):
        assert page.get_by_role("region", name=region, exact=True).count() == 1
    assert page.evaluate(
        "(() => { const all = [...document.querySelectorAll('[id]')].map((one) => one.id);"
        " return all.length === new Set(all).size })()"
    )


# ---------------------------------------------------------------------- modules by themselves


def test_rankings_survive_being_written_and_read(open_page: Open) -> None:
    rng, letters = random.Random(3), 'ab >=":#×1é,'
    cases = []
    for _ in range(200):
        names = list({"".join(rng.choices(letters, k=rng.randint(1, 5))) for _ in range(6)})
        names = [name for name in names if name.strip()] or ["a"]
        order = rng.sample(range(len(names)), rng.randint(1, len(names)))
        cut = rng.randint(0, len(order))
        cases.append([names, [tier for tier in (order[:cut], order[cut:]) if tier]])
    read_back = open_page().evaluate(
        """async (cases) => {
          const { readRanking, writeRanking } = await import("/static/ballots.js");
          return cases.map(([names, ranking]) => readRanking(writeRanking(ranking, names), names));
        }""",
        cases,
    )
    for (_, ranking), found in zip(cases, read_back, strict=True):
        assert found == {"ranking": ranking, "strangers": [], "error": None}


def test_lines_are_read_as_the_service_reads_them(open_page: Open) -> None:
    from elect.service.ballots import read_lines

    text = "# remark\n12: Anna > Ben = Cleo > Dan\n\n 3 : Ben>Anna\nDan\n"
    found = open_page().evaluate(
        """async (text) => {
          const { readLines } = await import("/static/ballots.js");
          const { toService } = await import("/static/state.js");
          return toService(readLines(text)).ballots.map((one) => [one.count, one.ranking]);
        }""",
        text,
    )
    assert [tuple(ballot) for ballot in found] == read_lines(text)


def test_answers_that_were_overtaken_are_dropped(open_page: Open) -> None:
    said = open_page().evaluate(
        """async () => {
          const { latest } = await import("/static/api.js");
          const [started, done, ends] = [[], [], []];
          const work = (input) => new Promise((end) => (started.push(input), ends.push(end)));
          const ask = latest(work, (output, input) => done.push(input), () => done.push("failed"));
          const turn = () => new Promise((resolve) => setTimeout(resolve));
          ask(1), ask(2), ask(3);
          ends[0](), await turn();
          ends[1](), await turn();
          ask(4), ask.forget(), ends[2](), await turn();
          return [started, done];
        }"""
    )
    assert said == [[1, 3, 4], [3]]
