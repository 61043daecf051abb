"""What every rule owes its users, checked over all of them at once."""

from functools import partial

import numpy as np
import pytest
import torch

from elect.elections import Profiles
from elect.errors import ElectError
from elect.rules import RULES, rule, winners
from profiles import correlated_profile, random_profile, weak_profile

SPECS = {name: name for name in RULES} | {"scoring": "scoring:vector=7/4/2/1"}
# Approval reads two-level ballots only, so it has contracts of its own in test_rules.
ORDINAL = sorted(set(SPECS) - {"approval"})
CONDORCET = [
    "copeland",
    "llull",
    "maximin",
    "blacks",
    "beat_path",
    "ranked_pairs",
    "split_cycle",
    "slater",
    "kemeny",
    "baldwin",
    "strict_nanson",
    "weak_nanson",
    "dodgson",
    "young",
]
VOTERS, CANDIDATES = 9, 4


def elections(seed: int, count: int = 12) -> list[Profiles]:
    """Complete ballots, tied ones and correlated ones, all with four candidates."""
    rng = np.random.default_rng(seed)
    makers = [random_profile, weak_profile, correlated_profile, partial(weak_profile, ties=False)]
    voters = [VOTERS, VOTERS - 1, 3]
    return [makers[i % 4](rng, voters[i % 3], CANDIDATES) for i in range(count)]


def accepted(name: str, profiles: list[Profiles]) -> list[Profiles]:
    """Those that the rule does not refuse."""
    kept = []
    for profile in profiles:
        try:
            rule(SPECS[name])(profile)
        except ElectError:
            continue
        kept.append(profile)
    assert len(kept) >= 3
    return kept


@pytest.mark.parametrize("name", ORDINAL)
def test_anonymous(name: str) -> None:
    generator = torch.Generator().manual_seed(1)
    for profile in accepted(name, elections(1)):
        order = torch.randperm(profile.ranks.shape[1], generator=generator)
        shuffled = Profiles(
            profile.ranks[:, order], profile.weights[:, order], profile.num_candidates
        )
        assert torch.equal(rule(SPECS[name])(profile), rule(SPECS[name])(shuffled))


@pytest.mark.parametrize("name", ORDINAL)
def test_neutral(name: str) -> None:
    generator = torch.Generator().manual_seed(2)
    for profile in accepted(name, elections(2)):
        order = torch.randperm(CANDIDATES, generator=generator)
        renamed = Profiles(profile.ranks[:, :, order], profile.weights, profile.num_candidates)
        assert torch.equal(rule(SPECS[name])(profile)[:, order], rule(SPECS[name])(renamed))


@pytest.mark.parametrize("name", ORDINAL)
def test_weights_padding_and_batches_change_nothing(name: str) -> None:
    function = rule(SPECS[name])
    for profile in accepted(name, elections(3)):
        scores = function(profile)
        merged = profile.merged()
        assert torch.equal(function(merged), scores)
        doubled = Profiles(merged.ranks, merged.weights * 2, merged.num_candidates)
        twice = Profiles(
            torch.cat([profile.ranks] * 2, 1),
            torch.cat([profile.weights] * 2, 1),
            profile.num_candidates,
        )
        assert torch.equal(function(doubled), function(twice))
        if name != "scoring":
            wide = random_profile(np.random.default_rng(0), 14, 7)
            batch = Profiles.concat([wide, profile])
            padded = function(batch)[1]
            assert torch.equal(padded[:CANDIDATES], scores[0])
            assert torch.isneginf(padded[CANDIDATES:]).all()
            assert torch.equal(
                winners(function, batch)[1, :CANDIDATES], winners(function, profile)[0]
            )


@pytest.mark.parametrize("name", ORDINAL)
def test_unanimous_favourite_is_elected(name: str) -> None:
    rng = np.random.default_rng(4)
    for _ in range(5):
        rankings = np.argsort(rng.random((VOTERS, CANDIDATES)), -1)
        favourite = int(rng.integers(CANDIDATES))
        ranks = np.argsort(rankings, -1).astype(float)
        ranks[:, favourite] = -0.5
        profile = Profiles.from_utilities(-ranks)
        elected = winners(SPECS[name], profile)[0]
        assert elected[favourite]
        # Veto and approval of two do not tell a favourite from others whom nobody minds.
        if name not in ("anti_plurality", "k_approval"):
            assert int(elected.sum()) == 1


@pytest.mark.parametrize("name", CONDORCET)
def test_condorcet_winner_alone_is_elected(name: str) -> None:
    rng = np.random.default_rng(5)
    profiles = Profiles.concat([correlated_profile(rng, VOTERS, CANDIDATES) for _ in range(80)])
    beats_all = (profiles.margins > 0).sum(2) == CANDIDATES - 1
    decided = beats_all.any(1)
    assert int(decided.sum()) > 40
    assert torch.equal(winners(name, profiles)[decided], beats_all[decided])


@pytest.mark.parametrize("name", sorted(set(ORDINAL) - {"scoring"}))
def test_one_candidate_and_one_voter(name: str) -> None:
    assert winners(name, Profiles.from_rankings([[0]])).tolist() == [[True]]
    if name != "k_approval":
        single = winners(name, Profiles.from_rankings([[2, 0, 1]]))[0]
        assert single[2]


@pytest.mark.parametrize("name", ORDINAL)
def test_millions_of_voters_are_counted_exactly(name: str) -> None:
    million = Profiles.from_rankings(
        [[0, 1, 2, 3], [1, 2, 0, 3], [2, 0, 1, 3]], weights=[3_000_000, 2_000_001, 2_000_000]
    )
    scores = rule(SPECS[name])(million)
    assert torch.isfinite(scores).all()
    assert winners(SPECS[name], million).any()
