"""The demonstration: one small election, in which it matters how one counts."""

from importlib import resources
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from elect.cli.ballots import count, named_winners
from elect.cli.output import console, plain_table, table, working

if TYPE_CHECKING:
    from elect.elections import Profiles
    from elect.explain import Outcome

NEXT = {
    "elect winner FILE": "count your own ballots: a CSV with a ballot a row, names best first",
    "elect rules": "what each rule does, and which ballots it takes",
    "elect data fetch sushi": "5,000 people rank ten kinds of sushi",
    "elect ceiling --help": "how well any rule could do that sees rankings only",
}


def demo() -> None:
    """One election, many winners: what each rule looks at."""
    with working("Counting…"):
        from elect.files import read

        with resources.as_file(resources.files("elect") / "data" / "demo.csv") as path:
            profile = read(path)
        outcomes, _ = count(profile)
    out = console()
    _show_ballots(out, profile)
    _show_winners(out, outcomes)
    _show_pairs(out, profile, outcomes)
    out.print(Text("\nWhat to try next", "bold"))
    out.print(plain_table((Text(command, "cyan"), what) for command, what in NEXT.items()))


def _show_ballots(out: Console, profile: "Profiles") -> None:
    voters, candidates = int(profile.num_voters), int(profile.num_candidates)
    out.print(Text("What should become of the empty lot?", "bold"))
    out.print(f"{voters} neighbours rank {candidates} proposals, best first:\n")
    for weight, ballot in profile.ballots():
        names = " > ".join(profile.labels[c] for tier in ballot for c in tier)
        out.print(Text.assemble((f"{weight:4}", "bold"), f"  {names}"))


def _show_winners(out: Console, outcomes: list["Outcome"]) -> None:
    from elect.explain import FAMILIES, sentence

    groups: dict[tuple[int, ...], list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault(tuple(outcome.winners), []).append(outcome)
    out.print(f"\n{len(outcomes)} rules, {len(groups)} winners", style="bold")
    out.print("The rules differ in what they look at on the ballots.\n")
    answers = table("winner", "elected by")
    for group in groups.values():
        named = named_winners(group[0])
        for family in FAMILIES:
            members = [outcome for outcome in group if outcome.name in family.rules]
            if members:
                names = ", ".join(outcome.spec for outcome in members)
                because = f"\n{family.look} {sentence(members[0])}"
                answers.add_row(named, Text.assemble((names, "cyan"), because))
                answers.add_section()
                named = Text()
    out.print(answers)


def _show_pairs(out: Console, profile: "Profiles", outcomes: list["Outcome"]) -> None:
    from elect.explain import condorcet

    out.print(Text("\nHead to head", "bold"))
    out.print("By how many voters more the row is preferred to the column:\n")
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
        others = sum(outcome.winners != [champion] for outcome in outcomes)
        out.print(
            f"\n{labels[champion]} beats everyone else head to head: it is the Condorcet winner. "
            f"Yet {others} of the {len(outcomes)} rules elect someone else."
        )
