"""Several rules on many random elections: how often they elect the Condorcet winner, how much
welfare they reach, and how often they agree.

Example:
    >>> found = simulate(["plurality", "borda"], "impartial", voters=25, candidates=3,
    ...                  elections=2000)
    >>> for row in found.rows():
    ...     print(row["rule"], f"{row['condorcet_efficiency']:.2f}")
    plurality 0.79
    borda 0.90
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, product
from typing import NamedTuple

import numpy as np

from elect.cultures import Size
from elect.elections import Elections
from elect.errors import ElectError
from elect.kernels import NDArray
from elect.measuring.batches import ElectionSource, Origin, Range, by_name, source
from elect.measuring.estimates import known, mean, share
from elect.measuring.outcomes import agreement, credit, decide, welfare_ratio
from elect.measuring.simulated import Agreement, Simulated, Simulation
from elect.objectives import called
from elect.resolve import rule as as_rule
from elect.rules import Scorer
from elect.rules.pairwise import condorcet_winner
from elect.welfares import WelfareFunction, judge
from elect.welfares import welfare as make_welfare

# Part of every seed here and of no other, so that these elections are used for nothing else.
FRESH = 31

Progress = Callable[[float], None]
Sizes = Size | list[Size] | list[int] | list[Range]
Rules = str | Scorer | Sequence[str | Scorer] | Mapping[str, str | Scorer]


def simulate(
    rules: Rules,
    cultures: Origin | Sequence[Origin] | Mapping[str, Origin] = "impartial",
    voters: Sizes = 25,
    candidates: Sizes = 5,
    elections: int = 10_000,
    seed: int = 0,
    *,
    welfare: str | WelfareFunction = "utilitarian",
    progress: Progress | None = None,
) -> Simulation:
    """Compare rules on random elections, for each culture and each size.

    All rules see the same elections. A tie counts as a random choice among the tied candidates.
    The elections of a culture and a size do not depend on which others are asked for.

    Args:
        rules: one or several rules: by name, as functions from `Profiles` to scores, or as a
            dictionary of either by the names to show.
        cultures: one or several cultures, by name, as objects or as a dictionary of these. A
            real election is also possible; voters are drawn from it.
        voters: how many, or a range with both ends such as ``(2, 99)``; or a list of these.
        candidates: the same for candidates.
        elections: how many for each culture and size.
        seed: the same seed gives the same elections.
        welfare: what the welfare ratio is measured by, in cultures that have utilities.
        progress: called with the share of the work that is done.
    """
    if seed < 0 or elections < 1:
        raise ElectError("Simulate at least 1 election, with a seed of 0 or more.")
    chosen = _rules(rules)
    judged = make_welfare(welfare) if isinstance(welfare, str) else welfare
    places = [
        source(origin, n, m, name)
        for name, origin in by_name(cultures).items()
        for n, m in product(_sizes(voters, "voters"), _sizes(candidates, "candidates"))
    ]
    rows: list[Simulated] = []
    pairs: list[Agreement] = []
    for number, place in enumerate(places):

        def report(done: float, before: int = number) -> None:
            if progress is not None:
                progress((before + done) / len(places))

        tally = _count(chosen, place, judged, elections, seed, report)
        rows += [_row(name, tally, place, elections, seed) for name in chosen]
        pairs += _pairs(tally, place)
    return Simulation(tuple(rows), tuple(pairs), called(welfare), elections, seed)


def _rules(rules: Rules) -> dict[str, Scorer]:
    """The rules by the names to show."""
    if isinstance(rules, Mapping):
        named = dict(rules)
    elif isinstance(rules, Sequence) and not isinstance(rules, str):
        named = {called(one): one for one in rules}
        if len(named) < len(rules):
            raise ElectError(
                "Two of the rules have the same name; give each its own name in a dictionary."
            )
    else:
        named = {called(rules): rules}
    if not named:
        raise ElectError("Name at least one rule to simulate.")
    return {name: as_rule(one) for name, one in named.items()}


def _sizes(size: Sizes, what: str) -> list[Size]:
    several: list[Size] = [*size] if isinstance(size, list) else [size]
    if not several:
        raise ElectError(f"Name at least one number of {what}.")
    return several


class _Tally(NamedTuple):
    """What was counted, an entry for each election; NaN where a rule gave up.

    Attributes:
        exists: whether there is a Condorcet winner.
        efficiency: of each rule, the credit for electing the Condorcet winner.
        ratios: of each rule, its welfare ratio.
        agreement: of each two rules, the chance that they elect the same candidate.
        refused: why a rule cannot count these ballots.
    """

    exists: list[NDArray]
    efficiency: dict[str, list[NDArray]]
    ratios: dict[str, list[NDArray]]
    agreement: dict[tuple[str, str], list[NDArray]]
    refused: dict[str, str]


def _count(
    rules: Mapping[str, Scorer],
    place: ElectionSource,
    welfare: WelfareFunction,
    elections: int,
    seed: int,
    progress: Progress,
) -> _Tally:
    pairs = list(combinations(rules, 2))
    empty: dict[str, list[NDArray]] = {name: [] for name in rules}
    tally = _Tally([], empty, {name: [] for name in rules}, {pair: [] for pair in pairs}, {})
    # The seed holds the sizes, so that other sizes in the same call change nothing.
    base = [seed, *place.voters, *place.candidates]
    for batch in place.batches(elections, base, [FRESH]):
        _add(tally, rules, batch.elections, welfare)
        progress((batch.start + len(batch.elections)) / elections)
    return tally


def _add(
    tally: _Tally, rules: Mapping[str, Scorer], elections: Elections, welfare: WelfareFunction
) -> None:
    """Count some more elections."""
    profiles = elections.profiles
    condorcet = condorcet_winner(profiles)
    tally.exists.append(condorcet.any(1).cpu().numpy())
    worth = None if elections.utilities is None else judge(welfare, elections)
    tops = {}
    for name in [name for name in rules if name not in tally.refused]:
        try:
            top = tops[name] = decide(rules[name], profiles).top
        except ElectError as error:
            tally.refused[name] = str(error)
            continue
        right = credit(top, condorcet).where(condorcet.any(1), np.nan)
        tally.efficiency[name].append(right.cpu().numpy())
        if worth is not None:
            tally.ratios[name].append(welfare_ratio(top, worth).cpu().numpy())
    for one, other in tally.agreement:
        if one in tops and other in tops:
            settled = tops[one].any(1) & tops[other].any(1)
            same = agreement(tops[one], tops[other]).where(settled, np.nan)
            tally.agreement[one, other].append(same.cpu().numpy())


def _row(name: str, tally: _Tally, place: ElectionSource, elections: int, seed: int) -> Simulated:
    exists = share(np.concatenate(tally.exists))
    assert exists is not None
    start = (name, place.name, place.voters, place.candidates, elections, exists)
    if name in tally.refused:
        return Simulated(*start, None, None, tally.refused[name])
    ratios = np.concatenate([*tally.ratios[name], np.zeros(0)])
    efficiency = share(known(np.concatenate(tally.efficiency[name])))
    return Simulated(*start, efficiency, mean(known(ratios), seed))


def _pairs(tally: _Tally, place: ElectionSource) -> list[Agreement]:
    found = []
    for (one, other), parts in tally.agreement.items():
        if {one, other} & tally.refused.keys():
            continue
        same = share(known(np.concatenate(parts)))
        if same is not None:
            found.append(Agreement(one, other, place.name, place.voters, place.candidates, same))
    return found
