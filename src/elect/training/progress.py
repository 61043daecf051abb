"""The progress of a training: a progress bar, a CSV log, and TensorBoard event files."""

import csv
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from math import isfinite
from pathlib import Path
from time import perf_counter
from typing import Any

import torch
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from torch import Tensor

from elect.errors import ElectError
from elect.storage import write_whole
from elect.training.recipe import Recipe
from elect.training.state import State
from elect.typed_json import read_text

LOG, EVENTS = "log.csv", "tensorboard"


class Meter:
    """Means of the loss, the accuracy and the speed since the last reset."""

    def __init__(self) -> None:
        self._reset()

    def _reset(self) -> None:
        self.start, self.waited = perf_counter(), 0.0
        self.parts, self.elections = 0, 0
        self.sums = torch.zeros(2)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Time spent waiting for the next batch."""
        began = perf_counter()
        yield
        self.waited += perf_counter() - began

    def add(self, losses: Tensor, rights: Tensor, elections: int) -> None:
        """Add each head's loss and accuracy on a part of a batch."""
        # Kept as tensors: reading a number would synchronize with the GPU.
        self.sums = torch.stack([losses, rights]).detach().mean(1) + self.sums.to(losses.device)
        self.parts, self.elections = self.parts + 1, self.elections + elections

    def read(self) -> dict[str, float]:
        """Loss, accuracy, elections per second, and the share of time spent waiting for them."""
        elapsed = max(perf_counter() - self.start, 1e-9)
        loss, accuracy = (self.sums / max(self.parts, 1)).tolist()
        return {
            "loss": loss,
            "accuracy": accuracy,
            "elections_per_second": self.elections / elapsed,
            "waiting": self.waited / elapsed,
        }

    def take(self) -> dict[str, float]:
        """Read and reset."""
        values = self.read()
        self._reset()
        return values


class Log:
    """Rows of numbers, in a CSV file and, where it is installed, for TensorBoard.

    Rows after ``step``, left by a killed run, are dropped. A log with other heads is an error. With
    several processes, only one is ``writing``.
    """

    def __init__(self, out: Path, recipe: Recipe, step: int, writing: bool = True) -> None:
        self.path, self.writing = out / LOG, writing
        rows = read_log(self.path) if self.path.exists() else []
        heads = {f"validation_accuracy {objective.name}" for objective in recipe.objectives}
        if rows and heads != {key for key in rows[0] if key.startswith("validation_accuracy ")}:
            raise ElectError(
                f"{self.path} belongs to another training; delete it to start a new log, or copy "
                "the right one."
            )
        self.rows: list[dict[str, Any]] = [row for row in rows if int(row["step"]) <= step]
        self.events = _events(out / EVENTS, step) if writing else None

    def add(self, state: State, values: dict[str, float]) -> None:
        """Append a row."""
        step, values = state.step, {"minutes": state.seconds / 60, **values}
        if not isfinite(values["loss"]):
            raise ElectError(
                f"The loss is no longer a number at step {step}; try a lower learning rate."
            )
        if not self.writing:
            return
        self.rows.append({"step": step, **{key: f"{value:.6g}" for key, value in values.items()}})
        text = StringIO()
        writer = csv.DictWriter(text, list(self.rows[-1]), extrasaction="ignore")
        writer.writeheader()
        writer.writerows(self.rows)
        write_whole(self.path, text.getvalue())
        if self.events is not None:
            for key, value in values.items():
                self.events.add_scalar(key, value, step)
            self.events.flush()


def read_log(path: Path) -> list[dict[str, Any]]:
    """The rows of a log; all values must be numbers."""
    try:
        rows = list(csv.DictReader(read_text(path).splitlines(), strict=True))
        for row in rows:
            _ = int(row["step"]), [float(value) for value in row.values() if value]
    except (OSError, ValueError, TypeError, KeyError, csv.Error) as error:
        raise ElectError(
            f"{path} is damaged; delete it to start a new log, or copy it again."
        ) from error
    return rows


def _events(folder: Path, step: int) -> Any:
    """A writer of event files, if TensorBoard is installed (``elect[tensorboard]``)."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(folder), purge_step=step + 1)


class ProgressBar:
    """A progress bar with the step, loss, accuracy, speed and remaining time."""

    def __init__(self, progress: Progress, title: str) -> None:
        self.progress = progress
        self.task = progress.add_task(title, total=None, said="")
        self.shown = 0.0

    def update(self, state: State, meter: Meter) -> None:
        # Reading the meter takes time, so the bar is updated four times a second at most.
        if perf_counter() - self.shown < 0.25 and not state.done:
            return
        self.shown = perf_counter()
        now = meter.read()
        said = (
            f"of {state.steps or '?'} · loss {now['loss']:.3f} · accuracy {now['accuracy']:.1%} · "
            f"{now['elections_per_second']:,.0f} elections/s ·"
        )
        self.progress.update(self.task, completed=state.step, total=state.steps, said=said)


def in_notebook() -> bool:
    """Whether this runs in a notebook."""
    return "ipykernel" in sys.modules


def tell(state: State, values: dict[str, float]) -> None:
    """Print a line, for notebooks, where there is no progress bar."""
    found = [value for key, value in values.items() if key.startswith("validation_accuracy")]
    best = f"accuracy {sum(found) / len(found):.3f}" if found else f"loss {values['loss']:.3f}"
    print(f"step {state.step:,} of {state.steps or '?'}, {state.seconds / 60:.1f} minutes: {best}")


@contextmanager
def bar(recipe: Recipe, visible: bool) -> Iterator[ProgressBar]:
    """A progress bar on standard error."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=10),
        TextColumn("{task.completed:.0f} {task.fields[said]}"),
        TimeRemainingColumn(compact=True),
    )
    # Rich needs ipywidgets in a notebook; `tell` prints lines there instead.
    console = Console(stderr=True, force_jupyter=False)
    with Progress(*columns, console=console, disable=not visible or in_notebook()) as progress:
        heads = recipe.objectives
        yield ProgressBar(progress, heads[0].name if len(heads) == 1 else f"{len(heads)} rules")
