"""PrefLib's files of ballots: soc, soi, toc, toi and cat, in the current format and the old one.

preflibtools parses them. It silently skips lines that it does not understand, so each line is
checked before. It fails on empty names, blank lines and extra spaces, so these are cleaned up. It
cannot read the format from before September 2022, so that is converted to the current one.

A file that contradicts its header (a truncated ballot in a soc file, another number of voters
than announced) is refused: it was damaged or cut short. The categories of a cat file, which go
from best to worst, become tied levels, so approvals are ballots of two levels.
"""

import re
from pathlib import Path
from typing import Any

from elect.errors import ElectError
from elect.files.ballots import (
    Ballots,
    Order,
    check_candidates,
    check_name,
    clean,
    distinct,
    fault,
    short,
)
from elect.kernels import UNRANKED

Lines = list[tuple[int, str]]

ORDERS = ("soc", "soi", "toc", "toi")
KINDS = (*ORDERS, "cat")
# PrefLib's other files; a line of some of these graphs could pass for a ballot of the old format.
OTHERS = ("wmd", "wmg", "pwg", "mjg", "tog", "dat")

HEADER = re.compile(
    r"#\s*(FILE NAME|TITLE|DATA TYPE|ALTERNATIVE NAME [0-9]{1,6}|"
    r"NUMBER (?:ALTERNATIVES|VOTERS|CATEGORIES|UNIQUE (?:ORDERS|PREFERENCES)))\s*:\s*(.*)"
)
NUMBER = r"\s*[0-9]{1,9}\s*"
TIER = rf"(?:{NUMBER}|\s*{{(?:{NUMBER}(?:,{NUMBER})*|\s*)}}\s*)"
TIERS = rf"(?:{TIER}(?:,{TIER})*|\s*)"
BALLOT = re.compile(rf"([0-9]{{1,13}})\s*:{TIERS}")
OLD_BALLOT = re.compile(rf"([0-9]{{1,13}})\s*(?:,({TIERS}))?")
OLD_TOTALS = re.compile(r"([0-9]{1,13})\s*,\s*([0-9]{1,13})\s*,\s*[0-9]{1,13}")

SUSHI = "ebi, anago, maguro, ika, uni, sake, tamago, toro, tekka-maki, kappa-maki"


def parse(path: Path, lines: Lines) -> Ballots:
    """The ballots in the numbered lines of a file in the current format."""
    # This takes a fifth of a second, and `elect --help` reads no files.
    from preflibtools.instances import CategoricalInstance, OrdinalInstance

    header = [
        _header_line(path, number, *entry.groups())
        for number, line in lines
        if (entry := HEADER.match(line))
    ]
    _check_size(path, header)
    body = [(number, line) for number, line in lines if not line.startswith("#")]
    if not body:
        raise ElectError(f"{path} has no ballots; fetch or export it again.")
    counts = [_count(path, number, line) for number, line in body]
    kind = _kind(path, header)
    instance = CategoricalInstance() if kind == "cat" else OrdinalInstance()
    # Their default is 0, which a header that does not mention them has not said.
    instance.num_alternatives = instance.num_voters = None
    instance.num_unique_orders = instance.num_unique_preferences = None
    instance.parse_lines([*header, *("".join(line.split()) for _, line in body)])
    ballots = Ballots(
        names=_names(path, instance),
        lines=[number for number, _ in body],
        counts=counts,
        orders=instance.preferences,
    )
    _check_totals(path, instance, ballots)
    _check_kind(path, kind, instance, ballots)
    return ballots


def _check_size(path: Path, header: list[str]) -> None:
    """Refuse too many alternatives, stated or named, before anything is made of them."""
    check_candidates(path, sum(line.startswith("# ALTERNATIVE NAME") for line in header))
    for line in header:
        key, _, value = line.partition(": ")
        if key == "# NUMBER ALTERNATIVES":
            check_candidates(path, int(value))


def _header_line(path: Path, number: int, key: str, value: str) -> str:
    value = clean(value)
    if key.startswith("NUMBER") and not re.fullmatch("[0-9]{1,13}", value):
        raise fault(path, number, f"'{short(value)}' is not a valid {key}; write a whole number.")
    if key.startswith("ALTERNATIVE NAME"):
        value = check_name(path, value) or key.split()[-1]
    return f"# {key}: {value}"


def _count(path: Path, number: int, line: str) -> int:
    if ballot := BALLOT.fullmatch(line):
        return int(ballot[1])
    count, colon, _ = line.partition(":")
    if colon and not re.fullmatch(r"[0-9]{1,13}\s*", count):
        what = f"'{short(count)}' is not a number of voters; write a whole number up to 10^12."
    else:
        what = f"'{short(line)}' is not a ballot; write voters and order as in '5: 1,{{4,3}},2'."
    raise fault(path, number, what)


def _kind(path: Path, header: list[str]) -> str:
    stated = [line[len("# DATA TYPE: ") :] for line in header if line.startswith("# DATA TYPE: ")]
    kind = next(filter(None, stated), path.suffix[1:]).lower()
    if kind not in KINDS and any(stated):
        raise ElectError(
            f"{path} says its DATA TYPE is '{short(kind)}', which is not for ballots; "
            f"give a file of type {', '.join(ORDERS)} or cat."
        )
    return kind if kind in KINDS else "toi"


def _names(path: Path, instance: Any) -> list[str]:
    named = instance.alternatives_name
    size = len(named) if instance.num_alternatives is None else instance.num_alternatives
    if not 0 < size < UNRANKED:
        raise ElectError(
            f"{path} has {size} alternatives; state from 1 to {UNRANKED - 1} in its header, "
            "as in '# NUMBER ALTERNATIVES: 3'."
        )
    if named and sorted(named) != list(range(1, size + 1)):
        raise ElectError(
            f"{path} has {size} alternatives but not a name for each; give its header "
            f"an ALTERNATIVE NAME line for each of 1 to {size}."
        )
    names = [named.get(c, str(c)) for c in range(1, size + 1)]
    return distinct(_sushi(path, instance, names))


def _sushi(path: Path, instance: Any, names: list[str]) -> list[str]:
    """PrefLib's ten kinds of sushi under the names by which they were ranked.

    The survey numbers them from 0 and PrefLib's header from 1, but the votes below it keep the
    survey's numbers, with 10 for its 0, the shrimp. So every name stands one place too late, and
    toro, the favourite by far, is called tamago.
    """
    source = f"{path.name} {instance.file_name} {instance.title}"
    theirs = "00014-00000001" in source or "Sushi 10 Rank" in source
    shifted = ", ".join(name.split(" (")[0] for name in names) == SUSHI
    return [*names[1:], names[0]] if theirs and shifted else names


def _check_totals(path: Path, instance: Any, ballots: Ballots) -> None:
    voters, different = instance.num_voters, instance.num_unique_orders
    if different is None:
        different = instance.num_unique_preferences
    if voters not in (None, sum(ballots.counts)):
        raise ElectError(
            f"{path} announces {voters} voters but has ballots of {sum(ballots.counts)}; fetch it "
            "again if it was cut short, or correct NUMBER VOTERS."
        )
    # Some writers repeat a ballot on several lines; they may count it once or each time.
    if different not in (None, len(ballots.orders), len(set(ballots.orders))):
        raise ElectError(
            f"{path} announces {different} distinct ballots but has {len(ballots.orders)}; "
            "fetch it again if it was cut short, or correct that number."
        )


def _check_kind(path: Path, kind: str, instance: Any, ballots: Ballots) -> None:
    size, categories = len(ballots.names), getattr(instance, "num_categories", 0)
    for line, order in zip(ballots.lines, ballots.orders, strict=True):
        ranked = sum(map(len, order))
        if kind in ("soc", "soi") and ranked > len(order):
            what = f"the ballot ties candidates; correct it, or declare not {kind} but to{kind[2]}."
        elif kind in ("soc", "toc") and ranked < size:
            what = f"the ballot is truncated; complete it, or declare not {kind} but {kind[0]}oi."
        elif kind == "cat" and 0 < categories < len(order):
            what = f"the ballot has {len(order)} categories; keep to the header's {categories}."
        else:
            continue
        raise fault(path, line, what)


def looks_old(lines: Lines) -> bool:
    """Whether a file begins as PrefLib's did before 2022."""
    return len(lines) > 2 and lines[0][1].isdecimal() and lines[1][1].startswith("1,")


def modern(path: Path, lines: Lines) -> Lines:
    """Rewrite the old format: m, then m times id,name, voters,sum,distinct, and count,order."""
    number, first = lines[0]
    if not re.fullmatch("[0-9]{1,6}", first):
        what = "this begins neither with a PrefLib header nor with the number of alternatives; "
        raise fault(path, number, what + "fetch it again, or name a table of ballots .csv.")
    size = int(first)
    check_candidates(path, size)
    header = [(number, f"# NUMBER ALTERNATIVES: {first}")]
    for number, line in lines[1 : size + 1]:
        candidate, comma, name = line.partition(",")
        if not (comma and re.fullmatch(r"[0-9]{1,6}\s*", candidate) and 0 < int(candidate) <= size):
            what = f"'{short(line)}' does not name one of {size} alternatives; write 'id,name'."
            raise fault(path, number, what)
        header.append((number, f"# ALTERNATIVE NAME {candidate}: {name}"))
    totals = OLD_TOTALS.fullmatch(lines[size + 1][1]) if len(lines) > size + 1 else None
    if totals is None:
        raise ElectError(
            f"{path} lacks the line 'voters,sum,distinct' after its {size} alternatives; "
            "fetch it again, or correct the number of alternatives in line 1."
        )
    body = []
    for number, line in lines[size + 2 :]:
        ballot = OLD_BALLOT.fullmatch(line)
        if not ballot:
            what = f"'{short(line)}' is not a ballot; write voters and order as in '5,1,{{4,3}},2'."
            raise fault(path, number, what)
        body.append((number, f"{ballot[1]}: {ballot[2] or ''}"))
    # Voters and sum mean the same; where they differ, the ballots may agree with either.
    cast = str(sum(int(line.partition(":")[0]) for _, line in body))
    voters = cast if cast in totals.groups() else totals[1]
    return [*header, (lines[size + 1][0], f"# NUMBER VOTERS: {voters}"), *body]


def render(path: Path, kind: str, names: list[str], weights: dict[Order, int]) -> str:
    """The text of a file in the current format."""
    header = {
        "FILE NAME": clean(path.name),
        "TITLE": clean(path.stem),
        "DESCRIPTION": "",
        "DATA TYPE": kind,
        "MODIFICATION TYPE": "synthetic",
        "RELATES TO": "",
        "RELATED FILES": "",
        # No dates: the same election makes the same file on any day.
        "PUBLICATION DATE": "",
        "MODIFICATION DATE": "",
        "NUMBER ALTERNATIVES": len(names),
        "NUMBER VOTERS": sum(weights.values()),
        "NUMBER UNIQUE ORDERS": len(weights),
        **{f"ALTERNATIVE NAME {c}": name for c, name in enumerate(names, 1)},
    }
    lines = [f"# {key}: {value}" for key, value in header.items()]
    for order, count in weights.items():
        tiers = [",".join(str(c + 1) for c in tier) for tier in order]
        listed = (f"{{{tier}}}" if "," in tier else tier for tier in tiers)
        lines.append(f"{count}: {','.join(listed)}")
    return "\n".join(lines) + "\n"
