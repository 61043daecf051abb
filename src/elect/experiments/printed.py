"""What the paper prints, and others print, as data: see `printed/`."""

import json
from functools import cache
from importlib.resources import files
from typing import Any

# The paper's networks take so long there, and are about so large.
COST, PARAMETERS, BATCH = "1 to 8 days on a T4", "10 million", 64


@cache
def _content(name: str) -> dict[str, Any]:
    path = files("elect.experiments") / "printed" / f"{name}.json"
    content: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return content


def printed(name: str, part: str | None = None) -> dict[str, dict[str, float | None]]:
    """The figures of a table by row and column; None where the paper prints none.

    >>> printed("table-1")["gin"]["kemeny"]
    0.82
    >>> printed("table-3", "egalitarian")["borda"]["indecisive"]
    0.53
    """
    content = _content(name)
    rows = (content if part is None else content[part])["rows"]
    return {row: dict(zip(content["columns"], values, strict=True)) for row, values in rows.items()}


def source(name: str) -> str:
    """Where the figures are printed."""
    return str(_content(name)["source"])


def sub_elections(dataset: str) -> int:
    """How many sub-elections of a data set the paper draws for table 4."""
    return int(_content("table-4")["sub_elections"][dataset])


def best(name: str, column: str, part: str | None = None) -> float:
    """The highest figure that is printed for any network in a column.

    >>> best("table-1", "kemeny")
    0.94
    """
    networks = ("set_transformer", "gin", "deepsets", "mlp")
    rows = printed(name, part)
    values = [value for row in networks if (value := rows[row][column]) is not None]
    return max(values)
