"""Parts of the sentences that explain decisions."""

from collections.abc import Callable, Sequence

from elect.rules.base import Decision
from elect.words import Number, count, listed, number, verb

# Where the scores of those who lose are problems of their own, sentences do without them beyond
# these sizes: candidates, and for integer programs candidates times distinct ballots.
MANY_CANDIDATES = 18
MANY_PLACES = 2000


def called(decision: Decision, candidates: Sequence[int], joint: str = "and") -> str:
    """The candidates by name."""
    return listed((decision.profile.labels[c] for c in candidates), joint=joint)


def winners(decision: Decision, joint: str = "and") -> str:
    """The winners by name."""
    return called(decision, decision.elected, joint)


def best(decision: Decision) -> Number:
    """The winning score."""
    return decision.points[decision.elected[0]]


def following(decision: Decision, told: Callable[[Number], Number] = lambda score: score) -> str:
    """Who comes second and with what, if anyone loses; ``told`` turns a score into what is said."""
    if not decision.losers:
        return ""
    second = max(decision.points[c] for c in decision.losers)
    who = [c for c in decision.losers if decision.points[c] == second]
    if len(who) == len(decision.losers) > 2:
        return f"; everyone else follows with {number(told(second))}"
    names = called(decision, who) if len(who) < 4 else f"{len(who)} candidates"
    return f"; next {verb(who, 'is', 'are')} {names} with {number(told(second))}"


def share(decision: Decision, what: str) -> str:
    """``Ann is the first choice of 3 of 5 voters; next is Ben with 2.``"""
    voters = f"{number(best(decision))} of {count(decision.voters, 'voter')}"
    be = verb(decision.elected, "is", "are each")
    return f"{winners(decision)} {be} {what} {voters}{following(decision)}."


def gets_points(decision: Decision, how: str) -> str:
    """``Ann gets 7 points, such and such; next is Ben with 6.``"""
    get = verb(decision.elected, "gets", "each get")
    return f"{winners(decision)} {get} {count(best(decision), 'point')}{how}{following(decision)}."


def highest(decision: Decision) -> str:
    """What can be said of any rule."""
    return gets_points(decision, "")


def beats_everyone(decision: Decision, so: str) -> str:
    return f"{winners(decision)} beats everyone else head to head{so}."


def losses_of(decision: Decision, candidate: int) -> list[int]:
    """Who beats the candidate head to head, the largest margin first."""
    margins = [row[candidate] for row in decision.margins]
    return sorted((c for c, margin in enumerate(margins) if margin > 0), key=lambda c: -margins[c])


def undefeated(decision: Decision) -> bool:
    return not any(losses_of(decision, winner) for winner in decision.elected)


def lose_to_nobody(decision: Decision) -> str:
    return f"{winners(decision)} {verb(decision.elected, 'loses', 'lose')} to nobody head to head"
