"""Rules that see only the margins: who beats whom, and by how many voters.

All of them accept truncated and tied ballots: unranked candidates stand below ranked ones, and tied
candidates give each other no support (pref_voting's extended strict preference).
"""

import torch
from jaxtyping import Bool, Int64
from torch import Tensor

from elect.elections import Profiles, Scores
from elect.errors import ElectError
from elect.kernels import over_batch, strengthen_paths
from elect.rules.base import PAIRWISE, PATHS, Decision, Rule, Simplicity, condorcet
from elect.rules.exact_scores import LARGEST_PRODUCT, exact_scores, masked
from elect.rules.scoring import as_fraction, borda, why_borda
from elect.rules.sentences import (
    beats_everyone,
    best,
    called,
    following,
    gets_points,
    lose_to_nobody,
    losses_of,
    undefeated,
    winners,
)
from elect.words import count, number, verb

Matrix = Int64[Tensor, "batch candidate candidate"]


def copeland(profiles: Profiles, tie: float | int = 0.5) -> Scores:
    """**Majority wins, plus ``tie`` for each pairwise tie.**

    The usual value of a tie is ½; "Learning to Elect" uses 0, and 1 is Llull's rule.
    Truncated and tied ballots are taken as they are.

    >>> cycle = Profiles.from_rankings([[0, 1, 2, 3], [1, 2, 0, 3], [2, 0, 1, 3]])
    >>> copeland(cycle).tolist()
    [[2.0, 2.0, 2.0, 0.0]]
    """
    value = None if isinstance(tie, bool) else as_fraction(tie)
    if value is None or not 0 <= value <= 1:
        raise ElectError(f"The value of a pairwise tie must be a number from 0 to 1, not {tie}.")
    points, over = value.numerator, value.denominator
    wins, ties = (counts.cpu().numpy() for counts in profiles.duels[:2])
    if over * profiles.ranks.shape[2] >= LARGEST_PRODUCT:
        wins, ties = wins.astype(object), ties.astype(object)
    return exact_scores(wins * over + ties * points, over, profiles)


def llull(profiles: Profiles) -> Scores:
    """**Majority wins and pairwise ties**, each worth one point.

    Truncated and tied ballots are taken as they are.

    >>> llull(Profiles.from_rankings([[0, 1, 2], [1, 0, 2]])).tolist()
    [[2.0, 2.0, 0.0]]
    """
    return copeland(profiles, tie=1.0)


def maximin(profiles: Profiles) -> Scores:
    """**The candidate's worst margin**: the winner's largest defeat is the smallest.

    Also known as minimax or Simpson–Kramer. Truncated and tied ballots are taken as they are;
    with them it matters that margins, not supports, are compared.

    >>> maximin(Profiles.from_rankings([[0, 1, 2], [1, 2, 0], [2, 0, 1]], weights=[4, 3, 2]))
    tensor([[-1., -3., -5.]], dtype=torch.float64)
    """
    return masked(profiles.duels.worst, profiles)


def blacks(profiles: Profiles) -> Scores:
    """**The Condorcet winner if there is one, otherwise Borda** (Black's rule).

    Truncated and tied ballots are taken as by Borda.

    >>> blacks(Profiles.from_rankings([[0, 1, 2], [1, 2, 0]], weights=[3, 2])).tolist()
    [[15.0, 7.0, 2.0]]
    """
    # More than any Borda score can be.
    top = (profiles.num_voters * profiles.num_candidates).double()[:, None]
    return torch.where(condorcet_winner(profiles), top, borda(profiles))


def condorcet_winner(profiles: Profiles) -> Bool[Tensor, "batch candidate"]:
    """True for the candidate that beats every other, where there is one."""
    return (profiles.duels.wins == profiles.num_candidates[:, None] - 1) & profiles.mask


def beat_path(profiles: Profiles) -> Scores:
    """**Minus the candidates that have a stronger path of majorities to it than it has to them**
    (Schulze); a path is as strong as its weakest margin, and winners score 0.

    Truncated and tied ballots are taken as they are, by margins.

    >>> beat_path(Profiles.from_rankings([[0, 1, 2], [1, 2, 0], [2, 0, 1]], weights=[4, 3, 2]))
    tensor([[ 0., -1., -2.]], dtype=torch.float64)
    """
    strength = path_strengths(profiles.margins)
    return masked(-(strength.transpose(1, 2) > strength).sum(2), profiles)


def split_cycle(profiles: Profiles) -> Scores:
    """**Minus the defeats that survive when every cycle drops its weakest**: a defeats b if its
    margin is positive and larger than the strength of every path back; winners score 0.

    Truncated and tied ballots are taken as they are. Reference: Holliday and Pacuit, "Split
    Cycle", Public Choice 2023.

    >>> split_cycle(Profiles.from_rankings([[0, 1, 2], [1, 2, 0], [2, 0, 1]], weights=[4, 3, 2]))
    tensor([[ 0., -1., -1.]], dtype=torch.float64)
    """
    strength = path_strengths(profiles.margins)
    defeats = profiles.margins > strength.transpose(1, 2)
    return masked(-defeats.sum(1), profiles)


def path_strengths(margins: Matrix) -> Matrix:
    """The strongest path of positive margins from each candidate to each other (0: none)."""
    strengths = margins.clamp(min=0).cpu().numpy()
    over_batch(strengthen_paths, strengths)
    return torch.from_numpy(strengths).to(margins.device)


# ---------------------------------------------------------------------- why, in a sentence


def _why_copeland(decision: Decision) -> str:
    rows = [decision.margins[w] for w in decision.elected]
    records = {(sum(x > 0 for x in row), sum(x == 0 for x in row) - 1) for row in rows}
    if len(records) > 1:
        tie = decision.settings.get("tie", 0.5)
        return gets_points(decision, f" (one for each win head to head, {tie} for each tie)")
    [(wins, ties)] = records
    beat = verb(decision.elected, "beats", "each beat")
    tied = f" and {verb(decision.elected, 'ties', 'tie')} with {ties}" if ties else ""
    total = f", {count(best(decision), 'point')} in all" if ties else ""
    others = f"{wins} of {count(decision.size - 1, 'other')} head to head"
    return f"{winners(decision)} {beat} {others}{tied}{total}{following(decision)}."


def _why_llull(decision: Decision) -> str:
    beat = verb(decision.elected, "beats or ties", "each beat or tie")
    others = f"{number(best(decision))} of {count(decision.size - 1, 'other')} head to head"
    return f"{winners(decision)} {beat} {others}{following(decision)}."


def _why_maximin(decision: Decision) -> str:
    worst = int(best(decision))
    others = "; everyone else loses a pair" if decision.losers else ""
    if worst > 0:
        return (
            f"{winners(decision)} wins every pair, the closest by {count(worst, 'vote')}{others}."
        )
    if worst == 0:
        lose = verb(decision.elected, "loses no pair and ties", "lose no pair and tie")
        return f"{winners(decision)} {lose} at worst{others}."
    [first, *more] = decision.elected
    loss = "The worst losses of" if more else "The worst loss of"
    to = "" if more else f" is to {called(decision, losses_of(decision, first)[:1])}"
    if decision.losers:
        second = max(decision.points[c] for c in decision.losers)
        others = f"; everyone else loses a pair by {number(-second)} or more"
    by = f"{' are' if more else ''} by {count(-worst, 'vote')}"
    return f"{loss} {winners(decision)} head to head{to}{by}{others}."


def _why_blacks(decision: Decision) -> str:
    if condorcet(decision.profile) is not None:
        return beats_everyone(decision, ", which settles it")
    return f"Nobody beats everyone else head to head, so Borda decides: {why_borda(decision)}"


def _why_beat_path(decision: Decision) -> str:
    if condorcet(decision.profile) is not None:
        return beats_everyone(decision, ", so no chain of majorities leads back")
    if len(decision.elected) > 1:
        either = winners(decision, "or")
        return f"Nobody has a stronger chain of majorities to {either} than leads back."
    [winner] = decision.elected
    paths = path_strengths(decision.profile.margins)[0].tolist()
    # Of finitely many, a sole winner has the stronger chain to each of the others.
    rival = min(decision.losers, key=lambda c: paths[winner][c] - paths[c][winner])
    return (
        f"{winners(decision)} has a stronger chain of majorities to everyone else than leads back, "
        f"with {called(decision, [rival])} the closest: {number(paths[winner][rival])} to "
        f"{count(paths[rival][winner], 'vote')}."
    )


def _why_split_cycle(decision: Decision) -> str:
    if condorcet(decision.profile) is not None:
        return beats_everyone(decision, ", so there is no loss to excuse")
    if undefeated(decision):
        return f"{lose_to_nobody(decision)}, so there is no loss to excuse."
    excused = f"Every loss of {winners(decision, 'or')} is the weakest link of a cycle"
    if len(decision.elected) > 1:
        return f"{excused} and excused."
    [winner] = decision.elected
    worst = losses_of(decision, winner)[0]
    back = int(path_strengths(decision.profile.margins)[0, winner, worst])
    return (
        f"{excused} and excused; the largest, to {called(decision, [worst])} by "
        f"{count(decision.margins[worst][winner], 'vote')}, by a chain back of {number(back)}."
    )


# ---------------------------------------------------------------------- what is known of them

RECORDS = (
    Rule(
        "copeland",
        copeland,
        title="Copeland",
        family=PAIRWISE,
        reads="Each pair of candidates is put to a vote.",
        counting="the candidate with the most head-to-head wins is elected; a tie is half a win",
        simplicity=Simplicity.PAIRS,
        why=_why_copeland,
    ),
    Rule(
        "llull",
        llull,
        title="Llull",
        family=PAIRWISE,
        reads="Each pair of candidates is put to a vote.",
        counting="the candidate with the most head-to-head wins and ties is elected",
        simplicity=Simplicity.PAIRS,
        why=_why_llull,
        same_as="copeland",
    ),
    Rule(
        "maximin",
        maximin,
        title="Maximin",
        family=PAIRWISE,
        reads="Each pair of candidates is put to a vote.",
        counting="the candidate whose worst head-to-head defeat is smallest wins",
        simplicity=Simplicity.PAIRS,
        why=_why_maximin,
        aliases=("minimax", "simpson", "simpson_kramer"),
    ),
    Rule(
        "blacks",
        blacks,
        title="Black",
        family=PAIRWISE,
        reads="Each pair of candidates is put to a vote.",
        counting="a candidate who beats everyone head to head wins; otherwise Borda decides",
        simplicity=Simplicity.PAIRS,
        why=_why_blacks,
        aliases=("black",),
    ),
    Rule(
        "beat_path",
        beat_path,
        title="Schulze",
        family=PAIRWISE,
        reads="Each pair of candidates is put to a vote.",
        counting="the candidate with the stronger chain of majorities to everyone else wins",
        simplicity=Simplicity.CHAINS,
        why=_why_beat_path,
        aliases=("schulze",),
        learning=PATHS,
    ),
    Rule(
        "split_cycle",
        split_cycle,
        title="Split cycle",
        family=PAIRWISE,
        reads="Each pair of candidates is put to a vote.",
        counting="the smallest majority of every cycle is struck out; a candidate who is then "
        "unbeaten wins",
        simplicity=Simplicity.CHAINS,
        why=_why_split_cycle,
        learning=PATHS,
    ),
)
