"""Read JSON from untrusted files, with limits on its size and checks of its types.

Example:
    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Size:
    ...     name: str
    ...     ends: tuple[int, int] = (1, 2)
    >>> checked(Size, {"name": "small", "ends": [3, 4]}, "The size")
    {'name': 'small', 'ends': (3, 4)}
    >>> checked(Size, {"name": "small", "ends": [3, 4, 5]}, "The size")
    Traceback (most recent call last):
        ...
    elect.typed_json.Damaged: The size is damaged: its 'ends' is not what it should be.
"""

import json
import os
import stat
import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn, Union, get_args, get_origin, get_type_hints

from elect.errors import ElectError

# Bytes of a file, levels of lists in lists, and the size of numbers: far above anything sensible.
LARGEST, DEEPEST, HIGHEST = 2**24, 40, 2**64


class Damaged(ElectError):
    """A file that does not hold what it should."""


def read_json(path: Path) -> Any:
    """The content of a JSON file.

    Raises:
        OSError: if there is no such file, or it cannot be read.
        Damaged: if it is not JSON, or too large, or holds numbers that are not finite.
    """
    return parse_json(read_text(path), str(path))


def read_text(path: Path, largest: int = LARGEST) -> str:
    """The text of a regular file of limited size; raises as `read_json` does."""
    about = os.stat(path)
    # A pipe would never end, and a device may have no end.
    if not stat.S_ISREG(about.st_mode) or about.st_size > largest:
        raise Damaged(f"{path} is not a file of at most {largest:,} bytes; copy it again.")
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise Damaged(f"{path} is damaged: it is not UTF-8 text; copy it again.") from error


def parse_json(text: str, what: str) -> Any:
    """JSON with finite numbers and limited nesting."""
    try:
        value = json.loads(text, parse_constant=_not_finite, parse_float=_finite)
        if _plain(value):
            return value
    except (ValueError, RecursionError):
        pass
    raise Damaged(f"{what} is damaged: it is not valid JSON; copy it again.")


def finite(value: Any) -> Any:
    """The value with None in place of numbers that are not finite, which JSON does not have."""
    if isinstance(value, dict):
        return {key: finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [finite(one) for one in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def checked(kind: type, words: Any, what: str) -> dict[str, Any]:
    """The arguments for a dataclass, by the types of its fields: all that must be there are.

    Lists become tuples and nested dataclasses are made where the types say so. Names that the
    dataclass does not have are left out, so that later versions can say more.
    """
    if not isinstance(words, dict):
        raise Damaged(f"{what} is damaged: it is not a JSON object.")
    hints, found = _hints(kind), {}
    for field in fields(kind):
        if field.name in words:
            try:
                found[field.name] = _convert(hints[field.name], words[field.name])
            except _Mismatch as error:
                raise Damaged(
                    f"{what} is damaged: its '{field.name}' is not what it should be."
                ) from error
        elif field.default is MISSING and field.default_factory is MISSING:
            raise Damaged(f"{what} is damaged: its '{field.name}' is missing.")
    return found


class _Mismatch(Exception):
    """A value that is not of its type."""


@cache
def _hints(kind: type) -> Mapping[str, Any]:
    return get_type_hints(kind)


def _convert(hint: Any, value: Any) -> Any:
    """The value as this type, for the types that JSON can hold."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint is Any:
        return value
    if origin in (Union, types.UnionType):
        return _any_of(inner, value)
    if origin is list:
        return [_convert(inner[0], one) for one in _require(list, value)]
    if origin is dict:
        return {key: _convert(inner[1], one) for key, one in _require(dict, value).items()}
    if origin is tuple:
        return _tuple(inner, _require(list, value))
    if is_dataclass(hint) and isinstance(hint, type):
        return hint(**checked(hint, value, hint.__name__))
    return _scalar(hint, value)


def _any_of(hints: tuple[Any, ...], value: Any) -> Any:
    for hint in hints:
        try:
            return _convert(hint, value)
        except _Mismatch:
            continue
    raise _Mismatch


def _tuple(inner: tuple[Any, ...], values: list[Any]) -> tuple[Any, ...]:
    if len(inner) == 2 and inner[1] is Ellipsis:
        return tuple(_convert(inner[0], one) for one in values)
    if len(values) != len(inner):
        raise _Mismatch
    return tuple(_convert(hint, one) for hint, one in zip(inner, values, strict=True))


def _scalar(hint: Any, value: Any) -> Any:
    if hint is type(None) and value is None:
        return None
    # True is an int in Python, and 3 is no float; neither is meant.
    if hint is float and type(value) is int:
        return float(value)
    if hint in (bool, int, float, str) and type(value) is hint:
        return value
    raise _Mismatch


def _require(kind: type, value: Any) -> Any:
    if not isinstance(value, kind):
        raise _Mismatch
    return value


def _plain(value: Any, depth: int = 0) -> bool:
    if depth > DEEPEST:
        return False
    if isinstance(value, dict):
        return all(_plain(one, depth + 1) for one in value.values())
    if isinstance(value, list):
        return all(_plain(one, depth + 1) for one in value)
    return not isinstance(value, int) or abs(value) <= HIGHEST


def _finite(text: str) -> float:
    number = float(text)
    return number if isfinite(number) else _not_finite(text)


def _not_finite(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a finite number")
