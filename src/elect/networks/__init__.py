"""Networks that learn a rule, by name.

A network is called as a rule is: `Profiles` go in, one logit for each candidate comes out. Softmax
makes them the probabilities of being the winner, sigmoid those of being among the winners or in a
committee.

Example:
    >>> from elect.elections import Profiles
    >>> deepsets = network("deepsets:width=16", heads=2)
    >>> deepsets(Profiles.from_rankings([["Ann", "Ben", "Cleo"], ["Ben", "Cleo", "Ann"]])).shape
    torch.Size([1, 2, 3])
"""

from collections.abc import Callable
from typing import Any

from torch import nn

from elect import specs
from elect.errors import ElectError
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
    "Renumbered",
    "SetTransformer",
    "Tally",
    "TallyNetwork",
    "guess",
    "network",
]

NETWORKS: dict[str, Callable[..., nn.Module]] = {
    "tally": TallyNetwork,
    "deepsets": DeepSets,
    "gin": GIN,
    "set_transformer": SetTransformer,
    "mlp": MLP,
}

# Settings of each size: the paper's, of about ten million parameters, are the defaults of its
# networks. The small ones have a million at most, in fewer layers, which learn in minutes what deep
# ones need hours for, and in layers that are asked once for each election rather than each ballot,
# where that can be had. `tally` has fifty thousand whatever the size.
SIZES: dict[str, dict[str, dict[str, float]]] = {
    "paper": {},
    "small": {
        "deepsets": {"width": 865, "layers": 3, "encoder_width": 128, "encoder_layers": 1},
        "gin": {"width": 256, "aggregations": 1, "gain": 50.0},
        "set_transformer": {"attention_heads": 8, "blocks": 1},
        "mlp": {"width": 12, "layers": 2},
    },
}


def network(spec: str, size: str = "paper", heads: int | None = None, **settings: Any) -> nn.Module:
    """The network of this name, with settings if there are any: ``gin:width=256,epsilon=0``.

    Args:
        spec: its name, with or without settings.
        size: ``paper`` or ``small``; settings that are given go before the size's.
        heads: how many logits for each candidate, one for each target to be learned at once:
            logits are then ``[batch, head, candidate]``; None gives ``[batch, candidate]``.
        settings: more settings, as the network's class takes them.
    """
    name, given = specs.parse(spec)
    specs.choose(name, NETWORKS, "network", "elect train --help")
    if size not in SIZES:
        raise ElectError(f"There is no size '{size}'; sizes are {' and '.join(SIZES)}.")
    if heads is not None:
        settings["heads"] = heads
    return specs.call(NETWORKS[name], name, SIZES[size].get(name, {}) | given | settings)
