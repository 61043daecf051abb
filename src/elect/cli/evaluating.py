"""The command that says how well a rule has learned."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from elect.cli.ballots import Json
from elect.cli.cultures import Seed, parse_range
from elect.cli.limiting import Limit
from elect.cli.measuring import (
    goal,
    measure,
    order_guess,
    pair,
    row,
    show,
    usual_culture,
    usual_voters,
)
from elect.cli.output import console, emit, progress, working
from elect.errors import ElectError

if TYPE_CHECKING:
    from elect.evaluation import Evaluation, Figures


def evaluate(
    place: Annotated[
        str, typer.Argument(metavar="DIR or NAME", help="A trained rule's folder or name.")
    ],
    head: Annotated[
        str | None,
        typer.Option(
            "--head", "--rule", metavar="NAME", help="Which one, if it has learned several."
        ),
    ] = None,
    voters: Annotated[
        str | None,
        typer.Option(metavar="N or A-B", help="How many voters; as in training, up to 99."),
    ] = None,
    candidates: Annotated[
        str | None, typer.Option(metavar="N or A-B", help="How many candidates; as in training.")
    ] = None,
    culture: Annotated[
        str | None,
        typer.Option(metavar="C", help="Where elections come from; as in training unless said."),
    ] = None,
    data: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE…", help="Or real ballots, to draw sub-elections from."),
    ] = None,
    elections: Annotated[
        int, typer.Option(min=1, help="How many, from each culture or file.")
    ] = 5120,
    seed: Seed = 0,
    limit: Limit = None,
    as_json: Json = False,
) -> None:
    """How well a trained rule does what it has learned, beside other rules and the ceiling."""
    n = parse_range(voters, "voters") if voters else None
    m = parse_range(candidates, "candidates") if candidates else None
    if culture and data:
        raise ElectError("Elections come from a culture or from files; leave out one of them.")
    with working("Preparing…"):
        from elect.checkpoints import load
        from elect.files import read

        rule = load(place, head)
        if head is None and len(rule.card.heads) > 1:
            heads = ", ".join(rule.card.heads)
            raise ElectError(f"{place} has learned several rules; add --head with one of {heads}.")
        source: Any = culture or usual_culture(rule.card)
        n = n or usual_voters(rule.card)
        if data:
            source = {str(path): read(path) for path in data}
            fewest = min(int(profile.num_voters) for profile in source.values())
            n = n if voters else (min(n[0], fewest), min(n[1], fewest))
        m = m or (None if data else pair(rule.card.candidates))
    with progress("Measuring") as done:
        found = measure(rule, source, n, m, elections, seed, done)
        order = order_guess(rule, source, n, m, elections, seed)
    if as_json:
        return emit({**found.to_json(), "order_guess": order})
    out = console()
    out.print(Text(f"{place}, held against {goal(rule).name}", "bold"))
    out.print(f"Elections from {', '.join(found.cultures)}; seed {seed}.", end="\n\n")
    show([row("elections", name, figures) for name, figures in _parts(found).items()])
    if order is not None:
        out.print(
            f"\nIts candidates are renumbered by {rule.card.neutral}, which by itself is right in "
            f"{order:.3f}: credit the network only with what it adds."
        )
    return None


def _parts(found: "Evaluation") -> dict[str, "Figures"]:
    """All elections, and then parts of them, if there are several."""
    parts = {"all": found.overall}
    for named, label in (
        (found.by_voters, "{} voters"),
        (found.by_candidates, "{} candidates"),
        (found.by_culture, "{}"),
    ):
        if len(named) > 1:
            parts |= {label.format(name): figures for name, figures in named.items()}
    return parts
