"""Table 1 of Merrill (1984): Condorcet efficiencies for a random society of 25 voters.

    python examples/merrill_1984_table_1.py

prints each figure beside the printed one. A random society is the impartial culture. Merrill
breaks every tie at random. For plurality, Borda and Black this equals our way of splitting the
credit. Rules with rounds are different: the library's `instant_runoff` and `coombs` remove tied
candidates together, which with 25 voters costs 1 to 6 points. So this file has versions that
remove one of the tied candidates at random, and a runoff between the two candidates with the most
first choices. Approval voting is left out: it needs utilities.

Reference: S. Merrill III, "A Comparison of Efficiency of Multicandidate Electoral Systems",
American Journal of Political Science 28(1), 1984, pages 23-48.
"""

from functools import partial

import numpy as np
import torch

from elect.elections import Profiles, Scores
from elect.measuring.simulated import Simulation
from elect.measuring.simulation import simulate
from elect.result_tables import text_table

VOTERS, CANDIDATES = 25, [2, 3, 4, 5, 7, 10]

# In percent, for 2, 3, 4, 5, 7 and 10 candidates.
PRINTED = {
    "Plurality": (100.0, 79.1, 69.4, 62.1, 52.0, 42.6),
    "Runoff": (100.0, 96.2, 90.1, 83.6, 73.5, 61.3),
    "Hare": (100.0, 96.2, 92.7, 89.1, 84.8, 77.9),
    "Borda": (100.0, 90.8, 87.3, 86.2, 85.3, 84.3),
    "Coombs": (100.0, 96.3, 93.4, 90.2, 86.1, 81.1),
    "Black": (100.0, 100.0, 100.0, 100.0, 100.0, 100.0),
}

# How often there is a Condorcet winner.
PRINTED_EXISTS = (100.0, 91.6, 83.4, 75.8, 64.3, 52.5)


def runoff(profiles: Profiles, rng: np.random.Generator) -> Scores:
    """The two candidates with the most first choices meet in a runoff."""
    first = profiles.places[:, :, 0].numpy()
    ordered = (first + rng.random(first.shape) / 2).argsort(1)
    one, two = ordered[:, -1], ordered[:, -2]
    rows = np.arange(len(first))
    wins = profiles.margins.numpy()[rows, one, two] > 0
    return _elect(np.where(wins, one, two), first.shape)


def eliminate(profiles: Profiles, rng: np.random.Generator, last: bool) -> Scores:
    """Remove candidates one by one until one has a majority of first choices: whoever has the
    fewest first choices (Hare) or the most last choices (Coombs)."""
    ranks = profiles.ranks.numpy().astype(float)
    rows, left = np.arange(len(ranks)), np.ones(ranks.shape[::2], bool)
    elected = np.full(len(ranks), -1)
    while (elected < 0).any():
        first = _counts(np.where(left[:, None], ranks, np.inf).argmin(2), left.shape)
        majority = 2 * first.max(1) > ranks.shape[1]
        elected = np.where((elected < 0) & majority, first.argmax(1), elected)
        votes = first
        if last:
            votes = -_counts(np.where(left[:, None], ranks, -np.inf).argmax(2), left.shape)
        votes = np.where(left, votes + rng.random(left.shape) / 2, np.inf)
        left[rows, votes.argmin(1)] = False
    return _elect(elected, left.shape)


def _counts(choices: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """How often each candidate is chosen in each election."""
    return np.stack([(choices == candidate).sum(1) for candidate in range(shape[1])], 1)


def _elect(elected: np.ndarray, shape: tuple[int, int]) -> Scores:
    return torch.from_numpy(np.eye(shape[1])[elected])


def table_1(elections: int = 10_000, seed: int = 0) -> Simulation:
    """The rules of the table, on elections with 25 voters."""
    rng = np.random.default_rng(seed)
    rules = {
        "Plurality": "plurality",
        "Runoff": partial(runoff, rng=rng),
        "Hare": partial(eliminate, rng=rng, last=False),
        "Borda": "borda",
        "Coombs": partial(eliminate, rng=rng, last=True),
        "Black": "black",
    }
    return simulate(rules, "impartial", VOTERS, CANDIDATES, elections, seed)


def beside_print(found: Simulation) -> str:
    """The table, with the printed figures in brackets."""
    ours = {(row["rule"], row["candidates"]): row for row in found.rows()}

    def line(name: str, rule: str, figure: str, printed: tuple[float, ...]) -> dict[str, str]:
        cells = {
            f"m = {m}": f"{100 * ours[rule, m][figure]:.1f} [{theirs}]"
            for m, theirs in zip(CANDIDATES, printed, strict=True)
        }
        return {"%": name, **cells}

    lines = [line(name, name, "condorcet_efficiency", row) for name, row in PRINTED.items()]
    exists = line("Winner exists", "Borda", "condorcet_winner", PRINTED_EXISTS)
    return text_table([*lines, exists])


if __name__ == "__main__":
    print(beside_print(table_1()))
