"""Rules that compare candidates two by two."""

from elect.explain.outcome import Outcome, condorcet
from elect.explain.phrases import (
    best,
    called,
    count,
    following,
    number,
    points,
    verb,
    winners,
)
from elect.explain.places import borda
from elect.rules.kemeny import kemeny_ranking
from elect.rules.pairwise import path_strengths

# Where the scores of those who lose are problems of their own, sentences do without them beyond
# these sizes: candidates, and for integer programs candidates times distinct ballots.
MANY_CANDIDATES = 18
MANY_PLACES = 2000


def copeland(outcome: Outcome) -> str:
    rows = [outcome.margins[w] for w in outcome.winners]
    records = {(sum(x > 0 for x in row), sum(x == 0 for x in row) - 1) for row in rows}
    if len(records) > 1:
        tie = outcome.settings.get("tie", 0.5)
        return points(outcome, f" (one for each win head to head, {tie} for each tie)")
    [(wins, ties)] = records
    beat = verb(outcome.winners, "beats", "each beat")
    tied = f" and {verb(outcome.winners, 'ties', 'tie')} with {ties}" if ties else ""
    total = f", {count(best(outcome), 'point')} in all" if ties else ""
    others = f"{wins} of {count(outcome.size - 1, 'other')} head to head"
    return f"{winners(outcome)} {beat} {others}{tied}{total}{following(outcome)}."


def llull(outcome: Outcome) -> str:
    beat = verb(outcome.winners, "beats or ties", "each beat or tie")
    others = f"{number(best(outcome))} of {count(outcome.size - 1, 'other')} head to head"
    return f"{winners(outcome)} {beat} {others}{following(outcome)}."


def maximin(outcome: Outcome) -> str:
    worst = int(best(outcome))
    others = "; everyone else loses a pair" if outcome.losers else ""
    if worst > 0:
        return f"{winners(outcome)} wins every pair, the closest by {count(worst, 'vote')}{others}."
    if worst == 0:
        lose = verb(outcome.winners, "loses no pair and ties", "lose no pair and tie")
        return f"{winners(outcome)} {lose} at worst{others}."
    [first, *more] = outcome.winners
    loss = "The worst losses of" if more else "The worst loss of"
    to = "" if more else f" is to {called(outcome, _losses(outcome, first)[:1])}"
    if outcome.losers:
        second = max(outcome.scores[c] for c in outcome.losers)
        others = f"; everyone else loses a pair by {number(-second)} or more"
    by = f"{' are' if more else ''} by {count(-worst, 'vote')}"
    return f"{loss} {winners(outcome)} head to head{to}{by}{others}."


def blacks(outcome: Outcome) -> str:
    if condorcet(outcome.profile) is not None:
        return _beats_everyone(outcome, ", which settles it")
    return f"Nobody beats everyone else head to head, so Borda decides: {borda(outcome)}"


def beat_path(outcome: Outcome) -> str:
    if condorcet(outcome.profile) is not None:
        return _beats_everyone(outcome, ", so no chain of majorities leads back")
    if len(outcome.winners) > 1:
        either = winners(outcome, "or")
        return f"Nobody has a stronger chain of majorities to {either} than leads back."
    [winner] = outcome.winners
    paths = path_strengths(outcome.profile.margins)[0].tolist()
    # Of finitely many, a sole winner has the stronger chain to each of the others.
    rival = min(outcome.losers, key=lambda c: paths[winner][c] - paths[c][winner])
    return (
        f"{winners(outcome)} has a stronger chain of majorities to everyone else than leads back, "
        f"with {called(outcome, [rival])} the closest: {number(paths[winner][rival])} to "
        f"{count(paths[rival][winner], 'vote')}."
    )


def ranked_pairs(outcome: Outcome) -> str:
    if condorcet(outcome.profile) is not None:
        return _beats_everyone(outcome, ", so nobody can be locked in above")
    if _undefeated(outcome):
        return f"{_lose_to_nobody(outcome)}, so nobody can be locked in above."
    locked = "With majorities locked in from the largest down, nobody"
    if len(outcome.winners) > 1:
        return f"{locked} need end up above {winners(outcome, 'or')}."
    losses = _losses(outcome, outcome.winners[0])
    late = verb(losses, "win of {} comes too late and", "wins of {} come too late and")
    return (
        f"{locked} ends up above {winners(outcome)}: the {late.format(called(outcome, losses))} "
        "would close a cycle."
    )


def split_cycle(outcome: Outcome) -> str:
    if condorcet(outcome.profile) is not None:
        return _beats_everyone(outcome, ", so there is no loss to excuse")
    if _undefeated(outcome):
        return f"{_lose_to_nobody(outcome)}, so there is no loss to excuse."
    excused = f"Every loss of {winners(outcome, 'or')} is the weakest link of a cycle"
    if len(outcome.winners) > 1:
        return f"{excused} and excused."
    [winner] = outcome.winners
    worst = _losses(outcome, winner)[0]
    back = int(path_strengths(outcome.profile.margins)[0, winner, worst])
    return (
        f"{excused} and excused; the largest, to {called(outcome, [worst])} by "
        f"{count(outcome.margins[worst][winner], 'vote')}, by a chain back of {number(back)}."
    )


def slater(outcome: Outcome) -> str:
    majorities = sum(margin > 0 for row in outcome.margins for margin in row)
    if not majorities:
        return "No pair of candidates has a majority, so nobody is ahead."
    agree = verb(outcome.winners, "A ranking headed by {} agrees", "Rankings headed by {} agree")
    if outcome.size > MANY_CANDIDATES:
        return f"{agree.format(winners(outcome))} with the most majorities."
    of = f"{number(best(outcome))} of {count(majorities, 'majority', 'majorities')}"
    return f"{agree.format(winners(outcome))} with {of}{following(outcome)}."


def kemeny(outcome: Outcome) -> str:
    found = kemeny_ranking(outcome.profile)
    total = int(outcome.profile.support.sum())
    judgements = f"{number(found.score)} of the voters' {number(total)} judgements of pairs"
    if len(outcome.winners) > 1:
        return f"Rankings headed by {winners(outcome)} agree with {judgements}, and none with more."
    names = [outcome.profile.labels[c] for c in found.ranking]
    ranking = " > ".join(names if len(names) < 7 else [*names[:5], "…"])
    most = "more than any other" if found.unique else "and none with more"
    return f"The ranking {ranking} agrees with {judgements}, {most}."


def dodgson(outcome: Outcome) -> str:
    if condorcet(outcome.profile) is not None:
        return _beats_everyone(outcome, " without a single swap on a ballot")
    would = f"{winners(outcome)} would {verb(outcome.winners, '', 'each ')}beat everyone else"
    if outcome.profile.ranks.numel() > MANY_PLACES:
        return f"{would} head to head after the fewest swaps of neighbours on ballots."
    swaps = count(-best(outcome), "swap")
    others = following(outcome, told=lambda score: -score)
    return f"{would} head to head after {swaps} of neighbours on ballots{others}."


def young(outcome: Outcome) -> str:
    if condorcet(outcome.profile) is not None or _undefeated(outcome):
        return f"{_lose_to_nobody(outcome)} with all {count(outcome.voters, 'voter')} kept."
    would = f"{winners(outcome)} would {verb(outcome.winners, '', 'each ')}lose to nobody"
    if outcome.profile.ranks.numel() > MANY_PLACES:
        return f"{would} head to head with the fewest voters set aside."
    gone = f"{number(outcome.voters - best(outcome))} of {count(outcome.voters, 'voter')}"
    others = following(outcome, told=lambda score: outcome.voters - score)
    return f"{would} head to head with {gone} set aside{others}."


def _beats_everyone(outcome: Outcome, so: str) -> str:
    return f"{winners(outcome)} beats everyone else head to head{so}."


def _losses(outcome: Outcome, candidate: int) -> list[int]:
    """Who beats the candidate head to head, the largest margin first."""
    margins = [row[candidate] for row in outcome.margins]
    return sorted((c for c, margin in enumerate(margins) if margin > 0), key=lambda c: -margins[c])


def _undefeated(outcome: Outcome) -> bool:
    return not any(_losses(outcome, winner) for winner in outcome.winners)


def _lose_to_nobody(outcome: Outcome) -> str:
    return f"{winners(outcome)} {verb(outcome.winners, 'loses', 'lose')} to nobody head to head"
