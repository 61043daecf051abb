"""Elections that break an axiom: in the sample, and where the sample has none, by a search."""

from dataclasses import dataclass, field
from itertools import chain, islice

import numpy as np

from elect.auditing.axioms import check
from elect.auditing.changes import filed, numbers
from elect.auditing.describing import Axiom
from elect.auditing.results import Finding
from elect.auditing.shrinking import Counterexample, counterexample
from elect.auditing.sources import Blocs, batches
from elect.auditing.subject import Ask
from elect.cultures import Impartial
from elect.elections import Profiles
from elect.errors import ElectError
from elect.kernels import NDArray
from elect.measuring.batches import Source
from elect.measuring.estimates import share

# Elections to remember, the smallest that break an axiom, and how many of them to shrink.
SUSPECTS, SHRUNK = 6, 2

# Voters in the small elections of a search.
FEW = 7

# An election that breaks an axiom, after its number of candidates and of voters.
Suspect = tuple[int, int, Profiles]


@dataclass(eq=False)
class Tally:
    """What has been seen of an axiom so far.

    Attributes:
        axiom: which one.
        applies: whether it applies, for each batch of elections.
        broken: whether it is broken.
        trials: changed elections looked at.
        suspects: the smallest elections that break it.
        note: why it was not checked any further, if so.
    """

    axiom: Axiom
    applies: list[NDArray] = field(default_factory=list)
    broken: list[NDArray] = field(default_factory=list)
    trials: int = 0
    suspects: list[Suspect] = field(default_factory=list)
    note: str | None = None

    def examine(
        self, ask: Ask, profiles: Profiles, won: NDArray, most: int, rng: np.random.Generator
    ) -> None:
        """Check the axiom on some more elections."""
        nothing = np.zeros(len(profiles), bool)
        applies, broken = nothing, nothing
        if self.note is None:
            try:
                verdict = check(self.axiom, ask, profiles, won, min(most, self.axiom.most), rng)
                applies, broken = verdict.applies, verdict.broken
                self.trials += len(verdict.trials)
            except ElectError as error:
                # Some rules refuse ballots turned upside down, if they leave candidates out.
                self.note = f"Not checked, as the rule refuses the changed ballots: {error}"
        self.applies.append(applies)
        self.broken.append(broken)
        self.suspects = _smallest(self.suspects, profiles, np.flatnonzero(broken))


def finding(tally: Tally, ask: Ask, where: Source, most: int, hunted: int, seed: int) -> Finding:
    """What the sample says about an axiom, with the smallest counterexample, for which is searched
    elsewhere if the sample has none."""
    applies, broken = (np.concatenate(several) for several in (tally.applies, tally.broken))
    searched = not tally.suspects and tally.note is None
    if searched:
        _hunt(tally, ask, where, most, hunted, seed)
    found = _smallest_counterexample(tally, ask, seed)
    reach = share(applies)
    assert reach is not None
    note = tally.note
    if tally.suspects and found is None:
        note = "It is broken in some elections only as part of a batch: the rule draws lots."
    return Finding(
        tally.axiom.name,
        tally.axiom.definition,
        reach,
        share(~broken[applies]),
        tally.trials,
        found,
        hunted=searched and found is not None,
        note=note,
    )


def _hunt(tally: Tally, ask: Ask, where: Source, most: int, hunted: int, seed: int) -> None:
    """Look where paradoxes are at home: among a few blocs of voters, and in small elections."""
    low, high = where.voters
    few = Source("", Impartial(), (low, max(low, min(high, FEW))), where.candidates)
    blocs = Source("", Blocs(), where.voters, where.candidates)
    half = max(1, hunted // 2)
    drawn = chain(batches(few, half, seed + 1), batches(blocs, half, seed + 2))
    for number, elections in enumerate(drawn):
        profiles = elections.profiles
        rng = np.random.default_rng([seed, number, 3])
        won = ask(profiles).cpu().numpy()
        verdict = check(tally.axiom, ask, profiles, won, min(most, tally.axiom.most), rng)
        tally.trials += len(verdict.trials)
        tally.suspects = _smallest([], profiles, np.flatnonzero(verdict.broken))
        if tally.suspects:
            return


def _smallest(suspects: list[Suspect], profiles: Profiles, rows: NDArray) -> list[Suspect]:
    """The smallest of these elections and those before."""
    voters, sizes = numbers(profiles)
    order = rows[np.lexsort((voters[rows], sizes[rows]))][:SUSPECTS]
    more = [(int(sizes[row]), int(voters[row]), profiles[int(row)]) for row in order]
    return sorted([*suspects, *more], key=lambda one: one[:2])[:SUSPECTS]


def _smallest_counterexample(tally: Tally, ask: Ask, seed: int) -> Counterexample | None:
    rng = np.random.default_rng([seed, 4])
    for hold in (filed, None):
        found = (
            counterexample(tally.axiom, ask, profile, rng, hold) for *_, profile in tally.suspects
        )
        known = islice((one for one in found if one), SHRUNK)
        if smallest := min(known, key=lambda one: (one.candidates, one.voters), default=None):
            return smallest
    return None
