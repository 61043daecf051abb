"""Rules that can take long stop in time and say what they know."""

import json
import math

import numpy as np
import pytest

import elect
from elect.deadlines import Clock, OutOfTime, time_limit
from elect.elections import Profiles
from elect.errors import ElectError, Unsettled
from elect.rules import RULES, rule, settled, winners
from profiles import random_profile

# Far too little for the hard elections below, and enough for any other.
SECONDS = 0.2
SLOW = ["kemeny", "slater", "dodgson", "young", "ranked_pairs"]


@pytest.fixture(scope="module")
def hard() -> Profiles:
    """Eight voters who agree on nothing rank seventy candidates."""
    return random_profile(np.random.default_rng(1), 8, 70)


@pytest.mark.parametrize("name", SLOW)
def test_scores_are_given_up_in_one_sentence(name: str, hard: Profiles) -> None:
    with time_limit(SECONDS), pytest.raises(Unsettled, match=f"^{name} .*(settled).*;") as raised:
        rule(name)(hard)
    possible = raised.value.possible[0]
    assert possible.any()
    assert not raised.value.winners.any()


@pytest.mark.parametrize("name", ["kemeny", "slater"])
def test_who_can_still_win_is_known(name: str) -> None:
    """The first twenty beat all others, who therefore cannot win."""
    rng = np.random.default_rng(1)
    top = np.argsort(rng.random((1, 8, 60)), -1)
    rest = 60 + np.argsort(rng.random((1, 8, 4)), -1)
    profile = Profiles.from_rankings(np.concatenate([top, rest], -1))
    with pytest.raises(Unsettled, match=r"was not settled in 0\.05 s: 60 of 64 .* best ranking"):
        winners(name, profile, seconds=0.05)
    with pytest.raises(Unsettled) as raised:
        winners(name, profile, seconds=0.05)
    assert raised.value.possible[0].tolist() == [True] * 60 + [False] * 4


def test_the_other_elections_of_a_batch_are_settled(hard: Profiles) -> None:
    easy = [random_profile(np.random.default_rng(seed), 9, 6) for seed in range(3)]
    batch = Profiles.concat([easy[0], hard, *easy[1:]])
    with time_limit(SECONDS):
        with pytest.raises(Unsettled, match="1 of 4 elections"):
            winners("kemeny", batch)
        found = settled("kemeny", batch)
    assert not found[1].any()
    for b, one in zip((0, 2, 3), easy, strict=True):
        assert found[b, :6].equal(winners("kemeny", one)[0])


@pytest.mark.parametrize("name", SLOW)
def test_quick_elections_do_not_notice_the_limit(name: str) -> None:
    profile = random_profile(np.random.default_rng(2), 15, 7)
    with time_limit(math.inf):
        expected = winners(name, profile)
    assert winners(name, profile, seconds=20).equal(expected)


def test_the_limit_is_sixty_seconds_and_holds_inside_only() -> None:
    assert 59 < Clock().left() <= 60
    with elect.time_limit(5):
        assert 4 < Clock().left() <= 5
    assert Clock().left() > 59
    with time_limit(1e-9):
        clock = Clock()
        with pytest.raises(OutOfTime):
            clock.left()


@pytest.mark.parametrize("seconds", [0, -1, math.nan, True])
def test_a_limit_is_a_number_above_zero(seconds: float) -> None:
    with pytest.raises(ElectError, match="above 0"), time_limit(seconds):
        pass


def test_all_rules_are_shown_but_those_that_take_too_long(run, tmp_path, hard: Profiles) -> None:
    path = elect.write(hard, tmp_path / "hard.soc")
    code, out, err = run("winner", path, "--seconds", "0.3")
    assert (code, err) == (0, "")
    shown, _, late = out.partition("Not settled in time")
    assert "Instant runoff" in shown
    assert "Borda" in shown
    assert "kemeny" in late
    assert "was not settled in 0.3 s" in " ".join(late.split())


def test_json_says_which_rules_were_not_settled(run, tmp_path, hard: Profiles) -> None:
    path = elect.write(hard, tmp_path / "hard.soc")
    rules = ["--rule", "kemeny", "--rule", "borda"]
    code, out, err = run("winner", path, *rules, "--seconds", "0.3", "--json")
    assert (code, err) == (0, "")
    borda, kemeny = json.loads(out)
    assert borda["winners"]
    assert kemeny["winners"] == []
    assert "not settled in 0.3 s" in kemeny["unsettled"]


@pytest.mark.parametrize("command", ["winner", "rank"])
def test_one_rule_that_takes_too_long_is_an_error(run, tmp_path, hard: Profiles, command) -> None:
    path = elect.write(hard, tmp_path / "hard.soc")
    code, out, err = run(command, path, "--rule", "kemeny", "--seconds", "0.3")
    assert code == 2
    assert err.startswith("elect: kemeny was not settled in 0.3 s: every candidate can still win")
    assert "Traceback" not in out + err


def test_every_other_rule_is_quick(hard: Profiles) -> None:
    """Whatever is not named above must not be able to take long."""
    with time_limit(1e-6):
        for name in set(RULES) - {*SLOW, "scoring", "approval"}:
            assert winners(name, hard).any()
