"""A batch of weighted sets of vectors: what the networks compute with between ballots and logits.

Sets of several sizes lie end to end without padding, so that layers work on real rows only; the
elections of the paper would otherwise be half padding. Only attention pads, and unpads after.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor
from torch.nn import functional as F


@dataclass(frozen=True, eq=False)
class Sets:
    """One row for each element, set after set.

    Attributes:
        values: the elements' vectors.
        counts: how many times each element is in its set: a ballot of weight w is w voters.
        present: which cells of a padded batch the rows would fill.
    """

    values: Float[Tensor, "row width"]
    counts: Float[Tensor, "row"]
    present: Bool[Tensor, "batch item"]

    @classmethod
    def of_equal_size(cls, values: Float[Tensor, "batch item width"]) -> "Sets":
        """Sets that need no padding, each element once."""
        cells = values.shape[:2]
        present = torch.ones(cells, dtype=torch.bool, device=values.device)
        return cls(values.flatten(0, 1), values.new_ones(cells.numel()), present)

    @cached_property
    def owner(self) -> Int64[Tensor, "row"]:
        """The set that each row belongs to."""
        return self.present.nonzero()[:, 0]

    def map(self, function: Callable[[Tensor], Tensor]) -> "Sets":
        """The same sets with each element's vector replaced by a function of it."""
        return self.holding(function(self.values))

    def holding(self, values: Float[Tensor, "row other"]) -> "Sets":
        """The same sets with other vectors for their elements."""
        return replace(self, values=values)

    def total(self) -> Float[Tensor, "batch width"]:
        """The sum of each set, elements counted as often as they are in it."""
        sizes = self.present.sum(1)
        rows = torch.arange(len(self.values), device=sizes.device)
        # A bag of embeddings is a weighted sum of neighbouring rows, and three times faster here
        # than index_add or padding.
        return F.embedding_bag(
            rows,
            self.values,
            sizes.cumsum(0) - sizes,
            mode="sum",
            per_sample_weights=self.counts.to(self.values.dtype),
        )

    def mean(self) -> Float[Tensor, "batch width"]:
        """The mean of each set, elements counted as often as they are in it."""
        return self.total() / self.padded_counts().sum(1, keepdim=True)

    def padded(self) -> Float[Tensor, "batch item width"]:
        """The vectors of each set, with zeros where it has no more elements."""
        cells = self.values.new_zeros(*self.present.shape, self.values.shape[1])
        cells[self.present] = self.values
        return cells

    def padded_counts(self) -> Float[Tensor, "batch item"]:
        """How many times each element is in its set, 0 for padding."""
        cells = self.counts.new_zeros(self.present.shape)
        cells[self.present] = self.counts
        return cells
