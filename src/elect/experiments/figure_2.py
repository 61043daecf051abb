"""Figure 2: histograms of the welfare ratio in the polarized culture."""

from elect.experiments.chapters import Chapter
from elect.experiments.ratios import histograms
from elect.experiments.study import Study

HEADS = ("utilitarian@polarized", "egalitarian@polarized")


def chapter(study: Study) -> Chapter:
    """Utilitarian beside egalitarian, classical rules beside learned ones."""
    return histograms(study, 2, "polarized")
