"""Networks made neutral by renumbering the candidates."""

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from elect.elections import Profiles
from elect.networks import Renumbered, guess
from elect.networks.renumbering import neutral_order, renumber
from elect.rules import rule, winners
from profiles import random_profile
from tiny_networks import PAPER, elections, random_order, same, strict, tiny


@pytest.mark.parametrize("name", PAPER)
@pytest.mark.parametrize("heads", [None, 2])
def test_renumbering_is_neutral_where_the_order_has_no_ties(name: str, heads: int | None) -> None:
    rng = np.random.default_rng(2)
    profiles = Profiles.concat([random_profile(rng, 11, m) for m in (3, 4, 6) for _ in range(20)])
    scores = rule("borda")(profiles).sort(1)[0]
    untied = ((scores.diff(dim=1) > 0) | scores[:, :-1].isinf()).all(1)
    profiles = profiles[untied.nonzero()[:, 0]]
    assert len(profiles) > 20
    net, order = tiny(name, heads=heads), random_order(profiles)
    renamed = renumber(profiles, order)
    index = order if heads is None else order[:, None].expand(-1, heads, -1)
    assert not same(net(profiles).gather(-1, index), net(renamed))
    neutral = Renumbered(net, "borda")
    assert same(neutral(profiles).gather(-1, index), neutral(renamed))


def test_ties_in_the_order_are_broken_uniformly() -> None:
    profile = Profiles.from_rankings([[0, 1, 2, 3], [1, 2, 0, 3], [2, 0, 1, 3]])
    many = profile[[0] * 6000]
    orders = neutral_order(many, rule("borda"), torch.Generator().manual_seed(1))
    assert bool((orders[:, 3] == 3).all())
    _, counts = orders.unique(dim=0, return_counts=True)
    assert len(counts) == 6
    assert bool(((counts - 1000).abs() < 4 * (1000 * 5 / 6) ** 0.5).all())


def test_renumbering_is_neutral_in_expectation_where_the_order_has_ties() -> None:
    # Plurality ties 0 with 1 and 2 with 3 here, though they are not alike.
    profile = Profiles.from_rankings([[0, 2, 1, 3], [0, 2, 3, 1], [1, 0, 2, 3], [1, 3, 0, 2]])
    many, order = profile[[0] * 4000], torch.tensor([[3, 1, 0, 2]]).expand(4000, -1)
    neutral = Renumbered(tiny("deepsets"), "plurality")
    first, second = neutral(many).gather(1, order), neutral(renumber(many, order))
    error = ((first.var(0) + second.var(0)) / 4000).sqrt()
    assert bool((error > 0).all())
    assert bool(((first.mean(0) - second.mean(0)).abs() < 4.5 * error).all())


def test_the_same_generator_breaks_ties_alike() -> None:
    profiles = elections()
    for order in ("plurality", lambda p: torch.zeros(len(p), p.ranks.shape[2])):
        first, second = (
            Renumbered(tiny("gin"), order, torch.Generator().manual_seed(9)) for _ in range(2)
        )
        assert torch.equal(first(strict(profiles)), second(strict(profiles)))


class First(nn.Module):
    """A network that has learned nothing but to answer number 0."""

    def forward(self, profiles: Profiles) -> Tensor:
        return -torch.arange(profiles.ranks.shape[2]).double().expand(len(profiles), -1)


def test_guess_is_what_the_order_says_by_itself() -> None:
    profiles = strict(elections())
    for order in ("borda", "plurality"):
        elected = winners(guess(order), profiles)
        assert bool((elected.sum(1) == 1).all())
        assert bool((elected <= winners(order, profiles)).all())
        answer = Renumbered(First(), order, torch.Generator().manual_seed(0))(profiles)
        assert torch.equal(elected.long().argmax(1), answer.argmax(1))


def test_padding_comes_last_whatever_the_order_scores() -> None:
    profiles = elections()

    def infinite(profiles: Profiles) -> Tensor:
        return torch.full((len(profiles), profiles.ranks.shape[2]), -torch.inf)

    orders = neutral_order(profiles, infinite, torch.Generator())
    assert torch.equal(orders < profiles.num_candidates[:, None], profiles.mask)
