"""What "Learning to Elect" (Anil and Bao, NeurIPS 2021) prints, by the names of the benchmarks.

The figures are the package's: see `src/elect/experiments/printed/`. Accuracies are shares of
elections, by network and rule; the MLP cannot take more than 99 voters.
"""

from elect.experiments.budgets import STEPS as _STEPS
from elect.experiments.sources import COST, printed
from elect.experiments.sources import best_printed as _best

__all__ = ["BANDS", "BY_VOTERS", "COST", "CULTURES", "MIMICKED", "REAL", "RULES", "STEPS", "best"]

RULES = ("plurality", "borda", "copeland", "maximin", "kemeny")
CULTURES = ("uniform", "polarized", "indecisive")
BANDS = ("2–49", "50–99", "100–149", "150–199")
NETWORKS = ("set-transformer", "gin", "deepsets", "mlp")
STEPS = {name.replace("_", "-"): steps for name, steps in _STEPS.items()}


def _values(table: str, network: str, part: str | None = None) -> tuple[float, ...]:
    """The figures that are printed for a network, in the order of the columns."""
    row = printed(table, part)[network.replace("-", "_")]
    return tuple(value for value in row.values() if value is not None)


# Table 1: mimicking, 2 to 99 voters and 2 to 29 candidates (Kemeny: 3 to 10).
MIMICKED = {name: _values("table-1", name) for name in NETWORKS}

# Tables 2 and 5 to 8: the same by numbers of voters, of which the last two were not trained on.
VOTERS = dict(zip(RULES, ("table-5", "table-2", "table-6", "table-7", "table-8"), strict=True))
BY_VOTERS = {
    name: {rule: _values(table, name) for rule, table in VOTERS.items()} for name in NETWORKS
}

# Table 4: mimicking on sub-elections of 2 to 99 voters, in the order of RULES.
REAL = {
    name: {data: _values("table-4", name, data) for data in ("netflix", "sushi", "puzzle")}
    for name in NETWORKS
}


def best(rule: str, setting: str = "paper") -> float:
    """The best figure that the paper prints for a rule: at its sizes, for 150 to 199 voters, or on
    a real data set."""
    if setting == "paper":
        return _best("table-1", rule)
    if setting in REAL["gin"]:
        return _best("table-4", rule, setting)
    return _best(VOTERS[rule], "150-199")


def best_welfare(welfare: str, culture: str) -> float:
    """The best figure that the paper prints for a welfare in a culture."""
    return _best("table-3", culture, welfare)
