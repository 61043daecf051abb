"""Locking majorities one after the other, and the search for an order among equal ones.

What is locked is kept as ``reach[a, b]``: whether a is above b, be it through others.
"""

import numpy as np
from numba import njit

from elect.kernels import NDArray

# What becomes of a candidate: it wins, it loses, it takes more partial orders than are allowed to
# know, or more time.
WINS, LOSES, OPEN, UNDECIDED = 1, 0, -1, -2

# More than any margin.
_ALWAYS = 2**62


@njit(nogil=True, cache=True)
def lock_majorities(margins: NDArray, sizes: NDArray, above: NDArray, ambiguous: NDArray) -> None:
    """above[c] = how many are locked above c, unless the order among equal margins matters."""
    for election in range(len(sizes)):
        m = sizes[election]
        flat = margins[election, :m, :m].copy().reshape(-1)
        order = np.argsort(-flat)
        # A bit for each pair: with many candidates whole words are joined much faster.
        reach = np.zeros((m, (m + 63) // 64), np.uint64)
        start = 0
        while start < m * m and flat[order[start]] > 0 and not ambiguous[election]:
            end = start
            while end < m * m and flat[order[end]] == flat[order[start]]:
                end += 1
            # Those that contradict what was locked before this group are out, whatever the order.
            fresh = [p for p in order[start:end] if not _bit(reach, p % m, p // m)]
            for p in fresh:
                # One that contradicts its equals is in or out depending on who comes first.
                if _bit(reach, p % m, p // m):
                    ambiguous[election] = True
                elif not _bit(reach, p // m, p % m):
                    _lock_bits(reach, p // m, p % m)
            start = end
        for c in range(m):
            for x in range(m):
                above[election, c] += _bit(reach, x, c)


@njit(nogil=True, cache=True)
def _bit(reach: NDArray, a: int, b: int) -> bool:
    """Whether a reaches b."""
    found: bool = (reach[a, b // 64] >> np.uint64(b % 64)) & np.uint64(1) == np.uint64(1)
    return found


@njit(nogil=True, cache=True)
def _lock_bits(reach: NDArray, a: int, b: int) -> None:
    """Lock a above b: all that reach a (and a itself) now reach b and all that b reaches."""
    for x in range(len(reach)):
        if x == a or _bit(reach, x, a):
            for word in range(reach.shape[1]):
                reach[x, word] |= reach[b, word]
            reach[x, b // 64] |= np.uint64(1) << np.uint64(b % 64)


@njit(nogil=True, cache=True)
def search_orders(
    margins: NDArray, sizes: NDArray, hopeful: NDArray, limits: NDArray, fates: NDArray
) -> None:
    """fates[c] = whether c wins under some order among equal margins, for those who are hopeful;
    OPEN if that takes more partial orders to tell than the limit."""
    patience, width = limits[0], margins.shape[1]
    reaches = np.empty((patience, width, width), np.bool_)
    notes, stack = np.empty(patience, np.int64), np.empty(patience, np.int64)
    table, base = np.full(2 * patience + 1, -1), 0
    at = np.empty(2, np.int64)
    for election in range(len(sizes)):
        m = sizes[election]
        for c in range(m):
            if hopeful[election, c]:
                at[0], at[1] = 0, 0
                fates[election, c] = search_on(
                    margins[election, :m, :m],
                    c,
                    reaches[:, :m, :m],
                    notes,
                    stack,
                    table,
                    base,
                    at,
                    2**62,
                )
                base += at[0]


@njit(nogil=True, cache=True)
def search_on(
    margins: NDArray,
    c: int,
    reaches: NDArray,
    notes: NDArray,
    stack: NDArray,
    table: NDArray,
    base: int,
    at: NDArray,
    turns: int,
) -> int:
    """The fate of c; UNDECIDED after so many turns, and then the same call goes on from there.

    A partial order is who reaches whom, and a note: twice the margin at hand, plus one if c's reach
    has stopped growing at that margin. Whatever the order, the majorities by which the reach grows
    can come first among their equals: taken earlier, they are locked all the same, and so is
    everything after them. So the search lets the reach grow, then stops it, then tries the orders
    of the others. ``at`` says how many partial orders there are, and how many are to be looked at.
    """
    m = len(margins)
    reach, joint = np.empty((m, m), np.bool_), np.empty((m, m), np.bool_)
    choices = np.empty((m, m), np.bool_)
    if at[0] == 0:
        reaches[0], notes[0], stack[0] = False, 2 * _next(margins, _ALWAYS), 0
        at[0], at[1] = 1, 1
    count, top = at[0], at[1]
    while top > 0:
        if turns == 0:
            at[0], at[1] = count, top
            return UNDECIDED
        turns -= 1
        top -= 1
        _copy(reaches[stack[top]], reach)
        fate, note = _follow(margins, c, notes[stack[top]], reach, joint, choices)
        if fate == WINS:
            at[0] = count
            return WINS
        for edge in range(m * m if fate == OPEN else 0):
            a, b = edge // m, edge % m
            if not choices[a, b]:
                continue
            if count == len(notes):
                at[0] = count
                return OPEN
            _copy(reach, reaches[count])
            notes[count] = note + (a == b)
            if a != b:
                _lock(reaches[count], a, b)
            if _is_new(reaches, notes, table, base, count):
                stack[top] = count
                count, top = count + 1, top + 1
    at[0] = count
    return LOSES


@njit(nogil=True, cache=True)
def _follow(
    margins: NDArray, c: int, note: int, reach: NDArray, joint: NDArray, choices: NDArray
) -> tuple[int, int]:
    """Lock what is certain until the fate of c is known or there is a choice: then the majorities
    that may come next, and (c, c) if the reach may instead stop growing."""
    m = len(margins)
    while not _safe(margins, reach, c):
        value, stopped = note // 2, note % 2 == 1
        _copy(reach, joint)
        undecided, growing = 0, 0
        for a in range(m):
            for b in range(m):
                choices[a, b] = margins[a, b] == value and not reach[a, b] and not reach[b, a]
                if choices[a, b]:
                    grows = _grows(reach, c, a, b)
                    undecided, growing = undecided + 1, growing + grows
                    joint[a, b] = not (stopped and grows)
        _close(joint)
        certain = False
        for a in range(m):
            for b in range(m):
                # What lies on no cycle of its equals is locked whatever the order.
                if choices[a, b] and not joint[b, a]:
                    if b == c or (stopped and _grows(reach, c, a, b)):
                        return LOSES, note
                    _lock(reach, a, b)
                    certain = True
        if _hopeless(margins, reach, c, value if stopped else 0):
            return LOSES, note
        if certain:
            continue
        if undecided == 0:
            note = 2 * _next(margins, value)
        elif growing == 0 and not stopped:
            note += 1
        else:
            _narrow(choices, reach, joint, c, stopped)
            return OPEN, note
    return WINS, note


@njit(nogil=True, cache=True)
def _narrow(choices: NDArray, reach: NDArray, joint: NDArray, c: int, stopped: bool) -> None:
    """Keep those by which the reach grows or, once it has stopped, those on one cycle: others that
    share no candidate with it neither disturb it nor are disturbed."""
    m, one = len(reach), -1
    for a in range(m):
        for b in range(m):
            if choices[a, b] and _grows(reach, c, a, b) == stopped:
                choices[a, b] = False
            elif choices[a, b] and stopped:
                one = a if one < 0 else one
                choices[a, b] = joint[a, one] and joint[one, a]
    choices[c, c] = not stopped


@njit(nogil=True, cache=True)
def _next(margins: NDArray, value: int) -> int:
    """The next smaller margin of a majority."""
    found = 0
    for row in margins:
        for margin in row:
            if found < margin < value:
                found = margin
    return found


@njit(nogil=True, cache=True)
def _grows(reach: NDArray, c: int, a: int, b: int) -> bool:
    """Whether c comes to reach b if a is locked above b."""
    return (a == c or reach[c, a]) and b != c and not reach[c, b]


@njit(nogil=True, cache=True)
def _safe(margins: NDArray, reach: NDArray, c: int) -> bool:
    """Whether c reaches all who beat it, so that none of them can be locked above it."""
    safe = True
    for x in range(len(margins)):
        safe &= margins[x, c] <= 0 or reach[c, x]
    return safe


@njit(nogil=True, cache=True)
def _hopeless(margins: NDArray, reach: NDArray, c: int, stopped: int) -> bool:
    """Whether someone who beats c is out of its reach even if all that is open before were locked:
    by the strongest paths from c, which grow no more at the margin where they have stopped."""
    m = len(margins)
    strength, left = np.zeros(m, np.int64), np.ones(m, np.bool_)
    strength[c] = _ALWAYS
    for _ in range(m):
        a = -1
        for x in range(m):
            if left[x] and (a < 0 or strength[x] > strength[a]):
                a = x
        left[a] = False
        if margins[a, c] > strength[a]:
            return True
        for b in range(m):
            step = _ALWAYS if reach[a, b] else margins[a, b]
            if not reach[b, a] and not (step == stopped and _grows(reach, c, a, b)):
                strength[b] = max(strength[b], min(strength[a], step))
    return False


@njit(nogil=True, cache=True)
def _close(reach: NDArray) -> None:
    """Let everyone reach whom those reach that it reaches."""
    m = len(reach)
    for k in range(m):
        for x in range(m):
            if reach[x, k]:
                for y in range(m):
                    reach[x, y] |= reach[k, y]


@njit(nogil=True, cache=True)
def _copy(source: NDArray, target: NDArray) -> None:
    # Numba takes seconds to compile a slice's assignment, for the sake of its error messages.
    for a in range(len(source)):
        for b in range(len(source)):
            target[a, b] = source[a, b]


@njit(nogil=True, cache=True)
def _same(one: NDArray, other: NDArray) -> bool:
    for a in range(len(one)):
        for b in range(len(one)):
            if one[a, b] != other[a, b]:
                return False
    return True


@njit(nogil=True, cache=True)
def _is_new(reaches: NDArray, notes: NDArray, table: NDArray, base: int, last: int) -> bool:
    """Whether the last partial order differs from all before, which the table finds by a hash.

    Entries below the base are left from other searches.
    """
    code, m = notes[last], reaches.shape[1]
    for a in range(m):
        for b in range(m):
            code = (code ^ reaches[last, a, b]) * 1099511628211
    slot = (code >> 16) % len(table)
    while table[slot] >= base:
        other = table[slot] - base
        if notes[other] == notes[last] and _same(reaches[other], reaches[last]):
            return False
        slot = (slot + 1) % len(table)
    table[slot] = base + last
    return True


@njit(nogil=True, cache=True)
def _lock(reach: NDArray, a: int, b: int) -> None:
    """Lock a above b: all that reach a (and a itself) now reach b and all that b reaches."""
    for x in range(len(reach)):
        if x == a or reach[x, a]:
            for y in range(len(reach)):
                reach[x, y] |= reach[b, y]
            reach[x, b] = True
