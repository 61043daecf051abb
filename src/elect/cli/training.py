"""The command that trains a rule: train."""

import os
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from elect.cli.cultures import parse_range
from elect.cli.output import console, going_on, progress, working
from elect.cli.spreading import ORDER

if TYPE_CHECKING:
    from elect.learned import LearnedRule
    from elect.measuring.result import Evaluation


def train(
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder for the trained rule.")],
    rule: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME…", help="Rules to imitate: names of `elect rules`, or FILE.py:function."
        ),
    ] = None,
    welfare: Annotated[
        list[str] | None,
        typer.Option(metavar="W…", help="Or welfares to maximize; see `elect welfares`."),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Or a trained rule of `elect rules`, to train it again."),
    ] = None,
    culture: Annotated[
        str | None,
        typer.Option(
            metavar="C",
            help="Where elections come from; see `elect cultures`. Required with --welfare. "
            "Default for rules: depends on the network.",
        ),
    ] = None,
    objective: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="How to learn a welfare: oracle, posterior or expected-welfare. "
            "Default: posterior where it is known, otherwise oracle.",
        ),
    ] = None,
    network: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="tally, deepsets, gin, set-transformer or mlp. Default: tally."
        ),
    ] = None,
    size: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="paper or small; tally has one size. Default: paper."),
    ] = None,
    neutral: Annotated[
        str | None,
        typer.Option(
            metavar="[ORDER]",
            help="Sort the candidates by a rule before the network sees them, so that names do "
            f"not matter. Default without a name: {ORDER}.",
        ),
    ] = None,
    voters: Annotated[
        str | None,
        typer.Option(metavar="N or A-B", help="How many voters. Default: depends on the network."),
    ] = None,
    candidates: Annotated[
        str | None,
        typer.Option(
            metavar="N or A-B", help="How many candidates. Default: 2-29, or 3-10 for slow rules."
        ),
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option(
            metavar="M", help="How long to train. Default: 2 to 10, depending on the rule."
        ),
    ] = None,
    steps: Annotated[
        int | None, typer.Option(metavar="S", help="How many steps to train, instead of --minutes.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="The same seed gives the same rule. Default: 0.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the training in DIR.")] = False,
) -> None:
    """Train a network on sampled elections, to imitate a rule or to maximize a welfare."""
    with working("Preparing…"):
        from elect.training import train as learn

    rows: list[dict[str, Any]] = []

    def add(head: str, found: "Evaluation") -> None:
        order = f"{float(found.order_guess):.3f}" if found.order_guess else ""
        rows.append({"rule": head, **found.overall.cells(), "its order": order})

    again = "run the same command with --resume to continue from the last checkpoint."
    with going_on(again), ExitStack() as stack:
        bars: list[Callable[[float], None]] = []

        def measuring(share: float) -> None:
            # Starts only after the training's own bar has ended.
            if not bars:
                bars.append(stack.enter_context(progress("Measuring")))
            bars[0](share)

        learned = learn(
            rule,
            out,
            welfare=welfare,
            culture=culture,
            objective=objective,
            preset=preset,
            network=network,
            size=size,
            neutral=neutral,
            voters=parse_range(voters, "voters") if voters else None,
            candidates=parse_range(candidates, "candidates") if candidates else None,
            minutes=minutes,
            steps=steps,
            seed=seed,
            resume=resume,
            measuring=measuring,
            measured=add,
        )
    if os.environ.get("RANK", "0") == "0":
        _show(learned, rows, out)


def _show(rule: "LearnedRule", rows: list[dict[str, Any]], out: Path) -> None:
    """What was measured, and what to do next."""
    from elect.measuring.batches import span
    from elect.measuring.defaults import Defaults
    from elect.result_tables import text_table
    from elect.training.run import MEASURED

    card, usual = rule.card, Defaults.of(rule)
    if rows:
        typer.echo(text_table(rows))
    sizes = f"{span(usual.voters)} voters and {span(usual.candidates)} candidates"
    told = f"Measured on {MEASURED:,} {usual.culture} elections with {sizes}. " if rows else ""
    console().print(
        f"\n{told}The rule is in {out}: {card.steps:,} steps, {card.minutes:.1f} minutes.\n"
        f"Next: elect winner FILE --rule {out}",
        soft_wrap=True,
    )
