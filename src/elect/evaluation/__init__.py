"""How well a rule does what it should: any rule, held against an exact rule or a welfare.

Example:
    >>> found = evaluate("borda", "copeland", voters=(2, 20), candidates=(2, 6), elections=500)
    >>> print(found.overall.accuracy)
    0.916 (0.885–0.939)
    >>> name, accuracy = found.overall.best_guess
    >>> print(name, accuracy)
    blacks 0.967 (0.945–0.980)
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from copy import deepcopy
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from elect import cultures, rules, specs
from elect.cultures import Culture, Resample, Size
from elect.cultures.sampling import sizes
from elect.elections import Elections, Profiles
from elect.errors import ElectError
from elect.evaluation.figures import Evaluation, Figures, WelfareRatio, figures
from elect.evaluation.intervals import Estimate
from elect.evaluation.records import Records, Task, guesses_for, record
from elect.kernels import NDArray
from elect.objectives import Objective, called, mimic, oracle
from elect.rules import Scorer
from elect.welfare import WELFARES, builtin

__all__ = [
    "Estimate",
    "Evaluation",
    "Figures",
    "Trial",
    "WelfareRatio",
    "evaluate",
    "evaluate_together",
]

# Elections in memory at a time, and numbers on their ballots; to change either is to change every
# sample.
BATCH = 512
ENTRIES = 2**22

# Part of every seed here and of none in training, so that nothing is measured on what was learned.
FRESH = 7

# Numbers of voters and of candidates at which the next band begins.
VOTER_CUTS = (50, 100, 150, 200, 1_000, 10_000, 100_000)
CANDIDATE_CUTS = (5, 10, 20, 30, 40, 100)

CANDIDATES = (2, 29)

Range = tuple[int, int]
Source = str | Culture | Profiles


def evaluate(
    rule: str | Scorer,
    target: str | Objective | Callable[..., Any],
    culture: Source | Mapping[str, Source] = "uniform",
    voters: Size = (2, 99),
    candidates: Size | None = None,
    elections: int = 10_000,
    seed: int = 0,
    *,
    voter_bands: Sequence[Size] | None = None,
    candidate_bands: Sequence[Size] | None = None,
    guesses: Sequence[str] | None = None,
    ceiling_elections: int = 2048,
    samples: int = 768,
    progress: Callable[[float], None] | None = None,
) -> Evaluation:
    """How often a rule elects whom it should, beside what others reach.

    Args:
        rule: any rule: by name, a trained one, or a function from `Profiles` to scores.
        target: a rule to mimic or a welfare to maximize, by name, or an objective such as
            ``oracle(my_welfare)``; a function that is no welfare of ours is taken for a rule.
        culture: where elections come from: a culture by name or as such, or a real election, of
            which sub-elections are drawn; or several of these, by what they should be called.
        voters: how many, or an inclusive range.
        candidates: how many, or an inclusive range; 2 to 29, or all who stand in a real election,
            unless said.
        elections: how many, from each culture.
        seed: the same seed gives the same figures.
        voter_bands: numbers of voters, or inclusive ranges, to look at one by one.
        candidate_bands: the same for candidates.
        guesses: the rules to compare with; all quick ones of the library unless said.
        ceiling_elections: of how many elections from each culture the ceiling is measured, where
            it is known: for welfare in Dirichlet cultures.
        samples: how many draws of utilities the ceiling of an election is judged on.
        progress: called now and then with the share of the work that is done.
    """
    trial = Trial(rule, target, guesses, ceiling_elections)
    options = {"voter_bands": voter_bands, "candidate_bands": candidate_bands}
    found = evaluate_together(
        {"": trial}, culture, voters, candidates, elections, seed, samples, progress, **options
    )
    return found[""]


class Trial(NamedTuple):
    """A rule to evaluate beside others on the same elections; `evaluate` says what is what."""

    rule: str | Scorer
    target: str | Objective | Callable[..., Any]
    guesses: Sequence[str] | None = None
    ceiling_elections: int = 0


def evaluate_together(
    trials: Mapping[str, Trial],
    culture: Source | Mapping[str, Source] = "uniform",
    voters: Size = (2, 99),
    candidates: Size | None = None,
    elections: int = 10_000,
    seed: int = 0,
    samples: int = 768,
    progress: Callable[[float], None] | None = None,
    *,
    voter_bands: Sequence[Size] | None = None,
    candidate_bands: Sequence[Size] | None = None,
) -> dict[str, Evaluation]:
    """What `evaluate` finds for each of several rules, in less time: elections are drawn, and
    their ballots counted, once for all."""
    if seed < 0 or elections < 1 or samples < 4:
        raise ElectError("Evaluate on 1 election, 4 samples and a seed of 0 at the least.")
    sources, tasks = _sources(culture), {name: _task(one, samples) for name, one in trials.items()}
    spans = [_span(source, voters, candidates) for source in sources.values()]
    parts: dict[str, list[Records]] = {name: [] for name in trials}
    for number, source in enumerate(sources.values()):
        for start, batch, rng in _batches(source, *spans[number], elections, [seed, number]):
            for name, task in tasks.items():
                judged = min(len(batch), max(0, trials[name].ceiling_elections - start))
                # Each draws what it would draw if it were alone.
                parts[name].append(record(task, batch, source, judged, deepcopy(rng)))
            if progress is not None:
                progress((number + (start + len(batch)) / elections) / len(sources))
    n, m = (_hull(ranges) for ranges in zip(*spans, strict=True))
    bands = voter_bands or _bands(n, VOTER_CUTS), candidate_bands or _bands(m, CANDIDATE_CUTS)
    return {
        name: Evaluation(
            rule=called(trial.rule),
            target=tasks[name].objective.name,
            cultures=tuple(sources),
            voters=n,
            candidates=m,
            seed=seed,
            **_parts(Records.concat(parts[name]), tuple(tasks[name].guesses), sources, bands, seed),
        )
        for name, trial in trials.items()
    }


def _task(trial: Trial, samples: int) -> Task:
    objective = as_objective(trial.target)
    names = guesses_for(trial.rule, objective) if trial.guesses is None else trial.guesses
    return Task(_rule(trial.rule), objective, {name: rules.rule(name) for name in names}, samples)


def _parts(
    records: Records,
    names: tuple[str, ...],
    sources: Collection[str],
    bands: tuple[Sequence[Size], Sequence[Size]],
    seed: int,
) -> dict[str, Any]:
    """The figures of all elections, and of parts of them."""
    origin = np.repeat(np.arange(len(sources)), len(records.voters) // len(sources))

    def among(rows: NDArray) -> Figures:
        return figures(records[rows], names, seed)

    def by(values: NDArray, bands: Sequence[Size]) -> dict[str, Figures]:
        ranges = [_ends(band) for band in bands]
        return {
            _label(low, high): among((low <= values) & (values <= high)) for low, high in ranges
        }

    return {
        "overall": among(np.full(len(origin), True)),
        "by_voters": by(records.voters, bands[0]),
        "by_candidates": by(records.candidates, bands[1]),
        "by_culture": {name: among(origin == number) for number, name in enumerate(sources)},
    }


def as_objective(target: str | Objective | Callable[..., Any]) -> Objective:
    """What a name or a function asks for: to maximize a welfare, or to mimic a rule."""
    if isinstance(target, Objective):
        return target
    if isinstance(target, str):
        name = specs.parse(target)[0]
        if name not in WELFARES:
            specs.choose(
                name, {**rules.RULES, **rules.ALIASES, **WELFARES}, "target", "elect rules"
            )
        return oracle(target) if name in WELFARES else mimic(target)
    return oracle(target) if builtin(target) else mimic(target)


def _rule(rule: str | Scorer) -> Scorer:
    return rules.rule(rule) if isinstance(rule, str) else rule


def _sources(culture: Source | Mapping[str, Source]) -> dict[str, Culture]:
    several = culture if isinstance(culture, Mapping) else {called(culture): culture}
    if not several:
        raise ElectError("Name at least one culture to take elections from.")
    return {name: _source(one) for name, one in several.items()}


def _source(one: Source) -> Culture:
    if isinstance(one, Profiles):
        return Resample(one, replace=False)
    return cultures.culture(one) if isinstance(one, str) else one


def _span(source: Culture, voters: Size, candidates: Size | None) -> tuple[Range, Range]:
    """The ranges of voters and of candidates to draw."""
    if candidates is None:
        candidates = CANDIDATES
        if isinstance(source, Resample):
            candidates = int(source.profile.num_candidates[0])
    # Faults in either are told before anything is drawn.
    sizes(1, voters, candidates, np.random.default_rng(0))
    return _ends(voters), _ends(candidates)


def _batches(
    source: Culture, voters: Range, candidates: Range, elections: int, seed: list[int]
) -> Iterator[tuple[int, Elections, np.random.Generator]]:
    """Batches small enough for memory: where each starts, its elections, and its generator."""
    most = max(1, min(BATCH, ENTRIES // (voters[1] * candidates[1])))
    for number, start in enumerate(range(0, elections, most)):
        rng = np.random.default_rng([*seed, number, FRESH])
        yield start, source(min(most, elections - start), voters, candidates, seed=rng), rng


def _bands(ends: Range, cuts: Sequence[int]) -> list[Range]:
    """The range, cut into bands.

    >>> _bands((2, 120), VOTER_CUTS)
    [(2, 49), (50, 99), (100, 120)]
    """
    low, high = ends
    starts = [low, *(cut for cut in cuts if low < cut <= high), high + 1]
    return [(start, after - 1) for start, after in pairwise(starts)]


def _label(low: int, high: int) -> str:
    return f"{low}-{high}" if low < high else f"{low}"


def _hull(ranges: Sequence[Range]) -> Range:
    return min(low for low, _ in ranges), max(high for _, high in ranges)


def _ends(size: Size) -> Range:
    return size if isinstance(size, tuple) else (size, size)
