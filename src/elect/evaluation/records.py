"""What is noted of each election: whom a rule elects, and how good that is."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Float64, Int64
from torch import Tensor, nn

from elect import rules, specs
from elect.cultures import Culture, Dirichlet
from elect.cultures.redraw import redraw
from elect.elections import Elections, Profiles, Scores, Winners
from elect.errors import ElectError
from elect.kernels import NDArray
from elect.learned import LearnedRule
from elect.objectives import Objective
from elect.resolve import checked_scores
from elect.rules import ALIASES, RULES, Scorer
from elect.rules.base import Rule
from elect.rules.ceiling import cross_fit
from elect.rules.posterior import over_posterior
from elect.welfare import judge

Credit = Float[Tensor, "batch"]


@dataclass(frozen=True, eq=False)
class Records:
    """A row for each election; NaN where a column does not apply.

    Attributes:
        voters: how many vote.
        candidates: how many stand.
        unsettled: whether the rule or its target gives up, so that nothing else applies.
        accuracy: the credit for electing the target's only winner.
        any_winner: the credit for electing one of its winners.
        exact_set: whether the winners are exactly the target's.
        one_label: the credit for electing whom a lot among the target's winners falls on.
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

    def __getitem__(self, rows: NDArray) -> "Records":
        return Records(*(getattr(self, column.name)[rows] for column in fields(self)))

    @classmethod
    def concat(cls, several: Sequence["Records"]) -> "Records":
        """All rows in their order."""
        return cls(
            *(np.concatenate([getattr(one, f.name) for one in several]) for f in fields(cls))
        )


@dataclass(frozen=True, eq=False)
class Task:
    """What is to be noted.

    Attributes:
        rule: the rule to evaluate.
        objective: what it should do.
        guesses: rules to compare it with.
        samples: how many draws of utilities the ceiling of an election is judged on.
    """

    rule: Scorer
    objective: Objective
    guesses: dict[str, Scorer]
    samples: int


@torch.no_grad()
def record(
    task: Task, elections: Elections, culture: Culture, judged: int, rng: np.random.Generator
) -> Records:
    """Note what there is to a batch of elections from this culture, and the ceiling of the first
    ``judged`` of them."""
    objective = task.objective
    if objective.source is not None:
        culture, elections = objective.source, redraw(objective.source, elections.profiles, rng)
    profiles = elections.profiles
    top, elected, logits = decide(task.rule, profiles)
    columns = {"voters": profiles.num_voters, "candidates": profiles.num_candidates}
    if objective.kind == "mimic":
        won = _target(objective, profiles)
        columns["any_winner"] = credit(top, won)
        columns["exact_set"] = (elected == won).all(1).double()
        columns["one_label"] = credit(top, won) / won.sum(1)
    else:
        welfare = judge(objective.function, elections)
        won = welfare == welfare.amax(1, keepdim=True)
        columns["ratio"] = _ratio(top, welfare)
        if isinstance(culture, Dirichlet) and judged:
            columns |= _ceilings(task, profiles, culture, top, judged, rng)
    settled = top.any(1) & won.any(1)
    for name in {"any_winner", "exact_set", "one_label", "ratio"} & columns.keys():
        columns[name] = columns[name].where(settled, torch.nan)
    columns["unsettled"] = ~settled
    untied = won.sum(1) == 1
    columns["accuracy"] = credit(top, won).where(untied, torch.nan)
    if logits is not None:
        columns["excess"] = _excess(logits, won, profiles.num_candidates).where(untied, torch.nan)
    columns["guesses"] = _guesses(list(task.guesses.values()), profiles, won)
    blank = torch.full((len(profiles),), torch.nan, dtype=torch.float64)
    return Records(*(columns.get(f.name, blank).cpu().numpy() for f in fields(Records)))


def decide(rule: Scorer, profiles: Profiles) -> tuple[Winners, Winners, Scores | None]:
    """Who has the highest score, who is elected, and the rule's logits if it has any.

    A learned rule says itself who is elected: those whose scores nearly tie. Where a rule gives up,
    nobody is elected.
    """
    # Some of the library's own rules know their winners without all scores.
    if isinstance(rule, Rule) and rule.family != "own":
        top = rules.settled(rule, profiles)
        return top, top, None
    scores = checked_scores(rule(profiles), profiles)
    top = (scores == scores.amax(1, keepdim=True)) & profiles.mask
    elected = top
    if isinstance(rule, LearnedRule):
        # Its scores are known; to ask for its winners would run the network again.
        elected = rule.winners_of(scores) & profiles.mask
    elif hasattr(rule, "winners"):
        elected = rule.winners(profiles).to(top.device) & profiles.mask
    logits = hasattr(rule, "probabilities") or isinstance(rule, nn.Module)
    return top, elected, scores if logits else None


def _target(objective: Objective, profiles: Profiles) -> Winners:
    """Who should be elected; nobody where the objective leaves elections out."""
    rows = objective.takes(profiles).nonzero()[:, 0]
    if len(rows) == len(profiles):
        return decide(objective.function, profiles)[1]
    won = torch.zeros_like(profiles.mask)
    if len(rows):
        won[rows] = decide(objective.function, profiles[rows])[1]
    return won


def credit(top: Winners, won: Winners) -> Credit:
    """The chance that a lot among the top candidates falls on a winner."""
    return (top & won).sum(1).double() / top.sum(1)


def guesses_for(rule: Any, objective: Objective) -> tuple[str, ...]:
    """The quick rules of the library, but for the rule itself and the one that it mimics."""
    own = {_name(rule), _name(objective.of)}
    return tuple(
        name
        for name, one in RULES.items()
        # Approval reads ballots of its own kind.
        if not (one.slow or one.needs or name == "approval") and _name(name) not in own
    )


def _name(rule: Any) -> str:
    """What the library calls this rule, if it is one of its own."""
    name = specs.parse(rule)[0] if isinstance(rule, str) else getattr(rule, "name", "")
    found = RULES.get(ALIASES.get(name, name))
    return found.same_as or found.name if found and not isinstance(rule, LearnedRule) else ""


def _guesses(
    guesses: Sequence[Scorer], profiles: Profiles, won: Winners
) -> Float64[Tensor, "batch guess"]:
    """The credit of each of these rules; NaN if it refuses the ballots."""
    credits = torch.full((len(profiles), len(guesses)), torch.nan, dtype=torch.float64)
    for column, guess in zip(credits.T, guesses, strict=True):
        with suppress(ElectError):
            column[:] = credit(rules.winners(guess, profiles), won)
    return credits


def _excess(logits: Scores, won: Winners, standing: Int64[Tensor, "batch"]) -> Credit:
    """Cross-entropy less log m.

    Softmax is right even for logits of whether each candidate wins: of those who win or not
    independently of each other, it is the probability to be the one if one does.
    """
    return -torch.where(won, logits.log_softmax(1), 0).sum(1) - standing.double().log()


def _ratio(top: Winners, welfare: Scores) -> Credit:
    """The welfare of the elected, by lot if several, over the highest."""
    best = welfare.amax(1)
    mean = torch.where(top, welfare, 0).sum(1) / top.sum(1)
    # Where the best is worth nothing, nothing is lost by anyone.
    return torch.where(best > 0, mean / best, 1.0).double()


def _ceilings(
    task: Task,
    profiles: Profiles,
    culture: Dirichlet,
    top: Winners,
    judged: int,
    rng: np.random.Generator,
) -> dict[str, Tensor]:
    """What the best choice and the rule's are worth, over the same draws of utilities."""

    def look(scores: NDArray) -> tuple[float, float, NDArray]:
        return *cross_fit(scores), (scores == scores.max(1, keepdims=True)).mean(0)

    welfare = task.objective.function
    draws = over_posterior(culture, welfare, profiles[:judged], task.samples, rng, look)
    found = np.full((len(profiles), 3), np.nan)
    for row, chosen, (accuracy, ratio, optimal) in zip(found, top, draws, strict=False):
        shares = torch.from_numpy(optimal)[chosen[: len(optimal)]]
        row[:] = accuracy, ratio, shares.mean()
    names = ("ceiling", "ceiling_ratio", "expected")
    return dict(zip(names, torch.from_numpy(found.T), strict=True))
