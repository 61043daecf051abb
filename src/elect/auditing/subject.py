"""What is audited: any rule there is, as a function from elections to winners."""

import importlib.util
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from elect.elections import Profiles, Winners
from elect.errors import ElectError
from elect.evaluation.records import decide
from elect.explain import Outcome, outcome
from elect.rules import RULES, Rule

Ask = Callable[[Profiles], Winners]

# Where a function of the user's own is: FILE.py:function.
OWN = re.compile(r"(?P<file>.+\.py):(?P<name>\w+)")

_ANY = Profiles.from_rankings([[0]])


def winners_of(rule: str | Rule) -> Ask:
    """The function that says who wins under this rule, whatever kind of rule it is.

    >>> winners_of("borda")(Profiles.from_rankings([[0, 1, 2], [1, 2, 0]])).tolist()
    [[False, True, False]]
    """
    function = rule_of(rule)

    def ask(profiles: Profiles) -> Winners:
        try:
            return decide(function, profiles)[1]
        except (ElectError, MemoryError):
            raise
        except Exception as error:
            # Only a function of the user's own gets here; its mistake is theirs to mend.
            what = f"{type(error).__name__}: {error}"
            raise ElectError(f"{named(rule)} failed on a batch of {profiles}: {what}") from error

    return ask


def rule_of(rule: str | Rule) -> Rule:
    """The rule itself: by name or as such, a trained one by its folder or name, or a function of
    one's own as ``FILE.py:function``."""
    if not isinstance(rule, str):
        return rule
    return (OwnOutcome if OWN.fullmatch(rule) else outcome)(rule, _ANY).rule


@dataclass(frozen=True)
class OwnOutcome(Outcome):
    """The answer of a function of the user's own to one election.

    To name such a function is to have its file run, so this is for the user's own shell alone, and
    nothing that answers others may take such names.

    Attributes:
        spec: ``FILE.py:function``.
        profile: the election.
    """

    @cached_property
    def rule(self) -> Rule:
        own = OWN.fullmatch(self.spec)
        assert own is not None
        return _load(Path(own["file"]), own["name"])

    @property
    def name(self) -> str:
        """What it is called: not by its function alone, which may have the name of another rule."""
        return self.spec

    @cached_property
    def winners(self) -> list[int]:
        won = winners_of(self.rule)(self.profile)[0]
        return [c for c in range(self.size) if won[c]]


def named(rule: str | Rule) -> str:
    """What to call the rule."""
    if isinstance(rule, str):
        return rule
    if isinstance(rule, partial):
        settings = ",".join(f"{key}={value}" for key, value in rule.keywords.items())
        return f"{named(rule.func)}:{settings}"
    known = next((name for name, own in RULES.items() if own is rule), None)
    return known or str(getattr(rule, "__name__", type(rule).__name__))


def _load(path: Path, name: str) -> Rule:
    """A function in a file of Python, which is run to get it."""
    if not path.is_file():
        raise ElectError(f"There is no file {path}; write FILE.py:function with its path.")
    function = getattr(run_file(path), name, None)
    if not callable(function):
        raise ElectError(f"{path} has no function '{name}'; write FILE.py:function with its name.")
    rule: Rule = function
    return rule


def run_file(path: Path) -> Any:
    """The module that a file of Python makes when it is run."""
    spec: Any = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise ElectError(f"{path} cannot be run: {type(error).__name__}: {error}.") from error
    return module
