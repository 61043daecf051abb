"""What each rule is: its definition, what it looks at, and which ballots it takes."""

import re
from typing import Literal, NamedTuple

from elect.elections import Profiles
from elect.errors import ElectError
from elect.rules import RULES

Answer = Literal["yes", "some", "no"]


class Family(NamedTuple):
    """Rules that look at the same side of the ballots.

    Attributes:
        look: what they look at, in a sentence.
        rules: their names.
    """

    look: str
    rules: tuple[str, ...]


FAMILIES = (
    Family("Only first choices count.", ("plurality",)),
    Family("Only last places count.", ("anti_plurality",)),
    Family("Places are added up.", ("k_approval", "approval", "borda", "scoring", "bucklin")),
    Family(
        "Each pair of candidates is put to a vote.",
        (
            "copeland",
            "llull",
            "maximin",
            "blacks",
            "beat_path",
            "ranked_pairs",
            "split_cycle",
        ),
    ),
    Family("The ranking closest to all voters is sought.", ("slater", "kemeny")),
    Family(
        "The weakest leaves, and the rest are counted again.",
        ("instant_runoff", "coombs", "baldwin", "strict_nanson", "weak_nanson"),
    ),
    Family("How little must change until someone wins every pair?", ("dodgson", "young")),
)

# Ballots of four candidates, among whom an approval ballot is one that ties.
_SAMPLES: dict[str, list[list[list[int | list[int]]]]] = {
    "complete": [[[0, 1, 2, 3]]],
    "truncated": [[[0, 1]], [[2]]],
    "tied": [[[0, [1, 2], 3]], [[[0, 1], 2, 3]], [[[0, 1], [2, 3]]]],
}


def definition(name: str) -> str:
    """What the rule's score is: what stands in bold at the head of its docstring.

    >>> definition("plurality")
    'The voters who rank the candidate first.'
    """
    bold = re.match(r"\*\*(.+?)\.?\*\*", RULES[name].__doc__ or "", re.DOTALL)
    return f"{' '.join(bold[1].replace('``', '').split())}." if bold else ""


def takes(name: str) -> dict[str, Answer]:
    """Whether the rule takes complete, truncated and tied ballots, found by asking it.

    >>> takes("plurality")
    {'complete': 'yes', 'truncated': 'yes', 'tied': 'some'}
    """
    return {kind: _answer(name, samples) for kind, samples in _SAMPLES.items()}


def _answer(name: str, samples: list[list[list[int | list[int]]]]) -> Answer:
    taken = [
        _accepts(name, Profiles.from_rankings(ballots, num_candidates=4)) for ballots in samples
    ]
    return "yes" if all(taken) else "some" if any(taken) else "no"


def _accepts(name: str, profile: Profiles) -> bool:
    settings = {"vector": [3, 2, 1, 0]} if name == "scoring" else {}
    try:
        RULES[name](profile, **settings)
    except ElectError:
        return False
    return True
