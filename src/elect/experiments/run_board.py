"""The progress of runs, on any machine, as read from the folder that all machines share."""

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
from elect.experiments.run_attempts import about, attempts
from elect.training.progress import LOG, read_log
from elect.training.state import how_far


@dataclass(frozen=True)
class RunStatus:
    """The progress of a run.

    Attributes:
        step: the step of its last checkpoint.
        steps: the number of steps of the run, once that is known.
        accuracy: at its last validation, the mean over all heads.
        worker: the machine and the process that train it.
        attempt: the number of the attempt; 0 before the first.
    """

    step: int = 0
    steps: int | None = None
    accuracy: float | None = None
    worker: str = ""
    attempt: int = 0

    @property
    def cells(self) -> list[str]:
        """Its cells in the table."""
        steps = f"{self.step:,} of {self.steps:,}" if self.steps else f"{self.step:,}"
        accuracy = "" if self.accuracy is None else f"{self.accuracy:.3f}"
        again = f", attempt {self.attempt}" if self.attempt > 1 else ""
        return [steps if self.attempt else "", accuracy, self.worker + again]


def run_status(folder: Path) -> RunStatus:
    """The progress of the run in this folder: of its newest attempt, or as it was finished."""
    place = folder if folder.is_dir() else next(reversed(attempts(folder).values()), None)
    if place is None or not (who := about(place)):
        return RunStatus()
    try:
        state = how_far(place)
        step, steps = state.step, state.steps
    except ElectError:
        step, steps = 0, None
    return RunStatus(step, steps, _accuracy(place / LOG), who["worker"], who["attempt"])


def _accuracy(log: Path) -> float | None:
    try:
        rows = read_log(log)
    except ElectError:
        return None
    last = rows[-1].items() if rows else []
    found = [float(value) for key, value in last if key.startswith("validation_accuracy") if value]
    return fmean(found) if found else None


class Board:
    """A table of all runs on the error stream, updated live in a terminal.

    Attributes:
        folders: the folder of each run, by name.
        ended: the runs that have ended, and how.
    """

    def __init__(self, folders: dict[str, Path], live: Live) -> None:
        self.folders, self.live = folders, live
        self.ended: dict[str, str] = {}
        self.rows: dict[str, list[str]] = {}

    def end(self, name: str, problem: str | None = None) -> None:
        """Mark a run as finished, or as failed, and print the problem in one sentence."""
        self.ended[name] = "failed" if problem else "finished"
        self._read([name])
        if problem:
            sentence = " ".join(problem.split())
            self.live.console.print(f"{name} failed: {sentence}", soft_wrap=True)

    def show(self) -> None:
        """Update the rows of the runs that have not ended."""
        if self.live.console.is_terminal:
            self._read([name for name in self.folders if name not in self.ended])
            self.live.update(self.table(), refresh=True)

    def _read(self, names: Iterable[str]) -> None:
        for name in names:
            now = run_status(self.folders[name])
            state = self.ended.get(name) or ("training" if now.attempt else "waiting")
            self.rows[name] = [name, state, *now.cells]

    def table(self) -> Table:
        """A row for each run, in their order."""
        table = Table("run", "", "step", "accuracy", "worker", box=box.SIMPLE_HEAD)
        for name in self.folders:
            table.add_row(*self.rows.get(name, [name]))
        return table


@contextmanager
def board(folders: dict[str, Path]) -> Iterator[Board]:
    """A board that is shown while runs go on."""
    console = Console(stderr=True, markup=False, emoji=False, highlight=False)
    with Live(console=console, auto_refresh=False, transient=True) as live:
        yield Board(folders, live)
