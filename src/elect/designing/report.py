"""The design as one page of HTML that anyone can read, and that needs nothing else."""

import re
from collections.abc import Iterable
from html import escape
from importlib.metadata import version
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING

from elect.designing import charts
from elect.designing.contenders import LEARNED, OPTIMAL, SIMPLICITY, WORDS
from elect.designing.measuring import Standing
from elect.designing.recommendation import NEARLY, title
from elect.designing.risks import axiom_table, examples, likenesses, worst_cases
from elect.designing.wording import and_list, cell, percent, sizes
from elect.explain.phrases import listed

if TYPE_CHECKING:
    from elect.designing import Design

# Pictures of days good and bad beside those of the rules that are recommended.
FAMILIAR = ("plurality", "borda", "instant_runoff")

# Pairs of more candidates than these make no table or picture that one can read.
PAIRED, PICTURED = 14, 10

# Numbers of candidates for which points are printed.
PRINTED = 12

GLOSSARY = {
    "Utility": "how much a voter would gain from having a candidate, as a number.",
    "Welfare": "what a candidate is worth to all voters together, by one way to weigh utilities.",
    "Ballot": "a voter's candidates in order, best first.",
    "Rule": "a way to find the winner from the ballots.",
    "Head to head": "two candidates compared by how many voters rank one above the other.",
    "Culture": "a way to draw voters at random, so that a rule can be tried on many elections.",
    "95 % interval": "two figures between which the true one lies in 95 of 100 such studies; it "
    "would be known exactly only after endlessly many elections.",
}


def page(design: "Design") -> str:
    """The whole report."""
    template = Template((files("elect.designing") / "report.html").read_text("utf-8"))
    purpose = design.purpose
    return template.substitute(
        title=escape(f"Which rule for {purpose.name} welfare?"),
        heading=escape(f"Which voting rule? {_subject(design)}"),
        recommendation=escape(design.sentence),
        simplest=escape(design.second_sentence),
        facts=_facts(design),
        how_to_count=_how_to_count(design),
        caution=_caution(design),
        elections=f"{max(one.ratio.elections for one in design.standings):,}",
        welfare=escape(_welfare(design)),
        welfare_told=escape(purpose.told),
        table=_table(design),
        below_table=_below_table(design),
        histograms=_histograms(design),
        axioms=axiom_table(design.audits),
        worst=worst_cases(design.audits) + likenesses(design.audits),
        examples=examples(design.audits),
        what_if=_what_if(design),
        otherwise=_otherwise(design),
        computed=_computed(design),
        words=_list(f"<b>{word}</b>: {said}" for word, said in GLOSSARY.items()),
    )


def _welfare(design: "Design") -> str:
    name = design.purpose.name
    return f"{name[0].upper()}{name[1:]}"


def _subject(design: "Design") -> str:
    who = design.electorate.name
    drawn = design.electorate.profile is None
    return f"A study for {f'voters of the {who} kind' if drawn else f'the voters of {who}'}"


# ---------------------------------------------------------------------- the answer


def _facts(design: "Design") -> str:
    facts = {
        "Elections": escape(sizes(design.voters, design.candidates)),
        "Who votes": escape(design.electorate.told),
        "What is good": escape(f"{_welfare(design)} welfare: {design.purpose.told}."),
    }
    if design.ceiling is not None:
        facts["What is possible"] = (
            f"Ballots do not tell everything: no rule that sees them alone can reach more than "
            f"{percent(design.ceiling[1])} on average"
            f"{_knowing(design)}."
        )
    if design.rule is not None:
        facts["The trained rule"] = escape(f"{design.origin[0].upper()}{design.origin[1:]}.")
    rows = "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in facts.items())
    return f'<dl class="facts">{rows}</dl>'


def _knowing(design: "Design") -> str:
    """A rule that treats all candidates alike may be unable to reach the ceiling."""
    posterior = design.electorate.posterior
    if posterior is None or posterior.symmetric:
        return ""
    return ", even one that knows how popular each candidate is beforehand"


def _how_to_count(design: "Design") -> str:
    rules = list(dict.fromkeys([design.advice.recommended, design.advice.simplest]))
    said = [f"<b>{escape(WORDS[name][0])}</b>: {escape(WORDS[name][1])}." for name in rules]
    text = f"<h2>How it is counted</h2>{_list(said)}"
    if OPTIMAL in rules:
        text += _points(design)
    if LEARNED in rules:
        text += (
            "<p>The trained rule is in the folder of this report. It decides the ballots of a file "
            "with <code>elect winner ballots.csv --rule rule</code>, called in that folder.</p>"
        )
    return text


def _points(design: "Design") -> str:
    """What each place is worth, the first 100 and the last 0, as whole numbers."""
    sizes = list(design.points)
    shown = sizes[:: max(1, -(-len(sizes) // PRINTED))]
    rows = []
    for m in shown:
        points = design.points[m]
        span = (points[0] - points[-1]) or 1
        row = ", ".join(f"{100 * (point - points[-1]) / span:.0f}" for point in points)
        rows.append(f"<tr><th>{m}</th><td>{row}</td></tr>")
    return (
        '<p>Points for each place, best first, rounded:</p><div class="scroll"><table><thead><tr>'
        "<th>Candidates</th><th>Points</th></tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _caution(design: "Design") -> str:
    name, notes = design.advice.recommended, []
    broken = [
        finding.definition
        for finding in (design.audits[name].axioms.values() if name in design.audits else [])
        if finding.broken
    ]
    if name == LEARNED:
        notes.append(
            "A trained rule cannot be counted by hand: whoever uses it trusts a computer. It was "
            f"tried on {sizes(design.voters, design.candidates)} only."
        )
    if broken:
        notes.append(
            f"{title(name)[0].upper()}{title(name)[1:]} broke {len(broken)} of "
            f"{len(design.audits[name].axioms)} promises that one may expect of a rule; see "
            "“Where it can go wrong”."
        )
    return f'<div class="warn"><p>{escape(" ".join(notes))}</p></div>' if notes else ""


# ---------------------------------------------------------------------- what rules reach


def _table(design: "Design") -> str:
    low = charts.floor(design.standings)
    rows = "".join(_row(design, one, low) for one in design.standings)
    heads = ("Rule", "Reaches on average", "Gives up, beside the best rule")
    more = ("Elects the best candidate", "On a bad day (1 of 20) at most")
    cells = "".join(f"<th>{head}</th>" for head in (*heads, *more))
    return (
        f'<table class="cards"><thead><tr>{cells}<th class="spread">Most elections'
        f"{charts.axis(low)}</th></tr></thead><tbody>{rows}</tbody></table>"
    )


def _row(design: "Design", one: Standing, low: float) -> str:
    name, counts, level = WORDS[one.name]
    tags = [
        label
        for label, which in (
            ("recommended", design.advice.recommended),
            ("simplest within 1 %", design.advice.simplest),
        )
        if which == one.name
    ]
    marks = "".join(f'<span class="tag">{tag}</span>' for tag in tags)
    about = f"{SIMPLICITY[level].capitalize()}: {counts}."
    best, nothing = one.name == design.advice.best, '<td data-label="gives up">nothing</td>'
    chosen = ' class="chosen"' if tags else ""
    return (
        f"<tr{chosen}><th>{escape(name)}{marks}<small>{escape(about)}</small></th>"
        f"{cell('reaches', one.ratio)}"
        f"{nothing if best else cell('gives up', one.loss, 2)}"
        f"{cell('elects the best', one.accuracy)}"
        f"{cell('on a bad day', one.quantiles[0.05])}"
        f'<td class="spread">{charts.spread(one, low)}</td></tr>'
    )


def _below_table(design: "Design") -> str:
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
    for reason, rules in _reasons(design).items():
        verb = "is" if len(rules) == 1 else "are"
        notes.append(f"{and_list(rules)} {verb} left out. {reason}")
    return "".join(f'<p class="note">{escape(note)}</p>' for note in notes)


def _reasons(design: "Design") -> dict[str, list[str]]:
    reasons: dict[str, list[str]] = {}
    for name, reason in design.refused.items():
        # The rule's name goes before, and what to use instead is what all this is about.
        said = re.sub(r"^\w+ (?=needs )", "", reason.split(";")[0].rstrip("."))
        reasons.setdefault(f"{said[0].upper()}{said[1:]}.", []).append(WORDS[name][0])
    return reasons


def _histograms(design: "Design") -> str:
    low = charts.floor(design.standings)
    wanted = [*design.advice, LEARNED, *FAMILIAR]
    shown = [one for one in design.standings if one.name in wanted]
    most = charts.highest(shown, low)
    return "".join(
        f"<figure><b>{escape(WORDS[one.name][0])}</b><figcaption>"
        f"{percent(charts.nearly_all(one))} of elections were good days. The others:</figcaption>"
        f"{charts.histogram(one, low, most)}{charts.axis(low, ' or less')}"
        f"<figcaption>{_bad_day(one)}</figcaption></figure>"
        for one in shown
    )


def _bad_day(one: Standing) -> str:
    bad = one.quantiles[0.05]
    if bad.low > 0.9995:
        return "In 19 of 20 elections all was reached."
    return f"In one election of twenty at most {percent(bad)} was reached."


# ---------------------------------------------------------------------- own ballots, otherwise


def _what_if(design: "Design") -> str:
    found = design.what_if
    if found is None:
        return ""
    groups: dict[tuple[str, ...], list[str]] = {}
    for one in design.standings:
        if one.name in found.winners:
            groups.setdefault(tuple(found.names(one.name)), []).append(WORDS[one.name][0])
    rows = "".join(
        f"<tr><th>{escape(and_list(list(names)))}{' (tie)' if len(names) > 1 else ''}</th>"
        f"<td>{escape(', '.join(rules))}</td></tr>"
        for names, rules in groups.items()
    )
    refused = [WORDS[name][0] for name in found.refused]
    note = f"<p class=note>Cannot read these ballots: {escape(', '.join(refused))}.</p>"
    voters, standing = int(found.profile.num_voters), int(found.profile.num_candidates)
    return (
        f"<h2>What if? Your own ballots</h2><p>So the {voters:,} ballots of "
        f"{escape(design.electorate.name)}, among {standing} candidates, would be decided:</p>"
        '<div class="scroll"><table><thead><tr><th>Winner</th><th>Under</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>{note if refused else ''}{_pairs(design)}"
    )


def _pairs(design: "Design") -> str:
    found = design.what_if
    assert found is not None
    profile = found.profile
    size = int(profile.num_candidates)
    if size > PAIRED:
        return ""
    names, margins = profile.labels, profile.margins[0].tolist()
    head = "".join(f"<th>{escape(name)}</th>" for name in names[:size])
    rows = "".join(
        f"<tr><th>{escape(names[a])}</th>"
        + "".join(_pair(margins[a][b], a == b) for b in range(size))
        + "</tr>"
        for a in range(size)
    )
    return (
        "<h3>Head to head</h3><p>By how many voters more the candidate of the row is preferred to "
        f'the one of the column:</p><div class="scroll"><table><thead><tr><th></th>{head}</tr>'
        f"</thead><tbody>{rows}</tbody></table></div>{_picture(design)}"
    )


def _pair(margin: int, same: bool) -> str:
    if same:
        return "<td></td>"
    return f'<td class="{"win" if margin > 0 else "loss"}">{margin:+,}</td>'.replace("-", "−")


def _picture(design: "Design") -> str:
    """The margin graph, where it can be drawn."""
    from importlib.util import find_spec

    from elect.auditing.pictures import margin_graph_svg

    found = design.what_if
    if found is None or not find_spec("matplotlib") or found.profile.num_candidates > PICTURED:
        return ""
    rule = next(name for name in (*design.advice, *found.winners) if name in found.winners)
    drawn = margin_graph_svg(found.profile, found.winners[rule])
    who = "whoever wins" if len(found.winners[rule]) == 1 else "those who tie"
    return (
        f"<p>The same as a picture: an arrow leads to the loser; {who} under "
        f'{escape(title(rule))} stands out.</p><div class="picture">{drawn}</div>'
    )


def _otherwise(design: "Design") -> str:
    if not design.others:
        return ""
    rows = []
    for assumed, standings in design.others.items():
        by = {one.name: one for one in standings}
        losses = "".join(
            cell(f"{WORDS[name][0]} gives up", by[name].loss, 2) if name in by else "<td>–</td>"
            for name in dict.fromkeys([design.advice.recommended, design.advice.simplest])
        )
        rows.append(
            f"<tr><th>{escape(assumed)}</th><td data-label=best>{WORDS[standings[0].name][0]}</td>"
            f"{losses}</tr>"
        )
    heads = "".join(
        f"<th>{escape(WORDS[name][0])} would give up</th>"
        for name in dict.fromkeys([design.advice.recommended, design.advice.simplest])
    )
    return (
        "<h2>If voters are otherwise</h2><p>How much voters like candidates had to be assumed. "
        "With the same ballots, but other utilities behind them, this would change:</p>"
        '<table class="cards"><thead><tr><th>Assumed</th><th>Best rule</th>'
        f"{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    )


# ---------------------------------------------------------------------- how


def _computed(design: "Design") -> str:
    most = max(one.ratio.elections for one in design.standings)
    steps = [
        f"elect {version('elect')}, seed {design.seed}, {design.seconds / 60:.1f} minutes. The "
        "same seed gives the same elections; all figures are in <code>design.json</code>.",
        f"{most:,} elections were drawn, none of them used in training. The welfare of the "
        "elected, by lot if several tie, was divided by the highest; averages have bootstrap "
        "intervals, shares Wilson's, and what a rule gives up is compared election by election.",
        "A rule is as good as the best if its loss may be nothing at 95 % confidence; of those the "
        "simplest is recommended.",
    ]
    if design.ceiling is not None:
        steps.append(
            "The ceiling is the best choice given the rankings, found by drawing utilities that "
            f"may lie behind them; it elects the best candidate in {percent(design.ceiling[0])}."
        )
    for name, audit in design.audits.items():
        steps.append(
            f"{escape(WORDS[name][0])} was audited on {audit.elections:,} elections with "
            f"{sizes(audit.voters, audit.candidates)}, small enough to try everything."
        )
    return (
        _list(steps)
        + _fits(design)
        + (
            ""
            if OPTIMAL in design.advice[1:]
            else _details("Points of the made-to-measure rule", _points(design))
        )
    )


def _fits(design: "Design") -> str:
    if not design.electorate.fits:
        return ""
    rows = "".join(
        f"<tr><th><code>{escape(fit.name)}</code></th><td>{fit.likelihood:.3f}</td>"
        f"<td>{fit.criterion:,.1f}</td></tr>"
        for fit in design.electorate.fits
    )
    return _details(
        "Which culture fits the ballots",
        "<p>Cultures with utilities, fitted to the rankings by maximum likelihood and compared by "
        "Schwarz's criterion: the lower, the better. A culture has an α for each candidate; the "
        "larger, the more popular. Their mean says how decided voters are, of which rankings tell "
        "next to nothing.</p>"
        '<div class="scroll"><table><thead><tr><th>Culture</th><th>Log-likelihood of a ballot</th>'
        f"<th>Criterion</th></tr></thead><tbody>{rows}</tbody></table></div>",
    )


def _details(summary: str, content: str) -> str:
    return f"<details><summary>{summary}</summary>{content}</details>"


def _list(items: Iterable[str]) -> str:
    return f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>"
