"""Kernels that draw utilities consistent with rankings, and compute their welfare.

In a Dirichlet culture a voter's utilities are gammas divided by their sum, and a ranking says only
in which order the gammas came. If all have the same shape, any such gammas will do: draw, sort,
hand out by rank. If shapes differ, the gammas from best to worst are a Markov chain, x_1 > x_2 >
…, and with C_k(x) = P(x > x_k > … > x_m) from the bottom up,

    C_k(x) = ∫_0^x C_{k+1}(y) dF_k(y),        P(x_k ≤ y | x_{k-1} = x) = C_k(y) / C_k(x).

So one pass up the ranking on a grid of x gives its probability C_1(∞), and passes down draw from
it exactly, but for the straight lines between grid points.
"""

from math import lgamma

import numpy as np
from numba import njit

from elect.cultures.dirichlet import draw_voter
from elect.kernels import NDArray
from elect.welfares import EGALITARIAN, NASH, RAWLSIAN

# How an election's alphas are known, and that a welfare is none that is computed here.
FIXED, FAVOURITE, DRAWN = range(3)
NONE = 0

# Where alphas are drawn, how many draws to forget at the start, and on how many to keep them.
BURN_IN, KEEP = 20, 16


@njit(nogil=True, cache=True)
def sample_symmetric(
    rng: np.random.Generator,
    alpha: float,
    rankings: NDArray,
    welfares: NDArray,
    lams: NDArray,
    utilities: NDArray,
    scores: NDArray,
) -> None:
    """Fill ``scores [welfare, sample, candidate]`` of draws where all alphas are alike.

    ``rankings [voter, place]`` are one election's candidates, best first. Draws go to
    ``utilities [slot, voter, candidate]``, over and over where slots are fewer than samples.
    """
    n, m = rankings.shape
    alphas, shares, places = np.full(m, alpha), np.zeros(m), np.arange(m)
    for s in range(scores.shape[1]):
        draws = utilities[s % len(utilities)]
        for v in range(n):
            if alpha == 1:
                _draw_sorted(rng, shares)
            else:
                draw_voter(rng, alphas, shares, places)
            for c in range(m):
                draws[v, rankings[v, places[c]]] = shares[c]
        _judge_all(welfares, lams, draws, scores[:, s])


@njit(nogil=True, cache=True)
def share_symmetric(
    rng: np.random.Generator,
    alpha: float,
    ranks: NDArray,
    weights: NDArray,
    sizes: NDArray,
    welfares: NDArray,
    lams: NDArray,
    samples: int,
    shares: NDArray,
) -> None:
    """Fill ``shares [election, welfare, candidate]`` of draws in which a candidate is optimal.

    Many elections per call, since a call costs more than the few draws of one election.
    """
    for b in range(len(ranks)):
        m, n = sizes[b], weights[b].sum()
        rankings, utilities = np.zeros((n, m), np.int64), np.zeros((1, n, m))
        scores = np.zeros((len(welfares), samples, m))
        v = 0
        for ballot in range(ranks.shape[2]):
            # A ballot of weight w is w voters, who share a ranking and nothing else.
            for _ in range(weights[b, ballot]):
                for c in range(m):
                    # The ballots are complete, so this changes no rank.
                    rankings[v, min(max(ranks[b, c, ballot], 0), m - 1)] = c
                v += 1
        sample_symmetric(rng, alpha, rankings, welfares, lams, utilities, scores)
        for k in range(len(welfares)):
            for s in range(samples):
                best = scores[k, s] == scores[k, s].max()
                shares[b, k, :m] += best / (best.sum() * samples)


@njit(nogil=True, cache=True)
def _draw_sorted(rng: np.random.Generator, shares: NDArray) -> None:
    """Sorted exponentials need no sorting: from the least up, gaps are E/m, E/(m−1), …"""
    value = 0.0
    for p in range(len(shares) - 1, -1, -1):
        value += rng.standard_exponential() / (p + 1)
        shares[p] = value
    scale = 1 / shares.sum()
    for p in range(len(shares)):
        shares[p] *= scale


@njit(nogil=True, cache=True)
def sample_chain(
    rng: np.random.Generator,
    mode: int,
    values: NDArray,
    grid: NDArray,
    steps: NDArray,
    rankings: NDArray,
    welfares: NDArray,
    lams: NDArray,
    utilities: NDArray,
    scores: NDArray,
) -> None:
    """Fill scores as `sample_symmetric` does, where alphas differ.

    ``values`` are the alphas there are, and ``steps [alpha, cell]`` half of each gamma's share of
    each cell of ``grid``.
    """
    n, m = rankings.shape
    kinds, chances, gammas = np.arange(m), np.zeros(m), np.zeros((n, m))
    tables = np.ones((m if mode == FAVOURITE else n, m + 1, len(grid)))
    if mode == DRAWN:
        kinds[:] = 0
    if mode != FAVOURITE:
        _pass_up_all(steps, kinds, rankings, tables)
    else:
        _weigh_favourites(steps, rankings, tables, chances)
    for s in range(-BURN_IN if mode == DRAWN else 0, scores.shape[1]):
        draws = utilities[s % len(utilities)]
        favourite = _pick(chances, rng.random()) if mode == FAVOURITE else -1
        for v in range(n):
            table = v
            if mode == FAVOURITE:
                table = 0
                while rankings[v, table] != favourite:
                    table += 1
            _pass_down(rng, grid, tables[table], rankings[v], gammas[v])
            scale = 1 / gammas[v].sum()
            for c in range(m):
                draws[v, c] = gammas[v, c] * scale
        if s >= 0:
            _judge_all(welfares, lams, draws, scores[:, s])
        if mode == DRAWN and (s < 0 or s % KEEP == KEEP - 1):
            _draw_kinds(rng, values, gammas, kinds)
            _pass_up_all(steps, kinds, rankings, tables)


@njit(nogil=True, cache=True)
def _pass_up(steps: NDArray, kinds: NDArray, table: NDArray) -> float:
    """Fill ``table [place, grid]`` with C_k, up to a factor; log P(ranking)."""
    evidence = 0.0
    for k in range(len(kinds) - 1, -1, -1):
        below, here, step = table[k + 1], table[k], steps[kinds[k]]
        total = 0.0
        here[0] = 0.0
        for i in range(len(step)):
            total += step[i] * (below[i] + below[i + 1])
            here[i + 1] = total
        if total < 1e-100:
            # Hundreds of candidates would run out of digits.
            evidence += np.log(total)
            for i in range(len(here)):
                here[i] /= total
    return evidence + float(np.log(table[0, -1]))


@njit(nogil=True, cache=True)
def _pass_up_all(steps: NDArray, kinds: NDArray, rankings: NDArray, tables: NDArray) -> None:
    for v in range(len(rankings)):
        _pass_up(steps, kinds[rankings[v]], tables[v])


@njit(nogil=True, cache=True)
def _pass_down(
    rng: np.random.Generator, grid: NDArray, table: NDArray, ranking: NDArray, gammas: NDArray
) -> None:
    """Draw x_1 > x_2 > … from the best down, by inverting each C_k below the one before."""
    i = len(grid) - 2
    part = 1.0
    for k in range(len(ranking)):
        here = table[k]
        target = rng.random() * (here[i] + part * (here[i + 1] - here[i]))
        while i > 0 and here[i] > target:
            i -= 1
        part = (target - here[i]) / max(here[i + 1] - here[i], 1e-300)
        gammas[ranking[k]] = grid[i] + part * (grid[i + 1] - grid[i])


@njit(nogil=True, cache=True)
def _weigh_favourites(steps: NDArray, rankings: NDArray, tables: NDArray, chances: NDArray) -> None:
    """Fill each candidate's chance to be the favourite, and a table for each place of it."""
    n, m = rankings.shape
    evidence = np.zeros(m)
    for place in range(m):
        kinds = np.zeros(m, np.int64)
        kinds[place] = 1
        evidence[place] = _pass_up(steps, kinds, tables[place])
    for v in range(n):
        for place in range(m):
            chances[rankings[v, place]] += evidence[place]
    _from_logs(chances)


@njit(nogil=True, cache=True)
def _draw_kinds(rng: np.random.Generator, values: NDArray, gammas: NDArray, kinds: NDArray) -> None:
    """Draw each candidate's α given its gammas: P(α) ∝ Π_v x_v^(α−1) / Γ(α)."""
    chances = np.zeros(len(values))
    for c in range(len(kinds)):
        logs = 0.0
        for v in range(len(gammas)):
            logs += np.log(gammas[v, c] + 1e-300)
        for a in range(len(values)):
            chances[a] = (values[a] - 1) * logs - len(gammas) * lgamma(values[a])
        _from_logs(chances)
        kinds[c] = _pick(chances, rng.random())


@njit(nogil=True, cache=True)
def _from_logs(chances: NDArray) -> None:
    """Turn logarithms of chances, up to a factor, into chances that sum to 1."""
    largest = chances.max()
    total = 0.0
    for i in range(len(chances)):
        chances[i] = np.exp(chances[i] - largest)
        total += chances[i]
    for i in range(len(chances)):
        chances[i] /= total


@njit(nogil=True, cache=True)
def _pick(chances: NDArray, u: float) -> int:
    """The index at which the sum of chances passes u."""
    i = 0
    while i < len(chances) - 1 and u >= chances[i]:
        u -= chances[i]
        i += 1
    return i


@njit(nogil=True, cache=True)
def _judge_all(welfares: NDArray, lams: NDArray, utilities: NDArray, scores: NDArray) -> None:
    for k in range(len(welfares)):
        _judge(welfares[k], lams[k], utilities, scores[k])


@njit(nogil=True, cache=True)
def _judge(welfare: int, lam: float, utilities: NDArray, scores: NDArray) -> None:
    """The welfares of `elect.welfares` that have a code, of one election."""
    n, m = utilities.shape
    if welfare == NASH:
        _judge_nash(utilities, scores)
    if welfare in (NASH, NONE):
        return
    least = np.full(m, np.inf)
    scores[:] = 0
    for v in range(n):
        for c in range(m):
            scores[c] += utilities[v, c]
            least[c] = min(least[c], utilities[v, c])
    for c in range(m):
        if welfare == EGALITARIAN:
            scores[c] = (1 - lam) * scores[c] + lam * n * least[c]
        elif welfare == RAWLSIAN:
            scores[c] = least[c]


@njit(nogil=True, cache=True)
def _judge_nash(utilities: NDArray, scores: NDArray) -> None:
    """Geometric means; logarithms are dear, so products are taken until they run out of digits."""
    n, m = utilities.shape
    product = np.ones(m)
    scores[:] = 0
    for v in range(n):
        for c in range(m):
            product[c] *= utilities[v, c]
            if product[c] < 1e-150:
                scores[c] += np.log(product[c])
                product[c] = 1
    for c in range(m):
        scores[c] = np.exp((scores[c] + np.log(product[c])) / n)
