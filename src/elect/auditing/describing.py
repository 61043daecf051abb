"""What an axiom is made of, and words for a counterexample."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from elect.auditing.changes import Trials
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


@dataclass(frozen=True)
class Axiom:
    """Something that one may ask of a rule.

    Attributes:
        name: as in a file name.
        definition: what it asks for, in one sentence.
        labels: what the elections of a counterexample are called; without one for the election
            itself, only the parts of a trial are shown.
        vary: changes elections.
        judge: compares them with what they were.
        tell: says what went wrong in a counterexample.
        most: how many trials an election has, unless the rule is slow.
    """

    name: str
    definition: str
    labels: tuple[str, ...]
    vary: Vary
    judge: Judge
    tell: Tell
    most: int = 64

    @property
    def title(self) -> str:
        """The name as one writes it."""
        return self.name.replace("_", " ")


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


def wins(scene: Scene, which: NDArray, names: Sequence[str] | None = None) -> str:
    """Who wins, as a clause: ``A wins``, ``A and B tie``."""
    return f"{scene.listed(which, names)} {'wins' if which.sum() == 1 else 'tie'}"
