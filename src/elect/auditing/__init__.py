"""What a rule does when it is put to the test: axioms, manipulation, the worst case.

Example:
    >>> found = audit("borda", elections=500, beyond=False)
    >>> print(found.axioms["condorcet_winner"].counterexample.sentence)
    B beats everyone else head to head, but B and C tie.
    >>> [name for name, axiom in found.axioms.items() if axiom.broken]
    ['majority', 'condorcet_winner', 'independence_of_clones']
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from elect import specs
from elect.auditing.axioms import AXIOMS
from elect.auditing.beyond import beside, imitation, likeness_of, worst
from elect.auditing.effort import plan, rate
from elect.auditing.manipulation import manipulability
from elect.auditing.results import Audit, Finding
from elect.auditing.searching import Tally, finding
from elect.auditing.sources import batches, source
from elect.auditing.subject import Ask, named, rule_of, winners_of
from elect.cultures import Culture, Size
from elect.elections import Elections, Profiles, Winners
from elect.errors import ElectError
from elect.rules import Scorer

__all__ = ["AXIOMS", "Audit", "Finding", "audit", "named", "rule_of", "winners_of"]

Progress = Callable[[float], None]

# Part of every seed here, so that nothing is audited on what it was trained or measured on.
FRESH = 11


def audit(
    rule: str | Scorer,
    culture: str | Culture = "impartial",
    data: str | Path | Profiles | None = None,
    voters: Size | None = None,
    candidates: Size | None = None,
    elections: int = 10_000,
    seed: int = 0,
    *,
    axioms: Sequence[str] | None = None,
    trials: int | None = None,
    seconds: float = 100.0,
    beyond: bool = True,
    progress: Progress | None = None,
) -> Audit:
    """Put a rule to the test: which axioms it breaks and how often, what misreporting is worth, how
    bad its choice can be, and which simple rule it is like.

    Args:
        rule: any rule: by name, a trained one by its folder, a function from `Profiles` to scores,
            or ``FILE.py:function``.
        culture: where elections come from.
        data: or a real election, as such or in a file, of which sub-elections are drawn.
        voters: how many, or an inclusive range; 2 to 20 unless said.
        candidates: how many, or an inclusive range; 3 to 5 unless said.
        elections: how many.
        seed: the same seed gives the same elections.
        axioms: which ones to check; all unless said.
        trials: how many changes of an election to try at most for an axiom; as the rule's speed
            allows unless said.
        seconds: about how long a slow rule may take; a quick one needs a few.
        beyond: whether to go on to manipulation, the worst case and likeness.
        progress: called now and then with the share of the work that is done.
    """
    start = time.perf_counter()
    if seed < 0 or elections < 1 or (trials is not None and trials < 1) or seconds <= 0:
        raise ElectError("Audit 1 election, 1 trial, a seed of 0 and some seconds at the least.")
    chosen = [AXIOMS[_known(name)] for name in axioms or AXIOMS]
    function, where = rule_of(rule), source(culture, data, voters, candidates)
    ask = winners_of(function)
    sample = list(batches(where, elections, _seed(seed, 0)))
    n, m = sum(where.voters) / 2, sum(where.candidates) / 2
    effort = plan(rate(ask, sample[0].profiles), elections, n, m, seconds)
    most = trials or effort.trials
    report = _stages(progress, [0.6, 0.2, 0.2] if beyond else [0.8, 0.2])
    tallies = [Tally(axiom) for axiom in chosen]
    won = _examine(tallies, ask, sample, most, seed, report(0))
    findings = {}
    for number, tally in enumerate(tallies):
        findings[tally.axiom.name] = finding(
            tally, ask, where, most, effort.hunted, _seed(seed, number + 1)
        )
        report(1)((number + 1) / len(tallies))
    found = Audit(
        named(rule), where.name, where.voters, where.candidates, elections, seed, most, findings
    )
    if beyond:
        rng = np.random.default_rng([_seed(seed, 0), FRESH])
        few = where.culture(effort.manipulated, where.voters, where.candidates, seed=rng)
        found = replace(
            found,
            manipulability=manipulability(ask, few, seed, progress=report(2)),
            beside=beside(function, ask, effort.compared, seed),
            worst_case=worst(ask, sample, won, where, effort.steps, seed),
            likeness=likeness_of(ask, sample),
            imitation=imitation(function, ask, sample, won, where, effort.steps, seed),
        )
    return replace(found, seconds=time.perf_counter() - start)


def _examine(
    tallies: list[Tally],
    ask: Ask,
    sample: list[Elections],
    most: int,
    seed: int,
    progress: Progress,
) -> list[Winners]:
    """Check all axioms on all elections; returns who wins there."""
    found = []
    for number, elections in enumerate(sample):
        found.append(ask(elections.profiles).cpu())
        for place, tally in enumerate(tallies):
            rng = np.random.default_rng([_seed(seed, 0), number, place])
            tally.examine(ask, elections.profiles, found[-1].numpy(), most, rng)
        progress((number + 1) / len(sample))
    return found


def _known(name: str) -> str:
    return specs.choose(specs.plain(name), AXIOMS, "axiom", "elect audit --help")


def _seed(seed: int, number: int) -> int:
    return (seed * 100 + number) * 100 + FRESH


def _stages(progress: Progress | None, parts: Sequence[float]) -> Callable[[int], Progress]:
    """A function that says of each stage how far it is, with the stages one after another."""
    before = np.concatenate([[0], np.cumsum(parts)])

    def report(stage: int) -> Progress:
        return lambda share: progress and progress(before[stage] + share * parts[stage])

    return report
