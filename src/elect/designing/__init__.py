"""Recommend a rule for an electorate and a welfare: train one, compare it with others.

    found = design("egalitarian", culture="uniform", voters=(5, 50), candidates=(3, 6), minutes=2,
                   out="our-rule")
    print(found.sentence)

The folder then holds the trained rule, `design.json` with all figures, and `report.html`, a
report for readers without a technical background.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from elect.auditing import Audit, audit
from elect.cultures import Culture, Size
from elect.designing.contestants import Contestant, contestants, points
from elect.designing.electorate import (
    Electorate,
    as_cast,
    fresh,
    from_culture,
    from_file,
)
from elect.designing.learning import from_shelf, known_posterior, trained
from elect.designing.measuring import Standing, ceiling_of, measure, standings
from elect.designing.purpose import Purpose, purpose_of
from elect.designing.recommendation import advise, closer_look
from elect.designing.result import REPORT, RULE, Design
from elect.designing.whatif import what_if
from elect.errors import ElectError
from elect.learned import LearnedRule
from elect.measuring.batches import ElectionSource, Range, ends
from elect.storage import staged
from elect.welfares import WelfareFunction

__all__ = ["REPORT", "RULE", "Design", "design"]

# The default minutes of training, if no trained rule of the package fits.
MINUTES = 5.0

# Elections for the comparison, for other assumptions, and for audits.
ELECTIONS, OTHERS, AUDITED = 4096, 1024, 2000

# Audits use small elections, where all misreports can be tried.
AUDIT_VOTERS, AUDIT_CANDIDATES, AUDIT_SECONDS = (2, 20), (3, 5), 15.0

Progress = Callable[[str, float], None]


def design(
    welfare: str | WelfareFunction,
    culture: str | Culture | None = None,
    data: str | Path | None = None,
    voters: Size | None = None,
    candidates: Size | None = None,
    minutes: float | None = None,
    out: str | Path | None = None,
    seed: int = 0,
    *,
    elections: int | None = None,
    bar: bool = False,
    progress: Progress | None = None,
) -> Design:
    """Recommend the best rule for these voters, and write a report.

    Args:
        welfare: the welfare to maximize: a name, a function of utilities, ``FILE.py:function`` or
            a file with one expression over the utilities ``u``.
        culture: where elections come from. Default: ``uniform``.
        data: a file of ballots to sample voters from, instead of a culture. Ratings are used as
            utilities. For rankings, we draw utilities consistent with them, from a culture that
            is fitted to them.
        voters: how many, or an inclusive range. Default: 2 to 99, or the number in the file.
        candidates: how many, or an inclusive range. Default: 2 to 29, or the number in the file.
        minutes: how long to train; 0 trains no rule. Default: 5, or 0 if a trained rule of the
            package fits.
        out: a new folder for the rule, `design.json` and `report.html`. It is written only when
            everything has finished. Default: nothing is written.
        seed: the seed of all randomness.
        elections: how many elections the rules are compared on. Default: 4,096.
        bar: whether to show a progress bar while training.
        progress: called with the current stage and the share of it that is done.
    """
    start, say = time.perf_counter(), progress or (lambda what, share: None)
    if culture is not None and data is not None:
        raise ElectError("Give either a culture or a file of ballots; leave out one of them.")
    elections = ELECTIONS if elections is None else elections
    if seed < 0 or elections < 16 or (minutes is not None and not 0 <= minutes < 10**6):
        raise ElectError("A design needs 16 elections or more, and no negative minutes or seed.")
    purpose = purpose_of(welfare)
    say("Reading", 0.0)
    n, m = (None if size is None else ends(size) for size in (voters, candidates))
    if data is not None:
        electorate = from_file(data, seed)
    else:
        electorate = from_culture(culture or "uniform", (m or (3, 3))[0])
    n, m = electorate.sizes(n, m)
    purpose.judge(electorate.source(8, n, m, seed=seed))
    with _folder(out) as folder:
        rule, origin = _rule(purpose, electorate, n, m, minutes, seed, folder / RULE, bar, say)
        found = _compare(purpose, fresh(electorate, seed), n, m, rule, elections, seed, say)
        vector = points(electorate, m, seed)
        result = Design(
            purpose,
            electorate,
            n,
            m,
            rule=rule,
            origin=origin,
            what_if=what_if(electorate, contestants(electorate, m, rule, seed)),
            points={size: vector(size) for size in range(m[0], m[1] + 1)},
            seed=seed,
            seconds=time.perf_counter() - start,
            **found,
        )
        say("Writing", 0.0)
        if out is not None:
            result.write(folder)
    return result


def _rule(
    purpose: Purpose,
    electorate: Electorate,
    voters: Range,
    candidates: Range,
    minutes: float | None,
    seed: int,
    folder: Path,
    bar: bool,
    say: Progress,
) -> tuple[LearnedRule | None, str]:
    """The trained rule, and where it comes from."""
    if not minutes:
        found = from_shelf(purpose, electorate, voters, candidates)
        if found:
            return found[1], f"a trained rule of the package, {found[0]}"
        if minutes == 0:
            return None, "none: training was turned off, and no trained rule of the package fits"
    minutes = minutes or MINUTES
    say(f"Training for {minutes:g} minutes", 0.0)
    rule = trained(purpose, electorate, voters, candidates, minutes, seed, folder, bar)
    effort = f"{rule.card.minutes:.1f} minutes, {rule.card.steps:,} steps"
    return rule, f"trained for {purpose.name} welfare in {electorate.name} ({effort})"


def _compare(
    purpose: Purpose,
    electorate: Electorate,
    voters: Range,
    candidates: Range,
    rule: LearnedRule | None,
    elections: int,
    seed: int,
    say: Progress,
) -> dict[str, Any]:
    """The advice, standings, refusals, ceiling, results under other assumptions, and audits."""
    several = contestants(electorate, candidates, rule, seed)
    sizes = voters, candidates

    source = ElectionSource("", electorate.source, *sizes)

    def compared(source: ElectionSource, some: list[Contestant], count: int, what: str) -> Any:
        return measure(some, purpose, source, count, seed, lambda done: say(what, done))

    field = compared(source, several, elections, "Comparing rules")
    table = standings(field, seed)
    advice = advise(table)
    say("Finding the ceiling", 0.0)
    posterior, ceiling = known_posterior(electorate, candidates), None
    if posterior is not None:
        best = next(one for one in several if one.name == advice.best)
        ceiling = ceiling_of(purpose, source, posterior, best, table[0], seed)
    quick = [one for one in several if one.name in {*_quick(table), *advice}]
    others = {
        assumed: standings(
            compared(ElectionSource("", culture, *sizes), quick, OTHERS, "Assuming otherwise"), seed
        )
        for assumed, culture in electorate.others.items()
    }
    closer = closer_look(advice, table)
    chosen = [one for name in closer for one in several if one.name == name]
    audits = {}
    for one in chosen:
        # Approval needs ballots of two levels, and some axioms add levels.
        with suppress(ElectError):
            audits[one.name] = _audit(one, electorate, *sizes, seed, say)
    return {
        "advice": advice,
        "standings": table,
        "refused": field.refused,
        "ceiling": ceiling,
        "others": others,
        "audits": audits,
    }


def _quick(table: list[Standing]) -> set[str]:
    """The rules that were measured on all elections."""
    most = max(one.ratio.elections for one in table)
    return {one.name for one in table if one.ratio.elections == most}


def _audit(
    one: Contestant,
    electorate: Electorate,
    voters: Range,
    candidates: Range,
    seed: int,
    say: Progress,
) -> Audit:
    source = as_cast(electorate.source) if one.name == "approval" else electorate.source
    n, m = _audit_sizes(source, voters, candidates)
    return audit(
        one.rule,
        source,
        voters=n,
        candidates=m,
        elections=AUDITED,
        seed=seed,
        seconds=AUDIT_SECONDS,
        progress=lambda done: say(f"Auditing {one.title}", done),
    )


def _audit_sizes(source: Culture, voters: Range, candidates: Range) -> tuple[Range, Range]:
    """The sizes for audits: the given sizes, cut to small elections."""
    n, m = _within(voters, AUDIT_VOTERS), _within(candidates, AUDIT_CANDIDATES)
    try:
        source(1, n, m[0], seed=0)
    except ElectError:
        # Some cultures have a fixed number of candidates.
        m = candidates
    return n, m


def _within(asked: Range, usual: Range) -> Range:
    low, high = max(asked[0], usual[0]), min(asked[1], usual[1])
    if low <= high:
        return low, high
    return usual if asked[0] > usual[1] else asked


@contextmanager
def _folder(out: str | Path | None) -> Iterator[Path]:
    """A temporary folder that is renamed when everything has finished."""
    if out is None:
        with TemporaryDirectory() as name:
            yield Path(name)
        return
    target = Path(out)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise ElectError(f"{target} already exists; choose a new folder for the design.")
    with staged(target) as draft:
        yield draft
