"""A design in a few lines: the recommendation, the best rules, and which axioms they break."""

from typing import TYPE_CHECKING

from elect import reports
from elect.designing.contestants import WORDS
from elect.reports.numbers import and_list, text_table

if TYPE_CHECKING:
    from elect.designing.measuring import Standing
    from elect.designing.result import Design

HEADS = ("rule", "reaches", "gives up", "elects the best")

# Rows of the table; all rules are in the report.
SHOWN = 10


def text(design: "Design") -> str:
    """For a terminal."""
    table = text_table(HEADS, [cells(design, one) for one in shown(design)])
    return "\n".join([design.sentence, design.second_sentence, "", table, *notes(design)])


def html(design: "Design") -> str:
    """For a notebook."""
    rows = [cells(design, one) for one in shown(design)]
    return reports.render("summary.html.jinja", title=design.sentence, heads=HEADS, rows=rows)


def shown(design: "Design") -> "list[Standing]":
    """The best rules, and those that are recommended."""
    best = {one.name for one in design.standings[:SHOWN]} | set(design.advice)
    return [one for one in design.standings if one.name in best]


def cells(design: "Design", one: "Standing") -> list[str]:
    """A row of the table."""
    loss = "" if one.name == design.advice.best else str(one.loss)
    return [WORDS[one.name][0], str(one.ratio), loss, str(one.accuracy)]


def notes(design: "Design") -> list[str]:
    """What else there is to know, a sentence each."""
    said = []
    if more := len(design.standings) - len(shown(design)):
        said.append(f"{more} other rules are in the report.")
    for rule, audit in design.audits.items():
        broken = [one.axiom.title for one in audit.axioms.values() if one.broken]
        which = f": {and_list(broken)}" if broken else ""
        said.append(f"{WORDS[rule][0]} breaks {len(broken)} of {len(audit.axioms)} axioms{which}.")
    if design.ceiling:
        said.append(f"No rule that sees ballots alone can reach more than {design.ceiling[1]}.")
    return said
