"""What tests of the page do in a browser, what they see there, and what is right to see."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import elect
from elect import Profiles

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
]

Page = Any


def until(true: Callable[[], Any], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "this has not come true in time"
        time.sleep(0.02)


def settles(right: Any, shown: Callable[[], Any], seconds: float = 30) -> None:
    """What the page shows becomes right: a browser draws when it finds the time."""
    end = time.monotonic() + seconds
    while shown() != right and time.monotonic() < end:
        time.sleep(0.02)
    assert shown() == right


@contextmanager
def counted(page: Page) -> Iterator[None]:
    """What happens inside changes the election; goes on when its winners are on the page."""
    number = "performance.getEntriesByName('edit-to-winners').length"
    until(lambda: not page.evaluate("performance.getEntriesByName('edit').length"))
    before = page.evaluate(number)
    yield
    until(lambda: page.evaluate(number) > before)


def paste(page: Page, text: str) -> None:
    page.get_by_role("button", name="Paste").click()
    page.locator("#lines").fill(text)
    with counted(page):
        page.get_by_role("button", name="Use these ballots").click()


def tab_to(page: Page, name: str) -> None:
    """Press Tab until what has the focus is called so, or begins so."""
    for _ in range(200):
        page.keyboard.press("Tab")
        label = "(one) => one.ariaLabel ?? one.innerText.trim()"
        if page.evaluate(f"({label})(document.activeElement)").startswith(name):
            return
    raise AssertionError(f"Tab does not lead to {name}")


def link_of(page: Page) -> str:
    # The address is written once the hands have rested a moment; this does so at once.
    page.get_by_role("button", name="Copy link").click()
    page.locator("#toast").get_by_text("ink").wait_for()
    return page.evaluate("location.href")


def drop(page: Page, path: Path) -> None:
    page.evaluate(
        """([name, text]) => {
          const carried = new DataTransfer();
          carried.items.add(new File([text], name));
          for (const type of ["dragenter", "dragover", "drop"])
            document.body.dispatchEvent(
              new DragEvent(type, { dataTransfer: carried, bubbles: true, cancelable: true }),
            );
        }""",
        [path.name, path.read_text()],
    )


def profile_of(text: str, names: list[str] | None = None) -> Profiles:
    from elect.service.ballots import read_lines

    rows = read_lines(text)
    known = names or list(dict.fromkeys(n for _, tiers in rows for tier in tiers for n in tier))
    return Profiles.from_rankings(
        [[[known.index(n) for n in tier] for tier in tiers] for _, tiers in rows],
        [count for count, _ in rows],
        names=known,
    )


def ballots_of(profile: Profiles) -> dict[str, int]:
    """How many voters cast each ballot, by names."""
    found: dict[str, int] = {}
    for count, tiers in profile.ballots():
        key = json.dumps([sorted(profile.labels[c] for c in tier) for tier in tiers])
        found[key] = found.get(key, 0) + count
    return found


def right_groups(profile: Profiles) -> dict[str, set[str]]:
    """By winners, the rules that elect them, as the library says."""
    groups: dict[str, set[str]] = {}
    for name in elect.RULES:
        try:
            won = elect.winners(name, profile)[0]
        except (elect.ElectError, TypeError):
            continue
        names = sorted(profile.labels[c] for c in range(int(profile.num_candidates)) if won[c])
        groups.setdefault(" = ".join(names), set()).add(name)
    return groups


def shown_groups(page: Page) -> dict[str, set[str]]:
    """The same, as the page says."""
    cards = page.evaluate(
        """() => [...document.querySelectorAll(".card")].map((card) => [
          [...card.querySelectorAll("h3 span")].map((one) => one.textContent),
          [...card.querySelectorAll("li:not(:has(.badge))")].map((one) => one.dataset.rule),
        ])"""
    )
    return {" = ".join(sorted(who)): set(rules) for who, rules in cards if rules}


def cells(rows: Any, which: str) -> list[list[str]]:
    return [[cell.inner_text() for cell in row.locator(which).all()] for row in rows.all()]


def sheet(page: Page, figure: str) -> list[list[str]]:
    """The table under a picture."""
    page.locator(f"#{figure} .sheet td").first.wait_for()
    return page.evaluate(
        """(id) => [...document.querySelectorAll(`#${id} .sheet tr`)]
          .map((row) => [...row.children].map((cell) => cell.textContent))""",
        figure,
    )


TEXTS = "h1, h2, p, th, a, button.main, .why, .share, .segment, .rule, .badge, .quiet"

COLOURS = """(texts) => {
  const pen = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const rgb = (colour) => {
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const ground = (one) => {
    const { backgroundColor } = getComputedStyle(one);
    return /, 0\\)$/.test(backgroundColor) ? ground(one.parentElement) : backgroundColor;
  };
  const seen = (one) => one.checkVisibility() && one.textContent.trim() && !one.closest(".hidden");
  return [...document.querySelectorAll(texts)]
    .filter(seen)
    .map((one) => [rgb(getComputedStyle(one).color), rgb(ground(one))]);
}"""


def readable(page: Page) -> bool:
    """Whether text stands out from what is behind it by 4.5 to 1, as WCAG asks."""
    pairs = page.evaluate(COLOURS, TEXTS)
    return len(pairs) > 20 and all(contrast(*pair) >= 4.5 for pair in pairs)


def contrast(one: list[int], other: list[int]) -> float:
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def luminance(rgb: list[int]) -> float:
    parts = [c / 3294 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in rgb]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
