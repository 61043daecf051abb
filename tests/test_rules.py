"""Every rule against pref_voting, or against brute force where pref_voting has none."""

from collections.abc import Callable
from functools import partial
from itertools import permutations, product

import numpy as np
import pytest
import torch
from pref_voting import (
    c1_methods,
    combined_methods,
    iterative_methods,
    margin_based_methods,
    other_methods,
    scoring_methods,
)

from elect.elections import Profiles
from elect.errors import ElectError
from elect.rules import ALIASES, RULES, rule, winners
from profiles import (
    correlated_profile,
    for_pref_voting,
    mixed_batch,
    random_profile,
    weak_profile,
    winner_list,
)

PREF_VOTING: dict[str, Callable] = {
    "plurality": scoring_methods.plurality,
    "anti_plurality": scoring_methods.anti_plurality,
    "borda": scoring_methods.borda,
    "copeland": c1_methods.copeland,
    "llull": c1_methods.llull,
    "maximin": margin_based_methods.minimax,
    "blacks": combined_methods.blacks,
    "beat_path": margin_based_methods.beat_path,
    "ranked_pairs": partial(margin_based_methods.ranked_pairs, algorithm="from_stacks"),
    "split_cycle": margin_based_methods.split_cycle,
    "slater": c1_methods.slater,
    "kemeny": other_methods.kemeny_young,
    "instant_runoff": iterative_methods.instant_runoff,
    "coombs": iterative_methods.coombs,
    "baldwin": iterative_methods.baldwin,
    "strict_nanson": iterative_methods.strict_nanson,
    "weak_nanson": iterative_methods.weak_nanson,
    "bucklin": other_methods.bucklin,
    "dodgson": other_methods.dodgson,
}
# These enumerate permutations or start a solver, so they see fewer and smaller elections.
SLOW = {"ranked_pairs", "slater", "kemeny", "dodgson"}

WITH_TIES: dict[str, Callable] = {
    "borda": scoring_methods.borda_for_profile_with_ties,
    "instant_runoff": iterative_methods.instant_runoff,
    **{
        name: PREF_VOTING[name]
        for name in ("copeland", "llull", "maximin", "beat_path", "split_cycle", "slater", "kemeny")
    },
    "ranked_pairs": PREF_VOTING["ranked_pairs"],
}
TRUNCATED: dict[str, Callable] = {
    **WITH_TIES,
    "plurality": scoring_methods.plurality,
    "instant_runoff": iterative_methods.instant_runoff_for_truncated_linear_orders,
    "bucklin": other_methods.bucklin_for_truncated_linear_orders,
}


def sample(make: Callable, seed: int, count: int, most_candidates: int) -> Profiles:
    """Elections of 1 to 12 voters, so that ties of every kind are common, in one padded batch."""
    rng = np.random.default_rng(seed)
    return mixed_batch(
        [
            make(rng, int(rng.integers(1, 13)), int(rng.integers(1, most_candidates + 1)))
            for _ in range(count)
        ]
    )


def compare(name: str, theirs: Callable, profiles: Profiles, weak: bool = False) -> None:
    scores = RULES[name](profiles)
    decided = winners(name, profiles)
    for b in range(len(profiles)):
        expected = sorted(int(c) for c in theirs(for_pref_voting(profiles, b, weak)))
        assert winner_list(scores[b]) == expected, (name, profiles.ballots(b))
        assert decided[b].nonzero()[:, 0].tolist() == expected, (name, profiles.ballots(b))


@pytest.mark.parametrize("name", sorted(PREF_VOTING))
@pytest.mark.parametrize("make", [random_profile, correlated_profile])
def test_agrees_with_pref_voting(name: str, make: Callable) -> None:
    count, most = (150, 5) if name in SLOW else (1000, 6)
    compare(name, PREF_VOTING[name], sample(make, 1, count, most))


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(SLOW))
def test_agrees_with_pref_voting_at_length(name: str) -> None:
    compare(name, PREF_VOTING[name], sample(random_profile, 11, 2000, 4))


@pytest.mark.parametrize("name", sorted(WITH_TIES))
def test_agrees_with_pref_voting_on_tied_ballots(name: str) -> None:
    count, most = (100, 4) if name in SLOW else (500, 5)
    compare(name, WITH_TIES[name], sample(weak_profile, 2, count, most), weak=True)


@pytest.mark.parametrize("name", sorted(TRUNCATED))
def test_agrees_with_pref_voting_on_truncated_ballots(name: str) -> None:
    count, most = (100, 4) if name in SLOW else (500, 5)
    profiles = sample(partial(weak_profile, ties=False), 3, count, most)
    compare(name, TRUNCATED[name], profiles, weak=True)


def test_k_approval_and_scoring_agree_with_pref_voting() -> None:
    profiles = sample(random_profile, 4, 300, 6)
    for k in (1, 2, 3):
        theirs = scoring_methods.create_scoring_method(lambda m, r, k=k: r <= k, f"{k}-approval")
        ours = rule(f"k_approval:k={k}")(profiles)
        vector = rule_of_vector(lambda m, k=k: [1.0] * min(k, m) + [0.0] * max(0, m - k))(profiles)
        for b in range(len(profiles)):
            assert winner_list(ours[b]) == theirs(for_pref_voting(profiles, b))
        assert torch.equal(ours, vector)


def rule_of_vector(vector: Callable[[int], list[float]]) -> Callable[[Profiles], torch.Tensor]:
    return partial(RULES["scoring"], vector=vector)


def test_scoring_reproduces_borda_and_keeps_paper_ties() -> None:
    profiles = sample(random_profile, 5, 200, 6)
    borda = rule_of_vector(lambda m: list(range(m - 1, -1, -1)))(profiles)
    assert torch.equal(borda, RULES["borda"](profiles))
    # 0.1 + 0.2 and 0.3 differ in floats; three voters give both candidates the same sum on paper.
    tie = Profiles.from_rankings([[0, 1, 2], [1, 0, 2], [2, 0, 1]], weights=[1, 1, 1])
    assert winner_list(RULES["scoring"](tie, vector=[0.3, 0.1, 0.0])[0]) == [0]


# ---------------------------------------------------------------------- brute force


def best_headed(weights: np.ndarray) -> np.ndarray:
    """Σ w over pairs in order, of the best permutation headed by each candidate."""
    heads = np.full(len(weights), -np.inf)
    for order in permutations(range(len(weights))):
        heads[order[0]] = max(heads[order[0]], np.triu(weights[np.ix_(order, order)], 1).sum())
    return heads


@pytest.mark.parametrize("make", [random_profile, weak_profile])
def test_kemeny_and_slater_scores_by_enumeration(make: Callable) -> None:
    profiles = sample(make, 6, 60, 5)
    kemeny, slater = RULES["kemeny"](profiles), RULES["slater"](profiles)
    for b in range(len(profiles)):
        m = int(profiles.num_candidates[b])
        support = profiles.support[b, :m, :m].numpy()
        assert kemeny[b, :m].tolist() == best_headed(support).tolist()
        majority = (support > support.T).astype(float)
        assert slater[b, :m].tolist() == best_headed(majority).tolist()


def brute_dodgson(profile: Profiles, candidate: int) -> int:
    """The cheapest of all ways to move the candidate up on each ballot."""
    ranks = profile.ranks[0].tolist()
    best = 10**9
    for rises in product(*(range(row[candidate] + 1) for row in ranks)):
        beats = all(
            2 * sum(row[candidate] - rise <= row[y] for row, rise in zip(ranks, rises, strict=True))
            > len(ranks)
            for y in range(len(ranks[0]))
            if y != candidate
        )
        if beats:
            best = min(best, sum(rises))
    return best


def test_dodgson_by_enumeration() -> None:
    rng = np.random.default_rng(7)
    for _ in range(40):
        profile = random_profile(rng, int(rng.integers(1, 6)), int(rng.integers(1, 5)))
        expected = [-brute_dodgson(profile, c) for c in range(int(profile.num_candidates[0]))]
        assert RULES["dodgson"](profile)[0].tolist() == expected


def brute_young(profile: Profiles, candidate: int) -> int:
    ranks = profile.ranks[0].numpy().astype(int)
    best = 0
    for kept in product([False, True], repeat=len(ranks)):
        rows = ranks[list(kept)]
        balance = np.sign(rows - rows[:, [candidate]]).sum(0)
        if (balance >= 0).all():
            best = max(best, sum(kept))
    return best


@pytest.mark.parametrize("make", [random_profile, weak_profile])
def test_young_by_enumeration(make: Callable) -> None:
    rng = np.random.default_rng(8)
    for _ in range(40):
        profile = make(rng, int(rng.integers(1, 8)), int(rng.integers(1, 5)))
        expected = [brute_young(profile, c) for c in range(int(profile.num_candidates[0]))]
        assert RULES["young"](profile)[0].tolist() == expected


@pytest.mark.parametrize("name", ["dodgson", "young", "slater", "kemeny"])
def test_winners_alone_agree_with_scores(name: str) -> None:
    profiles = sample(random_profile, 9, 60, 6)
    scores = RULES[name](profiles)
    assert torch.equal(winners(name, profiles), scores == scores.amax(1, keepdim=True))


def test_approval_counts_the_upper_level() -> None:
    profile = Profiles.from_rankings([[[0, 1], [2, 3]], [[3]], [[0, 1, 2, 3]]], weights=[5, 4, 3])
    assert RULES["approval"](profile)[0].tolist() == [8, 8, 3, 7]
    with pytest.raises(ElectError, match="two levels"):
        RULES["approval"](Profiles.from_rankings([[0, 1, 2]]))


# ---------------------------------------------------------------------- names and refusals


@pytest.mark.parametrize("name", ["anti_plurality", "scoring:vector=1/0/0", "coombs", "dodgson"])
def test_rules_that_need_complete_ballots_refuse_others(name: str) -> None:
    for rankings in ([[0], [1, 0, 2]], [[[0, 1], 2], [2, 1, 0]]):
        profile = Profiles.from_rankings(rankings, num_candidates=3)
        with pytest.raises(ElectError, match="needs"):
            rule(name)(profile)


@pytest.mark.parametrize("name", ["plurality", "k_approval", "bucklin"])
def test_rules_that_need_untied_ballots_take_truncated_ones(name: str) -> None:
    RULES[name](Profiles.from_rankings([[0], [1, 0, 2]]))
    with pytest.raises(ElectError, match="tie"):
        RULES[name](Profiles.from_rankings([[[0, 1], 2], [2, 1, 0]]))


def test_names_are_found_whatever_way_they_are_written() -> None:
    assert rule("Instant-Runoff").score is RULES["instant_runoff"].score
    free = {alias: name for alias, name in ALIASES.items() if not RULES[name].needs}
    assert all(rule(alias).name == name for alias, name in free.items())
    with pytest.raises(ElectError, match="did you mean 'borda'"):
        rule("bordo")
    with pytest.raises(ElectError, match="no setting 'ties'; its settings are tie"):
        rule("copeland:ties=1")
    with pytest.raises(ElectError, match="needs vector"):
        rule("scoring")
    with pytest.raises(ElectError, match="does not fit 3 candidates"):
        rule("scoring:vector=1/0")(Profiles.from_rankings([[0, 1, 2]]))


def test_copeland_counts_a_tie_as_asked() -> None:
    profile = Profiles.from_rankings([[0, 1, 2], [1, 0, 2]])
    assert rule("copeland")(profile)[0].tolist() == [1.5, 1.5, 0]
    assert rule("copeland:tie=0")(profile)[0].tolist() == [1, 1, 0]
