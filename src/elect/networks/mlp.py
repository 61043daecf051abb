"""The paper's baseline: a multilayer perceptron that reads all ballots one after the other."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from elect.elections import Profiles
from elect.networks.base import PAPER, SMALL, VOTERS, Network
from elect.networks.encoding import (
    IDS,
    Logits,
    SparseLinear,
    as_logits,
    outputs,
    positions,
    require,
    require_sizes,
    vote_entries,
    vote_length,
    voter_by_voter,
)
from elect.networks.layers import Bias, hidden_layers


class MLP(nn.Module):
    """**Fully connected layers on the vote vectors of all voters, concatenated.**

        logits = W_5 h_4,    h_k = ReLU(LayerNorm(W_k h_{k-1} + b_k)),    h_0 = (x_1, …, x_n)

    It is neither anonymous nor neutral and takes a limited number of voters: the rest of the input
    is zeros. A ballot of weight w is w voters in a row.

    Args:
        width: numbers in each hidden layer.
        layers: linear layers, the first and the last included.
        max_candidates: the most candidates that an election may have.
        max_voters: the most voters that an election may have.
        ids: ``one-hot`` or ``integer`` candidate ids.
        heads: how many logits for each candidate; None is one, without a dimension of its own.
    """

    def __init__(
        self,
        width: int = 120,
        layers: int = 5,
        max_candidates: int = 29,
        max_voters: int = 99,
        ids: str = "one-hot",
        heads: int | None = None,
    ) -> None:
        super().__init__()
        require(ids in IDS, f"Candidate ids are {' or '.join(IDS)}, not {ids}.")
        require(layers >= 2, f"An MLP needs at least 2 layers, not {layers}.")
        require_sizes(width=width, max_candidates=max_candidates, max_voters=max_voters)
        self.max_candidates, self.max_voters, self.ids = max_candidates, max_voters, ids
        self.heads = heads
        self.votes = vote_length(max_candidates, ids)
        inputs = max_voters * self.votes
        self.encoding = SparseLinear(inputs, width)
        self.hidden = hidden_layers(Bias(inputs, width), width, layers - 1, nn.ReLU())
        self.output = nn.Linear(width, outputs(max_candidates, heads))

    def forward(self, profiles: Profiles) -> Logits:
        x = self.hidden(self.encode(profiles))
        return as_logits(self.output(x), profiles, self.heads, retiled=False)

    def encode(self, profiles: Profiles) -> Float[Tensor, "batch width"]:
        """The first layer, without its bias, of all vote vectors one after the other."""
        profiles = voter_by_voter(profiles, self.max_voters)
        entries, used, values = vote_entries(profiles, self.max_candidates, self.ids)
        entries = entries + positions(profiles)[:, :, None] * self.votes
        flat = None if values is None else values.flatten(1)
        encoded: torch.Tensor = self.encoding(entries.flatten(1), used.flatten(1), flat)
        return encoded


RECORD = Network(
    "mlp",
    MLP,
    "MLP",
    sizes={SMALL: {"width": 12, "layers": 2}},
    # It has a place for each voter, and must have seen someone in all of them.
    voters={PAPER: VOTERS, SMALL: VOTERS},
    limits={"candidates": "max_candidates", "voters": "max_voters"},
)
