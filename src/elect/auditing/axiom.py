"""The record of an axiom, and how it is checked on a batch of elections.

An axiom changes an election in some ways, its trials, and compares who wins before and after; some
judge the election as it is. An axiom *applies* to an election if its premise is met in some trial,
and *holds* there unless a trial breaks it. Winners are sets, and definitions are those of
pref_voting wherever it has the axiom.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from elect.auditing.changes import Trials
from elect.auditing.subject import Ask
from elect.elections import Profiles
from elect.kernels import NDArray
from elect.words import listed

# Elections, their winners, how many trials at most, and a generator.
Vary = Callable[[Profiles, NDArray, int, np.random.Generator], Trials]

# Elections, their winners, the trials and the winners of their parts; in return, for each trial,
# whether the axiom's premise is met, and whether the axiom is broken.
Judge = Callable[[Profiles, NDArray, Trials, list[NDArray]], tuple[NDArray, NDArray]]

# The elections of a counterexample and the trial that it is; in return, a sentence.
Tell = Callable[["Scene"], str]


# Voters and candidates of an election, on average; in return, in how many ways it can be changed.
Changes = Callable[[float, float], float]


def _any_number(voters: float, candidates: float) -> float:
    return inf


@dataclass(frozen=True)
class Axiom:
    """A desirable property of rules, with its metadata.

    Attributes:
        name: its name, also for files.
        definition: what it requires, in one sentence.
        promise: the same in a few words for lay people.
        labels: the labels of the elections of a counterexample; without one for the election
            itself, only the parts of a trial are shown.
        vary: makes the changed elections.
        judge: compares them with the original ones.
        tell: describes a counterexample in a sentence.
        trials: the most changes of an election to try; fewer if the rule is slow.
        parts: how many elections the rule has to count for each trial.
        changes: in how many ways an election of some size can be changed.
    """

    name: str
    definition: str
    promise: str
    labels: tuple[str, ...]
    vary: Vary
    judge: Judge
    tell: Tell
    trials: int = 64
    parts: int = 1
    changes: Changes = _any_number

    @property
    def title(self) -> str:
        """The name as people write it."""
        return self.name.replace("_", " ").capitalize()

    def counted(self, trials: int, voters: float, candidates: float) -> float:
        """How many elections the rule counts to check one election with at most so many trials."""
        return float(self.parts * min(trials, self.trials, self.changes(voters, candidates)))


@dataclass(frozen=True, eq=False)
class Scene:
    """One trial of one election, and who wins.

    Attributes:
        profile: the election.
        trial: the one trial.
        won: the winners ``[candidate]`` of the election.
        after: those of the trial's parts.
        names: what the candidates are called.
    """

    profile: Profiles
    trial: Trials
    won: NDArray
    after: list[NDArray]
    names: Sequence[str]

    def fact(self, name: str) -> int:
        """What was changed."""
        return int(self.trial.facts[name][0])

    @property
    def ballot(self) -> str:
        """What the voter of the trial casts."""
        tiers = self.profile.ballots()[self.fact("voter")][1]
        return " > ".join(" = ".join(self.names[c] for c in tier) for tier in tiers)

    def listed(self, which: NDArray, names: Sequence[str] | None = None) -> str:
        """Names in a row."""
        names = names or self.names
        return listed([names[c] for c in np.flatnonzero(which)], most=len(names))


def alone(profiles: Profiles, won: NDArray, most: int, rng: np.random.Generator) -> Trials:
    """Each election as it is, for axioms that compare it with nothing."""
    return Trials(np.arange(len(profiles)))


def wins(
    scene: Scene, which: NDArray, names: Sequence[str] | None = None, first: int | None = None
) -> str:
    """Who wins, as a clause: ``A wins``, ``A wins, tied with B``; ``first`` is named first."""
    names = names or scene.names
    won = np.flatnonzero(which).tolist()
    head = won[0] if first is None else first
    others = [names[c] for c in won if c != head]
    return f"{names[head]} wins" + (f", tied with {listed(others, len(names))}" if others else "")


@dataclass(frozen=True, eq=False)
class Verdict:
    """What became of an axiom on a batch of elections.

    Attributes:
        applies: whether its premise was met, for each election.
        broken: whether it was broken, for each election.
        trials: all trials.
        breaking: which of them broke it.
    """

    applies: NDArray
    broken: NDArray
    trials: Trials
    breaking: NDArray


def check(
    axiom: Axiom, ask: Ask, profiles: Profiles, won: NDArray, most: int, rng: np.random.Generator
) -> Verdict:
    """Check an axiom on elections with a row for each voter, of whom the rule elects ``won``.

    Args:
        axiom: what to check.
        ask: who wins under the rule.
        profiles: the elections.
        won: whom the rule elects there.
        most: how many trials an election has at most.
        rng: where trials are drawn from if there are more.
    """
    trials = axiom.vary(profiles, won, most, rng)
    met = broke = np.zeros(0, bool)
    if len(trials):
        after = [ask(part).cpu().numpy() for part in trials.parts]
        met, broke = axiom.judge(profiles, won, trials, after)
    applies, broken = (
        np.bincount(trials.origin[which], minlength=len(profiles)) > 0 for which in (met, broke)
    )
    return Verdict(applies, broken, trials, np.flatnonzero(broke))
