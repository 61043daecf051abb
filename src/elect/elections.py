"""Batches of elections: candidates, ballots and the number of voters who cast each ballot.

Example:
    >>> profile = Profiles.from_rankings(
    ...     [["Ann", "Ben", "Cleo"], ["Ben", "Cleo", "Ann"], ["Cleo", "Ben"]], weights=[3, 2, 2]
    ... )
    >>> profile
    1 election, 3 candidates, 7 voters
    >>> profile.names
    ('Ann', 'Ben', 'Cleo')
    >>> profile.margins[0].tolist()
    [[0, -1, -1], [1, 0, 3], [1, -3, 0]]
"""

from collections.abc import Sequence, Sized
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float, Int16, Int64
from torch import Tensor

from elect import checking, kernels, limits
from elect.ballot_lists import ranks_of_lists, unpacked
from elect.checking import Count
from elect.errors import ElectError
from elect.kernels import UNRANKED, NDArray, over_batch
from elect.pref_voting_profiles import from_profile, to_profile

if TYPE_CHECKING:
    from pref_voting.profiles import Profile
    from pref_voting.profiles_with_ties import ProfileWithTies

Scores = Float[Tensor, "batch candidate"]
Winners = Bool[Tensor, "batch candidate"]


@dataclass(frozen=True, eq=False, repr=False)
class Profiles:
    """A batch of elections as ranks; build one with a ``from_`` method, which checks the content.

    Attributes:
        ranks: the place of each candidate on each ballot: the number of candidates above it, so
            0 is best and equal ranks are ties. `UNRANKED` marks candidates that a ballot leaves
            out: they stand below all others and are tied with each other.
        weights: how many voters cast each ballot; 0 is padding.
        num_candidates: how many candidates each election has; the columns beyond are padding.
        names: the candidates' names, the same for the whole batch.
    """

    ranks: Int16[Tensor, "batch ballot candidate"]
    weights: Int64[Tensor, "batch ballot"]
    num_candidates: Int64[Tensor, "batch"]
    names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        checking.check_profiles(self.ranks, self.weights, self.num_candidates)
        names = checking.checked_names(self.names, self.ranks.shape[2])
        object.__setattr__(self, "names", names)

    # ------------------------------------------------------------------ construction

    @classmethod
    def from_rankings(
        cls,
        rankings: Any,
        weights: Any = None,
        names: Sequence[str] | None = None,
        num_candidates: Count | None = None,
    ) -> "Profiles":
        """Rankings best first.

        Either an integer array ``[ballot, place]`` or ``[batch, ballot, place]`` of candidate
        numbers, in which -1 ends a truncated ballot, or one election as a list of ballots: each a
        list of candidates, by number or by name, in which a nested list is a tie. A dictionary
        (or a Counter) maps ballots to numbers of voters. A pandas table has one ballot per row and
        a column for each place; a column ``count``, ``weight`` or ``n`` has the number of voters.

        Candidates are numbered from 0. Lists whose numbers are exactly 1 to m are taken as names:
        the candidates are then called "1" to "m", and there is none called "0".

        >>> Profiles.from_rankings([[1, 2, 3], [2, 3, 1]]).names
        ('1', '2', '3')
        >>> Profiles.from_rankings({("A", "B", "C"): 3, ("B", "C", "A"): 2})
        1 election, 3 candidates, 5 voters

        Args:
            rankings: the ballots.
            weights: how many voters cast each ballot. Default: one each.
            names: the candidates' names. Not needed if the ballots use names.
            num_candidates: the number of candidates, if the ballots do not rank all of them.
        """
        if not isinstance(rankings, np.ndarray | Tensor):
            rankings, weights = unpacked(rankings, weights)
            placed, names = ranks_of_lists(rankings, names, num_candidates)
            return cls._build(placed[None], weights, np.array([len(placed)]), names)
        array = checking.as_batch(rankings, "rankings")
        if array.dtype.kind not in "iu":
            raise ElectError("Rankings must be whole candidate numbers, 0 to m - 1, best first.")
        batch, ballots, columns = array.shape
        if isinstance(names, Sized) and num_candidates is None and len(names) > columns:
            num_candidates = len(names)
        counts = checking.candidate_counts(num_candidates, batch, columns, limits.MOST_CANDIDATES)
        width = max(int(counts.max(initial=0)), columns if num_candidates is None else 0)
        _check_entries(batch, ballots, width, array.size, "give fewer ballots or candidates")
        placed = np.empty((batch, width, ballots), np.int16)
        b, v, p, complete = kernels.invert_rankings(array, counts, placed)
        if b >= 0:
            raise ElectError(checking.ranking_fault(array[b, v], p, int(counts[b]), b, v))
        profiles = cls._build(placed, weights, counts, names)
        if complete:
            profiles._mark_complete()
        return profiles

    @classmethod
    def from_ranks(
        cls,
        ranks: Any,
        weights: Any = None,
        names: Sequence[str] | None = None,
        num_candidates: Count | None = None,
    ) -> "Profiles":
        """Ranks ``[ballot, candidate]`` or ``[batch, ballot, candidate]``: lower is better, equal
        is a tie, negative or NaN is left out.

        >>> Profiles.from_ranks([[1, 2, 2], [3, 1, -1]]).ranks[0].tolist()
        [[0, 1, 1], [1, 0, 32767]]
        """
        array = checking.as_batch(ranks, "ranks").astype(np.float64)
        if np.isinf(array).any():
            raise ElectError("Ranks must be finite numbers; leave a candidate out with -1 or NaN.")
        batch, _, width = array.shape
        counts = checking.candidate_counts(num_candidates, batch, width, width)
        return cls._from_values(np.where(array < 0, np.nan, -array), weights, names, counts)

    @classmethod
    def from_utilities(
        cls,
        utilities: Any,
        weights: Any = None,
        names: Sequence[str] | None = None,
        num_candidates: Count | None = None,
    ) -> "Profiles":
        """Utilities ``[ballot, candidate]`` or ``[batch, ballot, candidate]``: higher is better
        and equal is a tie.

        >>> Profiles.from_utilities([[0.1, 0.7, 0.2]]).ranks[0].tolist()
        [[2, 0, 1]]
        """
        array = checking.as_batch(utilities, "utilities").astype(np.float64)
        batch, _, width = array.shape
        counts = checking.candidate_counts(num_candidates, batch, width, width)
        real = np.arange(width) < counts[:, None, None]
        if np.isnan(array).any(where=real):
            raise ElectError(
                "Utilities contain NaN; give every voter a number for every candidate."
            )
        return cls._from_values(array, weights, names, counts)

    @classmethod
    def from_pref_voting(cls, profile: Any, names: Sequence[str] | None = None) -> "Profiles":
        """A pref_voting ``Profile`` or ``ProfileWithTies``, or a list of them; names are those
        of the ``cmap``."""
        if isinstance(profile, list | tuple):
            return cls.concat([cls.from_pref_voting(one, names) for one in profile])
        ranks, counts, known = from_profile(profile)
        return cls.from_ranks(ranks, counts, known if names is None else names)

    def to_pref_voting(self) -> "Profile | ProfileWithTies":
        """One election as a pref_voting profile (needs the extra ``elect[pref-voting]``): a
        ``Profile`` if every ballot strictly ranks everyone, else a ``ProfileWithTies``."""
        if len(self) != 1:
            raise ElectError(
                f"A pref_voting profile is one election, not {len(self)}; pick one with "
                "profiles[0]."
            )
        size = int(self.num_candidates[0])
        names = None if self.names is None else self.names[:size]
        return to_profile(self.ballots(), size, names, bool(self.complete[0]))

    @classmethod
    def _from_values(
        cls, values: NDArray, weights: Any, names: Sequence[str] | None, counts: NDArray
    ) -> "Profiles":
        ranks = np.empty((values.shape[0], values.shape[2], values.shape[1]), np.int16)
        over_batch(kernels.rank_by_value, np.ascontiguousarray(values), counts, ranks)
        return cls._build(ranks, weights, counts, names)

    @classmethod
    def _build(
        cls, ranks: NDArray, weights: Any, counts: NDArray, names: Sequence[str] | None
    ) -> "Profiles":
        batch, candidates, ballots = ranks.shape
        return cls._trusted(
            torch.from_numpy(ranks).transpose(1, 2),
            torch.from_numpy(checking.voter_counts(weights, batch, ballots)),
            torch.from_numpy(counts),
            checking.checked_names(names, candidates),
        )

    @classmethod
    def _trusted(
        cls,
        ranks: Int16[Tensor, "batch ballot candidate"],
        weights: Int64[Tensor, "batch ballot"],
        num_candidates: Int64[Tensor, "batch"],
        names: tuple[str, ...] | None = None,
        complete: bool = False,
    ) -> "Profiles":
        """Build a batch from valid tensors without checking them, since checking takes longer than
        many rules. With ``complete``, every ballot strictly ranks every candidate."""
        made = object.__new__(cls)
        made.__dict__.update(
            ranks=ranks, weights=weights, num_candidates=num_candidates, names=names
        )
        if complete:
            made._mark_complete()
        return made

    def _mark_complete(self) -> None:
        """Record that every ballot strictly ranks every candidate, so that it is not computed."""
        nothing = torch.zeros(len(self), dtype=torch.bool)
        self._note(nothing, nothing)

    def _note(self, truncated: Bool[Tensor, "batch"], tied: Bool[Tensor, "batch"]) -> None:
        # A value in the instance's dict is what cached_property returns.
        self.__dict__["_description"] = (truncated, tied)

    # ------------------------------------------------------------------ facts about the ballots

    @property
    def num_voters(self) -> Int64[Tensor, "batch"]:
        """How many voters each election has."""
        return self.weights.sum(1)

    @property
    def labels(self) -> tuple[str, ...]:
        """The candidates' names, or their numbers where they have none."""
        return self.names or tuple(str(c) for c in range(self.ranks.shape[2]))

    @property
    def mask(self) -> Bool[Tensor, "batch candidate"]:
        """True for candidates, False for padding."""
        columns = torch.arange(self.ranks.shape[2], device=self.num_candidates.device)
        return columns < self.num_candidates[:, None]

    @cached_property
    def _description(self) -> tuple[Bool[Tensor, "batch"], Bool[Tensor, "batch"]]:
        truncated, tied = (np.zeros(len(self), bool) for _ in range(2))
        over_batch(kernels.describe_ballots, *self.arrays, truncated, tied)
        return torch.from_numpy(truncated), torch.from_numpy(tied)

    @property
    def truncated(self) -> Bool[Tensor, "batch"]:
        """Whether some ballot leaves candidates out."""
        return self._description[0]

    @property
    def tied(self) -> Bool[Tensor, "batch"]:
        """Whether some ballot ties candidates that it ranks."""
        return self._description[1]

    @property
    def complete(self) -> Bool[Tensor, "batch"]:
        """Whether every ballot strictly ranks every candidate."""
        return ~(self.truncated | self.tied)

    @property
    def arrays(self) -> tuple[NDArray, NDArray, NDArray]:
        """Ranks ``[batch, candidate, ballot]``, weights and candidate counts, for the kernels."""
        counts = self.num_candidates.cpu().numpy()
        # Tensors can be changed after they were checked, and kernels do not check bounds.
        if len(counts) and not 1 <= counts.min() <= counts.max() <= self.ranks.shape[2]:
            raise ElectError(
                f"num_candidates must be from 1 to {self.ranks.shape[2]} here; it was changed "
                "after the batch was built."
            )
        ranks = self.ranks.transpose(1, 2).contiguous().cpu().numpy()
        return ranks, self.weights.cpu().numpy(), counts

    def _check_pairs(self, elections: int) -> int:
        """The number of candidates; raises if all pairs in this many elections exceed the limit."""
        size = self.ranks.shape[2]
        pairs, least = elections * size**2, 4 * self.ranks.numel()
        what = f"{size:,} candidates make {pairs:,} pairs in {elections:,} elections"
        remedy = "count fewer elections at a time or leave out candidates with only()"
        limits.at_most(pairs, "pairs", what, remedy, least)
        return size

    @cached_property
    def support(self) -> Int64[Tensor, "batch candidate candidate"]:
        """support[i, j]: how many voters rank i above j."""
        size = self._check_pairs(len(self))
        counts = np.zeros((len(self), size, size), np.int64)
        over_batch(kernels.count_support, *self.arrays, self.complete.cpu().numpy(), counts)
        return torch.from_numpy(counts).to(self.ranks.device)

    @cached_property
    def margins(self) -> Int64[Tensor, "batch candidate candidate"]:
        """margins[i, j]: support[i, j] - support[j, i]."""
        return self.support - self.support.transpose(1, 2)

    @cached_property
    def duels(self) -> "Duels":
        """Each candidate's results against every other candidate, head to head."""
        # The kernel holds the pairs of one election at a time.
        size = (len(self), self._check_pairs(1))
        counts = [np.zeros(size, np.int64) for _ in range(3)]
        over_batch(kernels.count_duels, *self.arrays, self.complete.cpu().numpy(), *counts)
        return Duels(*(torch.from_numpy(array).to(self.ranks.device) for array in counts))

    @cached_property
    def places(self) -> Int64[Tensor, "batch candidate place"]:
        """places[c, k]: how many voters put c at rank k."""
        size = self._check_pairs(len(self))
        counts = np.zeros((len(self), size, size), np.int64)
        over_batch(kernels.count_places, *self.arrays, counts)
        return torch.from_numpy(counts).to(self.ranks.device)

    @property
    def place_pairs(self) -> Int64[Tensor, "batch candidate candidate place place"]:
        """place_pairs[c, d, k, l]: how many voters put c at rank k and d at rank l.

        These are m⁴ numbers per election, so they are not cached.
        """
        size = self.ranks.shape[2]
        what = f"{size:,} candidates at {size:,} places each make {len(self) * size**4:,} pairs"
        limits.at_most(len(self) * size**4, "entries", what, "leave out candidates with only()")
        counts = np.zeros((len(self), size, size, size, size), np.int64)
        over_batch(kernels.count_place_pairs, *self.arrays, counts)
        return torch.from_numpy(counts).to(self.ranks.device)

    # ------------------------------------------------------------------ other batches from this

    def __len__(self) -> int:
        return self.ranks.shape[0]

    def __getitem__(self, index: int | slice | Tensor | Sequence[int]) -> "Profiles":
        """Some of the elections; a single number gives a batch of one."""
        if isinstance(index, int):
            if not -len(self) <= index < len(self):
                raise IndexError(f"There is no election {index} in a batch of {len(self)}.")
            index = [index]
        rows = torch.arange(len(self))[index]
        ranks = self.ranks.transpose(1, 2)[rows].transpose(1, 2)
        some = self._trusted(ranks, self.weights[rows], self.num_candidates[rows], self.names)
        if "_description" in self.__dict__:
            truncated, tied = self._description
            some._note(truncated[rows], tied[rows])
        return some

    def to(self, device: torch.device | str) -> "Profiles":
        """The same elections on another device."""
        moved = self._trusted(
            self.ranks.to(device),
            self.weights.to(device),
            self.num_candidates.to(device),
            self.names,
        )
        if "_description" in self.__dict__:
            moved._note(*self._description)
        return moved

    def merged(self) -> "Profiles":
        """The same elections with equal ballots merged and their weights added."""
        pairs = [_merge(*one) for one in zip(*self.arrays[:2], strict=True)]
        return self._pad([ranks for ranks, _ in pairs], [weights for _, weights in pairs])

    def single(self) -> "Profiles":
        """The same elections with one row for each voter."""
        voters = int(self.num_voters.max()) if len(self) else 0
        remedy = "count them as they are, with weights"
        _check_entries(len(self), voters, self.ranks.shape[2], self.ranks.numel(), remedy)
        return self._pad(
            [
                np.repeat(ranks, weights, axis=1)
                for ranks, weights in zip(*self.arrays[:2], strict=True)
            ],
            [np.ones(n, np.int64) for n in self.num_voters.tolist()],
        )

    def only(self, candidates: Sequence[int]) -> "Profiles":
        """The same ballots with only these candidates."""
        kept = checking.as_array(candidates, "candidates to keep")
        least = int(self.num_candidates.min()) if len(self) else self.ranks.shape[2]
        if kept.ndim != 1 or not len(kept) or len(set(kept.tolist())) < len(kept):
            raise ElectError("Keep at least one candidate, and each at most once.")
        if kept.dtype.kind not in "iu" or kept.min() < 0 or kept.max() >= least:
            raise ElectError(f"Candidates to keep must be numbers from 0 to {least - 1}.")
        ranks = self.ranks[:, :, kept.tolist()].cpu().numpy().astype(np.float64)
        ranks[ranks == UNRANKED] = -1
        names = None if self.names is None else [self.names[c] for c in kept]
        return type(self).from_ranks(ranks, self.weights, names)

    @classmethod
    def concat(cls, batches: Sequence["Profiles"]) -> "Profiles":
        """All these elections in one batch; names are kept if they are the same in all."""
        batches = list(batches)
        if not all(isinstance(batch, Profiles) for batch in batches):
            raise ElectError("Only Profiles can be joined; build them with Profiles.from_rankings.")
        if not any(map(len, batches)):
            raise ElectError("There is nothing to join; give at least one batch of elections.")
        ranks = [array for batch in batches for array in batch.arrays[0]]
        weights = [array for batch in batches for array in batch.arrays[1]]
        counts = torch.cat([batch.num_candidates for batch in batches])
        agree = len({batch.names for batch in batches}) == 1
        return cls._stack(ranks, weights, counts, batches[0].names if agree else None)

    def _pad(self, ranks: list[NDArray], weights: list[NDArray]) -> "Profiles":
        return self._stack(ranks, weights, self.num_candidates, self.names)

    @classmethod
    def _stack(
        cls,
        ranks: list[NDArray],
        weights: list[NDArray],
        counts: Tensor,
        names: tuple[str, ...] | None,
    ) -> "Profiles":
        width = max((array.shape[0] for array in ranks), default=1)
        ballots = max((array.shape[1] for array in ranks), default=1)
        remedy = "keep elections of similar sizes together"
        _check_entries(len(ranks), ballots, width, sum(array.size for array in ranks), remedy)
        joint = np.full((len(ranks), width, ballots), UNRANKED, np.int16)
        joint_weights = np.zeros((len(ranks), ballots), np.int64)
        for row, weight_row, one, weight in zip(joint, joint_weights, ranks, weights, strict=True):
            row[: one.shape[0], : one.shape[1]] = one
            weight_row[: len(weight)] = weight
        return cls._trusted(
            torch.from_numpy(joint).transpose(1, 2), torch.from_numpy(joint_weights), counts, names
        )

    def ballots(self, election: int = 0) -> list[tuple[int, list[list[int]]]]:
        """One election's ballots as (voters, [[best], [tied, tied], ...]), as cast.

        >>> Profiles.from_rankings([[0, [1, 2]], [2]], weights=[5, 4]).ballots()
        [(5, [[0], [1, 2]]), (4, [[2]])]
        """
        m = int(self.num_candidates[election])
        listed = []
        for weight, row in zip(self.weights[election].tolist(), self.ranks[election], strict=True):
            if weight:
                tiers: dict[int, list[int]] = {}
                for candidate, rank in enumerate(row[:m].tolist()):
                    if rank != UNRANKED:
                        tiers.setdefault(rank, []).append(candidate)
                listed.append((weight, [tiers[rank] for rank in sorted(tiers)]))
        return listed

    def __repr__(self) -> str:
        def span(values: Tensor, noun: str) -> str:
            low, high = int(values.min()), int(values.max())
            return f"{low if low == high else f'{low} to {high}'} {noun}{'s' * (high != 1)}"

        elections = f"{len(self)} election{'s' * (len(self) != 1)}"
        if not len(self):
            return elections
        candidates = span(self.num_candidates, "candidate")
        return f"{elections}, {candidates}, {span(self.num_voters, 'voter')}"


class Duels(NamedTuple):
    """Each candidate's majority wins, pairwise ties, and smallest margin against anyone."""

    wins: Int64[Tensor, "batch candidate"]
    ties: Int64[Tensor, "batch candidate"]
    worst: Int64[Tensor, "batch candidate"]


@dataclass(frozen=True, eq=False, repr=False)
class Elections:
    """Elections with the voters' utilities.

    Attributes:
        profiles: the ballots, which is all that a rule may see.
        utilities: each voter's utility of each candidate, 0 for padding; None if the culture has no
            utilities.
    """

    profiles: Profiles
    utilities: Float[Tensor, "batch ballot candidate"] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.profiles, Profiles):
            raise ElectError("Elections need Profiles; build them with Profiles.from_utilities.")
        if self.utilities is None:
            return
        if not isinstance(self.utilities, Tensor) or not self.utilities.is_floating_point():
            raise ElectError("Utilities must be a tensor of floating-point numbers.")
        if self.utilities.shape != self.profiles.ranks.shape:
            raise ElectError(
                f"Utilities of shape {tuple(self.utilities.shape)} do not fit ballots of shape "
                f"{tuple(self.profiles.ranks.shape)}; give one for each candidate on each ballot."
            )

    def __len__(self) -> int:
        return len(self.profiles)

    def __repr__(self) -> str:
        return f"{self.profiles}, {'no' if self.utilities is None else 'with'} utilities"


def _merge(ranks: NDArray, weights: NDArray) -> tuple[NDArray, NDArray]:
    cast = weights > 0
    distinct, which = np.unique(ranks[:, cast], axis=1, return_inverse=True)
    totals = np.zeros(distinct.shape[1], np.int64)
    np.add.at(totals, which.ravel(), weights[cast])
    return distinct, totals


def _check_entries(batch: int, ballots: int, width: int, given: int, remedy: str) -> None:
    """Raise an error if a batch exceeds the limit and is much larger than its input."""
    entries = batch * ballots * width
    what = f"{batch:,} elections x {ballots:,} ballots x {width:,} candidates are {entries:,}"
    limits.at_most(entries, "entries", what, remedy, least=4 * given)
