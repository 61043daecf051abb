"""A reproduction at work: it measures, keeps what it measured, and says how far it is."""

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
        culture: where they come from: a culture, or a set of real data.
        voters: the range of voters.
        candidates: the range of candidates; None for all who stand in a real election.
        elections: how many, of real data from each file.
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
    def source(self) -> str | dict[str, Profiles]:
        if self.culture not in datasets.DATASETS:
            return self.culture
        return {path.name: files.read(path) for path in datasets.fetch(self.culture)}


@dataclass(frozen=True)
class Entry:
    """A contender, and what it should do.

    Attributes:
        contender: who.
        objective: what is right.
        guesses: whether other rules' guesses are wanted.
        judged: for how many elections the ceiling is wanted.
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
        networks: the paper's networks as trained here, by name, order and head.
        say: called with what is being done, and the share of it that is.
        seconds: spent on measurements, those of earlier sittings included.
        seen: the measurements that there were.
    """

    budget: Budget
    seed: int
    out: Path
    networks: dict[tuple[str, str | None, str], Contender] = field(default_factory=dict)
    say: Callable[[str, float], None] = lambda what, share: None
    seconds: float = 0.0
    seen: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.store = Store(self.out)

    def measure(self, where: Where, entries: Mapping[Key, Entry]) -> dict[Key, Figures]:
        """What each contender reaches, on the same elections; what is known is not measured."""
        keys = {name: self._key(where, one) for name, one in entries.items()}
        known = {name: self.store.get(key) for name, key in keys.items()}
        missing = {name: entries[name] for name, value in known.items() if value is None}
        if missing:
            fresh = self._measure(where, missing)
            for name, value in fresh.items():
                self.store.put(keys[name], value)
            known |= fresh
        found: dict[Key, Figures] = {n: value for n, value in known.items() if value is not None}
        for name, figures in found.items():
            self._count(keys[name], figures)
        return found

    def remember(self, key: dict[str, Any], find: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """What a function finds, which is called only if that is not known yet."""
        key = {**key, "seed": self.seed}
        value = self.store.get(key)
        if value is None:
            began = perf_counter()
            value = find()
            value["seconds"] = round(perf_counter() - began, 3)
            self.store.put(key, value)
        self._count(key, value)
        return value

    def _count(self, key: dict[str, Any], value: Mapping[str, Any]) -> None:
        """Add up what measurements took; what several tables show was measured once."""
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
            where.source,
            *sizes,
            self.seed,
            self.budget.samples,
            lambda share: self.say(what, share),
        )
        each = round((perf_counter() - began) / len(entries), 3)
        return {name: {**found[label].to_json(), "seconds": each} for label, name in labels.items()}
