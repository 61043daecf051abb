"""Elections decided: one by many rules, or many at once."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from elect import specs
from elect.elections import Profiles
from elect.errors import ElectError
from elect.explain import LearnedOutcome, Outcome, condorcet, sentence
from elect.explain.pairs import MANY_CANDIDATES
from elect.learned import AT_ONCE
from elect.rules import ALIASES
from elect.service.ballots import batch_of, batch_of_rankings, profile_of
from elect.service.hall import Hall, settings_of
from elect.service.limits import check_answer
from elect.service.rounds import COUNTS, rounds
from elect.service.schemas import BatchRequest, WinnersRequest

# Rules that can take long on ballots made to be hard. They come last, so that they keep no other
# rule waiting, and in this order, so that the worst keep none of the others.
SLOW = ("young", "dodgson", "kemeny", "slater", "ranked_pairs")

# Up to so many places on all ballots, the programs of Dodgson and Young cost next to nothing.
FEW_PLACES = 500

Json = dict[str, Any]


# ---------------------------------------------------------------------- one election


def winners(request: WinnersRequest, hall: Hall) -> Iterator[Json]:
    """The answer, again and again as more of it is known: before each rule that can take long,
    what to say should it take too long, and at the end everything."""
    profile = profile_of(request, hall.limits)
    asked = hall.specs(request.rules)
    check_answer(_size(profile, asked), hall.limits)
    results = {spec: _late(spec, hall) for spec in asked}
    stages: dict[str, list[Json]] = {}
    facts = _facts(profile)
    for spec in sorted(asked, key=lambda spec: _slowness(spec, profile)):
        if _slowness(spec, profile):
            yield {**facts, **_answer(results, stages)}
        outcome = hall.outcome(spec, profile)
        results[spec] = _result(outcome, hall.kind(spec), request.why)
        if "error" not in results[spec] and _exact_name(outcome) in COUNTS:
            stages[spec] = rounds(outcome)
    yield {**facts, **_answer(results, stages)}


def _size(profile: Profiles, asked: Sequence[str]) -> int:
    """About how many bytes the answer can have: each rule tells every name several times, and one
    that eliminates does so in each round."""
    names = sum(len(name.encode()) + 10 for name in profile.labels)
    eliminating = sum(ALIASES.get(name, name) in COUNTS for name in map(_name, asked))
    return names * (4 * len(asked) + 3 * len(profile.labels) * eliminating // 2)


def _name(spec: str) -> str:
    return specs.plain(spec.partition(":")[0])


def _slowness(spec: str, profile: Profiles) -> int:
    """0 for a rule that is quick on such ballots, more for others."""
    name = ALIASES.get(_name(spec), _name(spec))
    quick = name in ("kemeny", "slater") and profile.ranks.shape[2] <= MANY_CANDIDATES
    return 0 if quick or name not in SLOW else 1 + SLOW.index(name)


def _facts(profile: Profiles) -> Json:
    """What is so whatever the rule."""
    found = condorcet(profile)
    return {
        "candidates": list(profile.labels),
        "voters": int(profile.num_voters),
        "condorcet": None if found is None else profile.labels[found],
        "margins": profile.margins[0].tolist(),
        "places": profile.places[0].tolist(),
    }


def _answer(results: dict[str, Json], stages: dict[str, list[Json]]) -> Json:
    groups: dict[tuple[str, ...], list[str]] = {}
    for spec, result in results.items():
        if "error" not in result:
            groups.setdefault(tuple(result["winners"]), []).append(spec)
    largest = sorted(groups.items(), key=lambda item: -len(item[1]))
    return {
        "rules": list(results.values()),
        "groups": [{"winners": list(won), "rules": names} for won, names in largest],
        "rounds": {spec: stages[spec] for spec in results if spec in stages},
    }


def _late(spec: str, hall: Hall) -> Json:
    after = f"was not settled within {hall.limits.seconds:g} seconds on these ballots"
    return _refusal(spec, hall.kind(spec), f"{spec} {after}; ask for it alone, or for another.")


def _refusal(spec: str, kind: str, error: str) -> Json:
    return {
        "rule": spec,
        "kind": kind,
        "winners": [],
        "scores": {},
        "caveats": [],
        "error": error,
    }


def _result(outcome: Outcome, kind: str, why: bool) -> Json:
    try:
        with settings_of(outcome.spec):
            return _told(outcome, kind, why)
    except ElectError as error:
        return _refusal(outcome.spec, kind, str(error))


def _told(outcome: Outcome, kind: str, why: bool) -> Json:
    labels = outcome.profile.labels
    won = [labels[c] for c in outcome.winners]
    # First, as it may have counted the scores on the way.
    because = {"why": sentence(outcome)} if why else {}
    scores = outcome.scores if _scores_are_cheap(outcome) else [None] * outcome.size
    learned: Json = {"caveats": []}
    if isinstance(outcome, LearnedOutcome):
        chances = dict(zip(labels, outcome.probabilities, strict=True))
        learned = {"probabilities": chances, "caveats": outcome.caveats}
    counted = {"winners": won, "scores": dict(zip(labels, scores, strict=True))}
    return {"rule": outcome.spec, "kind": kind, **counted, **because, **learned}


def _scores_are_cheap(outcome: Outcome) -> bool:
    """Whether the scores of those who lose are known, or no problems of their own."""
    name = _exact_name(outcome)
    if "scores" in vars(outcome):
        return True
    if name in ("kemeny", "slater"):
        return outcome.size <= MANY_CANDIDATES
    return name not in ("dodgson", "young") or outcome.profile.ranks.numel() <= FEW_PLACES


def _exact_name(outcome: Outcome) -> str:
    """What an exact rule is called; a learned one is called by whatever it imitates."""
    return "" if isinstance(outcome, LearnedOutcome) else outcome.name


# ---------------------------------------------------------------------- many elections


def elections(request: BatchRequest, hall: Hall) -> Iterator[Json]:
    """For each election, whom each rule elects."""
    asked = hall.specs(request.rules)
    if (request.elections is None) == (request.rankings is None):
        raise ElectError("Give a batch either as elections or as rankings.")
    if request.rankings is not None:
        batch, names = batch_of_rankings(request.rankings, request.candidates, hall.limits)
    else:
        batch, names = batch_of(request.elections or [], hall.limits)
    check_answer(_size_of_batch(names, asked, hall), hall.limits)
    decided = [_decide(hall, spec, batch, names) for spec in asked]
    yield {"results": [dict(zip(asked, row, strict=True)) for row in zip(*decided, strict=True)]}


def _size_of_batch(names: list[Sequence[Any]], asked: Sequence[str], hall: Hall) -> int:
    """How many bytes the answer can have: at worst, all candidates are tied, and networks tell a
    number for each."""
    candidates = sum(map(len, names))
    named = [some for some in names if not isinstance(some, range)]
    winners = 5 * candidates + sum(len(name.encode()) for some in named for name in some)
    rules = sum(len(spec) + 20 for spec in asked) * len(names)
    learned = sum(spec in hall.trained for spec in asked)
    return winners * len(asked) + rules + 10 * candidates * learned


def _decide(hall: Hall, spec: str, batch: Profiles, names: list[Sequence[Any]]) -> list[Json]:
    try:
        return _results(hall, spec, batch, names)
    except ElectError as error:
        if len(batch) == 1:
            return [{"winners": [], "error": str(error)}]
        # A rule may refuse some of the elections only.
        return [
            result
            for b in range(len(batch))
            for result in _decide(hall, spec, batch[b], names[b : b + 1])
        ]


def _results(hall: Hall, spec: str, batch: Profiles, names: list[Sequence[Any]]) -> list[Json]:
    results: list[Json] = [{"winners": []} for _ in names]
    # So many that a network looks at them in one go, and at none of them twice.
    size = max(1, AT_ONCE // batch.ranks[0].numel())
    for start in range(0, len(batch), size):
        part = batch if size >= len(batch) else batch[start : start + size]
        won = hall.winners(spec, part).numpy()
        for b, c in zip(*(axis.tolist() for axis in np.nonzero(won)), strict=True):
            results[start + b]["winners"].append(names[start + b][c])
        if spec in hall.trained:
            chances = hall.trained[spec].probabilities(part).double().numpy().round(6).tolist()
            for b, row in enumerate(chances, start):
                results[b]["probabilities"] = row[: len(names[b])]
    return results
