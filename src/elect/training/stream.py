"""New elections for every step, with their targets, sampled in the background.

The elections of a step depend only on the seed, the step and the part of the batch. So the stream
has no state to save, and the result does not depend on the number of threads or processes.
"""

from collections import deque
from collections.abc import Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import count

import numpy as np
import torch

from elect.elections import Elections, Profiles
from elect.learned import on
from elect.measuring.batches import Range
from elect.objectives import Targets, all_targets
from elect.training.recipe import Recipe

# The seed uses this number in place of the step for held-out elections.
HELD_OUT = 2**62

# The least number of parts of the held-out elections, since each has its own range of voters, and
# the most entries (ballots times candidates) in a part.
VALIDATION_PARTS, VALIDATION_ENTRIES = 16, 2**18


class Part:
    """Part of a batch: profiles, and the targets of each objective.

    It is not a dataclass, since Fabric would convert the tensors inside.
    """

    def __init__(self, profiles: Profiles, targets: Sequence[Targets], seed: int) -> None:
        self.profiles, self.targets, self.seed = profiles, list(targets), seed

    def to(self, device: torch.device) -> "Part":
        targets = [target.to(device) for target in self.targets]
        return Part(on(device, self.profiles), targets, self.seed)

    def __len__(self) -> int:
        return len(self.profiles)


def batches(
    recipe: Recipe, numbers: Sequence[int], start: int, ahead: int = 2
) -> Generator[list[Part]]:
    """The parts with these numbers of every batch from step ``start`` on, without end."""
    waiting: deque[Future[list[Part]]] = deque()
    pool = ThreadPoolExecutor(1, thread_name_prefix="elections")
    try:
        for step in count(start):
            waiting.append(pool.submit(_batch, recipe, numbers, step))
            if len(waiting) > ahead:
                yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _batch(recipe: Recipe, numbers: Sequence[int], step: int) -> list[Part]:
    return [draw(recipe, step, number) for number in numbers]


def draw(recipe: Recipe, step: int, number: int) -> Part:
    """One part of the batch of one step."""
    rng = np.random.default_rng([recipe.seed, step, number])
    voters, candidates = sizes(recipe, rng)
    elections = recipe.source(part_size(recipe, voters, candidates), voters, candidates, seed=rng)
    return labelled(recipe, elections, rng)


def labelled(recipe: Recipe, elections: Elections, rng: np.random.Generator) -> Part:
    """The elections' profiles with the targets of every objective."""
    targets = all_targets(recipe.objectives, elections, recipe.source, seed=rng)
    return Part(elections.profiles, targets, int(rng.integers(2**62)))


def sizes(recipe: Recipe, rng: np.random.Generator) -> tuple[Range, Range]:
    """The ranges of voters and of candidates from which one part of a batch is drawn."""
    voters, candidates = recipe.voters, recipe.candidates
    if recipe.log_voters:
        voters = octave(voters, rng)
    if recipe.entries is not None:
        m = int(rng.integers(*candidates, endpoint=True))
        candidates = (m, m)
    return voters, candidates


def octave(voters: Range, rng: np.random.Generator) -> Range:
    """The range from half a number to the number, which is drawn evenly on a logarithmic scale.

    Uniform draws from such random ranges have density 1 / n.
    """
    low, high = voters
    top = 2 ** rng.uniform(np.log2(low), np.log2(2 * high))
    return min(high, max(low, round(top / 2))), min(high, max(low, round(top)))


def part_size(recipe: Recipe, voters: Range, candidates: Range) -> int:
    """How many elections one part of a batch has.

    With a budget of entries, each pair of candidates costs one entry, for the network, and sixteen
    places on ballots cost one, for sampling and counting, which are that much cheaper.
    """
    if recipe.entries is None:
        return recipe.batch // recipe.parts
    n, m = voters[1], candidates[1]
    return max(1, int(recipe.entries / recipe.parts / (m * (m + n / 16))))


def held_out(recipe: Recipe) -> list[Part]:
    """The validation elections, the same for the whole training, with all sizes equally likely."""
    plain = replace(recipe, entries=None)
    parts: list[Part] = []
    while (missing := recipe.validation - sum(len(part) for part in parts)) > 0:
        rng = np.random.default_rng([recipe.seed, HELD_OUT, len(parts)])
        voters, candidates = sizes(plain, rng)
        fitting = VALIDATION_ENTRIES // (voters[1] * candidates[1])
        most = max(1, min(missing, fitting, recipe.validation // VALIDATION_PARTS))
        elections = recipe.source(most, voters, candidates, seed=rng)
        parts.append(labelled(recipe, elections, rng))
    return parts
