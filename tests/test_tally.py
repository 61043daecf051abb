"""Our network owes what a rule owes: blindness to voters and candidates, whatever its weights."""

from itertools import combinations, permutations

import numpy as np
import pytest
import torch

from elect import rules
from elect.cultures import Impartial
from elect.elections import Profiles
from elect.errors import ElectError
from elect.networks.tally import Tally, TallyNetwork, _View
from profiles import random_profile, weak_profile

SETTINGS = [{}, {"pair_blocks": 2}, {"joint": 3}, {"depths": 3}, {"heads": 3, "width": 16}]


@pytest.fixture(params=SETTINGS, ids=str)
def network(request: pytest.FixtureRequest) -> TallyNetwork:
    torch.manual_seed(0)
    return TallyNetwork(**request.param).double()


def elections(seed: int) -> Profiles:
    return Impartial()(12, (1, 30), (1, 9), seed=seed).profiles


def test_padding_and_batches_change_nothing(network: TallyNetwork) -> None:
    batch = elections(1)
    together = network(batch)
    for b in range(len(batch)):
        m = int(batch.num_candidates[b])
        alone = network(batch[b])
        assert torch.allclose(alone[..., :m], together[b : b + 1, ..., :m], atol=1e-9)
        assert torch.isneginf(together[b, ..., m:]).all()
        assert torch.isfinite(alone[..., :m]).all()


def test_neutral_and_anonymous(network: TallyNetwork) -> None:
    generator = torch.Generator().manual_seed(2)
    rng = np.random.default_rng(2)
    for make in (random_profile, weak_profile):
        profile = make(rng, 11, 6)
        order = torch.randperm(6, generator=generator)
        voters = torch.randperm(11, generator=generator)
        renamed = Profiles(
            profile.ranks[:, voters][:, :, order], profile.weights, profile.num_candidates
        )
        assert torch.allclose(network(profile)[..., order], network(renamed), atol=1e-9)


def test_ballots_may_be_counted_in_pieces(network: TallyNetwork) -> None:
    rng = np.random.default_rng(3)
    precincts = [random_profile(rng, n, 5) for n in (4, 9, 30)]
    total = sum((network.tally(one) for one in precincts[1:]), network.tally(precincts[0]))
    joint = Profiles.from_ranks(torch.cat([one.ranks for one in precincts], 1))
    assert torch.equal(total.support, joint.support)
    assert torch.allclose(network.decide(total), network(joint), atol=1e-9)


def test_a_nation_costs_no_more_than_a_village(network: TallyNetwork) -> None:
    ballots = np.array([[0, 1, 2], [2, 1, 0], [1, 0, 2]])
    nation = Profiles.from_rankings(ballots, weights=[30_000_000, 20_000_000, 11_000_001])
    assert nation.ranks.shape[1] == 3
    assert torch.isfinite(network(nation)).all()


def test_gradients_reach_every_weight_and_stay_finite(network: TallyNetwork) -> None:
    logits = network(elections(4))
    logits[torch.isfinite(logits)].sum().backward()
    assert all(
        parameter.grad is not None and torch.isfinite(parameter.grad).all()
        for parameter in network.parameters()
    )


def test_tallies_of_one_batch_can_be_taken_apart() -> None:
    batch = elections(5)
    tally = TallyNetwork().tally(batch)
    part = tally[torch.tensor([3, 5])]
    assert isinstance(part, Tally)
    assert part.support.shape[1] == int(batch.num_candidates[[3, 5]].max())


def test_learned_functions_of_two_places_follow_from_the_counts() -> None:
    torch.manual_seed(1)
    network = TallyNetwork(joint=3).double()
    rng = np.random.default_rng(6)
    for profile in (random_profile(rng, 11, 6), weak_profile(rng, 11, 6), elections(6)):
        assert torch.allclose(network.decide(network.tally(profile)), network(profile), atol=1e-9)
    with pytest.raises(ElectError, match="pairs of places"):
        network.decide(TallyNetwork().tally(elections(6)))


def test_depths_show_where_bucklin_stops_and_who_is_ahead_there() -> None:
    batch = elections(7)
    seen = _View(TallyNetwork().tally(batch), torch.float64).depth_features()
    *_, behind, someone, before = seen.unbind(-1)
    won = rules.winners("bucklin", batch)
    for b, m in enumerate(batch.num_candidates.tolist()):
        # The first depth with a majority, and at it whoever nobody is ahead of.
        (depth,) = ((someone[b, 0] > 0) & (before[b, 0] <= 0)).nonzero().flatten().tolist()
        assert torch.equal(behind[b, :m, depth] == 0, won[b, :m])


def test_pairs_of_places_determine_the_rounds_of_four_candidates_but_not_of_five() -> None:
    """Who likes c best among those left is a sum over pairs of places, or it is not: docs."""

    def error(m: int, left: int) -> float:
        ranks = np.array(list(permutations(range(m))))
        seen = [
            (ranks[:, a] == i) & (ranks[:, b] == j)
            for a, b in combinations(range(m), 2)
            for i, j in permutations(range(m), 2)
        ]
        counts = np.array(seen, float).T
        best = (ranks[:, 0] == ranks[:, :left].min(1)).astype(float)
        fitted = counts @ np.linalg.lstsq(counts, best, rcond=None)[0]
        return float(np.abs(fitted - best).max())

    assert max(error(4, left) for left in (2, 3, 4)) < 1e-9
    assert error(5, 3) > 0.1
