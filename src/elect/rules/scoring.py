"""Rules that give points for places: plurality, veto, approval, Borda, any scoring vector."""

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate
from math import isfinite, lcm
from numbers import Rational
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool
from torch import Tensor

from elect.elections import Profiles, Scores
from elect.errors import ElectError
from elect.kernels import NDArray, over_batch, sum_ranks
from elect.rules.base import (
    COMPLETE,
    ONE_FIRST,
    SCORING,
    TWO_LEVELS,
    UNTIED,
    Decision,
    Learning,
    Rule,
    Simplicity,
)
from elect.rules.exact_scores import LARGEST_PRODUCT, exact_scores, masked
from elect.rules.sentences import best, following, gets_points, share, winners
from elect.words import count, listed, number, verb

Points = Sequence[float] | Sequence[int] | Sequence[Fraction]
Vector = Points | Callable[[int], Points]


def plurality(profiles: Profiles) -> Scores:
    """**The voters who rank the candidate first.**

    Truncated ballots count for their first choice and empty ones for nobody. Ballots that tie
    candidates below the first place count; ballots that tie several at the top are refused.

    >>> plurality(Profiles.from_rankings([[0, 1, 2], [1, 0, 2]], weights=[3, 2])).tolist()
    [[3.0, 2.0, 0.0]]
    """
    if bool(profiles.tied.any()):
        tops = ((profiles.ranks == 0) & profiles.mask[:, None]).sum(2)
        if bool(((tops > 1) & (profiles.weights > 0)).any()):
            raise ElectError(
                "plurality needs one first choice a ballot, but some ballots tie several "
                "candidates at the top; use a pairwise rule such as maximin."
            )
    return masked(profiles.places[:, :, 0], profiles)


def anti_plurality(profiles: Profiles) -> Scores:
    """**Minus the voters who rank the candidate last** (veto).

    Truncated and tied ballots name no single last candidate and are refused.

    >>> anti_plurality(Profiles.from_rankings([[0, 1, 2], [1, 0, 2]], weights=[3, 2])).tolist()
    [[0.0, 0.0, -5.0]]
    """
    require_complete(profiles, "anti_plurality")
    last = (profiles.num_candidates - 1)[:, None, None].expand(-1, profiles.places.shape[1], 1)
    return masked(-profiles.places.gather(2, last)[:, :, 0], profiles)


def k_approval(profiles: Profiles, k: int = 2) -> Scores:
    """**The voters who rank the candidate among their first k.**

    A truncated ballot approves of those it ranks, up to k. Tied ballots are refused.

    >>> k_approval(Profiles.from_rankings([[0, 1, 2], [1, 2, 0]], weights=[3, 2])).tolist()
    [[3.0, 5.0, 2.0]]
    """
    if not isinstance(k, int) or isinstance(k, bool) or k < 1:
        raise ElectError(f"k_approval needs a whole number k of at least 1, not {k}.")
    require_untied(profiles, "k_approval")
    return masked(profiles.places[:, :, :k].sum(2), profiles)


def approval(profiles: Profiles) -> Scores:
    """**The voters who approve of the candidate**, for ballots of two levels.

    The upper level of a ballot is approved of; a lower level, or being left out, is not. Ballots
    that rank candidates on three levels or more say too much for approval and are refused.

    >>> approval(Profiles.from_rankings([[[0, 1]], [[1], [0, 2]]], weights=[3, 2])).tolist()
    [[3.0, 5.0, 0.0]]
    """
    ranks, counted = profiles.ranks, profiles.mask[:, None] & (profiles.weights > 0)[:, :, None]
    lower = torch.where(counted & (ranks > 0), ranks, 0).amax(2, keepdim=True)
    if bool((counted & (ranks > 0) & (ranks < lower)).any()):
        raise ElectError(
            "approval needs ballots of two levels, approved and not; these rank candidates on more."
        )
    return masked(profiles.places[:, :, 0], profiles)


def borda(profiles: Profiles) -> Scores:
    """**For each voter, the number of candidates ranked below.**

    Tied candidates, and those that a truncated ballot leaves out, share the points of the places
    they take together (pref_voting's symmetric Borda, up to scale).

    >>> borda(Profiles.from_rankings([[0, 1, 2], [1, 2, 0]], weights=[3, 2])).tolist()
    [[6.0, 7.0, 2.0]]
    """
    most = (profiles.num_voters * (profiles.num_candidates - 1))[:, None]
    if not bool(profiles.complete.all()):
        # Twice the score is a whole number.
        return exact_scores(profiles.margins.sum(2) + most, 2, profiles)
    sums = np.zeros((len(profiles), profiles.ranks.shape[2]), np.int64)
    over_batch(sum_ranks, *profiles.arrays, sums)
    return masked(most - torch.from_numpy(sums).to(profiles.ranks.device), profiles)


def scoring(profiles: Profiles, vector: Vector) -> Scores:
    """**The points of a scoring vector, added up over voters.**

    The vector gives the points of each place, best first; for elections of several sizes it is a
    function from the number of candidates to such a vector. Points are taken as the decimals they
    are written as and added up exactly: 0.7, 0.3, 0.1 ties where 7, 3, 1 does. Truncated and tied
    ballots are refused.

    >>> scoring(Profiles.from_rankings([[0, 1, 2], [1, 2, 0]]), vector=[5, 2, 0]).tolist()
    [[5.0, 7.0, 2.0]]
    """
    require_complete(profiles, "scoring")
    sizes = profiles.num_candidates.tolist()
    vectors = {m: _points(vector, m) for m in set(sizes)}
    over = lcm(*(points.denominator for row in vectors.values() for points in row))
    whole = {m: [int(points * over) for points in row] for m, row in vectors.items()}
    largest = max(abs(number) for row in whole.values() for number in row)
    places = profiles.places.cpu().numpy()
    # Sums that 64 bits cannot hold are left to Python's whole numbers.
    fits = largest * int(profiles.num_voters.max()) < LARGEST_PRODUCT
    numbers = np.zeros((len(profiles), places.shape[2]), np.int64 if fits else object)
    for row, m in zip(numbers, sizes, strict=True):
        row[:m] = whole[m]
    sums: NDArray = (places * numbers[:, None]).sum(2)
    return exact_scores(sums, over, profiles)


def bucklin(profiles: Profiles) -> Scores:
    """**The voters who rank the candidate among their first r, for the least r at which someone
    has a strict majority.**

    On truncated ballots those left out are never counted; empty ballots do not count towards the
    majority, and if nobody reaches one all places are counted. Tied ballots are refused.

    >>> bucklin(Profiles.from_rankings([[0, 1, 2], [1, 0, 2], [2, 1, 0]], weights=[4, 2, 3]))
    tensor([[6., 9., 3.]], dtype=torch.float64)
    """
    require_untied(profiles, "bucklin")
    reach = profiles.places.cumsum(2)
    voters = profiles.places[:, :, 0].sum(1)
    enough = (2 * reach > voters[:, None, None]).any(1)
    enough[:, -1] = True
    # argmax of whole numbers is the first of the largest.
    r = enough.int().argmax(1)
    return masked(reach[torch.arange(len(profiles)), :, r], profiles)


def computed_scoring(profiles: Profiles, vector: Callable[[int], Sequence[float]]) -> Scores:
    """The points of a vector that was computed, and so is not exact itself: sums are rounded to
    nine decimals, so that those which differ by rounding alone are equal."""
    require_complete(profiles, "scoring")
    sizes = profiles.num_candidates.tolist()
    points = torch.zeros(len(profiles), profiles.ranks.shape[2], dtype=torch.float64)
    table = {m: torch.tensor(vector(m), dtype=torch.float64) for m in set(sizes)}
    for row, m in zip(points, sizes, strict=True):
        row[:m] = table[m]
    scores = torch.einsum("bck,bk->bc", profiles.places.double(), points.to(profiles.ranks.device))
    return masked(scores.round(decimals=9), profiles)


def require_complete(profiles: Profiles, rule: str) -> None:
    """Refuse ballots that leave candidates out or tie them."""
    _require(~profiles.truncated, rule, "every candidate on every ballot", "leave candidates out")
    require_untied(profiles, rule)


def require_untied(profiles: Profiles, rule: str) -> None:
    """Refuse ballots that tie the candidates they rank."""
    _require(~profiles.tied, rule, "ballots without ties", "tie candidates")


def _require(fine: Bool[Tensor, "batch"], rule: str, needed: str, found: str) -> None:
    if not bool(fine.all()):
        raise ElectError(
            f"{rule} needs {needed}, but some ballots {found} and there is no accepted reading "
            "of them; use a pairwise rule such as maximin."
        )


def as_fraction(value: Any) -> Fraction | None:
    """A number as the decimal or fraction that it is written as; None if it is none.

    >>> as_fraction(0.1), as_fraction(3)
    (Fraction(1, 10), Fraction(3, 1))
    """
    if isinstance(value, Rational | Decimal) and isfinite(value):
        return Fraction(value)
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return Fraction(repr(number)) if isfinite(number) else None


def _points(vector: Vector, candidates: int) -> list[Fraction]:
    try:
        given = vector(candidates) if callable(vector) else vector
    except TypeError as error:
        raise ElectError(f"The function of the scoring vector failed: {error}.") from error
    values = list(given) if isinstance(given, Iterable) else [given]
    if len(values) != candidates:
        raise ElectError(
            f"A scoring vector of {len(values)} places does not fit {candidates} candidates; "
            "give one number for each place."
        )
    points = [as_fraction(value) for value in values]
    fine = [one for one in points if one is not None]
    if len(fine) < len(points):
        raise ElectError("A scoring vector must consist of finite numbers, as in 3/1/0.")
    # Digits beyond these are no decimals that a person wrote, and would only cost time.
    if any(max(abs(one.numerator), one.denominator) > 10**40 for one in fine):
        raise ElectError("A scoring vector must consist of numbers of at most 40 digits.")
    return fine


# ---------------------------------------------------------------------- why, in a sentence


def _why_plurality(decision: Decision) -> str:
    return share(decision, "the first choice of")


def _why_anti_plurality(decision: Decision) -> str:
    last = number(-best(decision))
    what = f"the last choice of {f'only {last}' if best(decision) else 'none'} of"
    be = verb(decision.elected, "is", "are each")
    others = following(decision, told=lambda score: -score)
    return f"{winners(decision)} {be} {what} {count(decision.voters, 'voter')}{others}."


def _why_k_approval(decision: Decision) -> str:
    return share(decision, f"among the first {decision.settings.get('k', 2)} choices of")


def _why_approval(decision: Decision) -> str:
    return share(decision, "approved of by")


def why_borda(decision: Decision) -> str:
    level = "" if bool(decision.profile.complete) else ", half for each beside"
    return gets_points(decision, f" (one for each candidate below on each ballot{level})")


def _why_scoring(decision: Decision) -> str:
    vector = decision.settings["vector"]
    if not isinstance(vector, tuple | list) or len(vector) > 8:
        return gets_points(decision, " for places on the ballots")
    return gets_points(decision, f" for places worth {listed(map(str, vector), most=8)}")


def _why_bucklin(decision: Decision) -> str:
    places = decision.profile.places[0].tolist()
    voters = sum(row[0] for row in places)
    # reach[k]: of each candidate, the voters who rank it among their first k + 1.
    reach = list(zip(*map(accumulate, places), strict=True))
    enough = [2 * max(column) > voters for column in reach]
    have = verb(decision.elected, "has", "each have")
    tally = f"{winners(decision)} {have} {number(best(decision))} of {count(voters, 'voter')}"
    if not any(enough):
        return (
            f"Nobody gets a majority even with all choices counted; {tally}{following(decision)}."
        )
    choices = enough.index(True) + 1
    if choices == 1:
        return f"With first choices alone {tally}, a majority{following(decision)}."
    return f"It takes the first {choices} choices for a majority: {tally}{following(decision)}."


# ---------------------------------------------------------------------- what is known of them

RECORDS = (
    Rule(
        "plurality",
        plurality,
        title="Plurality",
        family=SCORING,
        reads="Only first choices count.",
        counting="the candidate with the most first choices wins",
        simplicity=Simplicity.MARKS,
        why=_why_plurality,
        ballots=ONE_FIRST,
        aliases=("first_past_the_post", "fptp"),
    ),
    Rule(
        "anti_plurality",
        anti_plurality,
        title="Veto",
        family=SCORING,
        reads="Only last places count.",
        counting="the candidate with the fewest last choices wins",
        simplicity=Simplicity.MARKS,
        why=_why_anti_plurality,
        ballots=COMPLETE,
        aliases=("veto", "antiplurality"),
    ),
    Rule(
        "k_approval",
        k_approval,
        title="Two votes each",
        family=SCORING,
        reads="Places are added up.",
        counting="the candidate who is most often a first or second choice wins",
        simplicity=Simplicity.MARKS,
        why=_why_k_approval,
        ballots=UNTIED,
    ),
    Rule(
        "approval",
        approval,
        title="Approval",
        family=SCORING,
        reads="Places are added up.",
        counting="the candidate approved by the most voters wins",
        simplicity=Simplicity.MARKS,
        why=_why_approval,
        ballots=TWO_LEVELS,
    ),
    Rule(
        "borda",
        borda,
        title="Borda",
        family=SCORING,
        reads="Places are added up.",
        counting="on each ballot the last choice gets 0 points, the next 1, and so on; "
        "most points win",
        simplicity=Simplicity.POINTS,
        why=why_borda,
    ),
    Rule(
        "scoring",
        scoring,
        title="Scoring rule",
        family=SCORING,
        reads="Places are added up.",
        counting="each place on a ballot gets the points of a given table; most points win",
        simplicity=Simplicity.TABLE,
        why=_why_scoring,
        ballots=COMPLETE,
        needs={"vector": (3, 2, 1, 0)},
    ),
    Rule(
        "bucklin",
        bucklin,
        title="Bucklin",
        family=SCORING,
        reads="Places are added up.",
        counting="first choices are counted, then second choices too, and so on, until "
        "someone has a majority",
        simplicity=Simplicity.ROUNDS,
        why=_why_bucklin,
        ballots=UNTIED,
        learning=Learning({"depths": 8}),
    ),
)
