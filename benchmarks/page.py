"""From an edit to new winners on the page, in a real browser, with a thousand ballots.

An edit is a key pressed in a field of the table of ballots, and its winners are there when the
browser has painted them; the page takes the time itself, as `edit-to-winners` among the entries of
`performance`. The server has been asked once before, as it has been by anyone who edits.

    pip install -c constraints.txt -e ".[test,serve]" && apt-get install chromium
    python benchmarks/page.py            # writes results/benchmark-page.json
    python benchmarks/page.py --quick    # ten edits, nothing written
"""

import random
import re
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Page, sync_playwright

from record import record

SEED, BALLOTS, CANDIDATES, EDITS, WANTED = 2026, 1000, 10, 50, 100
MEASURES = "performance.getEntriesByName('edit-to-winners').map((entry) => entry.duration)"
BROWSER = "/usr/bin/chromium"
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


@contextmanager
def server() -> Iterator[str]:
    """The page's address, once all rules are loaded and compiled."""
    command = [sys.executable, "-m", "elect", "serve", "--port", "0", "--no-browser", "--quiet"]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert running.stdout is not None
        url = re.findall(r"http://\S+", running.stdout.readline())[0]
        while b'"ready":true' not in urllib.request.urlopen(url + "healthz").read():
            time.sleep(0.2)
        yield url
    finally:
        running.terminate()
        running.wait(10)


def ballots() -> str:
    """As many different ballots of impartial culture, a line each."""
    rng, names = random.Random(SEED), [f"Candidate {c}" for c in range(CANDIDATES)]
    return "\n".join(" > ".join(rng.sample(names, CANDIDATES)) for _ in range(BALLOTS))


def measure(page: Page, edits: int) -> list[float]:
    """Milliseconds of each edit: by turns more voters, fewer voters, and another ranking."""
    times: list[float] = []
    for edit in range(edits):
        field = page.locator("#table tbody tr:not(.spacer)").nth(edit % 8)
        if edit % 3 < 2:
            field.locator("input").press("ArrowUp" if edit % 3 == 0 else "ArrowDown")
        else:
            ranking = field.locator("textarea")
            order = ranking.input_value().split(" > ")
            ranking.fill(" > ".join([*order[1:], order[0]]))
        while len(found := page.evaluate(MEASURES)) <= len(times):
            page.wait_for_timeout(20)
        times.append(found[-1])
        page.wait_for_timeout(100)
    return times


def main() -> None:
    quick = "--quick" in sys.argv
    with server() as url, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=BROWSER, args=FLAGS)
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(url)
        page.get_by_role("button", name="Paste").click()
        page.locator("#lines").fill(ballots())
        page.get_by_role("button", name="Use these ballots").click()
        page.get_by_text("1,000 voters, 10 candidates").wait_for()
        page.wait_for_timeout(2000)
        page.evaluate("performance.clearMeasures()")
        times = measure(page, 10 if quick else EDITS)
        rules = page.locator(".rules li").count()
        version = browser.version
        browser.close()
    measured: dict[str, Any] = {
        "browser": f"Chromium {version}",
        "ballots": BALLOTS,
        "candidates": CANDIDATES,
        "rules": rules,
        "edits": len(times),
        "milliseconds": {
            "median": round(statistics.median(times), 1),
            "wanted_median": WANTED,
            "least": round(min(times), 1),
            "most": round(max(times), 1),
        },
    }
    print(measured)
    if not quick:
        print("written to", record("benchmark-page", SEED, measured))


if __name__ == "__main__":
    main()
