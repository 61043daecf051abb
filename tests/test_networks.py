"""The paper's networks against what they must equal, and what each of them owes its users."""

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations_with_replacement, permutations
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from elect.elections import Profiles
from elect.errors import ElectError
from elect.networks import GIN, NETWORKS, Renumbered, guess, network
from elect.networks.encoding import Retiled, VoteVectors
from elect.networks.mlp import MLP
from elect.networks.renumbering import neutral_order, renumber
from elect.networks.set_transformer import Multihead
from elect.networks.sets import Sets
from elect.rules import rule, winners
from profiles import random_profile, weak_profile

TINY: dict[str, dict[str, Any]] = {
    "deepsets": {"width": 12, "layers": 3},
    "gin": {"width": 12, "aggregations": 3},
    "set_transformer": {"attention_heads": 2, "dimension": 6, "blocks": 2, "seeds": 2},
    "mlp": {"width": 12, "layers": 3},
}
PAPER = list(TINY)
SETS = ["deepsets", "gin", "set_transformer"]


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


def permute_voters(profiles: Profiles, seed: int = 3) -> Profiles:
    order = torch.randperm(profiles.ranks.shape[1], generator=torch.Generator().manual_seed(seed))
    return replace(profiles, ranks=profiles.ranks[:, order], weights=profiles.weights[:, order])


def same(first: Tensor, second: Tensor) -> bool:
    """Equal up to rounding in double precision, infinities included."""
    return torch.allclose(first, second, rtol=1e-9, atol=1e-9)


# ---------------------------------------------------------------------- sizes


@pytest.mark.parametrize("name", PAPER)
@pytest.mark.parametrize(("size", "millions"), [("paper", 10), ("small", 1)])
def test_parameter_counts(name: str, size: str, millions: int) -> None:
    with torch.device("meta"):
        count = sum(p.numel() for p in network(name, size=size).parameters())
    assert abs(count / (millions * 1e6) - 1) < 0.04


# ---------------------------------------------------------------------- ballots in


def dense_votes(profiles: Profiles, election: int, m: int, ids: str) -> Tensor:
    """The vote vectors as the paper writes them, place after place, one row for each ballot."""
    rows = []
    for weight, tiers in profiles.ballots(election):
        votes = torch.zeros(m, m) if ids == "one-hot" else torch.zeros(m, 1)
        place = 0
        for tier in tiers:
            for candidate in tier:
                if ids == "one-hot":
                    votes[place, candidate] = 1
                else:
                    votes[place, 0] = candidate + 1
            place += len(tier)
        rows += [votes.flatten()] * weight
    return torch.stack(rows).double()


@pytest.mark.parametrize("ids", ["one-hot", "integer"])
@pytest.mark.parametrize("voter_ids", [False, True])
def test_vote_vectors_equal_the_dense_product(ids: str, voter_ids: bool) -> None:
    profiles = elections() if ids == "one-hot" else strict(elections())
    layer = VoteVectors(6, 8, ids, voter_ids, max_voters=15).double()
    rows = layer(profiles)
    for election in range(len(profiles)):
        x = dense_votes(profiles, election, 8, ids)
        if voter_ids:
            x = torch.cat([x, torch.eye(15).double()[: len(x)]], 1)
        assert same(rows.values[rows.owner == election], x @ layer.layer.weight)


@pytest.mark.parametrize("ids", ["one-hot", "integer"])
def test_mlp_input_equals_the_dense_product(ids: str) -> None:
    profiles = strict(elections())
    mlp = MLP(6, max_candidates=8, max_voters=15, ids=ids).double()
    for election in range(len(profiles)):
        x = dense_votes(profiles, election, 8, ids)
        x = torch.cat([x, x.new_zeros(15 - len(x), x.shape[1])]).flatten()
        assert same(mlp.encode(profiles[election])[0], x @ mlp.encoding.weight)


@pytest.mark.parametrize("ids", ["one-hot", "integer"])
def test_retiled_input_is_the_dense_input_turned(ids: str) -> None:
    profiles = strict(elections())
    layer = Retiled(6, 8, ids, max_voters=15).double()
    rows = layer(profiles)
    for election in range(len(profiles)):
        votes = dense_votes(profiles, election, 8, "one-hot").view(-1, 8, 8)
        m = int(profiles.num_candidates[election])
        x = votes.new_zeros(m, 15, 8)
        x[:, : len(votes)] = votes.permute(2, 0, 1)[:m]
        if ids == "integer":
            x = (x * torch.arange(1, 9)).sum(2, keepdim=True)
        assert same(rows.values[rows.owner == election], x.flatten(1) @ layer.layer.weight)


def test_an_empty_ballot_is_a_vector_of_zeros() -> None:
    profile = Profiles.from_ranks([[-1.0, -1.0]])
    assert VoteVectors(3, 4)(profile).values.tolist() == [[0, 0, 0]]


# ---------------------------------------------------------------------- the layers' equations


def test_gin_is_message_passing_on_the_complete_graph() -> None:
    gin = tiny("gin")
    assert isinstance(gin, GIN)
    gin.epsilon.data = torch.tensor([0.3, -0.2, 0.7]).double()
    profiles = elections()
    got = gin.embed(profiles)
    table, w = gin.encoding.layer.weight, gin.width
    for election in range(len(profiles)):
        x = dense_votes(profiles, election, 8, "one-hot")
        h, read = x, []
        for k, mlp in enumerate(gin.mlps):
            heard = torch.stack(
                [h[[u for u in range(len(h)) if u != v]].sum(0) for v in range(len(h))]
            )
            z = (1 + gin.epsilon[k]) * h + heard
            h = mlp(z @ table[:, :w] if k == 0 else z)
            read.append(h.mean(0))
        expected = torch.cat([*read, x.mean(0) @ table[:, w:]])
        assert same(got[election], expected)


def test_multihead_is_torch_attention() -> None:
    torch.manual_seed(1)
    ours, theirs = Multihead(3, 4).double(), nn.MultiheadAttention(12, 3, batch_first=True).double()
    parts = [ours.query, ours.key, ours.value]
    theirs.in_proj_weight.data = torch.cat([part.weight.data for part in parts])
    theirs.in_proj_bias.data = torch.cat([part.bias.data for part in parts])
    theirs.out_proj.load_state_dict(ours.out.state_dict())
    x, y = torch.randn(2, 5, 12).double(), torch.randn(2, 4, 12).double()
    expected = theirs(x, y, y)[0].flatten(0, 1)
    assert same(ours(Sets.of_equal_size(x), Sets.of_equal_size(y)), expected)


def test_gin_tells_all_multisets_of_ballots_apart() -> None:
    ballots = list(permutations(range(3)))
    multisets = [s for n in (1, 2, 3) for s in combinations_with_replacement(ballots, n)]
    profiles = Profiles.concat([Profiles.from_rankings(np.array(s)) for s in multisets])

    def nearest(epsilon: float) -> float:
        gin = tiny("gin", width=32, aggregations=1, epsilon=epsilon)
        assert isinstance(gin, GIN)
        return torch.pdist(gin.embed(profiles)).min().item()

    assert len(profiles) == 6 + 21 + 56
    assert nearest(1.0) > 1e-4
    # With ε = 0 only place counts remain, and the two majority cycles have the same.
    assert nearest(0.0) < 1e-12


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


# ---------------------------------------------------------------------- neutral by renumbering


def random_order(profiles: Profiles) -> Tensor:
    """Other numbers for the candidates of each election."""

    def nothing(profiles: Profiles) -> Tensor:
        return torch.zeros(len(profiles), profiles.ranks.shape[2])

    return neutral_order(profiles, nothing, torch.Generator().manual_seed(5))


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


# ---------------------------------------------------------------------- what is refused


def test_names_and_settings() -> None:
    spec = network("set-transformer:attention_heads=2,dimension=4,blocks=1")
    assert type(spec) is NETWORKS["set_transformer"]
    gin = network("gin:width=8,epsilon=0.5", size="small", heads=2, max_candidates=5)
    assert isinstance(gin, GIN)
    assert gin.width == 8
    assert gin.epsilon.tolist() == [0.5] * 5


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
