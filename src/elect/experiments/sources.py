"""Where a figure comes from: measured now, recorded earlier, or printed in a paper.

Printed figures are data in `printed/`, recorded ones in `recorded/`, each with its source.
"""

import json
import os
import platform
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

MEASURED, RECORDED, PRINTED = "measured", "recorded", "printed"

FOLDER = Path(__file__).parent
PRINTS, RECORDS = FOLDER / "printed", FOLDER / "recorded"

# Training time and size of each of the paper's networks, as the paper states them.
COST, PARAMETERS = "1 to 8 days on a T4", "10 million"

NETWORKS = ("set_transformer", "gin", "deepsets", "mlp")


@dataclass(frozen=True)
class Source:
    """Where a figure comes from.

    Attributes:
        kind: `MEASURED` by this reproduction, `RECORDED` by an earlier one, or `PRINTED`.
        date: the day of the measurement, as 2026-11-16.
        seed: the seed of the measurement.
        commit: the commit of elect that measured, if it ran from a checkout.
        machine: the machine that measured.
        command: the command that measured.
        paper: the paper that prints the figure.
    """

    kind: str
    date: str = ""
    seed: int | None = None
    commit: str = ""
    machine: str = ""
    command: str = ""
    paper: str = ""

    @classmethod
    def from_json(cls, content: Mapping[str, Any], kind: str | None = None) -> "Source":
        """The source in these words, or in the head of a file of results; the rest is ignored."""
        known = {one.name: content[one.name] for one in fields(cls) if one.name in content}
        return cls(**{**known, "kind": kind or known["kind"]})

    def to_json(self) -> dict[str, Any]:
        return {key: value for key, value in vars(self).items() if value not in ("", None)}

    def as_recorded(self) -> "Source":
        return replace(self, kind=RECORDED)

    @property
    def label(self) -> str:
        """A mark for a figure or a line: empty for what was measured by this reproduction."""
        return " ".join(filter(None, [RECORDED, self.date])) if self.kind == RECORDED else ""

    def __str__(self) -> str:
        if self.kind == PRINTED:
            return f"printed in {self.paper}"
        seed = "" if self.seed is None else f"seed {self.seed}"
        commit = f"commit {self.commit}" if self.commit else ""
        made = f"by `{self.command}`" if self.command else ""
        details = ", ".join(filter(None, [seed, commit, self.machine, made]))
        first = " ".join(filter(None, [self.kind, self.date]))
        return f"{first} ({details})" if details else first


def measured_here(seed: int, command: str = "") -> Source:
    """The source of what this process measures."""
    today = datetime.now(UTC).strftime("%Y-%m-%d")
    return Source(MEASURED, today, seed, commit(), machine(), command)


@cache
def machine() -> str:
    """The processor, its number of cores, and the version of Python."""
    model = platform.processor() or platform.machine()
    with suppress(OSError, StopIteration):
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}"


@cache
def commit() -> str:
    """The commit of elect; empty where it was installed without its history."""
    root = Path(__file__).parents[3]
    # An installed package may lie inside somebody else's repository.
    if not (root / ".git").exists() or not (root / "src" / "elect").is_dir():
        return ""
    with suppress(OSError):
        command = ["git", "-C", str(root), "rev-parse", "--short", "HEAD"]
        return subprocess.run(command, capture_output=True, text=True).stdout.strip()
    return ""


# ---------------------------------------------------------------------- printed figures


def printed(name: str, part: str | None = None) -> dict[str, dict[str, float | None]]:
    """The figures of a table by row and column; None where the paper prints none.

    >>> printed("table-1")["gin"]["kemeny"]
    0.82
    >>> printed("table-3", "egalitarian")["borda"]["indecisive"]
    0.53
    """
    content = _content(PRINTS / f"{name}.json") or {}
    rows = (content if part is None else content[part])["rows"]
    return {row: dict(zip(content["columns"], values, strict=True)) for row, values in rows.items()}


def printed_source(name: str) -> Source:
    """The paper that prints a table."""
    return Source(PRINTED, paper=str((_content(PRINTS / f"{name}.json") or {})["source"]))


def best_printed(name: str, column: str, part: str | None = None) -> float:
    """The highest figure that is printed for any network in a column.

    >>> best_printed("table-1", "kemeny")
    0.94
    """
    rows = printed(name, part)
    return max(value for row in NETWORKS if (value := rows[row][column]) is not None)


def sub_elections(dataset: str) -> int:
    """How many sub-elections of a data set the paper draws for table 4."""
    return int((_content(PRINTS / "table-4.json") or {})["sub_elections"][dataset])


# ---------------------------------------------------------------------- recorded figures


def recorded(name: str) -> dict[str, Any] | None:
    """The content of a file in `recorded/`; None if there is no such file."""
    return _content(RECORDS / f"{name}.json")


@cache
def _content(path: Path) -> dict[str, Any] | None:
    if not path.is_file():
        return None
    content: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return content
