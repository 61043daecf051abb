"""The command that measures the accuracy of a rule: evaluate."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from elect.cli.ballots import Json
from elect.cli.cultures import Seed, parse_range
from elect.cli.limiting import Limit
from elect.cli.output import emit, progress, working
from elect.errors import ElectError


def evaluate(
    place: Annotated[
        str,
        typer.Argument(
            metavar="DIR or NAME", help="The folder of a trained rule, or the name of any rule."
        ),
    ],
    target: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The rule or welfare to compare with. Default: what the rule was trained for.",
        ),
    ] = None,
    head: Annotated[
        str | None,
        typer.Option(
            "--head", "--rule", metavar="NAME", help="Which head, if the network has several."
        ),
    ] = None,
    voters: Annotated[
        str | None,
        typer.Option(
            metavar="N or A-B",
            help="How many voters. Default: as in training, up to 99.",
        ),
    ] = None,
    candidates: Annotated[
        str | None,
        typer.Option(
            metavar="N or A-B",
            help="How many candidates. Default: as in training, or all in FILE.",
        ),
    ] = None,
    culture: Annotated[
        str | None,
        typer.Option(metavar="C", help="Where elections come from. Default: as in training."),
    ] = None,
    data: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE…", help="Sample voters from these ballots instead of a culture."
        ),
    ] = None,
    elections: Annotated[
        int, typer.Option(min=1, help="How many elections for each culture or file.")
    ] = 5120,
    seed: Seed = 0,
    limit: Limit = None,
    as_json: Json = False,
) -> None:
    """Measure how often a rule elects the right winner, next to other rules and the ceiling."""
    n = parse_range(voters, "voters") if voters else None
    m = parse_range(candidates, "candidates") if candidates else None
    if culture and data:
        raise ElectError("Give either --culture or --data, not both.")
    with working("Preparing…"):
        from elect.files import read
        from elect.measuring.evaluation import evaluate as measure
        from elect.resolve import rule as resolve

        rule = resolve(place, head=head)
        source: Any = {str(path): read(path) for path in data} if data else culture
    with progress("Measuring") as done:
        found = measure(rule, target, source, n, m, elections, seed, progress=done)
    if as_json:
        return emit(found.to_json())
    typer.echo(str(replace(found, rule=place)))
    return None
