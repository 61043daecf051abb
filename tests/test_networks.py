"""The paper's networks: their sizes, and what each of them owes its users."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from elect.elections import Profiles
from elect.errors import ElectError
from elect.networks import GIN, NETWORKS, Renumbered, network
from elect.networks.renumbering import renumber
from elect.rules import rule
from profiles import random_profile
from tiny_networks import PAPER, elections, random_order, same, tiny

SETS = ["deepsets", "gin", "set_transformer"]


def permute_voters(profiles: Profiles, seed: int = 3) -> Profiles:
    order = torch.randperm(profiles.ranks.shape[1], generator=torch.Generator().manual_seed(seed))
    return replace(profiles, ranks=profiles.ranks[:, order], weights=profiles.weights[:, order])


# ---------------------------------------------------------------------- sizes


@pytest.mark.parametrize("name", PAPER)
def test_parameter_counts(name: str) -> None:
    with torch.device("meta"):
        large, small = (
            sum(p.numel() for p in network(name, size=size).parameters())
            for size in ("paper", "small")
        )
    assert abs(large / 10e6 - 1) < 0.04
    assert 0.3e6 < small < 1.01e6


def test_a_gain_changes_no_function_at_first_and_speeds_up_what_is_linear() -> None:
    profiles, outcomes = elections(), []
    for gain in (1.0, 64.0):
        torch.manual_seed(0)
        net = network("gin:width=8", gain=gain, max_candidates=9).double()
        before = net(profiles)
        assert not outcomes or same(before, outcomes[0][0])
        net(profiles)[profiles.mask].square().sum().backward()
        outcomes.append((before, net.encoding.layer.weight.grad[:, 8:].abs().mean()))
    assert torch.isclose(outcomes[1][1] / outcomes[0][1], torch.tensor(64.0).double())


def test_the_encoder_may_have_a_size_of_its_own() -> None:
    net = tiny("deepsets", encoder_width=5, encoder_layers=1)
    assert net.encoding.layer.weight.shape == (64, 5)
    assert len(net.encoder) == 1
    assert same(net(elections()), net(permute_voters(elections())))


# ---------------------------------------------------------------------- contracts


@pytest.mark.parametrize("name", SETS)
def test_anonymous(name: str) -> None:
    profiles = elections()
    net = tiny(name)
    assert same(net(profiles), net(permute_voters(profiles)))


@pytest.mark.parametrize(
    ("name", "settings"), [(n, {"voter_ids": True}) for n in SETS] + [("mlp", {})]
)
def test_voters_with_ids_are_told_apart(name: str, settings: dict[str, Any]) -> None:
    profiles = elections()
    net = tiny(name, **settings)
    assert not same(net(profiles), net(permute_voters(profiles)))


@pytest.mark.parametrize(
    ("name", "settings"),
    [(name, {}) for name in PAPER]
    + [(name, {"retiled": True}) for name in SETS]
    + [(name, {"voter_ids": True}) for name in SETS],
)
def test_padding_changes_nothing(name: str, settings: dict[str, Any]) -> None:
    profiles = elections()
    net = tiny(name, **settings)
    batch, ballots, columns = profiles.ranks.shape
    # Uncast ballots before and between the others, more columns, and anything in either.
    ranks = torch.ones(batch, 2 * ballots, columns + 3, dtype=torch.int16)
    kept = torch.where(profiles.mask[:, None], profiles.ranks, 1)
    ranks[:, 1::2, :columns] = kept
    weights = torch.stack([torch.zeros_like(profiles.weights), profiles.weights], 2).flatten(1)
    padded = net(Profiles(ranks, weights, profiles.num_candidates))
    together = net(profiles)
    assert same(padded[:, :columns], together)
    assert bool((padded[:, columns:] == -torch.inf).all())
    for election in range(len(profiles)):
        m, n = int(profiles.num_candidates[election]), int(profiles.num_voters[election])
        alone = Profiles(
            profiles.ranks[[election], :n, :m],
            profiles.weights[[election], :n],
            profiles.num_candidates[[election]],
        )
        assert same(net(alone)[0], together[election, :m])


@pytest.mark.parametrize("name", PAPER)
def test_weights_are_repeated_ballots(name: str) -> None:
    profiles = elections()
    generator = torch.Generator().manual_seed(1)
    drawn = torch.randint(0, 4, profiles.weights.shape, generator=generator)
    drawn[:, 0] = 2
    weighted = replace(profiles, weights=profiles.weights * drawn)
    net = tiny(name)
    assert same(net(weighted), net(weighted.single()))


@pytest.mark.parametrize("name", PAPER)
def test_heads_have_a_dimension_of_their_own(name: str) -> None:
    profiles = elections()
    shape = profiles.ranks.shape
    assert tiny(name)(profiles).shape == (shape[0], shape[2])
    for heads in (1, 3):
        logits = tiny(name, heads=heads)(profiles)
        assert logits.shape == (shape[0], heads, shape[2])
        assert torch.equal(logits.isfinite(), profiles.mask[:, None].expand_as(logits))


@pytest.mark.parametrize("name", PAPER)
def test_softmax_and_sigmoid_leave_padding_out(name: str) -> None:
    profiles = elections()
    logits = tiny(name)(profiles)
    for probabilities in (logits.softmax(1), logits.sigmoid()):
        assert torch.equal(probabilities > 0, profiles.mask)


@pytest.mark.parametrize("name", PAPER)
@pytest.mark.parametrize("loss", ["winner", "winner set"])
def test_gradients_reach_every_parameter(name: str, loss: str) -> None:
    profiles = elections()
    net = tiny(name, heads=2, max_voters=12)
    logits = net(profiles)
    target = rule("copeland")(profiles).argmax(1)
    if loss == "winner":
        nn.functional.cross_entropy(logits.flatten(0, 1), target.repeat_interleave(2)).backward()
    else:
        (logits[profiles.mask[:, None].expand_as(logits)].sigmoid() ** 2).sum().backward()
    for key, parameter in net.named_parameters():
        assert parameter.grad is not None, key
        assert bool(parameter.grad.isfinite().all()), key
        # A key's bias shifts all that a query sees alike, which softmax does not notice.
        assert key.endswith("key.bias") or bool(parameter.grad.any()), key


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("voters", [1, 150, 1000])
def test_any_number_of_voters(name: str, voters: int) -> None:
    profile = random_profile(np.random.default_rng(1), voters, 6)
    assert bool(tiny(name)(profile).isfinite().all())
    nation = replace(profile, weights=profile.weights * 100_000)
    assert bool(tiny(name)(nation).isfinite().all())


@pytest.mark.parametrize("name", SETS)
def test_retiled_is_neutral_and_not_anonymous(name: str) -> None:
    profiles = elections()
    net = tiny(name, retiled=True, heads=2)
    assert not same(net(profiles), net(permute_voters(profiles)))
    order = random_order(profiles)
    renamed = net(renumber(profiles, order))
    assert same(net(profiles).gather(2, order[:, None].expand_as(renamed)), renamed)


@pytest.mark.parametrize("name", PAPER)
def test_a_network_copied_by_its_weights_is_the_same(name: str) -> None:
    first, second = Renumbered(tiny(name)), Renumbered(tiny(name))
    nn.init.normal_(next(second.parameters()))
    first(elections())  # The first has drawn ties already: its generator is ahead.
    second.load_state_dict(first.state_dict())
    assert torch.equal(first(elections()), second(elections()))


# ---------------------------------------------------------------------- what is refused


def test_names_and_settings() -> None:
    spec = network("set-transformer:attention_heads=2,dimension=4,blocks=1")
    assert type(spec) is NETWORKS["set_transformer"].make
    gin = network("gin:width=8,epsilon=0.5", size="small", heads=2, max_candidates=5)
    assert isinstance(gin, GIN)
    assert gin.width == 8
    assert gin.epsilon.tolist() == [0.5]


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: network("deepset"), "did you mean 'deepsets'"),
        (lambda: network("gin", size="huge"), "sizes are paper and small"),
        (lambda: network("gin:depth=3"), "'gin' has no setting 'depth'"),
        (lambda: tiny("gin", ids="binary"), "one-hot or integer"),
        (lambda: tiny("mlp", ids="binary"), "one-hot or integer"),
        (lambda: tiny("gin", ids="binary", retiled=True), "one-hot or integer"),
        (lambda: tiny("gin", heads=0), "at least 1 head"),
        (lambda: tiny("gin", aggregations=0), "aggregations must be at least 1"),
        (lambda: tiny("deepsets", width=0), "width must be at least 1"),
        (lambda: tiny("deepsets", layers=1), "at least 2 layers"),
        (lambda: tiny("mlp", layers=1), "at least 2 layers"),
        (lambda: tiny("set_transformer", blocks=0), "blocks must be at least 1"),
        (lambda: tiny("deepsets", retiled=True, voter_ids=True), "leave voter_ids out"),
        (lambda: tiny("deepsets", max_candidates=7)(elections()), "max_candidates=8"),
        (lambda: tiny("gin", retiled=True, max_candidates=7)(elections()), "max_candidates=8"),
        (lambda: tiny("mlp", max_voters=11)(elections()), "max_voters=12"),
        (lambda: tiny("gin", voter_ids=True, max_voters=11)(elections()), "max_voters=12"),
        (lambda: tiny("gin", retiled=True, max_voters=11)(elections()), "max_voters=12"),
        (lambda: tiny("gin", ids="integer")(elections()), "use one-hot ids"),
        (lambda: tiny("gin")(Profiles.from_rankings([[0, 1]], [0])), "at least one ballot"),
        (lambda: Renumbered(tiny("gin"), "bordo"), "did you mean 'borda'"),
    ],
)
def test_refused_in_one_sentence(build: Callable[[], object], says: str) -> None:
    with pytest.raises(ElectError, match=says) as error:
        build()
    assert str(error.value).endswith(".")
    assert "\n" not in str(error.value)
