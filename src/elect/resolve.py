"""From whatever names a rule to the rule, and from whatever holds ballots to ballots.

Every command and every function of the library that takes a rule takes it through `rule`: a name
with or without settings, the name or folder of a trained rule, a function in a file of Python, or a
function.
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

# Where a function of the user's own is: FILE.py:function.
OWN = re.compile(r"(?P<file>.+\.py):(?P<name>\w+)")


def rule(of: Any, /, *, head: str | None = None, **settings: Any) -> AnyRule:
    """The rule that a name, a folder, a file or a function stands for.

    Args:
        of: ``"kemeny"``, ``"copeland:tie=0"``, ``"tally-kemeny"``, the folder of a trained rule,
            ``"fair.py:my_rule"``, or a function from `Profiles` to scores. To name a file of Python
            runs it.
        head: which of the things that a trained rule has learned is meant.
        settings: of the rule, as in ``rule("copeland", tie=0)``.

    >>> rule("copeland", tie=0)
    elect.rule('copeland:tie=0')
    """
    found = all_of(of, **settings)
    if head is not None:
        chosen = found[0]
        if not isinstance(chosen, LearnedRule):
            raise ElectError(
                f"'{of}' is no trained rule, so it has no head '{head}'; leave it out."
            )
        return chosen.head(head)
    if len(found) > 1:
        names = ", ".join(one.spec for one in found)
        raise ElectError(f"'{of}' has learned several rules; choose one of {names}.")
    return found[0]


def all_of(of: Any, /, **settings: Any) -> list[AnyRule]:
    """The rule, or all that a trained rule has learned."""
    if isinstance(of, Rule):
        return [of.using(**settings) if settings else of]
    if settings and not isinstance(of, str):
        raise ElectError(f"Settings go with a rule's name; call {_name(of)} with them yourself.")
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
    """Whether this is the place of a trained rule; names of exact rules go before folders."""
    name = place.partition(":")[0]
    if specs.plain(name) in {*rules.RULES, *rules.ALIASES}:
        return False
    # A path to nowhere is no misspelt rule, and should be called what it is.
    return Path(place).exists() or place in checkpoints.shelf() or Path(name).name != name


def _heads(rule: LearnedRule) -> list[AnyRule]:
    return [rule.head(head) for head in rule.card.heads]


# ---------------------------------------------------------------------- functions


def own_rule(function: Callable[[Profiles], Any], name: str) -> Rule:
    """A function from `Profiles` to scores as a rule; the scores may be NumPy's."""

    def score(profiles: Profiles) -> Scores:
        try:
            found = function(profiles)
        except (ElectError, MemoryError):
            raise
        except Exception as error:
            # Its author's mistake, and theirs to mend.
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
    """Scores as doubles, -inf where there is padding, if there is one for each candidate."""
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
    """A function in a file of Python, which is run to get it."""
    if not path.is_file():
        raise ElectError(f"There is no file {path}; write FILE.py:function with its path.")
    function = getattr(run_file(path), name, None)
    if not callable(function):
        raise ElectError(f"{path} has no function '{name}'; write FILE.py:function with its name.")
    found: Callable[[Profiles], Any] = function
    return found


def run_file(path: Path) -> Any:
    """The module that a file of Python makes when it is run."""
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
    """Elections, whatever holds them: `Profiles`, `Elections`, a pref_voting profile or a list of
    them, or whatever `Profiles.from_rankings` takes."""
    if isinstance(of, Profiles):
        return of
    if isinstance(of, Elections):
        return of.profiles
    several = isinstance(of, list | tuple) and len(of) > 0 and all(map(is_profile, of))
    if several or is_profile(of):
        return Profiles.from_pref_voting(of)
    return Profiles.from_rankings(of)


def winners(of: Any, elections: Any, seconds: int | float | None = None) -> Winners:
    """Who wins each election: all candidates of the highest score, so a tie is several.

    Args:
        of: the rule, as in `rule`.
        elections: `Profiles`, `Elections` or a pref_voting profile.
        seconds: how long each election may take, 60 by default. Kemeny, Slater, Dodgson, Young and
            ranked pairs need more than a moment for some elections with many candidates.

    Raises:
        Unsettled: if the time was not enough; it knows the winners of the other elections.

    >>> winners("borda", Profiles.from_rankings([[0, 1, 2], [1, 2, 0]])).tolist()
    [[False, True, False]]
    """
    return rules.winners(rule(of), ballots(elections), seconds)


def decide(of: Any, election: Any) -> Decision:
    """What a rule decides in one election: winners and scores by name, the ranking, and why.

    >>> profile = Profiles.from_rankings([["Ann", "Ben", "Cleo"], ["Ben", "Cleo", "Ann"]], [3, 2])
    >>> decide("borda", profile).winners
    ['Ben']
    """
    return rule(of).decide(ballots(election))


def why(of: Any, election: Any) -> str:
    """Why the rule elects whom it elects in one election, in a sentence."""
    return decide(of, election).why


def as_pref_voting(of: Any, name: str | None = None) -> "VotingMethod":
    """A rule as a pref_voting ``VotingMethod`` (needs the extra ``elect[pref-voting]``).

    Args:
        of: the rule, as in `rule`.
        name: what to call it; the rule's title by default.
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
