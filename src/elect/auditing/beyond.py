"""What an audit looks at beyond axioms: the worst case, likeness, imitation, published figures."""

from collections.abc import Sequence
from dataclasses import replace
from math import factorial

import numpy as np
import torch

from elect import rules
from elect.auditing.changes import filed, numbers
from elect.auditing.distortion import (
    disagreement_of,
    distortion_of,
    distortions,
    worst_case,
)
from elect.auditing.likeness import Likeness, likeness
from elect.auditing.manipulation import PUBLISHED, manipulability
from elect.auditing.results import Beside, Imitation, WorstCase
from elect.auditing.shrinking import Counterexample, names_for, shrink
from elect.auditing.subject import Ask
from elect.cultures import Impartial
from elect.elections import Elections, Profiles, Winners
from elect.errors import ElectError
from elect.kernels import NDArray
from elect.learned import LearnedRule
from elect.measuring.batches import Source
from elect.measuring.estimates import quantile, share
from elect.rules import RULES, Scorer

# Levels of the distortion's distribution.
LEVELS = (0.25, 0.5, 0.75, 0.95)

# Elections that a likeness is fitted to, and as many to measure it on; fewer than the least tell
# nothing.
FITTED, LEAST = 2000, 100

# The size for which others have published what misreporting is worth.
VOTERS, CANDIDATES = (10, 11), 6

# Elections of that size: how many are enough to try every misreport in, if it is affordable, and
# how many are tried at most.
ENOUGH, MOST = 200, 400


def beside(rule: Scorer, ask: Ask, afford: int, seed: int) -> Beside | None:
    """What misreporting is worth with 6 candidates and 10 or 11 voters, beside what is published.

    As there, all rankings are equally likely and utilities are numbers between 0 and 1. Every
    misreport is tried if the rule can count so many elections. None if it refuses that size.
    """
    thorough, quick = (
        afford // (VOTERS[1] * reports) for reports in (factorial(CANDIDATES), CANDIDATES**2)
    )
    every = CANDIDATES if thorough >= ENOUGH else 0
    count = max(1, min(MOST, thorough if every else quick))
    rng = np.random.default_rng([seed, CANDIDATES])
    drawn = Impartial()(count, VOTERS, CANDIDATES, seed=rng)
    try:
        ours = manipulability(ask, drawn, seed, every, example=False)
    except ElectError:
        return None
    # Only the library's own rules are meant: a function of the user's may be called as one of them.
    known = next((name for name in PUBLISHED if RULES[name] is rule), None)
    return Beside(ours, *(PUBLISHED[known] if known else (None, None)))


def worst(
    ask: Ask,
    sample: Sequence[Elections],
    won: Sequence[Winners],
    where: Source,
    steps: int,
    seed: int,
) -> WorstCase:
    """The distortion over the sample, where ``won`` are elected, and the largest that a search
    finds."""
    pairs = zip(won, sample, strict=True)
    values = np.concatenate([distortions(some, one.profiles) for some, one in pairs])
    unbounded = share(np.isinf(values))
    levels = {level: quantile(values, level) for level in LEVELS}
    profile, found = worst_case(
        distortion_of(ask), where.voters, where.candidates, seed, steps=steps
    )
    held = replace(filed(profile), names=names_for(profile))
    winners = [held.labels[c] for c in np.flatnonzero(ask(held)[0].cpu().numpy())]
    assert unbounded is not None
    known = {level: one for level, one in levels.items() if one}
    return WorstCase(known, unbounded, found, held, winners)


def likeness_of(ask: Ask, sample: Sequence[Elections]) -> Likeness | None:
    """The simple rules that agree best, where ballots are complete and elections enough."""
    profiles = Profiles.concat([one.profiles for one in sample[: 2 * FITTED // len(sample[0]) + 1]])
    half = min(FITTED, len(profiles) // 2)
    if half < LEAST or not bool(profiles.complete.all()):
        return None
    learn, fresh = profiles[:half], profiles[half : 2 * half]
    known = torch.isin(fresh.num_candidates, learn.num_candidates)
    return likeness(ask, learn, fresh[known.nonzero()[:, 0]])


def imitation(
    rule: Scorer,
    ask: Ask,
    sample: Sequence[Elections],
    won: Sequence[Winners],
    where: Source,
    steps: int,
    seed: int,
) -> Imitation | None:
    """How often a learned rule differs from the one that it imitates, and where most plainly."""
    if not isinstance(rule, LearnedRule):
        return None
    lesson = rule.card.objectives[rule.index]
    if lesson.get("kind") != "mimic" or not isinstance(lesson.get("of"), str):
        return None
    name = lesson["of"]

    def exact(profiles: Profiles) -> Winners:
        return rules.winners(name, profiles)

    def apart(profiles: Profiles) -> NDArray:
        held = filed(profiles)
        return ~(ask(held) & exact(held)).any(1).cpu().numpy()

    same, suspects = [], []
    for elected, profiles in zip(won, (one.profiles for one in sample), strict=True):
        right = exact(profiles)
        same.append((elected == right).all(1).numpy())
        rows = np.flatnonzero(~(elected & right).any(1).numpy())
        suspects += [profiles[int(row)] for row in rows[np.argsort(numbers(profiles)[0][rows])][:2]]
    profile, _ = worst_case(
        disagreement_of(rule, exact), where.voters, where.candidates, seed, steps=steps
    )
    suspects = [one for one in [*suspects, profile.single()] if apart(one)[0]]
    found = [shrink(one, apart) for one in suspects[:4]]
    smallest = min(
        found, key=lambda one: (int(one.num_candidates), int(one.num_voters)), default=None
    )
    shared = share(np.concatenate(same))
    assert shared is not None
    shown = _differs(ask, exact, smallest, name) if smallest is not None else None
    return Imitation(name, shared, shown)


def _differs(ask: Ask, exact: Ask, profile: Profiles, name: str) -> Counterexample:
    held = replace(filed(profile), names=names_for(profile))
    elected, right = (
        [held.labels[c] for c in np.flatnonzero(winners(held)[0].cpu().numpy())]
        for winners in (ask, exact)
    )
    sentence = f"The rule elects {' and '.join(elected)}, and {name} elects {' and '.join(right)}."
    return Counterexample("imitation", sentence, {"election": held}, {"election": elected})
