"""Every rule of the library, Kemeny where it is slow, and what other papers print."""

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

from elect import cultures, rules
from elect.experiments.contenders import order, shelved, tally
from elect.experiments.sources import Source, printed, printed_source
from elect.experiments.study import CANDIDATES, FEW, VOTERS, Entry, Study, Where
from elect.experiments.tables import (
    GUESS,
    OURS,
    PAPER,
    RULE,
    Cell,
    Row,
    Table,
    as_printed,
    guessed,
    measured,
)
from elect.learned import LearnedRule
from elect.measuring import estimates as intervals
from elect.measuring.outcomes import credit
from elect.objectives import mimic
from elect.rules import RULES

# Rules that need ballots of their own kind, or settings, so that there is no one rule to learn.
NO_RULE = ("approval", "scoring")

# Numbers of candidates at which the exact solver and the network are timed.
LARGE = (11, 14, 17, 20, 23, 26, 29)


def every_rule(study: Study) -> Table:
    """All rules, each at the numbers of candidates that its network was trained on."""
    rows = []
    for rule in RULES:
        if rule in NO_RULE:
            continue
        ours = tally(rule)
        if ours is None:
            absent = {"accuracy": Cell(note=f"{shelved(rule)} is not in the package")}
            rows.append(Row(rule.replace("_", " "), OURS, absent, key=rule))
            continue
        assert isinstance(ours.rule, LearnedRule)
        low, high = ours.rule.card.candidates
        where = Where("uniform", VOTERS, (int(low), int(high)), _some(study))
        target = mimic(rule)
        entries = {"tally": Entry(ours, target), "order": Entry(order("borda"), target, True)}
        found = study.measure(where, entries)
        cells = {
            "accuracy": measured(found["tally"]),
            "exact_set": measured(found["tally"], "exact_set"),
            "guess": guessed(found["order"]),
        }
        about = f"{low} to {high} candidates"
        rows.append(Row(rule.replace("_", " "), OURS, cells, about, rule))
    columns = {"accuracy": "accuracy", "exact_set": "exact winner set", "guess": "best other rule"}
    note = "Accuracy is on elections with one winner, the exact set on all; 2 to 99 voters."
    return Table("Every rule of the library, mimicked by tally", columns, rows, [note])


def large_kemeny(study: Study) -> Table:
    """Kemeny at 11 to 29 candidates: the accuracy of `tally`, and the time of both."""
    count = max(4, study.budget.elections // 50)
    ours = tally("kemeny")
    columns = {str(m): f"{m} candidates" for m in LARGE}
    lines: dict[str, dict[str, Cell]] = {"accuracy": {}, "tally": {}, "exact": {}}
    if ours is not None:
        for m in LARGE:
            key = {"kemeny": m, "contender": ours.identity, "elections": count}
            study.say(f"Kemeny, {m} candidates", 0)
            found = study.cached(key, _timing(ours.rule, m, count, study.seed))
            source = Source.from_json(found["source"])
            lines["accuracy"][str(m)] = measured(found)
            lines["tally"][str(m)] = Cell(found["tally_ms"], source, digits=2)
            lines["exact"][str(m)] = Cell(found["exact_ms"], source, digits=2)
    rows = [
        Row("tally, accuracy", OURS, lines["accuracy"], key="accuracy"),
        Row("tally, milliseconds an election", OURS, lines["tally"], key="tally"),
        Row("exact solver, milliseconds an election", RULE, lines["exact"], key="exact"),
    ]
    note = (
        f"{count:,} elections each of 2 to 99 voters ranked at random, decided in one batch. "
        f"Trained on {FEW[0]} to {FEW[1]} candidates."
    )
    return Table("Kemeny beyond ten candidates", columns, rows, [note])


def _timing(rule: Any, m: int, count: int, seed: int) -> Callable[[], dict[str, Any]]:
    def find() -> dict[str, Any]:
        rng = np.random.default_rng([seed, m, 7])
        profiles = cultures.culture("impartial")(count, VOTERS, m, seed=rng).profiles
        # Run both once before timing, so that neither is timed while it compiles.
        rules.winners("kemeny", profiles[:4])
        rule(profiles[:4])
        began = perf_counter()
        won = rules.settled("kemeny", profiles)
        between = perf_counter()
        scores = rule(profiles)
        ended = perf_counter()
        right = credit(scores == scores.amax(1, keepdim=True), won)
        share = intervals.share(right[won.sum(1) == 1].numpy())
        assert share is not None
        return {
            "accuracy": share.value,
            "interval": list(share.interval),
            "untied": share.elections,
            "exact_ms": 1000 * (between - began) / count,
            "tally_ms": 1000 * (ended - between) / count,
        }

    return find


def other_papers(study: Study) -> list[Table]:
    """What two other papers print, and `tally` on elections of the same sizes."""
    kinds = (
        ("gevn", "GEVN's setting", Where("impartial", (100, 100), (20, 20), _some(study))),
        (
            "kujawska",
            "Kujawska's setting",
            Where("impartial", (25, 25), (20, 20), _some(study) // 2),
        ),
    )
    return [_peer(study, name, title, where) for name, title, where in kinds]


def _peer(study: Study, name: str, title: str, where: Where) -> Table:
    theirs, where_printed = printed(name)[name], printed_source(name)
    cells, guesses = {}, {}
    for rule, figure in theirs.items():
        ours, target = tally(rule), mimic(rule)
        entries = {"order": Entry(order("borda"), target, True)}
        if ours is not None:
            entries["tally"] = Entry(ours, target)
        found = study.measure(where, entries)
        cell = measured(found.get("tally"))
        if ours is None:
            cell = Cell(note=f"{shelved(rule)} is not in the package")
        cells[rule] = cell.beside(figure, "Not learned as well as in that paper.")
        guesses[rule] = guessed(found["order"])
    rows = [
        Row(where_printed.paper, PAPER, as_printed(theirs, where_printed), key="theirs"),
        Row("tally", OURS, cells, key="tally"),
        Row("best other rule's guess", GUESS, guesses, key="guess"),
    ]
    (n, _), (m, _) = where.voters, where.candidates or CANDIDATES
    said = f"{title}: {n} voters, {m} candidates"
    return Table(said, {rule: rule.replace("_", " ") for rule in theirs}, rows)


def _some(study: Study) -> int:
    return max(4, study.budget.elections // 10)
