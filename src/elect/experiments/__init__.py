"""The tables and figures of "Learning to Elect" (Anil and Bao, NeurIPS 2021), reproduced.

    from elect.experiments import reproduce

    print(reproduce(["table-1", "figure-2"], budget="minutes", out="report"))

`chapter_list.py` lists all tables and figures. The paper's printed figures are in `printed/`, and
figures recorded by an earlier reproduction in `recorded/`; every figure knows its source.
"""

from elect.experiments.budgets import BUDGETS, Budget
from elect.experiments.ray_cluster import on_ray
from elect.experiments.reproduction import NAMES, Reproduction, reproduce
from elect.experiments.runs import Run, carry_out, grid, one_by_one

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
