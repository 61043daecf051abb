"""Trained rules on disk: what comes back, and what is said of files that are not whole."""

import json
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from pref_voting.profiles import Profile
from pref_voting.profiles_with_ties import ProfileWithTies
from safetensors.torch import save_file
from torch import nn

from elect import learned
from elect.checkpoints import (
    CARD,
    WEIGHTS,
    build,
    load,
    read_tensors,
    save,
    shelf,
    write_card,
    write_tensors,
    write_whole,
)
from elect.elections import Profiles
from elect.errors import ElectError
from elect.learned import Card, LearnedRule
from elect.objectives import mimic, posterior
from elect.resolve import as_pref_voting
from profiles import for_pref_voting, mixed_batch, random_profile

ARGUMENTS = {"width": 8, "layers": 2, "max_candidates": 6}


class Places(nn.Module):
    """Logits are learned multiples of the plurality and the Borda count: one number a head."""

    def __init__(self, heads: int = 1, scale: float = 1.0) -> None:
        super().__init__()
        self.weights = nn.Parameter(torch.tensor([[1.0, 0.0], [0.0, 1.0]])[:heads] * scale)

    def forward(self, profiles: Profiles) -> torch.Tensor:
        m, places = profiles.num_candidates[:, None, None], profiles.places.float()
        points = (m - 1 - torch.arange(places.shape[2])).clamp(min=0)
        counts = torch.stack([places[:, :, 0], (places * points).sum(2)], 1)
        logits = torch.einsum("hk,bkc->bhc", self.weights, counts)
        return logits.masked_fill(~profiles.mask[:, None], -torch.inf)


MAKERS = {"places": Places}


def a_card(**changes) -> Card:
    told = Card(
        network="deepsets",
        arguments=ARGUMENTS,
        objectives=[{"kind": "mimic", "of": "borda"}, {"kind": "oracle", "of": "nash"}],
        heads=["borda", "nash"],
        culture="uniform",
        voters=[2, 20],
        candidates=[2, 6],
        seed=7,
        steps=100,
        minutes=0.5,
    )
    return replace(told, **changes)


def some_profiles(count: int = 12) -> Profiles:
    rng = np.random.default_rng(0)
    return mixed_batch([random_profile(rng, 3 + i % 9, 2 + i % 5) for i in range(count)])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    torch.manual_seed(0)
    save(tmp_path / "rule", build("deepsets", ARGUMENTS, 2).state_dict(), a_card())
    return tmp_path / "rule"


@pytest.fixture
def places(tmp_path: Path) -> LearnedRule:
    card = a_card(network="places", arguments={"scale": 2.0}, heads=["plurality", "borda"])
    save(tmp_path / "places", Places(2, scale=2.0).state_dict(), card)
    return load(tmp_path / "places", makers=MAKERS)


# ---------------------------------------------------------------------- there and back


def test_a_rule_comes_back_as_it_was(folder):
    torch.manual_seed(0)
    network, profiles = build("deepsets", ARGUMENTS, 2), some_profiles()
    with torch.no_grad():
        logits = network(profiles)
    rule = load(folder)
    assert rule.card == a_card()
    assert torch.equal(rule(profiles), logits[:, 0])
    assert torch.equal(load(folder, head="nash")(profiles), logits[:, 1])
    assert (rule(profiles) == -torch.inf).equal(~profiles.mask)
    assert not rule(profiles).requires_grad
    assert not rule.network.training


def test_probabilities_and_winners(places):
    profile = Profiles.from_rankings([[0, 1, 2], [0, 1, 2], [1, 2, 0], [1, 0, 2], [2, 1, 0]])
    # Logits are twice the first places: 2, 2 and 1 of them.
    chances = np.exp([4, 4, 2]) / np.exp([4, 4, 2]).sum()
    assert places.probabilities(profile)[0].tolist() == pytest.approx(chances, rel=1e-5)
    assert places.winners(profile).tolist() == [[True, True, False]]
    assert places.head("borda").winners(profile).tolist() == [[False, True, False]]
    assert places.probabilities(some_profiles()).sum(1).tolist() == pytest.approx([1] * 12)
    assert not places.winners(some_profiles())[~some_profiles().mask].any()


def test_sets_by_sigmoid_are_all_who_probably_win(places):
    objectives = [{"kind": "mimic", "winners": "sigmoid"}] * 2
    with torch.no_grad():
        places.network.weights[:] = torch.tensor([[1.0, 0.0], [-1.0, 0.0]])
    rule = LearnedRule(places.network, replace(places.card, objectives=objectives))
    profile = Profiles.from_rankings([[0, 1, 2], [0, 1, 2], [1, 2, 0]])
    assert rule.probabilities(profile)[0].tolist() == pytest.approx([0.881, 0.731, 0.5], abs=1e-3)
    assert rule.winners(profile).tolist() == [[True, True, True]]
    # Where nobody probably wins, the likeliest does.
    all_firsts = Profiles.from_rankings([[0, 1], [1, 0]])
    assert rule.head("borda").winners(all_firsts).tolist() == [[True, True]]


def test_many_elections_are_looked_at_in_pieces(folder, monkeypatch):
    rule, profiles = load(folder), some_profiles(40)
    whole = rule(profiles)
    monkeypatch.setattr(learned, "AT_ONCE", 3 * profiles.ranks[0].numel())
    assert torch.allclose(rule(profiles), whole, atol=1e-6)


def test_a_renumbered_network_answers_the_same_twice(tmp_path):
    torch.manual_seed(0)
    network = build("deepsets", ARGUMENTS, 2, neutral="plurality")
    save(tmp_path, network.state_dict(), a_card(neutral="plurality"))
    rule, profiles = load(tmp_path), some_profiles(60)
    assert torch.equal(rule(profiles), rule(profiles))
    assert torch.equal(rule(profiles), load(tmp_path)(profiles))


def test_a_rule_says_what_it_does_not_know(folder):
    rule = load(folder)
    assert rule.caveats(some_profiles()) == []
    rng = np.random.default_rng(0)
    [note] = rule.caveats(random_profile(rng, 50, 4))
    assert "2 to 20 voters" in note
    assert len(rule.caveats(random_profile(rng, 50, 7))) == 2
    [note] = rule.caveats(Profiles.from_rankings([[0, 1, 2], [1]]))
    assert "truncated" in note
    measured = [{"voters": [2, 100], "candidates": [2, 6], "accuracy": 0.9}]
    write_card(folder, replace(rule.card, measured=measured))
    assert load(folder).caveats(random_profile(rng, 50, 4)) == []


def test_as_pref_voting(places):
    method = as_pref_voting(places.head("borda"), name="Learned Borda")
    assert method.name == "Learned Borda"
    rng = np.random.default_rng(1)
    for _ in range(20):
        ours = random_profile(rng, 5, 4)
        won = places.head("borda").winners(ours)[0].nonzero()[:, 0].tolist()
        assert method(for_pref_voting(ours)) == won
        assert method(for_pref_voting(ours, weak=True)) == won
    profile = Profile([[0, 1, 2], [2, 1, 0]], rcounts=[3, 2])
    assert as_pref_voting(places)(profile) == [0]
    assert as_pref_voting(places)(profile, curr_cands=[1, 2]) == [1]
    named = ProfileWithTies([{10: 1, 20: 2}, {20: 1, 10: 2}], [2, 5])
    assert as_pref_voting(places)(named) == [20]


def test_the_shelf():
    for name in shelf():
        assert load(name).card.measured
    with pytest.raises(ElectError, match="no trained rule at 'nowhere'"):
        load("nowhere")


def test_unknown_heads(folder):
    with pytest.raises(ElectError, match="has learned borda, nash"):
        load(folder, head="kemeny")


# ---------------------------------------------------------------------- not whole


def refused(folder: Path, words: str) -> None:
    """One sentence, on one line, that names the file."""
    with pytest.raises(ElectError, match=words) as caught:
        load(folder)
    message = str(caught.value)
    assert "\n" not in message
    assert message.endswith(".")
    assert str(folder) in message


@pytest.mark.parametrize("share", [0.0, 0.001, 0.2, 0.5, 0.9, 0.99])
@pytest.mark.parametrize("name", [WEIGHTS, CARD])
def test_cut_short(folder, name, share):
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[: int(len(content) * share)])
    refused(folder, "damaged")


def test_any_changed_bit_of_the_weights_is_noticed(folder):
    content, (whole, _) = (folder / WEIGHTS).read_bytes(), read_tensors(folder / WEIGHTS)
    rng = np.random.default_rng(0)
    for place in [0, 3, 8, 9, 30, len(content) - 1, *rng.integers(0, len(content), 60)]:
        changed = bytearray(content)
        changed[place] ^= 1 << int(rng.integers(8))
        (folder / WEIGHTS).write_bytes(bytes(changed))
        try:
            load(folder)
        except ElectError:
            continue
        # A few bits of the header say nothing that is used.
        assert place < int.from_bytes(content[:8], "little") + 8
        back, _ = read_tensors(folder / WEIGHTS)
        assert back.keys() == whole.keys()
        assert all(torch.equal(back[name], whole[name]) for name in whole)


def test_a_pickle_is_never_opened(folder, tmp_path):
    class Trap:
        def __reduce__(self):
            return (Path.touch, (tmp_path / "sprung",))

    (folder / WEIGHTS).write_bytes(pickle.dumps(Trap()))
    refused(folder, "no safetensors file")
    torch.save({"a": torch.zeros(3)}, folder / WEIGHTS)
    refused(folder, "no safetensors file")
    assert not (tmp_path / "sprung").exists()


def test_somebody_elses_weights(folder):
    save_file({"weight": torch.zeros(3)}, folder / WEIGHTS)
    refused(folder, "not written by this library")
    write_tensors(folder / WEIGHTS, {"weight": torch.zeros(3)}, {})
    refused(folder, "not those of the network")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"network": "deepset"}, "did you mean 'deepsets'"),
        ({"network": 5}, "damaged"),
        ({"arguments": {"width": 16, "layers": 2, "max_candidates": 6}}, "not those of"),
        ({"arguments": {"breadth": 16}}, "no setting 'breadth'"),
        ({"arguments": {"width": 10**15}}, "not those of"),
        ({"arguments": [8, 2]}, "damaged"),
        ({"heads": []}, "damaged"),
        ({"heads": "bo"}, "damaged"),
        ({"heads": ["one"]}, "damaged"),
        ({"voters": [2]}, "damaged"),
        ({"candidates": "few"}, "damaged"),
        ({"measured": 3}, "damaged"),
    ],
)
def test_a_card_that_does_not_fit(folder, change, words):
    told = json.loads((folder / CARD).read_text())
    (folder / CARD).write_text(json.dumps({**told, **change}))
    refused(folder, words)


@pytest.mark.parametrize("content", [b"[]", b"null", b"3", b"{}", b"\xff\xfe\x00", b'{"network":'])
def test_something_else_in_place_of_the_card(folder, content):
    (folder / CARD).write_bytes(content)
    refused(folder, "damaged")


def test_missing_files(folder):
    (folder / WEIGHTS).unlink()
    refused(folder, "missing")
    (folder / CARD).unlink()
    refused(folder, "no trained rule")


def test_cards_of_later_versions_can_say_more(folder):
    told = json.loads((folder / CARD).read_text())
    (folder / CARD).write_text(json.dumps({**told, "smell": "of roses"}))
    assert load(folder).card == a_card()


def test_tensors_of_every_kind(tmp_path):
    tensors = {
        "empty": torch.zeros(0, 3),
        "number": torch.tensor(3.5),
        "flags": torch.tensor([True, False]),
        "turned": torch.arange(6).view(2, 3).T,
        "bytes": torch.arange(5, dtype=torch.uint8),
    }
    write_tensors(tmp_path / "all", tensors, {"step": 3, "named": "Ω"})
    back, about = read_tensors(tmp_path / "all")
    assert about == {"step": 3, "named": "Ω"}
    assert back.keys() == tensors.keys()
    assert all(torch.equal(back[name], tensors[name]) for name in tensors)


def test_the_old_file_stays_until_the_new_one_is_whole(tmp_path, monkeypatch):
    write_whole(tmp_path / "file", b"old")
    monkeypatch.setattr("os.fsync", lambda _: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        write_whole(tmp_path / "file", b"new")
    assert (tmp_path / "file").read_bytes() == b"old"


def test_whom_only_rounding_tells_apart_are_tied() -> None:
    objectives = [posterior("nash").describe(), mimic("borda").describe()]
    card = Card("tally", {}, objectives, ["nash", "borda"], "uniform", [2, 9], [2, 5], 0, 1, 0.1)
    rule = LearnedRule(torch.nn.Linear(1, 1), card)
    logits = torch.tensor([[1.0, 1.0 + 2e-7, 0.9]])
    assert rule.winners_of(logits).tolist() == [[True, True, False]]
    assert rule.head("borda").winners_of(logits).tolist() == [[True, True, True]]


def test_a_tie_is_told_where_it_is_likelier_than_not():
    """A mixture of winner sets, as soft labels teach it: even odds are the border."""
    network = build("deepsets", ARGUMENTS, 1)
    rule = LearnedRule(network, a_card(heads=["borda"], objectives=[{"kind": "mimic"}]))
    for odds, tied in ((0.45, False), (0.55, True)):
        shares = torch.tensor([[1 - odds / 2, odds / 2, 1e-9]])
        assert rule.winners_of(shares.log()).tolist() == [[True, tied, False]]
