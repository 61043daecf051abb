"""Axioms that judge an election as it is: unanimity, majority, Condorcet winner and loser."""

from collections.abc import Callable

import numpy as np

from elect.auditing.axiom import Axiom, Judge, Scene, Tell, alone, wins
from elect.auditing.changes import Trials, numbers
from elect.elections import Profiles
from elect.kernels import NDArray

Judged = tuple[NDArray, NDArray]

# The candidates ``[election, candidate]`` that an axiom speaks of.
Subject = Callable[[Profiles], NDArray]


def _dominated(profiles: Profiles) -> NDArray:
    """Candidates below the same other candidate on every ballot."""
    voters, _ = numbers(profiles)
    dominated: NDArray = (profiles.support.numpy() == voters[:, None, None]).any(1)
    return dominated


def _majority(profiles: Profiles) -> NDArray:
    """The candidate who is the only first choice of more than half of the voters."""
    ranks, weights, _ = profiles.arrays
    top = ranks == 0
    alone = top & (top.sum(1, keepdims=True) == 1)
    majority: NDArray = 2 * (alone * weights[:, None]).sum(2) > weights.sum(1)[:, None]
    return majority


def _condorcet_winner(profiles: Profiles) -> NDArray:
    return _against_all(profiles, 1)


def _condorcet_loser(profiles: Profiles) -> NDArray:
    return _against_all(profiles, -1)


def _against_all(profiles: Profiles, sign: int) -> NDArray:
    """Who beats everyone else head to head, or with the other sign loses to everyone else."""
    margins, mask = profiles.margins.numpy() * sign, profiles.mask.numpy()
    others = mask[:, None] & ~np.eye(mask.shape[1], dtype=bool)
    several = mask.sum(1, keepdims=True) > 1
    found: NDArray = ((margins > 0) | ~others).all(2) & mask & several
    return found


# ---------------------------------------------------------------------- judging and telling


def must_win(subject: Subject, what: str) -> tuple[Judge, Tell]:
    """If there is such a candidate, it must be the only winner; ``what`` describes it."""

    def judge(profiles: Profiles, won: NDArray, trials: Trials, after: list[NDArray]) -> Judged:
        demanded = subject(profiles)
        applies: NDArray = np.any(demanded, axis=1)
        return applies, applies & (demanded != won).any(1)

    def tell(scene: Scene) -> str:
        [who] = np.flatnonzero(subject(scene.profile)[0])
        others = scene.won.copy()
        others[who] = False
        tied = f"is only tied with {scene.listed(others)}" if scene.won[who] else None
        return f"{scene.names[who]} {what}, but {tied or wins(scene, scene.won)}."

    return judge, tell


def must_lose(subject: Subject, what: str) -> tuple[Judge, Tell]:
    """Such candidates, described by ``what``, must not win."""

    def judge(profiles: Profiles, won: NDArray, trials: Trials, after: list[NDArray]) -> Judged:
        barred = subject(profiles)
        return np.any(barred, axis=1), np.any(barred & won, axis=1)

    def tell(scene: Scene) -> str:
        who = int(np.flatnonzero(subject(scene.profile)[0] & scene.won)[0])
        return f"{scene.names[who]} {what}, but {wins(scene, scene.won, first=who)}."

    return judge, tell


def _tell_unanimity(scene: Scene) -> str:
    bad = int(np.flatnonzero(_dominated(scene.profile)[0] & scene.won)[0])
    support = scene.profile.support[0, :, bad].numpy()
    better = int(np.flatnonzero(support == int(scene.profile.num_voters))[0])
    return (
        f"Every voter prefers {scene.names[better]} to {scene.names[bad]}, "
        f"but {wins(scene, scene.won, first=bad)}."
    )


# The rule counts the election once for all axioms, and nothing more for these.
UNANIMITY = Axiom(
    "unanimity",
    "Nobody wins if every voter prefers one and the same other candidate (Pareto).",
    "What everyone agrees on is respected",
    ("election",),
    alone,
    must_lose(_dominated, "")[0],
    _tell_unanimity,
    parts=0,
)
MAJORITY = Axiom(
    "majority",
    "The first choice of more than half of the voters is the only winner.",
    "The favourite of a majority wins",
    ("election",),
    alone,
    *must_win(_majority, "is the first choice of a majority"),
    parts=0,
)
CONDORCET_WINNER = Axiom(
    "condorcet_winner",
    "A candidate who beats everyone else head to head is the only winner.",
    "A candidate who beats everyone head to head wins",
    ("election",),
    alone,
    *must_win(_condorcet_winner, "beats everyone else head to head"),
    parts=0,
)
CONDORCET_LOSER = Axiom(
    "condorcet_loser",
    "A candidate who loses to everyone else head to head does not win.",
    "A candidate who loses to everyone head to head does not win",
    ("election",),
    alone,
    *must_lose(_condorcet_loser, "loses to everyone else head to head"),
    parts=0,
)

AXIOMS = (UNANIMITY, MAJORITY, CONDORCET_WINNER, CONDORCET_LOSER)
