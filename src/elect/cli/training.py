"""The command that learns a rule."""

import os
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from elect.cli.cultures import parse_range
from elect.cli.output import console, going_on, progress, working
from elect.cli.spreading import ORDER
from elect.errors import ElectError
from elect.storage import exclusive

if TYPE_CHECKING:
    from elect.learned import LearnedRule
    from elect.measuring.result import Evaluation
    from elect.objectives import Objective
    from elect.training import Recipe

# Elections that a rule is measured on when its training ends, and of these, for its ceiling.
MEASURED, JUDGED = 2048, 512


def train(
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder to keep it in.")],
    rule: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME…", help="Rules to imitate; `elect rules` lists them."),
    ] = None,
    welfare: Annotated[
        list[str] | None,
        typer.Option(metavar="W…", help="Or what to maximize; see `elect welfares`."),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Or a trained rule of `elect rules`, to train it again."),
    ] = None,
    culture: Annotated[
        str | None,
        typer.Option(metavar="C", help="Where elections come from; see `elect cultures`."),
    ] = None,
    objective: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="How to learn a welfare: oracle, posterior or expected-welfare."
        ),
    ] = None,
    network: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="tally (unless said), deepsets, gin, set-transformer or mlp."
        ),
    ] = None,
    size: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="paper, or small; tally has one size."),
    ] = None,
    neutral: Annotated[
        str | None,
        typer.Option(
            metavar="[ORDER]", help=f"Renumber candidates by a rule, {ORDER} unless named."
        ),
    ] = None,
    voters: Annotated[
        str | None, typer.Option(metavar="N or A-B", help="From how many voters to how many.")
    ] = None,
    candidates: Annotated[
        str | None, typer.Option(metavar="N or A-B", help="The same for candidates.")
    ] = None,
    minutes: Annotated[
        float | None, typer.Option(metavar="M", help="How long to train; 2 to 10 unless said.")
    ] = None,
    steps: Annotated[int | None, typer.Option(metavar="S", help="Or for how many steps.")] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="The same seed gives the same rule.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the training that DIR holds.")
    ] = False,
) -> None:
    """Learn a rule from elections made on the spot."""
    asked: dict[str, Any] = {"rule": rule, "welfare": welfare, "objective": objective}
    asked |= {"culture": culture, "voters": voters, "candidates": candidates}
    asked |= {"network": network, "size": size, "neutral": neutral}
    asked |= {"minutes": minutes, "steps": steps, "seed": seed}
    given = {key: value for key, value in asked.items() if value is not None}
    with working("Preparing…"):
        from elect.training import train as learn

        recipe, head = (
            (_recipe(given, out, resume), None) if preset is None else _preset(preset, given)
        )
    watched = console(stderr=True).is_terminal
    with going_on("the same command with --resume goes on from the last checkpoint."):
        # Of several processes one holds the folder, and has the last word.
        first = os.environ.get("RANK", "0") == "0"
        with exclusive(out, "training") if first else nullcontext():
            learned = learn(recipe, out, resume=resume, progress=watched)
            if first:
                _conclude(learned if head is None else _only(learned, head, out), out)


def _only(learned: "LearnedRule", head: str, out: Path) -> "LearnedRule":
    """One of the things that were learned, as the rule in the folder."""
    from elect.checkpoints import WEIGHTS, read_about, save

    alone = learned.only(head)
    save(out, alone.network.state_dict(), alone.card, read_about(out / WEIGHTS))
    return alone


def _preset(name: str, given: dict[str, Any]) -> tuple["Recipe", str]:
    """The training behind a rule of the shelf, with another seed if one is given."""
    from elect.training.presets import preset

    others = [key for key in given if key != "seed"]
    if others:
        raise ElectError(f"A preset says how to train; leave out --{others[0]}.")
    found = preset(name)
    return replace(found.recipe, seed=given.get("seed", found.recipe.seed)), found.head


def _recipe(given: dict[str, Any], out: Path, resume: bool) -> "Recipe":
    """What the options ask for, or the recipe of the training that is to go on."""
    from elect.training import saved_recipe
    from elect.training.defaults import default_recipe

    if resume and not ("rule" in given or "welfare" in given):
        if given:
            raise ElectError(
                f"A training goes on as it began; leave out --{next(iter(given))}, or give all "
                "options again."
            )
        return saved_recipe(out)
    if "minutes" in given and "steps" in given:
        raise ElectError("Give --minutes or --steps, not both.")
    passed = ("size", "neutral", "culture", "minutes", "steps", "seed")
    options: dict[str, Any] = {key: given[key] for key in passed if key in given}
    for key in ("voters", "candidates"):
        if key in given:
            options[key] = parse_range(given[key], key)
    recipe = default_recipe(_objectives(given), given.get("network", "tally"), **options)
    _check(recipe)
    return recipe


def _objectives(given: dict[str, Any]) -> list["Objective"]:
    from elect.objectives import mimic
    from elect.training.defaults import welfare_objective

    if ("rule" in given) == ("welfare" in given):
        raise ElectError("Say what to learn: --rule NAME to imitate, or --welfare W --culture C.")
    if "rule" in given:
        if "objective" in given:
            raise ElectError("Only a welfare is learned by an --objective; leave it out.")
        return [mimic(name) for name in given["rule"]]
    if "culture" not in given:
        raise ElectError(
            "A welfare is learned from utilities; say with --culture where they come from, such as "
            "uniform."
        )
    kind = given.get("objective")
    return [welfare_objective(one, given["culture"], kind) for one in given["welfare"]]


def _check(recipe: "Recipe") -> None:
    """Tell what cannot work before anything is written: one tiny election shows it."""
    from elect.rules import rule

    if recipe.neutral is not None:
        rule(recipe.neutral)
    (n, _), (m, _) = recipe.voters, recipe.candidates
    elections = recipe.source(1, n, m, seed=0)
    for objective in recipe.objectives:
        objective.targets(elections, recipe.source, seed=0)


def _conclude(rule: "LearnedRule", out: Path) -> None:
    """Measure the rule, write what was found on its card, and show it."""
    from elect.checkpoints import write_card
    from elect.measuring.batches import span
    from elect.measuring.defaults import Defaults
    from elect.measuring.evaluation import evaluate
    from elect.measuring.tables import text_table

    card, rows = rule.card, []
    usual = Defaults.of(rule)
    figures: list[dict[str, Any]] = []
    with progress("Measuring") as done:
        for number, head in enumerate(card.heads):
            one = rule.head(head)

            def part(share: float, before: int = number) -> None:
                done((before + share) / len(card.heads))

            found = evaluate(
                one,
                elections=MEASURED,
                seed=card.seed,
                ceiling_elections=JUDGED,
                progress=part,
            )
            figures.append({"head": head, **_figures(found)})
            order = f"{float(found.order_guess):.3f}" if found.order_guess else ""
            rows.append({"rule": head, **found.overall.cells(), "its order": order})
    write_card(out, replace(card, measured=figures))
    typer.echo(text_table(rows))
    sizes = f"{span(usual.voters)} voters and {span(usual.candidates)} candidates"
    console().print(
        f"\nMeasured on {MEASURED:,} {usual.culture} elections with {sizes}. The rule is in {out}: "
        f"{card.steps:,} steps, {card.minutes:.1f} minutes.\nNext: elect winner FILE --rule {out}",
        soft_wrap=True,
    )


def _figures(found: "Evaluation") -> dict[str, Any]:
    """What a card keeps of an evaluation."""
    values = found.to_json()
    sizes = ("culture", "voters", "candidates", "seed", "elections")
    shown = ("accuracy", "interval", "any_winner", "exact_set", "ceiling", "shortfall")
    return {
        key: values[key] for key in (*sizes, *shown, "best_guess", "best_guess_rule", "order_guess")
    }
