"""Write what the README and the docs claim from what was measured.

python benchmarks/readme.py            # writes what stands between <!-- name --> and <!-- /name -->
python benchmarks/readme.py --check    # fails if that would change anything
"""

import json
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import beside
import learned
import scaled
from elect.experiments import NAMES
from elect.experiments.chapters import Chapter
from elect.experiments.errata import errata
from elect.experiments.sources import RECORDED
from elect.experiments.tables import Table, origins

ROOT = Path(__file__).parents[1]
CULTURES = ["uniform", "polarized", "indecisive"]
WELFARES = {
    "utilitarian": "utilitarian",
    "egalitarian": "egalitarian, λ = ½",
    "rawlsian": "Rawlsian",
    "nash": "Nash",
}


def load(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((ROOT / "results" / f"{name}.json").read_text())
    return content


def table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def speed() -> str:
    measured = load("benchmark-rules")
    rows = []
    for one in measured["rules"]:
        rate, times = one["per_second"], one["times"]
        rows.append(
            [
                f"{one['rule']}, n = {one['voters']}, m = {one['candidates']}",
                f"{rate['elect']:,.0f}",
                f"{times['svvamp']:,.0f} ×",
                f"{times['svvamp from arrays']:,.0f} ×",
                f"{times['pref_voting']:,.0f} ×",
            ]
        )
    kemeny = [
        [
            f"Kemeny, n = {one['voters']}, m = {one['candidates']}",
            f"{one['per_second']['elect']:,.0f}",
            f"{one['times']['integer program']:,.1f} ×",
        ]
        for one in measured["kemeny"]
    ]
    merging = measured["merging_microseconds"]
    return "\n".join(
        [
            "Winners from raw rankings of impartial culture, one thread each, side by side in one",
            f"run of `{measured['command']}` ({measured['machine']}):",
            "",
            table(["", "elect, per second", "svvamp", "svvamp, from arrays", "pref_voting"], rows),
            "",
            table(["", "elect, per second", "integer program with all triangles"], kemeny),
            "",
            f"Four rules decide 24 voters in {merging['24 voters']:,.0f} µs and a million voters",
            f"with 24 distinct ballots in {merging['a million voters']:,.0f} µs.",
        ]
    )


def ceilings() -> str:
    measured = load("ceilings")
    names = {"plurality": "plurality", "borda": "Borda", "copeland": "Copeland"}
    names |= {"maximin": "maximin", "optimal scoring vector": "optimal scoring vector"}
    blocks = []
    for welfare, title in WELFARES.items():
        cells = [measured["cells"][f"{welfare} {culture}"] for culture in CULTURES]
        rows = [
            [name, *(f"{cell[key]['mean']:.3f}" for cell in cells)] for key, name in names.items()
        ]
        best = [f"**{c['ceiling']['mean']:.3f}** ± {c['ceiling']['error']:.3f}" for c in cells]
        blocks.append(table([title, *CULTURES], [*rows, ["**ceiling**", *best]]))
    (low, high), (few, many) = measured["voters"], measured["candidates"]
    intro = [
        f"At the paper's sizes ({low} to {high} voters, {few} to {many} candidates), by",
        f"`{measured['command']}`; all rows on the same {measured['elections']:,} elections, ties",
        "broken by lot, ± one standard error:",
    ]
    return "\n\n".join(["\n".join(intro), *blocks])


def learning() -> str:
    five, one = learned.mimicked(), learned.run("borda")
    assert one is not None
    parts = [
        f"Trained by `{one['training'].split(' --out')[0]}` and the like, measured by "
        f"`python benchmarks/learning.py` on 10,000\nfresh elections each (500 at 100,000 voters; "
        f"{one['machine']}):",
        five,
        "Accuracy is on elections with one winner. “More candidates” are 30 to 40, for Kemeny 15 "
        "to 20 after\ntraining on 3 to 10. Nothing was trained on Mallows, urn, Euclidean or real "
        "elections.",
        learned.others(),
        "For a welfare, and in brackets what is missing to the ceiling, on the same draws:",
        learned.welfares(),
    ]
    return "\n\n".join(parts)


def training() -> str:
    """What steps and decisions cost, once that has been measured."""
    if not (ROOT / "results" / "benchmark-training.json").exists():
        return "Not measured yet: `python benchmarks/training.py`."
    measured = load("benchmark-training")
    steps = [
        [
            one["network"].replace("_", " "),
            f"{one['parameters']:,}",
            f"{one['elections_a_step']:,}",
            f"{one['milliseconds_a_step']:,.0f}",
            f"{one['share_waiting_for_elections']:.1%}",
            f"{one['milliseconds_drawing_a_step']:,.1f}",
        ]
        for one in measured["steps"]
    ]
    decisions = [
        [
            str(one["candidates"]),
            *(f"{one['per_second'][name]:,.0f}" for name in ("tally", "kemeny")),
            f"{one['times']:,.{1 if one['times'] >= 1 else 2}f} ×",
        ]
        for one in measured["decisions"]
    ]
    header = ["network", "parameters", "elections a step", "ms a step", "waiting for elections"]
    return "\n".join(
        [
            "Steps of `elect train` with its defaults, the paper's networks at the paper's size,",
            f"by `{measured['command']}` ({measured['machine']}). Elections are drawn and labelled",
            "by a second thread while the first computes:",
            "",
            table([*header, "ms drawing, beside it"], steps),
            "",
            "Elections of 49 voters decided in a second by `tally` as it learns Kemeny, and by",
            "exact Kemeny, one thread each:",
            "",
            table(["candidates", "`tally`", "exact Kemeny", "times"], decisions),
        ]
    )


def shelf() -> str:
    """The trained rules that come with the package, from their cards."""
    folders = sorted((ROOT / "src" / "elect" / "shelf").glob("*/card.json"))
    cards = {path.parent.name: json.loads(path.read_text()) for path in folders}
    rows = []
    for name, card in cards.items():
        first, *others = card["measured"]
        sizes = [f"{low}–{high}" for low, high in (first["voters"], first["candidates"])]
        short, sets = first.get("shortfall"), first.get("exact_set")
        worst = min((one["accuracy"] for one in others), default=None)
        rows.append(
            [
                f"`{name}`",
                f"{first['accuracy']:.4f}",
                "" if short is not None or sets is None else f"{sets:.4f}",
                "" if short is None else f"{short:.4f}",
                *sizes,
                "" if worst is None else f"{worst:.4f}",
                f"{card['minutes']:.1f}",
            ]
        )
    header = ["rule", "accuracy", "exact sets", "short of the ceiling", "voters", "candidates"]
    return "\n".join(
        [
            "Accuracy is the share of elections in which the rule elects the exact rule's only",
            "winner, or the candidate of highest welfare, on 10,000 fresh elections of the sizes",
            "given; elsewhere is the least of all other elections it was measured on (more voters,",
            "more candidates, other cultures, real elections).",
            "",
            table([*header, "elsewhere", "minutes"], rows),
        ]
    )


def reproduced() -> str:
    """Every table that has been reproduced, and what it took."""
    paths = [ROOT / "results" / "reproduction" / f"{name}.json" for name in NAMES]
    kept = [json.loads(path.read_text()) for path in paths if path.exists()]
    if not kept:
        return "No figures have been written to `results/` yet."
    chapters = [Chapter.from_json(one) for one in kept]
    tables = [table for chapter in chapters for table in chapter.tables]
    # What all tables have in common is said once.
    found = dict.fromkeys(source for table in tables for source in table.sources)
    known = [source for source in found if source.kind != RECORDED]
    minutes = sum(one["cost"]["seconds"] for one in kept) / 60
    parts = [f"{minutes:.0f} minutes of measuring. {origins(known)}"]
    for one in chapters:
        shown = [filled(table).markdown(known) for table in one.tables]
        parts += [f"### {one.title}", one.asked, *shown, *one.notes]
    return "\n\n".join(parts)


def remarks() -> str:
    """What the paper got wrong, what it leaves open, and what was added here."""
    return "\n\n".join(
        f"### {title}\n\n" + "\n".join(f"- **{name}.** {text}" for name, text in found.items())
        for title, found in errata().items()
    )


def filled(table: Table) -> Table:
    """A table without rows that only say why they are empty."""
    rows = [row for row in table.rows if any(c.value is not None for c in row.cells.values())]
    return replace(table, rows=rows)


# By the name that a block has in the README or in a page of the docs.
def faults() -> str:
    """What happened when much went wrong, thousands of times."""
    if not (ROOT / "results" / "faults.json").is_file():
        return "Not measured yet."
    measured = load("faults")
    counted, files, service = (measured[name] for name in ("counting", "files", "service"))
    damage, crowd = (
        ", ".join(f"{status}: {n:,}" for status, n in sorted(service[name]["answers"].items()))
        for name in ("damage", "crowd")
    )
    rows = [
        [
            f"{counted['elections']:,} elections counted by every rule that reads them",
            f"{counted['counted']:,} counts, {counted['different']} different",
        ],
        [
            f"{files['files']:,} damaged files",
            f"{files.get('read', 0):,} read, {files.get('refused', 0):,} refused in one sentence, "
            f"{files.get('broken', 0)} otherwise; at most {files['longest_seconds']:g} s and "
            f"{files['most_megabytes']:,} MB",
        ],
        [
            f"{sum(service['damage']['answers'].values()):,} damaged requests",
            f"answers by status: {damage}",
        ],
        [
            "200 clients for a minute while workers were killed",
            f"answers by status: {crowd}; {service['workers_started']} workers started",
        ],
    ]
    return "\n".join(
        [
            f"Recorded on {measured['date']} by `{measured['command']}` at commit "
            f"{measured['commit']}, seed {measured['seed']}, in {measured['minutes']:g} minutes",
            f"({measured['machine']}).",
            "",
            table(["tried", "result"], rows),
        ]
    )


BLOCKS: dict[str, Callable[[], str]] = {
    "faults": faults,
    "speed": speed,
    "ceilings": ceilings,
    "learning": learning,
    "paper": beside.paper,
    "summary": beside.summary,
    "networks": beside.networks,
    "reproduced": reproduced,
    "errata": remarks,
    "scaling lost": scaled.lost,
    "scaling expected": scaled.expected,
    "paper's sizes": scaled.begun,
    "shelf": shelf,
    "training": training,
    "objectives": learned.objectives,
    **{f"figures {name}": partial(beside.figures, name) for name in learned.NETWORKS},
}
BLOCK = re.compile(r"<!-- ([\w' -]+) -->\n.*?<!-- /\1 -->", re.DOTALL)


def written(text: str) -> str:
    """The text with all of its blocks made anew."""
    return BLOCK.sub(lambda b: f"<!-- {b[1]} -->\n{BLOCKS[b[1]]()}\n<!-- /{b[1]} -->", text)


def main() -> None:
    stale = []
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        old = path.read_text("utf-8")
        if (new := written(old)) != old:
            stale.append(str(path.relative_to(ROOT)))
            if "--check" not in sys.argv:
                path.write_text(new, "utf-8")
    if stale and "--check" in sys.argv:
        sys.exit(f"Run python benchmarks/readme.py, which would change {', '.join(stale)}.")


if __name__ == "__main__":
    main()
