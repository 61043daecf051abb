"""Which rule to use, and the simplest that is nearly as good."""

from collections.abc import Sequence
from typing import NamedTuple

from elect.designing.contestants import LEARNED, OPTIMAL, WORDS
from elect.designing.measuring import Standing
from elect.reports.numbers import percent

# The relative loss that is acceptable for a simpler rule.
NEARLY = 0.01


class Advice(NamedTuple):
    """The recommended rules.

    Attributes:
        best: the rule with the highest welfare ratio.
        recommended: the simplest rule that is not statistically distinguishable from it.
        simplest: the simplest rule that loses less than one percent against that.
    """

    best: str
    recommended: str
    simplest: str


def advise(standings: Sequence[Standing]) -> Advice:
    """The advice that follows from the standings.

    A rule is as good as the best if its loss is not statistically distinguishable from zero, at a
    confidence of 95 %. It loses less than one percent if the whole interval of its loss is below
    that. Of equally simple rules, the one with the higher welfare ratio is taken.
    """
    best = standings[0]
    as_good = [one for one in standings if one.loss.low <= 0]
    nearly = [one for one in standings if one.loss.high < NEARLY]
    recommended = min([best, *as_good], key=simplicity)
    return Advice(best.name, recommended.name, min([recommended, *nearly], key=simplicity).name)


def closer_look(advice: Advice, standings: Sequence[Standing]) -> list[str]:
    """The few rules that are worth an audit."""
    names = [advice.recommended, advice.simplest, advice.best]
    # A trained rule that is good enough to be used is always audited.
    names += [one.name for one in standings if one.name == LEARNED and one.loss.low < NEARLY]
    if "approval" in names:
        # Few axioms apply to approval, so the best rule that reads rankings is audited too.
        names.append(next(one.name for one in standings if one.name != "approval"))
    return list(dict.fromkeys(names))


def simplicity(standing: Standing) -> tuple[int, float]:
    """Simpler rules first, and of equally simple ones the better."""
    return WORDS[standing.name][2], standing.loss.value


def sentence(advice: Advice, standings: Sequence[Standing]) -> str:
    """The recommendation in one sentence."""
    one = _of(standings, advice.recommended)
    return (
        f"Use {title(advice.recommended)}: on average its winner gives voters "
        f"{percent(one.ratio)} of what the best candidate would give them."
    )


def second_sentence(advice: Advice, standings: Sequence[Standing]) -> str:
    """The simplest rule that is nearly as good."""
    if advice.simplest == advice.recommended:
        return (
            "No simpler rule comes within one percent of it."
            if WORDS[advice.recommended][2]
            else "No rule is simpler."
        )
    one = _of(standings, advice.simplest)
    return (
        f"The simplest rule that loses less than one percent of that is {title(advice.simplest)} "
        f"({WORDS[advice.simplest].simplicity.words}), with {percent(one.ratio)}."
    )


def title(name: str) -> str:
    """A rule's name within a sentence."""
    words = WORDS[name][0]
    return words[0].lower() + words[1:] if name in (LEARNED, OPTIMAL) else words


def _of(standings: Sequence[Standing], name: str) -> Standing:
    return next(one for one in standings if one.name == name)
