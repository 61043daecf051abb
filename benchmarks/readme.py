"""Write what the README claims from what was measured: `python benchmarks/readme.py [--check]`."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import learned

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


def written(text: str) -> str:
    for name, make in (("speed", speed), ("ceilings", ceilings), ("learning", learning)):
        block = f"<!-- {name} -->\n{make()}\n<!-- /{name} -->"
        text = re.sub(f"<!-- {name} -->.*<!-- /{name} -->", lambda _: block, text, flags=re.S)  # noqa: B023
    return text


def main() -> None:
    path = ROOT / "README.md"
    old = path.read_text()
    new = written(old)
    if "--check" in sys.argv:
        sys.exit(new != old)
    path.write_text(new)


if __name__ == "__main__":
    main()
