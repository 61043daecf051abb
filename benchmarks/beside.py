"""What was measured here beside what the paper prints, as tables for the README and the docs.

python benchmarks/beside.py    # draws docs/paper.png; the tables are written by readme.py

Runs that have not been measured are left out, and appear as soon as `results/` has them.
"""

import json
from typing import Any, NamedTuple

import matplotlib.pyplot as plt

import printed
from elect.experiments.chapters import Chapter
from elect.experiments.tables import Cell as Figure
from learned import CHECKS, FIVE, NETWORKS, ROOT, only, run, table

ORDERS = {"borda": "Borda", "plurality": "plurality"}
# The reproduction whose networks learn everything at once, and what it calls them.
GRID = {"": "small, as it comes, all tasks at once", "-by-borda": "numbered by Borda, all tasks"}
# Runs of which the rule on the shelf comes, where that is not the run of its name.
SHIPPED = {"kemeny": "kemeny-longer"}
SETTINGS = ("paper", "150-199 voters", "netflix", "sushi", "puzzle")
NOTE = (
    "Accuracy is on elections with one winner. The paper keeps tied elections for Kemeny, and\n"
    "takes whichever winner its solver returns; its Copeland gives a pairwise tie no points, ours\n"
    "half a point."
)

Cell = dict[str, Any]


class Row(NamedTuple):
    """A line of a table: what it is, what it cost, and an accuracy for each of the five rules."""

    label: str
    minutes: str
    parameters: str
    steps: str
    accuracies: list[str]


def paper() -> str:
    """`tally` beside the best figures that the paper prints."""
    parts = [
        "The `tally` rules that come with the package, and in brackets the best that the paper "
        "prints for any\nof its four networks:",
        mimicking(),
        NOTE,
        *from_nothing(),
        "How often the candidate of highest welfare is elected, likewise:",
        welfares(),
        "What is missing to the ceiling, on the same draws, is all that any rule could gain here;\n"
        "beyond that, samples differ, and the paper rounds to two digits.",
    ]
    return "\n\n".join(parts)


def summary() -> str:
    """The five rules of the paper's first table, in two rows."""
    heads = {rule: only(SHIPPED.get(rule, rule)) or {} for rule in FIVE}
    theirs = [f"{printed.best(rule, 'paper'):.2f}" for rule in FIVE]
    ours = [_accuracy(heads[rule].get("paper")) for rule in FIVE]
    rows = [["best network of the paper (printed)", *theirs], ["`tally` (recorded)", *ours]]
    return "\n\n".join(
        [
            "How often a network elects the winner of a rule, on elections with 2 to 99 voters and "
            "2 to 29\ncandidates (3 to 10 for Kemeny) that have one winner:",
            table(["", *FIVE.values()], rows),
            "The paper's figure for Kemeny includes tied elections. [Networks](docs/networks.md) "
            "has the details.",
        ]
    )


def from_nothing() -> list[str]:
    """The paper's first table in one sitting, if that has been measured."""
    four, kemeny = run("four"), run("kemeny")
    if not four or not kemeny:
        return []
    reached = ", ".join(f"{head['paper']['accuracy']:.4f}" for head in four["heads"].values())
    minutes = four["training_minutes"] + kemeny["training_minutes"]
    alone = kemeny["heads"]["kemeny"]["paper"]["accuracy"]
    return [
        "From nothing to the paper's first table:\n"
        f"`{four['training'].split(' --out')[0]}` takes {four['training_minutes']:.1f} minutes\n"
        f"and reaches {reached} with one network and the paper's Copeland;\n"
        f"with `{kemeny['training'].split(' --out')[0]}`, which reaches {alone:.4f}, that makes "
        f"{minutes:.0f} minutes in all. The Kemeny that\ncomes with the package was trained for "
        "longer."
    ]


def mimicking() -> str:
    heads = {rule: only(SHIPPED.get(rule, rule)) or {} for rule in FIVE}
    rows = [
        [
            CHECKS[setting],
            *(both(heads[rule].get(setting), printed.best(rule, setting), 4) for rule in FIVE),
        ]
        for setting in SETTINGS
    ]
    return table(["mimicking", *FIVE.values()], rows)


def welfares() -> str:
    rows = []
    for welfare in ("utilitarian", "egalitarian"):
        cells = [_cell(run(f"welfare-{culture}"), welfare) for culture in printed.CULTURES]
        theirs = [printed.best_welfare(welfare, culture) for culture in printed.CULTURES]
        rows.append([welfare, *(both(*pair, 3) for pair in zip(cells, theirs, strict=True))])
        missing = [f"{cell['shortfall']:.4f}" if cell else "" for cell in cells]
        rows.append(["missing to the ceiling", *missing])
    return table(["", *printed.CULTURES], rows)


def both(cell: Cell | None, theirs: float, digits: int) -> str:
    """Ours, and the paper's in brackets."""
    ours = f"{cell['accuracy']:.{digits}f} " if cell else ""
    return f"{ours}({theirs:.2f})"


def networks() -> str:
    """All networks in one table, as the paper prints them and as they were trained here."""
    rows = [
        [f"{title}, {row.label}", row.steps, *row.accuracies]
        for name, title in NETWORKS.items()
        for row in [as_printed(name), *trained(name)]
    ]
    ours = [_cell(run(rule), rule) for rule in FIVE]
    rows.append(["`tally`", "", *map(_accuracy, ours)])
    rows.append(["best other rule's guess", "", *map(_guess, ours)])
    parts = [table(["", "steps", *FIVE.values()], rows), NOTE]
    return "\n\n".join(parts)


def figures(name: str) -> str:
    """One of the paper's networks: as the paper prints it, as trained here, and what needs no
    network at all."""
    rows = [list(row[:4]) + row.accuracies for row in [as_printed(name), *trained(name)]]
    guesses = [_guess(_cell(run(rule), rule)) for rule in FIVE]
    rows.append(["best other rule's guess", "", "", "", *guesses])
    parts = [table(["", "minutes", "parameters", "steps", *FIVE.values()], rows), NOTE]
    if not trained(name):
        parts.append("No training of this network has been measured yet.")
    return "\n\n".join([*parts, "What else the paper prints:", also_printed(name)])


def as_printed(name: str) -> Row:
    values = [f"{value:.2f}" for value in printed.MIMICKED[name]]
    return Row("the paper", printed.COST, "about 10,000,000", f"{printed.STEPS[name]:,}", values)


def trained(name: str) -> list[Row]:
    """What was trained here; below it, if candidates were renumbered, what that order guesses by
    itself: a network is to be credited only with what it adds."""
    rows = all_at_once(name)
    for order, title in ORDERS.items():
        if one := run(f"{name}-by-{order}"):
            cells = [_cell(one, rule) for rule in FIVE]
            cost = f"{one['training_minutes']:.1f}", f"{one['parameters']:,}", f"{one['steps']:,}"
            label = f"small, numbered by {title}"
            rows.append(Row(label, *cost, [_accuracy(cell) for cell in cells]))
            alone = [_accuracy(cell, "order_guess") for cell in cells]
            rows.append(Row(f"{title}'s order by itself", "", "", "", alone))
    return rows


def all_at_once(name: str) -> list[Row]:
    """What a network has reached that learned all rules and welfares, by `elect reproduce`."""
    path = ROOT / "results" / "reproduction" / "table-1.json"
    kept = json.loads(path.read_text()) if path.exists() else {"trainings": []}
    costs = {one["name"]: one for one in kept["trainings"]}
    rows = []
    for suffix, label in GRID.items():
        if cost := costs.get(name + suffix):
            found = {row.key: row.cells for row in Chapter.from_json(kept).tables[0].rows}
            cells = found[name.replace("-", "_") + suffix]
            spent = f"{cost['minutes']:.1f}", f"{cost['parameters']:,}", f"{cost['steps']:,}"
            rows.append(Row(label, *spent, [cells.get(rule, Figure()).text for rule in FIVE]))
    return rows


def also_printed(name: str) -> str:
    """By numbers of voters, and on real elections."""
    rows = []
    for column, (rule, title) in enumerate(FIVE.items()):
        bands = [f"{value:.2f}" for value in printed.BY_VOTERS[name][rule]]
        real = [f"{values[column]:.2f}" for values in printed.REAL[name].values()]
        rows.append([title, *bands, *["–"] * (len(printed.BANDS) - len(bands)), *real])
    voters = [f"{band} voters" for band in printed.BANDS]
    return table(["", *voters, *(CHECKS[name] for name in printed.REAL[name])], rows)


def _cell(one: dict[str, Any] | None, head: str) -> Cell | None:
    """What was measured of a head at the paper's sizes."""
    found: Cell | None = one["heads"].get(head, {}).get("paper") if one else None
    return found


def _accuracy(cell: Cell | None, key: str = "accuracy") -> str:
    return "" if cell is None or cell.get(key) is None else f"{cell[key]:.3f}"


def _guess(cell: Cell | None) -> str:
    if cell is None or cell["best_guess"] is None:
        return ""
    return f"{cell['best_guess']:.3f} {cell['best_guess_rule']}"


def draw() -> None:
    """Each rule a line: the paper's networks, the best other rule's guess, and `tally`."""
    figure, axes = plt.subplots(figsize=(9, 3.4))
    places = range(len(FIVE))
    for (name, title), marker in zip(NETWORKS.items(), "ov^s", strict=True):
        axes.scatter(
            printed.MIMICKED[name], places, 42, "C7", marker=marker, alpha=0.75, label=title
        )
    cells = [_cell(run(rule), rule) or {} for rule in FIVE]
    guesses = [cell.get("best_guess") for cell in cells]
    axes.scatter(
        guesses, places, 160, "C1", marker="|", linewidths=2, label="best other rule's guess"
    )
    ours = [cell.get("accuracy") for cell in cells]
    axes.scatter(ours, places, 90, "C0", marker="D", label="tally", zorder=3)
    axes.set_yticks(list(places), list(FIVE.values()))
    axes.invert_yaxis()
    axes.set_xlabel("mimicking accuracy; grey: the paper's networks, as printed")
    axes.grid(axis="x", alpha=0.3)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.legend(
        frameon=False, fontsize=8, labelspacing=0.9, loc="center left", bbox_to_anchor=(1, 0.5)
    )
    figure.tight_layout()
    figure.savefig(ROOT / "docs" / "paper.png", dpi=140)


if __name__ == "__main__":
    draw()
