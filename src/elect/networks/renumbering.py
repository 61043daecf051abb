"""Neutral by renumbering: candidates are numbered by a neutral order before a network sees them.

A network that reads candidates by number is not neutral. To make it so, number candidates by the
scores of a neutral rule, best first, run the network, and restore the numbers. The original numbers
then do not matter.

The order itself is a good guess: a network that always elects number 0 elects the winner of the
rule. So compare a network with that guess (`guess`).
"""

from typing import Any

import torch
from jaxtyping import Int64
from torch import Tensor, nn

from elect.elections import Profiles, Scores
from elect.networks.encoding import Logits
from elect.rules import Scorer, rule


class Renumbered(nn.Module):
    """**A network made neutral**, by numbering the candidates in a neutral order first.

    Where the order ties candidates, their numbers are drawn uniformly at random among them. So
    neutrality is exact for elections in which the order has no ties; where it has, renaming the
    candidates renames the *distribution* of the logits: neutrality is exact in expectation, while
    single draws may differ. The draws come from the wrapper's own generator, whose state is saved
    and loaded with the network's weights, so that a run which is resumed draws the same.

    Args:
        network: any network.
        order: a rule, or its name, whose scores number the candidates, highest first.
        generator: the random generator for ties, on the CPU. Default: one with seed 0.
    """

    def __init__(
        self,
        network: nn.Module,
        order: str | Scorer = "borda",
        generator: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        self.network = network
        self.order = _rule(order)
        self.generator = generator or torch.Generator().manual_seed(0)

    def forward(self, profiles: Profiles) -> Logits:
        order = neutral_order(profiles, self.order, self.generator)
        logits: Tensor = self.network(renumber(profiles, order))
        number = order.argsort(1).to(logits.device)
        if logits.dim() == 3:
            number = number[:, None].expand_as(logits)
        return logits.gather(-1, number)

    def get_extra_state(self) -> Tensor:
        return self.generator.get_state()

    def set_extra_state(self, state: Any) -> None:
        self.generator.set_state(state.cpu())


def guess(order: str | Scorer = "borda", generator: torch.Generator | None = None) -> Scorer:
    """The rule that elects the first candidate in the order, without a network.

    >>> profile = Profiles.from_rankings([[2, 0, 1], [2, 1, 0], [0, 1, 2]])
    >>> guess("plurality")(profile).tolist()
    [[-1.0, -2.0, 0.0]]
    """
    function, generator = _rule(order), generator or torch.Generator().manual_seed(0)

    def guessed(profiles: Profiles) -> Scores:
        numbers = neutral_order(profiles, function, generator).argsort(1)
        return (-numbers).double().masked_fill(~profiles.mask, -torch.inf)

    return guessed


def neutral_order(
    profiles: Profiles, order: Scorer, generator: torch.Generator
) -> Int64[Tensor, "batch candidate"]:
    """The candidates of each election by the order's score, best first, padding last.

    Equal scores are put in an order drawn uniformly at random.
    """
    scores = order(profiles).double()
    # A candidate may score minus infinity too, and still stands before the padding.
    lowest = torch.finfo(scores.dtype).min
    scores = scores.clamp(min=lowest).masked_fill(~profiles.mask, -torch.inf)
    draw = torch.rand(scores.shape, generator=generator, dtype=torch.float64)
    shuffled = draw.argsort(1).to(scores.device)
    best_first = scores.gather(1, shuffled).argsort(dim=1, descending=True, stable=True)
    return shuffled.gather(1, best_first)


def renumber(profiles: Profiles, order: Int64[Tensor, "batch candidate"]) -> Profiles:
    """The same ballots with candidate ``order[i]`` as number i; names are left behind.

    >>> profile = Profiles.from_rankings([[2, 0, 1]])
    >>> renumber(profile, torch.tensor([[2, 0, 1]])).ranks.tolist()
    [[[0, 1, 2]]]
    """
    columns = order.to(profiles.ranks.device)[:, None].expand_as(profiles.ranks)
    ranks = profiles.ranks.gather(2, columns)
    return Profiles._trusted(ranks, profiles.weights, profiles.num_candidates)


def _rule(order: str | Scorer) -> Scorer:
    return rule(order) if isinstance(order, str) else order
