"""Fit Dirichlet cultures to the rankings of a file.

Rankings cannot tell how much more one candidate is liked than the next: a symmetric Dirichlet ranks
all ways alike, whatever its alpha. What they do tell is how popular each candidate is. So the
alphas, one for each candidate, are fitted by maximum likelihood at several levels, which stand for
how decided voters are, and the fits are compared by Schwarz's criterion (BIC).
"""

from dataclasses import dataclass
from math import lgamma

import numpy as np
import torch
from jaxtyping import Float64
from scipy.optimize import minimize
from torch import Tensor

from elect.cultures import Dirichlet
from elect.designing.people import completed
from elect.elections import Profiles
from elect.kernels import NDArray

# Means of the alphas: those of the polarized, the uniform and the indecisive culture.
LEVELS = {0.5: "polarized", 1.0: "uniform", 2.0: "indecisive"}

# The number of entries (ballots times candidates) that is enough for a fit.
ENTRIES = 6_000

# Alphas keep within these, so that the grid of log-gammas holds all but a few thousandths of them.
LOW, HIGH = 0.1, 50.0
# Logarithms of gammas, dense where most of them are, and the width of a step at each.
_TIME = np.linspace(0, 3.5, 200)[::-1]
GRID, WIDTH = 4.7 - 2 * np.expm1(_TIME), 2 * np.exp(_TIME) * (_TIME[0] - _TIME[1])


@dataclass(frozen=True)
class Fit:
    """A culture and how well it explains the rankings.

    Attributes:
        culture: its alphas.
        name: as `elect.culture` knows it.
        level: the mean of its alphas.
        likelihood: the mean logarithm of a ballot's probability.
        criterion: Schwarz's: the lower, the better.
    """

    culture: Dirichlet
    name: str
    level: float
    likelihood: float
    criterion: float


def fits(profile: Profiles, seed: int = 0) -> list[Fit]:
    """Cultures with utilities for these rankings, the best first."""
    rankings, counts = _rankings(profile, seed)
    m, n = rankings.shape[1], int(counts.sum())
    even = Fit(Dirichlet(1.0), "uniform", 1.0, -lgamma(m + 1), 2 * n * lgamma(m + 1))
    found = [even, *(_fit(rankings, counts, level) for level in LEVELS)] if m > 1 else [even]
    return sorted(found, key=lambda fit: fit.criterion)


def at_level(fit: Fit, level: float) -> Dirichlet:
    """The same popularities, of voters who are more or less decided."""
    if fit.culture.symmetric:
        return Dirichlet(level)
    scaled = np.clip(np.array(fit.culture.values) * level / fit.level, LOW, HIGH)
    return Dirichlet(tuple(scaled.tolist()))


def log_likelihood(
    alphas: Float64[Tensor, "candidate"], rankings: NDArray
) -> Float64[Tensor, "ballot"]:
    """The log-probability of each of ``rankings [ballot, place]``, best first.

    With C_k(x) = P(x > x_k > … > x_m), from the bottom up C_k(x) = ∫_0^x C_{k+1} dF_k, and the
    probability is C_1(∞). On a grid of z = log x the gammas' densities are smooth.
    """
    z, width = torch.from_numpy(GRID), torch.from_numpy(WIDTH)
    densities = torch.exp(alphas[:, None] * z - z.exp() - torch.lgamma(alphas)[:, None]) * width
    below = torch.ones(len(rankings), len(z), dtype=torch.float64)
    total = torch.zeros(len(rankings), dtype=torch.float64)
    for place in reversed(range(rankings.shape[1])):
        below = _integral(densities[rankings[:, place]] * below)
        # Many candidates would run out of digits.
        last = below[:, -1:]
        total, below = total + last[:, 0].log(), below / last
    return total


def _integral(values: Float64[Tensor, "ballot grid"]) -> Float64[Tensor, "ballot grid"]:
    """The integral up to each point of a grid: between two points, that of the cubic through
    these and their neighbours. Straight lines would favour some alphas over others."""
    far = torch.nn.functional.pad(values, (1, 1))
    steps = (13 * (far[:, 1:-2] + far[:, 2:-1]) - far[:, :-3] - far[:, 3:]) / 24
    return torch.nn.functional.pad(steps.cumsum(1), (1, 0))


def _fit(rankings: NDArray, counts: NDArray, level: float) -> Fit:
    m, weights = rankings.shape[1], torch.from_numpy(counts.astype(np.float64))

    def alphas(shares: Tensor) -> Tensor:
        spread: Tensor = level * m * shares.softmax(0)
        return spread.clamp(LOW, HIGH)

    def cost(values: NDArray) -> tuple[float, NDArray]:
        shares = torch.from_numpy(values).requires_grad_()
        loss = -(weights * log_likelihood(alphas(shares), rankings)).sum() / weights.sum()
        # Too little to matter, but enough to hold a candidate whom nobody likes.
        loss = loss + 1e-3 * shares.square().mean()
        [slope] = torch.autograd.grad(loss, [shares])
        return float(loss.detach()), slope.numpy()

    found = minimize(cost, np.zeros(m), jac=True, method="L-BFGS-B", options={"maxiter": 30})
    # Rounded, so that the name says all of it.
    fitted = np.round(alphas(torch.from_numpy(found.x)).numpy(), 3)
    log = log_likelihood(torch.from_numpy(fitted), rankings)
    mean = float((weights * log).sum() / weights.sum())
    name = "dirichlet:alpha=" + "/".join(f"{alpha:g}" for alpha in fitted)
    n = float(weights.sum())
    criterion = (m - 1) * np.log(n) - 2 * n * mean
    return Fit(Dirichlet(tuple(fitted.tolist())), name, level, mean, float(criterion))


def _rankings(profile: Profiles, seed: int) -> tuple[NDArray, NDArray]:
    """Rankings of some voters, ties broken by lot: distinct ones, and how many cast each."""
    rng = np.random.default_rng(seed)
    [ranks], [weights], [standing] = profile.arrays
    voters = np.repeat(np.arange(len(weights)), weights) if weights.sum() < 10**6 else None
    most = max(50, ENTRIES // int(standing))
    if voters is None:
        some = rng.choice(len(weights), most, p=weights / weights.sum())
    else:
        some = rng.choice(voters, min(most, len(voters)), replace=False)
    orders = completed(ranks[:standing, some].T, rng).argsort(1)
    distinct, counts = np.unique(orders, axis=0, return_counts=True)
    return distinct, counts
