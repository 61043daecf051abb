"""Mimicking one rule by numbers of voters, of which the last two were not seen in training."""

from elect.experiments.chapters import Chapter
from elect.experiments.mimicking import NAMES, Column, mimicking
from elect.experiments.study import CANDIDATES, FEW, VOTERS, Study, Where
from elect.measuring.batches import Range

# By band: the elections that it is part of. Those of table 1 serve for the first two.
BANDS: dict[str, Range] = {
    "2-49": VOTERS,
    "50-99": VOTERS,
    "100-149": (100, 149),
    "150-199": (150, 199),
}


def by_voters(study: Study, number: int, rule: str) -> Chapter:
    """The table of this number, which is about this rule."""
    candidates = FEW if rule == "kemeny" else CANDIDATES
    columns = {
        band: Column(rule, Where("uniform", voters, candidates, study.budget.elections), band)
        for band, voters in BANDS.items()
    }
    headers = {band: f"{band.replace('-', '–')} voters" for band in BANDS}
    name, title = f"table-{number}", f"Mimicking {NAMES[rule]}, by numbers of voters"
    return Chapter(
        name,
        f"Table {number}: {NAMES[rule]}, by numbers of voters",
        f"Does a network that was trained on 2 to 99 voters still elect {NAMES[rule]}'s winner "
        "when there are more? An MLP has a place for each of 99 voters and no more.",
        [mimicking(study, name, title, columns, headers)],
    )
