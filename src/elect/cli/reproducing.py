"""The command that reproduces the paper's tables and figures: reproduce."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from elect.cli.ballots import Json
from elect.cli.cultures import Seed
from elect.cli.output import console, emit, going_on, working


def reproduce(
    what: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]…",
            help="table-1 to table-8, figure-1 to figure-3, beyond, or all (the default).",
        ),
    ] = None,
    budget: Annotated[
        str,
        typer.Option(
            metavar="B",
            help="minutes: measure trained rules, show recorded figures of the paper's networks; "
            "hours: train small networks; paper: train at the paper's size, on GPUs.",
        ),
    ] = "minutes",
    out: Annotated[
        Path,
        typer.Option(
            metavar="DIR",
            help="The folder for all files; finished work in it is not repeated.",
        ),
    ] = Path("reproduction"),
    minutes: Annotated[
        float | None,
        typer.Option(metavar="M", help="How long --budget hours trains each network. Default: 10."),
    ] = None,
    seed: Seed = 0,
    ray: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Train on a Ray cluster: HOST:PORT, or auto for the cluster of this machine. All "
            "machines must share DIR.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Reproduce the tables and figures of "Learning to Elect" beside the printed figures."""
    with working("Preparing…"):
        from elect.experiments import reproduce as make
    with going_on("run the same command again to continue."), _bar() as say:
        found = make(what or "all", budget, out, minutes=minutes, seed=seed, ray=ray, progress=say)
    if as_json:
        emit(found.to_json())
    else:
        console().print(Text(str(found)), soft_wrap=True)


@contextmanager
def _bar() -> Iterator[Callable[[str, float], None]]:
    """A progress bar that never moves back. It starts after the trainings, which have their own
    bars."""
    err = console(stderr=True)
    columns = (
        BarColumn(24),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    bar = Progress(*columns, console=err, transient=True, disable=not err.is_terminal)
    task = bar.add_task("", total=1.0)
    reached = 0.0

    def say(what: str, share: float) -> None:
        nonlocal reached
        if what.endswith("is trained"):
            return err.print(Text(what, "dim")) if err.is_terminal else None
        if not bar.live.is_started:
            bar.start()
        reached = max(reached, share)
        return bar.update(task, completed=reached, description=what)

    try:
        yield say
    finally:
        bar.stop()
