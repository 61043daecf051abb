"""Sample elections from a culture, and measure the welfare of the winners."""

from collections.abc import Iterator
from dataclasses import replace
from string import ascii_uppercase
from typing import Any

import numpy as np

from elect.cultures import Culture, Euclidean, Mixture, Prefsampling, posterior_of
from elect.cultures import culture as make_culture
from elect.elections import Scores, Winners
from elect.errors import ElectError
from elect.measuring.estimates import BINS, histogram
from elect.measuring.outcomes import welfare_ratio
from elect.rules import winners
from elect.rules.posterior import posterior_rule
from elect.service.ballots import to_json
from elect.service.limits import DIMENSIONS, at_most
from elect.service.rule_catalogue import RuleCatalogue, settings_of
from elect.service.schemas import SampleRequest, WelfareRequest
from elect.welfares import judge, welfare

# Elections in a histogram, draws of utilities by which the best rule judges each, and the most
# utilities drawn in all, which takes about a second; with more there are fewer elections.
ELECTIONS, SAMPLES, UTILITIES = 2000, 128, 40_000_000
FEWEST, ENTRIES = 50, 10_000
BEST = "best possible"
QUICK = ("plurality", "borda", "copeland", "maximin")

Json = dict[str, Any]


def sample(request: SampleRequest, catalogue: RuleCatalogue) -> Iterator[Json]:
    """One election, with equal ballots merged and the most frequent first."""
    at_most(request.voters, catalogue.limits.ballots, "voters")
    at_most(request.candidates, catalogue.limits.candidates, "candidates")
    with settings_of(request.culture):
        source = culture(request.culture)
        drawn = source(1, request.voters, request.candidates, seed=request.seed).profiles.merged()
    named = replace(drawn, names=tuple(map(letter, range(request.candidates))))
    election = to_json(named, catalogue.limits)
    election["ballots"].sort(key=lambda ballot: -ballot["count"])
    yield election


def culture(spec: str) -> Culture:
    """The culture of this name, if it is one of the library's own and of bounded cost."""
    found = make_culture(spec)
    for part in found.cultures if isinstance(found, Mixture) else (found,):
        if isinstance(part, Prefsampling):
            raise ElectError(
                f"This server does not sample from '{part.name}'; `GET /v1/cultures` lists the "
                "cultures that it has."
            )
        if isinstance(part, Euclidean):
            at_most(part.dimension, DIMENSIONS, "dimensions")
    return found


def letter(number: int) -> str:
    """A short name for a candidate.

    >>> letter(0), letter(25), letter(26)
    ('A', 'Z', 'A2')
    """
    turn, place = divmod(number, len(ascii_uppercase))
    return ascii_uppercase[place] + (str(turn + 1) if turn else "")


def welfare_ratios(request: WelfareRequest, catalogue: RuleCatalogue) -> Iterator[Json]:
    """How the welfare of each rule's winners over the highest is distributed."""
    with settings_of(request.culture, request.welfare):
        yield _welfare_ratios(request, catalogue)


def _welfare_ratios(request: WelfareRequest, catalogue: RuleCatalogue) -> Json:
    at_most(request.candidates, catalogue.limits.candidates, "candidates")
    entries = request.voters * request.candidates
    at_most(entries, ENTRIES, "utilities in an election (voters times candidates)")
    source, function = culture(request.culture), welfare(request.welfare)
    # The package may have a trained rule for this welfare and culture.
    fitting = {f"tally-{request.welfare}-{request.culture}"} & catalogue.on_shelf
    usual = [*QUICK, *fitting, *catalogue.own]
    asked = catalogue.specs(usual if request.rules is None else request.rules)
    count = int(np.clip(UTILITIES // (entries * SAMPLES), FEWEST, ELECTIONS))
    drawn = source(count, request.voters, request.candidates, seed=request.seed)
    worth = judge(function, drawn)

    def told(spec: str) -> Json:
        start = {"rule": spec, "kind": catalogue.kind(spec)}
        try:
            return {**start, **_distribution(catalogue.winners(spec, drawn.profiles), worth)}
        except ElectError as error:
            return {**start, "mean": None, "histogram": [], "error": str(error)}

    best = None
    if posterior_of(source):
        rule = posterior_rule(source, function, SAMPLES, seed=request.seed + 1)
        won = winners(rule, drawn.profiles)
        best = {"rule": BEST, "kind": BEST, **_distribution(won, worth)}
    return {
        **request.model_dump(include={"culture", "welfare", "voters", "candidates"}),
        "elections": count,
        "edges": np.linspace(0, 1, BINS + 1).round(6).tolist(),
        "rules": [told(spec) for spec in asked],
        "best": best,
    }


def _distribution(won: Winners, worth: Scores) -> Json:
    ratios = welfare_ratio(won, worth).numpy()
    shares = np.array(histogram(ratios)) / len(ratios)
    return {"mean": round(float(ratios.mean()), 6), "histogram": shares.round(6).tolist()}
