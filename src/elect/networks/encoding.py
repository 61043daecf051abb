"""How ballots enter a network, and how its logits leave it.

The paper writes a ballot as a vote vector: for each place the id of the candidate who stands there,
place after place, zeros where there is nobody. With one-hot ids that is a 29 × 29 table, flattened:

    x[p, c] = 1 if the ballot puts candidate c at place p, else 0

Read this way the vote vector says all that a ballot says, whatever its kind. A truncated ballot
leaves the places after its last empty, as the paper does for elections of fewer candidates. Tied
candidates stand at the same place and leave the next ones empty: a, b tied before c is a and b at
place 0 and c at place 2. A ballot of weight w counts as w voters.

The table is never filled. Nearly all of it is zeros, so its product with the first layer is a sum
of a few of the layer's rows, which are looked up (`SparseLinear`).
"""

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn
from torch.nn import functional as F

from elect.elections import Profiles
from elect.errors import ElectError
from elect.kernels import UNRANKED
from elect.networks.sets import Sets

Logits = Float[Tensor, "batch *head candidate"]
IDS = ("one-hot", "integer")


class SparseLinear(nn.Module):
    """**W x for a vector x of which few entries are used**, initialized as `torch.nn.Linear` is.

        y = Σ_i x_i W_i     over the used entries i only

    There is no bias: see `layers.Bias`, which comes after whatever else is linear.
    """

    def __init__(self, inputs: int, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(inputs, width))
        nn.init.uniform_(self.weight, -(inputs**-0.5), inputs**-0.5)

    def forward(
        self,
        entries: Int64[Tensor, "row entry"],
        used: Bool[Tensor, "row entry"],
        values: Int64[Tensor, "row entry"] | None = None,
    ) -> Float[Tensor, "row width"]:
        """The sum of the used entries' rows of W, each times its value if values are given."""
        sizes = used.sum(1)
        scale = None if values is None else values[used].to(self.weight.dtype)
        return F.embedding_bag(
            entries[used],
            self.weight,
            sizes.cumsum(0) - sizes,
            mode="sum",
            per_sample_weights=scale,
        )


class VoteVectors(nn.Module):
    """**Each ballot's vote vector times a first layer**: sets of voters, hence anonymous.

    Args:
        width: the numbers that each ballot becomes.
        max_candidates: the most candidates that an election may have.
        ids: ``one-hot`` or ``integer`` candidate ids. Integers are 1, 2, … so that 0 is nobody;
            they cannot say that two candidates share a place, so tied ballots are refused.
        voter_ids: append a one-hot voter id to each vote vector: the first ballot's voter is
            always the same person. This gives up anonymity.
        max_voters: the most voters that an election may have, if they have ids.
    """

    def __init__(
        self,
        width: int,
        max_candidates: int = 29,
        ids: str = "one-hot",
        voter_ids: bool = False,
        max_voters: int = 99,
    ) -> None:
        super().__init__()
        self.ids, self.max_candidates, self.max_voters = ids, max_candidates, max_voters
        require(ids in IDS, f"Candidate ids are {' or '.join(IDS)}, not {ids}.")
        require_sizes(width=width, max_candidates=max_candidates, max_voters=max_voters)
        self.voter_ids = voter_ids
        self.votes = vote_length(max_candidates, ids)
        self.inputs = self.votes + voter_ids * max_voters
        self.layer = SparseLinear(self.inputs, width)

    def forward(self, profiles: Profiles) -> Sets:
        if self.voter_ids:
            profiles = voter_by_voter(profiles, self.max_voters)
        entries, used, values = vote_entries(profiles, self.max_candidates, self.ids)
        cast = profiles.weights > 0
        rows = self.layer(entries[cast], used[cast], None if values is None else values[cast])
        if self.voter_ids:
            rows = rows + self.layer.weight[self.votes + positions(profiles)[cast]]
        return Sets(rows, profiles.weights[cast].to(rows.dtype), cast)


class Retiled(nn.Module):
    """**Each candidate's places times a first layer**: sets of candidates, hence neutral.

    The paper's input turned on its side. A candidate is the vector of its places, voter after
    voter, and the network no longer knows the candidates' numbers but knows the voters', so this
    gives up anonymity and takes a limited number of voters.

    Args:
        width: the numbers that each candidate becomes.
        max_candidates: the most candidates, and so places, that there may be.
        ids: ``one-hot`` places, or ``integer`` ones: 1, 2, … and 0 for being left out.
        max_voters: the most voters that an election may have.
    """

    def __init__(
        self, width: int, max_candidates: int = 29, ids: str = "one-hot", max_voters: int = 99
    ) -> None:
        super().__init__()
        self.ids, self.max_candidates, self.max_voters = ids, max_candidates, max_voters
        require(ids in IDS, f"Places are {' or '.join(IDS)}, not {ids}.")
        require_sizes(width=width, max_candidates=max_candidates, max_voters=max_voters)
        places = max_candidates if ids == "one-hot" else 1
        self.inputs = max_voters * places
        self.layer = SparseLinear(self.inputs, width)

    def forward(self, profiles: Profiles) -> Sets:
        require_candidates(profiles, self.max_candidates)
        profiles = voter_by_voter(profiles, self.max_voters)
        election = profiles.mask.nonzero()[:, 0]
        places = profiles.ranks.transpose(1, 2)[profiles.mask].long()
        used = (places != UNRANKED) & (profiles.weights > 0)[election]
        voters = positions(profiles)[election]
        if self.ids == "one-hot":
            rows = self.layer(voters * self.max_candidates + places, used)
        else:
            rows = self.layer(voters, used, places + 1)
        return Sets(rows, rows.new_ones(len(rows)), profiles.mask)


def encoding(
    width: int, max_candidates: int, ids: str, voter_ids: bool, retiled: bool, max_voters: int
) -> VoteVectors | Retiled:
    """The first layer of a set network: `Retiled` or `VoteVectors`."""
    if not retiled:
        return VoteVectors(width, max_candidates, ids, voter_ids, max_voters)
    require(not voter_ids, "A re-tiled network knows its voters already; leave voter_ids out.")
    return Retiled(width, max_candidates, ids, max_voters)


def vote_length(max_candidates: int, ids: str) -> int:
    """How many numbers a vote vector has."""
    return max_candidates**2 if ids == "one-hot" else max_candidates


def vote_entries(
    profiles: Profiles, max_candidates: int, ids: str
) -> tuple[
    Int64[Tensor, "batch ballot candidate"],
    Bool[Tensor, "batch ballot candidate"],
    Int64[Tensor, "batch ballot candidate"] | None,
]:
    """For each candidate on each ballot: its entry in the vote vector, if any, and its id there."""
    require_candidates(profiles, max_candidates)
    if ids == "integer":
        require(
            not bool(profiles.tied.any()),
            "Integer ids cannot say that candidates are tied on a ballot; use one-hot ids.",
        )
    places = profiles.ranks[:, :, :max_candidates].long()
    mask = profiles.mask[:, None, :max_candidates]
    used = (places != UNRANKED) & mask & (profiles.weights > 0)[:, :, None]
    candidates = torch.arange(places.shape[2], device=places.device)
    if ids == "one-hot":
        return places * max_candidates + candidates, used, None
    return places, used, (candidates + 1).expand_as(places)


def as_logits(values: Tensor, profiles: Profiles, heads: int | None, retiled: bool) -> Logits:
    """A network's last numbers as logits, minus infinity for padded candidates.

    Args:
        values: ``[batch, head × candidate number]``, or ``[candidate, head]`` if re-tiled.
        profiles: the elections that they are about.
        heads: how many heads; None for one without a dimension of its own.
        retiled: whether the rows are candidates.
    """
    size = (len(profiles), heads or 1, profiles.ranks.shape[2])
    if retiled:
        logits = values.new_full((size[0], size[2], size[1]), -torch.inf)
        logits[profiles.mask] = values
        logits = logits.transpose(1, 2)
    else:
        numbered = values.view(*size[:2], -1)
        logits = F.pad(numbered, (0, size[2] - numbered.shape[2]))
        logits = logits.masked_fill(~profiles.mask[:, None], -torch.inf)
    return logits[:, 0] if heads is None else logits


def outputs(max_candidates: int, heads: int | None, retiled: bool = False) -> int:
    """How many numbers `as_logits` wants in each row."""
    require(
        heads is None or heads >= 1, f"A network needs at least 1 head, not {heads}; None is one."
    )
    return (heads or 1) * (1 if retiled else max_candidates)


def voter_by_voter(profiles: Profiles, max_voters: int) -> Profiles:
    """The same elections with a row for each voter, for networks that tell voters apart."""
    most = int(profiles.num_voters.max())
    require(
        most <= max_voters,
        f"An election has {most} voters, more than the {max_voters} this network tells apart; "
        f"build it with max_voters={most}.",
    )
    single = bool((profiles.weights <= 1).all())
    return profiles if single else profiles.single().to(profiles.ranks.device)


def positions(profiles: Profiles) -> Int64[Tensor, "batch ballot"]:
    """Each ballot's number among those cast in its election."""
    return ((profiles.weights > 0).cumsum(1) - 1).clamp(min=0)


def require_candidates(profiles: Profiles, max_candidates: int) -> None:
    """Refuse elections that do not fit, and those without voters."""
    most = int(profiles.num_candidates.max())
    require(
        most <= max_candidates,
        f"An election has {most} candidates, more than the {max_candidates} this network reads; "
        f"build it with max_candidates={most}.",
    )
    require(
        bool((profiles.num_voters > 0).all()),
        "An election has no voters; a network needs at least one ballot in each.",
    )


def require_sizes(**sizes: int) -> None:
    """Refuse a size that is no positive whole number."""
    for name, size in sizes.items():
        require(size >= 1, f"A network's {name} must be at least 1, not {size}.")


def require(fine: bool, otherwise: str) -> None:
    """Say what to do where something is not as it must be."""
    if not fine:
        raise ElectError(otherwise)
