"""What the sentences are made of: numbers and names as one says them."""

from collections.abc import Callable, Iterable, Sequence

from elect.explain.outcome import Outcome

Number = int | float


def number(value: Number) -> str:
    """
    >>> number(12345), number(12.5)
    ('12,345', '12.5')
    """
    return f"{value:,}" if isinstance(value, int) else f"{value:,.10g}"


def count(value: Number, noun: str, nouns: str | None = None) -> str:
    """
    >>> count(1, "vote"), count(1200, "vote"), count(2, "majority", "majorities")
    ('1 vote', '1,200 votes', '2 majorities')
    """
    return f"{number(value)} {noun if value == 1 else nouns or f'{noun}s'}"


def listed(names: Iterable[str], most: int = 4, joint: str = "and") -> str:
    """
    >>> listed(["Ann", "Ben", "Cleo"]), listed("ab", joint="or"), listed("abcdef")
    ('Ann, Ben and Cleo', 'a or b', 'a, b, c and 3 others')
    """
    shown = list(names)
    if len(shown) > most:
        shown[most - 1 :] = [f"{len(shown) - most + 1} others"]
    return f" {joint} ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))


def verb(who: Sequence[object], one: str, several: str) -> str:
    """``one`` for a single candidate, ``several`` for more."""
    return one if len(who) == 1 else several


def called(outcome: Outcome, candidates: Sequence[int], joint: str = "and") -> str:
    """The candidates by name."""
    return listed((outcome.profile.labels[c] for c in candidates), joint=joint)


def winners(outcome: Outcome, joint: str = "and") -> str:
    """The winners by name."""
    return called(outcome, outcome.winners, joint)


def best(outcome: Outcome) -> Number:
    """The winning score."""
    return outcome.scores[outcome.winners[0]]


def following(outcome: Outcome, told: Callable[[Number], Number] = lambda score: score) -> str:
    """Who comes second and with what, if anyone loses; ``told`` turns a score into what is said."""
    if not outcome.losers:
        return ""
    second = max(outcome.scores[c] for c in outcome.losers)
    who = [c for c in outcome.losers if outcome.scores[c] == second]
    if len(who) == len(outcome.losers) > 2:
        return f"; everyone else follows with {number(told(second))}"
    names = called(outcome, who) if len(who) < 4 else f"{len(who)} candidates"
    return f"; next {verb(who, 'is', 'are')} {names} with {number(told(second))}"


def share(outcome: Outcome, what: str) -> str:
    """``Ann is the first choice of 3 of 5 voters; next is Ben with 2.``"""
    voters = f"{number(best(outcome))} of {count(outcome.voters, 'voter')}"
    be = verb(outcome.winners, "is", "are each")
    return f"{winners(outcome)} {be} {what} {voters}{following(outcome)}."


def points(outcome: Outcome, how: str) -> str:
    """``Ann gets 7 points, such and such; next is Ben with 6.``"""
    get = verb(outcome.winners, "gets", "each get")
    return f"{winners(outcome)} {get} {count(best(outcome), 'point')}{how}{following(outcome)}."


def highest(outcome: Outcome) -> str:
    """What can be said of any rule."""
    return points(outcome, "")
