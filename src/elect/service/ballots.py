"""Convert elections between JSON, text and `Profiles`."""

import os
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from elect import files
from elect.elections import Profiles
from elect.errors import ElectError, OverLimit
from elect.files.written import split
from elect.kernels import UNRANKED, NDArray
from elect.limits import current
from elect.service.limits import ENTRIES, ServiceLimits, at_most, check_answer, check_names
from elect.service.schemas import Election, ParseRequest

# The extensions that the readers of files distinguish, the most general first; others are ignored.
SUFFIXES = {"csv": (".csv", ".tsv", ".txt"), "preflib": (".toi", ".soc", ".soi", ".toc", ".cat")}

Rows = list[tuple[int, list[list[str]]]]


def profile_of(election: Election, limits: ServiceLimits) -> Profiles:
    """The election, checked."""
    if (election.text is None) == (election.ballots is None):
        raise ElectError("Give an election either as ballots or as text.")
    if election.text is not None:
        rows = read_lines(election.text)
    else:
        rows = [(ballot.count, ballot.ranking) for ballot in election.ballots or ()]
    return _profile(rows, election.candidates, election.absent, limits)


def _profile(
    rows: Rows, names: Sequence[str] | None, absent: Sequence[str], limits: ServiceLimits
) -> Profiles:
    if names is None:
        names = list(dict.fromkeys(chain.from_iterable(chain(*(tiers for _, tiers in rows)))))
    weights = [count for count, _ in rows]
    at_most(len(rows), limits.ballots, "ballots")
    at_most(len(names), limits.candidates, "candidates")
    at_most(sum(weights), limits.voters, "voters")
    check_names(names)
    kept = _standing(names, absent)
    ranks = _ranks(rows, {name: c for c, name in enumerate(names)})
    return Profiles.from_ranks(ranks[:, kept], weights, [names[c] for c in kept])


def _standing(names: Sequence[str], absent: Sequence[str]) -> list[int]:
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ElectError(f"Two candidates are called '{twice}'; give each a name of its own.")
    if not all(map(str.strip, names)):
        raise ElectError("A candidate has no name; give each one.")
    if strangers := set(absent) - set(names):
        raise ElectError(f"'{min(strangers)}' is to be left out but is not a candidate.")
    kept = [c for c, name in enumerate(names) if name not in set(absent)]
    if not kept:
        raise ElectError("An election without candidates cannot be decided; give at least one.")
    return kept


def _ranks(rows: Rows, number: dict[str, int]) -> NDArray:
    """The place of each candidate on each ballot, -1 for those left out."""
    cells = [
        (v, number.get(name, -1), place)
        for v, (_, tiers) in enumerate(rows)
        for place, tier in enumerate(tiers)
        for name in tier
    ]
    ranks = np.full((len(rows), len(number)), -1.0)
    if cells:
        ballots, candidates, places = (np.array(column) for column in zip(*cells, strict=True))
        ranks[ballots, candidates] = places
        if candidates.min() < 0 or np.count_nonzero(ranks >= 0) < len(cells):
            raise _fault(rows, number)
    return ranks


def _fault(rows: Rows, number: dict[str, int]) -> ElectError:
    """What is wrong with the first bad ballot."""
    for v, (_, tiers) in enumerate(rows, 1):
        seen = set[str]()
        for name in chain.from_iterable(tiers):
            if name not in number:
                return ElectError(f"Ballot {v} ranks '{name}', who is not a candidate.")
            if name in seen:
                return ElectError(f"Ballot {v} ranks '{name}' twice; rank everyone at most once.")
            seen.add(name)
    raise AssertionError("some ballot is bad")


def to_json(profile: Profiles, limits: ServiceLimits) -> dict[str, Any]:
    """The election in the format of requests."""
    check_answer(_size_as_json(profile), limits)
    names = profile.labels
    return {
        "candidates": list(names[: int(profile.num_candidates)]),
        "ballots": [
            {"count": count, "ranking": [[names[c] for c in tier] for tier in tiers]}
            for count, tiers in profile.ballots()
        ],
    }


def _size_as_json(profile: Profiles) -> int:
    """How many bytes the ballots take, each name as often as it is ranked."""
    lengths = np.array([len(name.encode()) + 5 for name in profile.labels])
    ranked = np.count_nonzero(profile.arrays[0][0] != UNRANKED, axis=1)
    return int(ranked[: len(lengths)] @ lengths) + 30 * profile.ranks.shape[1]


# ---------------------------------------------------------------------- text


def read_lines(text: str) -> Rows:
    """Ballots a line each; without a count a line is one voter, and ``#`` begins a remark.

    >>> read_lines("12: Ann > Ben = Cleo\\nBen")
    [(12, [['Ann'], ['Ben', 'Cleo']]), (1, [['Ben']])]
    """
    return [(line.voters, line.tiers) for line in split(text)]


def parse(request: ParseRequest, limits: ServiceLimits) -> Profiles:
    """The election in the text of a file."""
    if request.format == "lines":
        return _profile(read_lines(request.text), None, (), limits)
    default, *others = SUFFIXES[request.format]
    suffix = Path(request.filename or "").suffix.lower()
    name = f"ballots{suffix if suffix in others else default}"
    allowed = replace(current(), candidates=limits.candidates, ballots=limits.ballots)
    try:
        profile = files.read_text(request.text, name, allowed)
    except OverLimit as error:
        at_most(error.count, int(error.most), error.limit)
        raise
    except ElectError as error:
        raise ElectError(str(error).replace(name, "The file")) from None
    _check(profile, limits)
    return profile


def export(profile: Profiles, kind: str, folder: str) -> tuple[str, str]:
    """The name and the text of a file that holds the election."""
    with _place(folder) as place:
        path = Path(place) / ("election.csv" if kind == "csv" else "election")
        try:
            path = files.write(profile, path)
        except ElectError as error:
            raise ElectError(str(error).replace(str(path.with_suffix("")), "it")) from None
        return path.name, path.read_text("utf-8")


def _place(folder: str) -> TemporaryDirectory[str]:
    """A folder for one file; the system may have removed ours if it was not used for long."""
    os.makedirs(folder, 0o700, exist_ok=True)
    return TemporaryDirectory(dir=folder)


def _check(profile: Profiles, limits: ServiceLimits) -> None:
    at_most(profile.ranks.shape[1], limits.ballots, "distinct ballots")
    at_most(profile.ranks.shape[2], limits.candidates, "candidates")
    at_most(int(profile.num_voters), limits.voters, "voters")
    check_names(profile.labels)


# ---------------------------------------------------------------------- batches


def batch_of(
    elections: Sequence[Election], limits: ServiceLimits
) -> tuple[Profiles, list[Sequence[Any]]]:
    """Many elections as one batch, and the names of each one's candidates."""
    _check_batch(len(elections), limits)
    profiles = [profile_of(election, limits) for election in elections]
    ballots, candidates = (max(p.ranks.shape[axis] for p in profiles) for axis in (1, 2))
    at_most(
        len(profiles) * ballots * candidates, ENTRIES, "ballots x candidates, all elections padded,"
    )
    return Profiles.concat(profiles), [profile.labels for profile in profiles]


def batch_of_rankings(
    rankings: Sequence[Sequence[Sequence[int]]], candidates: int | None, limits: ServiceLimits
) -> tuple[Profiles, list[Sequence[Any]]]:
    """Elections of candidates without names as one batch."""
    _check_batch(len(rankings), limits)
    ballots = max(map(len, rankings))
    at_most(ballots, limits.ballots, "ballots")
    if min(map(len, rankings)) == 0:
        raise ElectError("An election without voters cannot be decided; give at least one.")
    width = max(max(map(len, election)) for election in rankings)
    at_most(width, limits.candidates, "candidates")
    at_most(len(rankings) * ballots * width, ENTRIES, "places on ballots")
    array, weights = _padded(rankings, ballots, width)
    counts = array.max((1, 2), initial=0) + 1 if candidates is None else candidates
    at_most(int(np.max(counts)), limits.candidates, "candidates")
    profiles = Profiles.from_rankings(array, weights, num_candidates=counts)
    return profiles, [range(int(m)) for m in profiles.num_candidates]


def _check_batch(elections: int, limits: ServiceLimits) -> None:
    if not elections:
        raise ElectError("A batch without elections cannot be decided; give at least one.")
    at_most(elections, limits.elections, "elections")


def _padded(
    rankings: Sequence[Sequence[Sequence[int]]], ballots: int, width: int
) -> tuple[NDArray, NDArray | None]:
    try:
        array = np.array(rankings, np.int16)
    except ValueError:
        array = np.full((len(rankings), ballots, width), -1, np.int16)
        weights = np.zeros((len(rankings), ballots), np.int64)
        for b, election in enumerate(rankings):
            weights[b, : len(election)] = 1
            for v, ballot in enumerate(election):
                array[b, v, : len(ballot)] = ballot
        return array, weights
    return array, None
