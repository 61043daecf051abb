"""The Set Transformer: ballots attend to each other, then learned seeds attend to the ballots."""

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from elect.elections import Profiles
from elect.networks.base import SMALL, Network
from elect.networks.encoding import Logits, as_logits, encoding, outputs, require_sizes
from elect.networks.layers import Bias
from elect.networks.sets import Sets


class Multihead(nn.Module):
    """**Multihead(X, Y, Y)**: each x attends to all y, in several subspaces at once.

    An element that is w times in its set draws w times the attention: log w is added to what the
    softmax sees, so that padding draws none.
    """

    def __init__(self, heads: int, dimension: int) -> None:
        super().__init__()
        self.heads = heads
        width = heads * dimension
        self.query, self.key = nn.Linear(width, width), nn.Linear(width, width)
        self.value, self.out = nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, x: Sets, y: Sets) -> Float[Tensor, "row width"]:
        q, k, v = (
            self._split(x.map(self.query)),
            self._split(y.map(self.key)),
            self._split(y.map(self.value)),
        )
        attention = y.padded_counts().log().to(q.dtype)[:, None, None]
        seen = F.scaled_dot_product_attention(q, k, v, attn_mask=attention)
        joined: Tensor = self.out(seen.transpose(1, 2).flatten(2)[x.present])
        return joined

    def _split(self, sets: Sets) -> Float[Tensor, "batch head item dimension"]:
        cells = sets.padded()
        return cells.view(*cells.shape[:2], self.heads, -1).transpose(1, 2)


class MAB(nn.Module):
    """**MAB(X, Y) = H + rFF(LN(H)), H = X + Multihead(LN(X), LN(Y), LN(Y))**: X attends to Y.

    A multihead attention block with LayerNorm before each step; rFF is one linear layer and a ReLU.
    """

    def __init__(self, heads: int, dimension: int) -> None:
        super().__init__()
        width = heads * dimension
        self.multihead = Multihead(heads, dimension)
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.rff = nn.Sequential(nn.Linear(width, width), nn.ReLU())

    def forward(self, x: Sets, y: Sets) -> Sets:
        h = x.values + self.multihead(x.map(self.before), y.map(self.before))
        return x.holding(h + self.rff(self.between(h)))


class SAB(nn.Module):
    """**SAB(X) = MAB(X, X)**: all elements attend to each other. Set attention block."""

    def __init__(self, heads: int, dimension: int) -> None:
        super().__init__()
        self.mab = MAB(heads, dimension)

    def forward(self, x: Sets) -> Sets:
        attended: Sets = self.mab(x, x)
        return attended


class PMA(nn.Module):
    """**PMA_k(Z) = MAB(S, rFF(Z))**: k learned seeds S attend to Z.

    Pooling by multihead attention.
    """

    def __init__(self, heads: int, dimension: int, seeds: int) -> None:
        super().__init__()
        width = heads * dimension
        self.seeds = nn.Parameter(torch.empty(seeds, width))
        nn.init.xavier_uniform_(self.seeds)
        self.rff = nn.Sequential(nn.Linear(width, width), nn.ReLU())
        self.mab = MAB(heads, dimension)

    def forward(self, z: Sets) -> Sets:
        seeds = Sets.of_equal_size(self.seeds.expand(len(z.present), -1, -1))
        pooled: Sets = self.mab(seeds, z.map(self.rff))
        return pooled


class SetTransformer(nn.Module):
    """**Attention between ballots, then attention from learned seeds to ballots.**

        logits = rFF(SAB(PMA_k(SAB(… SAB(x)))))

    The last rFF is a LayerNorm, as blocks that normalize first need, and a linear layer from all k
    seeds together. Re-tiled, sets are of candidates, nothing is pooled and the last rFF reads each
    candidate for itself.

    Args:
        attention_heads: heads in every attention.
        dimension: numbers in each of these heads.
        blocks: SABs before the pooling.
        seeds: the k of PMA_k.
        max_candidates: the most candidates that an election may have.
        ids: ``one-hot`` or ``integer`` candidate ids.
        voter_ids: tell voters apart, which gives up anonymity.
        retiled: sets of candidates instead of voters: neutral, but not anonymous.
        max_voters: the most voters that an election may have, if they are told apart.
        heads: how many logits for each candidate; None is one, without a dimension of its own.

    References: J. Lee et al., "Set Transformer", ICML 2019; R. Xiong et al., "On Layer
    Normalization in the Transformer Architecture", ICML 2020.
    """

    def __init__(
        self,
        attention_heads: int = 20,
        dimension: int = 28,
        blocks: int = 4,
        seeds: int = 1,
        max_candidates: int = 29,
        ids: str = "one-hot",
        voter_ids: bool = False,
        retiled: bool = False,
        max_voters: int = 99,
        heads: int | None = None,
    ) -> None:
        super().__init__()
        require_sizes(attention_heads=attention_heads, dimension=dimension)
        require_sizes(blocks=blocks, seeds=seeds)
        self.heads, self.retiled = heads, retiled
        shape, width = (attention_heads, dimension), attention_heads * dimension
        self.encoding = encoding(width, max_candidates, ids, voter_ids, retiled, max_voters)
        self.bias = Bias(self.encoding.inputs, width)
        self.encoder = nn.Sequential(*(SAB(*shape) for _ in range(blocks)))
        pool = [] if retiled else [PMA(*shape, seeds)]
        self.decoder = nn.Sequential(*pool, SAB(*shape))
        width = width if retiled else width * seeds
        answers = outputs(max_candidates, heads, retiled)
        self.rff = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, answers))

    def forward(self, profiles: Profiles) -> Logits:
        ballots = self.encoding(profiles).map(self.bias)
        decoded: Sets = self.decoder(self.encoder(ballots))
        x = decoded.values if self.retiled else decoded.values.view(len(profiles), -1)
        return as_logits(self.rff(x), profiles, self.heads, self.retiled)


RECORD = Network(
    "set_transformer",
    SetTransformer,
    "Set Transformer",
    sizes={SMALL: {"attention_heads": 8, "blocks": 1}},
)
