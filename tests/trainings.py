"""A training small enough for a test, and the weights that it leaves."""

from pathlib import Path

import torch

from elect.checkpoints import WEIGHTS, read_tensors
from elect.objectives import mimic, oracle
from elect.training import Recipe, train

SMALL = {"width": 8, "layers": 2, "max_candidates": 5}

BASE = Recipe(
    (mimic("plurality"), oracle("nash", "polarized")),
    network="deepsets",
    arguments=SMALL,
    voters=(2, 9),
    candidates=(2, 5),
    batch=8,
    warmup=10,
    learning_rate=3e-3,
    steps=12,
    validation=32,
    validate_every=5,
    checkpoint_every=4,
)


def weights(folder: Path, name: str = WEIGHTS) -> dict[str, torch.Tensor]:
    return read_tensors(folder / name)[0]


def same(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[k], other[k]) for k in one)


def quietly(recipe: Recipe, out: Path, **settings) -> None:
    train(recipe, out, progress=False, **settings)
