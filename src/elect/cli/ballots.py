"""Commands that count the ballots of a file: winner and rank."""

import re
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from elect.cli.limiting import Limit
from elect.cli.output import console, emit, plain_table, table, working
from elect.errors import ElectError

if TYPE_CHECKING:
    from elect.comparison import Comparison
    from elect.elections import Profiles
    from elect.learned import LearnedDecision
    from elect.rules.base import Decision

File = Annotated[
    Path,
    typer.Argument(
        help="Ballots: PrefLib (soc, soi, toc, toi, cat), CSV, or lines like '12: Ann > Ben'."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Seconds = Annotated[
    float,
    typer.Option(
        min=0.001,
        help="The time limit for rules that can take long: Kemeny, Slater, Dodgson, Young and "
        "ranked pairs, with many candidates.",
    ),
]

# As in `elect.deadlines`, which is not imported before it is needed.
DEFAULT_SECONDS = 60.0
# What each rule may take before those that are quick are shown.
FIRST_SECONDS = 1.0


def winner(
    file: File,
    rule: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A rule, or the folder or name of a trained one; repeat it for several, leave it "
            "out for all.",
        ),
    ] = None,
    seconds: Seconds = DEFAULT_SECONDS,
    limit: Limit = None,
    as_json: Json = False,
) -> None:
    """Who wins under each rule, and why."""
    start = monotonic()
    with working("Counting…"):
        from elect.comparison import compare, is_learned
        from elect.files import read

        profile = read(file)
        each = seconds if rule else min(FIRST_SECONDS, seconds)
        first = compare(profile, rule, trained=True, seconds=each)
    if as_json:
        later = _count_later(first, seconds, start)
        counted = [_record(one, seconds) for one in (*first.decisions, *later.decisions)]
        return emit([*counted, *replace(later, decisions=[]).to_json()])
    # Unasked, trained rules say no more than they must: there are many.
    brief = [] if rule else [one for one in first.decisions if is_learned(one)]
    told = [one for one in first.decisions if one not in brief]
    out = console()
    out.print(Text(_title(file), "bold"))
    out.print(describe(profile), end="\n\n")
    out.print(_answers(told, out.width, each))
    if brief:
        out.print()
        out.print(_briefly(brief))
    for caveat in _caveats(first.decisions):
        out.print(f"\n{caveat}")
    later = _count_later(first, seconds, start)
    if later.decisions:
        out.print(Text("\nThese took longer", "bold"))
        out.print(_answers(later.decisions, out.width, each))
    if not first.decisions and not later.decisions:
        raise ElectError(" ".join(later.unsettled.values()))
    _print_notes(out, "Not settled in time", {why: [name] for name, why in later.unsettled.items()})
    _print_notes(out, "Not counted", first.refused)
    return None


def rank(
    file: File,
    rule: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="A rule, with settings if any, or the place of a trained one."
        ),
    ],
    seconds: Seconds = DEFAULT_SECONDS,
    limit: Limit = None,
    as_json: Json = False,
) -> None:
    """The whole order by score; equal scores share a place."""
    with working("Counting…"), ExitStack() as stack:
        from elect.deadlines import time_limit
        from elect.files import read
        from elect.resolve import decide
        from elect.rules.kemeny import kemeny_ranking

        stack.enter_context(time_limit(seconds))
        profile = read(file)
        decision = decide(rule, profile)
        rows = sorted(decision.rows(), key=lambda row: row["place"])
        learned = _learned(decision)
        optimal = (
            kemeny_ranking(profile) if decision.rule.name == "kemeny" and not learned else None
        )
    labels = profile.labels
    if as_json:
        order = [{key: row[key] for key in ("place", "candidate", "score")} for row in rows]
        record: dict[str, Any] = {"rule": rule, "order": order}
        if optimal:
            record["ranking"] = [labels[c] for c in optimal.ranking]
            record |= {"score": optimal.score, "unique": optimal.unique}
        return emit(record | _beliefs(decision))
    out = console()
    out.print(Text(f"{_title(file)}, by {rule}", "bold"))
    score = "Its probability to win." if learned else decision.rule.definition
    out.print(Text(f"Score: {score}"), end="\n\n")
    answers = table("place", "candidate", "score")
    for column in (answers.columns[0], answers.columns[2]):
        column.justify = "right"
    for row in rows:
        name, points = row["candidate"], row["score"]
        shown = f"{learned.probabilities[name]:.4f}" if learned else f"{points:,}"
        answers.add_row(str(row["place"]), name, shown)
    out.print(answers)
    for caveat in _caveats([decision]):
        out.print(f"\n{caveat}")
    if optimal:
        out.print("\nOptimal ranking:", " > ".join(labels[c] for c in optimal.ranking))
        only = "it is the only one" if optimal.unique else "others do as well"
        out.print(f"It agrees with the voters on {optimal.score:,} judgements of pairs; {only}.")
    return None


def _count_later(first: "Comparison", seconds: float, start: float) -> "Comparison":
    """What the rules decide that were not settled at first, in the time that is left for them."""
    from elect.comparison import Comparison, compare

    later = Comparison(first.profile)
    for i, name in enumerate(first.unsettled):
        left = (seconds - (monotonic() - start)) / (len(first.unsettled) - i)
        if left <= FIRST_SECONDS:
            later.unsettled[name] = first.unsettled[name]
            continue
        with working(f"Counting {name}, for up to {left:.0f} s…"):
            found = compare(first.profile, [name], seconds=left)
        later.decisions.extend(found.decisions)
        later.unsettled.update(found.unsettled)
    return later


def _answers(decisions: Sequence["Decision"], width: int, seconds: float) -> Table:
    from elect.deadlines import time_limit

    answers = table("rule", "winner", "why")
    answers.columns[1].max_width = width // 3
    with time_limit(seconds):
        for decision in decisions:
            answers.add_row(decision.rule.shown, named_winners(decision), decision.why)
    return answers


def _print_notes(out: Console, title: str, notes: dict[str, list[str]]) -> None:
    if notes:
        out.print(Text(f"\n{title}", "bold"))
        rows = plain_table((", ".join(names), reason) for reason, names in notes.items())
        rows.columns[0].max_width = out.width // 3
        out.print(rows)


def named_winners(decision: "Decision") -> Text:
    """The winners' names, and that it is a tie if it is one."""
    names = Text(", ").join(Text(name, "bold") for name in decision.winners)
    return names.append(" (tie)") if len(decision.winners) > 1 else names


def describe(profile: "Profiles") -> Text:
    """How many vote for how many and how, and who wins every pair."""
    from elect.rules.base import condorcet

    kinds = [("truncated", profile.truncated), ("tied", profile.tied)]
    kind = " and ".join(name for name, present in kinds if bool(present)) or "complete"
    voters, candidates = int(profile.num_voters), int(profile.num_candidates)
    found = condorcet(profile)
    return Text.assemble(
        f"{voters:,} voter{'s' * (voters != 1)}, ",
        f"{candidates:,} candidate{'s' * (candidates != 1)}, {kind} ballots\n",
        "No Condorcet winner: nobody beats everyone else head to head."
        if found is None
        else Text.assemble(
            "Condorcet winner: ",
            (profile.labels[found], "bold"),
            " beats everyone else head to head.",
        ),
    )


def _record(decision: "Decision", seconds: float) -> dict[str, Any]:
    from elect.deadlines import time_limit
    from elect.errors import Unsettled

    scores: dict[str, Any]
    try:
        with time_limit(seconds):
            scores = dict(decision.scores)
    except Unsettled:
        # The winners are known, the scores of the others take too long.
        scores = dict.fromkeys(decision.profile.labels)
    found = {"rule": decision.rule.spec, "winners": decision.winners, "scores": scores}
    return {**found, **_beliefs(decision)}


def _beliefs(decision: "Decision") -> dict[str, Any]:
    """What JSON says of learned rules only."""
    learned = _learned(decision)
    if learned is None:
        return {}
    return {"probabilities": learned.probabilities, "caveats": learned.caveats}


def _learned(decision: "Decision") -> "LearnedDecision | None":
    from elect.learned import LearnedDecision

    return decision if isinstance(decision, LearnedDecision) else None


def _briefly(decisions: Sequence["Decision"]) -> Table:
    """Trained rules, whom they elect, and how sure they are."""
    answers = table("trained rule", "winner", "probability")
    answers.columns[2].justify = "right"
    for one in decisions:
        learned = _learned(one)
        assert learned is not None
        answers.add_row(one.rule.spec, named_winners(one), f"{max(learned.chances):.2f}")
    return answers


def _caveats(decisions: Sequence["Decision"]) -> list[str]:
    """What is to be said below a table, each thing once and of whom it is true."""
    notes: dict[str, list[str]] = {}
    trained = 0
    for decision in decisions:
        trained += _learned(decision) is not None
        for note in decision.caveats:
            notes.setdefault(note, []).append(decision.rule.spec)
    everyone = f"All {trained} trained rules"
    return [
        f"{everyone if len(who) == trained > 1 else ', '.join(who)}: {note}"
        for note, who in notes.items()
    ]


def _title(path: Path) -> str:
    """The title that a PrefLib file gives itself, and the file's name."""
    # What is not a file, such as a pipe, can be read only once.
    text = path.read_text("utf-8", errors="replace") if path.is_file() else ""
    title = re.search(r"^# *TITLE: *(\S.*)$", text, re.MULTILINE)
    return f"{title[1].strip()} ({path.name})" if title else path.name
