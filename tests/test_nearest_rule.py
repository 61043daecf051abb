"""Simple rules are recognized for what they are."""

import numpy as np
import pytest
import torch

from elect import rules
from elect.auditing import nearest_rule as module
from elect.auditing.nearest_rule import MARGINS, find_nearest_rule
from elect.cultures import culture
from elect.elections import Profiles
from elect.errors import ElectError


def elections(seed: int, voters=(5, 25), candidates=(3, 5), count: int = 1500) -> Profiles:
    return culture("impartial")(count, voters, candidates, seed=seed).profiles


LEARN, FRESH = elections(1), elections(2)


def like(name: str):
    return find_nearest_rule(lambda profiles: rules.winners(name, profiles), LEARN, FRESH)


@pytest.mark.parametrize("name", ["plurality", "borda", "anti_plurality"])
def test_scoring_rules_with_names_are_recognized(name):
    found = like(name)
    assert found.vector_name == name
    assert found.vector_agreement.value == 1
    assert found.vector_agreement.low < 1
    assert set(found.vectors) == {3, 4, 5}


def test_what_is_fitted_comes_close_without_knowing_names():
    """The regression by itself finds Borda's straight line."""
    won = rules.winners("borda", LEARN)
    for m in (3, 4, 5):
        vector = module._fit_vector(LEARN, won, m)
        assert vector == pytest.approx(np.linspace(1, 0, m), abs=0.03)
    vectors = {m: module._fit_vector(LEARN, won, m) for m in (3, 4, 5)}
    agreement = module._agreement(
        module._score(FRESH, vectors), FRESH, rules.winners("borda", FRESH)
    )
    assert agreement.value > 0.97


def test_a_vector_of_ones_own_is_found():
    rule = rules.rule("scoring:vector=10/4/1/0")
    learn, fresh = elections(3, candidates=4), elections(4, candidates=4)
    found = find_nearest_rule(lambda profiles: rules.winners(rule, profiles), learn, fresh)
    assert found.vector_name is None
    assert found.vectors[4] == pytest.approx((1, 0.4, 0.1, 0), abs=0.04)
    assert found.vector_agreement.value > 0.97
    assert found.vector_agreement.value > found.pairwise_agreement.value


def test_pairwise_rules_are_recognized():
    copeland, borda = like("copeland"), like("borda")
    assert copeland.pairwise_name == "copeland"
    assert copeland.pairwise_agreement.value == 1
    assert copeland.worth == (0,) * 5 + (0.5,) + (1,) * 5
    assert copeland.vector_agreement.value < 0.95
    # Borda is a function of the margins too.
    assert borda.pairwise_agreement.value == 1


def test_what_is_fitted_to_copeland_is_a_step():
    worth = module._fit_worth(module._pairs(LEARN), LEARN, rules.winners("copeland", LEARN))
    assert (np.diff(worth) >= 0).all()
    jump = worth[6] - worth[4]
    assert jump > 0.8
    assert worth[5] - worth[4] == pytest.approx(jump / 2, abs=0.1)


def test_features_of_pairs_add_up_to_sums_over_opponents():
    worth = np.array([(1 + margin) / 2 for margin in MARGINS])
    scores = module._pairs(FRESH) @ torch.from_numpy(worth)
    borda = rules.rule("borda")(FRESH) / FRESH.num_voters[:, None]
    assert torch.allclose(scores[FRESH.mask], borda[FRESH.mask])


def test_maximin_is_likened_best_by_a_pairwise_rule():
    found = like("maximin")
    assert found.pairwise_agreement.value > max(0.9, found.vector_agreement.value)
    assert found.pairwise_agreement.low < found.pairwise_agreement.value
    # Defeats matter, and victories do not: the function rises on the left.
    assert found.worth[5] > 0.5


def test_elections_that_cannot_be_used_are_refused():
    truncated = Profiles.from_rankings([[0, 1], [2]], num_candidates=3)
    with pytest.raises(ElectError, match="complete"):
        find_nearest_rule(lambda profiles: rules.winners("borda", profiles), truncated, FRESH)
    with pytest.raises(ElectError, match="numbers of candidates"):
        find_nearest_rule(
            lambda profiles: rules.winners("borda", profiles), elections(1, candidates=3), FRESH
        )


def test_it_goes_into_json():
    words = like("borda").to_json()
    assert words["scoring"]["name"] == "borda"
    assert words["pairwise"]["agreement"] == 1
    assert words["scoring"]["vectors"]["3"] == [1, 0.5, 0]
