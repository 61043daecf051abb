"""The command that recommends a rule: design."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from elect.cli.ballots import Json
from elect.cli.cultures import Seed, parse_range
from elect.cli.limiting import Limit
from elect.cli.output import console, emit, table, working
from elect.errors import ElectError

if TYPE_CHECKING:
    from elect.designing import Design


def design(
    welfare: Annotated[
        str,
        typer.Option(
            metavar="W",
            help="The welfare to maximize: a name of `elect welfares`, FILE.py:function, or a file "
            "with one expression over the utilities u.",
        ),
    ],
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="A new folder for the rule and the report.")
    ],
    culture: Annotated[
        str | None,
        typer.Option(metavar="C", help="The culture; see `elect cultures`. Default: uniform."),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Or a file of rankings, approvals or ratings."),
    ] = None,
    voters: Annotated[
        str | None,
        typer.Option(
            metavar="N or A-B", help="How many voters. Default: 2-99, or the number in the file."
        ),
    ] = None,
    candidates: Annotated[
        str | None,
        typer.Option(
            metavar="N or A-B",
            help="How many candidates. Default: 2-29, or the number in the file.",
        ),
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option(
            metavar="M",
            help="How long to train a rule; 0 trains none. Default: 5, or 0 if a trained rule of "
            "the package fits.",
        ),
    ] = None,
    seed: Seed = 0,
    limit: Limit = None,
    as_json: Json = False,
) -> None:
    """Recommend a rule for these voters: train one, compare it with others, write a report."""
    n = parse_range(voters, "voters") if voters else None
    m = parse_range(candidates, "candidates") if candidates else None
    if minutes is not None and minutes < 0:
        raise ElectError(f"{minutes:g} minutes is negative; write 0 to train no rule.")
    with working("Preparing…"):
        from elect.designing import REPORT, RULE
        from elect.designing import design as find
    err = console(stderr=True)
    said = ""

    def say(what: str, share: float) -> None:
        nonlocal said
        if what != said and err.is_terminal:
            err.print(Text(f"{what}…", "dim"))
        said = what

    bar = err.is_terminal
    found = find(welfare, culture, data, n, m, minutes, out, seed, bar=bar, progress=say)
    if as_json:
        return emit(found.to_json())
    _print(found)
    where = console()
    where.print(f"\nThe report is in {out / REPORT}; open it in a browser.", soft_wrap=True)
    if found.rule is not None:
        where.print(
            f"The trained rule: elect winner FILE --rule {out / RULE}", soft_wrap=True, style="dim"
        )
    return None


def _print(found: "Design") -> None:
    from elect.designing import summary

    out, rows = console(), table(*summary.HEADS)
    out.print(Text(found.sentence, "bold"))
    out.print(found.second_sentence, end="\n\n")
    for one in summary.shown(found):
        name, *figures = summary.cells(found, one)
        rows.add_row(Text(name, "bold" if one.name in found.advice[1:] else ""), *figures)
    out.print(rows)
    for note in summary.notes(found):
        out.print(f"\n{note}")
