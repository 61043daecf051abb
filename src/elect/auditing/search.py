"""Find elections that violate an axiom, in the sample or else by a search."""

from dataclasses import dataclass, field
from itertools import chain, islice

import numpy as np

from elect.auditing.axiom import Axiom, check
from elect.auditing.changes import filed, numbers
from elect.auditing.result import Finding
from elect.auditing.shrink import Counterexample, counterexample
from elect.auditing.sources import Blocs, batches
from elect.auditing.subject import Ask
from elect.cultures import Impartial
from elect.elections import Profiles
from elect.errors import ElectError
from elect.kernels import NDArray
from elect.measuring.batches import ElectionSource
from elect.measuring.estimates import share

# The number of violating elections to keep, the smallest first, and how many of them to shrink.
SUSPECTS, SHRUNK = 6, 2

# Voters in the small elections of a search.
FEW = 7

# An election that breaks an axiom, after its number of candidates and of voters.
Suspect = tuple[int, int, Profiles]


@dataclass(eq=False)
class AxiomCount:
    """The results for an axiom so far.

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
                verdict = check(self.axiom, ask, profiles, won, min(most, self.axiom.trials), rng)
                applies, broken = verdict.applies, verdict.broken
                self.trials += len(verdict.trials)
            except ElectError as error:
                # Some rules refuse ballots turned upside down, if they leave candidates out.
                self.note = f"Not checked, as the rule refuses the changed ballots: {error}"
        self.applies.append(applies)
        self.broken.append(broken)
        self.suspects = _smallest(self.suspects, profiles, np.flatnonzero(broken))


def finding(
    count: AxiomCount, ask: Ask, where: ElectionSource, most: int, searched: int, seed: int
) -> Finding:
    """The result for an axiom with the smallest counterexample; if the sample has none, search for
    one."""
    applies, broken = (np.concatenate(several) for several in (count.applies, count.broken))
    search = not count.suspects and count.note is None
    if search:
        _search(count, ask, where, most, searched, seed)
    found = _smallest_counterexample(count, ask, seed)
    reach = share(applies)
    assert reach is not None
    note = count.note
    if count.suspects and found is None:
        note = "Broken only when elections are counted in batches: the rule draws lots."
    return Finding(
        count.axiom,
        reach,
        share(~broken[applies]),
        count.trials,
        found,
        by_search=search and found is not None,
        note=note,
    )


def _search(
    count: AxiomCount, ask: Ask, where: ElectionSource, most: int, searched: int, seed: int
) -> None:
    """Look where violations are frequent: among a few blocs of voters, and in small elections."""
    low, high = where.voters
    few = ElectionSource("", Impartial(), (low, max(low, min(high, FEW))), where.candidates)
    blocs = ElectionSource("", Blocs(), where.voters, where.candidates)
    half = max(1, searched // 2)
    drawn = chain(batches(few, half, seed + 1), batches(blocs, half, seed + 2))
    for number, elections in enumerate(drawn):
        profiles = elections.profiles
        rng = np.random.default_rng([seed, number, 3])
        won = ask(profiles).cpu().numpy()
        verdict = check(count.axiom, ask, profiles, won, min(most, count.axiom.trials), rng)
        count.trials += len(verdict.trials)
        count.suspects = _smallest([], profiles, np.flatnonzero(verdict.broken))
        if count.suspects:
            return


def _smallest(suspects: list[Suspect], profiles: Profiles, rows: NDArray) -> list[Suspect]:
    """The smallest of these elections and those before."""
    voters, sizes = numbers(profiles)
    order = rows[np.lexsort((voters[rows], sizes[rows]))][:SUSPECTS]
    more = [(int(sizes[row]), int(voters[row]), profiles[int(row)]) for row in order]
    return sorted([*suspects, *more], key=lambda one: one[:2])[:SUSPECTS]


def _smallest_counterexample(count: AxiomCount, ask: Ask, seed: int) -> Counterexample | None:
    rng = np.random.default_rng([seed, 4])
    for hold in (filed, None):
        found = (
            counterexample(count.axiom, ask, profile, rng, hold) for *_, profile in count.suspects
        )
        known = islice((one for one in found if one), SHRUNK)
        if smallest := min(known, key=lambda one: (one.candidates, one.voters), default=None):
            return smallest
    return None
