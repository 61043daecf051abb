"""Audits: the axioms that a rule violates, the gain from misreporting, and its distortion.

Example:
    >>> found = audit("borda", elections=500, axioms_only=True)
    >>> print(found.axioms["condorcet_winner"].counterexample.sentence)
    B beats everyone else head to head, but is only tied with C.
    >>> [name for name, axiom in found.axioms.items() if axiom.broken]
    ['majority', 'condorcet_winner', 'independence_of_clones']
"""

from elect.auditing.result import Audit, Finding
from elect.auditing.run import AXIOMS, audit
from elect.auditing.subject import named, rule_of, winners_of

__all__ = ["AXIOMS", "Audit", "Finding", "audit", "named", "rule_of", "winners_of"]
