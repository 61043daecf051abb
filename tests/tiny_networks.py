"""Networks and elections small enough for a test."""

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from elect.elections import Profiles
from elect.networks import network
from elect.networks.renumbering import neutral_order
from profiles import random_profile, weak_profile

TINY: dict[str, dict[str, Any]] = {
    "deepsets": {"width": 12, "layers": 3},
    "gin": {"width": 12, "aggregations": 3},
    "set_transformer": {"attention_heads": 2, "dimension": 6, "blocks": 2, "seeds": 2},
    "mlp": {"width": 12, "layers": 3},
}

PAPER = list(TINY)


def tiny(name: str, **settings: Any) -> nn.Module:
    """A network small enough for a test, in double precision, always the same."""
    torch.manual_seed(7)
    return network(name, **(TINY[name] | {"max_candidates": 8} | settings)).double()


def elections(seed: int = 1) -> Profiles:
    """Several sizes in one batch, with truncated and tied ballots among them."""
    rng = np.random.default_rng(seed)
    sizes = [(5, 3), (9, 8), (1, 2), (12, 5)]
    batches = [random_profile(rng, n, m) for n, m in sizes]
    return Profiles.concat([*batches, weak_profile(rng, 7, 6), weak_profile(rng, 4, 4)])


def strict(profiles: Profiles) -> Profiles:
    """Those elections in which every ballot ranks every candidate."""
    return profiles[profiles.complete.nonzero()[:, 0]]


def same(first: Tensor, second: Tensor) -> bool:
    """Equal up to rounding in double precision, infinities included."""
    return torch.allclose(first, second, rtol=1e-9, atol=1e-9)


def random_order(profiles: Profiles) -> Tensor:
    """Other numbers for the candidates of each election."""

    def nothing(profiles: Profiles) -> Tensor:
        return torch.zeros(len(profiles), profiles.ranks.shape[2])

    return neutral_order(profiles, nothing, torch.Generator().manual_seed(5))
