"""Commands that learn a rule and say how well: train and evaluate."""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text
from typer.core import TyperCommand

from elect.cli.ballots import Json
from elect.cli.cultures import Seed, parse_range
from elect.cli.output import console, emit, progress, table, working
from elect.errors import ElectError

if TYPE_CHECKING:
    from elect.evaluation import Evaluation, Figures
    from elect.learned import Card, LearnedRule
    from elect.objectives import Objective
    from elect.training import Recipe

# Elections that a rule is measured on when its training ends, and of these, for its ceiling.
MEASURED, JUDGED = 2048, 512

# What candidates are renumbered by, if no order is named.
ORDER = "borda"

# Measured at the paper's number of voters, also if trained on more.
PAPER_VOTERS = 99


class Spreading(TyperCommand):
    """A command whose options may have several values in a row, or one that goes without saying:
    ``--rule borda copeland --neutral``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, spread(args))


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
        float | None, typer.Option(metavar="M", help="How long to train; 3 to 10 unless said.")
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

        recipe = _recipe(given, out, resume)
    watched = console(stderr=True).is_terminal
    learned = learn(recipe, out, resume=resume, progress=watched)
    # Of several processes one has the last word.
    if os.environ.get("RANK", "0") == "0":
        _conclude(learned, out)


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
        source: Any = culture or _usual_culture(rule.card)
        n = n or _usual_voters(rule.card)
        if data:
            source = {str(path): read(path) for path in data}
            fewest = min(int(profile.num_voters) for profile in source.values())
            n = n if voters else (min(n[0], fewest), min(n[1], fewest))
        m = m or (None if data else _pair(rule.card.candidates))
    with progress("Measuring") as done:
        found = measure(rule, source, n, m, elections, seed, done)
        order = _order_guess(rule, source, n, m, elections, seed)
    if as_json:
        return emit({**found.to_json(), "order_guess": order})
    out = console()
    goal = _target(rule).name
    out.print(Text(f"{place}, held against {goal}", "bold"))
    out.print(f"Elections from {', '.join(found.cultures)}; seed {seed}.", end="\n\n")
    _print([_row("elections", name, figures) for name, figures in _parts(found).items()])
    if order is not None:
        out.print(
            f"\nIts candidates are renumbered by {rule.card.neutral}, which by itself is right in "
            f"{order:.3f}: credit the network only with what it adds."
        )
    return None


def measure(
    rule: "LearnedRule",
    source: Any,
    voters: tuple[int, int],
    candidates: tuple[int, int] | None,
    elections: int,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
    judged: int = 2048,
) -> "Evaluation":
    """A learned rule held against what it has learned."""
    from elect.evaluation import evaluate

    options: dict[str, Any] = {"ceiling_elections": judged, "progress": progress}
    return evaluate(rule, _target(rule), source, voters, candidates, elections, seed, **options)


def spread(args: Sequence[str]) -> list[str]:
    """Arguments with each value under an option of its own.

    >>> spread(["--rule", "borda", "copeland", "--neutral", "--resume"])
    ['--rule', 'borda', '--rule', 'copeland', '--neutral', 'borda', '--resume']
    """
    result: list[str] = []
    several, waiting = "", False
    for word in args:
        if waiting and word.startswith("-"):
            result.append(ORDER)
        if several and not word.startswith("-") and result[-1] != several:
            result.append(several)
        if word.startswith("-"):
            several = word if word in ("--rule", "--welfare", "--data") else ""
        waiting = word == "--neutral"
        result.append(word)
    return [*result, ORDER] if waiting else result


# ---------------------------------------------------------------------- train


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

    card, rows = rule.card, []
    n, m, usual = _usual_voters(card), _pair(card.candidates), _usual_culture(card)
    figures: list[dict[str, Any]] = []
    with progress("Measuring") as done:
        for number, head in enumerate(card.heads):
            one = rule.head(head)

            def part(share: float, before: int = number) -> None:
                done((before + share) / len(card.heads))

            found = measure(one, usual, n, m, MEASURED, card.seed, part, JUDGED)
            order = _order_guess(one, usual, n, m, MEASURED, card.seed)
            figures.append({"head": head, **_figures(found), "order_guess": order})
            rows.append(_row("rule", head, found.overall, order))
    write_card(out, replace(card, measured=figures))
    _print(rows)
    sizes = f"{n[0]}-{n[1]} voters and {m[0]}-{m[1]} candidates"
    console().print(
        f"\nMeasured on {MEASURED:,} {usual} elections with {sizes}. The rule is in {out}: "
        f"{card.steps:,} steps, {card.minutes:.1f} minutes.\nNext: elect winner FILE --rule {out}",
        soft_wrap=True,
    )


def _figures(found: "Evaluation") -> dict[str, Any]:
    """What a card keeps of an evaluation."""
    values = found.to_json()
    sizes = ("culture", "voters", "candidates", "seed", "elections")
    shown = ("accuracy", "interval", "any_winner", "exact_set", "ceiling", "shortfall")
    return {key: values[key] for key in (*sizes, *shown, "best_guess", "best_guess_rule")}


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


def _row(what: str, name: str, figures: "Figures", order: float | None = None) -> dict[str, str]:
    guess = figures.best_guess
    plain = {
        "any winner": figures.any_winner,
        "exact set": figures.exact_set,
        "ceiling": figures.ceiling,
    }
    return {
        what: name,
        "accuracy": str(figures.accuracy or ""),
        **{header: f"{one.value:.3f}" if one else "" for header, one in plain.items()},
        "best other rule": f"{guess[1].value:.3f} {guess[0]}" if guess else "",
        "its order": "" if order is None else f"{order:.3f}",
    }


def _print(rows: list[dict[str, str]]) -> None:
    headers = [header for header in rows[0] if any(row[header] for row in rows)]
    figures = table(*headers)
    for row in rows:
        figures.add_row(*(row[header] for header in headers))
    console().print(figures)


# ---------------------------------------------------------------------- what is measured


def _target(rule: "LearnedRule") -> "Objective":
    """What the rule has learned, remade from its card."""
    from elect.objectives import Objective

    try:
        return Objective(**rule.card.objectives[rule.index])
    except (ElectError, TypeError) as error:
        raise ElectError(
            f"What {rule.name} was to learn has no name here; evaluate it from Python."
        ) from error


def _order_guess(
    rule: "LearnedRule",
    source: Any,
    voters: tuple[int, int],
    candidates: tuple[int, int] | None,
    elections: int,
    seed: int,
) -> float | None:
    """How often the order is right by which the candidates are renumbered, if they are."""
    from elect.evaluation import evaluate
    from elect.networks import guess

    if rule.card.neutral is None:
        return None
    order, target = guess(rule.card.neutral), _target(rule)
    alone: dict[str, Any] = {"guesses": (), "ceiling_elections": 0}
    found = evaluate(order, target, source, voters, candidates, elections, seed, **alone)
    accuracy = found.overall.accuracy
    return accuracy.value if accuracy else None


def _usual_culture(card: "Card") -> str:
    """Of a mixture, the first: the others are there to be learned from."""
    return card.culture.split("+")[0]


def _usual_voters(card: "Card") -> tuple[int, int]:
    low, high = _pair(card.voters)
    return low, min(high, max(low, PAPER_VOTERS))


def _pair(ends: Sequence[int]) -> tuple[int, int]:
    low, high = ends
    return int(low), int(high)
