"""Cultures of rankings without utilities: impartial, Mallows, urn and Plackett–Luce."""

from dataclasses import dataclass
from math import exp, lgamma

import numpy as np
from numba import njit

from elect.cultures.base import (
    NamedCulture,
    Seed,
    Size,
    blank_ranks,
    elections_of,
    generator,
    in_chunks,
    number,
    rank_row,
    sizes,
    yes_or_no,
)
from elect.elections import Elections
from elect.errors import ElectError
from elect.kernels import NDArray


@dataclass(frozen=True)
class Impartial:
    """Every ranking is equally likely, and voters are independent.

    Example:
        >>> Impartial()(elections=5, voters=(2, 99), candidates=4, seed=0)
        5 elections, 4 candidates, 28 to 85 voters, no utilities
    """

    def __call__(
        self, elections: int, voters: Size, candidates: Size, *, seed: Seed = 0
    ) -> Elections:
        return Urn(0.0)(elections, voters, candidates, seed=seed)


@dataclass(frozen=True)
class Urn:
    """Pólya's urn: voter i + 1 copies an earlier voter with probability iα / (1 + iα), and else
    ranks at random; α = 0 is impartial culture.

    The urn begins with every ranking once, and α times their number of copies join whichever is
    drawn (Berg, Paradox of voting under an urn model, Public Choice 1985).
    """

    alpha: float

    def __post_init__(self) -> None:
        number(self.alpha, "An urn's alpha", 0)

    def __call__(
        self, elections: int, voters: Size, candidates: Size, *, seed: Seed = 0
    ) -> Elections:
        rng = generator(seed)
        n, m = sizes(elections, voters, candidates, rng)
        ranks = blank_ranks(n, m)
        in_chunks(_draw_urn, rng, np.full(elections, float(self.alpha)), n, m, ranks)
        return elections_of(ranks, n, m)


@dataclass(frozen=True)
class ImpartialAnonymous:
    """Every number of voters for every ranking is equally likely: all multisets of ballots are.

    It is an urn to which one copy of the ranking that is drawn is added, α = 1/m!.
    """

    def __call__(
        self, elections: int, voters: Size, candidates: Size, *, seed: Seed = 0
    ) -> Elections:
        rng = generator(seed)
        n, m = sizes(elections, voters, candidates, rng)
        ranks = blank_ranks(n, m)
        in_chunks(_draw_urn, rng, np.array([exp(-lgamma(size + 1)) for size in m]), n, m, ranks)
        return elections_of(ranks, n, m)


@dataclass(frozen=True)
class Mallows:
    """A ranking has probability ∝ φ^d, with d its swaps away from a central ranking, which is
    drawn at random for each election: φ = 0 is agreement, φ = 1 impartial culture.

    With ``norm``, φ is the expected share of the swaps that impartial culture has, so that it
    means the same for any number of candidates (Boehmer, Faliszewski and Kraiczy, Properties of
    the Mallows model depending on the number of alternatives, ICML 2023).
    """

    phi: float
    norm: bool = False

    def __post_init__(self) -> None:
        number(self.phi, "Mallows' phi", 0, 1)
        yes_or_no(self.norm, "Mallows' norm")

    def __call__(
        self, elections: int, voters: Size, candidates: Size, *, seed: Seed = 0
    ) -> Elections:
        rng = generator(seed)
        n, m = sizes(elections, voters, candidates, rng)
        phis = np.full(elections, float(self.phi))
        if self.norm:
            distinct, which = np.unique(m, return_inverse=True)
            phis = np.array([phi_of_norm(self.phi, size) for size in distinct.tolist()])[which]
        ranks = blank_ranks(n, m)
        in_chunks(_draw_mallows, rng, phis, n, m, ranks)
        return elections_of(ranks, n, m)


def expected_swaps(phi: float, candidates: int) -> float:
    """Expected swaps of a Mallows ranking: the m-th insertion makes k with probability ∝ φ^k.

    >>> expected_swaps(1.0, 4)
    3.0
    """
    total = 0.0
    for size in range(2, candidates + 1):
        chance = phi ** np.arange(size)
        total += float(chance @ np.arange(size) / chance.sum())
    return total


def phi_of_norm(norm: float, candidates: int) -> float:
    """The φ at which a Mallows ranking has ``norm`` times the swaps of impartial culture."""
    from scipy.optimize import brentq

    if norm in (0, 1) or candidates < 2:
        return float(norm)
    target = norm * candidates * (candidates - 1) / 4
    return float(brentq(lambda phi: expected_swaps(phi, candidates) - target, 0, 1, xtol=1e-12))


# Beyond this power, strengths would leave the range of floating-point numbers.
SPREAD = 16.0


@dataclass(frozen=True)
class PlackettLuce:
    """Places are filled from the top, each by a remaining candidate with probability
    proportional to its strength.

    Attributes:
        strengths: one for each candidate; without them each election draws its own uniformly
            from all that sum to 1 (a flat Dirichlet).
        spread: the power that drawn strengths are raised to: 0 is impartial culture, and the
            higher, the more voters agree. Of two numbers, each election draws one in between.
    """

    strengths: tuple[float, ...] | None = None
    spread: float | tuple[float, float] = 1.0

    def __post_init__(self) -> None:
        for name in ("strengths", "spread"):
            if isinstance(value := getattr(self, name), list | np.ndarray):
                object.__setattr__(self, name, tuple(value))
        if self.strengths is not None and (
            not isinstance(self.strengths, tuple) or not self.strengths
        ):
            raise ElectError("Give a strength for each candidate, such as strengths=3/2/1.")
        for strength in self.strengths or ():
            number(strength, "A strength", 0, above=True)
        if len(self._spread) != 2:
            raise ElectError("The spread is one number, or two such as spread=0/2.")
        low, high = self._spread
        if number(low, "The spread", 0, SPREAD) > number(high, "The spread", 0, SPREAD):
            raise ElectError(f"The spread goes from low to high; write {high:g}/{low:g}.")

    @property
    def _spread(self) -> tuple[float, float]:
        return self.spread if isinstance(self.spread, tuple) else (self.spread, self.spread)

    def __call__(
        self, elections: int, voters: Size, candidates: Size, *, seed: Seed = 0
    ) -> Elections:
        rng = generator(seed)
        n, m = sizes(elections, voters, candidates, rng)
        if self.strengths is None:
            # Only ratios of strengths matter, so exponentials need not be divided by their sum.
            strengths = rng.standard_exponential((elections, int(m.max())))
            if self.spread != 1:
                strengths **= rng.uniform(*self._spread, (elections, 1))
        elif (m != len(self.strengths)).any():
            raise ElectError(
                f"This culture has strengths for {len(self.strengths)} candidates; "
                "ask for exactly that many."
            )
        else:
            strengths = np.tile(np.array(self.strengths, np.float64), (elections, 1))
        ranks = blank_ranks(n, m)
        in_chunks(_draw_plackett_luce, rng, strengths, n, m, ranks)
        return elections_of(ranks, n, m)


RECORDS = (
    NamedCulture(
        "impartial",
        Impartial,
        "every ranking is equally likely",
        aliases=("ic", "impartial_culture"),
    ),
    NamedCulture(
        "impartial_anonymous",
        ImpartialAnonymous,
        "every way to divide the voters among the rankings is equally likely",
        aliases=("iac", "impartial_anonymous_culture"),
    ),
    NamedCulture("mallows", Mallows, "voters mostly agree on one ranking"),
    NamedCulture("urn", Urn, "voters tend to copy each other", aliases=("polya_urn",)),
    NamedCulture("plackett_luce", PlackettLuce, "some candidates are more popular than others"),
)


# ---------------------------------------------------------------------- kernels


@njit(nogil=True, cache=True)
def _shuffle(rng: np.random.Generator, row: NDArray) -> None:
    """Fill a row with 0, 1, … in an order drawn at random."""
    for c in range(len(row)):
        other = int(rng.random() * (c + 1))
        row[c] = row[other]
        row[other] = c


@njit(nogil=True, cache=True)
def _draw_urn(
    rng: np.random.Generator,
    alphas: NDArray,
    num_voters: NDArray,
    num_candidates: NDArray,
    ranks: NDArray,
) -> None:
    row = np.zeros(ranks.shape[1], np.int64)
    for b in range(len(ranks)):
        m = num_candidates[b]
        for v in range(num_voters[b]):
            copies = v * alphas[b]
            if copies > 0 and rng.random() * (1 + copies) >= 1:
                ranks[b, :m, v] = ranks[b, :m, int(rng.random() * v)]
            else:
                _shuffle(rng, row[:m])
                for c in range(m):
                    ranks[b, c, v] = row[c]


@njit(nogil=True, cache=True)
def _draw_mallows(
    rng: np.random.Generator,
    phis: NDArray,
    num_voters: NDArray,
    num_candidates: NDArray,
    ranks: NDArray,
) -> None:
    """Insert candidates in the order of the central ranking; the p-th passes k of those before
    it with probability ∝ φ^k, found by inverting P(at most k) = (1 − φ^(k+1)) / (1 − φ^(p+1))."""
    center = np.zeros(ranks.shape[1], np.int64)
    ranking = np.zeros_like(center)
    for b in range(len(ranks)):
        m = num_candidates[b]
        # Nearer to 1 or 0 the formula loses its digits, and the limits are as good.
        phi = min(max(phis[b], 1e-300), 1 - 1e-9)
        log_phi = np.log(phi)
        _shuffle(rng, center[:m])
        for v in range(num_voters[b]):
            power = 1.0
            for p in range(m):
                power *= phi
                passed = int(np.log(1 - rng.random() * (1 - power)) / log_phi)
                place = max(p - passed, 0)
                for q in range(p, place, -1):
                    ranking[q] = ranking[q - 1]
                ranking[place] = center[p]
            for p in range(m):
                ranks[b, ranking[p], v] = p


@njit(nogil=True, cache=True)
def _draw_plackett_luce(
    rng: np.random.Generator,
    strengths: NDArray,
    num_voters: NDArray,
    num_candidates: NDArray,
    ranks: NDArray,
) -> None:
    """The first of several exponential clocks to ring is each with probability ∝ its rate."""
    row = np.zeros(ranks.shape[1])
    places = np.zeros(ranks.shape[1], np.int64)
    for b in range(len(ranks)):
        m = num_candidates[b]
        for v in range(num_voters[b]):
            for c in range(m):
                row[c] = -rng.standard_exponential() / strengths[b, c]
            rank_row(row[:m], places[:m])
            ranks[b, :m, v] = places[:m]
