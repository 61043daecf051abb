"""A learned rule, measured: for the commands that train one, evaluate one and show one."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from elect.cli.output import console, table
from elect.errors import ElectError

if TYPE_CHECKING:
    from elect.evaluation import Evaluation, Figures
    from elect.learned import Card, LearnedRule
    from elect.objectives import Objective

# Measured at the paper's number of voters, also if trained on more.
PAPER_VOTERS = 99


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
    return evaluate(rule, goal(rule), source, voters, candidates, elections, seed, **options)


def row(what: str, name: str, figures: "Figures", order: float | None = None) -> dict[str, str]:
    """A line of a table: the header of its name first, and the figures by theirs."""
    guess = figures.best_guess
    plain = {
        "any winner": figures.any_winner,
        "exact set": figures.exact_set,
        "ceiling": figures.ceiling,
    }
    return {
        what: name,
        "unsettled": f"{figures.unsettled:,}" if figures.unsettled else "",
        "accuracy": str(figures.accuracy or ""),
        **{header: f"{one.value:.3f}" if one else "" for header, one in plain.items()},
        "best other rule": f"{guess[1].value:.3f} {guess[0]}" if guess else "",
        "its order": "" if order is None else f"{order:.3f}",
    }


def show(rows: list[dict[str, str]]) -> None:
    """Print a table of rows without the columns that are empty in all of them."""
    headers = [header for header in rows[0] if any(one[header] for one in rows)]
    figures = table(*headers)
    for one in rows:
        figures.add_row(*(one[header] for header in headers))
    console().print(figures)


def goal(rule: "LearnedRule") -> "Objective":
    """What the rule has learned, remade from its card."""
    from elect.objectives import Objective

    try:
        return Objective(**rule.card.objectives[rule.index])
    except (ElectError, TypeError) as error:
        raise ElectError(
            f"What {rule.name} was to learn has no name here; evaluate it from Python."
        ) from error


def order_guess(
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
    order = guess(rule.card.neutral)
    alone: dict[str, Any] = {"guesses": (), "ceiling_elections": 0}
    found = evaluate(order, goal(rule), source, voters, candidates, elections, seed, **alone)
    accuracy = found.overall.accuracy
    return accuracy.value if accuracy else None


def usual_culture(card: "Card") -> str:
    """Of a mixture, the first: the others are there to be learned from."""
    return card.culture.split("+")[0]


def usual_voters(card: "Card") -> tuple[int, int]:
    low, high = pair(card.voters)
    return low, min(high, max(low, PAPER_VOTERS))


def pair(ends: Sequence[int]) -> tuple[int, int]:
    low, high = ends
    return int(low), int(high)
