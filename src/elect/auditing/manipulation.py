"""How often a single voter gains by misreporting, and how much.

A voter knows all ballots and casts another one than the true one. Up to five candidates every
ranking is tried; above, the true ballot with one candidate moved to the top and one to the bottom
(*compromise and bury*), in all combinations. A tie is worth its expectation under even chances.
Utilities are those of the culture; where it has none, every voter draws numbers between 0 and 1 and
hands them out by rank. A gain is told as a share of what lies between the voter's best and worst
candidate, as Holliday, Kristoffersen and Pacuit do ("Learning to Manipulate under Limited
Information", AAAI 2025).
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from itertools import permutations
from typing import Any

import numpy as np

from elect.auditing.axiom import Axiom, Scene, wins
from elect.auditing.axioms_voters import prefers
from elect.auditing.changes import Trials, ballots_changed, first_of_equals, numbers, pick
from elect.auditing.shrink import Counterexample, counterexample
from elect.auditing.subject import Ask
from elect.elections import Elections, Profiles
from elect.kernels import UNRANKED, NDArray
from elect.measuring.estimates import Estimate, mean, share

# All rankings are tried up to this number of candidates.
EVERY = 5

EVERY_MISREPORT = "every misreport"
COMPROMISE_AND_BURY = "compromise and bury"

# Numbers on changed ballots that are in memory at a time.
ENTRIES = 2**23

# Expectations are sums of fractions: what is smaller than this is no gain.
NOTHING = 1e-9

# Elections that are tried as an example.
EXAMPLES = 64


@dataclass(frozen=True)
class Manipulability:
    """The gain from misreporting.

    Attributes:
        elections: the share of elections in which some voter gains.
        voters: the share of voters who gain, averaged over elections.
        gain: the mean gain of a voter drawn at random, who misreports only if it pays.
        gain_if_any: the mean of the largest gain in an election, where somebody gains.
        misreports: which ballots were tried.
        utilities: where utilities come from.
        example: ballots on which a voter gains, whatever the utilities are; None if none was found.
        ties: what a tie is worth.
    """

    elections: Estimate | None
    voters: Estimate | None
    gain: Estimate | None
    gain_if_any: Estimate | None
    misreports: str
    utilities: str
    example: Counterexample | None
    ties: str = "expected utility under even chances"

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        estimates = ("elections", "voters", "gain", "gain_if_any")
        figures = {name: getattr(self, name) for name in estimates}
        return {
            **{name: asdict(one) if one else None for name, one in figures.items()},
            "misreports": self.misreports,
            "utilities": self.utilities,
            "ties": self.ties,
            "example": self.example.to_json() if self.example else None,
        }


def manipulability(
    ask: Ask,
    elections: Elections,
    seed: int = 0,
    every: int = EVERY,
    example: bool = True,
    progress: Callable[[float], None] | None = None,
) -> Manipulability:
    """How often a voter gains by misreporting in these elections, and how much.

    Args:
        ask: who wins under the rule.
        elections: with utilities, or else these are drawn.
        seed: of that draw.
        every: try all rankings up to this number of candidates.
        example: whether to look for ballots that show it.
        progress: called with the share of the work that is done.
    """
    profiles = elections.profiles
    if elections.utilities is None:
        origin = "drawn between 0 and 1 for each voter, and handed out by rank"
        utilities = hand_out(profiles, np.random.default_rng(seed))
    else:
        origin, utilities = "of the culture", elections.utilities.numpy()
    voters, sizes = numbers(profiles)
    best, people, total = (np.zeros(len(profiles)) for _ in range(3))
    done = 0
    for rows in _batches(voters, sizes, every):
        gains = best_gains(ask, profiles[rows.tolist()], utilities[rows], every)
        best[rows], total[rows] = gains.max(1), gains.sum(1)
        people[rows] = (gains > NOTHING).sum(1)
        done += len(rows)
        if progress:
            progress(done / len(profiles))
    some = best > NOTHING
    kinds = {EVERY_MISREPORT if size <= every else COMPROMISE_AND_BURY for size in sizes.tolist()}
    return Manipulability(
        share(some),
        mean(people / voters, seed),
        mean(total / voters, seed),
        mean(best[some], seed),
        " or ".join(sorted(kinds)),
        origin,
        _example(ask, profiles, np.flatnonzero(some), seed) if example else None,
    )


def _example(ask: Ask, profiles: Profiles, rows: NDArray, seed: int) -> Counterexample | None:
    """Ballots of a voter who gains, from one of the smallest of these elections."""
    voters, sizes = numbers(profiles)
    order = np.lexsort((voters[rows], sizes[rows]))[:EXAMPLES]
    rng = np.random.default_rng(seed)
    tries = (counterexample(STRATEGY, ask, profiles[int(row)], rng) for row in rows[order])
    return next((found for found in tries if found), None)


def best_gains(ask: Ask, profiles: Profiles, utilities: NDArray, every: int = EVERY) -> NDArray:
    """The most that each voter ``[election, ballot]`` can gain, in elections of one size, as a
    share of what lies between the voter's best and worst candidate."""
    ranks, weights, sizes = profiles.arrays
    origin, voter = np.nonzero(first_of_equals(profiles))
    truth = ranks[origin, :, voter]
    tried = misreports(truth, int(sizes[0]), every)
    kinds, reports = tried.shape[:2]
    changed = ballots_changed(
        profiles,
        np.repeat(origin, reports),
        np.repeat(voter, reports),
        tried.reshape(kinds * reports, -1),
    )
    after = _lottery(ask(changed).cpu().numpy()).reshape(kinds, reports, -1)
    before = _lottery(ask(profiles).cpu().numpy())
    # Voters of equal ballots can bring about the same results, and may value them differently.
    equal = (ranks[origin] == truth[:, :, None]).all(1) & (weights[origin] > 0)
    kind, who = np.nonzero(equal)
    value = utilities[origin[kind], who]
    honest = (value * before[origin[kind]]).sum(1)
    gain = np.einsum("vc,vkc->vk", value, after[kind]).max(1, initial=-np.inf) - honest
    stands = profiles.mask.numpy()[origin[kind]]
    spread = np.where(stands, value, -np.inf).max(1) - np.where(stands, value, np.inf).min(1)
    gains = np.zeros(weights.shape)
    gains[origin[kind], who] = np.maximum(gain, 0) / np.where(spread > 0, spread, 1)
    return gains


def misreports(truth: NDArray, size: int, every: int) -> NDArray:
    """Ballots ``[voter, report, candidate]`` to try instead of the true ones, as ranks.

    >>> misreports(np.array([[0, 1, 2]], np.int16), 3, every=5)[0].tolist()
    [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
    """
    width = truth.shape[1]
    if size <= every:
        rankings = np.array(list(permutations(range(size))), np.int16)
        padded = np.full((len(rankings), width), UNRANKED, np.int16)
        padded[:, :size] = rankings
        return np.broadcast_to(padded, (len(truth), *padded.shape))
    top, bottom = (axis.ravel() for axis in np.indices((size, size)))
    keys = np.repeat(truth[:, None].astype(np.int64), len(top), 1)
    real = np.arange(width) < size
    # Who is buried joins those whom the ballot leaves out, if it does, and else stands last.
    left_out = ((truth == UNRANKED) & real).any(1)[:, None]
    report = np.arange(len(top))
    keys[:, report, bottom] = np.where(left_out, UNRANKED, UNRANKED - 1)
    keys[:, report, top] = -1
    placed = ((keys[:, :, None] < keys[..., None]) & real).sum(3)
    return np.where((keys == UNRANKED) | ~real, UNRANKED, placed).astype(np.int16)


def vary_ballot(profiles: Profiles, won: NDArray, most: int, rng: np.random.Generator) -> Trials:
    """One voter, one of each ballot, misreports; all elections have as many candidates."""
    ranks, _, sizes = profiles.arrays
    origin, voter = np.nonzero(first_of_equals(profiles))
    tried = misreports(ranks[origin, :, voter], int(sizes[0]), EVERY)
    index, report = pick(np.ones(tried.shape[:2], bool), most, rng)
    changed = ballots_changed(profiles, origin[index], voter[index], tried[index, report])
    return Trials(origin[index], (changed,), {"voter": voter[index]})


def judge_ballot(
    profiles: Profiles, won: NDArray, trials: Trials, after: list[NDArray]
) -> tuple[NDArray, NDArray]:
    return np.ones(len(trials), bool), prefers(profiles, won, trials, after[0])


def _tell_ballot(scene: Scene) -> str:
    row = scene.trial.parts[0].ballots()[scene.fact("voter")][1]
    other = " > ".join(" = ".join(scene.names[c] for c in tier) for tier in row)
    return (
        f"{wins(scene, scene.won)}. If one voter of {scene.ballot} says {other} instead, "
        f"{wins(scene, scene.after[0])}, which that voter prefers."
    )


# No reasonable rule satisfies this (Gibbard-Satterthwaite), so it is not among the axioms of the
# audit; but counterexamples are shrunk in the same way.
STRATEGY = Axiom(
    "manipulation",
    "Nobody gets a better result by misreporting.",
    "It does not pay to vote insincerely",
    ("before", "after"),
    vary_ballot,
    judge_ballot,
    _tell_ballot,
)


def hand_out(profiles: Profiles, rng: np.random.Generator) -> NDArray:
    """Utilities ``[election, ballot, candidate]`` between 0 and 1, handed out by rank; those whom
    a ballot ties get what they would get on average."""
    ranks, _, sizes = profiles.arrays
    drawn = rng.random((ranks.shape[0], ranks.shape[2], ranks.shape[1]))
    drawn[np.broadcast_to(np.arange(ranks.shape[1]) >= sizes[:, None, None], drawn.shape)] = -1
    upto = np.cumsum(-np.sort(-drawn, axis=2), axis=2)
    upto = np.concatenate([np.zeros((*upto.shape[:2], 1)), upto], axis=2)
    real = profiles.mask.numpy()[:, :, None]
    values = np.where(real, ranks, -1).transpose(0, 2, 1)
    above = ((values[:, :, None] < values[..., None]) & (values >= 0)[:, :, None]).sum(3)
    level = (values[:, :, None] == values[..., None]).sum(3)
    totals = np.take_along_axis(upto, above + level, 2) - np.take_along_axis(upto, above, 2)
    utilities: NDArray = np.where(values >= 0, totals / level, 0)
    return utilities


def _lottery(winners: NDArray) -> NDArray:
    """Even chances for all winners."""
    chances: NDArray = winners / winners.sum(1, keepdims=True)
    return chances


def _batches(voters: NDArray, sizes: NDArray, every: int) -> Iterator[NDArray]:
    """Elections of equal size, as many as fit into memory once every ballot is changed."""
    for size in np.unique(sizes):
        rows = np.flatnonzero(sizes == size)
        reports = np.prod(np.arange(1, size + 1)) if size <= every else size**2
        most = int(voters[rows].max())
        step = max(1, int(ENTRIES // (most**2 * size * reports)))
        for start in range(0, len(rows), step):
            yield rows[start : start + step]
