"""The examples of CONTRIBUTING.md, carried out: each is added to its file and found everywhere."""

import importlib
import json
import re
from pathlib import Path

import pytest
import torch

import elect
from elect import cultures, networks, rules, welfares
from elect.objectives import mimic
from elect.service.limits import ServiceLimits
from elect.service.listings import list_cultures, list_rules, list_welfares
from elect.service.rule_catalogue import RuleCatalogue
from elect.training.defaults import default_recipe

GUIDE = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text("utf-8")
BLOCK = r"^```python\n# {}src/(\S+)\.py\n(.*?)^```$"
CODE = dict(re.findall(BLOCK.format(""), GUIDE, re.M | re.S))
RECORDS = dict(re.findall(BLOCK.format("RECORDS in "), GUIDE, re.M | re.S))
CATALOGUE = RuleCatalogue(ServiceLimits(), {}, "")


def added(path):
    """The record that an example adds to a file."""
    module = path.replace("/", ".")
    if path not in RECORDS:
        names = {"__name__": module}
        exec(compile(CODE[path], path, "exec"), names)
        return names["RECORD"]
    names = dict(vars(importlib.import_module(module)))
    exec(compile(CODE[path], path, "exec"), names)
    [record] = eval(f"[{RECORDS[path]}]", names)
    return record


def listed(run, command):
    code, out, _ = run(command, "--json")
    assert code == 0
    return [one["name"] for one in json.loads(out)]


def test_every_example_is_carried_out():
    kept = {"elect/rules/scoring", "elect/cultures/ordinal", "elect/welfares"}
    assert set(RECORDS) == kept
    assert set(CODE) == {*kept, "elect/networks/linear"}


def test_a_new_rule(monkeypatch, run):
    record = added("elect/rules/scoring")
    monkeypatch.setitem(rules.RULES, record.name, record)
    monkeypatch.setitem(rules.ALIASES, "nauru", record.name)
    ballots = elect.Profiles.from_rankings([["A", "B", "C"], ["B", "C", "A"]], [6, 3])
    assert elect.rule("dowdall")(ballots).tolist() == [[7.0, 6.0, 3.5]]
    decision = elect.decide("Nauru", ballots)
    assert decision.winners == ["A"]
    assert decision.why == "A gets 7 points for its places; next is B with 6."
    assert record.definition.startswith("One point for each first choice")
    assert "dowdall" in listed(run, "rules")
    assert "dowdall" in [one["name"] for one in list_rules(CATALOGUE)]


def test_a_new_culture(monkeypatch, run):
    record = added("elect/cultures/ordinal")
    monkeypatch.setitem(cultures.CULTURES, record.name, record)
    drawn = elect.sample(elect.culture("opposed", share=0.7), (2, 200), (2, 5), 40).profiles
    assert drawn.complete.all()
    assert max(len(drawn.merged().ballots(b)) for b in range(40)) == 2
    merged = elect.sample("opposed:share=1", 9, 4).profiles.merged()
    assert [weight for weight, _ in merged.ballots()] == [9]
    with pytest.raises(elect.ElectError, match="between 0 and 1"):
        elect.culture("opposed", share=2)
    assert "opposed" in listed(run, "cultures")
    assert "opposed" in [one["name"] for one in list_cultures(CATALOGUE)]


def test_a_new_welfare(monkeypatch, run):
    record = added("elect/welfares")
    monkeypatch.setitem(welfares.WELFARES, record.name, record)
    drawn = elect.sample("uniform", (2, 9), 3, 20)
    scores = elect.judge("sufficientarian:enough=0.4", drawn)
    cast = drawn.profiles.weights[:, :, None] > 0
    assert scores.equal(((drawn.utilities >= 0.4) & cast).sum(1).double())
    assert elect.welfare("sufficientarian").told == "how many voters gain at least 0.1"
    found = elect.ceiling("uniform", "sufficientarian", 5, 3, elections=4, samples=8)
    assert 0 < found.welfare_ratio <= 1
    assert "sufficientarian" in listed(run, "welfares")
    assert "sufficientarian" in [one["name"] for one in list_welfares(CATALOGUE)]


def test_a_new_network(monkeypatch, tmp_path):
    record = added("elect/networks/linear")
    monkeypatch.setitem(networks.NETWORKS, record.name, record)
    profiles = elect.sample("IC", (2, 9), (2, 4), 5).profiles
    logits = networks.network("linear", heads=2)(profiles)
    assert logits.shape == (5, 2, 4)
    assert (logits == -torch.inf).equal(~profiles.mask[:, None].expand(-1, 2, -1))
    sizes = {"voters": (2, 9), "candidates": (2, 31)}
    recipe = default_recipe([mimic("borda")], "linear", steps=2, **sizes)
    assert recipe.arguments == {"max_candidates": 31}
    learned = elect.train(recipe, tmp_path / "linear", progress=False)
    assert learned.card.network == "linear"
    assert elect.winners(str(tmp_path / "linear"), profiles).any(1).all()
