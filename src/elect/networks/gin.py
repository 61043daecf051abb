"""A Graph Isomorphism Network on the complete graph, with a node for each voter."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from elect.elections import Profiles
from elect.networks.base import SMALL, Network
from elect.networks.encoding import Logits, as_logits, encoding, outputs, require, require_sizes
from elect.networks.layers import Bias, hidden_layers
from elect.networks.sets import Sets


class GIN(nn.Module):
    """**Sum aggregation over the other voters in each layer.**

        h_v^k = MLP^k((1 + ε^k) h_v^{k-1} + Σ_{u≠v} h_u^{k-1}),    h_v^0 = x_v
        logits = W (mean_v h_v^0, …, mean_v h_v^K)

    On the complete graph the argument of MLP^k is ε^k h_v + Σ_u h_u, so that a layer costs O(n).
    Each MLP is linear, LayerNorm, ReLU, twice. With ε = 0 all voters would hold the same from the
    first layer on, a function of how often each candidate stands at each place: ε starts at 1, as
    if each voter were also a neighbour of its own. Re-tiled, nodes are candidates, and each is
    read out for itself: logit_c = W (h_c^0, …, h_c^K).

    Args:
        width: numbers that each node holds.
        aggregations: how many layers K. The paper counts its input as one more, see the docs.
        epsilon: where the learned ε start.
        gain: how many times faster the read-out of the input learns. Its weights start as many
            times smaller and count as many times: the same function, but a mean over voters is
            small, and what is linear in ballots is found in minutes instead of hours.
        max_candidates: the most candidates that an election may have.
        ids: ``one-hot`` or ``integer`` candidate ids.
        voter_ids: tell voters apart, which gives up anonymity.
        retiled: sets of candidates instead of voters: neutral, but not anonymous.
        max_voters: the most voters that an election may have, if they are told apart.
        heads: how many logits for each candidate; None is one, without a dimension of its own.

    Reference: K. Xu et al., "How Powerful are Graph Neural Networks?", ICLR 2019.
    """

    def __init__(
        self,
        width: int = 995,
        aggregations: int = 5,
        epsilon: float = 1.0,
        gain: float = 1.0,
        max_candidates: int = 29,
        ids: str = "one-hot",
        voter_ids: bool = False,
        retiled: bool = False,
        max_voters: int = 99,
        heads: int | None = None,
    ) -> None:
        super().__init__()
        require_sizes(width=width, aggregations=aggregations)
        self.heads, self.retiled, self.width = heads, retiled, width
        answers = outputs(max_candidates, heads, retiled)
        # The first layer and the read-out are both linear in the input, so they share one look-up.
        total = width + answers
        self.encoding = encoding(total, max_candidates, ids, voter_ids, retiled, max_voters)
        first = Bias(self.encoding.inputs, width)
        linear = [first, *(nn.Linear(width, width) for _ in range(aggregations - 1))]
        self.mlps = nn.ModuleList(hidden_layers(one, width, 2, nn.ReLU()) for one in linear)
        self.epsilon = nn.Parameter(torch.full((aggregations,), float(epsilon)))
        self.read_out = nn.Linear(aggregations * width, answers)
        require(gain > 0, f"A gain must be above 0, not {gain}.")
        self.gain = float(gain)
        with torch.no_grad():
            self.encoding.layer.weight[:, width:] /= gain

    def forward(self, profiles: Profiles) -> Logits:
        *layers, share = self.layers(profiles)
        answer = self.read_out(torch.cat(layers, 1)) + share
        return as_logits(answer, profiles, self.heads, self.retiled)

    def embed(self, profiles: Profiles) -> Float[Tensor, "row embedding"]:
        """An embedding of each election: what is read out of its nodes, layer after layer."""
        return torch.cat(self.layers(profiles), 1)

    def layers(self, profiles: Profiles) -> list[Tensor]:
        """The read-out of each layer, and last the input's, which is its share of the logits."""
        encoded: Sets = self.encoding(profiles)
        values, share = encoded.values.tensor_split([self.width], 1)
        nodes, read = encoded.holding(values), []
        for mlp, epsilon in zip(self.mlps, self.epsilon, strict=True):
            # W is linear, so the first layer's may come before the sum and only its bias after.
            nodes = nodes.holding(mlp(nodes.total()[nodes.owner] + epsilon * nodes.values))
            read.append(self._pool(nodes))
        return [*read, self.gain * self._pool(encoded.holding(share))]

    def _pool(self, nodes: Sets) -> Float[Tensor, "row width"]:
        return nodes.values if self.retiled else nodes.mean()


RECORD = Network("gin", GIN, "GIN", sizes={SMALL: {"width": 256, "aggregations": 1, "gain": 50.0}})
