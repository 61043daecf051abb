"""Cultures with utilities that are drawn consistent with given rankings."""

from dataclasses import dataclass

import numpy as np
import torch

from elect import kernels
from elect.cultures import Culture, Dirichlet, Seed, Size
from elect.cultures.base import elections_of, generator, sizes
from elect.cultures.redraw import redraw
from elect.elections import Elections, Profiles
from elect.errors import ElectError
from elect.kernels import UNRANKED, NDArray, over_batch
from elect.rules.posterior import over_posterior

# Utilities that are drawn in all for the ballots of a file, and the fewest and most for each.
BANK, FEWEST, MOST = 40_000, 8, 256


@dataclass(frozen=True)
class Assumed:
    """Rankings from one culture, with utilities drawn from a Dirichlet culture given the rankings.

    Attributes:
        rankings: where the rankings come from.
        utilities: a Dirichlet culture with one alpha for all.
    """

    rankings: Culture
    utilities: Dirichlet

    @property
    def __name__(self) -> str:
        return f"{self.rankings} with utilities of {self.utilities}"

    def __call__(
        self, elections: int, voters: Size, candidates: Size, *, seed: Seed = 0
    ) -> Elections:
        rng = generator(seed)
        return redraw(
            self.utilities, self.rankings(elections, voters, candidates, seed=rng).profiles, rng
        )


@dataclass(frozen=True, eq=False)
class People:
    """Voters drawn at random, with replacement, from people whose utilities are known or assumed.

    Attributes:
        profile: their ballots, a batch of one.
        utilities: of each ballot some possible ones, ``[ballot, draw, candidate]``.
        unit: whether a voter's utilities sum to 1 among those who stand.
        by_lot: whether ties on ballots are broken at random.
        name: the name of the culture.
    """

    profile: Profiles
    utilities: NDArray
    unit: bool
    by_lot: bool
    name: str

    @property
    def __name__(self) -> str:
        return self.name

    def __call__(
        self, elections: int, voters: Size, candidates: Size | None = None, *, seed: Seed = 0
    ) -> Elections:
        """Fewer candidates than stand are a random subset of them, renumbered in their order."""
        rng = generator(seed)
        [ranks], [weights], [standing] = self.profile.arrays
        n, m = sizes(elections, voters, candidates or int(standing), rng)
        if m.max() > standing:
            raise ElectError(
                f"{m.max()} candidates cannot be drawn from the {standing} who stand; ask for "
                "fewer."
            )
        whole = bool((m == standing).all())
        upto = np.cumsum(weights)
        people = np.searchsorted(upto, rng.integers(upto[-1], size=(elections, n.max())), "right")
        draws = rng.integers(self.utilities.shape[1], size=people.shape)
        utilities, places = self.utilities[people, draws], ranks[:standing].T[people]
        if not whole:
            order = rng.random((elections, standing)).argsort(1)
            order[np.arange(standing) >= m[:, None]] = standing
            # Candidates who do not stand are an empty column, and come last.
            chosen = np.sort(order[:, : m.max()], 1)
            utilities, places = _columns(utilities, chosen, 0), _columns(places, chosen, UNRANKED)
            if self.unit:
                utilities = _shared_out(utilities, m)
        utilities *= (np.arange(n.max()) < n[:, None])[:, :, None]
        names = self.profile.names if whole else None
        strict = self.by_lot or bool(self.profile.complete.all())
        if whole and not self.by_lot:
            counted = np.ascontiguousarray(places.transpose(0, 2, 1))
        else:
            counted = self._counted(places, m, rng)
        return elections_of(counted, n, m, utilities, strict, names)

    def _counted(self, places: NDArray, sizes: NDArray, rng: np.random.Generator) -> NDArray:
        """Ranks among those who stand, ``[batch, candidate, ballot]``."""
        values = -places.astype(np.float64)
        if self.by_lot:
            values += rng.random(values.shape)
        else:
            values[places == UNRANKED] = np.nan
        counted = np.empty((len(places), places.shape[2], places.shape[1]), np.int16)
        over_batch(kernels.rank_by_value, values, sizes, counted)
        return counted


def _columns(values: NDArray, chosen: NDArray, nothing: int) -> NDArray:
    """The chosen candidates of each election; a number beyond all of them is nothing."""
    padded = np.pad(values, ((0, 0), (0, 0), (0, 1)), constant_values=nothing)
    return np.take_along_axis(padded, chosen[:, None], 2)


def _shared_out(utilities: NDArray, sizes: NDArray) -> NDArray:
    """Utilities scaled to sum to 1; if all are 0, they become equal."""
    totals = utilities.sum(2, keepdims=True)
    stands = np.arange(utilities.shape[2]) < sizes[:, None, None]
    equal = stands / sizes[:, None, None]
    return np.where(totals > 0, utilities / np.where(totals > 0, totals, 1), equal)


def lend(profile: Profiles, culture: Dirichlet, seed: Seed, name: str) -> People:
    """The voters of an election, with utilities drawn from this culture given their rankings.

    A ballot that ties candidates, or leaves some out, may be cast by voters who rank these in any
    order: it stands here several times, each time with another order drawn by lot.
    """
    rng = generator(seed)
    profile = profile.merged()
    orders = FEWEST if not bool(profile.complete.all()) else 1
    [ranks], [weights], [standing] = profile.arrays
    cast = np.tile(ranks[:standing], orders)
    # Each ballot is an election with one voter, whose utilities are then the welfare.
    alone = completed(cast.T, rng)
    draws = int(np.clip(BANK // len(alone), FEWEST // orders, MOST))
    found = over_posterior(culture, _own, _one_voter_each(alone), draws, rng, np.copy)
    many = Profiles._trusted(
        torch.from_numpy(cast[None]).transpose(1, 2),
        torch.from_numpy(np.tile(weights, orders)[None]),
        profile.num_candidates,
        profile.names,
    )
    return People(many, np.stack(found), unit=True, by_lot=False, name=name)


def completed(ranks: NDArray, rng: np.random.Generator) -> NDArray:
    """Ranks ``[ballot, candidate]`` with ties, and the order of those left out, drawn by lot."""
    order: NDArray = (ranks + rng.random(ranks.shape)).argsort(1).argsort(1)
    return order


def _one_voter_each(ranks: NDArray) -> Profiles:
    return Profiles.from_ranks(ranks[:, None])


def _own(utilities: torch.Tensor) -> torch.Tensor:
    return utilities[:, 0]
