"""Axioms about candidates: neutrality, monotonicity, reversal symmetry, clones."""

import numpy as np

from elect.auditing.axiom import Axiom, Scene, wins
from elect.auditing.changes import (
    Trials,
    ballots_changed,
    candidate_left,
    candidates_moved,
    first_of_equals,
    numbers,
    pick,
    profiles_of,
)
from elect.elections import Profiles
from elect.kernels import UNRANKED, NDArray

Judged = tuple[NDArray, NDArray]


# ---------------------------------------------------------------------- neutrality


def vary_neutrality(
    profiles: Profiles, won: NDArray, most: int, rng: np.random.Generator
) -> Trials:
    """Permute the candidates: rotate their names, or shuffle them."""
    batch, width = won.shape
    _, sizes = numbers(profiles)
    columns = np.tile(np.arange(width), (batch, 1))
    absent = columns >= sizes[:, None]
    deals = [np.where(absent, columns, (columns + 1) % sizes[:, None])]
    for _ in range(most - 1):
        deals.append(np.argsort(rng.random((batch, width)) + absent, axis=1))
    origin = np.tile(np.arange(batch), len(deals))
    places = np.concatenate(deals)
    return Trials(origin, (candidates_moved(profiles, origin, places),), {"places": places})


def judge_neutrality(
    profiles: Profiles, won: NDArray, trials: Trials, after: list[NDArray]
) -> Judged:
    back = np.take_along_axis(after[0], trials.facts["places"], 1)
    return np.ones(len(trials), bool), (back != won[trials.origin]).any(1)


def _tell_neutrality(scene: Scene) -> str:
    places = scene.trial.facts["places"][0]
    deal = ", ".join(
        f"{scene.names[c]} as {scene.names[p]}" for c, p in enumerate(places) if c != p
    )
    return f"{wins(scene, scene.won)}. With {deal} on all ballots, {wins(scene, scene.after[0])}."


# ---------------------------------------------------------------------- monotonicity


def vary_monotonicity(
    profiles: Profiles, won: NDArray, most: int, rng: np.random.Generator
) -> Trials:
    """On one ballot a winner moves up, by any number of places."""
    ranks = profiles.arrays[0]
    first = first_of_equals(profiles)[:, None, None]
    origin, winner, place, voter = pick(won[:, :, None, None] & first & _lifts(profiles), most, rng)
    ballot = ranks[origin, :, voter]
    old = ballot[np.arange(len(origin)), winner][:, None]
    passed = (ballot >= place[:, None]) & (ballot <= old) & (ballot != UNRANKED)
    ballot = ballot + passed.astype(np.int16)
    ballot[np.arange(len(origin)), winner] = place
    facts = {"winner": winner, "voter": voter, "place": place}
    return Trials(origin, (ballots_changed(profiles, origin, voter, ballot),), facts)


def _lifts(profiles: Profiles) -> NDArray:
    """Whether a candidate can move up to a place on a ballot: ``[election, candidate, place,
    ballot]``. It may pass whole tiers, or leave the one it is in upwards."""
    ranks, _, _ = profiles.arrays
    mask = profiles.mask.numpy()[:, :, None]
    places = np.arange(ranks.shape[1])[:, None]
    old, real = ranks[:, :, None], np.where(mask, ranks, -1)
    taken = (real[:, None] == places[:, None]).any(2)[:, None]
    company = (real[:, :, None] == real[:, None]).sum(2)[:, :, None] > 1
    ranked = ((real >= 0) & (real != UNRANKED)).sum(1)[:, None, None]
    lifts: NDArray = taken & (places < old)
    lifts |= company & np.where(old == UNRANKED, places == ranked, places == old)
    lifts &= mask[:, :, None]
    return lifts


def judge_monotonicity(
    profiles: Profiles, won: NDArray, trials: Trials, after: list[NDArray]
) -> Judged:
    still = after[0][np.arange(len(trials)), trials.facts["winner"]]
    return np.ones(len(trials), bool), ~still


def _tell_monotonicity(scene: Scene) -> str:
    winner = scene.fact("winner")
    old = scene.profile.ranks[0, scene.fact("voter"), winner].item()
    start = "from below the ranked" if old == UNRANKED else f"from place {int(old) + 1}"
    return (
        f"{wins(scene, scene.won)}. If one voter moves {scene.names[winner]} up {start} to place "
        f"{scene.fact('place') + 1}, {wins(scene, scene.after[0])}."
    )


# ---------------------------------------------------------------------- reversal symmetry


def vary_reversal(profiles: Profiles, won: NDArray, most: int, rng: np.random.Generator) -> Trials:
    """Every ballot is turned upside down."""
    ranks, weights, sizes = profiles.arrays
    origin = np.flatnonzero((won.sum(1) == 1) & (sizes > 1))
    mask = profiles.mask.numpy()[origin]
    values = ranks[origin]
    turned = ((values[:, None] > values[:, :, None]) & mask[:, None, :, None]).sum(2)
    cast = mask[:, :, None] & (weights[origin] > 0)[:, None]
    turned = np.where(cast, turned, UNRANKED)
    return Trials(origin, (profiles_of(turned, weights[origin], sizes[origin], profiles),))


def judge_reversal(
    profiles: Profiles, won: NDArray, trials: Trials, after: list[NDArray]
) -> Judged:
    again: NDArray = np.any(after[0] & won[trials.origin], axis=1)
    return np.ones(len(trials), bool), again


def _tell_reversal(scene: Scene) -> str:
    return (
        f"{wins(scene, scene.won)}, and when every ballot is turned upside down, "
        f"{wins(scene, scene.after[0])}."
    )


# ---------------------------------------------------------------------- independence of clones


def vary_clones(profiles: Profiles, won: NDArray, most: int, rng: np.random.Generator) -> Trials:
    """Some candidates move next to one other on all ballots; then one of this set leaves."""
    _, sizes = numbers(profiles)
    fit = (sizes > 2) & profiles.complete.numpy()
    origin = np.repeat(np.flatnonzero(fit), most)
    trial, m = np.arange(len(origin)), sizes[origin]
    absent = np.arange(won.shape[1]) >= m[:, None]
    order = np.argsort(rng.random(absent.shape) + absent, axis=1)
    # Mostly two clones, sometimes more; at least one other candidate.
    count = 2 + ((rng.random(len(origin)) < 0.25) * rng.random(len(origin)) * (m - 2)).astype(int)
    clones = np.argsort(order, axis=1) < count[:, None]
    model, out = order[:, 0], order[trial, (rng.random(len(origin)) * count).astype(int)]
    together = _gathered(profiles, origin, model, clones)
    without = candidate_left(together, trial, out)
    return Trials(origin, (together, without), {"clones": clones, "out": out})


def _gathered(profiles: Profiles, origin: NDArray, model: NDArray, clones: NDArray) -> Profiles:
    """Ballots with the clones right above or below the model, in the order they had."""
    ranks, weights, sizes = profiles.arrays
    old = ranks[origin].astype(np.float64)
    center = old[np.arange(len(origin)), model][:, None]
    near = np.where(clones[:, :, None], center + (old - center) / (2 * UNRANKED), old)
    anew = (near[:, None] < near[:, :, None]).sum(2)
    anew = np.where(old == UNRANKED, UNRANKED, anew)
    return profiles_of(anew, weights[origin], sizes[origin], profiles)


def judge_clones(profiles: Profiles, won: NDArray, trials: Trials, after: list[NDArray]) -> Judged:
    clones, out = trials.facts["clones"], trials.facts["out"]
    everyone, fewer = after
    columns = np.arange(clones.shape[1])
    moved = np.maximum(columns - (columns >= out[:, None]), 0)
    still = np.take_along_axis(fewer, moved, 1) & (columns != out[:, None])
    others = ((everyone != still) & ~clones).any(1)
    among = (everyone & clones).any(1) != (still & clones).any(1)
    return np.ones(len(trials), bool), others | among


def _tell_clones(scene: Scene) -> str:
    clones, out = scene.trial.facts["clones"][0], scene.fact("out")
    rest = [name for c, name in enumerate(scene.names) if c != out]
    both = np.flatnonzero(scene.after[0] & clones)
    first = int(both[0]) if len(both) else None
    return (
        f"{scene.listed(clones)} stand together on all ballots, and "
        f"{wins(scene, scene.after[0], first=first)}. "
        f"Without {scene.names[out]}, {wins(scene, scene.after[1], rest)}."
    )


NEUTRALITY = Axiom(
    "neutrality",
    "If candidates swap names on all ballots, the winners swap names too.",
    "All candidates are treated alike",
    ("before", "after"),
    vary_neutrality,
    judge_neutrality,
    _tell_neutrality,
    trials=3,
)
MONOTONICITY = Axiom(
    "monotonicity",
    "A winner whom one voter moves up, leaving all others in order, still wins.",
    "More support never hurts a winner",
    ("before", "after"),
    vary_monotonicity,
    judge_monotonicity,
    _tell_monotonicity,
    changes=lambda voters, candidates: voters * (candidates - 1) / 2,
)
REVERSAL_SYMMETRY = Axiom(
    "reversal_symmetry",
    "The only winner does not win when every ballot is turned upside down.",
    "If all ballots are turned upside down, so is the result",
    ("before", "after"),
    vary_reversal,
    judge_reversal,
    _tell_reversal,
    trials=1,
)
INDEPENDENCE_OF_CLONES = Axiom(
    "independence_of_clones",
    "If one of several candidates who stand together on every ballot leaves, the others win or "
    "lose as before, and so do those who stood together, taken as one.",
    "Look-alike candidates neither help nor hurt",
    ("with", "without"),
    vary_clones,
    judge_clones,
    _tell_clones,
    trials=4,
    parts=2,
)

AXIOMS = (NEUTRALITY, MONOTONICITY, REVERSAL_SYMMETRY, INDEPENDENCE_OF_CLONES)
