"""Ranked pairs where margins tie, against plain enumeration of all orders."""

from importlib import import_module
from itertools import permutations, product

import numpy as np
import pytest

from elect.elections import Profiles
from elect.errors import ElectError
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
    while seen < 150:
        profile = random_profile(rng, int(rng.integers(2, 9)), 4)
        margins = profile.margins[0].numpy()
        sizes = [int((margins == v).sum()) for v in np.unique(margins[margins > 0])]
        if max(sizes, default=0) <= 5:
            assert set(winner_list(ranked_pairs(profile)[0])) == enumerate_winners(margins)
            seen += 1


def test_a_ranking_where_no_margins_tie() -> None:
    profile = Profiles.from_rankings([[0, 1, 2], [1, 2, 0], [2, 0, 1]], weights=[40, 31, 27])
    assert ranked_pairs(profile)[0].tolist() == [0, -1, -2]


def test_gives_up_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    # The package gives the name to the function, so the module is asked for by its own.
    monkeypatch.setattr(import_module("elect.rules.ranked_pairs"), "PATIENCE", 0)
    rng = np.random.default_rng(1)
    profile = Profiles.concat([random_profile(rng, 3, 12) for _ in range(20)])
    with pytest.raises(ElectError, match="too many margins are equal"):
        ranked_pairs(profile)
