"""The demonstration: a small election on which rules disagree, and a rule that is trained in a
minute."""

from importlib import resources
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from elect.cli.ballots import named_winners
from elect.cli.output import console, plain_table, progress, table, working

if TYPE_CHECKING:
    from elect.elections import Profiles
    from elect.rules.base import Decision

NEXT = {
    "elect winner FILE": "count your own ballots: a CSV with one ballot per row, best first",
    "elect rules": "what each rule does, and which ballots it accepts",
    "elect data fetch sushi": "5,000 people rank ten kinds of sushi",
    "elect train --help": "train a network to imitate a rule or to maximize a welfare",
    "elect ceiling --help": "how good a rule can be at most if it sees only rankings",
}


# The number of elections for the accuracy, and the number of these used for the ceiling.
MEASURED, JUDGED = 1536, 384


def demo(
    quick: Annotated[bool, typer.Option("--quick", help="Skip the training.")] = False,
    seconds: Annotated[float, typer.Option(hidden=True)] = 50.0,
) -> None:
    """One election on which rules disagree, why they do, and a rule trained in a minute."""
    with working("Counting…"):
        from elect.comparison import compare
        from elect.files import read

        with resources.as_file(resources.files("elect") / "data" / "demo.csv") as path:
            profile = read(path)
        decisions = compare(profile).decisions
    out = console()
    _show_ballots(out, profile)
    _show_winners(out, decisions)
    _show_pairs(out, profile, decisions)
    if not quick:
        _show_learning(out, profile, seconds)
    out.print(Text("\nWhat to try next", "bold"))
    out.print(plain_table((Text(command, "cyan"), what) for command, what in NEXT.items()))


def _show_ballots(out: Console, profile: "Profiles") -> None:
    voters, candidates = int(profile.num_voters), int(profile.num_candidates)
    out.print(Text("What should become of the empty lot?", "bold"))
    out.print(f"{voters} neighbours rank {candidates} proposals, best first:\n")
    for weight, ballot in profile.ballots():
        names = " > ".join(profile.labels[c] for tier in ballot for c in tier)
        out.print(Text.assemble((f"{weight:4}", "bold"), f"  {names}"))


def _show_winners(out: Console, decisions: list["Decision"]) -> None:
    groups: dict[tuple[int, ...], list[Decision]] = {}
    for decision in decisions:
        groups.setdefault(tuple(decision.elected), []).append(decision)
    out.print(f"\n{len(decisions)} rules, {len(groups)} winners", style="bold")
    out.print("The rules differ in what they look at on the ballots.\n")
    answers = table("winner", "elected by")
    for group in groups.values():
        named = named_winners(group[0])
        for reads in dict.fromkeys(decision.rule.reads for decision in decisions):
            members = [decision for decision in group if decision.rule.reads == reads]
            if members:
                names = ", ".join(decision.rule.spec for decision in members)
                because = f"\n{reads} {members[0].why}"
                answers.add_row(named, Text.assemble((names, "cyan"), because))
                answers.add_section()
                named = Text()
    out.print(answers)


def _show_pairs(out: Console, profile: "Profiles", decisions: list["Decision"]) -> None:
    from elect.rules.base import condorcet

    out.print(Text("\nHead to head", "bold"))
    out.print("How many more voters prefer the row to the column than the reverse:\n")
    labels, margins = profile.labels, profile.margins[0].tolist()
    matrix = table("", *labels)
    for a, row in enumerate(margins):
        cells = [
            Text(f"{margin:+}", "bold green" if margin > 0 else "dim", justify="right")
            if a != b
            else Text()
            for b, margin in enumerate(row)
        ]
        matrix.add_row(Text(labels[a], "bold"), *cells)
    out.print(matrix)
    champion = condorcet(profile)
    if champion is not None:
        others = sum(decision.elected != [champion] for decision in decisions)
        out.print(
            f"\n{labels[champion]} beats everyone else head to head: it is the Condorcet winner. "
            f"Yet {others} of the {len(decisions)} rules elect someone else."
        )


def _show_learning(out: Console, profile: "Profiles", seconds: float) -> None:
    """Train an egalitarian rule, compare it with the others, and let it decide."""
    out.print(Text("\nA rule that is learned", "bold"))
    out.print(
        "Which rule is best for the voters, above all for the worst off? We train a network on "
        "thousands of elections to elect the candidate with the highest egalitarian welfare: half "
        "the mean utility of the voters, half the utility of the worst off.\n"
    )
    with working("Preparing…"):
        from elect.measuring.evaluation import evaluate
        from elect.training import train
        from elect.training.defaults import default_recipe, welfare_objective

        goal = welfare_objective("egalitarian", "uniform")
        recipe = default_recipe([goal], voters=(2, 99), minutes=seconds / 60)
    with TemporaryDirectory() as folder:
        rule = train(recipe, folder, progress=console(stderr=True).is_terminal)
        with progress("Measuring") as done:
            found = evaluate(
                rule, elections=MEASURED, seed=1, ceiling_elections=JUDGED, progress=done
            ).overall
        answer = rule.decide(profile)
        won, reason = named_winners(answer), answer.why
    answers = table("rule", "elects the best")
    if found.ceiling:
        answers.add_row("the best possible rule that sees only rankings", str(found.ceiling))
    answers.add_row(Text("the learned rule", "bold"), Text(str(found.accuracy), "bold"))
    for name, accuracy in found.guesses.items():
        answers.add_row(name, str(accuracy))
    out.print(answers)
    out.print(
        f"\nMeasured on {MEASURED:,} elections with 2 to 99 voters and 2 to 29 candidates. "
        "For the empty lot, the learned rule elects:\n"
    )
    out.print(plain_table([(won, reason)]))
