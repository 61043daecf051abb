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
    as_json: Json = False,
) -> None:
    """Make the tables and figures of "Learning to Elect" again, beside what the paper prints."""
    with working("Preparing…"):
        from elect.experiments import reproduce as make
    found = make(what or ["all"], budget, out, seed)
    if as_json:
        return emit(found.to_json())
    return None
