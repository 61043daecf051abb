"""The kinds of training objectives: their labels and losses.

An `elect.objectives.Objective` is one of these kinds with a rule or a welfare. The `ObjectiveKind`
record holds everything about a kind, so that other code does not depend on its name.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from elect import rules
from elect.cultures import Culture, Seed
from elect.cultures.redraw import redraw
from elect.elections import Elections, Winners
from elect.errors import ElectError
from elect.rules.posterior import posterior_shares, require_dirichlet
from elect.welfares import judge

Logits = Float[Tensor, "batch candidate"]
Losses = Float[Tensor, "batch"]


class Label(NamedTuple):
    """The labels of a batch of elections by one objective.

    Attributes:
        values: each candidate's target probability, whether it wins, or its welfare; 0 for padding.
        weights: the weight of each election; 0 leaves it out.
    """

    values: Tensor
    weights: Tensor


# Objectives of one kind that differ in nothing but the welfare, elections, their culture, a seed.
Labeller = Callable[[Sequence[Any], Elections, Culture | None, Seed], list[Label]]


@dataclass(frozen=True)
class ObjectiveKind:
    """A kind of objective, with its metadata.

    Attributes:
        name: what it is called in commands and on the cards of trained rules.
        title: what a network learns by it, as the end of "learned to"; ``{of}`` is the rule or the
            welfare, ``{culture}`` where elections come from.
        imitates: whether it is about a rule; otherwise it is about a welfare.
        label: the labels of elections by several objectives of this kind.
        loss: what logits are short of the values, for each election.
        sets: whether it says who wins, so that winner sets can be learned by sigmoid.
        shared_draws: whether objectives that differ in the welfare alone can share their draws.
    """

    name: str
    title: str
    imitates: bool
    label: Labeller
    loss: Callable[[Logits, Tensor], Losses]
    sets: bool = False
    shared_draws: bool = False


# ---------------------------------------------------------------------- losses


def cross_entropy(logits: Logits, values: Tensor) -> Losses:
    """−Σ_c value_c log softmax(logits)_c."""
    # 0 × -inf would be NaN.
    logs = logits.log_softmax(1).masked_fill(logits == -torch.inf, 0)
    return -(values * logs).sum(1)


def missed_welfare(logits: Logits, values: Tensor) -> Losses:
    """−Σ_c softmax(logits)_c value_c."""
    return -(logits.softmax(1) * values).sum(1)


def by_sigmoid(logits: Logits, values: Tensor) -> Losses:
    """The mean over candidates of the binary cross-entropy of whether each wins."""
    padding = logits == -torch.inf
    filled = logits.masked_fill(padding, 0)
    each = binary_cross_entropy_with_logits(filled, values, reduction="none")
    return each.masked_fill(padding, 0).sum(1) / (~padding).sum(1)


# ---------------------------------------------------------------------- labels


def _mimic(
    objectives: Sequence[Any], elections: Elections, culture: Culture | None, seed: Seed
) -> list[Label]:
    profiles = elections.profiles
    return [_prize(one, rules.settled(one.function, profiles)) for one in objectives]


def _oracle(
    objectives: Sequence[Any], elections: Elections, culture: Culture | None, seed: Seed
) -> list[Label]:
    def label(one: Any) -> Label:
        scores = judge(one.function, _with_utilities(one, elections, seed))
        return _prize(one, scores == scores.amax(1, keepdim=True))

    return [label(one) for one in objectives]


def _posterior(
    objectives: Sequence[Any], elections: Elections, culture: Culture | None, seed: Seed
) -> list[Label]:
    if culture is None:
        raise ElectError("A posterior needs the culture that the elections come from.")
    profiles, samples = elections.profiles, objectives[0].samples
    goals = [one.function for one in objectives]
    shares = posterior_shares(require_dirichlet(culture), goals, profiles, samples, seed)
    ones = torch.ones(len(profiles))
    return [Label(share.masked_fill(~profiles.mask, 0), ones) for share in shares]


def _expected_welfare(
    objectives: Sequence[Any], elections: Elections, culture: Culture | None, seed: Seed
) -> list[Label]:
    def label(one: Any) -> Label:
        scores = judge(one.function, _with_utilities(one, elections, seed))
        best = scores.amax(1, keepdim=True)
        # Where the best is worth nothing, nothing is lost by anyone.
        gains = torch.where(best > 0, scores / best, 1.0)
        return Label(gains.masked_fill(~elections.profiles.mask, 0), torch.ones(len(gains)))

    return [label(one) for one in objectives]


def _prize(objective: Any, won: Winners) -> Label:
    count = won.sum(1, keepdim=True)
    # Where nobody has won, the rule has given up.
    weights = (count == 1 if objective.ties == "drop" else count > 0)[:, 0]
    return Label(won if objective.winners == "sigmoid" else won / count.clamp(min=1), weights)


def _with_utilities(objective: Any, elections: Elections, seed: Seed) -> Elections:
    if objective.source is None:
        return elections
    return redraw(objective.source, elections.profiles, seed)


# ---------------------------------------------------------------------- records

_MAXIMIZE = "maximize {of} welfare in {culture} elections"

RECORDS = (
    ObjectiveKind("mimic", "imitate {of}", True, _mimic, cross_entropy, sets=True),
    ObjectiveKind("oracle", _MAXIMIZE, False, _oracle, cross_entropy, sets=True),
    ObjectiveKind("posterior", _MAXIMIZE, False, _posterior, cross_entropy, shared_draws=True),
    ObjectiveKind("expected_welfare", _MAXIMIZE, False, _expected_welfare, missed_welfare),
)
KINDS: dict[str, ObjectiveKind] = {record.name: record for record in RECORDS}
