"""Objectives against sums written out, known expectations, and gradients by hand."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from elect.cultures import Dirichlet, Impartial, culture
from elect.cultures.redraw import redraw
from elect.elections import Elections, Profiles
from elect.errors import ElectError
from elect.objective_kinds import KINDS
from elect.objectives import (
    Objective,
    all_targets,
    expected_welfare,
    hits,
    mimic,
    oracle,
    posterior,
)
from elect.rules.posterior import posterior_rule
from elect.rules.scoring import borda
from elect.welfares import judge, nash, utilitarian, welfare
from profiles import mixed_batch, random_profile


def sampled(name: str = "uniform", count: int = 40, seed: int = 0) -> Elections:
    return culture(name)(count, (2, 12), (2, 6), seed=seed)


def random_logits(elections: Elections, seed: int = 0) -> torch.Tensor:
    mask = elections.profiles.mask
    logits = torch.randn(mask.shape, generator=torch.Generator().manual_seed(seed))
    return logits.masked_fill(~mask, -torch.inf)


# ---------------------------------------------------------------------- mimic


def test_tied_winners_share_the_prize():
    two = Profiles.from_rankings([[0, 1, 2], [1, 0, 2]])
    one = Profiles.from_rankings([[2, 1, 0], [2, 0, 1]])
    targets = mimic("plurality").targets(Elections(Profiles.concat([two, one])), seed=0)
    assert targets.values.tolist() == [[0.5, 0.5, 0], [0, 0, 1]]
    assert targets.weights.tolist() == [1, 1]
    dropped = mimic("plurality", ties="drop").targets(Elections(two), seed=0)
    assert dropped.weights.tolist() == [0]


@pytest.mark.parametrize(("ties", "winners"), [("keep", "softmax"), ("drop", "sigmoid")])
def test_elections_on_which_the_rule_gives_up_are_left_out(ties, winners):
    elections = Impartial()(60, (3, 3), (8, 8), seed=1)
    patient = mimic("ranked_pairs", ties, winners).targets(elections, seed=0)
    hasty = mimic("ranked_pairs:patience=1", ties, winners)
    targets = hasty.targets(elections, seed=0)
    known = targets.values.any(1)
    assert 0 < known.sum() < len(known)
    assert not targets.weights[~known].any()
    assert (targets.weights == patient.weights)[known].all()
    assert (targets.values == patient.values)[known].all()
    logits = random_logits(elections).requires_grad_()
    hasty.loss(logits, targets).backward()
    assert not logits.grad[~known].any()
    assert logits.grad.isfinite().all()


def test_mimic_loss_is_the_cross_entropy():
    elections, objective = sampled(), mimic("copeland")
    logits, targets = random_logits(elections), objective.targets(elections, seed=0)
    expected = []
    for b, m in enumerate(elections.profiles.num_candidates.tolist()):
        chances = np.exp(logits[b, :m].numpy().astype(float))
        chances /= chances.sum()
        won = targets.values[b, :m].numpy() > 0
        expected.append(-np.log(chances[won]).mean())
    assert objective.loss(logits, targets).item() == pytest.approx(np.mean(expected), rel=1e-5)


def test_mimic_is_at_rest_where_tied_winners_are_equal():
    profile = Profiles.from_rankings([[0, 1, 2], [1, 0, 2]])
    targets = mimic("borda").targets(Elections(profile), seed=0)
    logits = torch.tensor([[20.0, 20.0, -20.0]], requires_grad=True)
    mimic("borda").loss(logits, targets).backward()
    assert logits.grad is not None
    assert logits.grad.abs().max() < 1e-6
    uneven = torch.tensor([[21.0, 20.0, -20.0]], requires_grad=True)
    mimic("borda").loss(uneven, targets).backward()
    assert uneven.grad is not None
    assert uneven.grad[0, 0] > 0.1 > -0.1 > uneven.grad[0, 1]


def test_dropped_elections_do_not_count():
    rng = np.random.default_rng(0)
    profiles = mixed_batch([random_profile(rng, 4, 3) for _ in range(60)])
    keep, drop = mimic("plurality"), mimic("plurality", ties="drop")
    targets = drop.targets(Elections(profiles), seed=0)
    untied = targets.weights.bool()
    assert 5 < untied.sum() < 55
    logits = torch.randn(60, 3)
    alone = Elections(profiles[untied.nonzero()[:, 0]])
    expected = keep.loss(logits[untied], keep.targets(alone, seed=0))
    assert drop.loss(logits, targets).item() == pytest.approx(expected.item())


def test_a_rule_of_ones_own():
    def last(profiles: Profiles) -> torch.Tensor:
        places = torch.arange(profiles.ranks.shape[2])[None].expand(len(profiles), -1).double()
        return places.masked_fill(~profiles.mask, -torch.inf)

    objective = mimic(last)
    assert objective.name == "last"
    values = objective.targets(sampled(), seed=0).values
    assert torch.equal(values.argmax(1) + 1, sampled().profiles.num_candidates)


# ---------------------------------------------------------------------- sets by sigmoid


def test_sets_by_sigmoid():
    elections, objective = sampled(), mimic("borda", winners="sigmoid")
    targets, logits = objective.targets(elections, seed=0), random_logits(elections)
    assert set(targets.values.unique().tolist()) == {0.0, 1.0}
    expected = []
    for b, m in enumerate(elections.profiles.num_candidates.tolist()):
        chances = 1 / (1 + np.exp(-logits[b, :m].numpy().astype(float)))
        won = targets.values[b, :m].numpy() == 1
        expected.append(-np.log(np.where(won, chances, 1 - chances)).mean())
    assert objective.loss(logits, targets).item() == pytest.approx(np.mean(expected), rel=1e-5)


# ---------------------------------------------------------------------- welfare


def test_the_oracle_sees_utilities():
    elections = sampled()
    targets = oracle("nash").targets(elections, seed=0)
    scores = judge(nash, elections)
    assert torch.equal(targets.values.argmax(1), scores.argmax(1))
    assert torch.equal(targets.values.sum(1), torch.ones(len(elections)))
    assert hits(scores.float(), targets).all()
    assert not hits(-scores.float().masked_fill(~elections.profiles.mask, torch.inf), targets).any()


def test_expected_welfare_and_its_gradient():
    elections, objective = sampled(), expected_welfare("egalitarian:lam=0.3")
    targets = objective.targets(elections, seed=0)
    logits = random_logits(elections).requires_grad_()
    scores = judge(welfare("egalitarian:lam=0.3"), elections)
    loss = objective.loss(logits, targets)
    loss.backward()
    assert logits.grad is not None
    total = 0.0
    for b, m in enumerate(elections.profiles.num_candidates.tolist()):
        chances = logits[b, :m].detach().double().softmax(0)
        gains = scores[b, :m] / scores[b, :m].max()
        mean = (chances * gains).sum()
        total -= mean.item()
        # The policy gradient, exactly: −p_c (reward_c − mean reward).
        gradient = -chances * (gains - mean) / len(elections)
        assert torch.allclose(logits.grad[b, :m].double(), gradient, atol=1e-7)
        assert not logits.grad[b, m:].any()
    assert loss.item() == pytest.approx(total / len(elections), rel=1e-5)


def test_worthless_elections_teach_nothing():
    profile = Profiles.from_rankings([[0, 1], [1, 0]])
    nothing = Elections(profile, torch.zeros(1, 2, 2, dtype=torch.float64))
    assert expected_welfare("utilitarian").targets(nothing, seed=0).values.tolist() == [[1, 1]]


def test_the_posterior_is_what_oracles_say_on_average():
    profiles = Impartial()(4, 5, 4, seed=1).profiles
    soft = posterior("egalitarian", "polarized", samples=20_000)
    hard = oracle("egalitarian", "polarized")
    shares = soft.targets(Elections(profiles), seed=0).values
    many = Profiles.concat([profiles] * 4000)
    votes = hard.targets(Elections(many), seed=1).values.view(4000, 4, 4).mean(0)
    assert torch.allclose(shares.sum(1), torch.ones(4))
    assert (shares - votes).abs().max() < 0.03


def shares(profiles, goal="egalitarian", samples=20, seed=3):
    return posterior(goal, "indecisive", samples).targets(Elections(profiles), seed=seed).values


def test_the_posterior_is_a_sample_whatever_the_threads():
    # More than are labelled without a break.
    profiles = Impartial()(150, (2, 9), (2, 6), seed=5).profiles
    threads, found = torch.get_num_threads(), []
    try:
        for count in (1, 3):
            torch.set_num_threads(count)
            found.append(shares(profiles))
    finally:
        torch.set_num_threads(threads)
    assert torch.equal(*found)
    assert torch.allclose(found[0].sum(1), torch.ones(150))
    assert not found[0][~profiles.mask].any()


@pytest.mark.parametrize("goal", ["utilitarian", "egalitarian:lam=0.3", "rawlsian", "nash"])
def test_the_posterior_is_that_of_the_exact_rule(goal):
    profiles = Impartial()(6, 7, 4, seed=2).profiles
    rule = posterior_rule(culture("indecisive"), welfare(goal), 20_000, by="share")
    assert (shares(profiles, goal, 20_000) - rule(profiles)).abs().max() < 0.02


def test_the_posterior_takes_a_weight_for_so_many_voters():
    merged = Profiles.from_rankings([[0, 1, 2], [2, 1, 0], [1, 0, 2]], weights=[2, 0, 1])
    single = Profiles.from_rankings([[0, 1, 2], [0, 1, 2], [1, 0, 2]])
    assert torch.equal(shares(merged), shares(single))


def test_the_posterior_takes_the_elections_culture():
    source = culture("indecisive")
    elections = source(3, 5, 4, seed=1)
    ours = posterior("nash").targets(elections, source, seed=4)
    own = posterior("nash", "indecisive").targets(elections, culture("uniform"), seed=4)
    assert torch.equal(ours.values, own.values)


# ---------------------------------------------------------------------- utilities drawn anew


@pytest.mark.parametrize("alpha", [0.1, 0.5, 1.0, 2.3])
def test_redrawn_utilities_agree_with_the_ballots(alpha):
    profiles = sampled().profiles
    drawn = redraw(Dirichlet(alpha), profiles, seed=0)
    assert drawn.utilities is not None
    cast = profiles.weights > 0
    assert torch.allclose(drawn.utilities.sum(2), cast.double())
    if alpha > 0.3:  # smaller ones are often too small for a float to differ
        again = Profiles.from_utilities(
            drawn.utilities, profiles.weights, num_candidates=profiles.num_candidates
        )
        assert torch.equal(again.ranks[cast], profiles.ranks[cast])


def test_redrawn_utilities_have_the_cultures_means():
    m = 5
    profiles = Impartial()(4000, 5, m, seed=0).profiles
    drawn = redraw(Dirichlet(1.0), profiles, seed=1).utilities
    assert drawn is not None
    for k in range(m):
        # The k-th largest of m uniform spacings.
        expected = sum(1 / i for i in range(k + 1, m + 1)) / m
        assert drawn[profiles.ranks == k].mean().item() == pytest.approx(expected, abs=0.003)


def test_a_ballot_of_many_is_redrawn_for_each():
    profiles = Profiles.from_rankings([[0, 1], [1, 0]], weights=[3, 2])
    drawn = redraw(Dirichlet(1.0), profiles, seed=0)
    assert drawn.utilities is not None
    assert drawn.utilities.shape == (1, 5, 2)
    assert len(drawn.utilities.flatten().unique()) == 10


def test_one_stream_teaches_every_culture():
    """The uniform culture's optimum is elected as often from redrawn utilities as from its own."""
    borda = torch.zeros(2)
    for i, source in enumerate(["uniform", "impartial"]):
        elections = culture(source)(4000, 9, 5, seed=0)
        own = None if source == "uniform" else "uniform"
        targets = oracle("utilitarian", own).targets(elections, seed=1)
        scores = mimic("borda").targets(elections, seed=0).values
        borda[i] = (scores * targets.values).sum(1).mean()
    assert abs(borda[0] - borda[1]) < 0.03


@pytest.mark.parametrize("name", ["landslide", "skewed", "mallows:phi=0.5"])
def test_no_redrawing_where_candidates_differ(name):
    with pytest.raises(ElectError, match="one alpha for all"):
        redraw(culture(name), sampled().profiles, seed=0)
    with pytest.raises(ElectError, match="strictly rank everyone"):
        redraw(Dirichlet(1.0), Profiles.from_rankings([[0, 1], [1]]), seed=0)


# ---------------------------------------------------------------------- all alike

ALL = [
    mimic("copeland:tie=0", ties="drop"),
    mimic("kemeny", winners="sigmoid"),
    mimic("kemeny", max_candidates=4),
    oracle("rawlsian"),
    oracle("nash", "polarized"),
    posterior("egalitarian:lam=0.2", samples=8),
    expected_welfare("utilitarian"),
]


@pytest.mark.parametrize("objective", ALL, ids=lambda o: f"{o.kind}-{o.name}")
def test_every_objective(objective):
    elections = sampled()
    targets = objective.targets(elections, culture("uniform"), seed=3)
    again = objective.targets(elections, culture("uniform"), seed=3)
    assert torch.equal(targets.values, again.values)
    assert not targets.values[~elections.profiles.mask].any()
    assert targets.values.isfinite().all()
    assert Objective(**objective.describe()) == objective

    # Padding neither changes the loss nor receives a gradient.
    logits = random_logits(elections).requires_grad_()
    loss = objective.loss(logits, targets)
    loss.backward()
    assert logits.grad is not None
    assert logits.grad.isfinite().all()
    wide = torch.nn.functional.pad(logits.detach(), (0, 3), value=-torch.inf)
    padded = targets._replace(values=torch.nn.functional.pad(targets.values, (0, 3)))
    assert objective.loss(wide, padded).item() == pytest.approx(loss.item(), rel=1e-6)

    # Following the gradient leads towards the targets.
    better = logits.detach() - 0.5 * len(elections) * logits.grad
    assert objective.loss(better, targets) < loss


def test_equal_logits_cost_log_m():
    elections = culture("uniform")(10, 5, 4, seed=0)
    targets = mimic("borda", ties="drop").targets(elections, seed=0)
    loss = mimic("borda").loss(torch.zeros(10, 4), targets)
    assert loss.item() == pytest.approx(math.log(4))


def test_names():
    assert mimic("copeland:tie=0").name == "copeland:tie=0"
    assert oracle("nash").name == oracle(utilitarian).name.replace("utilitarian", "nash")
    assert posterior("nash", "polarized").name == "nash@polarized"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: mimic("bordo"), "did you mean 'borda'"),
        (lambda: oracle("nashe"), "did you mean 'nash'"),
        (lambda: oracle("nash", "polarised"), "did you mean 'polarized'"),
        (lambda: mimic("borda", ties="lose"), "keep, drop"),
        (lambda: mimic("borda", winners="all"), "softmax, sigmoid"),
        (lambda: Objective("learn", "borda"), "mimic, oracle"),
        (lambda: Objective("posterior", "nash", winners="sigmoid"), "winner sets"),
        (lambda: oracle("nash").targets(Impartial()(2, 3, 3, seed=0), seed=0), "no utilities"),
        (lambda: posterior("nash").targets(sampled(), seed=0), "needs the culture"),
        (lambda: posterior("nash").targets(sampled(), Impartial(), seed=0), "Dirichlet"),
    ],
)
def test_errors_say_what_to_do(make, words):
    with pytest.raises(ElectError, match=words):
        make()


def test_posteriors_of_several_welfares_share_their_draws():
    elections = culture("uniform")(20, (2, 9), (2, 5), seed=1)
    names = ("utilitarian", "egalitarian:lam=0.3", "rawlsian", "nash")
    several = [mimic("borda"), *(posterior(name, samples=64) for name in names), oracle("nash")]
    together = all_targets(several, elections, culture("uniform"), seed=5)
    assert torch.equal(together[0].values, several[0].targets(elections, seed=0).values)
    assert torch.equal(together[5].values, several[5].targets(elections, seed=0).values)
    # Posteriors are drawn where the first of them stands; what comes before draws nothing.
    for objective, found in zip(several[1:5], together[1:5], strict=True):
        alone = objective.targets(elections, culture("uniform"), seed=np.random.default_rng(5))
        assert torch.equal(found.values, alone.values)


def test_posteriors_know_welfares_of_ones_own():
    def own(utilities):
        return utilities.sum(-2)

    elections = culture("polarized")(20, (2, 9), (2, 5), seed=2)
    source = culture("polarized")
    known, mine = all_targets(
        [posterior("utilitarian"), posterior(own)], elections, source, seed=np.random.default_rng(1)
    )
    assert torch.equal(known.values, mine.values)


def test_elections_of_more_candidates_are_not_even_looked_at():
    seen = []

    def rule(profiles):
        seen.append(profiles.num_candidates.max().item())
        return borda(profiles)

    elections = culture("uniform")(200, (2, 9), (2, 9), seed=1)
    few = elections.profiles.num_candidates <= 4
    targets = Objective("mimic", rule, max_candidates=4).targets(elections, seed=0)
    whole = Objective("mimic", borda).targets(elections, seed=0)
    assert seen == [4]
    assert torch.equal(targets.weights, few.float())
    assert torch.equal(targets.values[few], whole.values[few])
    assert not targets.values[~few].any()


def test_objectives_that_leave_all_elections_out_teach_nothing():
    elections = culture("uniform")(5, 4, 6, seed=1)
    several = [posterior("nash"), posterior("utilitarian"), mimic("borda")]
    few = [replace(one, max_candidates=3) for one in several]
    for objective, targets in zip(
        few, all_targets(few, elections, culture("uniform"), seed=0), strict=True
    ):
        assert not targets.weights.any()
        assert objective.loss(random_logits(elections), targets).item() == 0


def test_every_kind_has_a_function_that_makes_it():
    made = {"mimic": mimic("borda"), "oracle": oracle("nash"), "posterior": posterior("nash")}
    made["expected_welfare"] = expected_welfare("nash")
    assert set(made) == set(KINDS)
    for name, objective in made.items():
        assert objective.record is KINDS[name]
        assert objective.record.imitates == (name == "mimic")


def test_winner_sets_are_learned_only_where_there_are_any():
    with pytest.raises(ElectError, match="Only mimic and oracle"):
        Objective("posterior", "nash", winners="sigmoid")
