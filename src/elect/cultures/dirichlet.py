"""Voters whose utilities share out one unit: Dirichlet cultures."""

from dataclasses import dataclass

import numpy as np
from numba import njit

from elect.cultures.base import (
    Culture,
    NamedCulture,
    Seed,
    Size,
    blank_ranks,
    blank_utilities,
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
class Dirichlet:
    """Each voter shares one unit of utility among the candidates by a Dirichlet draw: gammas of
    shape α, divided by their sum.

    Attributes:
        alpha: one number for all candidates (small: few are liked, large: all alike), or a
            number for each.
        favourite: if given, one candidate, drawn anew for each election, has this α instead.
        draw: each candidate's α is drawn from ``alpha`` anew for each election, all as likely.

    Example:
        >>> elections = Dirichlet(0.5)(elections=2, voters=3, candidates=4, seed=0)
        >>> elections.utilities.shape, elections.utilities.sum(2).min().round(decimals=9)
        (torch.Size([2, 3, 4]), tensor(1., dtype=torch.float64))
    """

    alpha: float | tuple[float, ...] = 1.0
    favourite: float | None = None
    draw: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.alpha, list | np.ndarray):
            object.__setattr__(self, "alpha", tuple(self.alpha))
        if not self.values:
            raise ElectError("A Dirichlet needs at least one alpha.")
        yes_or_no(self.draw, "A Dirichlet's draw")
        for value in self.values:
            number(value, "A Dirichlet's alpha", 0, above=True)
            if not 1e-3 <= value <= 1e6:
                raise ElectError(
                    f"A Dirichlet's alpha of {value} leaves the range of floating-point numbers; "
                    "choose one from 0.001 to 1000000."
                )
        if self.draw and not isinstance(self.alpha, tuple):
            raise ElectError("To draw alphas give several to draw from, such as alpha=2/3.")
        if self.favourite is not None and isinstance(self.alpha, tuple):
            raise ElectError("A favourite needs one alpha for all others, not one for each.")

    @property
    def values(self) -> tuple[float, ...]:
        """Every α that a candidate may have; the favourite's is the last."""
        alphas = self.alpha if isinstance(self.alpha, tuple) else (self.alpha,)
        return alphas if self.favourite is None else (*alphas, self.favourite)

    @property
    def symmetric(self) -> bool:
        """Whether all candidates have the same α."""
        return len(set(self.values)) == 1

    @property
    def posterior(self) -> "Dirichlet":
        """The culture by which utilities can be drawn given the rankings: itself."""
        return self

    def check_candidates(self, candidates: NDArray) -> None:
        """Refuse elections whose number of candidates is not that of a vector of alphas."""
        if (
            isinstance(self.alpha, tuple)
            and not self.draw
            and (candidates != len(self.alpha)).any()
        ):
            raise ElectError(
                f"This culture has alphas for {len(self.alpha)} candidates; "
                f"ask for exactly that many."
            )

    def alphas(self, num_candidates: NDArray, rng: np.random.Generator) -> NDArray:
        """The alphas of each election, ``[batch, candidate]``."""
        self.check_candidates(num_candidates)
        shape = len(num_candidates), num_candidates.max()
        if self.draw:
            return rng.choice(np.array(self.alpha, np.float64), shape)
        alphas = np.empty(shape)
        alphas[:] = self.alpha
        if self.favourite is not None:
            alphas[np.arange(shape[0]), rng.integers(0, num_candidates)] = self.favourite
        return alphas

    def __call__(
        self, elections: int, voters: Size, candidates: Size, *, seed: Seed = 0
    ) -> Elections:
        rng = generator(seed)
        n, m = sizes(elections, voters, candidates, rng)
        alphas = self.alphas(m, rng)
        ranks, utilities = blank_ranks(n, m), blank_utilities(n, m)
        in_chunks(_draw, rng, alphas, n, m, ranks, utilities)
        return elections_of(ranks, n, m, utilities)


def posterior_of(culture: Culture) -> Dirichlet | None:
    """The Dirichlet by which a culture's utilities can be drawn given the rankings, if it has one.

    Your own culture can have one, as an attribute ``posterior``.
    """
    found = getattr(culture, "posterior", None)
    return found if isinstance(found, Dirichlet) else None


def uniform() -> Dirichlet:
    """Utilities uniform among all that sum to 1: a Dirichlet with α = 1."""
    return Dirichlet(1.0)


def polarized() -> Dirichlet:
    """Few candidates are liked, and those much: a Dirichlet with α = 0.5."""
    return Dirichlet(0.5)


def indecisive() -> Dirichlet:
    """All candidates are liked about as much: a Dirichlet with α = 2."""
    return Dirichlet(2.0)


def landslide() -> Dirichlet:
    """One candidate, anyone, is the favourite: a Dirichlet with α = 3 for it, 1 for the rest."""
    return Dirichlet(1.0, favourite=3.0)


def skewed() -> Dirichlet:
    """Some candidates are liked better: a Dirichlet with each α drawn from {2, 3}."""
    return Dirichlet((2.0, 3.0), draw=True)


RECORDS = (
    NamedCulture(
        "uniform",
        uniform,
        "each shares out one unit of liking among the candidates, and every way to do so is "
        "equally likely",
        utilities=True,
        posterior=True,
    ),
    NamedCulture(
        "polarized",
        polarized,
        "each likes few candidates, and those much",
        utilities=True,
        posterior=True,
    ),
    NamedCulture(
        "indecisive",
        indecisive,
        "each likes all candidates about as much",
        utilities=True,
        posterior=True,
    ),
    NamedCulture(
        "landslide",
        landslide,
        "one candidate is liked better than the others",
        utilities=True,
        posterior=True,
    ),
    NamedCulture(
        "skewed",
        skewed,
        "some candidates are liked better than others",
        utilities=True,
        posterior=True,
    ),
    NamedCulture(
        "dirichlet",
        Dirichlet,
        "each shares out one unit of liking among the candidates",
        utilities=True,
        posterior=True,
    ),
)


@njit(nogil=True, cache=True)
def draw_voter(rng: np.random.Generator, alphas: NDArray, shares: NDArray, places: NDArray) -> None:
    """Fill one voter's utilities and the ranks they imply.

    Gammas of small multiples of ½ are sums, several times as fast as others. Gammas of tiny
    shapes are often too small for a float, so they are ranked by their logarithms: log G(α) =
    log G(α + 1) − E/α with E exponential.
    """
    tiny = alphas.min() < 0.25
    for c in range(len(shares)):
        halves = int(2 * alphas[c])
        if tiny:
            larger = np.log(rng.standard_gamma(alphas[c] + 1))
            shares[c] = larger - rng.standard_exponential() / alphas[c]
        elif halves != 2 * alphas[c] or halves > 6:
            shares[c] = rng.standard_gamma(alphas[c])
        else:
            shares[c] = rng.standard_normal() ** 2 / 2 if halves % 2 else 0.0
            for _ in range(halves // 2):
                shares[c] += rng.standard_exponential()
    rank_row(shares, places)
    if tiny:
        largest = shares.max()
        for c in range(len(shares)):
            shares[c] = np.exp(shares[c] - largest)
    scale = 1 / shares.sum()
    for c in range(len(shares)):
        shares[c] *= scale


@njit(nogil=True, cache=True)
def _draw(
    rng: np.random.Generator,
    alphas: NDArray,
    num_voters: NDArray,
    num_candidates: NDArray,
    ranks: NDArray,
    utilities: NDArray,
) -> None:
    places = np.zeros(ranks.shape[1], np.int64)
    for b in range(len(ranks)):
        m = num_candidates[b]
        for v in range(num_voters[b]):
            draw_voter(rng, alphas[b, :m], utilities[b, v, :m], places[:m])
            for c in range(m):
                ranks[b, c, v] = places[c]
