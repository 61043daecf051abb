"""Commands that sample elections: ceiling and sample."""

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
Range = Annotated[str, typer.Option(metavar="N or A-B", help="A number, or a range.")]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same elections.")]


def ceiling(
    welfare: Annotated[
        str, typer.Option(metavar="W", help="The welfare to maximize; `elect welfares` lists them.")
    ],
    culture: CultureName,
    voters: Range = "2-99",
    candidates: Range = "2-29",
    elections: Annotated[int, typer.Option(help="How many elections to average over.")] = 5120,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """How good a rule can be at most if it sees only rankings and not utilities."""
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
        f"Measured on {found.elections:,} elections, each with {found.samples:,} draws of "
        f"utilities consistent with the rankings; seed {seed}."
    )
    return None


def sample(
    culture: CultureName,
    voters: Annotated[int, typer.Option(metavar="N", help="How many voters.")],
    candidates: Annotated[int, typer.Option(metavar="M", help="How many candidates.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="The file to write: .soc or .csv.")],
    seed: Seed = 0,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
) -> None:
    """Sample an election and write its ballots to a file."""
    # Sampled ballots are complete, so .soc is the default extension.
    target = out if out.suffix else out.with_name(f"{out.name}.soc")
    if target.exists() and not force:
        raise ElectError(f"{target} already exists; choose another name, or add --force.")
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
    """Parse an inclusive range.

    >>> parse_range("2-99", "voters"), parse_range("50", "voters")
    ((2, 99), (50, 50))
    """
    found = re.fullmatch(r"\s*([0-9]{1,9})\s*(?:[-–]\s*([0-9]{1,9})\s*)?", text)
    low, high = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
    if not 1 <= low <= high:
        raise ElectError(
            f"'{text}' is not a number of {what}; write a number such as 50, or a range such as "
            "2-99, starting at 1 or above."
        )
    return low, high
