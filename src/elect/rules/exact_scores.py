"""From exact whole numbers to scores, which are floats.

Floats hold whole numbers up to 2⁵³. The sums of large elections can exceed that, and then two
different sums may round to the same float. Scores must tie just where the sums tie, so the smaller
one is moved to the next float below.
"""

from math import inf, nextafter

import numpy as np
import torch
from torch import Tensor

from elect.elections import Profiles, Scores
from elect.kernels import NDArray

# Whole numbers of this size, over any number, are different floats if they are different.
_DISTINCT = 2**51

# What a sum of 64-bit products may reach.
LARGEST_PRODUCT = 2**62


def masked(scores: Tensor, profiles: Profiles) -> Scores:
    """Scores as floats, with minus infinity for padded candidates."""
    if not scores.is_floating_point() and scores.numel() and int(scores.abs().max()) > _DISTINCT:
        return exact_scores(scores, 1, profiles)
    scores = scores.double()
    if int(profiles.num_candidates.min()) == scores.shape[1]:
        return scores
    return scores.masked_fill(~profiles.mask, -torch.inf)


def exact_scores(sums: Tensor | NDArray, over: int, profiles: Profiles) -> Scores:
    """Whole numbers ``[batch, candidate]`` divided by ``over``, equal just where they are equal."""
    numbers = sums.cpu().numpy() if isinstance(sums, Tensor) else sums
    if numbers.dtype != object and np.abs(numbers).max(initial=0) <= _DISTINCT and over < 2**53:
        values = torch.from_numpy(numbers / over)
    else:
        rows = [_distinct_floats(row.tolist(), over) for row in numbers]
        values = torch.tensor(rows, dtype=torch.float64)
    return masked(values.to(profiles.ranks.device), profiles)


def _distinct_floats(numbers: list[int], over: int) -> list[float]:
    """Floats in the order of the numbers, as near to them as different floats can be."""
    floats: dict[int, float] = {}
    above = inf
    for number in sorted(set(numbers), reverse=True):
        # Python divides whole numbers of any size with one rounding.
        above = floats[number] = min(number / over, nextafter(above, -inf))
    return [floats[number] for number in numbers]
