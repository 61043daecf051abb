"""An audit as text: a small table, and a paragraph for each other result."""

from collections.abc import Iterator
from math import isfinite
from typing import TYPE_CHECKING

from elect.auditing.shrink import Counterexample
from elect.measuring.estimates import Estimate
from elect.reports.numbers import count, text_table
from elect.words import listed

if TYPE_CHECKING:
    from elect.auditing.result import Audit, Finding

HEADS = ("axiom", "applies (%)", "of those, holds (%)", "fails at")
SEARCHED = "* Found by a search; in the sample the axiom holds."


def table(found: "Audit") -> str:
    """The rule, the elections, and a line for each axiom."""
    lines = [f"Audit of {found.rule}", sampled(found), "", text_table(HEADS, cells(found))]
    if any(finding.by_search for finding in found.axioms.values()):
        lines.append(SEARCHED)
    return "\n".join(lines)


def sampled(found: "Audit") -> str:
    """On what elections the rule was audited."""
    sizes = [f"{low}-{high}" for low, high in (found.voters, found.candidates)]
    return (
        f"{found.elections:,} elections from {found.source} with {sizes[0]} voters and {sizes[1]} "
        f"candidates; seed {found.seed}. In brackets are 95 % intervals."
    )


def cells(found: "Audit") -> list[list[str]]:
    """The table of axioms."""
    return [_cells(finding) for finding in found.axioms.values()]


def _cells(finding: "Finding") -> list[str]:
    example = finding.counterexample
    size = count(example.voters, "voter") if example else ""
    return [
        finding.axiom.title,
        _percent(finding.applies, 1),
        _percent(finding.holds, 2),
        size + "*" * finding.by_search,
    ]


def sections(found: "Audit") -> Iterator[tuple[str, list[str]]]:
    """For each thing that was found a title and lines of text; ballots are indented."""
    examples, said = found.counterexamples, paragraphs(found)
    for finding in found.axioms.values():
        if finding.note:
            yield finding.axiom.title, [finding.note]
    for name in dict.fromkeys([*examples, *said]):
        lines = [said[name]] if name in said else []
        lines += _example(examples[name]) if name in examples else []
        lines += [
            f"  elect winner {path} --rule {found.rule}"
            for path in found.files.get(name, {}).values()
        ]
        yield name.replace("_", " ").capitalize(), lines


def _example(example: Counterexample) -> list[str]:
    lines = [example.sentence]
    for label, ballots in example.ballots.items():
        winners = example.winners[label]
        lines.append(f"  {label}, elects {listed(winners, len(winners))}:")
        lines += [f"    {ballot}" for ballot in ballots]
    if not example.repeats:
        lines.append("  A file cannot show this, as it holds equal ballots together.")
    return lines


def paragraphs(found: "Audit") -> dict[str, str]:
    """What was found besides axioms, a paragraph each."""
    said = {
        "manipulation": _manipulation(found),
        "distortion": _distortion(found),
        "nearest_rule": _nearest_rule(found),
        "imitation": found.imitation
        and f"It elects exactly the winners of {found.imitation.of} in "
        f"{_share(found.imitation.exact)} of elections.",
    }
    return {name: text for name, text in said.items() if text}


def _manipulation(found: "Audit") -> str | None:
    figures = found.manipulability
    if figures is None:
        return None
    best = ""
    if figures.gain_if_any:
        best = f" There, the best manipulator gains {figures.gain_if_any} on average."
    return (
        f"Some voter gains by misreporting in {_share(figures.elections)} of elections.{best} A "
        f"voter drawn at random gains {figures.gain} on average. A gain of 1 is the distance "
        f"between a voter's best and worst candidate. Tried: {figures.misreports}; utilities "
        f"{figures.utilities}; a tie is worth its {figures.ties}.{_published(found)}"
    )


def _published(found: "Audit") -> str:
    if found.published is None:
        return ""
    ours, ideal, learned = (
        found.published.ours,
        found.published.ideal,
        found.published.learned,
    )
    said = f" With 6 candidates and 10 or 11 voters the gain is {ours.gain} ({ours.misreports}); "
    if ideal is None:
        return said + "no figure is published for this rule."
    network = ""
    if learned is not None:
        network = f", and {learned:.3f} for the best network that knows majorities only"
    return said + (
        f"Holliday, Kristoffersen and Pacuit publish {ideal[0]:.3f} (10) and {ideal[1]:.3f} (11) "
        f"for a manipulator who knows all ballots{network}."
    )


def _distortion(found: "Audit") -> str | None:
    worst = found.worst_case
    if worst is None:
        return None
    levels = ", ".join(
        f"{level:.0%} have at most {one.value:.3g}"
        for level, one in worst.quantiles.items()
        if isfinite(one.value)
    )
    largest = f"{worst.found:.3g}" if isfinite(worst.found) else "unbounded"
    return (
        "Distortion is the largest ratio of the best candidate's welfare to that of the elected, "
        f"over all utilities that fit the ballots. Of the elections, {levels or 'none has a limit'}"
        f"; it is unbounded in {_share(worst.unbounded)}. The largest that a search found is "
        f"{largest}, with {count(int(worst.election.num_voters), 'voter')} and "
        f"{count(int(worst.election.num_candidates), 'candidate')}."
    )


def _nearest_rule(found: "Audit") -> str | None:
    near = found.nearest_rule
    if near is None:
        return None
    vectors = "; ".join("/".join(f"{points:g}" for points in one) for one in near.vectors.values())
    return (
        f"The scoring rule nearest to it is {near.vector_name or f'that of {vectors}'}, which "
        f"elects one of its winners in {_share(near.vector_agreement)}; the nearest sum over "
        f"margins is {near.pairwise_name or 'none that has a name'}, with "
        f"{_share(near.pairwise_agreement)}."
    )


def _percent(estimate: Estimate | None, digits: int) -> str:
    if estimate is None:
        return "–"
    # Do not round a share below 1 up to 100 %.
    digits = 3 if 0.9999 < estimate.value < 1 else digits
    ends = (estimate.value, estimate.low, estimate.high)
    value, low, high = (f"{100 * end:.{digits}f}" for end in ends)
    return f"{value} ({low}–{high})"


def _share(estimate: Estimate | None) -> str:
    return _percent(estimate, 1).replace(" (", " % (", 1)
