"""Ranked pairs where margins tie, against plain enumeration of all orders."""

from itertools import permutations, product
from math import factorial, prod

import numpy as np
import pytest

from elect.elections import Profiles
from elect.errors import ElectError, Unsettled
from elect.rules import settled
from elect.rules.ranked_pairs import ranked_pairs
from profiles import random_profile, winner_list


def enumerate_winners(margins: np.ndarray) -> set[int]:
    """Lock majorities in every order that sorts them by margin."""
    m = len(margins)
    groups = [np.argwhere(margins == v).tolist() for v in np.unique(margins[margins > 0])[::-1]]
    found: set[int] = set()
    for orders in product(*(permutations(group) for group in groups)):
        reach = np.eye(m, dtype=bool)
        for a, b in (edge for order in orders for edge in order):
            if not reach[b, a]:
                reach |= reach[:, [a]] & reach[[b]]
        found |= {c for c in range(m) if reach[:, c].sum() == 1}
    return found


def test_all_orders_among_equal_margins() -> None:
    rng = np.random.default_rng(0)
    seen = 0
    while seen < 200:
        profile = random_profile(rng, int(rng.integers(2, 12)), int(rng.integers(4, 6)))
        margins = profile.margins[0].numpy()
        sizes = [int((margins == v).sum()) for v in np.unique(margins[margins > 0])]
        if prod(factorial(size) for size in sizes) <= 150:
            assert set(winner_list(ranked_pairs(profile)[0])) == enumerate_winners(margins)
            seen += 1


def test_a_ranking_where_no_margins_tie() -> None:
    profile = Profiles.from_rankings([[0, 1, 2], [1, 2, 0], [2, 0, 1]], weights=[40, 31, 27])
    assert ranked_pairs(profile)[0].tolist() == [0, -1, -2]


def test_more_candidates_than_a_machine_word_has_bits() -> None:
    # Everybody beats the last thirty; the first forty stand in threes that beat each other in turn.
    cycles = np.arange(39).reshape(13, 3)
    tail = np.arange(39, 70)
    rankings = [np.concatenate([np.roll(cycles, turn, 1).ravel(), tail]) for turn in range(3)]
    profile = Profiles.from_rankings(np.stack(rankings))
    assert winner_list(ranked_pairs(profile)[0]) == [0, 1, 2]


def test_gives_up_in_one_sentence_and_knows_the_others() -> None:
    rng = np.random.default_rng(1)
    profiles = Profiles.concat([random_profile(rng, 3, 8) for _ in range(40)])
    with pytest.raises(Unsettled, match="too many margins are equal") as raised:
        ranked_pairs(profiles, patience=1)
    winners = raised.value.winners
    known = winners.any(1)
    assert 0 < known.sum() < len(profiles)
    assert (winners == (ranked_pairs(profiles) == 0))[known].all()
    assert (settled("ranked_pairs:patience=1", profiles) == winners).all()
    assert settled("ranked_pairs", profiles).any(1).all()


def test_needs_some_patience() -> None:
    with pytest.raises(ElectError, match="whole patience of at least 1"):
        ranked_pairs(Profiles.from_rankings([[0, 1]]), patience=0)
