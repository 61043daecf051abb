"""Ballot files in and out: PrefLib, CSV, and ballots written out, which are only read.

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
import re
from pathlib import Path

import numpy as np

from elect.elections import Profiles
from elect.errors import ElectError
from elect.files import preflib, tables, written
from elect.files.ballots import Ballots, Order, clean, distinct, fault
from elect.storage import write_whole

__all__ = ["read", "write"]


def read(path: str | os.PathLike[str]) -> Profiles:
    """The election in a PrefLib or CSV file, or in one of lines like ``12: Ann > Ben = Cleo``, with
    the candidates' names; equal ballots are merged.

    What a file is follows from its content, and from its extension only where that leaves a
    choice. Candidates of equal names are told apart as "Smith" and "Smith (2)".

    Raises:
        ElectError: if the file cannot be read or is damaged; it names the line and the remedy.
    """
    path = Path(path)
    text = _text(path)
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


def _text(path: Path) -> str:
    if os.path.isdir(path):
        raise ElectError(f"{path} is a folder; give the path of a ballot file in it.")
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise ElectError(f"There is no file {path}; check its name and folder.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ElectError(f"{path} cannot be read ({reason}); check its name and rights.") from error
    if b"\0" in data:
        raise ElectError(f"{path} is not text; give a PrefLib or CSV file, unpacked and in UTF-8.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = len(re.findall(rb"\r\n|\r|\n", data[: error.start])) + 1
        raise fault(path, line, "this is not UTF-8; save the file as UTF-8 text.") from None
    if not text.strip():
        raise ElectError(f"{path} is empty; fetch or export it again.")
    return text


def _profiles(path: Path, ballots: Ballots) -> Profiles:
    size = len(ballots.names)
    weights: dict[Order, int] = {}
    for line, count, order in zip(ballots.lines, ballots.counts, ballots.orders, strict=True):
        ranked = [candidate for tier in order for candidate in tier]
        if ranked and not 1 <= min(ranked) <= max(ranked) <= size:
            stranger = next(c for c in ranked if not 1 <= c <= size)
            what = f"there is no alternative {stranger}; rank those from 1 to {size}."
            raise fault(path, line, what)
        if len(set(ranked)) < len(ranked):
            name = next(ballots.names[c - 1] for c in ranked if ranked.count(c) > 1)
            raise fault(path, line, f"the ballot ranks '{name}' twice; rank everyone once.")
        if count:
            weights[order] = weights.get(order, 0) + count
    if not weights:
        raise ElectError(f"{path} has no ballots; fetch or export it again.")
    cells = [
        (row, candidate, place)
        for row, order in enumerate(weights)
        for place, tier in enumerate(order)
        for candidate in tier
    ]
    rows, candidates, places = np.array(cells, np.int64).reshape(-1, 3).T
    ranks = np.full((len(weights), size), -1.0)
    ranks[rows, candidates - 1] = places
    try:
        return Profiles.from_ranks(ranks, list(weights.values()), ballots.names)
    except ElectError as error:
        raise ElectError(f"{path}: {error}") from None
