"""The rules that clients may ask for, and the limits of their requests.

A client names rules and never places: exact ones, those of the shelf, and the folders that whoever
started the server has named. So nothing that a client writes is ever looked up on the disk.
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
        limits: how much a request may ask for.
        trained: the trained rules, by what clients call them.
        folder: a folder that nobody else uses, and that is removed when the server ends.
        on_shelf: those of the trained rules that come with the package.
        accepted: which ballots trained rules can read, as far as it was asked.
    """

    limits: ServiceLimits
    trained: dict[str, LearnedRule]
    folder: str
    on_shelf: frozenset[str] = field(default_factory=lambda: frozenset(shelf()))
    accepted: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def own(self) -> list[str]:
        """The trained rules that whoever started the server has named."""
        return [name for name in self.trained if self.kind(name) == "trained"]

    def specs(self, asked: Sequence[str] | None) -> list[str]:
        """The rules that are asked for, each once; all if none is named."""
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
        """Whom the rule of this name elects in each of many elections."""
        with settings_of(spec):
            return rules.winners(self.rule(spec), profiles)

    def decide(self, spec: str, profile: Profiles) -> Decision:
        """What the rule of this name decides in one election."""
        return self.rule(spec).decide(profile)

    def kind(self, spec: str) -> str:
        """Whether a rule is exact, came trained with the package, or was trained by someone."""
        if spec not in self.trained:
            return "exact"
        return "shelf" if spec in self.on_shelf else "trained"


@contextmanager
def settings_of(*asked: str) -> Iterator[None]:
    """Whatever goes wrong with settings that a client has written is told to the client."""
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
    """The rules of the shelf and of these folders, each thing they have learned by its name; one
    that cannot be loaded is an error, or told to ``skip`` and left out."""
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
