"""The folder of an audit: its report, its figures, and the ballots that show what was found."""

import json
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from elect import reports
from elect.auditing import summary
from elect.errors import ElectError
from elect.files import write as write_ballots
from elect.reports.margin_graph import draw_margin_graph, svg_element
from elect.storage import make_folder, staged, write_whole

if TYPE_CHECKING:
    from elect.auditing.result import Audit, BallotFiles

REPORT, RESULT, BALLOTS = "report.html", "audit.json", "ballots"


def write(found: "Audit", folder: Path) -> "BallotFiles":
    """Write all of it or nothing; returns where the ballots are."""
    if folder.exists() and not folder.is_dir():
        raise ElectError(f"{folder} is a file; name a folder to write to.")
    with staged(folder) as draft:
        paths = _write_elections(found, draft / BALLOTS)
        text = json.dumps(found.to_json(), indent=2, ensure_ascii=False, allow_nan=False)
        write_whole(draft / RESULT, text + "\n")
        write_whole(draft / REPORT, page(found, paths))
    return {
        name: {label: folder / BALLOTS / path.name for label, path in several.items()}
        for name, several in paths.items()
    }


def _write_elections(found: "Audit", folder: Path) -> "BallotFiles":
    """Each election as a PrefLib file, with a picture of who beats whom beside it."""
    paths: BallotFiles = {}
    for name, label, election, winners in found.shown():
        make_folder(folder)
        stem = name if label == "election" else f"{name}-{label}"
        paths.setdefault(name, {})[label] = write_ballots(election, folder / stem)
        if find_spec("matplotlib"):
            won = [election.labels.index(one) for one in winners]
            draw_margin_graph(election, folder / f"{stem}.svg", won)
    return paths


def page(found: "Audit", paths: "BallotFiles") -> str:
    """The report, with the pictures that are beside the ballots."""
    values: dict[str, Any] = {
        "axiom_examples": {
            name: one for name, one in found.counterexamples.items() if name in found.axioms
        },
        "broken": [one.axiom.title for one in found.axioms.values() if one.broken],
        "links": {
            name: {label: f"{BALLOTS}/{path.name}" for label, path in several.items()}
            for name, several in paths.items()
        },
        "pictures": {
            name: {label: _picture(path) for label, path in several.items() if _drawn(path)}
            for name, several in paths.items()
        },
        "said": summary.paragraphs(found),
        "version": version("elect"),
    }
    return reports.render("audit.html.jinja", found=found, **values)


def short(found: "Audit") -> str:
    """The table of axioms, for a notebook."""
    title = f"Audit of {found.rule}: {summary.sampled(found)}"
    heads, rows = summary.HEADS, summary.cells(found)
    return reports.render("summary.html.jinja", title=title, heads=heads, rows=rows)


def _drawn(path: Path) -> bool:
    return path.with_suffix(".svg").is_file()


def _picture(path: Path) -> str:
    return svg_element(path.with_suffix(".svg").read_text("utf-8"))
