"""The welfare of a design: one by name, or the user's own."""

import ast
import re
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

import torch

from elect.elections import Elections, Scores
from elect.errors import ElectError
from elect.objectives import called
from elect.resolve import run_file
from elect.welfares import Welfare, WelfareFunction, builtin, judge, welfare

# Where a function of the user's own is: FILE.py:function, or FILE.py if there is only one.
OWN = re.compile(r"(?P<file>.+\.(?:py|txt))(?::(?P<name>\w+))?")


class Purpose(NamedTuple):
    """A welfare with a name and a description.

    Attributes:
        name: its name.
        function: the function from utilities to scores.
        told: a description in words.
    """

    name: str
    function: WelfareFunction
    told: str

    def judge(self, elections: Elections) -> Scores:
        """The welfare of every candidate, -inf for padding; raises if any is negative."""
        scores = judge(self.function, elections)
        if bool((scores < 0).logical_and(elections.profiles.mask).any()):
            raise ElectError(
                f"The welfare {self.name} is below 0 for some candidate, and welfare ratios "
                "need numbers of 0 or above; add a constant, or take its exponential."
            )
        return scores


def purpose_of(what: str | WelfareFunction) -> Purpose:
    """A welfare by name, as a function, as ``FILE.py:function``, or as a file with one expression
    over the utilities ``u [election, voter, candidate]``, such as ``u.mean(1) + u.amin(1)``."""
    if not isinstance(what, str):
        if not callable(what):
            raise ElectError(f"{what!r} is not a welfare; give a name, or a function of utilities.")
        known = builtin(what)
        return _named(known) if known else _own(called(what), what)
    own = OWN.fullmatch(what)
    if own is None:
        known = builtin(welfare(what))
        assert known is not None
        return _named(known)._replace(name=what)
    path = Path(own["file"])
    if not path.is_file():
        raise ElectError(f"There is no file {path}; give a welfare by name, or FILE.py:function.")
    return _from_file(path, own["name"])


def _named(known: Welfare) -> Purpose:
    return Purpose(known.spec, known, known.told)


def _from_file(path: Path, name: str | None) -> Purpose:
    try:
        text = path.read_text("utf-8-sig")
        tree = ast.parse(text)
    except (OSError, ValueError, SyntaxError) as error:
        raise ElectError(f"{path} is not valid Python: {error}.") from error
    if name is None and len(tree.body) == 1 and isinstance(tree.body[0], ast.Expr):
        code = compile(ast.Expression(tree.body[0].value), str(path), "eval")
        purpose = _own(path.stem, _evaluated(code))
        return purpose._replace(told=f"the formula {' '.join(text.split())}, with u for utilities")
    defined = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    public = [one for one in defined if not one.startswith("_")]
    if name is None and len(public) != 1:
        raise ElectError(f"{path} defines {len(public)} functions; say which as {path}:function.")
    name = name or public[0]
    function = getattr(run_file(path), name, None)
    if not callable(function):
        raise ElectError(f"{path} has no function '{name}'; it has {', '.join(public) or 'none'}.")
    return _own(name, function)


def _evaluated(code: CodeType) -> WelfareFunction:
    return lambda u: eval(code, {"torch": torch, "u": u})


def _own(name: str, function: WelfareFunction) -> Purpose:
    """The user's own welfare; its exceptions become one sentence."""

    def guarded(utilities: torch.Tensor) -> Any:
        try:
            return function(utilities)
        except (ElectError, MemoryError):
            raise
        except Exception as error:
            shape = "u [election, voter, candidate]"
            raise ElectError(
                f"The welfare {name} fails with {type(error).__name__}: {error}; it is called with "
                f"{shape}, and must return a tensor [election, candidate]."
            ) from error

    guarded.__name__ = name
    return Purpose(name, guarded, _first_line(function) or f"the user's own measure, {name}")


def _first_line(function: Callable[..., Any]) -> str:
    return (getattr(function, "__doc__", None) or "").strip().split("\n")[0].rstrip(".")
