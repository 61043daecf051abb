"""How the cost of exact rules grows with voters and candidates: `docs/growth.png`.

python benchmarks/growth.py           # writes results/benchmark-growth.json and the picture
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"

import time
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import torch

from elect.elections import Profiles
from elect.rules import winners
from record import record

SEED = 2026
RULES = ["borda", "copeland", "maximin", "instant_runoff", "beat_path", "kemeny"]
VOTERS = [10, 30, 100, 300, 1000, 3000, 10_000, 100_000]
CANDIDATES = [3, 5, 10, 14, 20, 29, 50]
DOCS = Path(__file__).parents[1] / "docs"


def per_second(rule: str, voters: int, candidates: int) -> float:
    """Elections decided in a second from raw rankings, the best of three rounds."""
    hard = rule == "kemeny" and candidates > 14
    count = 4 if hard else int(np.clip(3_000_000 // (voters * candidates), 1, 500))
    rng = np.random.default_rng(SEED)
    batch = np.argsort(rng.random((count, voters, candidates)), -1).astype(np.int8)
    best = 0.0
    for _ in range(1 if hard else 3):
        start = time.perf_counter()
        winners(rule, Profiles.from_rankings(batch))
        best = max(best, count / (time.perf_counter() - start))
    return best


def merged_per_second(rule: str, voters: int) -> float:
    """The same where all voters cast one of 24 ballots, so that the profile has 24 rows."""
    rng = np.random.default_rng(SEED)
    batch = np.argsort(rng.random((500, 24, 10)), -1).astype(np.int8)
    weights = np.full((500, 24), max(1, voters // 24))
    best = 0.0
    for _ in range(3):
        start = time.perf_counter()
        winners(rule, Profiles.from_rankings(batch, weights))
        best = max(best, 500 / (time.perf_counter() - start))
    return best


def main() -> None:
    torch.set_num_threads(1)
    for rule in RULES:
        per_second(rule, 10, 3), merged_per_second(rule, 24)
    by_voters = {rule: [round(per_second(rule, n, 10), 1) for n in VOTERS] for rule in RULES}
    by_candidates = {
        rule: [round(per_second(rule, 50, m), 1) for m in CANDIDATES] for rule in RULES
    }
    merged = [round(merged_per_second("copeland", n), 1) for n in VOTERS]
    measured = {
        "voters": VOTERS,
        "candidates": CANDIDATES,
        "per_second_by_voters_at_10_candidates": by_voters,
        "per_second_by_candidates_at_50_voters": by_candidates,
        "copeland_with_24_distinct_ballots": merged,
    }
    draw(by_voters, by_candidates, merged)
    print("written to", record("benchmark-growth", SEED, measured))


def draw(by_voters: dict, by_candidates: dict, merged: list[float]) -> None:
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), sharey=True)
    for rule in RULES:
        left.loglog(VOTERS, by_voters[rule], marker="o", markersize=3, label=rule)
        right.loglog(CANDIDATES, by_candidates[rule], marker="o", markersize=3, label=rule)
    left.loglog(VOTERS, merged, "k--", label="copeland, 24 distinct ballots")
    left.set(xlabel="voters (10 candidates)", ylabel="elections per second, one thread")
    right.set(xlabel="candidates (50 voters)")
    right.set_xticks(CANDIDATES, [str(m) for m in CANDIDATES])
    right.minorticks_off()
    for axes in (left, right):
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    left.legend(frameon=False, fontsize=8)
    figure.suptitle("Winners from raw rankings, impartial culture")
    figure.tight_layout()
    figure.savefig(DOCS / "growth.png", dpi=140)


if __name__ == "__main__":
    main()
