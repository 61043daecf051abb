"""Dodgson and Young: how much must change before a candidate beats everyone?

Both are small integer programs, one for each candidate, in which ballots that look alike to the
candidate are one variable: a million voters cost no more than their distinct ballots. Where a
bound is met at once the program is not needed, and to know the winners alone, not for those whose
bound already loses. The programs can take long, so each election has a time limit
(`elect.deadlines`).
"""

from collections.abc import Callable
from functools import partial

import numpy as np
import torch

from elect.deadlines import Clock
from elect.elections import Profiles, Scores, Winners
from elect.kernels import NDArray
from elect.rules.base import BALLOTS, COMPLETE, DISTANCE, Decision, Rule, Simplicity, condorcet
from elect.rules.exact_scores import masked
from elect.rules.integer_program import Program, least_cost
from elect.rules.scoring import require_complete
from elect.rules.sentences import (
    MANY_PLACES,
    beats_everyone,
    best,
    following,
    lose_to_nobody,
    undefeated,
    winners,
)
from elect.rules.unsettled import HardElections
from elect.words import count, number, verb


def dodgson(profiles: Profiles) -> Scores:
    """**Minus the swaps of neighbours on ballots that would make the candidate a Condorcet
    winner**, that is, beat everyone else by a strict majority.

    Truncated and tied ballots have no accepted number of swaps and are refused.

    >>> dodgson(Profiles.from_rankings([[0, 1, 2], [1, 2, 0], [2, 0, 1]], weights=[4, 3, 2]))
    tensor([[-1., -2., -3.]], dtype=torch.float64)
    """
    require_complete(profiles, "dodgson")
    return _scores("dodgson", _dodgson_bounds, _dodgson_score, profiles)


def dodgson_winners(profiles: Profiles) -> Winners:
    """Dodgson's winners alone: candidates whose bound already loses are not looked at."""
    require_complete(profiles, "dodgson")
    return _winners("dodgson", _dodgson_bounds, _dodgson_score, profiles)


def young(profiles: Profiles) -> Scores:
    """**The most voters that can be kept such that the candidate loses to nobody among them** (it
    is a weak Condorcet winner of what is left).

    Truncated and tied ballots are taken as they are: what counts of a ballot is whom it ranks
    above the candidate and whom below.

    >>> young(Profiles.from_rankings([[0, 1, 2], [1, 2, 0], [2, 0, 1]], weights=[4, 3, 2]))
    tensor([[8., 6., 4.]], dtype=torch.float64)
    """
    return _scores("young", _young_bounds, _young_score, profiles)


def young_winners(profiles: Profiles) -> Winners:
    """Young's winners alone: candidates whose bound already loses are not looked at."""
    return _winners("young", _young_bounds, _young_score, profiles)


Bound = Callable[[Profiles], tuple[NDArray, NDArray]]
Score = Callable[..., int]


def _scores(rule: str, bounds: Bound, score: Score, profiles: Profiles) -> Scores:
    """Everyone's score."""
    hard = HardElections(rule, profiles, scores=True)
    scores = _settle(hard, bounds, score, profiles)
    hard.finish(_best(scores))
    return scores


def _winners(rule: str, bounds: Bound, score: Score, profiles: Profiles) -> Winners:
    """The winners alone."""
    hard = HardElections(rule, profiles, scores=False)
    return hard.finish(_best(_settle(hard, bounds, score, profiles)))


def _settle(hard: HardElections, bounds: Bound, score: Score, profiles: Profiles) -> Scores:
    """The bounds where they are met, and exact scores for the others that matter."""
    values, met = bounds(profiles)
    ranks, weights, sizes = profiles.arrays
    margins = profiles.margins.cpu().numpy()
    for b in range(len(profiles)):
        m = int(sizes[b])
        exact = partial(score, ranks[b, :m], weights[b], margins[b, :m, :m])
        # Those whose bound is not below a score that is known.
        possible = list(range(m))
        with hard.election(b, possible) as clock:
            best = values[b, :m][met[b, :m]].max(initial=np.iinfo(np.int64).min)
            for c in np.argsort(-values[b, :m], kind="stable"):
                possible[:] = [d for d in possible if values[b, d] >= best]
                if not met[b, c] and (hard.scores or values[b, c] >= best):
                    values[b, c] = exact(int(c), clock)
                    best = max(best, values[b, c])
    return masked(torch.from_numpy(values).to(profiles.ranks.device), profiles)


def _best(scores: Scores) -> Winners:
    return scores == scores.amax(1, keepdim=True)


# ---------------------------------------------------------------------- Dodgson


def _lacks(margins: NDArray) -> NDArray:
    """lacks[c, y] = how many more voters must rank c above y before c beats y."""
    lacks: NDArray = np.maximum(0, -margins // 2 + 1)
    size = margins.shape[-1]
    lacks[..., np.arange(size), np.arange(size)] = 0
    return lacks


def _dodgson_bounds(profiles: Profiles) -> tuple[NDArray, NDArray]:
    """A swap passes one candidate, so at least Σ lacks are needed; they are enough if for each y
    so many voters have c directly below y."""
    ranks, weights, _ = profiles.arrays
    lacks = _lacks(profiles.margins.cpu().numpy())
    lacks *= (profiles.mask[:, :, None] & profiles.mask[:, None]).cpu().numpy()
    below = np.zeros_like(lacks)
    for c in range(ranks.shape[1]):
        below[:, c] = ((ranks == ranks[:, c : c + 1] - 1) * weights[:, None]).sum(2)
    met: NDArray = np.all(below >= lacks, axis=2)
    return -lacks.sum(2), met


def _dodgson_score(ranks: NDArray, weights: NDArray, margins: NDArray, c: int, clock: Clock) -> int:
    """A variable for each kind of ballot and each needed candidate above c on it: on how many of
    these ballots c rises past this one. Who rises past one has risen past those below it, so the
    first is at most the second, and each costs the swaps from the one to the other."""
    from scipy.sparse import csr_array

    lacks = _lacks(margins)[c]
    needed = np.flatnonzero(lacks)
    # What a ballot offers is how far above c each needed candidate stands, if it stands above.
    kinds, counts = _alike(np.maximum(0, ranks[c] - ranks[needed]), weights)
    candidate, kind = np.nonzero(kinds)
    distance = kinds[candidate, kind].astype(np.int64)
    order = np.lexsort((distance, kind))
    candidate, kind, distance = candidate[order], kind[order], distance[order]
    first = np.diff(kind, prepend=-1) != 0
    cost = np.where(first, distance, np.diff(distance, prepend=0))
    number = np.arange(len(kind))
    later = number[~first]
    links = np.arange(len(later)) + len(needed)
    rows = csr_array(
        (
            np.concatenate([np.ones(len(kind)), np.ones(len(later)), -np.ones(len(later))]).astype(
                np.int64
            ),
            (
                np.concatenate([candidate, links, links]),
                np.concatenate([number, later - 1, later]),
            ),
        ),
        shape=(len(needed) + len(later), len(kind)),
    )
    at_least = np.concatenate([lacks[needed], np.zeros(len(later), np.int64)])
    return -least_cost(Program(cost, rows, at_least, counts[kind]), clock)


# ---------------------------------------------------------------------- Young


def _young_bounds(profiles: Profiles) -> tuple[NDArray, NDArray]:
    """To lose a defeat of margin t, t voters must go; who is not defeated keeps everyone."""
    size = profiles.ranks.shape[2]
    real = profiles.mask[:, None].expand(-1, size, -1)
    defeat = torch.where(real, -profiles.margins, 0).amax(2).clamp(min=0)
    kept = profiles.num_voters[:, None] - defeat
    return kept.cpu().numpy(), (defeat == 0).cpu().numpy()


def _young_score(ranks: NDArray, weights: NDArray, margins: NDArray, c: int, clock: Clock) -> int:
    """A variable for each kind of ballot: how many of these are kept."""
    from scipy.sparse import csr_array

    others = np.delete(ranks, c, axis=0)
    kinds, counts = _alike(np.sign(others - ranks[c].astype(np.int32)).astype(np.int8), weights)
    kept = -np.ones(len(counts), np.int64)
    zero = np.zeros(len(kinds), np.int64)
    program = Program(kept, csr_array(kinds.astype(np.int64)), zero, counts)
    # If no ballot ties c with anyone, an odd number of voters leaves no margin at zero.
    return -least_cost(program, clock, odd=zero + 1 if kinds.all() else None)


def _alike(columns: NDArray, weights: NDArray) -> tuple[NDArray, NDArray]:
    """The distinct columns, and how many voters have each."""
    kinds, which = np.unique(columns[:, weights > 0], axis=1, return_inverse=True)
    counts = np.zeros(kinds.shape[1], np.int64)
    np.add.at(counts, which.ravel(), weights[weights > 0])
    return kinds, counts


# ---------------------------------------------------------------------- why, in a sentence


def _why_dodgson(decision: Decision) -> str:
    if condorcet(decision.profile) is not None:
        return beats_everyone(decision, " without a single swap on a ballot")
    would = f"{winners(decision)} would {verb(decision.elected, '', 'each ')}beat everyone else"
    if decision.profile.ranks.numel() > MANY_PLACES:
        return f"{would} head to head after the fewest swaps of neighbours on ballots."
    swaps = count(-best(decision), "swap")
    others = following(decision, told=lambda score: -score)
    return f"{would} head to head after {swaps} of neighbours on ballots{others}."


def _why_young(decision: Decision) -> str:
    if condorcet(decision.profile) is not None or undefeated(decision):
        return f"{lose_to_nobody(decision)} with all {count(decision.voters, 'voter')} kept."
    would = f"{winners(decision)} would {verb(decision.elected, '', 'each ')}lose to nobody"
    if decision.profile.ranks.numel() > MANY_PLACES:
        return f"{would} head to head with the fewest voters set aside."
    gone = f"{number(decision.voters - best(decision))} of {count(decision.voters, 'voter')}"
    others = following(decision, told=lambda score: decision.voters - score)
    return f"{would} head to head with {gone} set aside{others}."


# ---------------------------------------------------------------------- what is known of them

RECORDS = (
    Rule(
        "dodgson",
        dodgson,
        title="Dodgson",
        family=DISTANCE,
        reads="How little must change until someone wins every pair?",
        counting="the candidate who needs the fewest swaps on ballots to beat everyone wins",
        simplicity=Simplicity.SEARCH,
        why=_why_dodgson,
        ballots=COMPLETE,
        winners_only=dodgson_winners,
        slow=True,
        learning=BALLOTS,
    ),
    Rule(
        "young",
        young,
        title="Young",
        family=DISTANCE,
        reads="How little must change until someone wins every pair?",
        counting="the candidate who beats everyone after leaving out the fewest voters wins",
        simplicity=Simplicity.SEARCH,
        why=_why_young,
        winners_only=young_winners,
        slow=True,
        learning=BALLOTS,
    ),
)
