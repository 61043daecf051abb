"""Draw utilities that are consistent with given rankings."""

import numpy as np
import torch
from numba import njit

from elect.cultures.base import Culture, Seed, generator, in_chunks
from elect.cultures.dirichlet import draw_voter, posterior_of
from elect.elections import Elections, Profiles
from elect.errors import ElectError
from elect.kernels import NDArray


def redraw(culture: Culture, profiles: Profiles, seed: Seed) -> Elections:
    """Draw utilities from this culture, given the rankings.

    Under a symmetric Dirichlet, all rankings are equally likely for any alpha. So utilities given a
    ranking are a new draw, sorted and assigned by rank. The same rankings can then be used to learn
    the welfare of every such culture.

    Example:
        >>> from elect.cultures import Dirichlet
        >>> profiles = Profiles.from_rankings([[1, 0, 2], [2, 1, 0]])
        >>> redraw(Dirichlet(0.5), profiles, seed=0).utilities.argsort(2, descending=True).tolist()
        [[[1, 0, 2], [2, 1, 0]]]
    """
    source = posterior_of(culture)
    if source is None or not source.symmetric:
        raise ElectError(
            "Utilities can be drawn anew for given rankings only in a Dirichlet culture with one "
            "alpha for all candidates, such as uniform, polarized or indecisive."
        )
    if not profiles.complete.all():
        raise ElectError("Utilities can be drawn only for ballots that strictly rank everyone.")
    if (profiles.weights > 1).any():
        profiles = profiles.single()
    ranks, weights, num_candidates = profiles.arrays
    utilities = np.zeros((len(ranks), ranks.shape[2], ranks.shape[1]))
    alphas = np.full((len(ranks), ranks.shape[1]), source.values[0], np.float64)
    rng = generator(seed)
    in_chunks(_hand_out, rng, alphas, weights, num_candidates, ranks, utilities)
    return Elections(profiles, torch.from_numpy(utilities))


@njit(nogil=True, cache=True)
def _hand_out(
    rng: np.random.Generator,
    alphas: NDArray,
    weights: NDArray,
    num_candidates: NDArray,
    ranks: NDArray,
    utilities: NDArray,
) -> None:
    places = np.zeros(ranks.shape[1], np.int64)
    shares, ordered = np.zeros(ranks.shape[1]), np.zeros(ranks.shape[1])
    for b in range(len(ranks)):
        m = num_candidates[b]
        for v in range(ranks.shape[2]):
            if weights[b, v] > 0:
                draw_voter(rng, alphas[b, :m], shares[:m], places[:m])
                for c in range(m):
                    ordered[places[c]] = shares[c]
                for c in range(m):
                    # The ballots are complete, so this changes no rank.
                    utilities[b, v, c] = ordered[min(max(ranks[b, c, v], 0), m - 1)]
