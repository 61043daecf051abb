"""DeepSets: encode each ballot, add up, decode the sum."""

from torch import nn

from elect.elections import Profiles
from elect.networks.base import PAPER, PAPER_TRAINING, SMALL, SMALL_TRAINING, Network
from elect.networks.encoding import Logits, as_logits, encoding, outputs, require, require_sizes
from elect.networks.layers import Bias, hidden_layers


class DeepSets(nn.Module):
    """**A function of a sum of functions of single ballots.**

        logits = ρ(Σ_v φ(x_v))

    φ and ρ are fully connected, each hidden layer linear, LayerNorm, LeakyReLU; every layer of φ
    and all but the last of ρ are hidden. Re-tiled, x_c are the candidates and each is decoded for
    itself beside the sum of all: logit_c = ρ(φ(x_c) + Σ_d φ(x_d)).

    Args:
        width: numbers in each hidden layer.
        layers: linear layers in φ, and as many in ρ.
        encoder_width: numbers in each hidden layer of φ, if not as many as in ρ's. φ is asked once
            for each ballot and ρ once for each election: a narrow φ is what makes steps cheap.
        encoder_layers: linear layers in φ, if not as many as in ρ.
        max_candidates: the most candidates that an election may have.
        ids: ``one-hot`` or ``integer`` candidate ids.
        voter_ids: tell voters apart, which gives up anonymity.
        retiled: sets of candidates instead of voters: neutral, but not anonymous.
        max_voters: the most voters that an election may have, if they are told apart.
        heads: how many logits for each candidate; None is one, without a dimension of its own.

    Reference: M. Zaheer et al., "Deep Sets", NeurIPS 2017.
    """

    def __init__(
        self,
        width: int = 1065,
        layers: int = 5,
        encoder_width: int | None = None,
        encoder_layers: int | None = None,
        max_candidates: int = 29,
        ids: str = "one-hot",
        voter_ids: bool = False,
        retiled: bool = False,
        max_voters: int = 99,
        heads: int | None = None,
    ) -> None:
        super().__init__()
        require(layers >= 2, f"DeepSets needs at least 2 layers, not {layers}.")
        inner, depth = encoder_width or width, encoder_layers or layers
        require_sizes(width=width, encoder_width=inner, encoder_layers=depth)
        self.heads, self.retiled = heads, retiled
        self.encoding = encoding(inner, max_candidates, ids, voter_ids, retiled, max_voters)
        first = Bias(self.encoding.inputs, inner)
        self.encoder = hidden_layers(first, inner, depth, nn.LeakyReLU())
        self.decoder = nn.Sequential(
            hidden_layers(nn.Linear(inner, width), width, layers - 1, nn.LeakyReLU()),
            nn.Linear(width, outputs(max_candidates, heads, retiled)),
        )

    def forward(self, profiles: Profiles) -> Logits:
        ballots = self.encoding(profiles).map(self.encoder)
        x = ballots.total()
        if self.retiled:
            x = ballots.values + x[ballots.owner]
        return as_logits(self.decoder(x), profiles, self.heads, self.retiled)


# A narrow encoder and few layers: what is asked once for each election may be wide.
RECORD = Network(
    "deepsets",
    DeepSets,
    "DeepSets",
    sizes={SMALL: {"width": 865, "layers": 3, "encoder_width": 128, "encoder_layers": 1}},
    training={PAPER: {**PAPER_TRAINING, "optimizer": "lookahead"}, SMALL: SMALL_TRAINING},
)
