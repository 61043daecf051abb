"""Figure 3: histograms of the welfare ratio in the indecisive culture."""

from elect.experiments.chapters import Chapter
from elect.experiments.ratios import histograms
from elect.experiments.study import Study

HEADS = ("utilitarian@indecisive", "egalitarian@indecisive")


def chapter(study: Study) -> Chapter:
    """Utilitarian beside egalitarian, classical rules beside learned ones."""
    return histograms(study, 3, "indecisive")
