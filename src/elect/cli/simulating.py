"""The command that compares rules on random elections."""

from typing import Annotated

import typer

from elect.cli.ballots import Json
from elect.cli.cultures import Seed, parse_range
from elect.cli.output import emit, progress, working


def simulate(
    rule: Annotated[
        list[str],
        typer.Option(metavar="NAME…", help="The rules to compare; `elect rules` lists them."),
    ],
    culture: Annotated[
        list[str] | None,
        typer.Option(
            metavar="C…",
            help="Where elections come from; `elect cultures` lists them.",
            show_default="impartial",
        ),
    ] = None,
    voters: Annotated[
        list[str] | None,
        typer.Option(
            metavar="N or A-B…",
            help="How many voters; give several to compare sizes.",
            show_default="25",
        ),
    ] = None,
    candidates: Annotated[
        list[str] | None,
        typer.Option(
            metavar="N or A-B…",
            help="How many candidates; give several to compare sizes.",
            show_default="5",
        ),
    ] = None,
    elections: Annotated[
        int, typer.Option(min=1, help="How many elections for each culture and size.")
    ] = 10_000,
    welfare: Annotated[
        str,
        typer.Option(
            metavar="W", help="The welfare of the welfare ratio, in cultures with utilities."
        ),
    ] = "utilitarian",
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Compare rules on random elections: Condorcet efficiency, welfare, and agreement."""
    n = [parse_range(size, "voters") for size in voters or ["25"]]
    m = [parse_range(size, "candidates") for size in candidates or ["5"]]
    with working("Preparing…"):
        from elect.measuring.simulation import simulate as run
    with progress("Simulating") as done:
        found = run(
            rule, culture or "impartial", n, m, elections, seed, welfare=welfare, progress=done
        )
    if as_json:
        return emit(found.to_json())
    typer.echo(str(found))
    return None
