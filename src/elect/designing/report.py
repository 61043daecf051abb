"""The design as one page of HTML that anyone can read, and that needs nothing else."""

import re
from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING

from elect.designing import charts
from elect.designing.contenders import LEARNED, OPTIMAL, SIMPLICITY, WORDS
from elect.designing.evidence import bullets, computed, otherwise, points_table, what_if_section
from elect.designing.measuring import Standing
from elect.designing.recommendation import NEARLY, title
from elect.designing.risks import axiom_table, examples, likenesses, worst_cases
from elect.designing.wording import and_list, cell, percent, sizes
from elect.words import listed

if TYPE_CHECKING:
    from elect.designing.result import Design

# Pictures of days good and bad beside those of the rules that are recommended.
FAMILIAR = ("plurality", "borda", "instant_runoff")

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
        style=style(),
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
        what_if=what_if_section(design),
        otherwise=otherwise(design),
        computed=computed(design),
        words=bullets(f"<b>{word}</b>: {said}" for word, said in GLOSSARY.items()),
    )


def style() -> str:
    """What reports look like, by day and by night, on a screen, on a phone and on paper."""
    return (files("elect.designing") / "report.css").read_text("utf-8")


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
    text = f"<h2>How it is counted</h2>{bullets(said)}"
    if OPTIMAL in rules:
        text += points_table(design)
    if LEARNED in rules:
        text += (
            "<p>The trained rule is in the folder of this report. It decides the ballots of a file "
            "with <code>elect winner ballots.csv --rule rule</code>, called in that folder.</p>"
        )
    return text


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
