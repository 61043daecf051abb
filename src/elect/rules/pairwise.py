"""Rules that see only the margins: who beats whom, and by how many voters.

All of them take truncated and tied ballots: whoever is left out stands below those who are ranked,
and tied candidates give each other no support (pref_voting's extended strict preference).
"""

import torch
from jaxtyping import Bool, Int64
from torch import Tensor

from elect.elections import Profiles, Scores
from elect.errors import ElectError
from elect.kernels import over_batch, strengthen_paths
from elect.rules.exact_scores import LARGEST_PRODUCT, exact_scores, masked
from elect.rules.scoring import as_fraction, borda

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
