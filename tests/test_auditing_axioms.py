"""Every axiom, election by election, against pref_voting's checkers and against brute force."""

import re
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pref_voting.dominance_axioms as dominance
import pytest
from pref_voting.monotonicity_axioms import has_monotonicity_violation
from pref_voting.other_axioms import has_reversal_symmetry_violation
from pref_voting.profiles import Profile
from pref_voting.strategic_axioms import has_strategy_proofness_violation
from pref_voting.variable_candidate_axioms import (
    has_independence_of_clones_violation,
    is_convex_set,
    tideman_clone_sets,
)
from pref_voting.variable_voter_axioms import (
    has_participation_violation,
    has_reinforcement_violation,
)
from pref_voting.voting_method import VotingMethod

import elect
from elect.auditing import AXIOMS
from elect.auditing.axiom import check
from elect.auditing.manipulation import STRATEGY
from elect.auditing.subject import winners_of
from elect.cultures import Impartial, Urn
from elect.elections import Profiles
from elect.rules import winners
from profiles import for_pref_voting

RULES = ["anti_plurality", "borda", "copeland", "instant_runoff", "coombs"]
MANY = 10_000


def sample(elections=40, voters=(2, 7), candidates=(2, 4), seed=5, culture=None):
    return (culture or Impartial())(elections, voters, candidates, seed=seed).profiles


def method(rule):
    """One of our rules as a pref_voting method."""

    def elect(edata, curr_cands=None):
        standing = sorted(curr_cands if curr_cands is not None else edata.candidates)
        place = {c: i for i, c in enumerate(standing)}
        rankings, counts = edata.rankings_counts
        rows = [[place[c] for c in ranking if c in place] for ranking in np.asarray(rankings)]
        won = winners(rule, Profiles.from_rankings(rows, list(counts)))[0]
        return [c for c, wins in zip(standing, won.tolist(), strict=True) if wins]

    return VotingMethod(elect, name=rule, skip_registration=True)


def verdict(axiom, rule, profiles, most=MANY):
    ask = winners_of(rule)
    rng = np.random.default_rng(0)
    return check(axiom, ask, profiles, ask(profiles).numpy(), most, rng)


def weakly(checker):
    return lambda profile, vm: checker(profile, vm, set_preference="weak-dominance")


CHECKERS = {
    "unanimity": dominance.has_pareto_dominance_violation,
    "condorcet_winner": dominance.has_condorcet_winner_violation,
    "condorcet_loser": dominance.has_condorcet_loser_violation,
    "monotonicity": has_monotonicity_violation,
    "participation": weakly(has_participation_violation),
    "reversal_symmetry": has_reversal_symmetry_violation,
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("axiom", CHECKERS)
def test_violations_are_those_of_pref_voting(axiom, rule):
    profiles = Profiles.concat([sample(25), sample(10, culture=Urn(1.0), voters=(3, 9), seed=6)])
    broken = verdict(AXIOMS[axiom], rule, profiles).broken
    vm = method(rule)
    expected = [CHECKERS[axiom](for_pref_voting(profiles, b), vm) for b in range(len(profiles))]
    assert broken.tolist() == expected


@pytest.mark.parametrize("rule", ["plurality", "maximin", "instant_runoff"])
def test_reinforcement_violations_are_those_of_pref_voting(rule):
    profiles = sample(elections=15, voters=(2, 6), candidates=3)
    broken = verdict(AXIOMS["reinforcement"], rule, profiles, most=300).broken
    vm = method(rule)
    expected = [
        has_reinforcement_violation(for_pref_voting(profiles, b), vm) for b in range(len(profiles))
    ]
    assert broken.tolist() == expected
    assert not any(expected) or rule != "plurality"


@pytest.mark.parametrize("rule", ["borda", "instant_runoff"])
def test_clones_stand_together_and_are_judged_as_by_definition(rule):
    """Not by pref_voting's own list of clone sets, in which the last place of the first ballot is
    missing."""
    profiles = sample(elections=25, voters=(2, 7), candidates=(3, 5))
    found = verdict(AXIOMS["independence_of_clones"], rule, profiles, most=3)
    vm, breaking = method(rule), set(found.breaking.tolist())
    whole, fewer = found.trials.parts
    assert len(found.trials) == 75
    for trial in range(len(found.trials)):
        profile = for_pref_voting(whole, trial)
        clones = set(np.flatnonzero(found.trials.facts["clones"][trial]).tolist())
        out = int(found.trials.facts["out"][trial])
        assert 2 <= len(clones) < profile.num_cands
        assert all(is_convex_set(clones, ranking) for ranking in profile.rankings)
        assert out in clones
        rest = [c for c in profile.candidates if c != out]
        shorter = [[rest.index(c) for c in ranking if c != out] for ranking in profile.rankings]
        assert [[tier[0] for tier in tiers] for _, tiers in fewer.ballots(trial)] == shorter
        before, after = set(vm(profile)), set(vm(profile, curr_cands=rest))
        others = before - clones != after - clones
        assert (others or bool(before & clones) != bool(after & clones)) == (trial in breaking)
        if trial in breaking and clones in map(set, tideman_clone_sets(profile)):
            assert has_independence_of_clones_violation(profile, vm)


@pytest.mark.parametrize("rule", ["borda", "instant_runoff", "maximin"])
def test_manipulation_is_that_of_pref_voting(rule):
    profiles = sample(elections=25, voters=(2, 6), candidates=3)
    broken = verdict(STRATEGY, rule, profiles).broken
    vm = method(rule)
    expected = [
        weakly(has_strategy_proofness_violation)(for_pref_voting(profiles, b), vm)
        for b in range(len(profiles))
    ]
    assert broken.tolist() == expected


@pytest.mark.parametrize("rule", ["plurality", "borda", "bucklin"])
def test_majority(rule):
    profiles = sample(elections=200, voters=(1, 9))
    found = verdict(AXIOMS["majority"], rule, profiles)
    for b in range(len(profiles)):
        profile = for_pref_voting(profiles, b)
        firsts = profile.plurality_scores()
        top = [c for c, count in firsts.items() if 2 * count > profile.num_voters]
        assert found.applies[b] == bool(top)
        assert found.broken[b] == (bool(top) and method(rule)(profile) != top)


def test_trials_of_monotonicity_are_all_lifts_of_winners():
    """Brute force on one election: every ballot, every winner, every place above."""
    profile = Profiles.from_rankings([[0, 1, 2, 3], [3, 2, 1, 0], [0, 1, 2, 3]])
    trials = verdict(AXIOMS["monotonicity"], "borda", profile).trials
    won = winners("borda", profile)[0].nonzero()[:, 0].tolist()
    expected = set()
    for ballot in ([0, 1, 2, 3], [3, 2, 1, 0]):
        rest = [[0, 1, 2, 3], [3, 2, 1, 0], [0, 1, 2, 3]]
        rest.remove(ballot)
        for c in won:
            for place in range(ballot.index(c)):
                lifted = [d for d in ballot if d != c]
                lifted.insert(place, c)
                expected.add(tuple(sorted(map(tuple, [*rest, lifted]))))
    seen = {
        tuple(sorted(tuple(t[0] for t in tiers) for _, tiers in trials.parts[0].ballots(i)))
        for i in range(len(trials))
    }
    assert seen == expected
    assert len(trials) == len(expected)


def test_a_lift_on_a_weak_ballot_moves_one_candidate_only():
    profile = Profiles.from_rankings([[0, [1, 2], 3], [3], [2, 1]])
    trials = verdict(AXIOMS["monotonicity"], "copeland", profile).trials
    before = profile.ballots()
    for i in range(len(trials)):
        c, voter = (int(trials.facts[name][i]) for name in ("winner", "voter"))
        after = trials.parts[0].ballots(i)
        assert [one for v, one in enumerate(after) if v != voter] == [
            one for v, one in enumerate(before) if v != voter
        ]
        old, new = (places(ballots[voter][1], 4) for ballots in (before, after))
        others = [d for d in range(4) if d != c]
        for d, e in combinations(others, 2):
            assert (old[d] < old[e], old[d] == old[e]) == (new[d] < new[e], new[d] == new[e])
        # Nobody passes the winner, and the winner passes somebody or leaves a tie.
        assert all(new[c] < new[d] for d in others if old[c] < old[d])
        assert any(new[c] < new[d] and old[c] >= old[d] for d in others)


def places(tiers, size):
    place = {c: k for k, tier in enumerate(tiers) for c in tier}
    return [place.get(c, size) for c in range(size)]


def test_neutrality_and_anonymity_see_what_breaks_them():
    def first_candidate(profiles):
        scores = winners("borda", profiles).double()
        scores[:, 0] += 0.5 * scores[:, 0]
        return scores

    def first_ballot(profiles):
        return -profiles.ranks[:, 0].double()

    profiles = sample(elections=300)
    assert verdict(AXIOMS["neutrality"], first_candidate, profiles, most=3).broken.any()
    assert not verdict(AXIOMS["anonymity"], first_candidate, profiles, most=3).broken.any()
    assert verdict(AXIOMS["anonymity"], first_ballot, profiles, most=3).broken.any()
    assert not verdict(AXIOMS["neutrality"], first_ballot, profiles, most=3).broken.any()


def test_renaming_moves_candidates_as_it_says():
    profiles = sample(elections=20, candidates=(2, 4))
    trials = verdict(AXIOMS["neutrality"], "borda", profiles, most=4).trials
    for i, b in enumerate(trials.origin.tolist()):
        places_ = trials.facts["places"][i]
        m = int(profiles.num_candidates[b])
        assert sorted(places_[:m].tolist()) == list(range(m))
        for (_, old), (_, new) in zip(profiles.ballots(b), trials.parts[0].ballots(i), strict=True):
            assert [[int(places_[c]) for c in tier] for tier in old] == new


def test_reinforcement_divides_everyone():
    profiles = sample(elections=20, voters=(2, 7))
    trials = verdict(AXIOMS["reinforcement"], "borda", profiles, most=5).trials
    for i, b in enumerate(trials.origin.tolist()):
        parts = [ballot for part in trials.parts for _, ballot in part.ballots(i)]
        assert sorted(parts) == sorted(ballot for _, ballot in profiles.ballots(b))
        assert all(len(part.ballots(i)) for part in trials.parts)


def test_reversed_ballots():
    profile = Profiles.from_rankings([[0, 1, 2], [2, [0, 1]], [1]], num_candidates=3)
    vary = AXIOMS["reversal_symmetry"].vary
    won = np.array([[True, False, False]])
    turned = vary(profile, won, 1, np.random.default_rng(0)).parts[0]
    assert [tiers for _, tiers in turned.ballots()] == [
        [[2], [1], [0]],
        [[0, 1], [2]],
        [[0, 2], [1]],
    ]


def test_all_permutations_are_tried_as_misreports():
    from elect.auditing.manipulation import misreports

    tried = misreports(np.array([[0, 1, 2, 3]], np.int16), 4, every=5)[0]
    assert sorted(map(tuple, tried.tolist())) == sorted(permutations(range(4)))


def test_one_candidate_or_one_voter_breaks_nothing():
    alone = Profiles.from_rankings([[0], [0]])
    single = Profiles.from_rankings([[0, 1, 2]])
    for axiom in AXIOMS.values():
        for profile in (alone, single):
            assert not verdict(axiom, "borda", profile).broken.any(), axiom.name


def test_profile_of_pref_voting_is_what_we_mean():
    profile = for_pref_voting(Profiles.from_rankings([[0, 1, 2], [2, 1, 0]], weights=[2, 1]))
    assert isinstance(profile, Profile)
    assert method("plurality")(profile) == [0]


def test_the_axiom_of_the_guide_for_contributors(monkeypatch):
    text = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text("utf-8")
    [code] = [one for one in re.findall(r"```python\n(.+?)```", text, re.S) if "Axiom(" in one]
    made = {}
    exec(compile(code, "CONTRIBUTING.md", "exec"), made)
    monkeypatch.setitem(AXIOMS, "majority_loser", made["MAJORITY_LOSER"])
    found = {
        rule: elect.audit(rule, elections=300, axioms="majority-loser").axioms["majority_loser"]
        for rule in ("plurality", "borda")
    }
    assert "is the last choice of a majority, but" in found["plurality"].counterexample.sentence
    assert not found["borda"].broken
