"""Figure 1: histograms of the welfare ratio in the uniform culture."""

from elect.experiments.chapters import Chapter
from elect.experiments.ratios import histograms
from elect.experiments.study import Study

HEADS = ("utilitarian@uniform", "egalitarian@uniform")


def chapter(study: Study) -> Chapter:
    """Utilitarian beside egalitarian, classical rules beside learned ones."""
    return histograms(study, 1, "uniform")
