"""Moved to `elect.measuring`; this remains until `elect/__init__.py` points there."""

from elect.measuring.evaluation import evaluate
from elect.measuring.result import Evaluation

__all__ = ["Evaluation", "evaluate"]
