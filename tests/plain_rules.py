"""Every rule once more, in plain whole numbers and fractions, straight from its definition.

A ballot is a number of voters and a list of tiers, best first, each a list of candidates; whoever
is missing is left out. Nothing here uses the library, arrays or floats, so that the two can be
compared. A rule returns a score for each candidate, or None if it refuses such ballots.
"""

from fractions import Fraction
from itertools import combinations, pairwise, permutations
from math import floor

Ballots = list[tuple[int, list[list[int]]]]
Scores = list[int] | list[Fraction] | None


def tier_of(ballot: list[list[int]], candidate: int) -> int | None:
    return next((k for k, tier in enumerate(ballot) if candidate in tier), None)


def prefers(ballot: list[list[int]], a: int, b: int) -> bool:
    """Whether the ballot ranks a above b; whoever is left out stands below all who are ranked."""
    first, second = tier_of(ballot, a), tier_of(ballot, b)
    return first is not None and (second is None or first < second)


def support(ballots: Ballots, m: int) -> list[list[int]]:
    return [
        [sum(n for n, ballot in ballots if a != b and prefers(ballot, a, b)) for b in range(m)]
        for a in range(m)
    ]


def margins(ballots: Ballots, m: int) -> list[list[int]]:
    s = support(ballots, m)
    return [[s[a][b] - s[b][a] for b in range(m)] for a in range(m)]


def voters(ballots: Ballots) -> int:
    return sum(n for n, _ in ballots)


def truncated(ballots: Ballots, m: int) -> bool:
    return any(sum(map(len, ballot)) < m for _, ballot in ballots)


def tied(ballots: Ballots) -> bool:
    return any(len(tier) > 1 for _, ballot in ballots for tier in ballot)


def complete(ballots: Ballots, m: int) -> bool:
    return not truncated(ballots, m) and not tied(ballots)


# ---------------------------------------------------------------------- places


def plurality(ballots: Ballots, m: int) -> Scores:
    if any(ballot and len(ballot[0]) > 1 for _, ballot in ballots):
        return None
    return [sum(n for n, ballot in ballots if ballot and ballot[0] == [c]) for c in range(m)]


def anti_plurality(ballots: Ballots, m: int) -> Scores:
    if not complete(ballots, m):
        return None
    return [-sum(n for n, ballot in ballots if ballot[-1] == [c]) for c in range(m)]


def k_approval(ballots: Ballots, m: int, k: int = 2) -> Scores:
    if tied(ballots):
        return None
    return [sum(n for n, ballot in ballots if [c] in ballot[:k]) for c in range(m)]


def approval(ballots: Ballots, m: int) -> Scores:
    # Being left out is a level too.
    if any(len(ballot) + (sum(map(len, ballot)) < m) > 2 for _, ballot in ballots):
        return None
    return [sum(n for n, ballot in ballots if ballot and c in ballot[0]) for c in range(m)]


def borda(ballots: Ballots, m: int) -> Scores:
    """Each candidate below is worth a point, and each that is tied or left out alike half a one."""
    scores = []
    for c in range(m):
        total = Fraction(0)
        for n, ballot in ballots:
            below = sum(prefers(ballot, c, d) for d in range(m))
            above = sum(prefers(ballot, d, c) for d in range(m))
            total += n * (below + Fraction(m - 1 - below - above, 2))
        scores.append(total)
    return scores


def scoring(ballots: Ballots, m: int, vector: list[Fraction]) -> Scores:
    if not complete(ballots, m) or len(vector) != m:
        return None
    return [sum(n * vector[ballot.index([c])] for n, ballot in ballots) for c in range(m)]


def bucklin(ballots: Ballots, m: int) -> Scores:
    if tied(ballots):
        return None
    cast = sum(n for n, ballot in ballots if ballot)
    for r in range(1, m + 1):
        counts = [sum(n for n, ballot in ballots if [c] in ballot[:r]) for c in range(m)]
        if 2 * max(counts) > cast:
            return counts
    return counts


# ---------------------------------------------------------------------- pairs


def copeland(ballots: Ballots, m: int, tie: Fraction = Fraction(1, 2)) -> Scores:
    w = margins(ballots, m)
    return [
        sum((Fraction(w[a][b] > 0) + tie * (w[a][b] == 0)) for b in range(m) if b != a)
        for a in range(m)
    ]


def llull(ballots: Ballots, m: int) -> Scores:
    return copeland(ballots, m, Fraction(1))


def maximin(ballots: Ballots, m: int) -> Scores:
    w = margins(ballots, m)
    return [min((w[a][b] for b in range(m) if b != a), default=0) for a in range(m)]


def blacks(ballots: Ballots, m: int) -> Scores:
    w = margins(ballots, m)
    scores = list(borda(ballots, m))
    for a in range(m):
        if all(w[a][b] > 0 for b in range(m) if b != a):
            scores[a] = voters(ballots) * m
    return scores


def paths(w: list[list[int]], m: int) -> list[list[int]]:
    """The strongest path from a to b, over all simple paths."""
    strongest = [[0] * m for _ in range(m)]
    for length in range(2, m + 1):
        for path in permutations(range(m), length):
            weakest = min(w[a][b] for a, b in pairwise(path))
            first, last = path[0], path[-1]
            strongest[first][last] = max(strongest[first][last], weakest)
    return strongest


def beat_path(ballots: Ballots, m: int) -> Scores:
    p = paths(margins(ballots, m), m)
    return [-sum(p[b][a] > p[a][b] for b in range(m)) for a in range(m)]


def split_cycle(ballots: Ballots, m: int) -> Scores:
    w = margins(ballots, m)
    p = paths(w, m)
    return [-sum(w[b][a] > 0 and w[b][a] > p[a][b] for b in range(m)) for a in range(m)]


def ranked_pairs_winners(ballots: Ballots, m: int) -> set[int]:
    """Who wins under some order among equal margins."""
    w = margins(ballots, m)
    found: set[int] = set()

    def lock(edges: frozenset[tuple[int, int]], rest: tuple[tuple[int, int], ...]) -> None:
        if not rest:
            found.update(c for c in range(m) if all(b != c for _, b in edges))
            return
        most = max(w[a][b] for a, b in rest)
        for pair in [p for p in rest if w[p[0]][p[1]] == most]:
            later = tuple(p for p in rest if p != pair)
            a, b = pair
            lock(edges if reaches(edges, b, a) else edges | {pair}, later)

    def reaches(edges: frozenset[tuple[int, int]], a: int, b: int) -> bool:
        seen, stack = {a}, [a]
        while stack:
            x = stack.pop()
            for c, d in edges:
                if c == x and d not in seen:
                    seen.add(d)
                    stack.append(d)
        return b in seen

    lock(frozenset(), tuple((a, b) for a in range(m) for b in range(m) if w[a][b] > 0))
    return found


def best_headed(w: list[list[int]], m: int) -> list[int]:
    """The value of the best order headed by each candidate."""
    values = {
        order: sum(w[a][b] for a, b in combinations(order, 2)) for order in permutations(range(m))
    }
    return [max(value for order, value in values.items() if order[0] == c) for c in range(m)]


def kemeny(ballots: Ballots, m: int) -> Scores:
    return best_headed(support(ballots, m), m)


def slater(ballots: Ballots, m: int) -> Scores:
    w = margins(ballots, m)
    return best_headed([[int(w[a][b] > 0) for b in range(m)] for a in range(m)], m)


# ---------------------------------------------------------------------- rounds


def rounds(m: int, leaving) -> Scores:
    """The round in which each candidate leaves; ``leaving(left)`` says who does, if anyone."""
    left, scores = list(range(m)), [0] * m
    while True:
        going = leaving(left)
        if not going or len(going) == len(left):
            return scores
        left = [c for c in left if c not in going]
        for c in left:
            scores[c] += 1


def tops(ballots: Ballots, left: list[int]) -> dict[int, int]:
    """How many voters have each of those left at the top; several at the top count each."""
    counts = dict.fromkeys(left, 0)
    for n, ballot in ballots:
        for tier in ballot:
            here = [c for c in tier if c in counts]
            if here:
                for c in here:
                    counts[c] += n
                break
    return counts


def instant_runoff(ballots: Ballots, m: int) -> Scores:
    def leaving(left: list[int]) -> list[int]:
        counts = tops(ballots, left)
        return [c for c in left if counts[c] == min(counts.values())]

    return rounds(m, leaving)


def coombs(ballots: Ballots, m: int) -> Scores:
    if not complete(ballots, m):
        return None
    turned = [(n, ballot[::-1]) for n, ballot in ballots]
    majority: list[int] = []

    def leaving(left: list[int]) -> list[int]:
        first, last = tops(ballots, left), tops(turned, left)
        majority[:] = [c for c in left if 2 * first[c] > voters(ballots)]
        return [] if majority else [c for c in left if last[c] == max(last.values())]

    scores = rounds(m, leaving)
    for c in majority:
        scores[c] += 1
    return scores


def borda_rounds(ballots: Ballots, m: int, leaving) -> Scores:
    w = margins(ballots, m)
    return rounds(m, lambda left: leaving({a: sum(w[a][b] for b in left) for a in left}))


def baldwin(ballots: Ballots, m: int) -> Scores:
    return borda_rounds(ballots, m, lambda s: [c for c in s if s[c] == min(s.values())])


def strict_nanson(ballots: Ballots, m: int) -> Scores:
    return borda_rounds(ballots, m, lambda s: [c for c in s if s[c] < 0])


def weak_nanson(ballots: Ballots, m: int) -> Scores:
    return borda_rounds(ballots, m, lambda s: [c for c in s if s[c] <= 0])


# ---------------------------------------------------------------------- Dodgson and Young


def dual_bound(kinds: list[tuple[int, ...]], counts: list[int]) -> Fraction:
    """The most of Σ x with Σ kind · x ≥ 0 and 0 ≤ x ≤ counts, x any numbers.

    By duality this is the least, over prices p ≥ 0, of Σ counts · max(0, 1 + p · kind). That is
    convex and made of planes, so it is least at a point where as many planes meet as there are
    prices: all of these are tried.
    """
    size = len(kinds[0])
    planes = [(kind, Fraction(-1)) for kind in kinds]
    planes += [(tuple(int(i == j) for i in range(size)), Fraction(0)) for j in range(size)]
    best = Fraction(sum(counts))
    for chosen in combinations(sorted(set(planes)), size):
        point = solve([list(map(Fraction, row)) for row, _ in chosen], [b for _, b in chosen])
        if point is not None and min(point) >= 0:
            value = sum(
                n * max(0, 1 + sum(p * k for p, k in zip(point, kind, strict=True)))
                for kind, n in zip(kinds, counts, strict=True)
            )
            best = min(best, Fraction(value))
    return best


def solve(rows: list[list[Fraction]], right: list[Fraction]) -> list[Fraction] | None:
    """The solution of as many linear equations as unknowns, if there is one."""
    size = len(rows)
    rows = [[*row, b] for row, b in zip(rows, right, strict=True)]
    for i in range(size):
        pivot = next((r for r in range(i, size) if rows[r][i]), None)
        if pivot is None:
            return None
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for r in range(size):
            if r != i and rows[r][i]:
                factor = rows[r][i]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i], strict=True)]
    return [row[-1] for row in rows]


def kinds_of(ballots: Ballots, m: int, c: int) -> dict[tuple[int, ...], int]:
    """How many voters rank c above (1), with (0) or below (-1) each of the others."""
    kinds: dict[tuple[int, ...], int] = {}
    for n, ballot in ballots:
        kind = tuple(prefers(ballot, c, d) - prefers(ballot, d, c) for d in range(m) if d != c)
        kinds[kind] = kinds.get(kind, 0) + n
    return kinds


def young(ballots: Ballots, m: int) -> list[int]:
    """By setting more and more voters aside, in all ways, for elections of few voters."""
    return [_young(kinds_of(ballots, m, c)) for c in range(m)]


def _young(kinds: dict[tuple[int, ...], int]) -> int:
    most = sum(kinds.values())
    for gone in range(most + 1):
        for taken in shares(gone, list(kinds.values())):
            left = [n - t for n, t in zip(kinds.values(), taken, strict=True)]
            columns = zip(*kinds, strict=True)
            sums = (sum(k * n for k, n in zip(column, left, strict=True)) for column in columns)
            if all(total >= 0 for total in sums):
                return most - gone
    raise AssertionError("without voters nobody loses")


def young_of_multiples(ballots: Ballots, m: int) -> list[Fraction]:
    """For weights that are multiples of all denominators that occur: then the linear program has
    a solution in whole numbers."""
    bounds = []
    for c in range(m):
        kinds = kinds_of(ballots, m, c)
        bounds.append(dual_bound(list(kinds), list(kinds.values())))
    return bounds


def young_of_three(ballots: Ballots) -> list[int]:
    """For three candidates and complete ballots: all who rank c first are kept, equally many of
    those who rank c second, and of the others as many as those kept allow."""
    scores = []
    for c in range(3):
        kinds = kinds_of(ballots, 3, c)
        first, last = kinds.get((1, 1), 0), kinds.get((-1, -1), 0)
        one, other = kinds.get((1, -1), 0), kinds.get((-1, 1), 0)
        spare = min(abs(one - other) + min(first, last), first)
        scores.append(first + 2 * min(one, other) + spare)
    return scores


def dodgson_of_three(ballots: Ballots) -> list[int]:
    """For three candidates: to pass a and b takes a swap each, unless one of them must be passed on
    more ballots than have it directly above c; the rest have the other in between."""
    w = margins(ballots, 3)
    scores = []
    for c in range(3):
        a, b = (d for d in range(3) if d != c)
        lack = {d: max(0, floor(Fraction(-w[c][d], 2)) + 1) for d in (a, b)}
        near = {
            d: sum(n for n, ballot in ballots if ballot.index([d]) == ballot.index([c]) - 1)
            for d in (a, b)
        }
        scores.append(
            -max(
                lack[a] + max(lack[b], lack[a] - near[a]),
                lack[b] + max(lack[a], lack[b] - near[b]),
            )
        )
    return scores


def shares(total: int, limits: list[int]):
    """All ways to take so many from piles of these sizes."""
    if not limits:
        if total == 0:
            yield ()
        return
    for first in range(min(total, limits[0]) + 1):
        for rest in shares(total - first, limits[1:]):
            yield (first, *rest)


def dodgson(ballots: Ballots, m: int) -> Scores:
    """By trying, for each voter, all heights to which the candidate may be raised."""
    if not complete(ballots, m):
        return None
    return [-_dodgson(ballots, m, c) for c in range(m)]


def _dodgson(ballots: Ballots, m: int, c: int) -> int:
    # For each state of support lacking against the others, the fewest swaps that lead there.
    w = margins(ballots, m)
    others = [d for d in range(m) if d != c]
    start = tuple(max(0, floor(Fraction(-w[c][d], 2)) + 1) for d in others)
    states = {start: 0}
    for n, ballot in ballots:
        above = [tier[0] for tier in ballot[: ballot.index([c])]][::-1]
        for _ in range(n):
            following: dict[tuple[int, ...], int] = {}
            for lacking, swaps in states.items():
                for rise in range(len(above) + 1):
                    passed = set(above[:rise])
                    state = tuple(
                        max(0, lack - (d in passed))
                        for lack, d in zip(lacking, others, strict=True)
                    )
                    following[state] = min(following.get(state, swaps + rise), swaps + rise)
            states = following
    return states[(0,) * len(others)]
