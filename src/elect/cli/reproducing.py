"""The command that makes the paper's tables and figures again: reproduce."""

from pathlib import Path
from typing import Annotated

import typer

from elect.cli.ballots import Json
from elect.cli.cultures import Seed
from elect.cli.output import emit, working


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
    runner = one_by_one if ray is None else on_ray(ray)
    found = make(what or ["all"], budget, out, seed, runner=runner)
    if as_json:
        return emit(found.to_json())
    return None
