"""The reproduction as one page of HTML that needs nothing else."""

from base64 import b64encode
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from elect.designing.evidence import bullets
from elect.designing.report import style
from elect.experiments.chapters import Chapter, Picture
from elect.experiments.errata import ERRATA
from elect.experiments.tables import CEILING, GUESS, OURS, PAPER, Cell, Row, Table

About = dict[str, Any]


def page(chapters: Sequence[Chapter], about: About, folder: Path) -> str:
    """The whole report; pictures are taken from the folder, if they could be drawn."""
    template = Template((files("elect.experiments") / "report.html").read_text("utf-8"))
    links = [*((one.name, one.title) for one in chapters), ("errata", "What the paper got wrong")]
    return template.substitute(
        style=style(),
        headline=escape(headline(chapters)),
        second=escape(second(chapters)),
        facts=_facts(about),
        contents="".join(
            f'<a href="#{name}">{escape(title)}</a>'
            for name, title in [*links, ("cost", "What it cost")]
        ),
        chapters="\n".join(_chapter(one, folder) for one in chapters),
        errata=bullets(f"<b>{escape(title)}.</b> {_text(said)}" for title, said in ERRATA.items()),
        cost=_cost(chapters, about),
    )


# ---------------------------------------------------------------------- the answer


def headline(chapters: Sequence[Chapter]) -> str:
    """How `tally` stands against the paper, in a sentence."""
    cells = [cell for cell in _ours(chapters) if cell.printed is not None]
    if not cells:
        return "What the paper does not ask, measured."
    good = sum(not cell.worse for cell in cells)
    much = sum(cell.value is not None and cell.value - (cell.printed or 0) > 0.05 for cell in cells)
    return (
        f"In {good} of {len(cells)} cells our small network is at or above the best figure that "
        f"the paper prints for any of its four, in {much} of them by more than 0.05."
    )


def second(chapters: Sequence[Chapter]) -> str:
    """What is left to gain where welfare is sought."""
    missing = [
        cell.value
        for chapter in chapters
        for table in chapter.tables
        for row in table.rows
        if row.key == "missing"
        for cell in row.cells.values()
        if cell.value is not None
    ]
    if not missing:
        return "Each table says below what its figures are worth."
    return (
        "Where welfare is sought the question is not who is above whom but what is possible: of "
        f"the best that any rule could reach, {max(missing):.3f} is missing at most."
    )


def _ours(chapters: Sequence[Chapter]) -> list[Cell]:
    """Cells of `tally` in the paper's own tables; lots among tied winners are left aside."""
    return [
        cell
        for chapter in chapters
        if chapter.name.startswith("table")
        for table in chapter.tables
        for row in table.rows
        if row.key == "tally"
        for cell in row.cells.values()
        if cell.value is not None
    ]


def _facts(about: About) -> str:
    facts = {
        "Made by": f"<code>{escape(about['command'])}</code>",
        "Budget": f"{about['budget']}: {escape(about['told'])}",
        "Machine": escape(about["machine"]),
        "Time": f"{about['minutes']:.1f} minutes of measuring; seed {about['seed']}; "
        f"version {about['version']}",
    }
    return (
        '<dl class="facts">'
        + "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in facts.items())
        + "</dl>"
    )


# ---------------------------------------------------------------------- chapters


def _chapter(one: Chapter, folder: Path) -> str:
    parts = [f'<h2 id="{one.name}">{escape(one.title)}</h2><p>{escape(one.asked)}</p>']
    parts += [_picture(picture, folder) for picture in one.pictures]
    parts += [_table(table) for table in one.tables]
    parts += [f'<p class="note">{_text(note)}</p>' for note in one.notes]
    return "\n".join(parts)


def _picture(picture: Picture, folder: Path) -> str:
    path = folder / f"{picture.name}.svg"
    if not path.exists():
        return ""
    # As a picture of its own, so that names inside it meet no others on the page.
    data = b64encode(path.read_bytes()).decode()
    return (
        f'<figure><div class="picture"><img alt="{escape(picture.title)}" '
        f'src="data:image/svg+xml;base64,{data}"></div>'
        f"<figcaption>{escape(picture.caption)}</figcaption></figure>"
    )


def _table(table: Table) -> str:
    heads = "".join(f"<th>{_text(title)}</th>" for title in table.columns.values())
    rows = "".join(_row(table, row) for row in table.rows)
    reasons = "".join(f"<li>{_text(reason)}</li>" for reason in table.reasons)
    notes = "".join(f'<p class="note">{_text(note)}</p>' for note in table.notes)
    return (
        f"<h3>{_text(table.title)}</h3>{_strips(table)}"
        f'<div class="scroll"><table class="cards"><thead><tr><th></th>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
        + (f'<ol class="reasons">{reasons}</ol>' if reasons else "")
        + notes
    )


def _row(table: Table, row: Row) -> str:
    about = f"<small>{_text(row.about)}</small>" if row.about else ""
    kind = "chosen" if row.kind == OURS and row.key in ("tally", "accuracy") else row.kind
    cells = "".join(_cell(table, row, column) for column in table.columns)
    notes = {cell.note for cell in row.cells.values() if cell.value is None}
    if len(notes) == 1 and all(cell.value is None for cell in row.cells.values()):
        # Said once for the whole row.
        cells = f'<td class="said" colspan="{len(table.columns)}">{_text(notes.pop())}</td>'
    return f'<tr class="{kind}"><th>{_text(row.label)}{about}</th>{cells}</tr>'


def _cell(table: Table, row: Row, column: str) -> str:
    cell = row.cells.get(column, Cell())
    mark = f"<sup>{table.reasons.index(cell.below) + 1}</sup>" if cell.below else ""
    span = f'<span class="ci">{cell.span}</span>' if cell.span else ""
    note = f' <span class="said">{_text(cell.note)}</span>' if cell.note else ""
    if not (cell.text or note):
        return "<td></td>"
    return f'<td data-label="{escape(table.columns[column])}">{cell.text}{mark}{span}{note}</td>'


def _strips(table: Table) -> str:
    """Each column as a line, with everyone on it who has a figure there."""
    ours = next((row for row in table.rows if row.key == "tally"), None)
    theirs = [row for row in table.rows if row.kind == PAPER and row.key.startswith("paper-")]
    if ours is None or not theirs:
        return ""
    bars = [row for row in table.rows if row.kind == GUESS or row.key == "ceiling"]
    shown = [*((row, "dot") for row in theirs), *((row, "bar") for row in bars), (ours, "us")]
    values = [c.value for row, _ in shown for c in row.cells.values() if c.value is not None]
    low = max(0.0, int(10 * min(values)) / 10)
    high = 1.0 if max(values) > 0.9 else max(values) + 0.02
    lines = []
    for column, title in table.columns.items():
        marks = "".join(
            f'<i class="{look}" style="left:{100 * (cell.value - low) / (high - low):.1f}%" '
            f'title="{escape(row.label)}: {cell.text}"></i>'
            for row, look in shown
            if (cell := row.cells.get(column, Cell())).value is not None
        )
        lines.append(
            f'<div class="strip"><span>{_text(title)}</span><div class="line">{marks}</div></div>'
        )
    bar = "the ceiling" if any(row.kind == CEILING for row in bars) else "best other rule's guess"
    key = (
        f'<div class="strip"><span></span><div class="axis"><span>{low:.2f}</span>'
        f"<span>{high:.2f}</span></div></div>"
        '<div class="key"><span><i class="dot"></i>the paper</span>'
        f'<span><i class="bar"></i>{bar}</span><span><i class="us"></i>tally</span></div>'
    )
    return f'<div class="strips">{"".join(lines)}{key}</div>'


def _text(said: str) -> str:
    """Text with its `code` in the type of code."""
    parts = escape(said, quote=False).split("`")
    return "".join(f"<code>{part}</code>" if i % 2 else part for i, part in enumerate(parts))


# ---------------------------------------------------------------------- what it cost


def _cost(chapters: Sequence[Chapter], about: About) -> str:
    rows = "".join(
        f"<tr><th>{escape(one.title)}</th><td>{one.cost.get('measurements', 0):.0f}</td>"
        f"<td>{one.cost.get('seconds', 0):.0f} s</td></tr>"
        for one in chapters
    )
    trained = bullets(
        f"{escape(run['name'])}: {run['parameters']:,} parameters, {run['steps']:,} steps, "
        f"{run['minutes']:.1f} minutes"
        for run in about["trainings"]
    )
    said = "Trained for this report:" if about["trainings"] else "Nothing was trained for this."
    return (
        f"<p>{said}</p>{trained if about['trainings'] else ''}"
        "<table><thead><tr><th></th><th>measurements not made before</th><th>time</th></tr></thead>"
        f"<tbody>{rows}</tbody></table>"
        f'<p class="note">The paper reports {escape(about["paper_cost"])} for each of its networks '
        "and each of their tasks.</p>"
    )
