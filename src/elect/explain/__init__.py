"""Why a rule elects whom it elects, in one sentence read off the ballots.

Example:
    >>> profile = Profiles.from_rankings(
    ...     [["Ann", "Ben", "Cleo"], ["Ben", "Cleo", "Ann"], ["Cleo", "Ben", "Ann"]], [4, 3, 2]
    ... )
    >>> why("plurality", profile)
    'Ann is the first choice of 4 of 9 voters; next is Ben with 3.'
    >>> why("copeland", profile)
    'Ben beats 2 of 2 others head to head; next is Cleo with 1.'
"""

from collections.abc import Callable

from elect.elections import Profiles
from elect.errors import Unsettled
from elect.explain import pairs, places, rounds
from elect.explain.catalogue import FAMILIES, Family, definition, takes
from elect.explain.learned import LearnedOutcome, outcome, outcomes
from elect.explain.outcome import Outcome, condorcet
from elect.explain.phrases import highest, verb, winners

__all__ = [
    "FAMILIES",
    "SENTENCES",
    "Family",
    "LearnedOutcome",
    "Outcome",
    "condorcet",
    "definition",
    "outcome",
    "outcomes",
    "sentence",
    "takes",
    "why",
]

SENTENCES: dict[str, Callable[[Outcome], str]] = {
    "plurality": places.plurality,
    "anti_plurality": places.anti_plurality,
    "k_approval": places.k_approval,
    "approval": places.approval,
    "borda": places.borda,
    "scoring": places.scoring,
    "copeland": pairs.copeland,
    "llull": pairs.llull,
    "maximin": pairs.maximin,
    "blacks": pairs.blacks,
    "beat_path": pairs.beat_path,
    "ranked_pairs": pairs.ranked_pairs,
    "split_cycle": pairs.split_cycle,
    "slater": pairs.slater,
    "kemeny": pairs.kemeny,
    "instant_runoff": rounds.instant_runoff,
    "coombs": rounds.coombs,
    "baldwin": rounds.baldwin,
    "strict_nanson": rounds.strict_nanson,
    "weak_nanson": rounds.weak_nanson,
    "bucklin": places.bucklin,
    "dodgson": pairs.dodgson,
    "young": pairs.young,
}


def why(spec: str, profile: Profiles) -> str:
    """Why the rule of this name, or trained in this folder, elects whom it elects here."""
    return sentence(outcome(spec, profile))


def sentence(outcome: Outcome) -> str:
    """Why the outcome is what it is."""
    if outcome.size == 1:
        return f"{winners(outcome)} is the only candidate."
    if isinstance(outcome, LearnedOutcome):
        return outcome.sentence
    try:
        return SENTENCES.get(outcome.name, highest)(outcome)
    except Unsettled:
        who = f"{winners(outcome)} {verb(outcome.winners, 'wins', 'tie')}"
        return f"{who}; to say why takes longer than the time limit."
