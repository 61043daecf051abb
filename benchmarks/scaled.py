"""What was measured on one machine, and what follows from it for several GPUs and machines.

The tables go into docs/scaling.md, by `python benchmarks/readme.py`.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

from elect.experiments.budgets import BUDGETS, STEPS
from elect.experiments.runs import grid
from learned import run as training
from learned import table

RESULTS = Path(__file__).parents[1] / "results"
NAMES = {
    "set_transformer": "Set Transformer",
    "gin": "GIN",
    "deepsets": "DeepSets",
    "mlp": "MLP",
}
GPUS, MACHINES = 8, 50

# Assumed, since there is no GPU to measure: how many times a GPU is as fast as one thread here, and
# how many bytes a second two of them exchange.
FASTER, BYTES = 100, 10e9


def found(name: str) -> dict[str, Any] | None:
    """What was measured, if it has been."""
    path = RESULTS / f"{name}.json"
    return json.loads(path.read_text("utf-8")) if path.exists() else None


def missing(script: str) -> str:
    return f"Not measured yet: `python benchmarks/{script}.py` does it."


def lost() -> str:
    """What a killed worker cost."""
    if (one := found("benchmark-cluster")) is None:
        return missing("cluster")
    return (
        "Measured on a cluster of two nodes on one machine, while it did other work too (load "
        f"{one['load'][0]:.0f} on\n{one['machine'].split(', ')[1]}): a run began "
        f"{one['seconds_until_a_run_begins']:.0f} seconds after it was asked for. Its node was "
        f"killed after step {one['killed_after_step']};\n"
        f"{one['seconds_until_a_lost_run_goes_on']:.1f} seconds later it went on from step "
        f"{one['went_on_from_step']} on the other node (`{one['command']}`)."
    )


def days(one: dict[str, Any]) -> tuple[float, float, float]:
    """What a run takes here, on a GPU, and on several GPUs together."""
    all_steps = STEPS[one["network"]] / 86_400_000
    compute, draw = one["milliseconds_a_step"], one["milliseconds_drawing_a_step"]
    gpu = max(compute / FASTER, draw)
    exchange = 1000 * 2 * (GPUS - 1) / GPUS * 4 * one["parameters"] / BYTES
    return all_steps * compute, all_steps * gpu, all_steps * (gpu / GPUS + exchange)


def expected() -> str:
    """What is to be expected of 8 GPUs and of 50 machines."""
    if (measured := found("benchmark-training")) is None:
        return missing("training")
    runs = Counter(run.network for run in grid(BUDGETS["paper"]))
    costs = {one["network"]: one for one in measured["steps"] if one["network"] in runs}
    rows = []
    for name, one in costs.items():
        here, gpu, together = days(one)
        step = f"{one['milliseconds_a_step']:,.0f} ms"
        times = [f"{here:,.1f} days", f"{24 * gpu:,.1f} hours", f"{24 * together:,.1f} hours"]
        rows.append([NAMES[name], f"{runs[name]} × {STEPS[name]:,}", step, *times])
    header = ["network", "runs × steps", "a step here", "a run here", "a run on a GPU"]
    return f"{table([*header, f'on {GPUS} together'], rows)}\n\n{whole(runs, costs)}"


def whole(runs: Counter[str], costs: dict[str, Any]) -> str:
    """How long all runs take."""
    here, gpu = ({name: days(one)[place] for name, one in costs.items()} for place in (0, 1))
    alone, cluster = makespan(runs, here, 1), makespan(runs, here, MACHINES)
    return (
        f"All {sum(runs.values())} runs, each on one machine or GPU: **{alone:,.0f} days** on one "
        f"machine like this, **{cluster:,.0f} days** on\n{MACHINES} of them, where the longest run "
        f"alone takes {max(here.values()):,.0f}, and **{24 * makespan(runs, gpu, GPUS):,.0f} "
        f"hours** on {GPUS} GPUs."
    )


def begun() -> str:
    """The paper's networks at the paper's size: how far they came, and what the rest would take."""
    alone = {one["network"]: one for one in (found("benchmark-training") or {"steps": []})["steps"]}
    rows = []
    for name, title in NAMES.items():
        if (one := training(f"paper-{name.replace('_', '-')}")) and name in alone:
            minutes, steps = one["training_minutes"], one["steps"]
            step, pace = 60_000 * minutes / steps, alone[name]["milliseconds_a_step"]
            rest = (STEPS[name] - steps) * pace / 86_400_000
            reached = [f"{head['paper']['accuracy']:.3f}" for head in one["heads"].values()]
            spent = [f"{one['parameters']:,}", f"{minutes:.0f}", f"{steps:,}", f"{step:,.0f}"]
            left = [f"{pace:,.0f}", f"{STEPS[name]:,}", f"{rest:,.1f} days"]
            rows.append([title, *spent, *reached, *left])
    if not rows:
        return "Not measured yet: `python benchmarks/learning.py paper-gin` and the others do it."
    header = ["network", "parameters", "minutes", "steps", "ms a step"]
    rules = ["plurality", "Borda", "Copeland", "maximin"]
    rest = ["ms a step alone", "the paper's steps", "the rest, extrapolated"]
    return table([*header, *rules, *rest], rows)


def makespan(runs: Counter[str], days: dict[str, float], workers: int) -> float:
    """When the last run ends if each worker takes the longest run that is left."""
    free = [0.0] * workers
    for one in sorted((days[name] for name in runs.elements()), reverse=True):
        free[free.index(min(free))] += one
    return max(free)
