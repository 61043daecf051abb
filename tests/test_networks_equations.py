"""The paper's networks against the dense products and the equations that they must equal."""

from itertools import combinations_with_replacement, permutations

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from elect.elections import Profiles
from elect.networks import GIN
from elect.networks.encoding import Retiled, VoteVectors
from elect.networks.mlp import MLP
from elect.networks.set_transformer import Multihead
from elect.networks.sets import Sets
from tiny_networks import elections, same, strict, tiny

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
