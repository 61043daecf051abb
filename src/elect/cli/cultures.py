"""Commands that draw elections: ceiling and sample."""

import re
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from elect.cli.ballots import Json
from elect.cli.output import console, emit, progress, working
from elect.errors import ElectError

CultureName = Annotated[
    str,
    typer.Option(metavar="C", help="Where elections come from; `elect cultures` lists them."),
]
Range = Annotated[
    str, typer.Option(metavar="N or A-B", help="How many, or from how many to how many.")
]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same elections.")]


def ceiling(
    welfare: Annotated[
        str, typer.Option(metavar="W", help="What to judge by; `elect welfares` lists them.")
    ],
    culture: CultureName,
    voters: Range = "2-99",
    candidates: Range = "2-29",
    elections: Annotated[int, typer.Option(help="How many elections to average over.")] = 5120,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """How well any rule could do that sees the voters' rankings and not their utilities."""
    n, m = parse_range(voters, "voters"), parse_range(candidates, "candidates")
    with working("Preparing…"):
        from elect.rules.ceiling import ceiling as measure

    with progress("Drawing elections") as done:
        found = measure(culture, welfare, n, m, elections, seed=seed, progress=done)
    if as_json:
        sizes = {"voters": n, "candidates": m, "seed": seed}
        return emit({"welfare": welfare, "culture": culture, **sizes, **asdict(found)})
    error, ratio_error = found.accuracy_error, found.welfare_ratio_error
    console().print(
        f"Seeing only rankings, the best possible rule elects the {welfare} optimum in "
        f"{found.accuracy:.1%} of {culture} elections (standard error {error:.1%}) with "
        f"{voters} voters and {candidates} candidates.\n"
        f"If it aims for welfare instead, its winner has {found.welfare_ratio:.1%} of the "
        f"highest welfare on average (standard error {ratio_error:.2%}).\n"
        f"Measured on {found.elections:,} elections, each with {found.samples:,} draws of the "
        f"utilities that may lie behind its rankings; seed {seed}."
    )
    return None


def sample(
    culture: CultureName,
    voters: Annotated[int, typer.Option(metavar="N", help="How many vote.")],
    candidates: Annotated[int, typer.Option(metavar="M", help="How many stand.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="Where to: .soc or .csv.")],
    seed: Seed = 0,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
) -> None:
    """Draw an election and write its ballots to a file."""
    # Drawn ballots are complete, so a name without an extension gets .soc.
    target = out if out.suffix else out.with_name(f"{out.name}.soc")
    if target.exists() and not force:
        raise ElectError(f"{target} is there already; choose another name, or add --force.")
    with working("Drawing…"):
        from elect.cultures import sample as draw
        from elect.files import write

        profile = draw(culture, voters, candidates, seed=seed).profiles
        names = tuple(f"Candidate {c + 1}" for c in range(candidates))
        path = write(replace(profile, names=names), target)
    console().print(
        f"{path}: {voters:,} voter{'s' * (voters != 1)}, {candidates:,} "
        f"candidate{'s' * (candidates != 1)}, from {culture} with seed {seed}.",
        soft_wrap=True,
    )


def parse_range(text: str, what: str) -> tuple[int, int]:
    """An inclusive range as one writes it.

    >>> parse_range("2-99", "voters"), parse_range("50", "voters")
    ((2, 99), (50, 50))
    """
    found = re.fullmatch(r"\s*([0-9]{1,9})\s*(?:[-–]\s*([0-9]{1,9})\s*)?", text)
    low, high = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
    if not 1 <= low <= high:
        raise ElectError(
            f"'{text}' is no number of {what}; write one such as 50, or a range upwards from at "
            "least 1 such as 2-99."
        )
    return low, high
