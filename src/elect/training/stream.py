"""Fresh elections for every step, with their targets, prepared while the step before is at work.

What a step sees depends on the seed, the step and the part of the batch alone. So nothing needs
to be remembered to resume, threads change nothing, and processes that share out the parts see
together what one would see alone.
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

# In the place of the step, a number that no step has: held-out elections.
HELD_OUT = 2**62

# Parts of the held-out elections, at the least, since each has a range of voters of its own; and
# numbers on ballots in a part, at the most.
VALIDATION_PARTS, VALIDATION_ENTRIES = 16, 2**18


class Part:
    """Part of a batch: profiles, and what each objective wants of them.

    It is no dataclass on purpose: Fabric takes those apart to convert the tensors in them.
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
    elections = recipe.source(share_out(recipe, voters, candidates), voters, candidates, seed=rng)
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
    """From half a number, itself drawn evenly on a logarithmic scale, to the number.

    Mixed over all such numbers, uniform draws from these ranges have density 1 / n.
    """
    low, high = voters
    top = 2 ** rng.uniform(np.log2(low), np.log2(2 * high))
    return min(high, max(low, round(top / 2))), min(high, max(low, round(top)))


def share_out(recipe: Recipe, voters: Range, candidates: Range) -> int:
    """How many elections one part of a batch has.

    With a budget of entries, a pair of candidates is one, which the network must judge; sixteen
    places on ballots are another, since they cost about that little to draw and to count.
    """
    if recipe.entries is None:
        return recipe.batch // recipe.parts
    n, m = voters[1], candidates[1]
    return max(1, int(recipe.entries / recipe.parts / (m * (m + n / 16))))


def held_out(recipe: Recipe) -> list[Part]:
    """The same elections all along, of all sizes alike, to validate on."""
    plain = replace(recipe, entries=None)
    parts: list[Part] = []
    while (missing := recipe.validation - sum(len(part) for part in parts)) > 0:
        rng = np.random.default_rng([recipe.seed, HELD_OUT, len(parts)])
        voters, candidates = sizes(plain, rng)
        room = VALIDATION_ENTRIES // (voters[1] * candidates[1])
        most = max(1, min(missing, room, recipe.validation // VALIDATION_PARTS))
        elections = recipe.source(most, voters, candidates, seed=rng)
        parts.append(labelled(recipe, elections, rng))
    return parts
