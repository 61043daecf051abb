"""`elect.train`: make the recipe, run it, measure the rule and save it."""

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from elect import resolve
from elect.checkpoints import WEIGHTS, Makers, read_about, save, write_card
from elect.cultures import Culture
from elect.errors import ElectError
from elect.learned import LearnedRule
from elect.measuring.batches import Range, ends
from elect.measuring.evaluation import evaluate
from elect.measuring.result import Evaluation
from elect.objectives import Objective, mimic
from elect.storage import exclusive
from elect.training.defaults import default_recipe, welfare_objective
from elect.training.loop import run_recipe
from elect.training.presets import preset as find_preset
from elect.training.recipe import Recipe
from elect.training.state import saved_recipe

# The number of elections to measure a trained rule on, and the number of these for the ceiling.
MEASURED, JUDGED = 2048, 512

Measured = Callable[[str, Evaluation], None]


def train(
    rule: Any = None,
    out: str | Path | None = None,
    *,
    welfare: str | Callable[..., Any] | Sequence[str] | None = None,
    culture: str | Culture | None = None,
    objective: str | None = None,
    preset: str | None = None,
    network: str | None = None,
    size: str | None = None,
    neutral: str | None = None,
    voters: int | Range | None = None,
    candidates: int | Range | None = None,
    minutes: float | int | None = None,
    steps: int | None = None,
    seed: int | None = None,
    resume: bool = False,
    device: str = "auto",
    progress: bool | None = None,
    makers: Makers | None = None,
    measuring: Callable[[float], None] | None = None,
    measured: Measured | None = None,
) -> LearnedRule:
    """Train a network, measure it, and save it in a folder.

    A training that is killed and resumed ends with the same weights. The folder holds the rule,
    which ``elect.rule(folder)`` loads, `log.csv`, and the state needed to resume.

    Args:
        rule: what to imitate: a rule as in `elect.rule`, an objective, or several in a list; or a
            `Recipe`, which holds all settings and is run as it is.
        out: the folder; with several machines, a shared one.
        welfare: a welfare to maximize instead, by name or as a function.
        culture: where elections come from. Default: the paper's uniform culture, and for `tally`,
            if it imitates rules, also elections in which voters agree.
        objective: how to learn a welfare: ``oracle``, ``posterior`` or ``expected_welfare``.
        preset: a trained rule of the package to train again instead.
        network: the network, with or without settings. Default: ``tally``.
        size: ``paper`` or ``small``. Default: ``paper``; `tally` has one size.
        neutral: a rule that sorts the candidates before the network sees them, which makes any
            network neutral. Default: candidates are not sorted.
        voters: how many, or a range. Default: depends on the network.
        candidates: how many, or a range. Default: depends on the rule.
        minutes: how long to train. Default: 2 to 10, depending on the rule.
        steps: how many steps to train, instead of minutes.
        seed: the same seed gives the same rule. Default: 0.
        resume: continue the training in the folder.
        device: ``cpu``, ``cuda``, or ``auto`` for a GPU if there is one.
        progress: show the progress. Default: only in a terminal or a notebook.
        makers: your own networks, by name.
        measuring: called with the share of the measurement that is done.
        measured: called with the name and the evaluation of each head.
    """
    if out is None:
        raise ElectError('Name the folder for the rule, as in out="my-rule".')
    folder = Path(out)
    if isinstance(rule, Recipe):
        return run_recipe(
            rule, folder, resume=resume, device=device, progress=_shown(progress), makers=makers
        )
    asked = {"rule": rule, "welfare": welfare, "objective": objective, "culture": culture}
    asked |= {"voters": voters, "candidates": candidates, "network": network, "size": size}
    asked |= {"neutral": neutral, "minutes": minutes, "steps": steps, "seed": seed}
    given = {key: value for key, value in asked.items() if value is not None}
    recipe, head = (
        (_recipe(given, folder, resume), None) if preset is None else _preset(preset, given)
    )
    # With several processes, one locks the folder and measures the rule.
    first = os.environ.get("RANK", "0") == "0"
    with exclusive(folder, "training") if first else nullcontext():
        learned = run_recipe(
            recipe, folder, resume=resume, device=device, progress=_shown(progress), makers=makers
        )
        if not first:
            return learned
        learned = learned if head is None else _only(learned, head, folder)
        targets = {one.name: one for one in recipe.objectives}
        learned = _measure(learned, targets, measuring, measured)
        write_card(folder, learned.card)
    return replace(learned, place=str(out))


def _shown(progress: bool | None) -> bool:
    return "ipykernel" in sys.modules or sys.stderr.isatty() if progress is None else progress


# ---------------------------------------------------------------------- what to train


def _preset(name: str, given: dict[str, Any]) -> tuple[Recipe, str]:
    """The recipe of a trained rule of the package, with another seed if one is given."""
    others = [key for key in given if key != "seed"]
    if others:
        raise ElectError(f"A preset sets everything but the seed; leave out {others[0]}.")
    found = find_preset(name)
    return replace(found.recipe, seed=given.get("seed", found.recipe.seed)), found.head


def _recipe(given: dict[str, Any], out: Path, resume: bool) -> Recipe:
    """The recipe of the given options, or of the training to resume."""
    if resume and not ("rule" in given or "welfare" in given):
        if given:
            raise ElectError(
                f"A resumed training keeps its settings; leave out {next(iter(given))}, or give "
                "all options again."
            )
        return saved_recipe(out)
    if "minutes" in given and "steps" in given:
        raise ElectError("Give minutes or steps, not both.")
    passed = ("size", "neutral", "culture", "minutes", "steps", "seed")
    options: dict[str, Any] = {key: given[key] for key in passed if key in given}
    options |= {key: ends(given[key]) for key in ("voters", "candidates") if key in given}
    recipe = default_recipe(_objectives(given), given.get("network", "tally"), **options)
    _check(recipe)
    return recipe


def _objectives(given: dict[str, Any]) -> list[Objective]:
    if ("rule" in given) == ("welfare" in given):
        raise ElectError("Say what to learn: a rule to imitate, or a welfare and a culture.")
    if "rule" in given:
        if "objective" in given:
            raise ElectError("An objective goes with a welfare, not with a rule; leave it out.")
        return [one if isinstance(one, Objective) else mimic(one) for one in _list(given["rule"])]
    if "culture" not in given:
        raise ElectError(
            "Learning a welfare needs utilities; name a culture that has them, such as uniform."
        )
    kind = given.get("objective")
    return [welfare_objective(one, given["culture"], kind) for one in _list(given["welfare"])]


def _list(things: Any) -> list[Any]:
    return list(things) if isinstance(things, list | tuple) else [things]


def _check(recipe: Recipe) -> None:
    """Try the recipe on one small election, to report errors before anything is written."""
    if recipe.neutral is not None:
        resolve.rule(recipe.neutral)
    (n, _), (m, _) = recipe.voters, recipe.candidates
    elections = recipe.source(1, n, m, seed=0)
    for objective in recipe.objectives:
        objective.targets(elections, recipe.source, seed=0)


# ---------------------------------------------------------------------- what was learned


def _only(learned: LearnedRule, head: str, out: Path) -> LearnedRule:
    """Keep only this head of the trained rule in the folder."""
    alone = learned.only(head)
    save(out, alone.network.state_dict(), alone.card, read_about(out / WEIGHTS))
    return alone


def _measure(
    rule: LearnedRule,
    targets: dict[str, Objective],
    progress: Callable[[float], None] | None,
    measured: Measured | None,
) -> LearnedRule:
    """The rule with the measurements of each head on its card."""
    card = rule.card
    figures: list[dict[str, Any]] = []
    for number, head in enumerate(card.heads):

        def part(share: float, before: int = number) -> None:
            if progress is not None:
                progress((before + share) / len(card.heads))

        found = evaluate(
            rule.head(head),
            targets[head],
            elections=MEASURED,
            seed=card.seed,
            ceiling_elections=JUDGED,
            progress=part,
        )
        figures.append({"head": head, **_figures(found)})
        if measured is not None:
            measured(head, found)
    return replace(rule, card=replace(card, measured=figures))


def _figures(found: Evaluation) -> dict[str, Any]:
    """The figures of an evaluation that are stored on a card."""
    values = found.to_json()
    sizes = ("culture", "voters", "candidates", "seed", "elections")
    shown = ("accuracy", "interval", "any_winner", "exact_set", "ceiling", "shortfall")
    others = ("best_guess", "best_guess_rule", "order_guess")
    return {key: values[key] for key in (*sizes, *shown, *others)}
