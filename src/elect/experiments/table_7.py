"""Table 7: mimicking maximin, by numbers of voters seen and not seen in training."""

from elect.experiments.chapters import Chapter
from elect.experiments.study import Study
from elect.experiments.voters import by_voters

HEADS = ("maximin",)


def chapter(study: Study) -> Chapter:
    """2 to 49, 50 to 99, 100 to 149 and 150 to 199 voters."""
    return by_voters(study, 7, "maximin")
