"""Axioms that judge an election as it is: unanimity, majority, Condorcet winner and loser."""

import numpy as np

from elect.auditing.changes import Trials, numbers
from elect.auditing.describing import Axiom, Scene, alone, wins
from elect.elections import Profiles
from elect.kernels import NDArray

Judged = tuple[NDArray, NDArray]


def _dominated(profiles: Profiles) -> NDArray:
    """Whom every voter places below one and the same other candidate."""
    voters, _ = numbers(profiles)
    dominated: NDArray = (profiles.support.numpy() == voters[:, None, None]).any(1)
    return dominated


def _majority(profiles: Profiles) -> NDArray:
    """Who is alone at the top of more than half of the ballots."""
    ranks, weights, _ = profiles.arrays
    top = ranks == 0
    alone = top & (top.sum(1, keepdims=True) == 1)
    majority: NDArray = 2 * (alone * weights[:, None]).sum(2) > weights.sum(1)[:, None]
    return majority


def _against_all(profiles: Profiles, sign: int) -> NDArray:
    """Who beats everyone else head to head, or with the other sign loses to everyone else."""
    margins, mask = profiles.margins.numpy() * sign, profiles.mask.numpy()
    others = mask[:, None] & ~np.eye(mask.shape[1], dtype=bool)
    several = mask.sum(1, keepdims=True) > 1
    found: NDArray = ((margins > 0) | ~others).all(2) & mask & several
    return found


def _elects(demanded: NDArray, won: NDArray) -> Judged:
    """Wherever there is such a candidate, it must be the only winner."""
    applies: NDArray = np.any(demanded, axis=1)
    return applies, applies & (demanded != won).any(1)


def _avoids(barred: NDArray, won: NDArray) -> Judged:
    """Wherever there are such candidates, none of them may win."""
    return np.any(barred, axis=1), np.any(barred & won, axis=1)


def judge_unanimity(
    profiles: Profiles, won: NDArray, trials: Trials, after: list[NDArray]
) -> Judged:
    return _avoids(_dominated(profiles), won)


def judge_majority(
    profiles: Profiles, won: NDArray, trials: Trials, after: list[NDArray]
) -> Judged:
    return _elects(_majority(profiles), won)


def judge_condorcet_winner(
    profiles: Profiles, won: NDArray, trials: Trials, after: list[NDArray]
) -> Judged:
    return _elects(_against_all(profiles, 1), won)


def judge_condorcet_loser(
    profiles: Profiles, won: NDArray, trials: Trials, after: list[NDArray]
) -> Judged:
    return _avoids(_against_all(profiles, -1), won)


def _tell_unanimity(scene: Scene) -> str:
    bad = int(np.flatnonzero(_dominated(scene.profile)[0] & scene.won)[0])
    support = scene.profile.support[0, :, bad].numpy()
    better = int(np.flatnonzero(support == int(scene.profile.num_voters))[0])
    return (
        f"Every voter prefers {scene.names[better]} to {scene.names[bad]}, "
        f"but {wins(scene, scene.won)}."
    )


def _tell_majority(scene: Scene) -> str:
    demanded = scene.listed(_majority(scene.profile)[0])
    return f"{demanded} is the first choice of a majority, but {wins(scene, scene.won)}."


def _tell_condorcet_winner(scene: Scene) -> str:
    demanded = scene.listed(_against_all(scene.profile, 1)[0])
    return f"{demanded} beats everyone else head to head, but {wins(scene, scene.won)}."


def _tell_condorcet_loser(scene: Scene) -> str:
    barred = scene.listed(_against_all(scene.profile, -1)[0])
    return f"{barred} loses to everyone else head to head, but {wins(scene, scene.won)}."


UNANIMITY = Axiom(
    "unanimity",
    "Nobody wins if every voter prefers one and the same other candidate (Pareto).",
    ("election",),
    alone,
    judge_unanimity,
    _tell_unanimity,
)
MAJORITY = Axiom(
    "majority",
    "The first choice of more than half of the voters is the only winner.",
    ("election",),
    alone,
    judge_majority,
    _tell_majority,
)
CONDORCET_WINNER = Axiom(
    "condorcet_winner",
    "A candidate who beats everyone else head to head is the only winner.",
    ("election",),
    alone,
    judge_condorcet_winner,
    _tell_condorcet_winner,
)
CONDORCET_LOSER = Axiom(
    "condorcet_loser",
    "A candidate who loses to everyone else head to head does not win.",
    ("election",),
    alone,
    judge_condorcet_loser,
    _tell_condorcet_loser,
)
