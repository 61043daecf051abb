"""What all chapters share: measuring, keeping what was measured, and reporting progress."""

import json
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

from elect import datasets, files
from elect.elections import Profiles
from elect.experiments.budgets import Budget
from elect.experiments.contenders import Contender
from elect.experiments.sources import MEASURED, Source, measured_here
from elect.experiments.store import Store
from elect.experiments.tables import Figures
from elect.measuring.batches import Range
from elect.measuring.evaluation import Trial, evaluate_together
from elect.objectives import Objective

Key = TypeVar("Key", bound=Hashable)

VOTERS, CANDIDATES, FEW = (2, 99), (2, 29), (3, 10)


@dataclass(frozen=True)
class Where:
    """Elections to measure on.

    Attributes:
        culture: a culture, or a set of real data.
        voters: the range of voters.
        candidates: the range of candidates; None for all candidates of a real election.
        elections: how many; of real data, from each file.
    """

    culture: str = "uniform"
    voters: Range = VOTERS
    candidates: Range | None = CANDIDATES
    elections: int = 10_000

    @property
    def words(self) -> dict[str, Any]:
        ends = self.candidates and list(self.candidates)
        sizes = {"voters": list(self.voters), "candidates": ends}
        return {"culture": self.culture, **sizes, "elections": self.elections}

    @property
    def drawn_from(self) -> str | dict[str, Profiles]:
        """The culture, or the real elections of which sub-elections are drawn."""
        if self.culture not in datasets.DATASETS:
            return self.culture
        return {path.name: files.read(path) for path in datasets.fetch(self.culture)}


@dataclass(frozen=True)
class Entry:
    """A contender and its task.

    Attributes:
        contender: the rule to measure.
        objective: what the rule should do.
        guesses: whether other rules are measured at the same task.
        judged: on how many elections the ceiling is computed.
    """

    contender: Contender
    objective: Objective
    guesses: bool = False
    judged: int = 0


@dataclass
class Study:
    """What all tables and figures of a reproduction share.

    Attributes:
        budget: how much to do.
        seed: of elections.
        out: the folder.
        networks: the paper's networks as retrained here, by name, order and head.
        command: the command that measures.
        say: called with what is being done and the share that is done.
        seconds: spent on measurements, including those found in the folder.
        seen: the measurements made or found so far.
    """

    budget: Budget
    seed: int
    out: Path
    networks: dict[tuple[str, str | None, str], Contender] = field(default_factory=dict)
    command: str = ""
    say: Callable[[str, float], None] = lambda what, share: None
    seconds: float = 0.0
    seen: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.store = Store(self.out)
        self.source = measured_here(self.seed, self.command)

    def measure(self, where: Where, entries: Mapping[Key, Entry]) -> dict[Key, Figures]:
        """What each contender reaches on the same elections, measured or from the store."""
        keys = {name: self._key(where, one) for name, one in entries.items()}
        known = {name: self.store.get(key) for name, key in keys.items()}
        missing = {name: entries[name] for name, value in known.items() if value is None}
        if missing:
            fresh = self._measure(where, missing)
            for name, value in fresh.items():
                self.store.put(keys[name], value)
            known |= fresh
        found: dict[Key, Figures] = {}
        for name, figures in known.items():
            if figures is not None:
                self._count(keys[name], figures)
                found[name] = _with_source(figures)
        return found

    def cached(self, key: dict[str, Any], find: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """What a function finds; it is called only if the store has no answer yet."""
        key = {**key, "seed": self.seed}
        value = self.store.get(key)
        if value is None:
            began = perf_counter()
            value = find()
            value["seconds"] = round(perf_counter() - began, 3)
            value["source"] = self.source.to_json()
            self.store.put(key, value)
        self._count(key, value)
        return _with_source(value)

    def _count(self, key: dict[str, Any], value: Mapping[str, Any]) -> None:
        """Add up the time of measurements; those that several tables show count once."""
        name = json.dumps(key, sort_keys=True)
        if name not in self.seen:
            self.seen.add(name)
            self.seconds += value.get("seconds", 0.0)

    def _key(self, where: Where, entry: Entry) -> dict[str, Any]:
        asked = {"guesses": entry.guesses, "judged": entry.judged, "seed": self.seed}
        samples = {"samples": self.budget.samples} if entry.judged else {}
        what = {"contender": entry.contender.identity, "objective": entry.objective.describe()}
        return {**what, **where.words, **asked, **samples}

    def _measure(self, where: Where, entries: Mapping[Key, Entry]) -> dict[Key, dict[str, Any]]:
        labels = {str(number): name for number, name in enumerate(entries)}
        trials = {
            label: Trial(
                entries[name].contender.rule,
                entries[name].objective,
                None if entries[name].guesses else (),
                entries[name].judged,
            )
            for label, name in labels.items()
        }
        what = f"{where.culture}, {where.voters[0]} to {where.voters[1]} voters"
        began, sizes = perf_counter(), (where.voters, where.candidates, where.elections)
        found = evaluate_together(
            trials,
            where.drawn_from,
            *sizes,
            self.seed,
            self.budget.samples,
            lambda share: self.say(what, share),
        )
        each = round((perf_counter() - began) / len(entries), 3)
        about = {"seconds": each, "source": self.source.to_json()}
        return {name: {**found[label].to_json(), **about} for label, name in labels.items()}


def _with_source(value: dict[str, Any]) -> dict[str, Any]:
    """A measurement with its source; those kept before there were sources say only their kind."""
    return {"source": Source(MEASURED).to_json(), **value}
