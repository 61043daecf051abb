"""The command that makes the paper's tables and figures again: reproduce."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from elect.cli.ballots import Json
from elect.cli.cultures import Seed
from elect.cli.output import console, emit, going_on, table, working
from elect.errors import ElectError

if TYPE_CHECKING:
    from elect.experiments import Reproduction
    from elect.experiments.tables import Row


def reproduce(
    what: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]…",
            help="table-1 to table-8, figure-1 to figure-3, beyond, or all, which is the default.",
        ),
    ] = None,
    budget: Annotated[
        str,
        typer.Option(
            metavar="B",
            help="minutes: measure trained rules; hours: train the paper's networks at small size; "
            "paper: at its own size, for machines with GPUs.",
        ),
    ] = "minutes",
    out: Annotated[
        Path,
        typer.Option(
            metavar="DIR", help="The folder for everything; what it holds is not done again."
        ),
    ] = Path("reproduction"),
    minutes: Annotated[
        float | None,
        typer.Option(metavar="M", help="How long each training of hours takes: 10 unless said."),
    ] = None,
    seed: Seed = 0,
    ray: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Train on a Ray cluster, each run a task: HOST:PORT, or auto for the one of this "
            "machine. DIR must then be a folder that all machines share.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Make the tables and figures of "Learning to Elect" again, beside what the paper prints."""
    with working("Preparing…"):
        from elect.experiments import on_ray, one_by_one
        from elect.experiments import reproduce as make
        from elect.experiments.budgets import budget as find
        from elect.experiments.reproducing import chosen

        means, names = find(budget), what or ["all"]
        chosen(names)
        if minutes is not None:
            if means.name != "hours" or minutes <= 0:
                raise ElectError("--minutes M says how long --budget hours trains; M is above 0.")
            means = replace(means, minutes=minutes)
        runner = one_by_one if ray is None else on_ray(ray)
    with going_on("the same command goes on where it stopped."), _bar() as say:
        found = make(names, means, out, seed, runner=runner, progress=say)
    if as_json:
        return emit(found.to_json())
    _print(found)
    return None


@contextmanager
def _bar() -> Iterator[Callable[[str, float], None]]:
    """A bar that says what is being done; it never goes back, and waits while a training, which
    has a bar of its own, is at work."""
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


def _print(found: "Reproduction") -> None:
    from elect.experiments.report import headline
    from elect.experiments.tables import TRAINED

    out = console()
    out.print(Text(headline(found.chapters), "bold"), end="\n\n")
    rows = table("what", "below the paper:\ntally", "its networks,\nas trained here", "files")
    for chapter in found.chapters:
        lines = [row for one in chapter.tables for row in one.rows]
        ours = _below([row for row in lines if row.key == "tally"])
        theirs = _below([row for row in lines if row.kind == TRAINED])
        files = "\n".join(path.name for path in found.files[chapter.name])
        rows.add_row(chapter.title, ours, theirs, files)
    out.print(rows)
    for chapter in found.chapters:
        for note in chapter.notes:
            if "is missing" in note or "matplotlib" in note:
                out.print(f"{chapter.title}: {note}")
    out.print(f"\nThe report is in {found.report}; open it in a browser.", soft_wrap=True)


def _below(rows: Sequence["Row"]) -> str:
    """How many of these cells are below what the paper prints."""
    cells = [cell for row in rows for cell in row.cells.values() if cell.printed is not None]
    return f"{sum(bool(cell.below) for cell in cells)} of {len(cells)} cells" if cells else ""
