"""What is too large, too long or senseless is refused in a sentence before work is done for it."""

import json
import os
import random
from typing import Any

import pytest

from elect import specs
from elect.cultures import CULTURES
from elect.rules import RULES
from elect.service import sample
from elect.service.limits import ServiceLimits
from elect.service.rule_catalogue import RuleCatalogue
from elect.service.worker import TOO_LARGE, answers, as_json
from elect.welfares import WELFARES

NASTY = ["", "0", "-1", "true", "false", "none", "nan", "inf", "-inf", "1e999", "1e-320", "0/1/2"]
NASTY += ["1/nan", "x", "1/x", "99999999999999999999", "0.5", "[]", "/", "é", "1e18", "-0.0"]
NEEDED = {"mallows": "phi=0.5", "urn": "alpha=0.5", "scoring": "vector=3/2/1/0"}


@pytest.fixture
def catalogue(tmp_path) -> RuleCatalogue:
    return RuleCatalogue(ServiceLimits(), {}, str(tmp_path))


def ask(catalogue: RuleCatalogue, operation: str, request: Any) -> tuple[int, Any]:
    *_, last = answers(operation, as_json(request), catalogue)
    return last.status, json.loads(last.body)


def refusal(catalogue: RuleCatalogue, operation: str, request: Any) -> str:
    status, told = ask(catalogue, operation, request)
    assert status == 422, told
    return str(told["error"])


# ---------------------------------------------------------------------- settings


def nasty(name: str, make: Any, given: int) -> list[str]:
    """The name with each of its settings, and one that it does not have, at odd values."""
    keys = [one.partition("=")[0] for one in specs.settings(make, given=given)]
    found = [f"{name}:{key}={value}" for key in [*keys, "nonsense"] for value in NASTY]
    needed = NEEDED.get(name)
    others = [key for key in keys if not needed or not needed.startswith(f"{key}=")]
    if needed:
        found += [f"{name}:{needed},{key}={value}" for key in others for value in NASTY]
    return found


def assert_told(catalogue: RuleCatalogue, operation: str, request: dict[str, Any]) -> None:
    """Whatever is asked is answered, or refused with a sentence."""
    status, told = ask(catalogue, operation, request)
    assert status in (200, 422), (request, told)
    if status == 422:
        assert told["error"].endswith((".", "…")), told


@pytest.mark.parametrize("name", CULTURES)
def test_settings_of_cultures_never_break_it(
    catalogue: RuleCatalogue, name: str, monkeypatch
) -> None:
    monkeypatch.setattr(sample, "ELECTIONS", sample.FEWEST)
    size = {"voters": 3, "candidates": 4}
    worth = {"welfare": "utilitarian", "rules": ["borda"]}
    for spec in nasty(name, CULTURES[name].make, 0):
        for culture in (spec, f"impartial+{spec}"):
            assert_told(catalogue, "sample", {"culture": culture, **size})
        assert_told(catalogue, "welfare", {"culture": spec, **size, **worth})


@pytest.mark.parametrize("name", WELFARES)
def test_settings_of_welfares_never_break_it(
    catalogue: RuleCatalogue, name: str, monkeypatch
) -> None:
    monkeypatch.setattr(sample, "ELECTIONS", sample.FEWEST)
    request = {"culture": "uniform", "voters": 3, "candidates": 4, "rules": ["borda"]}
    for spec in nasty(name, WELFARES[name].score, 2):
        assert_told(catalogue, "welfare", {**request, "welfare": spec})


@pytest.mark.parametrize("name", RULES)
def test_settings_of_rules_never_break_it(catalogue: RuleCatalogue, name: str, monkeypatch) -> None:
    monkeypatch.setattr(sample, "ELECTIONS", sample.FEWEST)
    drawn = {"culture": "uniform", "welfare": "nash", "voters": 3, "candidates": 4}
    for spec in nasty(name, RULES[name], 1):
        rules = {"rules": [spec]}
        assert_told(catalogue, "winners", {"text": "a > b > c > d\nd > c > b > a\nb", **rules})
        assert_told(catalogue, "winners", {"text": "a > b = c > d\nd > c > b > a", **rules})
        assert_told(catalogue, "elections", {"rankings": [[[0, 1, 2, 3]], [[1, 0, 2, 3]]], **rules})
        assert_told(catalogue, "welfare", {**drawn, **rules})


@pytest.mark.parametrize(
    "spec", ["plackett_luce:spread=0/1/2", "euclidean:dimension=true", "plackett_luce:strengths=0"]
)
def test_settings_that_a_culture_cannot_use_are_told(catalogue: RuleCatalogue, spec: str) -> None:
    sentence = refusal(catalogue, "sample", {"culture": spec, "voters": 3, "candidates": 4})
    name, _, setting = spec.partition(":")
    assert name in sentence or setting.partition("=")[0] in sentence.lower()


# ---------------------------------------------------------------------- sizes


@pytest.mark.parametrize(
    "text",
    [
        "# NUMBER ALTERNATIVES: 32766\n1: 1,2\n1: 2,1\n",
        "# FILE NAME: a.soc\n #  NUMBER ALTERNATIVES : 99999999999999999999\n1: 1,2\n",
        "32766\n1,a\n2,b\n2,2,1\n2,1,2\n",
        "".join(f"# ALTERNATIVE NAME {c}: c{c}\n" for c in range(101)) + "1: 1,2\n",
    ],
)
def test_alternatives_that_a_file_states_are_counted_before_it_is_read(
    catalogue: RuleCatalogue, text: str, monkeypatch
) -> None:
    monkeypatch.setattr("elect.files._profiles", lambda *_, **__: pytest.fail("it was built"))
    told = refusal(catalogue, "parse", {"text": text, "format": "preflib"})
    assert (
        "candidates are more than the 100" in told or "is not a valid NUMBER ALTERNATIVES" in told
    )


def test_names_have_a_largest_length(catalogue: RuleCatalogue) -> None:
    long = "x" * 201
    ballots = [{"ranking": [[long], ["b"]]}]
    for request in ({"text": f"a > {long}"}, {"ballots": ballots}):
        assert "has 201 characters; use at most 200" in refusal(catalogue, "winners", request)
    for kind, text in (("lines", f"a > {long}"), ("csv", f"count,1,2\n3,a,{long}\n")):
        assert "characters" in refusal(catalogue, "parse", {"text": text, "format": kind})


def test_answers_have_a_largest_size(catalogue: RuleCatalogue) -> None:
    drawn, names = random.Random(0), ["é" * 190 + str(c) for c in range(100)]
    ballots = [{"ranking": [[name] for name in drawn.sample(names, 100)]} for _ in range(3)]
    election = {"candidates": names, "ballots": ballots}
    assert "The answer might have" in refusal(catalogue, "winners", election)
    assert ask(catalogue, "winners", {**election, "rules": ["borda", "irv"]})[0] == 200
    head = "".join(f"# ALTERNATIVE NAME {c + 1}: {name}\n" for c, name in enumerate(names))
    lines = [",".join(map(str, [*drawn.sample(range(2, 101), 99), 1])) for _ in range(1000)]
    text = f"# NUMBER ALTERNATIVES: 100\n{head}" + "".join(f"1: {line}\n" for line in lines)
    assert "The answer might have" in refusal(
        catalogue, "parse", {"text": text, "format": "preflib"}
    )
    long = [f"copeland:tie=0.{'0' * 900}{c}" for c in range(10)]
    batch = {"rankings": [[[0, 1]]] * 10_000, "rules": long}
    assert "The answer might have" in refusal(catalogue, "elections", batch)


def test_what_takes_too_much_memory_is_too_large(catalogue: RuleCatalogue, monkeypatch) -> None:
    for error in (MemoryError(), RecursionError(), RuntimeError("can't allocate memory: 7 bytes")):

        def fail(*_: Any, error: Exception = error) -> None:
            raise error

        monkeypatch.setattr("elect.service.deciding.profile_of", fail)
        assert refusal(catalogue, "winners", {"text": "a > b"}) == TOO_LARGE


def test_a_disk_that_is_full_is_told(catalogue: RuleCatalogue, monkeypatch, capsys) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("elect.service.ballots.TemporaryDirectory", fail)
    status, told = ask(catalogue, "export", {"text": "2: Ann > Ben", "format": "csv"})
    assert (status, "disk" in told["error"]) == (503, True)
    assert "Ann" not in capsys.readouterr().err


def test_a_private_folder_that_was_removed_is_made_again(catalogue: RuleCatalogue) -> None:
    os.rmdir(catalogue.folder)
    request = {"text": "count,1,2\n3,a,b\n", "format": "csv"}
    assert ask(catalogue, "parse", request)[0] == 200
