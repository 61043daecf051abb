"""How far the runs of a grid are, wherever they are: read from their folders, which all share."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from rich import box
from rich.console import Console
from rich.live import Live
from rich.table import Table

from elect.errors import ElectError
from elect.experiments.attempts import about, attempts
from elect.training.report import LOG, read_log
from elect.training.state import how_far


@dataclass(frozen=True)
class Standing:
    """How far a run is.

    Attributes:
        step: of its last checkpoint.
        steps: how many there will be, once that is known.
        accuracy: at its last validation, the mean over what it learns.
        worker: the machine and the process that are at it.
        attempt: how often it has been taken up.
    """

    step: int = 0
    steps: int | None = None
    accuracy: float | None = None
    worker: str = ""
    attempt: int = 0

    @property
    def cells(self) -> list[str]:
        """What a table says of it."""
        steps = f"{self.step:,} of {self.steps:,}" if self.steps else f"{self.step:,}"
        accuracy = "" if self.accuracy is None else f"{self.accuracy:.3f}"
        again = f", attempt {self.attempt}" if self.attempt > 1 else ""
        return [steps if self.attempt else "", accuracy, self.worker + again]


def standing(folder: Path) -> Standing:
    """How far the run of this folder is, by its newest attempt or as it was finished."""
    place = folder if folder.is_dir() else next(reversed(attempts(folder).values()), None)
    if place is None or not (who := about(place)):
        return Standing()
    try:
        state = how_far(place)
        step, steps = state.step, state.steps
    except ElectError:
        step, steps = 0, None
    return Standing(step, steps, _accuracy(place / LOG), who["worker"], who["attempt"])


def _accuracy(log: Path) -> float | None:
    try:
        rows = read_log(log)
    except ElectError:
        return None
    last = rows[-1].items() if rows else []
    found = [float(value) for key, value in last if key.startswith("validation_accuracy") if value]
    return fmean(found) if found else None


class Board:
    """A table of all runs on the error stream, live if someone is watching it.

    Attributes:
        folders: of the runs, by name.
        said: what has become of those that have ended.
    """

    def __init__(self, folders: dict[str, Path], live: Live) -> None:
        self.folders, self.live = folders, live
        self.said: dict[str, str] = {}
        self.rows: dict[str, list[str]] = {}

    def end(self, name: str, problem: str | None = None) -> None:
        """A run is finished, or has a problem, which is told in one sentence."""
        self.said[name] = "failed" if problem else "finished"
        self._look([name])
        if problem:
            sentence = " ".join(problem.split())
            self.live.console.print(f"{name} failed: {sentence}", soft_wrap=True)

    def show(self) -> None:
        """Look at the runs that have not ended."""
        if self.live.console.is_terminal:
            self._look([name for name in self.folders if name not in self.said])
            self.live.update(self.table(), refresh=True)

    def _look(self, names: Iterable[str]) -> None:
        for name in names:
            now = standing(self.folders[name])
            state = self.said.get(name) or ("training" if now.attempt else "waiting")
            self.rows[name] = [name, state, *now.cells]

    def table(self) -> Table:
        """All runs in their order."""
        table = Table("run", "", "step", "accuracy", "worker", box=box.SIMPLE_HEAD)
        for name in self.folders:
            table.add_row(*self.rows.get(name, [name]))
        return table


@contextmanager
def board(folders: dict[str, Path]) -> Iterator[Board]:
    """A board, for as long as runs go on."""
    console = Console(stderr=True, markup=False, emoji=False, highlight=False)
    with Live(console=console, auto_refresh=False, transient=True) as live:
        yield Board(folders, live)
