"""The rules that come with the package: whole, light, as good as their cards say, repeatable."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

import elect
from elect import checkpoints
from elect.checkpoints import CARD, WEIGHTS, find, load, read_tensors, shelf
from elect.cli import main
from elect.errors import ElectError
from elect.networks import TallyNetwork
from elect.objectives import Objective, mimic
from elect.rules import RULES
from elect.training import train
from elect.training.defaults import default_recipe
from elect.training.presets import preset, write_preset
from profiles import mixed_batch, random_profile

MEGABYTES = 15
WELFARES = ("utilitarian", "egalitarian", "rawlsian", "nash")
CULTURES = ("uniform", "polarized", "indecisive")


def test_it_is_light():
    size = sum(file.stat().st_size for name in shelf() for file in find(name).iterdir())
    assert size < MEGABYTES * 10**6


def test_it_has_every_welfare_in_every_culture_of_the_paper():
    assert {f"tally-{welfare}-{culture}" for welfare in WELFARES for culture in CULTURES} <= {
        *shelf()
    }


@pytest.mark.parametrize("name", shelf())
def test_each_is_as_good_as_its_card_says(name):
    rule = load(name)
    told = rule.card.measured[0]
    found = elect.evaluate(
        rule,
        Objective(**rule.card.objectives[0]),
        voters=tuple(told["voters"]),
        candidates=tuple(told["candidates"]),
        culture=rule.card.culture if "ceiling" in told else "uniform",
        elections=512,
        seed=99,
        guesses=(),
        ceiling_elections=0,
    )
    accuracy = found.overall.accuracy
    # Five standard errors of 512 elections, and of the few that are untied.
    assert abs(accuracy.value - told["accuracy"]) < 5 * (0.25 / 400) ** 0.5
    if told["accuracy"] > 0.99:
        assert accuracy.value > 0.98


@pytest.mark.parametrize("name", shelf())
def test_each_says_how_it_was_trained(name):
    rule, found = load(name), preset(name)
    assert len(rule.card.heads) == 1
    assert rule.name == found.head
    assert found.recipe.steps == rule.card.steps
    assert found.recipe.seed == rule.card.seed
    assert found.head in [objective.name for objective in found.recipe.objectives]
    kind = rule.card.objectives[0]["kind"]
    assert (kind == "mimic") == (elect.specs.parse(rule.name)[0] in RULES)


def test_one_head_by_itself_says_what_it_said_among_others():
    torch.manual_seed(0)
    several = TallyNetwork(heads=3, pair=4, place=4, width=8, pair_blocks=1, joint=2, depths=2)
    rng = np.random.default_rng(0)
    profiles = mixed_batch([random_profile(rng, 5 + i, 2 + i % 4) for i in range(9)])
    for head in range(3):
        alone = several.only(head)
        assert torch.allclose(alone(profiles)[:, 0], several(profiles)[:, head], atol=1e-5)
        rebuilt = TallyNetwork(heads=1, pair=4, place=4, width=8, pair_blocks=1, joint=2, depths=2)
        rebuilt.load_state_dict(alone.state_dict())


# ---------------------------------------------------------------------- trained again


@pytest.fixture
def small_shelf(tmp_path, monkeypatch):
    """A shelf of two rules which one short training has taught."""
    objectives = [mimic("plurality"), mimic("borda")]
    small = {"pair": 4, "place": 4, "width": 8, "blocks": 1}
    recipe = replace(
        default_recipe(objectives, steps=12, candidates=(2, 4), voters=(2, 9)),
        arguments=small,
        entries=400,
        validation=32,
    )
    learned = train(recipe, tmp_path / "run", progress=False)
    for head in learned.card.heads:
        rule = learned.only(head)
        checkpoints.save(tmp_path / f"tally-{head}", rule.network.state_dict(), rule.card)
        write_preset(tmp_path / f"tally-{head}", recipe, learned.card.steps, head)
    known = {f"tally-{head}": tmp_path / f"tally-{head}" for head in learned.card.heads}
    monkeypatch.setattr("elect.training.presets.shelf", lambda: list(known))
    monkeypatch.setattr("elect.training.presets.find", known.__getitem__)
    return known


def call(*arguments) -> int:
    with pytest.raises(SystemExit) as stop:
        main([str(argument) for argument in arguments])
    return stop.value.code


def same_weights(one, other) -> bool:
    ours, theirs = (read_tensors(folder / WEIGHTS)[0] for folder in (one, other))
    return ours.keys() == theirs.keys() and all(torch.equal(ours[k], theirs[k]) for k in ours)


def test_a_preset_gives_the_very_weights(small_shelf, tmp_path, capsys):
    again = tmp_path / "again"
    assert call("train", "--preset", "tally-borda", "--out", again) == 0
    assert same_weights(again, small_shelf["tally-borda"])
    card = json.loads((again / CARD).read_text())
    assert card["heads"] == ["borda"]
    assert card["measured"][0]["head"] == "borda"
    assert load(again).name == "borda"
    # Resumed when it is done, it stays what it is.
    assert call("train", "--preset", "tally-borda", "--out", again, "--resume") == 0
    assert same_weights(again, small_shelf["tally-borda"])


def test_presets_take_no_other_settings(small_shelf, tmp_path, capsys):
    assert call("train", "--preset", "tally-borda", "--minutes", "1", "--out", tmp_path / "x") == 2
    assert "leave out minutes" in capsys.readouterr().err
    assert call("train", "--preset", "tally-borde", "--out", tmp_path / "x") == 2
    assert "did you mean 'tally-borda'" in capsys.readouterr().err
    assert not (tmp_path / "x").exists()


def test_a_damaged_recipe_is_told(small_shelf):
    (small_shelf["tally-borda"] / checkpoints.RECIPE).write_text("{")
    with pytest.raises(ElectError, match="damaged or missing"):
        preset("tally-borda")
