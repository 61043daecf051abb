"""Numbers and lists as they are written in sentences."""

from collections.abc import Iterable, Sequence

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
