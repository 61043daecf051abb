"""Exact rules beside svvamp, pref_voting and a plain integer program: one run, one thread each.

All start from the same raw rankings and end with winners: elect from an array of bytes for a whole
batch, pref_voting from lists, which is what it takes, and svvamp once from lists, as its manual
does, and once from arrays, which spares it the conversion. The machine may be noisy: competitors
take turns of at least 0.3 s, a figure is the median of turns, and only ratios count.

    pip install -c constraints.txt -e ".[benchmarks]"
    python benchmarks/rules.py            # writes results/benchmark-rules.json
    python benchmarks/rules.py --quick    # fewer elections, nothing written
"""

import os

# Before anything heavy is imported: one thread each.
for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[variable] = "1"

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pref_voting.c1_methods
import pref_voting.margin_based_methods
import pref_voting.scoring_methods
import svvamp
import torch
from pref_voting.profiles import Profile
from rich.console import Console
from rich.table import Table
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from elect.elections import Profiles
from elect.rules import winners
from record import record

SEED = 2026
SIZES = [(50, 10), (99, 29), (1000, 10)]
WANTED_SVVAMP = {(50, 10): 50, (99, 29): 25, (1000, 10): 50}
WANTED_PREF_VOTING = 1000
WANTED_KEMENY = {10: 500, 14: 30, 29: 2}
SVVAMP = {
    "borda": svvamp.RuleBorda,
    "copeland": svvamp.RuleCopeland,
    "maximin": svvamp.RuleMaximin,
}
PREF_VOTING = {
    "borda": pref_voting.scoring_methods.borda,
    "copeland": pref_voting.c1_methods.copeland,
    "maximin": pref_voting.margin_based_methods.minimax,
}


def rankings(elections: int, voters: int, candidates: int) -> np.ndarray:
    """Impartial culture as raw rankings, best first, a byte a place."""
    rng = np.random.default_rng(SEED)
    return np.argsort(rng.random((elections, voters, candidates)), -1).astype(np.int8)


def ours(rule: str, batch: Sequence) -> list[list[int]]:
    decided = winners(rule, Profiles.from_rankings(batch))
    # As lists only where they are compared: a batch is decided as it is.
    return [row.nonzero()[:, 0].tolist() for row in decided] if len(decided) <= 50 else []


def by_svvamp(rule: str, batch: Sequence) -> list[list[int]]:
    elected = [SVVAMP[rule]()(svvamp.Profile(preferences_rk=one)).w_ for one in batch]
    return [[int(winner)] for winner in elected]


def by_pref_voting(rule: str, batch: Sequence) -> list[list[int]]:
    return [list(PREF_VOTING[rule](Profile(one))) for one in batch]


def by_integer_program(rule: str, batch: Sequence) -> list[list[int]]:
    """All triangle constraints at once; one optimal ranking's head."""
    return [[_triangle_program(one)] for one in batch]


def _triangle_program(one: np.ndarray) -> int:
    ranks = np.argsort(one, -1)
    m = ranks.shape[1]
    support = (ranks[:, :, None] < ranks[:, None, :]).sum(0)
    first, second = np.triu_indices(m, 1)
    number = np.zeros((m, m), int)
    number[first, second] = np.arange(len(first))
    a, b, c = np.array(list(combinations(range(m), 3))).T
    columns = np.stack([number[a, b], number[b, c], number[a, c]], 1).ravel()
    rows = np.repeat(np.arange(len(a)), 3)
    matrix = csr_array((np.tile([1.0, 1.0, -1.0], len(a)), (rows, columns)))
    solution = milp(
        (support.T - support)[first, second].astype(float),
        constraints=LinearConstraint(matrix, 0, 1),
        bounds=Bounds(0, 1),
        integrality=np.ones(len(first)),
    )
    above = np.zeros((m, m))
    above[first, second] = np.round(solution.x)
    above[second, first] = 1 - np.round(solution.x)
    return int(above.sum(1).argmax())


@dataclass(frozen=True)
class Competitor:
    """How it decides, in what form it is handed the rankings, and how many times we want to be
    faster."""

    decide: Callable[[str, Sequence], list[list[int]]]
    batch: Sequence
    wanted: int | None = None


def race(rule: str, competitors: dict[str, Competitor], rounds: int) -> dict:
    """Elections per second of each, the median of `rounds` that take turns, and the ratios."""
    turns: dict[str, list[float]] = {name: [] for name in competitors}
    for one in competitors.values():
        one.decide(rule, one.batch[:2])
    for _ in range(rounds):
        for name, one in competitors.items():
            turns[name].append(_turn(one, rule))
    _check(rule, competitors)
    rates = {name: float(np.median(values)) for name, values in turns.items()}
    others = {name: one for name, one in competitors.items() if name != "elect"}
    return {
        "rule": rule,
        "per_second": {name: round(rate, 1) for name, rate in rates.items()},
        "times": {name: round(rates["elect"] / rates[name], 1) for name in others},
        "wanted_times": {name: one.wanted for name, one in others.items()},
    }


def _turn(one: Competitor, rule: str) -> float:
    """Elections per second over at least 0.3 s."""
    decided, start = 0, time.perf_counter()
    while (seconds := time.perf_counter() - start) < 0.3:
        one.decide(rule, one.batch)
        decided += len(one.batch)
    return decided / seconds


def _check(rule: str, competitors: dict[str, Competitor]) -> None:
    """Whoever breaks ties must have chosen one of our winners; whoever does not, all of them."""
    found = competitors["elect"].decide(rule, competitors["elect"].batch[:50])
    for name, one in competitors.items():
        for mine, other in zip(found, one.decide(rule, one.batch[:50]), strict=False):
            assert set(other) <= set(mine), (rule, name, mine, other)


def main() -> None:
    torch.set_num_threads(1)
    quick = "--quick" in sys.argv
    measured: dict[str, Any] = {"rules": [], "kemeny": [], "merging_microseconds": _merging()}
    for voters, candidates in SIZES:
        batch = rankings(1_000_000 // (voters * candidates) + 200, voters, candidates)
        lists = batch[:40].tolist()
        competitors = {
            "elect": Competitor(ours, batch),
            "svvamp": Competitor(by_svvamp, lists, WANTED_SVVAMP[voters, candidates]),
            "svvamp from arrays": Competitor(by_svvamp, batch[:40].astype(np.int64)),
            "pref_voting": Competitor(by_pref_voting, lists[:10], WANTED_PREF_VOTING),
        }
        for rule in SVVAMP:
            figures = race(rule, competitors, rounds=2 if quick else 9)
            measured["rules"].append({"voters": voters, "candidates": candidates} | figures)
    for candidates, wanted in WANTED_KEMENY.items():
        count = {10: 2000, 14: 400, 29: 60}[candidates] // (4 if quick else 1)
        batch = rankings(count, 49, candidates)
        competitors = {
            "elect": Competitor(ours, batch),
            "integer program": Competitor(by_integer_program, batch[:30], wanted),
        }
        figures = race("kemeny", competitors, rounds=1 if quick else 3)
        measured["kemeny"].append({"voters": 49, "candidates": candidates} | figures)
    _show(measured)
    if not quick:
        print("written to", record("benchmark-rules", SEED, measured))


def _merging() -> dict[str, float]:
    """Borda, Copeland, instant runoff and Kemeny for a million voters with 24 distinct ballots of
    ten candidates, beside 24 voters."""
    distinct = rankings(1, 24, 10)[0]
    many = np.full(24, 41_667)
    seconds = {}
    for name, weights in (("24 voters", None), ("a million voters", many)):
        profile = Profiles.from_rankings(distinct, weights)
        for rule in ("borda", "copeland", "instant_runoff", "kemeny"):
            winners(rule, profile)
        start = time.perf_counter()
        for _ in range(50):
            profile = Profiles.from_rankings(distinct, weights)
            for rule in ("borda", "copeland", "instant_runoff", "kemeny"):
                winners(rule, profile)
        seconds[name] = (time.perf_counter() - start) / 50
    return {name: round(1e6 * value, 1) for name, value in seconds.items()}


def _show(measured: dict) -> None:
    table = Table(
        "rule", "n", "m", "elect per second", "against", "their per second", "times", "wanted"
    )
    for row in measured["rules"] + measured["kemeny"]:
        for name, times in row["times"].items():
            table.add_row(
                row["rule"],
                str(row["voters"]),
                str(row["candidates"]),
                f"{row['per_second']['elect']:,.0f}",
                name,
                f"{row['per_second'][name]:,.1f}",
                f"{times:,.1f}",
                str(row["wanted_times"][name] or ""),
            )
    Console(width=110).print(table)
    print("microseconds, four rules:", measured["merging_microseconds"])


if __name__ == "__main__":
    main()
