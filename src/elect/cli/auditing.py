"""The command that tests a rule against axioms: audit."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from elect.cli.ballots import Json
from elect.cli.cultures import Seed, parse_range
from elect.cli.limiting import Limit
from elect.cli.output import console, emit, progress, table, working

if TYPE_CHECKING:
    from elect.auditing import Audit


def audit(
    rule: Annotated[
        str,
        typer.Argument(
            metavar="RULE",
            help="A rule, the folder or name of a trained rule, or your own function as "
            "FILE.py:function.",
        ),
    ],
    culture: Annotated[
        str | None,
        typer.Option(metavar="C", help="Where elections come from. Default: impartial."),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Sample elections from these ballots instead of a culture."
        ),
    ] = None,
    voters: Annotated[
        str | None, typer.Option(metavar="N or A-B", help="How many voters. Default: 2-20.")
    ] = None,
    candidates: Annotated[
        str | None, typer.Option(metavar="N or A-B", help="How many candidates. Default: 3-5.")
    ] = None,
    elections: Annotated[int, typer.Option(min=1, help="How many elections to test.")] = 10_000,
    axiom: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Check only this axiom; repeat the option for several. `elect axioms` lists them.",
        ),
    ] = None,
    trials: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="T",
            help="The most changes of an election to try for an axiom. Default: depends on the "
            "speed of the rule.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The folder for the report and the counterexamples."),
    ] = None,
    seed: Seed = 0,
    limit: Limit = None,
    as_json: Json = False,
) -> None:
    """Which axioms a rule violates, with small counterexamples; how much voters can gain by
    misreporting; the worst-case distortion; and the nearest simple rule."""
    sizes: dict[str, Any] = {
        "voters": parse_range(voters, "voters") if voters else None,
        "candidates": parse_range(candidates, "candidates") if candidates else None,
    }
    with working("Preparing…"):
        from elect.auditing import audit as run
    with progress("Auditing") as done:
        options: dict[str, Any] = {"axioms": axiom, "trials": trials, "out": out, "progress": done}
        found = run(rule, culture, data, **sizes, elections=elections, seed=seed, **options)
    if as_json:
        files = {
            name: {label: str(path) for label, path in several.items()}
            for name, several in found.files.items()
        }
        return emit({**found.to_json(), "files": files})
    _print(found, out)
    return None


def axioms(as_json: Json = False) -> None:
    """The axioms that an audit checks."""
    with working("Looking…"):
        from elect.auditing import AXIOMS
    known = {name.replace("_", "-"): axiom.definition for name, axiom in AXIOMS.items()}
    if as_json:
        return emit([{"name": name, "definition": said} for name, said in known.items()])
    listing = table("axiom", "what it requires")
    for name, said in known.items():
        listing.add_row(Text(name, "bold"), said)
    console().print(listing)
    return None


def _print(found: "Audit", out: Path | None) -> None:
    from elect.auditing import summary

    screen, answers = console(), table(*summary.HEADS)
    screen.print(Text(f"Audit of {found.rule}", "bold"))
    screen.print(summary.sampled(found), end="\n\n")
    for finding, (title, applies, holds, size) in zip(
        found.axioms.values(), summary.cells(found), strict=True
    ):
        answers.add_row(title, applies, Text(holds, "red" if finding.broken else "green"), size)
    screen.print(answers)
    if any(finding.by_search for finding in found.axioms.values()):
        screen.print(summary.SEARCHED)
    for title, lines in summary.sections(found):
        screen.print(Text(f"\n{title}", "bold"))
        for line in lines:
            # Do not wrap ballots and commands.
            screen.print(line, soft_wrap=line.startswith("  "))
    if out:
        screen.print(f"\nThe report is in {out / 'report.html'}; open it in a browser.")
    else:
        screen.print("\nAdd --out DIR to write a report and these ballots as files.")
