"""Estimate which requests are quick.

Quick requests do not wait for slow ones. The estimate may be wrong: a request that takes longer
than expected is moved to the slow lane (see `pool`). So a rough estimate is enough, and it must be
cheap, since the server process computes it.
"""

import json
import re
from typing import Any

# Larger bodies take long to read, whatever they ask for.
BYTES = 100_000

# What takes some 100 milliseconds: this many candidates, and places on all ballots together, for
# rules that solve hard problems and for the others.
HARD_CANDIDATES, HARD_PLACES = 18, 2_000
CANDIDATES, PLACES = 40, 10_000

# As in `deciding.SLOW`, by any name, and those that the page asks for if it names none.
HARD = re.compile(r"young|dodgson|kemeny|slater|ranked|tideman|tally|learned", re.IGNORECASE)

_COUNT = re.compile(r"^\s*\d+\s*[:x×,]", re.MULTILINE)
_BETWEEN = re.compile(r"[>=,;\t\n]+")


def is_quick(operation: str, body: bytes) -> bool:
    """Whether the answer probably takes only milliseconds.

    >>> is_quick("winners", b'{"text": "a > b > c", "rules": ["kemeny"]}')
    True
    >>> is_quick("winners", b'{"text": "%s"}' % b">".join(b"%d" % c for c in range(50)))
    False
    """
    if len(body) > BYTES:
        return False
    try:
        request = json.loads(body or b"{}")
        return _JUDGES.get(operation, _always)(request, len(body))
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        # Such a request is refused, and that is quick.
        return True


def _always(request: Any, size: int) -> bool:
    return True


def _winners(request: Any, size: int) -> bool:
    candidates, ballots = _size(request)
    rules = request.get("rules")
    if rules is None or any(map(HARD.search, rules)):
        return candidates <= HARD_CANDIDATES and candidates * ballots <= HARD_PLACES
    return candidates <= CANDIDATES and candidates * ballots * max(1, len(rules)) <= PLACES


def _size(request: Any) -> tuple[int, int]:
    """How many candidates there are, and how many ballots."""
    if request.get("text") is not None:
        text = _COUNT.sub("", request["text"])
        names = {name.strip() for name in _BETWEEN.split(text)}
        return len(names - {""}), text.count("\n") + 1
    ballots = request.get("ballots") or []
    ranked = {name for ballot in ballots for tier in ballot["ranking"] for name in tier}
    return max(len(ranked), len(request.get("candidates") or [])), len(ballots)


def _elections(request: Any, size: int) -> bool:
    return size * len(request["rules"]) <= PLACES and not any(map(HARD.search, request["rules"]))


def _sample(request: Any, size: int) -> bool:
    return bool(request["voters"] * request["candidates"] <= PLACES)


def _welfare(request: Any, size: int) -> bool:
    return False


_JUDGES = {
    "winners": _winners,
    "elections": _elections,
    "sample": _sample,
    "welfare": _welfare,
}
