"""Where rules can go wrong, told to people who have never heard of axioms."""

from collections.abc import Mapping
from html import escape
from math import isinf

from elect.auditing import Audit, Finding
from elect.auditing.likeness import Likeness
from elect.auditing.results import WorstCase
from elect.auditing.shrinking import Counterexample, lines
from elect.designing.contenders import LEARNED, WORDS
from elect.designing.wording import amount, and_list, percent, span
from elect.measuring.estimates import Estimate

Audits = Mapping[str, Audit]

PROMISES = {
    "anonymity": "All voters count alike",
    "neutrality": "All candidates are treated alike",
    "unanimity": "What everyone agrees on is respected",
    "majority": "The favourite of a majority wins",
    "condorcet_winner": "Whoever beats everyone head to head wins",
    "condorcet_loser": "Whoever loses to everyone head to head does not win",
    "monotonicity": "More support never hurts a winner",
    "participation": "Nobody does better by staying away",
    "reversal_symmetry": "If all ballots are turned upside down, so is the result",
    "reinforcement": "What two districts both choose, they choose together",
    "independence_of_clones": "Look-alike candidates neither help nor hurt",
}


def axiom_table(audits: Audits) -> str:
    """What one may expect of a rule, and how often each rule breaks it."""
    if not audits:
        return "<p>The promises that one may expect of a rule are about rankings; none applies.</p>"
    first = next(iter(audits.values()))
    head = "".join(f"<th>{escape(WORDS[name][0])}</th>" for name in audits)
    rows = "".join(
        f"<tr><th>{PROMISES.get(axiom, axiom)}<small>{escape(finding.definition)}</small></th>"
        + "".join(_verdict(audit.axioms[axiom], WORDS[name][0]) for name, audit in audits.items())
        + "</tr>"
        for axiom, finding in first.axioms.items()
    )
    return (
        "<p>No rule keeps all promises that one would like it to keep. So the best few were put "
        f"to the test in {first.elections:,} small elections each. A share is that of the "
        "elections in which the promise matters. For every promise that is broken there are "
        'ballots below that show it.</p><table class="cards axioms"><thead><tr><th>Promise</th>'
        f"{head}</tr></thead><tbody>{rows}</tbody></table>{_misreports(audits)}"
    )


def _verdict(finding: Finding, title: str) -> str:
    if finding.holds is None and not finding.broken:
        return f'<td data-label="{escape(title)}">did not come up</td>'
    count = finding.holds.elections if finding.holds else 0
    if not finding.broken and finding.holds is not None:
        most = amount(1 - finding.holds.low, 2)
        mark, text, small = "yes", "✓ kept", f"in all {count:,}; broken in at most {most}"
    elif finding.holds is not None and finding.holds.value < 1:
        broken = _rest(finding.holds)
        mark, text = "no", f"✗ broken in {amount(broken.value)}"
        small = f"{span(broken)} of {count:,}"
    else:
        mark, text = "no", "✗ can be broken"
        small = f"never in {count:,}, but in ballots found by search" if count else "by search"
    return (
        f'<td data-label="{escape(title)}"><span class="{mark}">{text}</span>'
        f'<span class="ci">{small}</span></td>'
    )


def _rest(one: Estimate) -> Estimate:
    return Estimate(1 - one.value, 1 - one.high, 1 - one.low, one.elections)


def _misreports(audits: Audits) -> str:
    said = [
        f"<li><b>{escape(WORDS[name][0])}</b>: in {percent(found.elections)} of elections some "
        f"voter could have got a better result; the gain of a voter picked at random is "
        f"{percent(found.gain, 2)} of what lies between their best and worst candidate.</li>"
        for name, audit in audits.items()
        if (found := audit.manipulability) and found.elections and found.gain
    ]
    if not said:
        return ""
    return (
        "<h3>Does it pay to vote other than one thinks?</h3><p>A single voter who knows all other "
        f"ballots casts another one than the honest one:</p><ul>{''.join(said)}</ul>"
    )


def worst_cases(audits: Audits) -> str:
    """How bad the choice can be if voters feel as unfavourably as their ballots allow."""
    said = [
        f"<li><b>{escape(WORDS[name][0])}</b>: {_worst(audit.worst_case)}</li>"
        for name, audit in audits.items()
        if audit.worst_case
    ]
    if not said:
        return ""
    return (
        "<h3>The worst case</h3><p>Ballots say whom a voter prefers, not how strongly. Suppose "
        "voters feel about the candidates in whatever way is worst for the rule, as far as their "
        "ballots allow. By how much could another candidate then be better than the elected, for "
        f"the sum of all voters?</p><ul>{''.join(said)}</ul>"
    )


def _worst(found: WorstCase) -> str:
    median = found.quantiles.get(0.5)
    middle = ""
    if median is not None:
        middle = (
            "in half of the elections there is no limit; "
            if isinf(median.value)
            else f"in half of the elections at most {median.value:.1f} times as good "
            f"({_times(median.low)}–{_times(median.high)}); "
        )
    limit = (
        "The search found ballots without any limit, since the elected is nobody's first choice"
        if isinf(found.found)
        else f"The worst ballots that a search found allow {found.found:.1f} times"
    )
    ballots = "".join(f"{escape(line)}\n" for line in lines(found.election))
    return (
        f"{middle}without limit in {percent(found.unbounded)} of them. {limit}."
        f"<details><summary>These ballots</summary><pre>{ballots}</pre><p>Elected: "
        f"{escape(and_list(found.winners))}.</p></details>"
    )


def _times(value: float) -> str:
    return "∞" if isinf(value) else f"{value:.1f}"


def likenesses(audits: Audits) -> str:
    """What the trained rule is like."""
    found = audits[LEARNED].likeness if LEARNED in audits else None
    if found is None:
        return ""
    return (
        "<h3>What the trained rule is like</h3><p>A network does not explain itself, but one can "
        f"look for simple rules that elect the same. {_alike(found)}</p>"
    )


def _alike(found: Likeness) -> str:
    m = max(found.vectors)
    vector = ", ".join(f"{100 * point:.0f}" for point in found.vectors[m])
    points = f"with {m} candidates {vector} points for the places"
    scoring = f"which is {WORDS[found.vector_name][0]}" if found.vector_name else points
    pairs = WORDS[found.pairwise_name][0] if found.pairwise_name else "a function of the margins"
    return (
        f"The points rule that comes closest ({escape(scoring)}) elects one of its winners in "
        f"{percent(found.vector_agreement)} of fresh elections, and the closest rule that compares "
        f"pairs ({escape(pairs)}) in {percent(found.pairwise_agreement)}."
    )


def examples(audits: Audits) -> str:
    """Ballots that break promises, small enough to be checked by hand."""
    parts = [
        f"<details><summary><b>{escape(WORDS[name][0])}</b>: {len(found)} "
        f"{'example' if len(found) == 1 else 'examples'}</summary>"
        f"{''.join(_example(axiom, one) for axiom, one in found.items())}</details>"
        for name, audit in audits.items()
        if (found := audit.counterexamples)
    ]
    if not parts:
        return ""
    return (
        "<h3>Ballots that show it</h3><p>Each line is a number of voters and their order of the "
        f"candidates.</p>{''.join(parts)}"
    )


def _example(axiom: str, found: Counterexample) -> str:
    elections = "".join(
        f"<div><small>{escape(label)}</small><pre>{escape(chr(10).join(lines(election)))}</pre>"
        f"<p><small>Elected: {escape(and_list(found.winners[label]))}</small></p></div>"
        for label, election in found.elections.items()
    )
    promise = PROMISES.get(axiom, "It does not pay to vote other than one thinks")
    return (
        f"<details><summary>Broken: {escape(promise)}</summary>"
        f'<p>{escape(found.sentence)}</p><div class="pair">{elections}</div></details>'
    )
