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
        help="The time limit for rules that can be slow with many candidates: Kemeny, Slater, "
        "Dodgson, Young and ranked pairs.",
    ),
]

# As in `elect.deadlines`, which is not imported before it is needed.
DEFAULT_SECONDS = 60.0
# Rules that take longer than this are counted after the others have been printed.
FIRST_SECONDS = 1.0


def winner(
    file: File,
    rule: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A rule, or the folder or name of a trained rule; repeat the option for several. "
            "Default: all rules.",
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
    # By default there are many trained rules, so each gets only a short row.
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
            metavar="NAME",
            help="A rule, with or without settings, or the folder or name of a trained rule.",
        ),
    ],
    seconds: Seconds = DEFAULT_SECONDS,
    limit: Limit = None,
    as_json: Json = False,
) -> None:
    """Rank all candidates by score; equal scores share a place."""
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
    score = "The probability of winning." if learned else decision.rule.definition
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
        only = "it is the only one" if optimal.unique else "other rankings score the same"
        out.print(f"It agrees with the voters on {optimal.score:,} judgements of pairs; {only}.")
    return None


def _count_later(first: "Comparison", seconds: float, start: float) -> "Comparison":
    """Count the rules that were too slow at first, in the time that is left."""
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
    """The winners' names, marked if they are tied."""
    names = Text(", ").join(Text(name, "bold") for name in decision.winners)
    return names.append(" (tie)") if len(decision.winners) > 1 else names


def describe(profile: "Profiles") -> Text:
    """The numbers of voters and candidates, the kind of ballots, and the Condorcet winner."""
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
        # The winners are known, but computing all scores takes too long.
        scores = dict.fromkeys(decision.profile.labels)
    found = {"rule": decision.rule.spec, "winners": decision.winners, "scores": scores}
    return {**found, **_beliefs(decision)}


def _beliefs(decision: "Decision") -> dict[str, Any]:
    """The JSON fields that only learned rules have."""
    learned = _learned(decision)
    if learned is None:
        return {}
    return {"probabilities": learned.probabilities, "caveats": learned.caveats}


def _learned(decision: "Decision") -> "LearnedDecision | None":
    from elect.learned import LearnedDecision

    return decision if isinstance(decision, LearnedDecision) else None


def _briefly(decisions: Sequence["Decision"]) -> Table:
    """A table of trained rules, their winners and the winners' probabilities."""
    answers = table("trained rule", "winner", "probability")
    answers.columns[2].justify = "right"
    for one in decisions:
        learned = _learned(one)
        assert learned is not None
        answers.add_row(one.rule.spec, named_winners(one), f"{max(learned.chances):.2f}")
    return answers


def _caveats(decisions: Sequence["Decision"]) -> list[str]:
    """The notes below a table; each note appears once, with the rules that it applies to."""
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
    """The title in a PrefLib file, and the name of the file."""
    # A pipe can be read only once, so only regular files are read for their title.
    text = path.read_text("utf-8", errors="replace") if path.is_file() else ""
    title = re.search(r"^# *TITLE: *(\S.*)$", text, re.MULTILINE)
    return f"{title[1].strip()} ({path.name})" if title else path.name
