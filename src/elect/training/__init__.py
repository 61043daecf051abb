"""Learn a rule from elections made on the spot.

    from elect.objectives import mimic
    from elect.training import Recipe, train

    rule = train(Recipe((mimic("copeland"),), minutes=2), out="copeland")
    rule.winners(profiles)

A recipe says everything; the same recipe gives the same weights, also if the training is killed
and resumed, or shared out among processes by ``torchrun``.
"""

from elect.training.loop import train
from elect.training.recipe import Recipe
from elect.training.state import saved_recipe

__all__ = ["Recipe", "saved_recipe", "train"]
