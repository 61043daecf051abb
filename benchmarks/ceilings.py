"""The ceiling beside what known rules reach, at the sizes of "Learning to Elect".

All are judged on the same elections and the same draws of the utilities that may lie behind them,
so that rows can be compared to a tenth of what their standard errors suggest.

    python benchmarks/ceilings.py            # writes results/ceilings.json
    python benchmarks/ceilings.py --quick    # fewer elections, nothing written
"""

import sys
import time

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from elect.cultures import Impartial, culture
from elect.elections import Profiles
from elect.rules import rule
from elect.rules.ceiling import cross_fit
from elect.rules.optimal import optimal_scoring_rule
from elect.rules.posterior import over_posterior
from elect.welfares import welfare
from record import record

SEED = 2026
VOTERS, CANDIDATES = (2, 99), (2, 29)
CULTURES = ["uniform", "polarized", "indecisive"]
WELFARES = ["utilitarian", "egalitarian", "rawlsian", "nash"]
RULES = ["plurality", "borda", "copeland", "maximin"]
BATCH = 512


def judge(scores: np.ndarray) -> tuple[float, float, np.ndarray]:
    """The best rule's accuracy and welfare ratio, and how often each candidate is optimal."""
    accuracy, ratio = cross_fit(scores)
    return accuracy, ratio, (scores == scores.max(1, keepdims=True)).mean(0)


def lottery(scores: np.ndarray) -> np.ndarray:
    """Who is elected with what chance, where several winners are broken by lot."""
    elected = scores == scores.max(1, keepdims=True)
    return elected / elected.sum(1, keepdims=True)


def measure(name: str, goal: str, batches: list[Profiles], samples: int) -> dict:
    rules = {one: rule(one) for one in RULES}
    rules["optimal scoring vector"] = optimal_scoring_rule(culture(name))
    hits: dict[str, list[float]] = {one: [] for one in [*rules, "ceiling", "ratio"]}
    rng = np.random.default_rng(SEED)
    start = time.perf_counter()
    for profiles in track(batches, f"{goal} {name}", transient=True):
        judged = over_posterior(culture(name), welfare(goal), profiles, samples, rng, judge)
        hits["ceiling"] += [accuracy for accuracy, _, _ in judged]
        hits["ratio"] += [ratio for _, ratio, _ in judged]
        for one, decide in rules.items():
            chances = lottery(decide(profiles).numpy())
            hits[one] += [
                float(chance[: len(share)] @ share)
                for chance, (_, _, share) in zip(chances, judged, strict=True)
            ]
    cell = {one: estimate(values) for one, values in hits.items()}
    return cell | {"seconds": round(time.perf_counter() - start, 1)}


def estimate(values: list[float]) -> dict[str, float]:
    return {
        "mean": round(float(np.mean(values)), 4),
        "error": round(float(np.std(values) / len(values) ** 0.5), 4),
    }


def main() -> None:
    quick = "--quick" in sys.argv
    count, samples = (4, 64) if quick else (20, 768)
    # All symmetric Dirichlet cultures have the rankings of impartial culture.
    batches = [Impartial()(BATCH, VOTERS, CANDIDATES, seed=SEED + i).profiles for i in range(count)]
    cells = {}
    for name in CULTURES:
        for goal in WELFARES:
            cells[f"{goal} {name}"] = measure(name, goal, batches, samples)
            print(f"{goal} {name}:", cells[f"{goal} {name}"]["ceiling"], flush=True)
    show(cells)
    if not quick:
        sizes = {"voters": VOTERS, "candidates": CANDIDATES}
        sizes |= {"elections": BATCH * count, "samples": samples}
        print("written to", record("ceilings", SEED, sizes | {"cells": cells}))


def show(cells: dict[str, dict]) -> None:
    table = Table("", *cells)
    for row in [*RULES, "optimal scoring vector", "ceiling"]:
        table.add_row(row, *(f"{cell[row]['mean']:.3f}" for cell in cells.values()))
    Console(width=220).print(table)


if __name__ == "__main__":
    main()
