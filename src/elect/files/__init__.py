"""Read and write ballot files: PrefLib, CSV, and (only reading) lines of text.

Example:
    >>> from tempfile import TemporaryDirectory
    >>> profile = Profiles.from_rankings([["Ann", "Ben", "Cleo"], ["Ben"]], weights=[3, 2])
    >>> with TemporaryDirectory() as folder:
    ...     path = write(profile, f"{folder}/board")
    ...     path.name, read(path).names, read(path).ballots()
    ('board.soi', ('Ann', 'Ben', 'Cleo'), [(3, [[0], [1], [2]]), (2, [[1]])])
"""

import io
import os
from collections.abc import Collection, Iterator, Sequence
from itertools import chain, repeat
from pathlib import Path

import numpy as np

from elect.elections import Profiles
from elect.errors import ElectError
from elect.files import preflib, tables, written
from elect.files.ballots import Ballots, Order, clean, distinct, fault, short
from elect.files.reading import checked, text_of
from elect.kernels import UNRANKED, NDArray
from elect.limits import Limits, at_most, using
from elect.storage import write_whole

__all__ = ["read", "read_text", "write"]


def read(path: str | os.PathLike[str], limits: Limits | None = None) -> Profiles:
    """The election in a PrefLib or CSV file, or in one of lines like ``12: Ann > Ben = Cleo``, with
    the candidates' names; equal ballots are merged.

    What a file is follows from its content, and from its extension only where that leaves a
    choice. Candidates of equal names are told apart as "Smith" and "Smith (2)".

    Args:
        path: the file.
        limits: limits on the size. Default: the current limits of `elect.limits`.

    Raises:
        ElectError: if the file cannot be read or is damaged; it names the line and the remedy.
    """
    path = Path(path)
    with using(limits):
        return _parse(path, text_of(path))


def read_text(text: str, name: str = "ballots", limits: Limits | None = None) -> Profiles:
    """The election in the text of a file, as `read` gives it.

    >>> read_text("2: Ann > Ben\\nBen > Ann").ballots()
    [(2, [[0], [1]]), (1, [[1], [0]])]

    Args:
        text: the content of the file.
        name: the name of the file for messages; its extension decides the format if the content
            does not.
        limits: limits on the size. Default: the current limits of `elect.limits`.
    """
    path = Path(name)
    with using(limits):
        return _parse(path, checked(path, text.removeprefix("\ufeff")))


def _parse(path: Path, text: str) -> Profiles:
    lines = [
        (number, line.strip())
        for number, line in enumerate(io.StringIO(text, newline=None), 1)
        if line.strip()
    ]
    kind = path.suffix.lower().lstrip(".")
    if kind in preflib.OTHERS:
        raise ElectError(f"{path} holds graphs or other data; give a file of ballots, as .soc.")
    if any(preflib.HEADER.match(line) for _, line in lines):
        ballots = preflib.parse(path, lines)
    elif kind in preflib.KINDS or (kind in ("", "txt") and preflib.looks_old(lines)):
        ballots = preflib.parse(path, preflib.modern(path, lines))
    elif kind in ("csv", "tsv", "txt", ""):
        parse = written.parse if written.looks_written(lines, kind) else tables.parse
        ballots = parse(path, text)
    else:
        raise ElectError(
            f"{path} is of an unknown kind; give a PrefLib file, name a table of ballots .csv, "
            "or name lines like '12: Ann > Ben > Cleo' .txt."
        )
    return _profiles(path, ballots)


def write(profiles: Profiles, path: str | os.PathLike[str]) -> Path:
    """Write one election as PrefLib or CSV, whichever the extension says, and return its path.

    The header of a PrefLib file states the most restrictive type that holds the ballots (soc
    before soi and toc, these before toi), which is also the extension of a path that has none;
    an extension that is given must be as general. The file is replaced as a whole.
    """
    if len(profiles) != 1:
        raise ElectError(
            f"A file holds one election and this batch has {len(profiles)}; "
            "write them one by one, as in write(profiles[0], path)."
        )
    path = Path(path)
    if os.path.isdir(path):
        raise ElectError(f"{path} is a folder; add the name of the file to write.")
    truncated, tied = bool(profiles.truncated), bool(profiles.tied)
    kind = ("t" if tied else "s") + "o" + ("i" if truncated else "c")
    if not path.suffix:
        path = path.with_name(f"{path.name}.{kind}")
    suffix = path.suffix.lower().lstrip(".")
    if suffix not in (*preflib.ORDERS, "csv"):
        raise ElectError(f"'.{suffix}' files cannot be written; end the name in .{kind} or .csv.")
    if suffix != "csv" and ((tied and suffix[0] == "s") or (truncated and suffix[2] == "c")):
        raise ElectError(
            f"A .{suffix} file cannot hold ballots that "
            f"{'tie candidates' if tied and suffix[0] == 's' else 'leave candidates out'}; "
            f"write them to {path.with_suffix(f'.{kind}')}."
        )
    names = distinct(
        clean(name) or str(c)
        for c, name in enumerate(profiles.labels[: int(profiles.num_candidates)])
    )
    weights: dict[Order, int] = {}
    for count, tiers in profiles.ballots():
        order = tuple(map(tuple, tiers))
        weights[order] = weights.get(order, 0) + count
    weights = dict(sorted(weights.items(), key=lambda item: -item[1]))
    if suffix == "csv":
        write_whole(path, tables.render(path, names, weights))
    else:
        write_whole(path, preflib.render(path, kind, names, weights))
    return path


def _profiles(path: Path, ballots: Ballots) -> Profiles:
    size = len(ballots.names)
    weights: dict[Order, int] = {}
    for line, count, order in zip(ballots.lines, ballots.counts, ballots.orders, strict=True):
        _check_ballot(path, line, order, ballots.names)
        if count:
            weights[order] = weights.get(order, 0) + count
    if not weights:
        raise ElectError(f"{path} has no ballots; fetch or export it again.")
    if not size:
        raise ElectError(f"{path}: An election without candidates cannot be decided; name some.")
    at_most(len(weights), "ballots", f"{path} has {len(weights):,} distinct ballots")
    places = len(weights) * size
    what = f"{path} has {len(weights):,} distinct ballots x {size:,} candidates, {places:,} places"
    at_most(places, "places", what)
    try:
        return Profiles._build(
            _ranks(weights, size)[None], list(weights.values()), np.array([size]), ballots.names
        )
    except ElectError as error:
        raise ElectError(f"{path}: {error}") from None


def _check_ballot(path: Path, line: int, order: Order, names: Sequence[str]) -> None:
    """Refuse a ballot that ranks someone unknown, or someone twice."""
    seen = set[int]()
    for candidate in chain.from_iterable(order):
        if not 1 <= candidate <= len(names):
            what = f"there is no alternative {candidate}; rank those from 1 to {len(names)}."
            raise fault(path, line, what)
        if candidate in seen:
            what = f"the ballot ranks '{short(names[candidate - 1])}' twice; rank everyone once."
            raise fault(path, line, what)
        seen.add(candidate)


def _ranks(orders: Collection[Order], size: int) -> NDArray:
    """Ranks ``[candidate, ballot]``, which count the candidates above."""
    ranked = np.fromiter((sum(map(len, order)) for order in orders), np.int64, len(orders))
    flat = (chain.from_iterable(order) for order in orders)
    candidates = np.fromiter(chain.from_iterable(flat), np.int32, int(ranked.sum()))
    above = np.fromiter(chain.from_iterable(map(_above, orders)), np.int16, int(ranked.sum()))
    ranks = np.full((size, len(orders)), UNRANKED, np.int16)
    ranks[candidates - 1, np.repeat(np.arange(len(orders)), ranked)] = above
    return ranks


def _above(order: Order) -> Iterator[int]:
    above = 0
    for tier in order:
        yield from repeat(above, len(tier))
        above += len(tier)
