"""Table 1: how often networks elect whom a rule elects, on synthetic elections."""

from elect.experiments.chapters import Chapter
from elect.experiments.grid import RULES as HEADS
from elect.experiments.mimicking import NAMES, Column, mimicking
from elect.experiments.study import CANDIDATES, FEW, VOTERS, Study, Where

__all__ = ["HEADS", "chapter"]


def chapter(study: Study) -> Chapter:
    """Five rules, 2 to 99 voters, 2 to 29 candidates; for Kemeny 3 to 10."""
    sizes = dict.fromkeys(NAMES, CANDIDATES) | {"kemeny": FEW}
    columns = {
        rule: Column(rule, Where("uniform", VOTERS, candidates, study.budget.elections))
        for rule, candidates in sizes.items()
    }
    return Chapter(
        "table-1",
        "Table 1: mimicking five rules",
        "Can a network learn a voting rule from its winners alone? Elections have 2 to 99 voters "
        "and 2 to 29 candidates (3 to 10 for Kemeny), ranked at random.",
        [mimicking(study, "table-1", "Mimicking accuracy", columns, NAMES)],
    )
