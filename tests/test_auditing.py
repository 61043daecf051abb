"""The audit as a whole: theory, planted defects, counterexamples that replay, what is written."""

import json

import numpy as np
import pytest
import torch
from pref_voting import voting_methods

import elect
from elect.auditing import AXIOMS, audit
from elect.auditing.effort import plan
from elect.auditing.shrink import lines
from elect.auditing.sources import Blocs
from elect.elections import Profiles
from elect.errors import ElectError
from elect.rules import winners
from profiles import for_pref_voting

ALWAYS = {"anonymity", "neutrality"}
CONDORCET = {*ALWAYS, "unanimity", "majority", "condorcet_winner", "monotonicity"}
POSITIONAL = {*ALWAYS, "monotonicity", "participation", "reinforcement"}

# What theory guarantees, and what it rules out; of the rest nothing is said here.
THEORY = {
    "plurality": (
        {*POSITIONAL, "unanimity", "majority"},
        {"condorcet_winner", "condorcet_loser", "reversal_symmetry", "independence_of_clones"},
    ),
    "borda": (
        {*POSITIONAL, "unanimity", "condorcet_loser", "reversal_symmetry"},
        {"majority", "condorcet_winner", "independence_of_clones"},
    ),
    "anti_plurality": (
        POSITIONAL,
        {"unanimity", "majority", "condorcet_winner", "condorcet_loser", "reversal_symmetry"},
    ),
    "copeland": (
        {*CONDORCET, "condorcet_loser", "reversal_symmetry"},
        {"participation", "reinforcement", "independence_of_clones"},
    ),
    "maximin": (
        CONDORCET,
        {"condorcet_loser", "reversal_symmetry", "reinforcement", "independence_of_clones"},
    ),
    "beat_path": (
        {*CONDORCET, "condorcet_loser", "reversal_symmetry", "independence_of_clones"},
        {"reinforcement"},
    ),
    "split_cycle": (
        {*CONDORCET, "condorcet_loser", "reversal_symmetry", "independence_of_clones"},
        {"reinforcement"},
    ),
    "kemeny": (
        {*CONDORCET, "condorcet_loser", "reversal_symmetry"},
        {"participation", "reinforcement", "independence_of_clones"},
    ),
    "instant_runoff": (
        {*ALWAYS, "unanimity", "majority"},
        {"condorcet_winner", "monotonicity", "participation", "reinforcement"},
    ),
    "coombs": ({*ALWAYS, "unanimity"}, {"condorcet_winner", "monotonicity", "participation"}),
}

# The same rules in pref_voting.
THEIRS = {
    "plurality": "plurality",
    "borda": "borda",
    "copeland": "copeland",
    "maximin": "minimax",
    "instant_runoff": "instant_runoff",
    "kemeny": "kemeny_young",
}


def brief(rule, elections=1000, **options):
    return audit(rule, elections=elections, seconds=1, trials=64, axioms_only=True, **options)


@pytest.mark.parametrize("rule", THEORY)
def test_theory(rule):
    found = brief(rule, elections=2500).axioms
    holds, fails = THEORY[rule]
    assert set(found) == set(AXIOMS)
    assert not {name for name in holds if found[name].broken}
    assert not {name for name in fails if found[name].counterexample is None}


@pytest.mark.parametrize("rule", THEIRS)
def test_counterexamples_replay_in_pref_voting(rule):
    method = getattr(voting_methods, THEIRS[rule])
    for finding in brief(rule, elections=300).axioms.values():
        if found := finding.counterexample:
            for label, election in found.elections.items():
                names = election.labels
                theirs = [names[c] for c in method(for_pref_voting(election))]
                assert theirs == found.winners[label], (finding.name, lines(election))


# ---------------------------------------------------------------------- planted defects


def base(profiles):
    return winners("copeland", profiles).double()


def dictator(profiles):
    return -profiles.ranks[:, 0].double()


def early_voters_count_more(profiles):
    """Points fall slowly from one ballot to the next, so only close elections are decided so."""
    patience = 1 - 0.001 * torch.arange(profiles.weights.shape[1])
    points = (profiles.num_candidates[:, None, None] - 1 - profiles.ranks).clamp(min=0)
    return (points * (profiles.weights * patience)[:, :, None]).sum(1)


def alphabetical(profiles):
    """Ties go to whom comes first."""
    return base(profiles) - 0.01 * torch.arange(profiles.ranks.shape[2])


def punishes_firsts(profiles):
    """Copeland, unless a winner has exactly three first places."""
    firsts = profiles.places[:, :, 0]
    return base(profiles) * torch.where(firsts == 3, -1, 1) * profiles.mask


def loser_of_five(profiles):
    """Copeland, except that five voters elect whom they like least."""
    scores = elect.rule("copeland")(profiles)
    turned = torch.where(profiles.num_voters[:, None] == 5, -scores, scores)
    return turned.masked_fill(~profiles.mask, -torch.inf)


def ignores_weights(profiles):
    return (profiles.ranks == 0).sum(1).double()


def everyone(profiles):
    return profiles.mask.double()


DEFECTS = {
    dictator: {"anonymity", "majority", "condorcet_winner"},
    early_voters_count_more: {"anonymity"},
    alphabetical: {"neutrality"},
    punishes_firsts: {"monotonicity", "condorcet_winner"},
    loser_of_five: {"condorcet_winner", "condorcet_loser", "unanimity"},
    ignores_weights: {"anonymity"},
    everyone: {"unanimity", "majority", "condorcet_winner", "condorcet_loser"},
}


@pytest.mark.parametrize("rule", DEFECTS, ids=lambda rule: rule.__name__)
def test_planted_defects_are_found_and_true_once_read_from_files(rule, tmp_path):
    found = brief(rule)
    assert not DEFECTS[rule] - set(found.counterexamples)
    for name in {"anonymity", "neutrality"} - DEFECTS[rule]:
        assert not found.axioms[name].broken
    paths = found.write(tmp_path)
    for name, example in found.counterexamples.items():
        # What else a search finds depends on the speed of the machine, and may not repeat.
        if name in DEFECTS[rule]:
            assert example.repeats != (rule is ignores_weights and name == "anonymity")
        if example.repeats:
            for label, path in paths[name].items():
                profile = elect.read(path)
                scores = rule(profile)[0]
                elected = (scores == scores.max()).nonzero()[:, 0].tolist()
                assert [profile.names[c] for c in elected] == example.winners[label]


def test_the_smallest_are_found():
    """The least there can be: with two voters Borda never fails the Condorcet winner, and with two
    candidates nobody does."""
    found = brief("borda").axioms
    assert (found["condorcet_winner"].counterexample.voters) == 3
    assert (found["condorcet_winner"].counterexample.candidates) == 3
    assert lines(found["majority"].counterexample.elections["election"])[0].startswith("2: ")
    found = brief(alphabetical).axioms["neutrality"].counterexample
    assert (found.voters, found.candidates) == (2, 2)


# ---------------------------------------------------------------------- figures


def test_shares_are_those_of_a_count_by_hand():
    found = brief("plurality", elections=400, seed=3).axioms
    again = brief("plurality", elections=400, seed=3).axioms
    other = brief("plurality", elections=400, seed=4).axioms
    winner = found["condorcet_winner"]
    assert winner.holds.elections == round(winner.applies.value * 400)
    assert winner.holds.low < winner.holds.value < winner.holds.high
    assert winner.holds == again["condorcet_winner"].holds
    assert winner.holds != other["condorcet_winner"].holds


def test_sub_elections_of_real_ballots(tmp_path):
    profile = elect.culture("mallows:phi=0.8")(1, 60, 4, seed=1).profiles
    path = elect.write(profile, tmp_path / "real.soc")
    for data in (path, profile):
        found = brief("borda", elections=200, data=data)
        assert found.voters == (2, 20)
        assert found.candidates == (3, 4)
        assert found.source == (str(path) if data is path else "a real election")
    with pytest.raises(ElectError, match="9 candidates cannot be drawn"):
        brief("borda", data=path, candidates=9)


def test_truncated_and_tied_ballots():
    ballots = [[0, 1], [1, [0, 2]], [2], [2, 1, 0, 3], [3, 0]]
    profile = Profiles.from_rankings(ballots, weights=[9, 8, 7, 6, 5])
    found = brief("copeland", elections=300, data=profile).axioms
    assert not any(
        found[name].broken for name in ("anonymity", "neutrality", "monotonicity", "majority")
    )
    # Turned upside down, some ballots tie at the top, which plurality refuses.
    ballots = [[0, 1], [1, 0], [2], [2, 1, 0, 3], [3, 0]]
    profile = Profiles.from_rankings(ballots, weights=[9, 8, 7, 6, 5])
    found = brief("plurality", elections=300, data=profile).axioms
    assert "refuses the changed ballots" in found["reversal_symmetry"].note
    assert found["reversal_symmetry"].holds is None
    assert not found["monotonicity"].broken


def test_slow_rules_are_tried_less():
    axioms = AXIOMS.values()
    quick = plan(axioms, 1e6, 10_000, 11.0, 4.0, 100)
    slow = plan(axioms, 1000.0, 10_000, 11.0, 4.0, 100)
    assert (quick.trials, slow.trials) == (64, 1)
    assert quick.searched > slow.searched
    assert quick.manipulated > slow.manipulated


def test_blocs_are_elections_of_the_sizes_asked_for():
    profiles = Blocs()(300, (2, 20), (3, 5), seed=0).profiles
    assert set(profiles.num_candidates.tolist()) == {3, 4, 5}
    assert bool(profiles._description[0].any()) is False
    for b in range(50):
        n, m = int(profiles.num_voters[b]), int(profiles.num_candidates[b])
        ballots = profiles.ballots(b)
        assert len(ballots) == n
        assert all(sorted(t[0] for t in tiers) == list(range(m)) for _, tiers in ballots)
        assert len({str(tiers) for _, tiers in ballots}) <= 6
    ranks, weights, _ = profiles.arrays
    assert (ranks[~np.broadcast_to((weights > 0)[:, None], ranks.shape)] == 32767).all()


def test_bad_input_is_one_sentence():
    for options, message in [
        ({"axioms": ["condorcet"]}, "no axiom named 'condorcet'"),
        ({"elections": 0}, "at least 1 election"),
        ({"voters": (5, 3)}, "upwards"),
        ({"candidates": 1}, "at least 2"),
        ({"culture": "nowhere"}, "no culture named"),
    ]:
        with pytest.raises(ElectError, match=message):
            audit("borda", **options)
    with pytest.raises(ElectError, match="one score per election and candidate"):
        audit(lambda profiles: torch.zeros(3))

    def broken(profiles):
        raise RuntimeError("oh")

    with pytest.raises(ElectError, match=r"broken failed .* RuntimeError: oh"):
        audit(broken)


# ---------------------------------------------------------------------- beyond


def test_everything_at_once(tmp_path):
    found = audit("plurality", elections=400, seconds=2, candidates=(3, 4))
    assert found.worst_case.found > found.worst_case.quantiles[0.5].value
    assert found.nearest_rule.vector_name == "plurality"
    assert found.nearest_rule.vector_agreement.value == 1
    assert found.imitation is None
    assert found.published.ideal == (0.0680, 0.0631)
    assert "manipulation" in found.counterexamples
    paths = found.write(tmp_path / "deep" / "audit")
    content = json.loads((tmp_path / "deep" / "audit" / "audit.json").read_text())
    assert content == found.to_json()
    assert set(content["axioms"]) == set(AXIOMS)
    assert paths["distortion"]["election"].name == "distortion.soc"
    assert (tmp_path / "deep" / "audit" / "ballots" / "distortion.svg").is_file()
    (tmp_path / "file").write_text("")
    with pytest.raises(ElectError, match="is a file"):
        found.write(tmp_path / "file")


def test_progress_runs_from_start_to_end():
    seen = []
    audit("borda", elections=200, seconds=1, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == pytest.approx(1)


def test_a_learned_rule_is_held_against_the_one_it_imitates():
    """A network that has learned nothing differs from Copeland, and ballots show it."""
    from elect.checkpoints import build
    from elect.learned import Card, LearnedRule

    torch.manual_seed(0)
    lesson = [{"kind": "mimic", "of": "copeland"}]
    sizes = {"voters": [2, 9], "candidates": [3, 4]}
    facts = {"culture": "uniform", "seed": 0, "steps": 0, "minutes": 0.0, **sizes}
    card = Card("tally", {}, lesson, ["copeland"], **facts)
    network = build("tally", {}, 1)
    # One that has learned nothing finds everybody tied; this one is wrong, and sure of it.
    network.leave.weight.data *= 100
    rule = LearnedRule(network, card)
    found = audit(rule, elections=300, seconds=1, voters=(2, 9), candidates=(3, 4))
    assert found.imitation.of == "copeland"
    assert found.imitation.exact.value < 0.9
    example = found.counterexamples["imitation"]
    election = example.elections["election"]
    exact = winners("copeland", election)[0]
    assert not set(example.winners["election"]) & {
        name for name, wins in zip(election.labels, exact.tolist(), strict=True) if wins
    }
    for name in ("anonymity", "neutrality"):
        assert not found.axioms[name].broken
