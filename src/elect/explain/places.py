"""Rules that count places on ballots."""

from itertools import accumulate

from elect.explain.outcome import Outcome
from elect.explain.phrases import (
    best,
    count,
    following,
    listed,
    number,
    points,
    share,
    verb,
    winners,
)


def plurality(outcome: Outcome) -> str:
    return share(outcome, "the first choice of")


def anti_plurality(outcome: Outcome) -> str:
    last = number(-best(outcome))
    what = f"the last choice of {f'only {last}' if best(outcome) else 'none'} of"
    be = verb(outcome.winners, "is", "are each")
    others = following(outcome, told=lambda score: -score)
    return f"{winners(outcome)} {be} {what} {count(outcome.voters, 'voter')}{others}."


def k_approval(outcome: Outcome) -> str:
    return share(outcome, f"among the first {outcome.settings.get('k', 2)} choices of")


def approval(outcome: Outcome) -> str:
    return share(outcome, "approved of by")


def borda(outcome: Outcome) -> str:
    level = "" if bool(outcome.profile.complete) else ", half for each beside"
    return points(outcome, f" (one for each candidate below on each ballot{level})")


def scoring(outcome: Outcome) -> str:
    vector = outcome.settings["vector"]
    if not isinstance(vector, tuple | list) or len(vector) > 8:
        return points(outcome, " for places on the ballots")
    return points(outcome, f" for places worth {listed(map(str, vector), most=8)}")


def bucklin(outcome: Outcome) -> str:
    places = outcome.profile.places[0].tolist()
    voters = sum(row[0] for row in places)
    # reach[k]: of each candidate, the voters who rank it among their first k + 1.
    reach = list(zip(*map(accumulate, places), strict=True))
    enough = [2 * max(column) > voters for column in reach]
    have = verb(outcome.winners, "has", "each have")
    tally = f"{winners(outcome)} {have} {number(best(outcome))} of {count(voters, 'voter')}"
    if not any(enough):
        return f"Nobody gets a majority even with all choices counted; {tally}{following(outcome)}."
    choices = enough.index(True) + 1
    if choices == 1:
        return f"With first choices alone {tally}, a majority{following(outcome)}."
    return f"It takes the first {choices} choices for a majority: {tally}{following(outcome)}."
