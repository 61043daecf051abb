"""Resolve names, folders, files and functions to rules, and ballots in any form to `Profiles`.

Every command and function that takes a rule resolves it with `rule`: a name with or without
settings, the name or folder of a trained rule, a function in a Python file, or a function.
"""

import importlib.util
import os
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

from elect import checkpoints, rules, specs
from elect.elections import Elections, Profiles, Scores, Winners
from elect.errors import ElectError
from elect.learned import HEAD, LearnedRule
from elect.pref_voting_profiles import is_profile, missing
from elect.rules.base import ALL, Decision, Rule, Simplicity
from elect.rules.sentences import highest

if TYPE_CHECKING:
    from pref_voting.voting_method import VotingMethod

AnyRule = Rule | LearnedRule

# The user's own function: FILE.py:function.
OWN = re.compile(r"(?P<file>.+\.py):(?P<name>\w+)")


def rule(of: Any, /, *, head: str | None = None, **settings: Any) -> AnyRule:
    """Get a rule by name, folder, file or function.

    Args:
        of: ``"kemeny"``, ``"copeland:tie=0"``, ``"tally-kemeny"``, the folder of a trained rule,
            ``"fair.py:my_rule"``, or a function from `Profiles` to scores. A Python file is
            executed.
        head: which head of a trained rule, if it has several.
        settings: settings of the rule, as in ``rule("copeland", tie=0)``.

    >>> rule("copeland", tie=0)
    elect.rule('copeland:tie=0')
    """
    found = all_of(of, **settings)
    if head is not None:
        chosen = found[0]
        if not isinstance(chosen, LearnedRule):
            raise ElectError(
                f"'{of}' is not a trained rule, so it has no head '{head}'; leave it out."
            )
        return chosen.head(head)
    if len(found) > 1:
        names = ", ".join(one.spec for one in found)
        raise ElectError(f"'{of}' has learned several rules; choose one of {names}.")
    return found[0]


def all_of(of: Any, /, **settings: Any) -> list[AnyRule]:
    """The rule, or all heads of a trained rule."""
    if isinstance(of, Rule):
        return [of.using(**settings) if settings else of]
    if settings and not isinstance(of, str):
        raise ElectError(f"Settings need the name of a rule; build them into {_name(of)} instead.")
    if isinstance(of, LearnedRule):
        return [of]
    if isinstance(of, str):
        return _by_name(of, settings)
    if isinstance(of, os.PathLike):
        return _heads(checkpoints.load(Path(of)))
    if callable(of):
        return [own_rule(of, _name(of))]
    raise ElectError(
        f"A rule is a name, a folder, FILE.py:function or a function, not {type(of).__name__}."
    )


def _by_name(spec: str, settings: dict[str, Any]) -> list[AnyRule]:
    if own := OWN.fullmatch(spec):
        return [own_rule(_function(Path(own["file"]), own["name"]), spec)]
    place, _, head = spec.partition(HEAD)
    if not is_trained(place):
        return [rules.rule(spec, **settings)]
    if settings:
        raise ElectError(f"'{place}' is a trained rule and has no settings; leave them out.")
    loaded = checkpoints.load(place)
    return [loaded.head(head)] if head else _heads(loaded)


def is_trained(place: str) -> bool:
    """Whether this names a trained rule; names of exact rules take precedence over folders."""
    name = place.partition(":")[0]
    if specs.plain(name) in {*rules.RULES, *rules.ALIASES}:
        return False
    # A path that does not exist gets an error about a folder, not about a misspelt rule.
    return Path(place).exists() or place in checkpoints.shelf() or Path(name).name != name


def _heads(rule: LearnedRule) -> list[AnyRule]:
    return [rule.head(head) for head in rule.card.heads]


# ---------------------------------------------------------------------- functions


def own_rule(function: Callable[[Profiles], Any], name: str) -> Rule:
    """A rule from a function from `Profiles` to scores, as a tensor or a NumPy array."""

    def score(profiles: Profiles) -> Scores:
        try:
            found = function(profiles)
        except (ElectError, MemoryError):
            raise
        except Exception as error:
            # An error in the user's own function.
            what = f"{type(error).__name__}: {error}"
            raise ElectError(f"{name} failed on a batch of {profiles}: {what}") from error
        return checked_scores(found, profiles)

    score.__doc__ = function.__doc__
    own = getattr(function, "winners", None)
    return Rule(
        name,
        score,
        title=name,
        family="own",
        reads="A function of your own.",
        counting="a function of your own gives the scores; the highest wins",
        simplicity=Simplicity.SEARCH,
        why=highest,
        ballots=ALL,
        winners_only=own if callable(own) else None,
        function=function,
    )


def checked_scores(scores: Any, profiles: Profiles) -> Scores:
    """Scores as doubles, -inf for padding; raises unless there is one for each candidate."""
    shape = tuple(profiles.mask.shape)
    if isinstance(scores, np.ndarray | list | tuple):
        with suppress(TypeError, ValueError):
            scores = torch.as_tensor(np.asarray(scores, np.float64))
    if not isinstance(scores, Tensor) or tuple(scores.shape) != shape:
        got = tuple(scores.shape) if isinstance(scores, Tensor) else type(scores).__name__
        raise ElectError(
            "A rule must return one score per election and candidate, as a tensor or an array of "
            f"shape {shape}, not {got}."
        )
    masked: Scores = scores.detach().to(profiles.ranks.device).double()
    masked = masked.masked_fill(~profiles.mask, -torch.inf)
    if masked.isnan().any():
        raise ElectError("The rule's score is NaN for some candidate; give each a number.")
    return masked


def _function(path: Path, name: str) -> Callable[[Profiles], Any]:
    """A function in a Python file, which is executed."""
    if not path.is_file():
        raise ElectError(f"There is no file {path}; write FILE.py:function with its path.")
    function = getattr(run_file(path), name, None)
    if not callable(function):
        raise ElectError(f"{path} has no function '{name}'; write FILE.py:function with its name.")
    found: Callable[[Profiles], Any] = function
    return found


def run_file(path: Path) -> Any:
    """Execute a Python file and return it as a module."""
    spec: Any = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise ElectError(f"{path} cannot be run: {type(error).__name__}: {error}.") from error
    return module


def _name(of: Any) -> str:
    if isinstance(of, nn.Module):
        return type(of).__name__
    return str(getattr(of, "__name__", type(of).__name__))


# ---------------------------------------------------------------------- ballots


def ballots(of: Any) -> Profiles:
    """Convert to `Profiles`: `Elections`, one or several pref_voting profiles, or anything that
    `Profiles.from_rankings` accepts."""
    if isinstance(of, Profiles):
        return of
    if isinstance(of, Elections):
        return of.profiles
    several = isinstance(of, list | tuple) and len(of) > 0 and all(map(is_profile, of))
    if several or is_profile(of):
        return Profiles.from_pref_voting(of)
    return Profiles.from_rankings(of)


def winners(of: Any, elections: Any, seconds: int | float | None = None) -> Winners:
    """The winners of each election: all candidates with the highest score.

    Args:
        of: the rule, as in `rule`.
        elections: `Profiles`, `Elections` or a pref_voting profile.
        seconds: the time limit for each election. Default: 60. Kemeny, Slater, Dodgson, Young and
            ranked pairs can be slow with many candidates.

    Raises:
        Unsettled: if the time runs out; the error holds the winners of the other elections.

    >>> winners("borda", Profiles.from_rankings([[0, 1, 2], [1, 2, 0]])).tolist()
    [[False, True, False]]
    """
    return rules.winners(rule(of), ballots(elections), seconds)


def decide(of: Any, election: Any) -> Decision:
    """Decide one election: winners and scores by name, the ranking, and the reason.

    >>> profile = Profiles.from_rankings([["Ann", "Ben", "Cleo"], ["Ben", "Cleo", "Ann"]], [3, 2])
    >>> decide("borda", profile).winners
    ['Ben']
    """
    return rule(of).decide(ballots(election))


def why(of: Any, election: Any) -> str:
    """One sentence that says why the rule elects its winners in one election."""
    return decide(of, election).why


def as_pref_voting(of: Any, name: str | None = None) -> "VotingMethod":
    """A rule as a pref_voting ``VotingMethod`` (needs the extra ``elect[pref-voting]``).

    Args:
        of: the rule, as in `rule`.
        name: the name of the method. Default: the rule's title.
    """
    try:
        from pref_voting.voting_method import VotingMethod
    except ImportError as error:
        raise missing() from error
    chosen = rule(of)

    def elect(edata: Any, curr_cands: list[Any] | None = None) -> list[Any]:
        profiles, candidates = Profiles.from_pref_voting(edata), list(edata.candidates)
        if curr_cands is not None:
            kept = [i for i, c in enumerate(candidates) if c in set(curr_cands)]
            profiles, candidates = profiles.only(kept), [candidates[i] for i in kept]
        won = chosen.winners(profiles)[0].tolist()
        return sorted(c for c, wins in zip(candidates, won, strict=True) if wins)

    return VotingMethod(elect, name=name or chosen.title, skip_registration=True)
