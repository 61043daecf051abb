"""Evaluate any rule against an exact rule or a welfare.

Example:
    >>> found = evaluate("borda", "copeland", voters=(2, 20), candidates=(2, 6), elections=500)
    >>> print(found.overall.accuracy)
    0.916 (0.885–0.939)
    >>> name, accuracy = found.overall.best_guess
    >>> print(name, accuracy)
    blacks 0.967 (0.945–0.980)
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from elect.cultures import Size
from elect.elections import Profiles
from elect.errors import ElectError
from elect.kernels import NDArray
from elect.measuring.batches import (
    CANDIDATES,
    VOTERS,
    Batch,
    ElectionSource,
    Origin,
    Range,
    by_name,
    ends,
    source,
    span,
    within,
)
from elect.measuring.defaults import (
    Defaults,
    Goal,
    as_objective,
    renumbering_order,
)
from elect.measuring.figures import Figures, figures
from elect.measuring.observations import Observations, Task, observe
from elect.measuring.outcomes import decide_once, guesses_for
from elect.measuring.result import Evaluation
from elect.measuring.targets import Target
from elect.networks import guess
from elect.objectives import Objective, called
from elect.resolve import rule as as_rule
from elect.rules import Scorer

# Part of every seed here and of none in training: a rule is never measured on elections that it
# was trained on.
FRESH = 7

# Numbers of voters and of candidates at which the next band begins.
VOTER_CUTS = (50, 100, 150, 200, 1_000, 10_000, 100_000)
CANDIDATE_CUTS = (5, 10, 20, 30, 40, 100)

Progress = Callable[[float], None]
Bands = tuple[Sequence[Size], Sequence[Size]]


def evaluate(
    rule: str | Scorer,
    target: Goal | None = None,
    culture: Origin | Mapping[str, Origin] | None = None,
    voters: Size | None = None,
    candidates: Size | None = None,
    elections: int = 5120,
    seed: int = 0,
    *,
    voter_bands: Sequence[Size] | None = None,
    candidate_bands: Sequence[Size] | None = None,
    guesses: Sequence[str] | None = None,
    ceiling_elections: int = 2048,
    samples: int = 768,
    progress: Progress | None = None,
) -> Evaluation:
    """Measure how often a rule elects the right candidate, with other rules and the ceiling.

    Args:
        rule: any rule: by name, a trained one by its name or folder, or a function from
            `Profiles` to scores.
        target: a rule to imitate or a welfare to maximize, by name, or an objective such as
            ``oracle(my_welfare)``. Any other function counts as a rule. Default: what a trained
            rule was trained for.
        culture: where elections come from: a culture by name or as an object, or a real election,
            from which voters are drawn; or several of these in a dictionary. Default: the
            culture that a trained rule was trained on, and ``uniform`` for other rules.
        voters: how many, or a range with both ends. Default: 2 to 99, or the range of the
            training up to 99; no more than voted in a real election.
        candidates: how many, or a range with both ends. Default: 2 to 29, the range of the
            training, or all candidates of a real election.
        elections: how many, from each culture.
        seed: the same seed gives the same figures.
        voter_bands: numbers or ranges of voters to report one by one.
        candidate_bands: the same for candidates.
        guesses: the rules to compare with. Default: all quick rules of the library.
        ceiling_elections: how many elections from each culture the ceiling is measured on, where
            it is known: for welfare in Dirichlet cultures.
        samples: how many draws of utilities there are for the ceiling of one election.
        progress: called with the share of the work that is done.
    """
    function = as_rule(rule)
    usual, objective = Defaults.of(function), as_objective(target, function)
    trials = {"rule": Trial(function, objective, guesses, ceiling_elections)}
    order = renumbering_order(function)
    if order is not None:
        trials["order"] = Trial(guess(order), objective, ())
    found = evaluate_together(
        trials,
        usual.culture if culture is None else culture,
        voters,
        candidates,
        elections,
        seed,
        samples,
        progress,
        voter_bands=voter_bands,
        candidate_bands=candidate_bands,
        usual=(usual.voters, usual.candidates),
    )
    right = found["order"].overall.accuracy if order else None
    return replace(found["rule"], rule=called(rule), order=order, order_guess=right)


class Trial(NamedTuple):
    """A rule to evaluate together with others; for the fields see `evaluate`."""

    rule: str | Scorer
    target: Goal
    guesses: Sequence[str] | None = None
    ceiling_elections: int = 0


def evaluate_together(
    trials: Mapping[str, Trial],
    culture: Origin | Mapping[str, Origin] = "uniform",
    voters: Size | None = None,
    candidates: Size | None = None,
    elections: int = 5120,
    seed: int = 0,
    samples: int = 768,
    progress: Progress | None = None,
    *,
    voter_bands: Sequence[Size] | None = None,
    candidate_bands: Sequence[Size] | None = None,
    usual: tuple[Range, Range] = (VOTERS, CANDIDATES),
) -> dict[str, Evaluation]:
    """What `evaluate` finds for each of several rules. Elections are drawn, ballots counted and
    targets computed only once, so it takes less time."""
    if seed < 0 or elections < 1 or samples < 4:
        raise ElectError("Evaluate on at least 1 election and 4 samples, with a seed of 0 or more.")
    sources, tasks = _sources(culture, voters, candidates, usual), _tasks(trials)
    parts: dict[str, list[Observations]] = {name: [] for name in trials}
    for number, one in enumerate(sources):
        for batch in one.batches(elections, [seed, number], [FRESH]):
            for name, observed in _observe(tasks, batch, one, samples):
                parts[name].append(observed)
            if progress is not None:
                done = (batch.start + len(batch.elections)) / elections
                progress((number + done) / len(sources))
    n, m = _hull([one.voters for one in sources]), _hull([one.candidates for one in sources])
    bands = voter_bands or _bands(n, VOTER_CUTS), candidate_bands or _bands(m, CANDIDATE_CUTS)
    names = tuple(one.name for one in sources)
    return {
        name: Evaluation(
            rule=called(trials[name].rule),
            target=task.objective.name,
            cultures=names,
            voters=n,
            candidates=m,
            seed=seed,
            **_parts(Observations.concat(parts[name]), tuple(task.guesses), names, bands, seed),
        )
        for name, task in tasks.items()
    }


def _sources(
    culture: Origin | Mapping[str, Origin],
    voters: Size | None,
    candidates: Size | None,
    usual: tuple[Range, Range],
) -> list[ElectionSource]:
    origins = by_name(culture)
    # Of several real elections, the smallest says how many voters can be drawn from each.
    real = [int(one.num_voters[0]) for one in origins.values() if isinstance(one, Profiles)]
    n = within(usual[0], min(real)) if real else usual[0]
    return [source(one, voters, candidates, name, (n, usual[1])) for name, one in origins.items()]


def _tasks(trials: Mapping[str, Trial]) -> dict[str, Task]:
    """The trials with their names resolved; equal targets become one object."""
    objectives: list[Objective] = []
    tasks = {}
    for name, trial in trials.items():
        function = as_rule(trial.rule)
        objective = as_objective(trial.target, function)
        objective = next((one for one in objectives if one == objective), objective)
        objectives.append(objective)
        names = guesses_for(trial.rule, objective) if trial.guesses is None else trial.guesses
        guesses: dict[str, Scorer] = {guess: as_rule(guess) for guess in names}
        tasks[name] = Task(function, objective, guesses, trial.ceiling_elections)
    return tasks


def _observe(
    tasks: Mapping[str, Task], batch: Batch, origin: ElectionSource, samples: int
) -> list[tuple[str, Observations]]:
    """What each task finds in a batch; tasks share decisions and targets."""
    decide, targets = decide_once(batch.elections.profiles), dict[int, Target]()
    found = []
    for name, task in tasks.items():
        key = id(task.objective)
        if key not in targets:
            targets[key] = Target.of(task.objective, batch, origin.culture)
        judged = min(len(batch.elections), max(0, task.ceiling_elections - batch.start))
        found.append((name, observe(task, targets[key], decide, judged, samples)))
    return found


def _parts(
    observed: Observations, guesses: Sequence[str], names: Sequence[str], bands: Bands, seed: int
) -> dict[str, Any]:
    """The figures of all elections, and of parts of them."""
    origin = np.repeat(np.arange(len(names)), len(observed.voters) // len(names))

    def among(rows: NDArray) -> Figures:
        return figures(observed[rows], guesses, seed)

    def by(values: NDArray, bands: Sequence[Size]) -> dict[str, Figures]:
        ranges = [ends(band) for band in bands]
        return {
            span((low, high)): among((low <= values) & (values <= high)) for low, high in ranges
        }

    return {
        "overall": among(np.full(len(origin), True)),
        "by_voters": by(observed.voters, bands[0]),
        "by_candidates": by(observed.candidates, bands[1]),
        "by_culture": {name: among(origin == number) for number, name in enumerate(names)},
    }


def _bands(size: Range, cuts: Sequence[int]) -> list[Range]:
    """The range, cut into bands.

    >>> _bands((2, 120), VOTER_CUTS)
    [(2, 49), (50, 99), (100, 120)]
    """
    low, high = size
    starts = [low, *(cut for cut in cuts if low < cut <= high), high + 1]
    return [(start, after - 1) for start, after in pairwise(starts)]


def _hull(ranges: Sequence[Range]) -> Range:
    return min(low for low, _ in ranges), max(high for _, high in ranges)
