"""What is right in each election of a batch, and how well the best possible rule does there."""

from copy import deepcopy
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool
from torch import Tensor

from elect.cultures import Culture, Dirichlet
from elect.cultures.redraw import redraw
from elect.elections import Elections, Profiles, Scores, Winners
from elect.kernels import NDArray
from elect.measuring.batches import Batch
from elect.measuring.outcomes import best_candidates, decide
from elect.objectives import Objective
from elect.rules.ceiling import cross_fit
from elect.rules.posterior import over_posterior
from elect.welfares import WelfareFunction, judge


class Prospect(NamedTuple):
    """What is known of one election from utilities that fit its rankings.

    Attributes:
        accuracy: how often the best choice is right.
        ratio: the highest welfare ratio that a choice reaches on average.
        right: how often each candidate is the right choice.
        ratios: each candidate's welfare ratio on average.
    """

    accuracy: float
    ratio: float
    right: NDArray
    ratios: NDArray

    def reached(self, top: Bool[Tensor, "candidate"]) -> tuple[float, float]:
        """The accuracy and the welfare ratio of these winners, on the same utilities."""
        chosen = top[: len(self.right)].cpu().numpy()
        if not chosen.any():
            return np.nan, np.nan
        return float(self.right[chosen].mean()), float(self.ratios[chosen].mean())


def prospects(
    culture: Dirichlet,
    welfare: WelfareFunction,
    profiles: Profiles,
    samples: int,
    rng: np.random.Generator,
) -> list[Prospect]:
    """What can be reached in each election, from so many draws of the utilities behind it."""

    def look(scores: NDArray) -> Prospect:
        best = scores.max(1, keepdims=True)
        ratios = np.divide(scores, best, out=np.ones_like(scores), where=best > 0)
        return Prospect(*cross_fit(scores), (scores == best).mean(0), ratios.mean(0))

    return over_posterior(culture, welfare, profiles, samples, rng, look)


@dataclass(eq=False)
class Target:
    """What is right in a batch of elections, computed once for all rules compared with it.

    Attributes:
        objective: what a rule should do.
        elections: the elections, with the utilities by which they are judged.
        culture: where these utilities come from.
        right: who should be elected; nobody where the target gives up.
        welfare: of each candidate, if the objective is a welfare.
        rng: for draws of utilities.
    """

    objective: Objective
    elections: Elections
    culture: Culture
    right: Winners
    welfare: Scores | None
    rng: np.random.Generator
    _prospects: dict[tuple[int, int], list[Prospect]] = field(default_factory=dict)

    @classmethod
    def of(cls, objective: Objective, batch: Batch, culture: Culture) -> "Target":
        """The target of a batch of elections from this culture."""
        # Each target draws what it would draw if it were the only one.
        elections, rng = batch.elections, deepcopy(batch.rng)
        if objective.source is not None:
            culture = objective.source
            elections = redraw(culture, elections.profiles, rng)
        if objective.kind == "mimic":
            right = _imitated(objective, elections.profiles)
            return cls(objective, elections, culture, right, None, rng)
        welfare = judge(objective.function, elections)
        return cls(objective, elections, culture, best_candidates(welfare), welfare, rng)

    def prospects(self, judged: int, samples: int) -> list[Prospect]:
        """What can be reached in the first elections; nothing where that cannot be known."""
        if self.welfare is None or not isinstance(self.culture, Dirichlet) or not judged:
            return []
        if (judged, samples) not in self._prospects:
            profiles, rng = self.elections.profiles[:judged], deepcopy(self.rng)
            found = prospects(self.culture, self.objective.function, profiles, samples, rng)
            self._prospects[judged, samples] = found
        return self._prospects[judged, samples]


def _imitated(objective: Objective, profiles: Profiles) -> Winners:
    """Who should be elected; nobody where the objective leaves elections out."""
    rows = objective.takes(profiles).nonzero()[:, 0]
    if len(rows) == len(profiles):
        return decide(objective.function, profiles).winners
    right = torch.zeros_like(profiles.mask)
    if len(rows):
        right[rows] = decide(objective.function, profiles[rows]).winners
    return right
