"""The command that puts a rule to the test: audit."""

from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from elect.cli.ballots import Json
from elect.cli.cultures import Seed, parse_range
from elect.cli.limiting import Limit
from elect.cli.output import console, emit, progress, table, working
from elect.errors import ElectError
from elect.storage import require_writable

if TYPE_CHECKING:
    from elect.auditing import Audit, Finding
    from elect.auditing.shrinking import Counterexample
    from elect.measuring.estimates import Estimate

Paths = dict[str, dict[str, Path]]


def audit(
    rule: Annotated[
        str,
        typer.Argument(
            metavar="RULE",
            help="A rule, the folder or name of a trained one, or a function of your own as "
            "FILE.py:function.",
        ),
    ],
    culture: Annotated[
        str | None,
        typer.Option(metavar="C", help="Where elections come from: impartial unless said."),
    ] = None,
    data: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Or real ballots, to draw from.")
    ] = None,
    voters: Annotated[
        str | None, typer.Option(metavar="N or A-B", help="How many voters: 2-20 unless said.")
    ] = None,
    candidates: Annotated[
        str | None, typer.Option(metavar="N or A-B", help="How many candidates: 3-5 unless said.")
    ] = None,
    elections: Annotated[int, typer.Option(min=1, help="How many.")] = 10_000,
    axiom: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Only this axiom, and nothing beyond; repeat it for several. They are anonymity, "
            "neutrality, unanimity, majority, condorcet-winner, condorcet-loser, monotonicity, "
            "participation, reversal-symmetry, reinforcement, independence-of-clones.",
        ),
    ] = None,
    trials: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="T",
            help="Changes of an election to try for an axiom at most; as many as the rule's speed "
            "allows unless said.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where to write counterexamples as files of ballots."),
    ] = None,
    seed: Seed = 0,
    limit: Limit = None,
    as_json: Json = False,
) -> None:
    """Which axioms a rule breaks, with the smallest counterexamples; what misreporting is worth,
    how bad its choice can be, and which simple rule it is like."""
    n = parse_range(voters, "voters") if voters else None
    m = parse_range(candidates, "candidates") if candidates else None
    if culture and data:
        raise ElectError("Elections come from a culture or from a file; leave out one of them.")
    if out:
        # Before the work rather than after it.
        require_writable(out)
    with working("Preparing…"):
        from elect.auditing import audit as examine

    with progress("Auditing") as done:
        options: dict[str, Any] = {"axioms": axiom, "trials": trials, "beyond": not axiom}
        sizes: dict[str, Any] = {"voters": n, "candidates": m, "elections": elections}
        source = culture or "impartial"
        found = examine(rule, source, data, **sizes, seed=seed, **options, progress=done)
    paths = found.write(out) if out else {}
    if as_json:
        files = {
            name: {label: str(path) for label, path in several.items()}
            for name, several in paths.items()
        }
        return emit({**found.to_json(), "files": files})
    _print(found, paths, out)
    return None


def _print(found: "Audit", paths: Paths, out: Path | None) -> None:
    screen = console()
    sizes = [f"{low}-{high}" for low, high in (found.voters, found.candidates)]
    screen.print(Text(f"Audit of {found.rule}", "bold"))
    screen.print(
        f"{found.elections:,} elections from {found.source} with {sizes[0]} voters and {sizes[1]} "
        f"candidates; seed {found.seed}. In brackets are 95 % intervals.",
        end="\n\n",
    )
    _print_axioms(list(found.axioms.values()))
    examples, said = found.counterexamples, _beyond(found)
    for name in dict.fromkeys([*examples, *said]):
        screen.print(Text(f"\n{name.replace('_', ' ').capitalize()}", "bold"))
        if name in said:
            screen.print(said[name])
        if name in examples:
            _print_example(examples[name])
        for path in paths.get(name, {}).values():
            screen.print(f"  elect winner {path} --rule {found.rule}", soft_wrap=True)
    if out:
        screen.print(f"\nWritten to {out}: audit.json, ballots, and pictures of who beats whom.")
    else:
        screen.print("\nAdd --out DIR to get these ballots as files that `elect winner` reads.")


def _print_axioms(findings: "list[Finding]") -> None:
    answers = table("axiom", "applies (%)", "of those, holds (%)", "fails at")
    for finding in findings:
        found = finding.counterexample
        size = f"{found.voters} voter{'s' * (found.voters != 1)}" if found else ""
        title = finding.name.replace("_", " ")
        holds = Text(_percent(finding.holds, 2), "red" if finding.broken else "green")
        mark = "*" if finding.hunted else ""
        answers.add_row(title, _percent(finding.applies, 1), holds, size + mark)
    screen = console()
    screen.print(answers)
    if any(finding.hunted for finding in findings):
        screen.print("* Found by a search; in the sample the axiom holds.")
    for finding in findings:
        if finding.note:
            screen.print(f"\n{finding.name.replace('_', ' ').capitalize()}: {finding.note}")


def _print_example(example: "Counterexample") -> None:
    from elect.auditing.shrinking import lines
    from elect.words import listed

    screen = console()
    screen.print(example.sentence)
    for label, election in example.elections.items():
        screen.print(f"  {label}, elects {listed(example.winners[label], len(election.labels))}:")
        for line in lines(election):
            screen.print(f"    {line}")
    if not example.repeats:
        screen.print("  A file cannot show this, as it holds equal ballots together.")


def _beyond(found: "Audit") -> dict[str, str]:
    """Paragraphs on what was looked at beyond axioms."""
    said = {}
    if found.manipulability:
        said["manipulation"] = _manipulation(found)
    if worst := found.worst_case:
        levels = ", ".join(
            f"{level:.0%} have at most {one.value:.3g}"
            for level, one in worst.quantiles.items()
            if isfinite(one.value)
        )
        said["distortion"] = (
            "Distortion is the largest ratio of the best candidate's welfare to that of the "
            f"elected, over all utilities that fit the ballots. Of the elections, {levels}; it is "
            f"unbounded in {_share(worst.unbounded)}. The largest that a search found is "
            f"{f'{worst.found:.3g}' if isfinite(worst.found) else 'unbounded'}, with "
            f"{int(worst.election.num_voters)} voters and "
            f"{int(worst.election.num_candidates)} candidates."
        )
    if like := found.likeness:
        vectors = "; ".join(
            "/".join(f"{points:g}" for points in vector) for vector in like.vectors.values()
        )
        said["likeness"] = (
            f"The scoring rule nearest to it is {like.vector_name or f'that of {vectors}'}, which "
            f"elects one of its winners in {_share(like.vector_agreement)}; the nearest sum over "
            f"margins is {like.pairwise_name or 'none that has a name'}, with "
            f"{_share(like.pairwise_agreement)}."
        )
    if found.imitation:
        said["imitation"] = (
            f"It elects exactly the winners of {found.imitation.of} in "
            f"{_share(found.imitation.exact)} of elections."
        )
    return said


def _manipulation(found: "Audit") -> str:
    assert found.manipulability
    figures, beside = found.manipulability, found.beside
    said = (
        f"Some voter gains by misreporting in {_share(figures.elections)} of elections"
        f"{f', the most successful {figures.gain_if_any}' if figures.gain_if_any else ''}. A voter "
        f"drawn at random gains {figures.gain} on average, where 1 lies between a voter's best "
        f"and worst candidate. Tried: {figures.misreports}; utilities {figures.utilities}; a tie "
        f"is worth its {figures.ties}."
    )
    if not beside:
        return said
    said += (
        f" With 6 candidates and 10 or 11 voters it is {beside.ours.gain} "
        f"({beside.ours.misreports}); "
    )
    if not beside.ideal:
        return said + "no figure is published for this rule."
    learned = ""
    if beside.learned is not None:
        learned = f", and {beside.learned:.3f} for the best network that knows majorities only"
    return said + (
        "Holliday, Kristoffersen and Pacuit publish "
        f"{beside.ideal[0]:.3f} (10) and {beside.ideal[1]:.3f} (11) for a manipulator who knows "
        f"all ballots{learned}."
    )


def _percent(estimate: "Estimate | None", digits: int) -> str:
    if estimate is None:
        return "–"
    # What is not quite all must not look like all.
    digits = 3 if 0.9999 < estimate.value < 1 else digits
    ends = (estimate.value, estimate.low, estimate.high)
    value, low, high = (f"{100 * end:.{digits}f}" for end in ends)
    return f"{value} ({low}–{high})"


def _share(estimate: "Estimate | None") -> str:
    return _percent(estimate, 1).replace(" (", " % (", 1)
