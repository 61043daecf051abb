"""Commands that count the ballots of a file: winner and rank."""

import re
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain
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
    from elect.elections import Profiles
    from elect.explain import LearnedOutcome, Outcome

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

# Without a time limit of its own: `elect.deadlines` is not imported before it is needed.
DEFAULT_SECONDS = 60.0
# Unasked, trained rules are left out of larger elections: they take long and were measured on 40
# candidates at most.
MOST_FOR_TRAINED = 100
TRAINED_LEFT_OUT = (
    f"are left out where there are more than {MOST_FOR_TRAINED} candidates; ask for one by name, "
    "as in --rule tally-borda."
)
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
        from elect.files import read

        profile = read(file)
        first = count(profile, rule, seconds=seconds if rule else min(FIRST_SECONDS, seconds))
        caveats = _caveats([one for one, _ in first.counted])
    if as_json:
        later = _count_later(profile, first, seconds, start)
        counted = [_record(one, seconds) for one, _ in (*first.counted, *later.counted)]
        return emit([*counted, *_late(later)])
    out = console()
    out.print(Text(_title(file), "bold"))
    out.print(describe(profile), end="\n\n")
    # Unasked, trained rules say no more than they must: there are many.
    brief = [] if rule else [one for one, _ in first.counted if _learned(one)]
    out.print(_answers([pair for pair in first.counted if pair[0] not in brief], out.width))
    if brief:
        out.print()
        out.print(_briefly(brief))
    for caveat in caveats:
        out.print(f"\n{caveat}")
    later = _count_later(profile, first, seconds, start)
    if later.counted:
        out.print(Text("\nThese took longer", "bold"))
        out.print(_answers(later.counted, out.width))
    if not first.counted and not later.counted:
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
        from elect.explain import LearnedOutcome, definition
        from elect.explain import outcome as find
        from elect.files import read
        from elect.rules.kemeny import kemeny_ranking

        stack.enter_context(time_limit(seconds))
        profile = read(file)
        outcome = find(rule, profile)
        scores, labels = outcome.scores, profile.labels
        learned = outcome if isinstance(outcome, LearnedOutcome) else None
        exact = learned is None and outcome.name == "kemeny"
        optimal = kemeny_ranking(profile) if exact else None
    order = sorted(range(outcome.size), key=lambda c: -scores[c])
    places = {c: 1 + sum(score > scores[c] for score in scores) for c in order}
    if as_json:
        rows = [{"place": places[c], "candidate": labels[c], "score": scores[c]} for c in order]
        record: dict[str, Any] = {"rule": rule, "order": rows}
        if optimal:
            record["ranking"] = [labels[c] for c in optimal.ranking]
            record |= {"score": optimal.score, "unique": optimal.unique}
        return emit(record | _beliefs(outcome))
    out = console()
    out.print(Text(f"{_title(file)}, by {rule}", "bold"))
    said = "Its probability to win." if learned else definition(outcome.name)
    shown = [f"{chance:.4f}" for chance in learned.probabilities] if learned else None
    out.print(Text(f"Score: {said}"), end="\n\n")
    answers = table("place", "candidate", "score")
    for column in (answers.columns[0], answers.columns[2]):
        column.justify = "right"
    for c in order:
        answers.add_row(str(places[c]), labels[c], shown[c] if shown else f"{scores[c]:,}")
    out.print(answers)
    for caveat in _caveats([outcome]):
        out.print(f"\n{caveat}")
    if optimal:
        out.print("\nOptimal ranking:", " > ".join(labels[c] for c in optimal.ranking))
        only = "it is the only one" if optimal.unique else "others do as well"
        out.print(f"It agrees with the voters on {optimal.score:,} judgements of pairs; {only}.")
    return None


@dataclass(frozen=True)
class Counted:
    """What rules say to one election.

    Attributes:
        counted: the rules that were counted, each with why it elects whom it elects.
        refused: why rules do not count such ballots, and which.
        unsettled: the rules that took too long, and what is known of their winners.
    """

    counted: list[tuple["Outcome", str]]
    refused: dict[str, list[str]]
    unsettled: dict[str, str]


def count(
    profile: "Profiles",
    asked: Sequence[str] | None = None,
    *,
    trained: bool = True,
    seconds: float = DEFAULT_SECONDS,
) -> Counted:
    """What each rule says within so many seconds; if none was asked for, all are, the shelf's too
    unless only exact ones are wanted, and those that refuse say why."""
    from elect.auditing.subject import OWN, OwnOutcome
    from elect.checkpoints import shelf
    from elect.deadlines import time_limit
    from elect.errors import Unsettled
    from elect.explain import outcomes, sentence
    from elect.rules import RULES

    result = Counted([], {}, {})
    # A scoring rule is none without its vector.
    specs = asked or [name for name in RULES if name != "scoring"]
    if not asked and trained and profile.ranks.shape[2] <= MOST_FOR_TRAINED:
        specs = [*specs, *shelf()]
    elif not asked and trained:
        result.refused[TRAINED_LEFT_OUT] = ["trained rules"]
    found = (
        [OwnOutcome(spec, profile)] if OWN.fullmatch(spec) else outcomes(spec, profile)
        for spec in specs
    )
    for outcome in chain.from_iterable(found):
        try:
            with time_limit(seconds):
                _ = outcome.winners
                result.counted.append((outcome, sentence(outcome)))
        except Unsettled as error:
            result.unsettled[outcome.spec] = str(error)
        except ElectError as error:
            if asked:
                raise
            reason = str(error).removeprefix(f"{outcome.spec} ")
            result.refused.setdefault(reason, []).append(outcome.spec)
    return result


def _count_later(profile: "Profiles", first: Counted, seconds: float, start: float) -> Counted:
    """What the rules say that were not settled at first, in the time that is left for them."""
    later = Counted([], {}, {})
    for i, spec in enumerate(first.unsettled):
        left = (seconds - (monotonic() - start)) / (len(first.unsettled) - i)
        if left <= FIRST_SECONDS:
            later.unsettled[spec] = first.unsettled[spec]
            continue
        with working(f"Counting {spec}, for up to {left:.0f} s…"):
            found = count(profile, [spec], seconds=left)
        later.counted.extend(found.counted)
        later.unsettled.update(found.unsettled)
    return later


def _answers(counted: Sequence[tuple["Outcome", str]], width: int) -> Table:
    answers = table("rule", "winner", "why")
    answers.columns[1].max_width = width // 3
    for outcome, reason in counted:
        answers.add_row(outcome.spec, named_winners(outcome), reason)
    return answers


def _print_notes(out: Console, title: str, notes: dict[str, list[str]]) -> None:
    if notes:
        out.print(Text(f"\n{title}", "bold"))
        rows = plain_table((", ".join(names), reason) for reason, names in notes.items())
        rows.columns[0].max_width = out.width // 3
        out.print(rows)


def _late(later: Counted) -> list[dict[str, Any]]:
    """What JSON says of rules that were not settled."""
    return [
        {"rule": spec, "winners": [], "scores": {}, "unsettled": known}
        for spec, known in later.unsettled.items()
    ]


def named_winners(outcome: "Outcome") -> Text:
    """The winners' names, and that it is a tie if it is one."""
    names = Text(", ").join(Text(outcome.profile.labels[c], "bold") for c in outcome.winners)
    return names.append(" (tie)") if len(outcome.winners) > 1 else names


def describe(profile: "Profiles") -> Text:
    """How many vote for how many and how, and who wins every pair."""
    from elect.explain import condorcet

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


def _record(outcome: "Outcome", seconds: float) -> dict[str, Any]:
    from elect.deadlines import time_limit
    from elect.errors import Unsettled

    labels = outcome.profile.labels
    scores: dict[str, int | float | None]
    try:
        with time_limit(seconds):
            scores = {labels[c]: score for c, score in enumerate(outcome.scores)}
    except Unsettled:
        # The winners are known, the scores of the others take too long.
        scores = dict.fromkeys(labels)
    won = [labels[c] for c in outcome.winners]
    return {"rule": outcome.spec, "winners": won, "scores": scores, **_beliefs(outcome)}


def _beliefs(outcome: "Outcome") -> dict[str, Any]:
    """What JSON says of learned rules only."""
    learned = _learned(outcome)
    if learned is None:
        return {}
    chances = dict(zip(outcome.profile.labels, learned.probabilities, strict=True))
    return {"probabilities": chances, "caveats": learned.caveats}


def _learned(outcome: "Outcome") -> "LearnedOutcome | None":
    from elect.explain import LearnedOutcome

    return outcome if isinstance(outcome, LearnedOutcome) else None


def _briefly(outcomes: Sequence["Outcome"]) -> Table:
    """Trained rules, whom they elect, and how sure they are."""
    answers = table("trained rule", "winner", "probability")
    answers.columns[2].justify = "right"
    for one in outcomes:
        learned = _learned(one)
        assert learned is not None
        sure = max(learned.probabilities)
        answers.add_row(one.spec, named_winners(one), f"{sure:.2f}")
    return answers


def _caveats(outcomes: Sequence["Outcome"]) -> list[str]:
    """What is to be said below a table, each thing once and of whom it is true."""
    notes: dict[str, list[str]] = {}
    trained = 0
    for outcome in outcomes:
        learned = _learned(outcome)
        trained += learned is not None
        for note in learned.caveats if learned else ():
            notes.setdefault(note, []).append(outcome.spec)
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
