"""Rules in rounds: who leaves when, and how it ends."""

from elect.explain.outcome import Outcome
from elect.explain.phrases import called, count, number, verb, winners


def instant_runoff(outcome: Outcome) -> str:
    leaving = _leaving(outcome)
    if len(outcome.winners) > 1:
        each = _first_choices(outcome, outcome.winners)[outcome.winners[0]]
        early = _leave(outcome, leaving, "with the fewest first choices; then ")
        return f"{early}{winners(outcome)} tie at {count(each, 'vote')} each."
    *before, last = leaving
    votes = _first_choices(outcome, [*outcome.winners, *last])
    early = _leave(outcome, before, "with the fewest first choices; then ")
    against = f"{number(votes[outcome.winners[0]])} to {number(votes[last[0]])}"
    return (
        f"{early}{winners(outcome)} beats {called(outcome, last)} by "
        f"{against}{verb(last, '', ' each')}."
    )


def coombs(outcome: Outcome) -> str:
    leaving = _leaving(outcome)
    if len(outcome.winners) > 1:
        early = _leave(outcome, leaving, "as last most often; then ")
        return f"{early}{winners(outcome)} are last equally often."
    # Whoever is only one round behind has not left: the winner has its majority before that.
    [winner] = outcome.winners
    last = [c for c in leaving[-1] if outcome.scores[c] == outcome.scores[winner] - 1]
    early = _leave(outcome, leaving[:-1] if last else leaving, "as last most often; then ")
    if not last:
        return f"{early}{winners(outcome)} is left."
    votes = _first_choices(outcome, [winner, *last])[winner]
    of = f"{number(votes)} of {count(outcome.voters, 'voter')}"
    return f"{early}{winners(outcome)} is the first choice of {of}, a majority."


def baldwin(outcome: Outcome) -> str:
    return _by_borda(outcome, "with the lowest Borda score")


def strict_nanson(outcome: Outcome) -> str:
    return _by_borda(outcome, "below the average Borda score")


def weak_nanson(outcome: Outcome) -> str:
    return _by_borda(outcome, "at or below the average Borda score")


def _by_borda(outcome: Outcome, why: str) -> str:
    leaving = _leaving(outcome)
    if len(outcome.winners) > 1:
        return f"{_leave(outcome, leaving, f'{why}; ')}{winners(outcome)} are left with equal ones."
    *before, last = leaving
    if len(last) > 1:
        return f"{_leave(outcome, leaving, f'{why}; ')}{winners(outcome)} is left."
    margin = outcome.margins[outcome.winners[0]][last[0]]
    duel = f"{winners(outcome)} beats {called(outcome, last)} by {count(margin, 'vote')}"
    return f"{_leave(outcome, before, f'{why}; then ')}{duel}."


def _leaving(outcome: Outcome) -> list[list[int]]:
    """The losers, round by round: a score is the round in which a candidate leaves."""
    rounds = sorted({outcome.scores[c] for c in outcome.losers})
    return [[c for c in outcome.losers if outcome.scores[c] == score] for score in rounds]


def _leave(outcome: Outcome, leaving: list[list[int]], why: str) -> str:
    """``Ann, then Ben and Cleo leave`` and why; in short if they are many."""
    if not leaving:
        return ""
    gone = [c for together in leaving for c in together]
    if len(gone) > 4:
        return f"{len(gone)} candidates leave{verb(leaving, '', ' in turn')} {why}"
    order = ", then ".join(called(outcome, together) for together in leaving)
    return f"{order} {verb(gone, 'leaves', 'leave')} {why}"


def _first_choices(outcome: Outcome, left: list[int]) -> dict[int, int]:
    """How many voters rank each candidate first among those left; spent ballots rank nobody."""
    places = outcome.profile.only(left).places[0, :, 0].tolist()
    return dict(zip(left, places, strict=True))
