"""Axioms about who votes: anonymity, participation, reinforcement."""

import numpy as np

from elect.auditing.axiom import Axiom, Scene, wins
from elect.auditing.changes import (
    Trials,
    filed,
    first_of_equals,
    numbers,
    pick,
    profiles_of,
    voters_kept,
    voters_moved,
)
from elect.elections import Profiles
from elect.kernels import UNRANKED, NDArray

Judged = tuple[NDArray, NDArray]


# ---------------------------------------------------------------------- anonymity


def vary_anonymity(profiles: Profiles, won: NDArray, most: int, rng: np.random.Generator) -> Trials:
    """Merge equal ballots, reverse the order of the ballots, and shuffle them."""
    batch, width = profiles.weights.shape
    voters, _ = numbers(profiles)
    columns = np.tile(np.arange(width), (batch, 1))
    absent = columns >= voters[:, None]
    orders = [columns, np.where(absent, columns, voters[:, None] - 1 - columns)]
    for _ in range(most - 2):
        orders.append(np.argsort(rng.random((batch, width)) + absent, axis=1))
    orders = orders[:most]
    origin = np.tile(np.arange(batch), len(orders))
    ranks, weights, sizes = voters_moved(profiles, origin, np.concatenate(orders)).arrays
    ranks[:batch], weights[:batch], _ = filed(profiles).arrays
    facts = {"merged": np.arange(len(origin)) < batch}
    return Trials(origin, (profiles_of(ranks, weights, sizes, profiles),), facts)


def judge_anonymity(
    profiles: Profiles, won: NDArray, trials: Trials, after: list[NDArray]
) -> Judged:
    return np.ones(len(trials), bool), (after[0] != won[trials.origin]).any(1)


def _tell_anonymity(scene: Scene) -> str:
    change = (
        "Once equal ballots are counted together"
        if scene.fact("merged")
        else "Once the same ballots come in another order"
    )
    return f"{wins(scene, scene.won)}. {change}, {wins(scene, scene.after[0])}."


# ---------------------------------------------------------------------- participation


def vary_participation(
    profiles: Profiles, won: NDArray, most: int, rng: np.random.Generator
) -> Trials:
    """Remove one voter: one for each distinct ballot, or for a sample of them."""
    voters, _ = numbers(profiles)
    origin, voter = pick(first_of_equals(profiles) & (voters > 1)[:, None], most, rng)
    stay = np.arange(profiles.weights.shape[1]) != voter[:, None]
    return Trials(origin, (voters_kept(profiles, origin, stay),), {"voter": voter})


def judge_participation(
    profiles: Profiles, won: NDArray, trials: Trials, after: list[NDArray]
) -> Judged:
    return np.ones(len(trials), bool), prefers(profiles, won, trials, after[0])


def prefers(profiles: Profiles, won: NDArray, trials: Trials, after: NDArray) -> NDArray:
    """Whether the voter of a trial prefers the winners after it: all of them are at least as good
    as all before, and some are better than some."""
    ballot = profiles.arrays[0][trials.origin, :, trials.facts["voter"]].astype(np.int64)
    (best, worst), (new_best, new_worst) = (
        (np.where(which, ballot, 2 * UNRANKED).min(1), np.where(which, ballot, -1).max(1))
        for which in (won[trials.origin], after)
    )
    better: NDArray = (new_worst <= best) & (new_best < worst)
    return better


def _tell_participation(scene: Scene) -> str:
    return (
        f"{wins(scene, scene.won)}. If one voter of {scene.ballot} stays away, "
        f"{wins(scene, scene.after[0])}, which that voter prefers."
    )


# ---------------------------------------------------------------------- reinforcement


def vary_reinforcement(
    profiles: Profiles, won: NDArray, most: int, rng: np.random.Generator
) -> Trials:
    """Divide the voters at random into two groups that are not empty."""
    voters, _ = numbers(profiles)
    origin = np.repeat(np.flatnonzero(voters > 1), most)
    keys = rng.random((len(origin), profiles.weights.shape[1]))
    keys[np.arange(keys.shape[1]) >= voters[origin][:, None]] = 2
    # The size of the first group is uniform from 1 to n - 1, and its members are random.
    size = 1 + (rng.random(len(origin)) * (voters[origin] - 1)).astype(np.int64)
    first = np.argsort(np.argsort(keys, axis=1), axis=1) < size[:, None]
    parts = tuple(voters_kept(profiles, origin, side) for side in (first, ~first))
    return Trials(origin, parts)


def judge_reinforcement(
    profiles: Profiles, won: NDArray, trials: Trials, after: list[NDArray]
) -> Judged:
    both = after[0] & after[1]
    applies: NDArray = np.any(both, axis=1)
    return applies, applies & (both != won[trials.origin]).any(1)


def _tell_reinforcement(scene: Scene) -> str:
    first, second = (wins(scene, winners) for winners in scene.after)
    return (
        f"Among some voters, {first}; among the others, {second}; "
        f"but among all, {wins(scene, scene.won)}."
    )


ANONYMITY = Axiom(
    "anonymity",
    "The winners stay the same when ballots change places or equal ballots are counted together.",
    "All voters count alike",
    ("before", "after"),
    vary_anonymity,
    judge_anonymity,
    _tell_anonymity,
    trials=3,
)
PARTICIPATION = Axiom(
    "participation",
    "Nobody gets a better result by staying away: one set of winners is better than another if "
    "all in it are at least as good as all in the other, and some are better.",
    "Nobody does better by staying away",
    ("before", "after"),
    vary_participation,
    judge_participation,
    _tell_participation,
    changes=lambda voters, candidates: voters,
)
REINFORCEMENT = Axiom(
    "reinforcement",
    "If two groups of voters have winners in common, then together they elect exactly those.",
    "What two districts both choose, they choose together",
    ("together", "part-1", "part-2"),
    vary_reinforcement,
    judge_reinforcement,
    _tell_reinforcement,
    trials=8,
    parts=2,
)

AXIOMS = (ANONYMITY, PARTICIPATION, REINFORCEMENT)
