"""What a step of training costs, what the elections for it cost, and what a decision costs then.

Every training is a real one, `elect.train` with the defaults of `elect train`, only short: its own
log says how long its steps took and how long it waited for elections. One thread computes, another
draws elections ahead. The machine may be noisy: trainings take turns, as do the rules that decide
elections, and a figure is the median of turns.

    python benchmarks/training.py            # writes results/benchmark-training.json
    python benchmarks/training.py --quick    # fewer turns, nothing written
"""

import os

# Before anything heavy is imported: one thread each.
for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[variable] = "1"

import csv
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.progress import track
from rich.table import Table

from elect.elections import Profiles, Winners
from elect.learned import LearnedRule
from elect.objectives import mimic
from elect.rules import winners
from elect.training import Recipe, train
from elect.training.defaults import default_recipe, welfare_objective
from elect.training.setup import card, first_weights
from elect.training.state import State
from elect.training.stream import draw
from record import record

SEED = 2026
NEVER = 10**9
PAPER = ["deepsets", "gin", "set_transformer", "mlp"]
# Steps in a turn, after as many that are not counted, and turns.
STEPS = {"deepsets": 3, "gin": 3, "set_transformer": 2, "mlp": 30, "tally": 30}
TURNS = 3
# Seconds in a turn of deciding, and elections in a batch.
SECONDS = 0.5
VOTERS, BATCHES = 49, {10: 1000, 20: 200, 29: 50}
RATES = 5


def recipes() -> dict[str, Recipe]:
    """The paper's networks at the paper's size, and `tally` with labels of three kinds: cheap to
    make, exact Kemeny's, and draws from a posterior."""
    copeland, fair = mimic("copeland"), welfare_objective("egalitarian", "uniform")
    found = {name: default_recipe([copeland], name, steps=1) for name in PAPER}
    for objective in (copeland, mimic("kemeny"), fair):
        found[f"tally, {objective.name}"] = default_recipe([objective], steps=1)
    return found


def turn(recipe: Recipe, steps: int) -> dict[str, float]:
    """Train for twice as many steps, and tell of the second half: how long a step took, and what
    share of that was spent waiting for elections."""
    short = replace(
        recipe, steps=2 * steps, validate_every=steps, validation=1, checkpoint_every=NEVER
    )
    with TemporaryDirectory() as out:
        train(short, out, device="cpu", progress=False)
        first, second = csv.DictReader((Path(out) / "log.csv").read_text("utf-8").splitlines())
    minutes = float(second["minutes"]) - float(first["minutes"])
    figures = {"step": 60_000 * minutes / steps, "waiting": float(second["waiting"])}
    return figures | drawing(short, range(steps, 2 * steps))


def drawing(recipe: Recipe, steps: range) -> dict[str, float]:
    """How many elections these steps have, and what it costs a processor to draw and label them."""
    began, elections = time.process_time(), 0
    for step in steps:
        elections += sum(len(draw(recipe, step, number)) for number in range(recipe.parts))
    seconds = time.process_time() - began
    return {"elections": elections / len(steps), "drawing": 1000 * seconds / len(steps)}


def training(turns: int) -> list[dict[str, Any]]:
    """Each training's figures, in milliseconds a step."""
    found: dict[str, list[dict[str, float]]] = {name: [] for name in recipes()}
    for _ in track(range(turns), "training", transient=True):
        for name, recipe in recipes().items():
            found[name].append(turn(recipe, STEPS[recipe.network]))
    return [{"network": name} | summary(recipe, found[name]) for name, recipe in recipes().items()]


def summary(recipe: Recipe, turns: list[dict[str, float]]) -> dict[str, float]:
    middle = {key: median(one[key] for one in turns) for key in turns[0]}
    weights = first_weights(recipe, None, None).parameters()
    return {
        "parameters": sum(weight.numel() for weight in weights),
        "elections_a_step": round(middle["elections"]),
        "milliseconds_a_step": round(middle["step"], 1),
        "share_waiting_for_elections": round(middle["waiting"], 4),
        "milliseconds_drawing_a_step": round(middle["drawing"], 2),
        "drawing_to_step": round(middle["drawing"] / middle["step"], 4),
    }


def deciding(turns: int) -> list[dict[str, Any]]:
    """Elections decided in a second from raw rankings: `tally` as it learns Kemeny, beside exact
    Kemeny. Its weights are those before the first step: good ones cost the same."""
    recipe = recipes()["tally, kemeny"]
    network = LearnedRule(first_weights(recipe, None, None), card(recipe, State(), {}))
    rules: dict[str, Callable[[Profiles], Winners]] = {
        "tally": network.winners,
        "kemeny": lambda profiles: winners("kemeny", profiles),
    }
    rows = []
    for candidates, count in BATCHES.items():
        rng = np.random.default_rng(SEED)
        batch = np.argsort(rng.random((count, VOTERS, candidates)), -1).astype(np.int8)
        rates: dict[str, list[float]] = {name: [] for name in rules}
        for rule in rules.values():
            rule(Profiles.from_rankings(batch[:2]))
        for _ in range(turns):
            for name, rule in rules.items():
                rates[name].append(per_second(rule, batch))
        middle = {name: median(values) for name, values in rates.items()}
        rows.append(
            {
                "voters": VOTERS,
                "candidates": candidates,
                "per_second": {name: round(rate, 1) for name, rate in middle.items()},
                "times": round(middle["tally"] / middle["kemeny"], 2),
            }
        )
    return rows


def per_second(rule: Callable[[Profiles], Winners], batch: np.ndarray) -> float:
    decided, start = 0, time.perf_counter()
    while (seconds := time.perf_counter() - start) < SECONDS:
        rule(Profiles.from_rankings(batch))
        decided += len(batch)
    return decided / seconds


def main() -> None:
    torch.set_num_threads(1)
    quick = "--quick" in sys.argv
    measured = {
        "steps": training(1 if quick else TURNS),
        "decisions": deciding(1 if quick else RATES),
    }
    show(measured)
    if not quick:
        print("written to", record("benchmark-training", SEED, measured))


def show(measured: dict[str, Any]) -> None:
    steps = Table(
        "network", "parameters", "elections", "ms a step", "waiting", "ms drawing", "to step"
    )
    for row in measured["steps"]:
        steps.add_row(
            row["network"],
            f"{row['parameters']:,}",
            f"{row['elections_a_step']:,}",
            f"{row['milliseconds_a_step']:,.1f}",
            f"{row['share_waiting_for_elections']:.1%}",
            f"{row['milliseconds_drawing_a_step']:.1f}",
            f"{row['drawing_to_step']:.1%}",
        )
    decisions = Table("n", "m", "tally per second", "exact Kemeny per second", "times")
    for row in measured["decisions"]:
        rates = [f"{row['per_second'][name]:,.0f}" for name in ("tally", "kemeny")]
        decisions.add_row(
            str(row["voters"]), str(row["candidates"]), *rates, f"{row['times']:,.1f}"
        )
    console = Console(width=110)
    console.print(steps)
    console.print(decisions)


if __name__ == "__main__":
    main()
