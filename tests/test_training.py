"""Training: the same recipe gives the same weights, killed, resumed, or shared out."""

import csv
import math
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from elect.checkpoints import load
from elect.cultures import Resample, culture
from elect.elections import Profiles
from elect.errors import ElectError
from elect.objectives import expected_welfare, mimic, posterior
from elect.training import loop, saved_recipe, train
from elect.training.progress import LOG
from elect.training.schedules import decay, learning_rate, steps_that_fit
from elect.training.state import STATE
from elect.training.stream import batches, draw, held_out, octave, part_size
from trainings import BASE, SMALL, quietly, same, weights


class Firsts(nn.Module):
    """Learns how much first places count: a single number a head."""

    def __init__(self, heads: int = 1) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(heads))

    def forward(self, profiles: Profiles) -> torch.Tensor:
        firsts = profiles.places[:, None, :, 0]
        logits = self.weight[:, None] * firsts / profiles.num_voters[:, None, None]
        return logits.masked_fill(~profiles.mask[:, None], -torch.inf)


# ---------------------------------------------------------------------- schedules


def test_warm_up_and_cosine():
    rates = [learning_rate(step, 320, peak=2.0, warmup=16) for step in range(320)]
    assert rates[:16] == pytest.approx([2.0 * (step + 1) / 16 for step in range(16)])
    for step in (16, 100, 319):
        expected = 1 + math.cos(math.pi * (step - 16) / 304)
        assert rates[step] == pytest.approx(expected)
    # The warm-up is the same while the number of steps is not known.
    assert rates[:16] == [learning_rate(step, None, 2.0, 16) for step in range(16)]


def test_the_average_forgets_its_start():
    mean, keeps = 1.0, [decay(step, 0.99) for step in range(200)]
    assert max(keeps) < 0.99
    for keep in keeps:
        mean *= keep
    assert mean < 1e-8
    assert decay(0, 0.0) == 0


def test_steps_never_go_back():
    assert steps_that_fit(30, left=-5.0, step_seconds=0.1, validation_seconds=0.0) == 30


# ---------------------------------------------------------------------- elections


def equal_parts(one, other) -> bool:
    return (
        torch.equal(one.profiles.ranks, other.profiles.ranks)
        and all(
            torch.equal(a.values, b.values) for a, b in zip(one.targets, other.targets, strict=True)
        )
        and one.seed == other.seed
    )


def test_a_step_sees_what_its_number_says():
    recipe = replace(BASE, parts=2, objectives=(posterior("nash"), mimic("borda")))
    stream = batches(recipe, [0, 1], start=3)
    for step in (3, 4, 5):
        batch = next(stream)
        assert len(batch) == 2
        assert sum(len(part) for part in batch) == recipe.batch
        for number, part in enumerate(batch):
            assert equal_parts(part, draw(recipe, step, number))
    stream.close()
    assert not equal_parts(draw(recipe, 3, 0), draw(recipe, 3, 1))
    assert not equal_parts(draw(recipe, 3, 0), draw(recipe, 4, 0))
    assert not equal_parts(draw(recipe, 3, 0), draw(replace(recipe, seed=1), 3, 0))


def test_several_sizes_in_a_batch():
    part = draw(replace(BASE, batch=64), 0, 0)
    assert part.profiles.num_candidates.unique().tolist() == [2, 3, 4, 5]
    assert part.profiles.num_voters.unique().tolist() == list(range(2, 10))


def test_a_budget_of_entries_gives_more_where_candidates_are_few():
    recipe = replace(BASE, entries=4000, parts=4, candidates=(2, 29))
    sizes = [part_size(recipe, (2, 16), (m, m)) for m in (2, 9, 29)]
    assert sizes == [1000 // (2 * 3), 1000 // (9 * 10), 1000 // (29 * 30)]
    assert part_size(recipe, (2, 10**6), (29, 29)) == 1
    parts = [draw(replace(recipe, objectives=(mimic("borda"),)), step, 0) for step in range(20)]
    assert all(len(part.profiles.num_candidates.unique()) == 1 for part in parts)
    assert len({part.profiles.ranks.shape[2] for part in parts}) > 8


def test_voters_even_on_a_logarithmic_scale():
    rng = np.random.default_rng(0)
    ranges = [octave((2, 2048), rng) for _ in range(20_000)]
    assert all(2 <= low <= high <= 2048 for low, high in ranges)
    drawn = np.log2([rng.integers(low, high, endpoint=True) for low, high in ranges])
    shares = np.histogram(drawn, bins=[2, 3, 4, 5, 6, 7, 8, 9, 10])[0] / len(drawn)
    assert np.ptp(shares) < 0.02


def test_held_out_elections_are_never_trained_on():
    parts = held_out(replace(BASE, validation=100))
    assert sum(len(part) for part in parts) == 100
    again = held_out(replace(BASE, validation=100))
    assert all(equal_parts(a, b) for a, b in zip(parts, again, strict=True))
    ranks = parts[0].profiles.ranks
    trained = draw(replace(BASE, batch=len(parts[0])), 0, 0).profiles.ranks
    assert not torch.equal(ranks, trained)


def test_held_out_elections_have_voters_of_all_magnitudes():
    parts = held_out(replace(BASE, validation=512, voters=(2, 999), log_voters=True))
    voters = torch.cat([part.profiles.num_voters for part in parts])
    assert voters.min() < 8
    assert voters.max() > 400


# ---------------------------------------------------------------------- learning


def test_it_learns(tmp_path):
    recipe = replace(
        BASE,
        objectives=(mimic("plurality", ties="drop"),),
        network="firsts",
        arguments={},
        batch=32,
        steps=80,
        learning_rate=0.5,
    )
    rule = train(recipe, tmp_path, progress=False, makers={"firsts": Firsts})
    assert rule.card.accuracy == {"plurality": 1.0}
    assert rule.network.weight.item() > 5
    assert rule.card.steps == 80
    profile = Profiles.from_rankings([["Ann", "Ben"], ["Ben", "Ann"], ["Ben", "Ann"]])
    assert load(tmp_path, makers={"firsts": Firsts}).winners(profile).tolist() == [[False, True]]


def test_expected_welfare_learns_too(tmp_path):
    recipe = replace(
        BASE,
        objectives=(expected_welfare("utilitarian"),),
        network="firsts",
        arguments={},
        steps=60,
        learning_rate=0.5,
    )
    quietly(recipe, tmp_path, makers={"firsts": Firsts})
    rows = list(csv.DictReader((tmp_path / LOG).open()))
    losses = [float(row["validation_loss utilitarian"]) for row in rows]
    assert losses[-1] < losses[0] < 0


@pytest.mark.parametrize("optimizer", ["adam", "adamw", "lookahead"])
def test_the_first_steps_by_hand(tmp_path, optimizer):
    """The loop against torch's own optimizers, driven plainly."""
    recipe = replace(
        BASE, objectives=(mimic("borda"),), network="firsts", arguments={}, optimizer=optimizer,
        parts=2, clip=0.01, steps=11, averaging=0.0,
    )  # fmt: skip
    quietly(recipe, tmp_path, makers={"firsts": Firsts})
    network = Firsts()
    kind = torch.optim.AdamW if optimizer == "adamw" else torch.optim.Adam
    plain = kind(network.parameters(), lr=1.0, weight_decay=0.01 if optimizer == "adamw" else 0.0)
    slow = network.weight.detach().clone()
    for step in range(11):
        plain.param_groups[0]["lr"] = learning_rate(step, 11, 3e-3, 10)
        plain.zero_grad()
        for number in range(2):
            part = draw(recipe, step, number)
            (mimic("borda").loss(network(part.profiles)[:, 0], part.targets[0]) / 2).backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 0.01)
        plain.step()
        if optimizer == "lookahead" and step % 5 == 4:
            slow += 0.5 * (network.weight.detach() - slow)
            network.weight.data.copy_(slow)
    assert weights(tmp_path)["weight"].item() == pytest.approx(network.weight.item(), rel=1e-5)


def test_what_is_kept_is_the_average(tmp_path):
    quietly(replace(BASE, averaging=0.9), tmp_path / "average")
    quietly(replace(BASE, averaging=0.0), tmp_path / "last")
    state = weights(tmp_path / "average", STATE)
    kept, last = weights(tmp_path / "average"), weights(tmp_path / "last")
    assert all(torch.equal(state[f"averaged.{name}"], kept[name]) for name in kept)
    assert all(torch.equal(state[f"network.{name}"], last[name]) for name in last)
    assert not same(kept, last)


def test_fine_tuning_on_a_real_profile(tmp_path):
    quietly(BASE, tmp_path / "first")
    profile = culture("mallows:phi=0.5")(1, 200, 4, seed=0).profiles
    recipe = replace(
        BASE,
        objectives=(mimic("plurality"), mimic("borda")),
        culture=Resample(profile, replace=False),
        candidates=(4, 4),
        start=str(tmp_path / "first"),
        learning_rate=1e-9,
        averaging=0.0,
    )
    rule = train(recipe, tmp_path / "second", progress=False)
    assert rule.card.start == str(tmp_path / "first")
    before, after = weights(tmp_path / "first"), weights(tmp_path / "second")
    assert all(torch.allclose(before[name], after[name], atol=1e-6) for name in before)
    with pytest.raises(ElectError, match="give the recipe again"):
        saved_recipe(tmp_path / "second")
    quietly(recipe, tmp_path / "second", resume=True)
    with pytest.raises(ElectError, match="its network differs"):
        quietly(replace(recipe, arguments={**SMALL, "width": 9}), tmp_path / "third")


def test_the_log_can_be_read(tmp_path):
    quietly(BASE, tmp_path)
    rows = list(csv.DictReader((tmp_path / LOG).open()))
    assert [int(row["step"]) for row in rows] == [5, 10, 12]
    assert float(rows[0]["learning_rate"]) == pytest.approx(3e-3 * 0.5)
    for row in rows:
        assert 0 <= float(row["accuracy"]) <= 1
        assert 0 <= float(row["validation_accuracy nash@polarized"]) <= 1
        assert float(row["elections_per_second"]) > 0
        assert 0 <= float(row["waiting"]) <= 1


def test_a_notebook_gets_a_line_for_each_validation(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "ipykernel", object())
    train(BASE, tmp_path)
    shown = capsys.readouterr()
    assert [line.split(",")[0] for line in shown.out.splitlines()] == [
        "step 5 of 12",
        "step 10 of 12",
        "step 12 of 12",
    ]
    assert shown.err == ""


def test_the_bar_is_seen(tmp_path, capsys):
    train(BASE, tmp_path, progress=True)
    shown = capsys.readouterr()
    assert "12 of 12 · loss" in shown.err
    assert "elections/s" in shown.err
    assert shown.out == ""


def test_training_leaves_torchs_generator_alone(tmp_path):
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    quietly(BASE, tmp_path)
    assert torch.equal(torch.rand(3), expected)


@pytest.mark.parametrize("before", [False, True])
def test_training_takes_dust_for_zero_and_leaves_that_as_it_was(tmp_path, monkeypatch, before):
    def dust() -> bool:
        return (torch.tensor([1e-40]) * 1.0).item() == 0

    seen, validate = [], loop.validate
    monkeypatch.setattr(loop, "validate", lambda *rest: seen.append(dust()) or validate(*rest))
    if not torch.set_flush_denormal(before):
        pytest.skip("this processor has no choice")
    try:
        quietly(BASE, tmp_path)
        assert dust() == before
    finally:
        torch.set_flush_denormal(False)
    assert all(seen)
    assert seen


# ---------------------------------------------------------------------- recipes


def test_a_recipe_in_words():
    recipe = replace(BASE, objectives=(mimic("copeland:tie=0", ties="drop"), posterior("nash")))
    words = recipe.describe()
    from elect.training.recipe import recipe_of

    assert recipe_of(words) == recipe


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"objectives": ()}, "at least one"),
        ({"objectives": (mimic("borda"), mimic("borda"))}, "same name"),
        ({"minutes": 1.0}, "either steps or minutes"),
        ({"steps": None}, "either steps or minutes"),
        ({"steps": 0}, "above 0"),
        ({"steps": None, "minutes": 1.0, "warmup": 5}, "warm-up"),
        ({"batch": 0}, "at least 1"),
        ({"parts": 3}, "equal parts"),
        ({"averaging": 1.0}, "decay"),
        ({"learning_rate": 0.0}, "above 0"),
        ({"seed": -1}, "seed"),
        ({"voters": (5, 2)}, "not decrease"),
        ({"optimizer": "sgd"}, "adam, adamw, lookahead"),
        ({"precision": "16"}, "bf16-mixed"),
    ],
)
def test_recipes_are_checked(change, words):
    with pytest.raises(ElectError, match=words):
        replace(BASE, **change)


def test_a_loss_that_is_no_number_stops_it(tmp_path):
    class Broken(Firsts):
        def forward(self, profiles: Profiles) -> torch.Tensor:
            return super().forward(profiles) * torch.nan

    recipe = replace(BASE, network="broken", arguments={})
    with pytest.raises(ElectError, match="lower learning rate"):
        quietly(recipe, tmp_path, makers={"broken": Broken})


def test_unknown_devices(tmp_path):
    with pytest.raises(ElectError, match="no device 'tpu'"):
        quietly(BASE, tmp_path, device="tpu")
    with pytest.raises(ElectError, match="no mixed precision"):
        quietly(replace(BASE, precision="bf16-mixed"), tmp_path, device="cpu")
