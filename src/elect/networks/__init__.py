"""Networks that learn a rule, by name.

A network is called like a rule: it maps `Profiles` to one logit for each candidate. Their softmax
is the probability of being the winner, their sigmoid that of being among the winners.

Example:
    >>> from elect.elections import Profiles
    >>> deepsets = network("deepsets:width=16", heads=2)
    >>> deepsets(Profiles.from_rankings([["Ann", "Ben", "Cleo"], ["Ben", "Cleo", "Ann"]])).shape
    torch.Size([1, 2, 3])
"""

from typing import Any

from torch import nn

from elect import specs
from elect.errors import ElectError
from elect.networks import deepsets, gin, mlp, set_transformer, tally
from elect.networks.base import PAPER, SIZES, Network
from elect.networks.deepsets import DeepSets
from elect.networks.gin import GIN
from elect.networks.mlp import MLP
from elect.networks.renumbering import Renumbered, guess
from elect.networks.set_transformer import SetTransformer
from elect.networks.tally import Tally, TallyNetwork

__all__ = [
    "GIN",
    "MLP",
    "NETWORKS",
    "SIZES",
    "DeepSets",
    "Network",
    "Renumbered",
    "SetTransformer",
    "Tally",
    "TallyNetwork",
    "choose",
    "guess",
    "network",
]

NETWORKS: dict[str, Network] = {
    file.RECORD.name: file.RECORD for file in (tally, deepsets, gin, set_transformer, mlp)
}


def network(spec: str, size: str = "paper", heads: int | None = None, **settings: Any) -> nn.Module:
    """The network of this name, with settings if there are any: ``gin:width=256,epsilon=0``.

    Args:
        spec: its name, with or without settings.
        size: ``paper`` or ``small``; given settings take precedence.
        heads: how many logits for each candidate, one for each target to be learned at once:
            logits are then ``[batch, head, candidate]``; None gives ``[batch, candidate]``.
        settings: more settings, as the network's class takes them.
    """
    name, given = specs.parse(spec)
    record = choose(name, size)
    if heads is not None:
        settings["heads"] = heads
    return specs.call(record.make, name, {**record.sizes.get(size, {}), **given, **settings})


def choose(name: str, size: str = PAPER) -> Network:
    """The record of this name, if there are such a network and such a size."""
    specs.choose(name, NETWORKS, "network", "elect train --help")
    if size not in SIZES:
        raise ElectError(f"There is no size '{size}'; sizes are {' and '.join(SIZES)}.")
    return NETWORKS[name]
