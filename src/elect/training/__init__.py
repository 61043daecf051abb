"""Learn a rule from elections made on the spot.

    import elect

    rule = elect.train("copeland", out="my-rule")
    rule.winners(profiles)

A recipe says everything; the same recipe gives the same weights, also if the training is killed
and resumed, or shared out among processes by ``torchrun``.
"""

from elect.training.loop import run_recipe
from elect.training.recipe import Recipe
from elect.training.run import train
from elect.training.state import saved_recipe

__all__ = ["Recipe", "run_recipe", "saved_recipe", "train"]
