"""Table 4: mimicking rules on real elections, of which sub-elections are drawn."""

from elect import datasets
from elect.errors import ElectError
from elect.experiments.chapters import Chapter
from elect.experiments.grid import RULES as HEADS
from elect.experiments.mimicking import NAMES, Column, mimicking
from elect.experiments.printed import sub_elections
from elect.experiments.study import VOTERS, Study, Where

__all__ = ["HEADS", "chapter"]

DATA = {
    "netflix": "Netflix: 10 elections among 3 films",
    "sushi": "Sushi: 10 kinds",
    "puzzle": "Mechanical Turk Puzzle: 4 elections among 4 puzzles",
}


def chapter(study: Study) -> Chapter:
    """Netflix, Sushi and Puzzle, as many sub-elections of 2 to 99 voters as in the paper."""
    made = Chapter(
        "table-4",
        "Table 4: real elections",
        "Do networks that have only seen elections made up at random decide real ones as the rule "
        "does? Sub-elections of 2 to 99 voters are drawn from each real one.",
    )
    for number, (name, title) in enumerate(DATA.items()):
        try:
            count = len(datasets.fetch(name))
        except ElectError as error:
            made.notes.append(f"{title.split(':')[0]} is missing: {error}")
            continue
        total = round(sub_elections(name) * study.budget.real)
        where = Where(name, VOTERS, None, max(1, total // count))
        columns = {rule: Column(rule, where) for rule in NAMES}
        said = f"{title}, {where.elections * count:,} sub-elections"
        table = mimicking(study, "table-4", said, columns, NAMES, name, number)
        made.tables.append(table)
        if where.elections * count < sub_elections(name):
            made.notes.append(
                f"The paper draws {sub_elections(name):,} from {title.split(':')[0]}."
            )
    return made
