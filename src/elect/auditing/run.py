"""`elect.audit`."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from elect import specs
from elect.auditing import axioms_candidates, axioms_single, axioms_voters
from elect.auditing.axiom import Axiom
from elect.auditing.effort import Effort, plan, rate
from elect.auditing.imitation import compare_with_imitated
from elect.auditing.manipulation import manipulability
from elect.auditing.measured_distortion import measure_distortion
from elect.auditing.nearest_rule import nearest_rule_in
from elect.auditing.published import compare_with_published
from elect.auditing.result import Audit
from elect.auditing.search import AxiomCount, finding
from elect.auditing.sources import batches, source
from elect.auditing.subject import Ask, named, rule_of, winners_of
from elect.cultures import Culture, Size
from elect.elections import Elections, Profiles, Winners
from elect.errors import ElectError
from elect.measuring.batches import ElectionSource
from elect.rules import Scorer
from elect.storage import require_writable

Progress = Callable[[float], None]

AXIOMS: dict[str, Axiom] = {
    axiom.name: axiom
    for module in (axioms_single, axioms_voters, axioms_candidates)
    for axiom in module.AXIOMS
}

# Part of every seed here, so that audits never use elections of a training or an evaluation.
FRESH = 11


def audit(
    rule: str | Scorer,
    culture: str | Culture | None = None,
    data: str | Path | Profiles | None = None,
    voters: Size | None = None,
    candidates: Size | None = None,
    elections: int = 10_000,
    seed: int = 0,
    *,
    axioms: str | Sequence[str] | None = None,
    trials: int | None = None,
    seconds: float | int = 100.0,
    axioms_only: bool | None = None,
    out: str | Path | None = None,
    progress: Progress | None = None,
) -> Audit:
    """Audit a rule: the axioms that it violates and how often, the gain from misreporting, its
    distortion, and the nearest simple rule.

    Args:
        rule: any rule: by name, a trained one by its folder, a function from `Profiles` to scores,
            or ``FILE.py:function``.
        culture: where elections come from. Default: ``impartial``.
        data: a real election or a file, to draw sub-elections from instead of a culture.
        voters: how many, or an inclusive range. Default: 2 to 20.
        candidates: how many, or an inclusive range. Default: 3 to 5.
        elections: how many elections to test.
        seed: the same seed gives the same elections.
        axioms: the name of an axiom, or several. Default: all axioms.
        trials: the most changes of an election to try for an axiom. Default: depends on the speed
            of the rule.
        seconds: about how long the audit of a slow rule may take.
        axioms_only: whether to leave out misreporting, the worst case and the nearest rule.
            Default: only if ``axioms`` are named.
        out: a folder for `report.html`, `audit.json` and the ballots that show what was found.
        progress: called with the share of the work that is done.
    """
    start = time.perf_counter()
    if seed < 0 or elections < 1 or (trials is not None and trials < 1) or seconds <= 0:
        raise ElectError(
            "An audit needs at least 1 election, at least 1 trial, a positive number of seconds "
            "and a seed of 0 or more."
        )
    if culture is not None and data is not None:
        raise ElectError("Give either a culture or a file of ballots; leave out one of them.")
    if out is not None:
        # Fails before the audit rather than after it.
        require_writable(out)
    names = [axioms] if isinstance(axioms, str) else axioms
    chosen = [AXIOMS[_known(name)] for name in names or AXIOMS]
    only = bool(names) if axioms_only is None else axioms_only
    function = rule_of(rule)
    where = source(culture or "impartial", data, voters, candidates)
    ask = winners_of(function)
    sample = list(batches(where, elections, _seed(seed)))
    effort = _effort(chosen, ask, sample, where, elections, seconds)
    found = Audit(
        named(rule),
        where.name,
        where.voters,
        where.candidates,
        elections,
        seed,
        trials or effort.trials,
        {},
    )
    report = _stages(progress, [0.8, 0.2] if only else [0.6, 0.2, 0.2])
    counts = [AxiomCount(axiom) for axiom in chosen]
    won = _examine(counts, ask, sample, found.trials, seed, report(0))
    for number, count in enumerate(counts):
        own, name = _axiom_seed(seed, count.axiom), count.axiom.name
        found.axioms[name] = finding(count, ask, where, found.trials, effort.searched, own)
        report(1)((number + 1) / len(counts))
    if not only:
        more = _more(function, ask, sample, won, where, effort, seed, report(2))
        found = replace(found, **more)
    found = replace(found, seconds=time.perf_counter() - start)
    return replace(found, files=found.write(out)) if out is not None else found


def _effort(
    axioms: list[Axiom],
    ask: Ask,
    sample: list[Elections],
    where: ElectionSource,
    elections: int,
    seconds: float | int,
) -> Effort:
    n, m = sum(where.voters) / 2, sum(where.candidates) / 2
    return plan(axioms, rate(ask, sample[0].profiles), elections, n, m, seconds)


def _examine(
    counts: list[AxiomCount],
    ask: Ask,
    sample: list[Elections],
    most: int,
    seed: int,
    progress: Progress,
) -> list[Winners]:
    """Check all axioms on all elections, and return the winners."""
    found = []
    for number, elections in enumerate(sample):
        found.append(ask(elections.profiles).cpu())
        for count in counts:
            rng = np.random.default_rng([_axiom_seed(seed, count.axiom), number])
            count.examine(ask, elections.profiles, found[-1].numpy(), most, rng)
        progress((number + 1) / len(sample))
    return found


def _more(
    function: Scorer,
    ask: Ask,
    sample: list[Elections],
    won: list[Winners],
    where: ElectionSource,
    effort: Effort,
    seed: int,
    progress: Progress,
) -> dict[str, Any]:
    """The results besides axioms."""
    rng = np.random.default_rng([_seed(seed), FRESH])
    few = where.culture(effort.manipulated, where.voters, where.candidates, seed=rng)
    return {
        "manipulability": manipulability(ask, few, seed, progress=progress),
        "published": compare_with_published(function, ask, effort.compared, seed),
        "worst_case": measure_distortion(ask, sample, won, where, effort.steps, seed),
        "nearest_rule": nearest_rule_in(ask, sample),
        "imitation": compare_with_imitated(function, ask, sample, won, where, effort.steps, seed),
    }


def _known(name: str) -> str:
    return specs.choose(specs.plain(name), AXIOMS, "axiom", "elect axioms")


def _seed(seed: int) -> int:
    return seed * 10_000 + FRESH


def _axiom_seed(seed: int, axiom: Axiom) -> int:
    """A seed for each axiom, so that its result does not depend on which others are checked."""
    return _seed(seed) * 2**32 + crc32(axiom.name.encode())


def _stages(progress: Progress | None, parts: Sequence[float]) -> Callable[[int], Progress]:
    """Split one progress callback into consecutive stages."""
    before = np.concatenate([[0], np.cumsum(parts)])

    def report(stage: int) -> Progress:
        return lambda share: progress and progress(before[stage] + share * parts[stage])

    return report
