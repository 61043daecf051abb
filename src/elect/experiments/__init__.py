"""Every table and figure of "Learning to Elect" (Anil and Bao, NeurIPS 2021) again, beside what
the paper prints.

    from elect.experiments import reproduce

    reproduce(["table-1", "figure-2"], budget="minutes", out="report")

Each table and figure is a file here, readable from top to bottom; the paper's printed numbers are
in `printed/`, and what a reproduction of some hours has found is in `recorded/`.
"""

from elect.experiments.budgets import BUDGETS, Budget
from elect.experiments.cluster import on_ray
from elect.experiments.grid import Run, carry_out, grid, one_by_one
from elect.experiments.reproducing import NAMES, Reproduction, reproduce

__all__ = [
    "BUDGETS",
    "NAMES",
    "Budget",
    "Reproduction",
    "Run",
    "carry_out",
    "grid",
    "on_ray",
    "one_by_one",
    "reproduce",
]
