"""The ceiling beside what known rules reach, at the sizes of "Learning to Elect".

python benchmarks/ceilings.py            # writes results/ceilings.json
python benchmarks/ceilings.py --quick    # fewer elections, nothing written
"""

import sys
import time
from collections.abc import Callable

import torch
from rich.console import Console
from rich.table import Table

from elect.cultures import culture
from elect.elections import Elections
from elect.rules import rule
from elect.rules.ceiling import ceiling
from elect.rules.optimal import optimal_scoring_rule
from elect.welfare import judge, welfare
from record import record

SEED = 2026
VOTERS, CANDIDATES = (2, 99), (2, 29)
CULTURES = ["uniform", "polarized", "indecisive"]
WELFARES = ["utilitarian", "egalitarian", "rawlsian", "nash"]
RULES = ["plurality", "borda", "copeland", "maximin"]


def accuracy(decide: Callable, judged: torch.Tensor, elections: Elections) -> dict[str, float]:
    """How often the rule elects the optimum; several winners share the chance of being drawn."""
    scores = decide(elections.profiles)
    elected = (scores == scores.amax(1, keepdim=True)).double()
    optimal = (judged == judged.amax(1, keepdim=True)).double()
    hits = (elected * optimal).sum(1) / elected.sum(1)
    return {
        "accuracy": round(float(hits.mean()), 4),
        "error": round(float(hits.std() / len(hits) ** 0.5), 4),
    }


def main() -> None:
    quick = "--quick" in sys.argv
    count = 2_000 if quick else 40_000
    cells: dict[str, dict] = {}
    for name in CULTURES:
        elections = culture(name)(count, VOTERS, CANDIDATES, seed=SEED)
        rules = {one: rule(one) for one in RULES}
        rules["optimal scoring vector"] = optimal_scoring_rule(culture(name))
        for goal in WELFARES:
            judged = judge(welfare(goal), elections)
            cell = {one: accuracy(decide, judged, elections) for one, decide in rules.items()}
            start = time.perf_counter()
            settings = {"elections": 400, "samples": 100} if quick else {}
            best = ceiling(culture(name), welfare(goal), VOTERS, CANDIDATES, seed=SEED, **settings)
            cell["ceiling"] = {
                "accuracy": round(best.accuracy, 4),
                "error": round(best.accuracy_error, 4),
                "welfare_ratio": round(best.welfare_ratio, 5),
                "welfare_ratio_error": round(best.welfare_ratio_error, 5),
                "elections": best.elections,
                "samples": best.samples,
                "seconds": round(time.perf_counter() - start, 1),
            }
            cells[f"{goal} {name}"] = cell
            print(f"{goal} {name}: {cell['ceiling']}", flush=True)
    show(cells)
    if not quick:
        sizes = {"voters": VOTERS, "candidates": CANDIDATES, "elections_of_rules": count}
        print("written to", record("ceilings", SEED, sizes | {"cells": cells}))


def show(cells: dict[str, dict]) -> None:
    table = Table("", *cells)
    for row in [*RULES, "optimal scoring vector", "ceiling"]:
        table.add_row(row, *(f"{cell[row]['accuracy']:.3f}" for cell in cells.values()))
    Console(width=220).print(table)


if __name__ == "__main__":
    main()
