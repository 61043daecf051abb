"""Tally, our network: it reads counts of the ballots instead of the ballots.

It is anonymous and neutral by construction. Voters enter only through sums, so their order does not
matter, ballots can be counted in parts, and the cost does not depend on the number of voters.
Candidates enter as rows and columns that are treated equally, so their numbering does not matter,
and any number of candidates is possible.

The network gets pairwise comparisons as input, which other networks must learn to compute.
"""

import copy
from dataclasses import dataclass, replace
from typing import Any, cast

import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

from elect.elections import Profiles
from elect.errors import ElectError
from elect.networks.base import PAPER, SMALL, Network

Logits = Float[Tensor, "batch candidate"] | Float[Tensor, "batch head candidate"]
Features = Float[Tensor, "batch candidate feature"]
Pairs = Float[Tensor, "batch candidate candidate feature"]
Depths = Float[Tensor, "batch candidate place feature"]
Joint = Float[Tensor, "batch candidate candidate joint"]
PlacePairs = Int64[Tensor, "batch candidate candidate place place"]

# Places on ballots whose features are in memory at a time.
AT_ONCE = 1 << 22

# How many numbers describe a pair, a place, the size of an election, plain duels, and a candidate
# at a depth.
PAIR, PLACE, SIZE, DUELS, DEPTH = 4, 7, 4, 3, 7

# Larger than any feature, to keep padding out of maxima and minima.
_FAR = 1e4


@dataclass(frozen=True, eq=False)
class Tally:
    """Ballots added up: all that the network sees of an election. Tallies of the same candidates
    can be added.

    Attributes:
        support: how many voters rank one candidate above another.
        places: how many voters put a candidate at a place.
        voters: how many there are.
        num_candidates: how many stand; the rows and columns beyond are padding.
        place_pairs: how many voters put one candidate at a place and another at a second one, if
            the network asks for it.
    """

    support: Int64[Tensor, "batch candidate candidate"]
    places: Int64[Tensor, "batch candidate place"]
    voters: Int64[Tensor, "batch"]
    num_candidates: Int64[Tensor, "batch"]
    place_pairs: PlacePairs | None = None

    def __add__(self, other: "Tally") -> "Tally":
        pairs = None
        if self.place_pairs is not None and other.place_pairs is not None:
            pairs = self.place_pairs + other.place_pairs
        return Tally(
            self.support + other.support,
            self.places + other.places,
            self.voters + other.voters,
            self.num_candidates,
            pairs,
        )

    def __getitem__(self, rows: Tensor) -> "Tally":
        """Some of the elections, without the padding that these do not need."""
        sizes = self.num_candidates[rows]
        width = int(sizes.max())
        pairs = self.place_pairs
        return Tally(
            self.support[rows, :width, :width],
            self.places[rows, :width, :width],
            self.voters[rows],
            sizes,
            None if pairs is None else pairs[rows, :width, :width, :width, :width],
        )


class TallyNetwork(nn.Module):
    """From a tally to a logit for each candidate.

    1. A small network reads each pair: its margin against the noise of n voters (margin / √n)
       and against all of them (margin / n), and who is ahead at all. With ``joint`` it also sees
       that many sums over voters of φ(place of one) · ψ(place of the other), φ and ψ learned: how
       votes transfer when a candidate drops out.
    2. `pair_blocks` combine each pair with the reversed pair and with paths through a third
       candidate, for rules such as Kemeny's that depend on whole rankings.
    3. What is found about a candidate's pairs is pooled over opponents by sum, maximum, minimum,
       and joined by its places, weighted by learned functions of the place. With ``depths`` it is
       also seen among the first 1, 2, … places: whether a majority has it there, who is ahead, and
       whether anyone has a majority before; that many numbers of each depth are pooled likewise.
    4. `blocks` add the mean and maximum over the other candidates; the result is a logit, to which
       the plain sums are added directly, so that what is linear stays exact at any size.
    """

    def __init__(
        self,
        heads: int | None = None,
        pair: int = 16,
        place: int = 8,
        width: int = 64,
        pair_blocks: int = 0,
        blocks: int = 2,
        joint: int = 0,
        depths: int = 0,
    ) -> None:
        super().__init__()
        self.heads, self.joint = heads, joint
        answers = 1 if heads is None else heads
        self.place = _mlp(PLACE, 32, place)
        self.pair = _mlp(PAIR + SIZE + 2 * joint, 32, pair)
        self.first, self.second = (_mlp(PLACE, 32, joint) if joint else None for _ in range(2))
        self.pair_blocks = nn.ModuleList(_mlp(4 * pair, 2 * pair, pair) for _ in range(pair_blocks))
        plain = DUELS + place
        self.depth = _mlp(DEPTH + SIZE, 32, depths) if depths else None
        self.enter = _mlp(3 * (pair + depths + plain) + 2 * place + SIZE, width, width)
        self.blocks = nn.ModuleList(_mlp(3 * width + SIZE, width, width) for _ in range(blocks))
        self.leave = nn.Linear(width, answers)
        self.direct = nn.Linear(plain, answers, bias=False)
        self.scale = _mlp(SIZE, 16, answers)

    def only(self, head: int) -> "TallyNetwork":
        """A network with only this head."""
        single = copy.deepcopy(self)
        single.heads = 1
        single.leave, single.direct = _slice(self.leave, head), _slice(self.direct, head)
        single.scale[-1] = _slice(cast(nn.Linear, self.scale[-1]), head)
        return single

    def forward(self, profiles: Profiles) -> Logits:
        # Sums over voters of two learned functions need not wait for all pairs of places.
        return self._decide(_counted(profiles), profiles)

    def tally(self, profiles: Profiles) -> Tally:
        """Add up the ballots of each election."""
        counted = _counted(profiles)
        return replace(counted, place_pairs=profiles.place_pairs) if self.joint else counted

    def decide(self, tally: Tally) -> Logits:
        """A logit for each candidate (and head), -inf where there is padding."""
        if self.joint and tally.place_pairs is None:
            raise ElectError("This network counts pairs of places; make the tally with its own.")
        return self._decide(tally, None)

    def _decide(self, tally: Tally, ballots: Profiles | None) -> Logits:
        batch, width = tally.places.shape[:2]
        answers = self.leave.out_features
        logits = self.leave.weight.new_full((batch, width, answers), -torch.inf)
        for rows in _alike(tally.num_candidates):
            found = self._judge(tally[rows], rows, ballots)
            logits[rows, : found.shape[1]] = found
        return logits[..., 0] if self.heads is None else logits.transpose(1, 2)

    def _judge(
        self, tally: Tally, rows: Tensor, ballots: Profiles | None
    ) -> Float[Tensor, "batch candidate head"]:
        view = _View(tally, self.leave.weight.dtype)
        pairs = self._pairs(view, self._joint(view, tally, rows, ballots))
        plain, shares = self._sums(view)
        pools = [view.sum(pairs), view.max(pairs), view.min(pairs), *self._depths(view)]
        # How far behind the first: fine where it matters, coarse where it does not.
        behind = (plain - view.best(plain)).asinh()
        known = [*pools, plain, plain.asinh(), behind, shares, view.everyone]
        h = self.enter(torch.cat(known, -1))
        for block in self.blocks:
            h = h + block(torch.cat([h, view.mean(h), view.best(h), view.everyone], -1))
        scale: Tensor = self.scale(view.sizes).exp()
        logits: Tensor = (self.leave(h) + self.direct(plain)) * scale[:, None]
        return logits.masked_fill(~view.real[..., None], -torch.inf)

    def _joint(self, view: "_View", tally: Tally, rows: Tensor, ballots: Profiles | None) -> Joint:
        """Σ_v φ(place of one) ψ(place of the other), against noise and against all voters."""
        if self.first is None or self.second is None:
            return view.margins.new_zeros((*view.margins.shape, 0))
        places = view.place_features()
        first, second = self.first(places), self.second(places)
        if ballots is None:
            assert tally.place_pairs is not None
            pairs = tally.place_pairs.to(first.dtype)
            sums = torch.einsum("zabij,zir,zjr->zabr", pairs, first, second)
        else:
            sums = _sum_over_ballots(ballots, rows, first, second)
        sums = sums * view.rivals
        usual = sums.sum((1, 2), keepdim=True) / (view.m * (view.m - 1)).clamp(min=1)[..., None]
        noise = ((sums - usual) / view.n.sqrt()[..., None]).asinh()
        return torch.cat([noise, sums / view.n[..., None]], -1)

    def _pairs(self, view: "_View", joint: Joint) -> Pairs:
        """What there is to know about each pair."""
        sizes = view.sizes[:, None, None].expand(*view.margins.shape, -1)
        x: Tensor = self.pair(torch.cat([view.pair_features(), sizes, joint], -1))
        x = x * view.rivals
        for block in self.pair_blocks:
            channels = x.relu().movedim(-1, 1)
            detour: Tensor = (channels @ channels).movedim(1, -1) / view.m[..., None].sqrt()
            known = torch.cat([x, x.transpose(1, 2), detour, detour.transpose(1, 2)], -1)
            x = x + block(known) * view.rivals
        return x

    def _depths(self, view: "_View") -> list[Features]:
        """What there is to know about each candidate among the first places, pooled over these."""
        if self.depth is None:
            return []
        seen = view.depth_features()
        sizes = view.sizes[:, None, None].expand(*seen.shape[:-1], -1)
        x = self.depth(torch.cat([seen, sizes], -1)) * view.placed
        return [view.sum(x), view.max(x, view.placed), view.min(x, view.placed)]

    def _sums(self, view: "_View") -> tuple[Features, Float[Tensor, "batch candidate share"]]:
        """Plain sums against the noise of n voters, and shares of voters."""
        placed = view.places @ self.place(view.place_features())
        centred = (placed - view.mean(placed)) / view.n.sqrt()
        # The effect of a minimum over voters decreases with their number, as exp(-count).
        shares = torch.cat([placed / view.n, torch.exp(-placed.abs())], -1)
        return torch.cat([view.duels(), centred], -1), shares


class _View:
    """A tally as numbers that a network can take, and how to pool them without padding."""

    def __init__(self, tally: Tally, dtype: torch.dtype) -> None:
        n, m = tally.voters.to(dtype), tally.num_candidates.to(dtype)
        self.n, self.m = n[:, None, None], m[:, None, None]
        self.margins = (tally.support - tally.support.transpose(1, 2)).to(dtype)
        self.places = tally.places.to(dtype)
        self.sizes = torch.stack([n.log() / 4, n.rsqrt(), m.log() / 2, 1 / m], -1)
        numbers = torch.arange(self.places.shape[1], device=n.device)
        self.real = numbers < tally.num_candidates[:, None]
        self.everyone = self.sizes[:, None].expand(-1, len(numbers), -1)
        others = numbers[:, None] != numbers
        self.placed = (self.real[:, :, None] & self.real[:, None])[..., None]
        self.rivals = self.placed & others[..., None]

    def pair_features(self) -> Pairs:
        """The margin against noise and against all voters, and who is ahead at all."""
        noise = (self.margins / self.n.sqrt()).asinh()
        ahead = [self.margins.clamp(-limit, limit) / limit for limit in (1, 2)]
        return torch.stack([noise, self.margins / self.n, *ahead], -1)

    def duels(self) -> Features:
        """Majority wins less defeats, the sum of margins, and the worst margin."""
        noise = self.margins / self.n.sqrt()
        wins = self.margins.clamp(-1, 1).sum(2) / 2
        return torch.stack(
            [wins, noise.sum(2) / self.m[..., 0].sqrt(), self.min(noise[..., None])[..., 0]], -1
        )

    def depth_features(self) -> Depths:
        """How many have a candidate among their first places, against a majority and against the
        candidate of whom that is most; and whether anyone has a majority here, or one place before.
        """
        within = self.places.cumsum(2)
        most = self.best(within)
        majority, ahead = 2 * within - self.n, (2 * most - self.n).clamp(-1, 1)
        before = nn.functional.pad(ahead[..., :-1], (1, 0), value=-1)
        behind = within - most
        noise = [(votes / self.n.sqrt()).asinh() for votes in (majority, behind)]
        exact = [majority.clamp(-1, 1), behind.clamp(min=-1), ahead, before]
        return torch.stack([within / self.n, *noise, *exact], -1)

    def place_features(self) -> Features:
        """What a place is, from the top and from the bottom, in an election of m candidates."""
        k = torch.arange(self.places.shape[2], device=self.m.device).to(self.m)[None, :, None]
        last = (self.m - 1).clamp(min=1)
        features = [k / last, 1 / (k + 1), 1 / (self.m - k).clamp(min=1), (k == 0).to(k)]
        features += [(k == 1).to(k), (k == self.m - 1).to(k), self.m.log() / 2]
        shape = (*self.real.shape, 1)
        return torch.cat([one.expand(shape) for one in features], -1) * self.real[..., None]

    def sum(self, pairs: Pairs | Depths) -> Features:
        return pairs.sum(2) / self.m.sqrt()

    def max(self, pairs: Pairs | Depths, among: Tensor | None = None) -> Features:
        most = pairs.masked_fill(~(self.rivals if among is None else among), -_FAR).amax(2)
        return most.masked_fill(most == -_FAR, 0)

    def min(self, pairs: Pairs | Depths, among: Tensor | None = None) -> Features:
        return -self.max(-pairs, among)

    def mean(self, features: Features) -> Features:
        total = (features * self.real[..., None]).sum(1, keepdim=True)
        return (total / self.m).expand_as(features)

    def best(self, features: Features) -> Features:
        top = features.masked_fill(~self.real[..., None], -_FAR).amax(1, keepdim=True)
        return top.expand_as(features)


def _counted(profiles: Profiles) -> Tally:
    return Tally(profiles.support, profiles.places, profiles.num_voters, profiles.num_candidates)


def _sum_over_ballots(profiles: Profiles, rows: Tensor, first: Features, second: Features) -> Pairs:
    """Σ_v w_v first[place of a] second[place of b], for each pair and feature."""
    width, ballots = first.shape[1], profiles.ranks.shape[1]
    # Many ballots are taken some at a time: their features are much larger than they are.
    step = max(1, min(ballots, AT_ONCE // (len(rows) * width)))
    parts = (slice(start, start + step) for start in range(0, ballots, step))
    ranks, weights = profiles.ranks[rows][:, :, :width], profiles.weights[rows]
    sums = [_sum_over_some(ranks[:, part], weights[:, part], first, second) for part in parts]
    return torch.stack(sums).sum(0) if len(sums) > 1 else sums[0]


def _sum_over_some(ranks: Tensor, weights: Tensor, first: Features, second: Features) -> Pairs:
    width, ranks = first.shape[1], ranks.long()
    # Unranked candidates and padding have no place.
    ranks = torch.where(ranks < width, ranks, width)
    batch = torch.arange(len(ranks), device=ranks.device)[:, None, None]
    one, other = (
        nn.functional.pad(table, (0, 0, 0, 1))[batch, ranks].permute(0, 3, 2, 1)
        for table in (first, second)
    )
    weighed = one * weights.to(first.dtype)[:, None, None]
    return (weighed @ other.transpose(2, 3)).permute(0, 2, 3, 1)


def _alike(sizes: Int64[Tensor, "batch"]) -> list[Int64[Tensor, "some"]]:
    """Elections in groups of similar numbers of candidates, so that little is spent on padding."""
    groups = []
    left = torch.argsort(sizes, descending=True, stable=True)
    while len(left):
        ordered = sizes[left]
        count = int((ordered * 5 >= ordered[0] * 4).sum())
        groups.append(left[:count])
        left = left[count:]
    return groups


def _slice(layer: nn.Linear, output: int) -> nn.Linear:
    """One output of a linear layer."""
    part = nn.Linear(layer.in_features, 1, bias=layer.bias is not None)
    with torch.no_grad():
        part.weight.copy_(layer.weight[output : output + 1])
        if layer.bias is not None:
            part.bias.copy_(layer.bias[output : output + 1])
    return part


def _mlp(inputs: int, hidden: int, outputs: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(inputs, hidden), nn.GELU(), nn.Linear(hidden, outputs))


# Few candidates in large batches, voters of all magnitudes.
TRAINING: dict[str, Any] = {
    "optimizer": "adamw",
    "learning_rate": 3e-3,
    "weight_decay": 1e-4,
    "warmup": 50,
    "parts": 4,
    "entries": 120_000,
    "averaging": 0.99,
    "log_voters": True,
    "validate_every": 200,
    "checkpoint_every": 200,
}
# More voters than in evaluations, so that larger elections are covered.
MANY_VOTERS = (2, 999)

RECORD = Network(
    "tally",
    TallyNetwork,
    "tally",
    training={PAPER: TRAINING, SMALL: TRAINING},
    voters={PAPER: MANY_VOTERS, SMALL: MANY_VOTERS},
    minutes=2.0,
    # An imitated rule should be accurate in any culture, so in half of the elections voters tend to
    # agree.
    imitation_culture="uniform+plackett_luce:spread=0/6",
    by_rule=True,
    limits={},
)
