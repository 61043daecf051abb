"""Compare the decisions of several rules in one election."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from elect import checkpoints, rules
from elect.deadlines import DEFAULT_SECONDS, time_limit
from elect.elections import Profiles
from elect.errors import ElectError, Unsettled
from elect.learned import LearnedRule
from elect.resolve import all_of, ballots
from elect.result_tables import Tabular
from elect.rules.base import Decision, condorcet
from elect.rules.kemeny_kernels import components

# By default, trained rules are left out of larger elections: they are slow there and were measured
# on at most 40 candidates.
MOST_FOR_TRAINED = 100
TRAINED_LEFT_OUT = (
    f"are left out where there are more than {MOST_FOR_TRAINED} candidates; ask for one by name, "
    "as in --rule tally-borda."
)


@dataclass(frozen=True, repr=False)
class Comparison(Tabular):
    """The decisions of several rules in one election.

    Attributes:
        profile: the election.
        decisions: the decisions of the rules that were counted.
        refused: the rules that do not accept these ballots, by reason.
        unsettled: for rules that took too long, what is known about their winners.
    """

    profile: Profiles
    decisions: list[Decision] = field(default_factory=list)
    refused: dict[str, list[str]] = field(default_factory=dict)
    unsettled: dict[str, str] = field(default_factory=dict)

    @property
    def condorcet(self) -> str | None:
        """The candidate who beats everyone else head to head, if there is one."""
        found = condorcet(self.profile)
        return None if found is None else self.profile.labels[found]

    @property
    def smith_set(self) -> list[str]:
        """The smallest set of candidates each of whom beats everyone outside it head to head."""
        m = int(self.profile.num_candidates)
        order, ends = components(self.profile.margins[0, :m, :m].cpu().numpy())
        return [self.profile.labels[c] for c in sorted(order[: ends[0]].tolist())]

    @property
    def groups(self) -> dict[tuple[str, ...], list[str]]:
        """The rules grouped by their winners, the largest group first."""
        found: dict[tuple[str, ...], list[str]] = {}
        for decision in self.decisions:
            found.setdefault(tuple(decision.winners), []).append(decision.rule.spec)
        return dict(sorted(found.items(), key=lambda item: -len(item[1])))

    def rows(self) -> list[dict[str, Any]]:
        """A row for each rule: its name, the winners and why."""
        return [
            {"rule": one.rule.spec, "winners": one.winners, "why": one.why}
            for one in self.decisions
        ]

    def to_json(self) -> list[dict[str, Any]]:
        """The decisions as JSON values, including rules that were not settled."""
        late = [
            {"rule": name, "winners": [], "scores": {}, "unsettled": known}
            for name, known in self.unsettled.items()
        ]
        return [*(one.to_json() for one in self.decisions), *late]

    def heading(self) -> str:
        """Who beats everyone else."""
        found = self.condorcet
        return f"Condorcet winner: {found}" if found else "No Condorcet winner"

    def cells(self) -> list[dict[str, str]]:
        """The rules and their winners."""
        return [
            {"rule": one.rule.shown, "winner": ", ".join(one.winners)} for one in self.decisions
        ]

    def notes(self) -> list[str]:
        """Which rules are missing, and why."""
        refused = [f"{', '.join(names)}: {why}" for why, names in self.refused.items()]
        return [*self.unsettled.values(), *refused]

    def __repr__(self) -> str:
        groups = "; ".join(
            f"{', '.join(winners)} by {len(names)}" for winners, names in self.groups.items()
        )
        return f"Comparison({groups})"


def compare(
    election: Any,
    names: Sequence[Any] | None = None,
    *,
    trained: bool = False,
    seconds: int | float = DEFAULT_SECONDS,
) -> Comparison:
    """Compare the winners of several rules, with the Condorcet winner.

    Args:
        election: the ballots of one election.
        names: the rules. Default: all exact rules.
        trained: whether the default includes the trained rules of the package.
        seconds: the time limit for each rule.
    """
    result = Comparison(ballots(election))
    for one in names or _everything(result, trained):
        for rule in all_of(one):
            _count(result, rule.decide(result.profile), bool(names), seconds)
    return result


def _everything(result: Comparison, trained: bool) -> list[Any]:
    # Rules with required settings, such as scoring, are left out.
    exact = [rule for rule in rules.RULES.values() if not rule.needs]
    if not trained:
        return exact
    if result.profile.ranks.shape[2] > MOST_FOR_TRAINED:
        result.refused[TRAINED_LEFT_OUT] = ["trained rules"]
        return exact
    return [*exact, *checkpoints.shelf()]


def _count(result: Comparison, decision: Decision, asked: bool, seconds: float) -> None:
    name = decision.rule.spec
    try:
        with time_limit(seconds):
            _ = decision.elected
    except Unsettled as error:
        result.unsettled[name] = str(error)
    except ElectError as error:
        if asked:
            raise
        result.refused.setdefault(str(error).removeprefix(f"{name} "), []).append(name)
    else:
        result.decisions.append(decision)


def is_learned(decision: Decision) -> bool:
    """Whether the decision is that of a trained rule."""
    return isinstance(decision.rule, LearnedRule)
