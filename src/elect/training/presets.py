"""The recipes of the trained rules of the package, to train them again."""

import json
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from elect import specs
from elect.checkpoints import RECIPE, find, shelf
from elect.errors import ElectError
from elect.storage import write_whole
from elect.training.recipe import Recipe, recipe_of
from elect.typed_json import read_json


class Preset(NamedTuple):
    """A training, and which of the things that it learns is the rule in question.

    Attributes:
        recipe: the training, in steps, so that it ends with the same weights.
        head: the rule's head.
    """

    recipe: Recipe
    head: str


def preset(name: str) -> Preset:
    """How a trained rule of the package was trained.

    Example:
        >>> preset("tally-borda").recipe.objectives[0].of
        'borda'
    """
    chosen = specs.choose(name, shelf(), "preset", "elect rules")
    path = find(chosen) / RECIPE
    try:
        words = read_json(path)
        return Preset(recipe_of(words["recipe"]), str(words["head"]))
    except (OSError, ValueError, KeyError, TypeError, ElectError) as error:
        raise ElectError(f"{path} is damaged or missing; install the package again.") from error


def write_preset(folder: Path, recipe: Recipe, steps: int, head: str) -> None:
    """Save the recipe of a rule beside it."""
    exact = replace(recipe, steps=steps, minutes=None)
    words = {"head": head, "recipe": exact.describe()}
    write_whole(folder / RECIPE, json.dumps(words, indent=2) + "\n")
