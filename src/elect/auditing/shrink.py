"""Shrink an election that violates an axiom to a small counterexample."""

import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from elect.auditing.axiom import Axiom, Scene, check
from elect.auditing.changes import Trials, candidate_left, filed, numbers, voters_kept
from elect.auditing.subject import Ask
from elect.elections import Profiles, Winners
from elect.kernels import NDArray

Hold = Callable[[Profiles], Profiles]

# Trials of each election while it shrinks, and smaller elections looked at in one go.
MOST, AT_ONCE = 128, 64

# Up to this many voters, pairs of voters are left out too.
PAIRED = 40


@dataclass(frozen=True, eq=False, repr=False)
class Counterexample:
    """Ballots on which a rule breaks an axiom, as a file holds them.

    Attributes:
        axiom: the axiom's name.
        promise: what the axiom requires, in a few plain words.
        sentence: what is wrong.
        elections: the elections that it takes to see it, by what they are called.
        winners: whom the rule elects in each.
        repeats: whether files show it: a file holds equal ballots together, and a rule that counts
            them differently when they come one by one may be right once they are read from one.
    """

    axiom: str
    promise: str
    sentence: str
    elections: dict[str, Profiles]
    winners: dict[str, list[str]]
    repeats: bool = True

    @property
    def voters(self) -> int:
        """How many vote in the first election."""
        return int(next(iter(self.elections.values())).num_voters)

    @property
    def candidates(self) -> int:
        """How many stand in it."""
        return int(next(iter(self.elections.values())).num_candidates)

    @property
    def ballots(self) -> dict[str, list[str]]:
        """The ballots of each election as text."""
        return {label: lines(election) for label, election in self.elections.items()}

    def __str__(self) -> str:
        return self.sentence

    def __repr__(self) -> str:
        return f"<Counterexample: {self.sentence}>"

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "sentence": self.sentence,
            "voters": self.voters,
            "candidates": self.candidates,
            "repeats": self.repeats,
            "elections": {
                label: {"ballots": ballots, "winners": self.winners[label]}
                for label, ballots in self.ballots.items()
            },
        }


def lines(profile: Profiles) -> list[str]:
    """The ballots of one election as text.

    >>> lines(Profiles.from_rankings([["A", "B", "C"], ["B", "A"]], weights=[2, 1]))
    ['2: A > B > C', '1: B > A']
    """
    return [
        f"{count}: " + " > ".join(" = ".join(profile.labels[c] for c in tier) for tier in tiers)
        for count, tiers in profile.ballots()
    ]


def counterexample(
    axiom: Axiom,
    ask: Ask,
    profile: Profiles,
    rng: np.random.Generator,
    hold: Hold | None = filed,
) -> Counterexample | None:
    """The smallest election found from this one on which the axiom is broken; None if it is not
    broken once elections are held as a file does.

    Args:
        axiom: what is broken.
        ask: who wins under the rule.
        profile: an election that breaks it, with a row for each voter.
        rng: where trials are drawn from.
        hold: how elections are held when the rule counts them; None leaves them as they are.
    """

    def asked(profiles: Profiles) -> Winners:
        return ask(hold(profiles) if hold else profiles)

    def broken(profiles: Profiles) -> NDArray:
        won = asked(profiles).cpu().numpy()
        return check(axiom, asked, profiles, won, MOST, rng).broken

    if not broken(profile)[0]:
        return None
    return _alone(axiom, asked, make_smaller(profile, broken), rng, hold)


def make_smaller(profile: Profiles, broken: Callable[[Profiles], NDArray]) -> Profiles:
    """Leave out candidates and voters, as long as the rest still breaks the axiom."""
    while True:
        for some in _smaller(profile):
            if (found := broken(some)).any():
                profile = some[int(found.argmax())]
                break
        else:
            return profile


def _smaller(profile: Profiles) -> Iterator[Profiles]:
    """Elections with less, those with much less first: without a candidate, without half of the
    voters, a quarter, …, one, and at last without two at a time, as parity may matter."""
    [voters], [size] = numbers(profile)
    if size > 2:
        yield candidate_left(profile, np.zeros(size, np.int64), np.arange(size))
    people = np.arange(profile.weights.shape[1])
    block = int(voters) // 2
    while block:
        starts = np.arange(0, voters, block)[:, None]
        yield from _without(profile, (people >= starts) & (people < starts + block))
        block //= 2
    if 2 < voters <= PAIRED:
        one, other = np.triu_indices(voters, 1)
        yield from _without(profile, (people == one[:, None]) | (people == other[:, None]))


def _without(profile: Profiles, out: NDArray) -> Iterator[Profiles]:
    """The election without each of these groups of voters, a few at a time."""
    out = out[(profile.arrays[1][0] * ~out).sum(1) > 0]
    for start in range(0, len(out), AT_ONCE):
        some = out[start : start + AT_ONCE]
        yield _compact(voters_kept(profile, np.zeros(len(some), np.int64), ~some))


def _compact(profiles: Profiles) -> Profiles:
    """The same elections without rows and columns that none of them uses."""
    ballots = int((profiles.weights > 0).sum(1).max())
    candidates = int(profiles.num_candidates.max())
    return Profiles._trusted(
        profiles.ranks[:, :ballots, :candidates],
        profiles.weights[:, :ballots],
        profiles.num_candidates,
        None if profiles.names is None else profiles.names[:candidates],
        complete=bool(profiles.complete.all()),
    )


# ---------------------------------------------------------------------- the last word


def _alone(
    axiom: Axiom, ask: Ask, profile: Profiles, rng: np.random.Generator, hold: Hold | None
) -> Counterexample | None:
    """The counterexample, if it remains one when each election is counted separately."""
    profile = _compact(profile)
    won = ask(profile).cpu().numpy()
    verdict = check(axiom, ask, profile, won, MOST, rng)
    for number in verdict.breaking[:AT_ONCE]:
        trial = verdict.trials[int(number)]
        after = [ask(part).cpu().numpy() for part in trial.parts]
        if axiom.judge(profile, won, trial, after)[1][0]:
            return _told(axiom, profile, trial, won, after, hold)
    return None


def _told(
    axiom: Axiom,
    profile: Profiles,
    trial: Trials,
    won: NDArray,
    after: list[NDArray],
    hold: Hold | None,
) -> Counterexample:
    size, names = int(profile.num_candidates), names_for(profile)
    scene = Scene(profile, trial, won[0], [one[0] for one in after], names)
    whole = [(profile, won[0]), *zip(trial.parts, scene.after, strict=True)]
    shown = whole[len(whole) - len(axiom.labels) :]
    elections, winners = {}, {}
    for label, (election, elected) in zip(axiom.labels, shown, strict=True):
        standing = names
        if int(election.num_candidates) < size:
            standing = tuple(name for c, name in enumerate(names) if c != scene.fact("out"))
        held = replace(_compact(hold(election) if hold else election), names=standing)
        elections[label] = held
        winners[label] = [standing[c] for c in np.flatnonzero(elected[: len(standing)])]
    sentence, repeats = axiom.tell(scene), hold is not None
    return Counterexample(axiom.name, axiom.promise, sentence, elections, winners, repeats)


def names_for(profile: Profiles) -> tuple[str, ...]:
    """Names for all columns of an election: A, B, C …, and numbered from the 27th on."""
    letters = string.ascii_uppercase
    size = profile.ranks.shape[2]
    return tuple(letters[c] if c < len(letters) else f"C{c + 1}" for c in range(size))
