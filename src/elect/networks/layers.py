"""The layers that the paper's networks are built of: linear, LayerNorm, activation."""

import torch
from jaxtyping import Float
from torch import Tensor, nn


class Bias(nn.Module):
    """The bias of a first layer of so many inputs, initialized as `torch.nn.Linear`'s is."""

    def __init__(self, inputs: int, width: int) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.empty(width))
        nn.init.uniform_(self.bias, -(inputs**-0.5), inputs**-0.5)

    def forward(self, x: Float[Tensor, "row width"]) -> Float[Tensor, "row width"]:
        return x + self.bias


def hidden_layers(first: nn.Module, width: int, layers: int, activation: nn.Module) -> nn.Module:
    """So many hidden layers, each linear, LayerNorm, activation; ``first`` is the first linear."""
    linear = [first] + [nn.Linear(width, width) for _ in range(layers - 1)]
    blocks = [nn.Sequential(one, nn.LayerNorm(width), activation) for one in linear]
    return nn.Sequential(*blocks)
