"""Budgets: how much a reproduction trains and measures."""

from dataclasses import dataclass

from elect import specs
from elect.errors import ElectError

# The paper's numbers of steps.
STEPS = {"set_transformer": 320_000, "gin": 320_000, "deepsets": 320_000, "mlp": 960_000}


@dataclass(frozen=True)
class Budget:
    """How long to train, and how much to measure.

    Attributes:
        name: what the command line calls it.
        told: a description.
        trains: whether the paper's networks are trained; otherwise recorded figures are shown.
        size: of the paper's networks.
        minutes: of each training; None for the paper's number of steps.
        together: whether one network learns all rules and welfares at once.
        elections: how many elections a cell is measured on.
        judged: on how many of these the ceiling is computed.
        samples: draws of utilities for the ceiling of an election.
        real: the share of the paper's numbers of sub-elections that table 4 is measured on.
    """

    name: str
    told: str
    trains: bool = False
    size: str = "small"
    minutes: float | None = 10.0
    together: bool = True
    elections: int = 10_000
    judged: int = 2048
    samples: int = 512
    real: float = 1.0


BUDGETS = {
    budget.name: budget
    for budget in (
        Budget(
            "minutes",
            "trained rules are measured; figures of the paper's networks are recorded ones",
        ),
        Budget(
            "hours",
            "the paper's networks are trained at small size, all tasks of a network at once",
            trains=True,
            elections=20_000,
            judged=4096,
            samples=768,
        ),
        Budget(
            "paper",
            "the paper's networks are trained at its size for its number of steps",
            trains=True,
            size="paper",
            minutes=None,
            together=False,
            elections=100_000,
            judged=10_240,
            samples=768,
        ),
    )
}


def find_budget(name: str | Budget) -> Budget:
    """The budget of this name."""
    if isinstance(name, Budget):
        return name
    if specs.plain(name) not in BUDGETS:
        raise ElectError(f"There is no budget '{name}'; it is one of {', '.join(BUDGETS)}.")
    return BUDGETS[specs.plain(name)]
