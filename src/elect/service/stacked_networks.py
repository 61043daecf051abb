"""Batched inference: networks of one shape run together, and once per election.

For one election, a small network spends most of its time on launching operations. So the weights of
networks of one shape are stacked, and all of them run in little more than the time of one.
"""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace

from torch import Tensor, nn
from torch.func import functional_call, stack_module_state, vmap

from elect.elections import Profiles
from elect.learned import LearnedRule


class Memo(nn.Module):
    """Caches the last output of a network, which is used for several heads."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network
        self.last: tuple[Profiles, Tensor] | None = None

    def forward(self, profiles: Profiles) -> Tensor:
        if self.last is None or self.last[0] is not profiles:
            self.last = profiles, self.network(profiles)
        return self.last[1]


class StackedNetworks(nn.Module):
    """Networks of one shape: ``[network, batch, head, candidate]`` in one go."""

    def __init__(self, networks: Sequence[nn.Module]) -> None:
        super().__init__()
        stacked, _ = stack_module_state(list(networks))
        self.weights = {name: weight.detach() for name, weight in stacked.items()}
        self.shape = copy.deepcopy(networks[0])

    def forward(self, profiles: Profiles) -> Tensor:
        def one(weights: dict[str, Tensor]) -> Tensor:
            answer: Tensor = functional_call(self.shape, weights, (profiles,))
            return answer

        answers: Tensor = vmap(one)(self.weights)
        return answers


class StackedNetwork(nn.Module):
    """One network of a stack. Batches of elections bypass the stack, since the other networks may
    not be needed and stacking saves no time there."""

    def __init__(self, network: nn.Module, stack: Memo, number: int) -> None:
        super().__init__()
        self.network, self.number = network, number
        # In a list, or the weights of the stack would count as this network's.
        self.stack = [stack]

    def forward(self, profiles: Profiles) -> Tensor:
        if len(profiles) > 1:
            alone: Tensor = self.network(profiles)
            return alone
        answers: Tensor = self.stack[0](profiles)
        return answers[self.number]


def stacked(rules: Mapping[str, LearnedRule]) -> dict[str, LearnedRule]:
    """The same rules, those whose networks have one shape in a stack."""
    shapes: dict[str, list[str]] = {}
    for name, rule in rules.items():
        weights = [(key, tuple(value.shape)) for key, value in rule.network.state_dict().items()]
        shapes.setdefault(f"{rule.card.network} {weights}", []).append(name)
    found: dict[str, LearnedRule] = {}
    for names in shapes.values():
        networks = [rules[name].network for name in names]
        stack = Memo(StackedNetworks(networks))
        for number, name in enumerate(names):
            found[name] = replace(
                rules[name], network=StackedNetwork(networks[number], stack, number)
            )
    return {name: found[name] for name in rules}
