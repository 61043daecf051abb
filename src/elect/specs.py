"""Names with settings, such as ``mallows:phi=0.5,norm=true``."""

from collections.abc import Callable, Collection, Mapping
from difflib import get_close_matches
from inspect import cleandoc, signature
from typing import Any, TypeVar

from elect.errors import ElectError

Value = bool | int | float | str | tuple["Value", ...]
T = TypeVar("T")


def parse(spec: str) -> tuple[str, dict[str, Value]]:
    """Split ``name:key=value,key=value`` into the name and its settings; ``/`` makes a list.

    >>> parse("mallows:phi=0.5,norm=true")
    ('mallows', {'phi': 0.5, 'norm': True})
    >>> parse("scoring:vector=3/1/0")
    ('scoring', {'vector': (3, 1, 0)})
    """
    if not isinstance(spec, str):
        raise ElectError(f"A name must be text such as 'mallows:phi=0.5', not {shown(spec)}.")
    name, _, rest = spec.partition(":")
    settings: dict[str, Value] = {}
    for part in filter(None, rest.split(",")):
        key, equals, value = part.partition("=")
        if not equals or not key.strip():
            raise ElectError(
                f"{shown(part)} in {shown(spec)} is not a setting; write name:key=value,key=value."
            )
        key = key.strip().replace("-", "_")
        if key in settings:
            raise ElectError(f"{shown(spec)} sets {shown(key)} twice; set it once.")
        settings[key] = _value(value.strip())
    return plain(name), settings


def shown(value: object) -> str:
    """A value for messages, cut where it is long.

    >>> shown("a"), shown(10**50)
    ("'a'", '1000000000000000000000000000000000000000…')
    """
    if isinstance(value, str):
        return f"'{value}'" if len(value) <= 40 else f"'{value[:40]}…'"
    try:
        text = repr(value)
    except ValueError:
        # Python refuses to write out whole numbers of many thousand digits.
        return "so large a number"
    return text if len(text) <= 40 else f"{text[:40]}…"


def render(name: str, settings: Mapping[str, Any]) -> str:
    """The reverse of `parse`.

    >>> render("mallows", {"phi": 0.5, "norm": True}), render("borda", {})
    ('mallows:phi=0.5,norm=true', 'borda')
    """
    written = ",".join(f"{key}={_written(value)}" for key, value in settings.items())
    return f"{name}:{written}" if written else name


def _written(value: Any) -> str:
    if isinstance(value, tuple | list):
        return "/".join(map(_written, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def plain(name: str) -> str:
    """A name as it is kept: lower case, with underscores."""
    return name.strip().lower().replace("-", "_").replace(" ", "_")


def choose(name: str, names: Collection[str], what: str, listing: str) -> str:
    """The name itself if it is known; otherwise an error that suggests the nearest."""
    if name in names:
        return name
    near = get_close_matches(name[:80], names, n=1, cutoff=0.6)
    hint = f" did you mean '{near[0]}'? " if near else " "
    raise ElectError(f"There is no {what} named {shown(name)};{hint}`{listing}` lists them all.")


def check(make: Callable[..., object], name: str, settings: Mapping[str, Any], given: int) -> None:
    """Refuse settings that the function does not have, or lacks; ``given`` arguments come first."""
    parameters = list(signature(make).parameters.values())[given:]
    named = [p for p in parameters if p.kind is not p.VAR_KEYWORD]
    names = [p.name for p in named]
    unknown = [key for key in settings if key not in names]
    if unknown and len(named) == len(parameters):
        there = f"its settings are {', '.join(names)}" if names else "it has no settings"
        raise ElectError(f"'{name}' has no setting {shown(unknown[0])}; {there}.")
    missing = [p.name for p in named if p.default is p.empty and p.name not in settings]
    if missing:
        raise ElectError(f"'{name}' needs {missing[0]}; write {name}:{missing[0]}=VALUE.")


def call(make: Callable[..., T], name: str, settings: Mapping[str, Any]) -> T:
    """``make(**settings)``, with an error that names the settings there are."""
    check(make, name, settings, given=0)
    try:
        return make(**settings)
    except ElectError:
        raise
    except (TypeError, ValueError, ArithmeticError) as error:
        raise ElectError(f"'{name}' cannot use these settings: {error}.") from error


def _value(text: str) -> Value:
    if "/" in text:
        return tuple(_value(part) for part in text.split("/"))
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def described(name: str, make: Callable[..., object], given: int) -> dict[str, Any]:
    """A name, its settings, and the first paragraph of what it means."""
    meaning = cleandoc(make.__doc__ or "").split("\n\n")[0]
    return {
        "name": name,
        "settings": settings(make, given),
        "definition": " ".join(meaning.split()),
    }


def settings(make: Callable[..., object], given: int) -> list[str]:
    """The settings of a function with their defaults, without its first ``given`` arguments."""
    parameters = list(signature(make).parameters.values())[given:]
    return [p.name if p.default in (p.empty, None) else f"{p.name}={p.default}" for p in parameters]
