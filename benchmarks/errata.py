"""Compute the figures that the remarks on the paper state: see `src/elect/experiments/errata.py`.

    python benchmarks/errata.py            # measures in a minute, and writes results/errata.json
                                           # and src/elect/experiments/recorded/errata.json
    python benchmarks/errata.py --quick    # fewer elections, nothing written

Two questions are measured here: how often the winners of the two Copeland rules differ, and how
often Kemeny winners are tied. The other figures are taken from `results/`, with their own sources.
"""

import sys
from typing import Any

from elect import cultures, evaluate, winners
from elect.experiments.chapters import Chapter
from elect.experiments.sources import RECORDED, Source, measured_here
from record import load, record, record_in_package

SEED, ELECTIONS, BATCH = 2026, 20_000, 500
VOTERS, CANDIDATES, FEW = (2, 99), (2, 29), (3, 10)
CULTURES = ("uniform", "polarized", "indecisive")


def copeland_variants(elections: int) -> float:
    """The share of elections in which half a point and no point for a tie elect others."""
    differ = 0
    for number in range(elections // BATCH):
        drawn = cultures.culture("impartial")(BATCH, VOTERS, CANDIDATES, seed=[SEED, number])
        half, none = (winners(rule, drawn.profiles) for rule in ("copeland", "copeland:tie=0"))
        differ += int((half != none).any(1).sum())
    return differ / (elections // BATCH * BATCH)


def kemeny_ties(elections: int) -> dict[str, float]:
    """How often Kemeny winners are tied, and what the exact rule reaches if a lot decides."""
    sizes = {"voters": VOTERS, "candidates": FEW, "elections": elections, "seed": SEED}
    found = evaluate("kemeny", "kemeny", "impartial", **sizes, guesses=())
    assert found.overall.accuracy is not None
    few = found.by_voters["2-49"].one_label
    assert few is not None
    assert found.overall.one_label is not None
    return {
        "Kemeny elections tied": 1 - found.overall.accuracy.elections / elections,
        "Kemeny by lot": found.overall.one_label.value,
        "Kemeny by lot, 2 to 49 voters": few.value,
    }


def measured(elections: int) -> dict[str, float]:
    return {"Copeland variants differ": copeland_variants(elections), **kemeny_ties(elections)}


def from_results() -> dict[str, Any]:
    """Figures that other commands have measured, with the sources of those measurements."""
    ceilings = load("ceilings")
    source = Source.from_json(ceilings, RECORDED).to_json()
    found = {
        f"optimal vector, {culture}": {
            "value": ceilings["cells"][f"utilitarian {culture}"]["optimal scoring vector"]["mean"],
            "source": source,
        }
        for culture in CULTURES
    }
    rows = {row.key: row for row in Chapter.from_json(load("reproduction/table-1")).tables[0].rows}
    for rule, title in (("copeland", "Copeland"), ("maximin", "maximin")):
        cell = rows["order"].cells[rule]
        assert cell.source is not None
        about = {"value": cell.value, "source": cell.source.as_recorded().to_json()}
        found[f"Borda elects the {title} winner"] = about
    return found


def main() -> None:
    quick = "--quick" in sys.argv
    figures = measured(1000 if quick else ELECTIONS)
    print(figures)
    if quick:
        return
    print("written to", record("errata", SEED, {"elections": ELECTIONS, "figures": figures}))
    source = measured_here(SEED, "python benchmarks/errata.py").as_recorded().to_json()
    own = {name: {"value": value, "source": source} for name, value in figures.items()}
    print("recorded in", record_in_package("errata", {"figures": {**own, **from_results()}}))


if __name__ == "__main__":
    main()
