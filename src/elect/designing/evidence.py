"""The report's evidence: own ballots, other assumptions, and how all was computed."""

from collections.abc import Iterable
from html import escape
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING

from elect.auditing.pictures import margin_graph_svg
from elect.designing.contenders import OPTIMAL, WORDS
from elect.designing.recommendation import title
from elect.designing.wording import and_list, cell, percent, sizes

if TYPE_CHECKING:
    from elect.designing.result import Design

# Pairs of more candidates than these make no table or picture that one can read.
PAIRED, PICTURED = 14, 10

# Numbers of candidates for which points are printed.
PRINTED = 12


def what_if_section(design: "Design") -> str:
    """What every rule would say to the ballots of the file."""
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


def otherwise(design: "Design") -> str:
    """What would change if voters were otherwise than assumed."""
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


def computed(design: "Design") -> str:
    """How the figures came about."""
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
        bullets(steps)
        + _fits(design)
        + (
            ""
            if OPTIMAL in design.advice[1:]
            else _details("Points of the made-to-measure rule", points_table(design))
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


def bullets(items: Iterable[str]) -> str:
    """A list."""
    return f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>"


def points_table(design: "Design") -> str:
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
