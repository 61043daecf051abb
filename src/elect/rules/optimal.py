"""The optimal scoring vector of a culture, and its scoring rule."""

from collections.abc import Callable
from functools import cache

import numpy as np
import torch
from jaxtyping import Float64
from torch import Tensor

from elect.cultures import Culture, posterior_of
from elect.cultures import culture as make_culture
from elect.elections import Profiles, Scores
from elect.errors import ElectError
from elect.rules.scoring import computed_scoring

Rule = Callable[[Profiles], Scores]


def optimal_scoring(culture: str | Culture, candidates: int) -> Float64[Tensor, "place"]:
    """**The expected utility of a voter's first, second, … choice**, which is what each place
    must be worth if the sum of points is to be the expected sum of utilities.

    For a symmetric Dirichlet, s_k = E[k-th largest of m gammas] / mα, since shares do not depend
    on their sum; and E[X] = ∫ P(X > x) dx. For α = 1 it is (1/m) Σ_{j ≥ k} 1/j.

    >>> optimal_scoring("uniform", 2).tolist()
    [0.75, 0.25]
    """
    source = posterior_of(make_culture(culture))
    if source is None or not source.symmetric:
        raise ElectError(
            "Only a symmetric Dirichlet culture, such as uniform, polarized or indecisive, has an "
            "optimal scoring vector; use the posterior rule for other Dirichlet cultures."
        )
    return _expected_shares(float(source.values[0]), candidates).clone()


def optimal_scoring_rule(culture: str | Culture) -> Rule:
    """**The scoring rule whose winner has the highest expected utilitarian welfare.**

    Each election is counted with the vector for its own number of candidates. Truncated and tied
    ballots are refused.
    """
    optimal_scoring(culture, 2)

    def optimal(profiles: Profiles) -> Scores:
        return computed_scoring(profiles, lambda m: optimal_scoring(culture, m).tolist())

    return optimal


@cache
def _expected_shares(alpha: float, m: int) -> Float64[Tensor, "place"]:
    if alpha == 1:
        tails = np.cumsum(1 / np.arange(m, 0, -1))[::-1]
        return torch.from_numpy(tails / m)
    # SciPy takes a while to load, and few commands need it.
    from scipy.special import betainc, gammaincc, gammainccinv

    # With x = exp(z) the integrand dies away on both sides, where equal steps are at their best.
    z = np.linspace(np.log(alpha) - 40, np.log(gammainccinv(alpha, 1e-20 / m)), 8001)
    above = gammaincc(alpha, np.exp(z))
    places = np.arange(1, m + 1)[:, None]
    # The k-th largest of m is above x if at least k are: a binomial tail.
    integrals = (betainc(places, m - places + 1, above) * np.exp(z)).sum(1) * (z[1] - z[0])
    return torch.from_numpy(integrals / integrals.sum())
