"""Folders of trainings that are damaged, mixed up or hostile: one sentence, or a rule that works.

Every field of the card, the recipe and the state is replaced by hostile values, with checksums that
are right; files are cut, changed by a bit, exchanged between trainings, and removed.
"""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from elect.checkpoints import CARD, WEIGHTS, _checksum, load, read_tensors, write_tensors
from elect.cultures import culture
from elect.errors import ElectError
from elect.learned import lesson
from elect.objectives import mimic, posterior
from elect.training import saved_recipe
from elect.training.progress import LOG
from elect.training.recipe import recipe_of
from elect.training.state import STATE
from trainings import BASE, quietly

RECIPE = replace(
    BASE,
    objectives=(mimic("plurality"), posterior("nash", "polarized", samples=2)),
    network="tally",
    arguments={"width": 8, "blocks": 1},
    optimizer="lookahead",
    steps=2,
    validation=8,
    validate_every=1,
    checkpoint_every=1,
)
FILES = (CARD, WEIGHTS, STATE, LOG)

HOSTILE: list[Any] = [
    *(None, True, -1, 0, 3, 2**31, 2**63, 2**80, 1e308, float("nan"), float("inf"), -0.5),
    *("", "x", "uniform:phi=1", "\x00\n", [], [1], [1, float("inf")], [3, 1], [[1, 2]], ["x", "y"]),
    *({}, {"a": 1}, [{}], [{"kind": []}], {"width": 2**63}, {"width": 10**6, "blocks": 10**9}),
]
NESTED = "[" * 100_000 + "]" * 100_000


@pytest.fixture(scope="module")
def trained(tmp_path_factory) -> Path:
    """A small training that is finished, with figures on its card."""
    folder = tmp_path_factory.mktemp("trained") / "rule"
    quietly(RECIPE, folder)
    card = json.loads((folder / CARD).read_text())
    card["measured"] = [{"head": "plurality", "voters": [2, 9], "candidates": [2, 5]}]
    (folder / CARD).write_text(json.dumps(card))
    return folder


@pytest.fixture(scope="module")
def other(tmp_path_factory) -> Path:
    """Another training, of the same network: nothing but the recipe tells them apart."""
    folder = tmp_path_factory.mktemp("other") / "rule"
    quietly(replace(RECIPE, seed=5), folder)
    return folder


@pytest.fixture
def fresh(trained, tmp_path) -> Callable[[], Path]:
    """A new copy of the training, as often as one asks."""

    def copy() -> Path:
        shutil.rmtree(tmp_path / "rule", ignore_errors=True)
        return Path(shutil.copytree(trained, tmp_path / "rule"))

    return copy


PROFILES = culture("uniform")(4, (2, 9), (2, 5), seed=0).profiles


def use(folder: Path) -> str:
    """Use the rule for everything; gives the sentence if that is refused."""
    try:
        rule = load(folder)
        for number, head in enumerate(rule.card.heads):
            one = rule.head(head)
            assert one.winners(PROFILES).any(1).all()
            assert one.probabilities(PROFILES).isfinite().all()
            one.caveats(PROFILES)
            assert lesson(rule.card.objectives[number], rule.card.culture)
        return ""
    except ElectError as error:
        return sentence(error)


def resume(folder: Path) -> str:
    """Go on with the training; if that is refused, no file may have been touched."""
    before = content(folder)
    try:
        quietly(saved_recipe(folder), folder, resume=True)
        return ""
    except ElectError as error:
        assert content(folder) == before
        return sentence(error)


def sentence(error: ElectError) -> str:
    text = str(error)
    assert text.endswith("."), text
    assert "\n" not in text
    return text


def content(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.iterdir() if path.is_file() and path.stat().st_size < 2**30]
    return {path.name: path.read_bytes() for path in files}


def changes(words: Any, values: list[Any]) -> Iterator[tuple[str, Any]]:
    """The words with each value, at every level, replaced by each of these, or left out."""
    items = words.items() if isinstance(words, dict) else enumerate(words)
    for key, old in list(items):
        for value in values:
            yield f"{key} = {value!r}", _with(words, key, value)
        if isinstance(words, dict):
            yield f"without {key}", {k: v for k, v in words.items() if k != key}
        if isinstance(old, dict | list):
            for name, new in changes(old, values[::4]):
                yield f"{key}.{name}", _with(words, key, new)


def _with(words: Any, key: Any, value: Any) -> Any:
    copy = words.copy()
    copy[key] = value
    return copy


# ---------------------------------------------------------------------- hostile values


def test_hostile_cards(fresh):
    folder, refused, tried = fresh(), 0, 0
    card = json.loads((folder / CARD).read_text())
    for name, changed in changes(card, HOSTILE):
        (folder / CARD).write_text(json.dumps(changed))
        print(name)
        refused, tried = refused + bool(use(folder)), tried + 1
    assert tried > 400
    assert refused > tried / 2


@pytest.mark.parametrize("bare", [False, True], ids=["with weights", "before the first weights"])
def test_hostile_states(fresh, bare):
    folder, refused, tried = fresh(), 0, 0
    tensors, about = read_tensors(folder / STATE)
    kept = (folder / STATE).read_bytes()
    told = [*changes(about, HOSTILE[::2])]
    for part in ("recipe", "state"):
        told += [(name, {**about, part: new}) for name, new in changes(about[part], HOSTILE)]
    for name, changed in told[bare::5]:
        write_tensors(folder / STATE, tensors, changed)
        if bare:
            for one in (CARD, WEIGHTS, LOG):
                (folder / one).unlink(missing_ok=True)
        print(name)
        refused, tried = refused + bool(resume(folder)), tried + 1
    assert tried > 150
    assert refused > tried / 2
    (folder / STATE).write_bytes(kept)
    assert not resume(folder)


def test_hostile_recipes():
    """A recipe is refused before anything of its size is made."""
    words = RECIPE.describe()
    for name, changed in changes(words, HOSTILE):
        print(name)
        with suppress(ElectError):
            recipe_of(changed)


def test_hostile_optimizers(fresh):
    folder = fresh()
    tensors, about = read_tensors(folder / STATE)
    for name in [name for name in tensors if "optimizer.0" in name or "inner.0" in name]:
        for value in (torch.zeros(3), torch.zeros(0), torch.zeros((), dtype=torch.int64)):
            write_tensors(folder / STATE, {**tensors, name: value}, about)
            assert "damaged" in resume(folder)
    write_tensors(folder / STATE, {**tensors, "inner.0.more": torch.zeros(3)}, about)
    assert "damaged" in resume(folder)


@pytest.mark.parametrize("text", [NESTED, "9" * 10_000, '{"a":' * 5000, "null", "[]", '"x"', "{"])
def test_other_json(fresh, text):
    folder = fresh()
    (folder / CARD).write_text(text)
    assert "damaged" in use(folder)
    assert "damaged" in resume(folder)
    folder = fresh()
    tensors, _ = read_tensors(folder / STATE)
    about = {"elect": text, "checksum": _checksum(tensors, text)}
    save_file(tensors, folder / STATE, about)
    assert "damaged" in resume(folder)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
@pytest.mark.parametrize("name", [WEIGHTS, STATE])
def test_weights_that_are_no_numbers(fresh, name, value):
    folder = fresh()
    tensors, about = read_tensors(folder / name)
    first = next(key for key, one in tensors.items() if one.is_floating_point() and one.numel() > 1)
    tensors[first].view(-1)[-1] = value
    write_tensors(folder / name, tensors, about)
    assert "not finite numbers" in (use if name == WEIGHTS else resume)(folder)


def test_a_network_too_large_to_build(fresh, monkeypatch):
    """It is compared with its weights before any memory is used for it."""
    folder = fresh()
    card = json.loads((folder / CARD).read_text())
    for arguments in ({"width": 2**63}, {"width": 2**30}, {"blocks": 10**9}, {"pair": 2**40}):
        (folder / CARD).write_text(json.dumps({**card, "arguments": arguments}))
        assert use(folder)


REVIEWED = {
    "infinity": {"voters": [1, float("inf")]},
    "no objective": {"objectives": [1]},
    "an empty objective": {"objectives": [{}, {}]},
    "no figures": {"measured": [1]},
    "absurd size": {"arguments": {"width": 2**63}},
}


@pytest.mark.parametrize("change", REVIEWED)
@pytest.mark.parametrize(
    "command",
    ["evaluate {0}", "winner {1} --rule {0}", "audit {0}", "train --resume --out {0}"],
)
def test_commands_answer_with_a_sentence(run, ballots, fresh, change, command):
    folder, file = fresh(), ballots("3,Ann,Ben,Cleo\n2,Ben,Cleo,Ann\n")
    card = json.loads((folder / CARD).read_text())
    (folder / CARD).write_text(json.dumps({**card, **REVIEWED[change]}))
    code, out, err = run(*command.format(folder, file).split())
    assert (code, out) == (2, "")
    assert err.startswith("elect: ")
    assert len(err.splitlines()) == 1
    assert str(folder) in err


def test_a_log_of_another_training(fresh):
    folder = fresh()
    text = (folder / LOG).read_text()
    (folder / LOG).write_text(text.replace("plurality", "borda"))
    assert "belongs to another training" in resume(folder)


# ---------------------------------------------------------------------- damaged files


@pytest.mark.parametrize("name", FILES)
def test_cut_and_changed_files(fresh, name):
    rng, whole = np.random.default_rng(7), fresh()
    data = (whole / name).read_bytes()
    cuts = [data[: int(share * len(data))] for share in (0, 0.01, 0.5, 0.999)]
    for place in rng.integers(0, len(data), 9):
        changed = bytes([data[place] ^ (1 << int(rng.integers(8)))])
        cuts.append(data[:place] + changed + data[place + 1 :])
    cuts += [b"\x00" * 100, b"\xff" * 100, data + b"\x00"]
    for damaged in cuts:
        folder = fresh()
        (folder / name).write_bytes(damaged)
        use(folder)
        resume(folder)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("put", ["nothing", "folder", "pipe", "link to nowhere", "huge file"])
def test_something_else_in_place_of_a_file(fresh, name, put):
    folder = fresh()
    path = folder / name
    path.unlink()
    if put == "folder":
        path.mkdir()
    elif put == "pipe":
        os.mkfifo(path)
    elif put == "link to nowhere":
        path.symlink_to("nowhere")
    elif put == "huge file":
        # It takes no space on the disk.
        with path.open("wb") as file:
            file.truncate(2**40)
    used, resumed = use(folder), resume(folder)
    assert bool(used) == (name in (CARD, WEIGHTS) and not (put == "nothing" and not used))
    if put == "huge file" or name == STATE:
        assert resumed


@pytest.mark.parametrize("names", [(STATE,), (WEIGHTS,), (CARD,), (WEIGHTS, CARD), (STATE, CARD)])
def test_files_of_another_training(fresh, other, names):
    folder = fresh()
    for name in names:
        shutil.copy(other / name, folder / name)
    assert "different trainings" in resume(folder)


def test_all_files_of_another_training(fresh, other):
    folder = fresh()
    for name in FILES:
        shutil.copy(other / name, folder / name)
    assert not resume(folder)
    with pytest.raises(ElectError, match="another seed"):
        quietly(RECIPE, folder, resume=True)


def test_trainings_from_before_weights_named_theirs(fresh):
    """Their weights do not say of which training they are; the card must do."""
    folder = fresh()
    weights, _ = read_tensors(folder / WEIGHTS)
    write_tensors(folder / WEIGHTS, weights, {})
    assert not resume(folder)
