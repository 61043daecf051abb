"""What is measured: exact rules, orders, trained rules of the package, and retrained networks."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from torch import Tensor

from elect import cultures, specs
from elect.checkpoints import WEIGHTS, checksum, find, load, shelf
from elect.elections import Profiles, Scores
from elect.experiments.runs import RUNS, Run, finished
from elect.learned import LearnedRule
from elect.networks import guess
from elect.rules import Scorer
from elect.rules.optimal import optimal_scoring_rule
from elect.rules.posterior import posterior_rule
from elect.welfares import welfare


@dataclass(frozen=True)
class Contender:
    """A rule to measure.

    Attributes:
        rule: by name or as a function.
        identity: a text that changes whenever the rule could decide otherwise.
        about: what it took to train, if it was trained.
        cost: the same in numbers.
    """

    rule: str | Scorer
    identity: str
    about: str = ""
    cost: dict[str, Any] = field(default_factory=dict)


def exact(spec: str) -> Contender:
    """A rule of the library."""
    return Contender(spec, f"rule {spec}")


def order(spec: str) -> Contender:
    """The candidates that an order puts first, without any network."""
    return Contender(guess(spec), f"order {spec}")


def optimal_vector(culture: str) -> Contender:
    """The best scoring vector for each number of candidates."""
    return Contender(optimal_scoring_rule(cultures.culture(culture)), f"vector {culture}")


def best_possible(culture: str, goal: str, samples: int) -> Contender:
    """The rule of highest expected welfare, by drawing utilities that are consistent with the
    ballots.

    For the sum of utilities no draws are needed: the rule is the optimal scoring vector.
    """
    if goal == "utilitarian":
        return optimal_vector(culture)
    rule = posterior_rule(cultures.culture(culture), welfare(goal), samples)
    return Contender(rule, f"posterior {culture} {goal} {samples}")


def shelved(target: str, culture: str | None = None) -> str:
    """The trained `tally` of the package for a rule, or for a welfare in a culture, by name.

    >>> shelved("copeland:tie=0"), shelved("nash", "polarized")
    ('tally-copeland-tie-0', 'tally-nash-polarized')
    """
    name, settings = specs.parse(target)
    words = [name, *(f"{key}-{value}" for key, value in settings.items())]
    return "-".join(["tally", *words, *([culture] if culture else [])]).replace("_", "-")


def tally(target: str, culture: str | None = None) -> Contender | None:
    """Our trained network of the package, if there is one."""
    return _from_shelf(shelved(target, culture))


# Most tables measure the same rules, so each is loaded once.
@cache
def _from_shelf(name: str) -> Contender | None:
    if name not in shelf():
        return None
    rule = load(name)
    return Contender(rule, f"{name} {checksum(find(name) / WEIGHTS)}", _about(rule), _cost(rule))


def together(several: Iterable[Contender | None]) -> str:
    """In words, what it took to train several contenders."""
    costs = [one.cost for one in several if one is not None]
    if not costs:
        return ""
    sizes = sorted({cost["parameters"] for cost in costs})
    said = " to ".join(f"{size:,}" for size in dict.fromkeys((sizes[0], sizes[-1])))
    longest = max(cost["minutes"] for cost in costs)
    most = "up to " if len(costs) > 1 else ""
    each = " each" if len(costs) > 1 else ""
    return f"{said} parameters, {most}{longest:.1f} minutes{each}"


@dataclass(frozen=True, eq=False, repr=False)
class SharedRule(LearnedRule):
    """A head of a network whose heads are asked in turn about the same elections; the network is
    run once for all heads."""

    memo: dict[str, Any] = field(default_factory=dict)

    def __call__(self, profiles: Profiles) -> Scores:
        if self.memo.get("profiles") is not profiles:
            self.memo.update(profiles=profiles, logits=self.all_heads(profiles))
        logits: Tensor = self.memo["logits"]
        return logits[:, self.index]


def networks(runs: Iterable[Run], out: Path) -> dict[tuple[str, str | None, str], Contender]:
    """The trained networks, by name, order and head."""
    found = {}
    for run in runs:
        folder = out / RUNS / run.name
        if not finished(folder):
            continue
        rule, weights = load(folder), checksum(folder / WEIGHTS)
        shared = SharedRule(rule.network, rule.card)
        for head in run.heads:
            one = Contender(shared.head(head), f"{head} {weights}", _about(rule, run), _cost(rule))
            found[run.network, run.order, head] = one
    return found


def _about(rule: LearnedRule, run: Run | None = None) -> str:
    cost = _cost(rule)
    said = f"{cost['parameters']:,} parameters, {cost['steps']:,} steps"
    if run is not None:
        low, high = run.recipe.voters
        said += f" of {run.recipe.batch} elections with {low} to {high} voters"
    return f"{said}, {cost['minutes']:.1f} minutes"


def _cost(rule: LearnedRule) -> dict[str, Any]:
    parameters = sum(one.numel() for one in rule.network.parameters())
    return {"parameters": parameters, "steps": rule.card.steps, "minutes": rule.card.minutes}
