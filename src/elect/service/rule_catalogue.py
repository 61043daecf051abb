"""The rules that clients may ask for, and the limits of their requests.

Clients name rules, never paths: exact rules, the trained rules of the package, and the folders
given when the server was started. So no text of a client is ever used as a path.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain, count

from elect import rules, specs
from elect.checkpoints import load, shelf
from elect.elections import Profiles, Winners
from elect.errors import ElectError
from elect.learned import HEAD, LearnedRule
from elect.resolve import AnyRule
from elect.rules import ALIASES, RULES
from elect.rules.base import Decision
from elect.service.limits import ServiceLimits, at_most, called
from elect.service.stacked_networks import Memo, stacked


@dataclass(frozen=True)
class RuleCatalogue:
    """The rules and limits of a worker.

    Attributes:
        limits: the limits of requests.
        trained: the trained rules, by the names for clients.
        folder: a private temporary folder, which is removed when the server ends.
        on_shelf: the names of the trained rules of the package.
        accepted: a cache of the ballots that trained rules accept.
    """

    limits: ServiceLimits
    trained: dict[str, LearnedRule]
    folder: str
    on_shelf: frozenset[str] = field(default_factory=lambda: frozenset(shelf()))
    accepted: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def own(self) -> list[str]:
        """The trained rules that were given when the server was started."""
        return [name for name in self.trained if self.kind(name) == "trained"]

    def specs(self, asked: Sequence[str] | None) -> list[str]:
        """The requested rules without repetitions. Default: all rules."""
        if asked is None:
            return [*(name for name, rule in RULES.items() if not rule.needs), *self.trained]
        at_most(len(asked), self.limits.rules, "rules")
        found = [spec for one in asked for spec in self._known(one)]
        return list(dict.fromkeys(found))

    def _known(self, spec: str) -> list[str]:
        heads = [name for name in self.trained if name == spec or name.startswith(spec + HEAD)]
        if heads:
            return heads
        name = specs.parse(spec)[0]
        known = {*RULES, *ALIASES, *self.trained}
        specs.choose(name, known, "rule", "GET /v1/rules")
        with settings_of(spec):
            _ = rules.rule(spec)
        return [spec]

    def rule(self, spec: str) -> AnyRule:
        """The rule of this name."""
        return self.trained.get(spec) or rules.rule(spec)

    def winners(self, spec: str, profiles: Profiles) -> Winners:
        """The winners of the rule of this name in many elections."""
        with settings_of(spec):
            return rules.winners(self.rule(spec), profiles)

    def decide(self, spec: str, profile: Profiles) -> Decision:
        """What the rule of this name decides in one election."""
        return self.rule(spec).decide(profile)

    def kind(self, spec: str) -> str:
        """Whether a rule is exact, a trained rule of the package, or the user's own."""
        if spec not in self.trained:
            return "exact"
        return "shelf" if spec in self.on_shelf else "trained"


@contextmanager
def settings_of(*asked: str) -> Iterator[None]:
    """Turn errors that the client's settings cause into an `ElectError`."""
    try:
        yield
    except (ElectError, MemoryError, RecursionError):
        raise
    except Exception as error:
        if not any(":" in spec for spec in asked):
            raise
        names = " or ".join(f"'{spec}'" for spec in asked if ":" in spec)
        raise ElectError(f"{names} has a setting that cannot be used here; change it.") from error


def trained_rules(
    folders: Iterable[str], skip: Callable[[str], None] | None = None
) -> dict[str, LearnedRule]:
    """The trained rules of the package and of these folders, one for each head. A rule that cannot
    be loaded raises an error, or is passed to ``skip`` and left out."""
    return own_rules(folders, stacked({name: load(name) for name in shelf()}), skip)


def own_rules(
    folders: Iterable[str],
    others: Mapping[str, LearnedRule],
    skip: Callable[[str], None] | None = None,
) -> dict[str, LearnedRule]:
    """The rules of these folders beside the others."""
    found = dict(others)
    for name, place in map(called, folders):
        try:
            rule = load(place)
        except ElectError as error:
            if skip is None:
                raise
            skip(str(error))
        else:
            found |= _by_head(_free(name, found), rule)
    return found


def _by_head(name: str, rule: LearnedRule) -> dict[str, LearnedRule]:
    rule = replace(rule, network=Memo(rule.network))
    heads = rule.card.heads
    names = [name] if len(heads) == 1 else [f"{name}{HEAD}{head}" for head in heads]
    return {name: rule.head(head) for name, head in zip(names, heads, strict=True)}


def _free(name: str, found: Iterable[str]) -> str:
    """The name, or one like it if an exact rule or another trained one is called so."""
    taken = {*RULES, *ALIASES, *(one.partition(HEAD)[0] for one in found)}
    name = name.replace(":", "-") or "trained"
    others = (f"learned-{name}{f'-{k}' if k > 1 else ''}" for k in count(1))
    return next(n for n in chain([name], others) if not {n, specs.plain(n)} & taken)
