"""The values that ``design.html.jinja`` shows in the report of a design."""

import re
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

from elect import reports
from elect.designing.contestants import LEARNED, OPTIMAL, SIMPLICITY, WORDS
from elect.designing.measuring import Standing
from elect.designing.recommendation import NEARLY, title
from elect.designing.whatif import WhatIf
from elect.reports import charts
from elect.reports.margin_graph import margin_graph_svg
from elect.reports.numbers import and_list, first_upper, percent, sizes
from elect.words import listed

if TYPE_CHECKING:
    from elect.designing.result import Design

Values = dict[str, Any]

# Well-known rules whose histograms are shown next to those of the recommended rules.
FAMILIAR = ("plurality", "borda", "instant_runoff")

# Up to how many candidates there is a table of all pairs, and a picture of them.
PAIRED, PICTURED = 14, 10

# Numbers of candidates for which points are printed.
PRINTED = 12


class Words(NamedTuple):
    """The title of a rule, how it counts, and how simple it is, as text."""

    title: str
    counting: str
    simplicity: str


def page(design: "Design") -> str:
    """The whole report."""
    values = {
        **_answer(design),
        **_comparison(design),
        **_risks(design),
        **_other_voters(design),
        "own": _own_ballots(design, design.what_if) if design.what_if else None,
        "points": _points(design),
        "version": version("elect"),
    }
    return reports.render("design.html.jinja", design=design, **values)


# ---------------------------------------------------------------------- the answer


def _answer(design: "Design") -> Values:
    who, drawn = design.electorate.name, design.electorate.profile is None
    voters = f"voters of the {who} kind" if drawn else f"the voters of {who}"
    return {
        "heading": f"A study for {voters}",
        "welfare": first_upper(design.purpose.name),
        "summary": _facts(design),
        "advised": _advised(design),
        "cautions": _cautions(design),
        "words": {name: Words(*words[:2], SIMPLICITY[words[2]]) for name, words in WORDS.items()},
        "LEARNED": LEARNED,
        "OPTIMAL": OPTIMAL,
    }


def _advised(design: "Design") -> list[str]:
    return list(dict.fromkeys([design.advice.recommended, design.advice.simplest]))


def _facts(design: "Design") -> dict[str, str]:
    purpose = design.purpose
    facts = {
        "Elections": sizes(design.voters, design.candidates),
        "Who votes": design.electorate.told,
        "What is good": f"{first_upper(purpose.name)} welfare: {purpose.told}.",
    }
    if design.ceiling is not None:
        posterior = design.electorate.posterior
        # A rule that treats all candidates alike may be unable to reach such a ceiling.
        known = posterior is not None and not posterior.symmetric
        also = ", even one that knows how popular each candidate is beforehand" if known else ""
        facts["What is possible"] = (
            "Ballots do not show utilities: no rule that sees only ballots can reach more than "
            f"{percent(design.ceiling[1])} on average{also}."
        )
    if design.rule is not None:
        facts["The trained rule"] = f"{first_upper(design.origin)}."
    return facts


def _cautions(design: "Design") -> list[str]:
    name, notes = design.advice.recommended, []
    if name == LEARNED:
        notes.append(
            "A trained rule cannot be counted by hand: its users must trust a computer. It was "
            f"tested only on {sizes(design.voters, design.candidates)}."
        )
    findings = design.audits[name].axioms.values() if name in design.audits else []
    if broken := sum(finding.broken for finding in findings):
        notes.append(
            f"{first_upper(title(name))} broke {broken} of {len(findings)} promises that "
            "people may expect of a rule; see “Where it can go wrong”."
        )
    return notes


# ---------------------------------------------------------------------- what rules reach


def _comparison(design: "Design") -> Values:
    low = charts.floor(one.quantiles for one in design.standings)
    wanted = {*design.advice, LEARNED, *FAMILIAR}
    pictured = [one for one in design.standings if one.name in wanted]
    return {
        "elections": max(one.ratio.elections for one in design.standings),
        "tags": {one.name: _tags(design, one) for one in design.standings},
        "low": low,
        "table_notes": [*_table_notes(design), *_left_out(design)],
        "pictured": pictured,
        "most": charts.highest((one.histogram for one in pictured), low),
    }


def _tags(design: "Design", one: Standing) -> list[str]:
    tags = {
        "recommended": design.advice.recommended,
        "simplest within 1 %": design.advice.simplest,
    }
    return [tag for tag, name in tags.items() if name == one.name]


def _table_notes(design: "Design") -> list[str]:
    most = max(one.ratio.elections for one in design.standings)
    few = [one for one in design.standings if one.ratio.elections < most]
    notes = [
        "The line on the right holds nine of ten elections, its broad part half of them; the mark "
        "is the average.",
        f"From simple to involved: {', '.join(SIMPLICITY)}. The simplest rule is the first in this "
        f"order that surely gives up less than {100 * NEARLY:g} %.",
    ]
    if few:
        names = listed([WORDS[one.name][0] for one in few], most=9)
        fewest = min(one.ratio.elections for one in few)
        notes.append(
            f"{names} take long to count, or gave up on hard elections, and decided {fewest:,} "
            "elections or more; what they give up is measured on those."
        )
    return notes


def _left_out(design: "Design") -> list[str]:
    reasons: dict[str, list[str]] = {}
    for name, reason in design.refused.items():
        # The rule's name goes before, and what to use instead is what all this is about.
        said = re.sub(r"^\w+ (?=needs )", "", reason.split(";")[0].rstrip("."))
        reasons.setdefault(f"{first_upper(said)}.", []).append(WORDS[name][0])
    return [
        f"{and_list(rules)} {'is' if len(rules) == 1 else 'are'} left out. {reason}"
        for reason, rules in reasons.items()
    ]


def _points(design: "Design") -> dict[int, list[str]]:
    """What each place is worth, the first 100 and the last 0, as whole numbers."""
    shown = list(design.points)[:: max(1, -(-len(design.points) // PRINTED))]
    rows = {}
    for m in shown:
        points = design.points[m]
        span = (points[0] - points[-1]) or 1
        rows[m] = [f"{100 * (point - points[-1]) / span:.0f}" for point in points]
    return rows


# ---------------------------------------------------------------------- where it can go wrong


def _risks(design: "Design") -> Values:
    audits = {WORDS[name][0]: audit for name, audit in design.audits.items()}
    examples = {called: audit.counterexamples for called, audit in audits.items()}
    values: Values = {
        "audits": audits,
        "examples": {called: several for called, several in examples.items() if several},
        "nearest": None,
    }
    learned = design.audits.get(LEARNED)
    if learned and (nearest := learned.nearest_rule):
        m = max(nearest.vectors)
        vector = ", ".join(f"{100 * point:.0f}" for point in nearest.vectors[m])
        points = f"with {m} candidates {vector} points for the places"
        scoring, pairwise = nearest.vector_name, nearest.pairwise_name
        values |= {
            "nearest": nearest,
            "nearest_scoring": f"which is {WORDS[scoring][0]}" if scoring else points,
            "nearest_pairwise": WORDS[pairwise][0] if pairwise else "a function of the margins",
        }
    return values


# ---------------------------------------------------------------------- other voters, own ballots


def _other_voters(design: "Design") -> Values:
    others = {
        assumed: {"best": several[0].name, "by": {one.name: one for one in several}}
        for assumed, several in design.others.items()
    }
    return {"others": others}


def _own_ballots(design: "Design", found: WhatIf) -> Values:
    winners: dict[tuple[str, ...], list[str]] = {}
    for one in design.standings:
        if one.name in found.winners:
            winners.setdefault(tuple(found.names(one.name)), []).append(WORDS[one.name][0])
    profile, size = found.profile, int(found.profile.num_candidates)
    margins = zip(profile.labels[:size], profile.margins[0, :size, :size].tolist(), strict=True)
    return {
        "voters": int(profile.num_voters),
        "candidates": size,
        "winners": winners,
        "refused": [WORDS[name][0] for name in found.refused],
        "margins": dict(margins) if size <= PAIRED else None,
        **_picture(design, found),
    }


def _picture(design: "Design", found: WhatIf) -> Values:
    """The margin graph, where it can be drawn."""
    if not find_spec("matplotlib") or found.profile.num_candidates > PICTURED:
        return {"picture": None}
    rule = next(name for name in (*design.advice, *found.winners) if name in found.winners)
    return {
        "picture": margin_graph_svg(found.profile, found.winners[rule]),
        "highlighted": "the winner" if len(found.winners[rule]) == 1 else "each tied winner",
        "pictured_rule": title(rule),
    }
