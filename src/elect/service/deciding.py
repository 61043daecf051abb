"""Decide one election by many rules, or many elections at once."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from elect import specs
from elect.elections import Profiles
from elect.errors import ElectError
from elect.learned import AT_ONCE, LearnedDecision
from elect.rules import ALIASES, RULES
from elect.rules.base import DISTANCE, Decision, condorcet
from elect.rules.sentences import MANY_CANDIDATES
from elect.service.ballots import batch_of, batch_of_rankings, profile_of
from elect.service.limits import check_answer
from elect.service.rule_catalogue import RuleCatalogue, settings_of
from elect.service.schemas import BatchRequest, WinnersRequest

# Up to this many entries (ballots times candidates), Dodgson and Young are fast.
FEW_PLACES = 500

Json = dict[str, Any]


# ---------------------------------------------------------------------- one election


def winners(request: WinnersRequest, catalogue: RuleCatalogue) -> Iterator[Json]:
    """Yield the answer several times: before each rule that can be slow, the answer to send if the
    time runs out there, and at the end the complete answer."""
    profile = profile_of(request, catalogue.limits)
    asked = catalogue.specs(request.rules)
    check_answer(_size(profile, asked), catalogue.limits)
    results = {spec: _late(spec, catalogue) for spec in asked}
    stages: dict[str, list[Json]] = {}
    facts = _facts(profile)
    for spec in sorted(asked, key=lambda spec: _slowness(spec, profile)):
        if _slowness(spec, profile):
            yield {**facts, **_answer(results, stages)}
        with settings_of(spec):
            decision = catalogue.decide(spec, profile)
        results[spec] = _result(spec, decision, catalogue.kind(spec), request.why)
        if "error" not in results[spec] and (rounds := decision.rounds):
            stages[spec] = rounds
    yield {**facts, **_answer(results, stages)}


def _size(profile: Profiles, asked: Sequence[str]) -> int:
    """About how many bytes the answer can have: each rule tells every name several times, and one
    that eliminates does so in each round."""
    names = sum(len(name.encode()) + 10 for name in profile.labels)
    found = [RULES[name] for name in map(_name, asked) if name in RULES]
    eliminating = sum(rule.round_counts is not None for rule in found)
    return names * (4 * len(asked) + 3 * len(profile.labels) * eliminating // 2)


def _name(spec: str) -> str:
    name = specs.plain(spec.partition(":")[0])
    return ALIASES.get(name, name)


def _slowness(spec: str, profile: Profiles) -> int:
    """0 for a rule that is quick on such ballots, more for others: rules that can take long come
    last, so that they keep no other waiting, and those that need the ballots first among them."""
    rule = RULES.get(_name(spec))
    if rule is None or not rule.slow:
        return 0
    if rule.family == DISTANCE and rule.name in ("kemeny", "slater"):
        return 0 if profile.ranks.shape[2] <= MANY_CANDIDATES else 2
    return 1 if rule.family == DISTANCE else 3


def _facts(profile: Profiles) -> Json:
    """The facts that do not depend on a rule."""
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


def _late(spec: str, catalogue: RuleCatalogue) -> Json:
    after = f"was not settled within {catalogue.limits.seconds:g} seconds on these ballots"
    return _refusal(
        spec, catalogue.kind(spec), f"{spec} {after}; ask for it alone, or for another."
    )


def _refusal(spec: str, kind: str, error: str) -> Json:
    return {
        "rule": spec,
        "kind": kind,
        "winners": [],
        "scores": {},
        "caveats": [],
        "error": error,
    }


def _result(spec: str, decision: Decision, kind: str, why: bool) -> Json:
    try:
        with settings_of(spec):
            title = decision.rule.shown if kind == "exact" else spec
            return {"rule": spec, "title": title, "kind": kind, **_told(decision, why)}
    except ElectError as error:
        return _refusal(spec, kind, str(error))


def _told(decision: Decision, why: bool) -> Json:
    labels = decision.profile.labels
    won = decision.winners
    # First, as it may have counted the scores on the way.
    because = {"why": decision.why} if why else {}
    scores = decision.scores if _scores_are_cheap(decision) else dict.fromkeys(labels)
    learned: Json = {"caveats": decision.caveats}
    if isinstance(decision, LearnedDecision):
        learned["probabilities"] = decision.probabilities
    return {"winners": won, "scores": scores, **because, **learned}


def _scores_are_cheap(decision: Decision) -> bool:
    """Whether the scores of those who lose are known, or no problems of their own."""
    rule = decision.rule
    if "points" in vars(decision) or not rule.slow or rule.family != DISTANCE:
        return True
    if rule.name in ("kemeny", "slater"):
        return decision.size <= MANY_CANDIDATES
    return decision.profile.ranks.numel() <= FEW_PLACES


# ---------------------------------------------------------------------- many elections


def elections(request: BatchRequest, catalogue: RuleCatalogue) -> Iterator[Json]:
    """The winners of each rule in each election."""
    asked = catalogue.specs(request.rules)
    if (request.elections is None) == (request.rankings is None):
        raise ElectError("Give a batch either as elections or as rankings.")
    if request.rankings is not None:
        batch, names = batch_of_rankings(request.rankings, request.candidates, catalogue.limits)
    else:
        batch, names = batch_of(request.elections or [], catalogue.limits)
    check_answer(_size_of_batch(names, asked, catalogue), catalogue.limits)
    decided = [_decide(catalogue, spec, batch, names) for spec in asked]
    yield {"results": [dict(zip(asked, row, strict=True)) for row in zip(*decided, strict=True)]}


def _size_of_batch(
    names: list[Sequence[Any]], asked: Sequence[str], catalogue: RuleCatalogue
) -> int:
    """How many bytes the answer can have: at worst, all candidates are tied, and networks tell a
    number for each."""
    candidates = sum(map(len, names))
    named = [some for some in names if not isinstance(some, range)]
    winners = 5 * candidates + sum(len(name.encode()) for some in named for name in some)
    rules = sum(len(spec) + 20 for spec in asked) * len(names)
    learned = sum(spec in catalogue.trained for spec in asked)
    return winners * len(asked) + rules + 10 * candidates * learned


def _decide(
    catalogue: RuleCatalogue, spec: str, batch: Profiles, names: list[Sequence[Any]]
) -> list[Json]:
    try:
        return _results(catalogue, spec, batch, names)
    except ElectError as error:
        if len(batch) == 1:
            return [{"winners": [], "error": str(error)}]
        # A rule may refuse some of the elections only.
        return [
            result
            for b in range(len(batch))
            for result in _decide(catalogue, spec, batch[b], names[b : b + 1])
        ]


def _results(
    catalogue: RuleCatalogue, spec: str, batch: Profiles, names: list[Sequence[Any]]
) -> list[Json]:
    results: list[Json] = [{"winners": []} for _ in names]
    # As many elections as fit into one forward pass.
    size = max(1, AT_ONCE // batch.ranks[0].numel())
    for start in range(0, len(batch), size):
        part = batch if size >= len(batch) else batch[start : start + size]
        won = catalogue.winners(spec, part).numpy()
        for b, c in zip(*(axis.tolist() for axis in np.nonzero(won)), strict=True):
            results[start + b]["winners"].append(names[start + b][c])
        if spec in catalogue.trained:
            chances = catalogue.trained[spec].probabilities(part).double().numpy().round(6).tolist()
            for b, row in enumerate(chances, start):
                results[b]["probabilities"] = row[: len(names[b])]
    return results
