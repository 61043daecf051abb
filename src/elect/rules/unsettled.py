"""Slow rules that run out of time: who can still win, and the error message."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from elect.deadlines import Clock, OutOfTime, TooLarge, seconds_allowed
from elect.elections import Profiles, Winners
from elect.errors import Unsettled

# The most names of candidates in an error message.
NAMED = 8


class HardElections:
    """The elections of a batch that were not settled in time, and who can still win them.

    Where winners alone are asked for, an election that only one candidate can win is settled.
    """

    def __init__(self, rule: str, profiles: Profiles, scores: bool) -> None:
        self.rule, self.profiles, self.scores = rule, profiles, scores
        self.possible: dict[int, list[int]] = {}
        self.leader: int | None = None
        self.too_large = False

    @contextmanager
    def election(
        self, b: int, possible: Iterable[int], leader: Callable[[], int] | None = None
    ) -> Iterator[Clock]:
        """Start the clock of one election.

        Args:
            b: its number.
            possible: those who can win it. It is read only once the time is over, so a caller may
                narrow down a list meanwhile.
            leader: who heads the best ranking found, asked for once the time is over.
        """
        try:
            yield Clock()
        except OutOfTime as error:
            self.too_large |= isinstance(error, TooLarge)
            self.possible[b] = list(possible)
            self.leader = leader() if leader else None

    def finish(self, winners: Winners) -> Winners:
        """Who wins; raises `Unsettled` if the time was over for an election."""
        if not self.possible:
            return winners
        won, possible = winners.clone(), winners.clone()
        for b, candidates in self.possible.items():
            won[b], possible[b] = False, False
            possible[b, candidates] = True
            won[b] = possible[b] & (len(candidates) == 1 and not self.scores)
        if bool(won.any(1).all()):
            return won
        raise Unsettled(self._message(), won, possible)

    def _message(self) -> str:
        seconds = f"{seconds_allowed():.3g} s"
        remedy = (
            "allow more with --seconds or elect.time_limit, or use a quick rule such as beat_path."
        )
        if len(self.profiles) > 1:
            count = f"{len(self.possible)} of {len(self.profiles)} elections"
            return f"{self.rule} was not settled in {seconds} each for {count}; {remedy}"
        [candidates] = self.possible.values()
        if self.too_large:
            known = self._known(candidates)
            return (
                f"{self.rule} was not settled, as too many candidates are in one cycle of "
                f"majorities: {known}; use a quick rule such as beat_path."
            )
        return f"{self.rule} was not settled in {seconds}: {self._known(candidates)}; {remedy}"

    def _known(self, candidates: list[int]) -> str:
        everyone = int(self.profiles.num_candidates[0])
        found = "" if self.leader is None else self.profiles.labels[self.leader]
        leader = f", and {found} heads the best ranking found" if found else ""
        if len(candidates) == everyone:
            return f"every candidate can still win{leader}"
        if len(candidates) > NAMED:
            return f"{len(candidates)} of {everyone} candidates can still win{leader}"
        names = ", ".join(self.profiles.labels[c] for c in candidates)
        if len(candidates) == 1:
            return f"{names} wins, but the scores of the others are not known"
        return f"only {names} can still win{leader}"
