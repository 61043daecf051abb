"""A row of numbers for each election in which a rule is compared with its target."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields

import numpy as np
import torch
from jaxtyping import Float64, Int64
from torch import Tensor

from elect.elections import Scores, Winners
from elect.errors import ElectError
from elect.kernels import NDArray
from elect.measuring.outcomes import Credit, Elected, credit, welfare_ratio
from elect.measuring.targets import Target
from elect.objectives import Objective
from elect.rules import Scorer


@dataclass(frozen=True, eq=False)
class Observations:
    """A row for each election; NaN where a column does not apply.

    Attributes:
        voters: how many vote.
        candidates: how many stand.
        unsettled: whether the rule or its target gives up, so that nothing else applies.
        accuracy: the credit for electing the target's only winner.
        any_winner: the credit for electing one of its winners.
        exact_set: whether the winners are exactly the target's.
        one_label: the credit for electing one winner of the target, chosen at random.
        excess: the cross-entropy of the rule's logits less log m.
        ratio: the elected candidate's welfare over the highest.
        ceiling: how often the best choice is right, over utilities that fit the rankings.
        expected: how often the rule's choice is right, over the same utilities.
        ceiling_ratio: the best welfare ratio, over the same utilities.
        guesses: the credit of other rules, ``[election, rule]``.
    """

    voters: NDArray
    candidates: NDArray
    unsettled: NDArray
    accuracy: NDArray
    any_winner: NDArray
    exact_set: NDArray
    one_label: NDArray
    excess: NDArray
    ratio: NDArray
    ceiling: NDArray
    expected: NDArray
    ceiling_ratio: NDArray
    guesses: NDArray

    def __getitem__(self, rows: NDArray) -> "Observations":
        return Observations(*(getattr(self, column.name)[rows] for column in fields(self)))

    @classmethod
    def concat(cls, several: Sequence["Observations"]) -> "Observations":
        """All rows in their order."""
        return cls(
            *(np.concatenate([getattr(one, f.name) for one in several]) for f in fields(cls))
        )


@dataclass(frozen=True, eq=False)
class Task:
    """A rule and what to compare it with.

    Attributes:
        rule: the rule to evaluate.
        objective: what it should do.
        guesses: other rules by name, for comparison.
        ceiling_elections: on how many elections of each culture the ceiling is measured.
    """

    rule: Scorer
    objective: Objective
    guesses: dict[str, Scorer]
    ceiling_elections: int


@torch.no_grad()
def observe(
    task: Task, target: Target, decide: Callable[[Scorer], Elected], judged: int, samples: int
) -> Observations:
    """Compare the rule's decisions with the target, and with the ceiling in the first ``judged``
    elections, each with so many draws of utilities."""
    profiles, right = target.elections.profiles, target.right
    chosen = decide(task.rule)
    top = chosen.top
    columns = {"voters": profiles.num_voters, "candidates": profiles.num_candidates}
    columns |= _compared(chosen, target)
    columns |= _ceilings(target, top, judged, samples)
    untied = right.sum(1) == 1
    columns["accuracy"] = credit(top, right).where(untied, torch.nan)
    if chosen.logits is not None:
        excess = _excess(chosen.logits, right, profiles.num_candidates)
        columns["excess"] = excess.where(untied, torch.nan)
    columns["guesses"] = _guesses(list(task.guesses.values()), decide, right)
    blank = torch.full((len(profiles),), torch.nan, dtype=torch.float64)
    return Observations(*(columns.get(f.name, blank).cpu().numpy() for f in fields(Observations)))


def _compared(chosen: Elected, target: Target) -> dict[str, Tensor]:
    """The columns that do not apply where the rule or its target gives up."""
    top, right = chosen.top, target.right
    settled = top.any(1) & right.any(1)
    if target.welfare is not None:
        columns = {"ratio": welfare_ratio(top, target.welfare)}
    else:
        columns = {
            "any_winner": credit(top, right),
            "exact_set": (chosen.winners == right).all(1).double(),
            "one_label": credit(top, right) / right.sum(1),
        }
    known = {name: values.where(settled, torch.nan) for name, values in columns.items()}
    return {**known, "unsettled": ~settled}


def _ceilings(target: Target, top: Winners, judged: int, samples: int) -> dict[str, Tensor]:
    """What the best choice and the rule's choice reach, on the same draws of utilities."""
    values = np.full((len(top), 3), np.nan)
    found = target.prospects(judged, samples)
    for row, elected, one in zip(values, top, found, strict=False):
        row[:] = one.accuracy, one.ratio, one.reached(elected)[0]
    names = ("ceiling", "ceiling_ratio", "expected")
    return dict(zip(names, torch.from_numpy(values.T), strict=True))


def _guesses(
    guesses: Sequence[Scorer], decide: Callable[[Scorer], Elected], right: Winners
) -> Float64[Tensor, "batch guess"]:
    """The credit of each of these rules; NaN if it refuses the ballots."""
    credits = torch.full((len(right), len(guesses)), torch.nan, dtype=torch.float64)
    for column, guess in zip(credits.T, guesses, strict=True):
        with suppress(ElectError):
            column[:] = credit(decide(guess).top, right)
    return credits


def _excess(logits: Scores, right: Winners, standing: Int64[Tensor, "batch"]) -> Credit:
    """Cross-entropy less log m.

    Softmax is right even if each logit says whether that candidate wins: if candidates win
    independently of each other, softmax is the probability of each to be the only winner.
    """
    return -torch.where(right, logits.log_softmax(1), 0).sum(1) - standing.double().log()
