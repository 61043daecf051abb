"""The samplers of the package prefsampling as cultures."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from inspect import Parameter, signature
from typing import Any

import numpy as np

from elect.cultures.base import (
    Seed,
    Size,
    blank_ranks,
    elections_of,
    generator,
    sizes,
)
from elect.elections import Elections
from elect.errors import ElectError
from elect.kernels import NDArray
from elect.specs import plain


def prefsampling_names() -> list[str]:
    """The names of prefsampling's ordinal samplers."""
    import prefsampling.ordinal

    members = {name: getattr(prefsampling.ordinal, name) for name in prefsampling.ordinal.__all__}
    return sorted(name for name, member in members.items() if not isinstance(member, type))


@dataclass(frozen=True)
class Prefsampling:
    """One of prefsampling's ordinal samplers, called once for each election.

    Candidates are numbered as prefsampling numbers them: an axis, say, runs from the first
    candidate to the last.

    Attributes:
        name: the sampler, such as ``single_peaked_walsh``.
        settings: its own arguments; a member of an Enum may be given by name.
    """

    name: str
    settings: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known = self._parameters()
        for key in self.settings:
            if key not in known:
                there = f"its settings are {', '.join(known)}" if known else "it has no settings"
                raise ElectError(f"'{self.name}' has no setting '{key}'; {there}.")
        for key, parameter in known.items():
            if parameter.default is Parameter.empty and key not in self.settings:
                raise ElectError(f"'{self.name}' needs {key}; write {self.name}:{key}=VALUE.")

    def __call__(
        self, elections: int, voters: Size, candidates: Size, *, seed: Seed = 0
    ) -> Elections:
        rng = generator(seed)
        n, m = sizes(elections, voters, candidates, rng)
        settings = {key: self._setting(key) for key in self.settings}
        ranks = blank_ranks(n, m)
        for b, number in enumerate(rng.integers(0, 2**31, elections).tolist()):
            rankings = self._sample(int(n[b]), int(m[b]), **settings, seed=number)
            ranks[b, : m[b], : n[b]] = np.argsort(rankings, axis=1).T
        return elections_of(ranks, n, m)

    def _sample(self, *sizes: int, **settings: Any) -> NDArray:
        try:
            return np.array(_sampler(self.name)(*sizes, **settings), np.int64)
        # It checks few of its settings, so that any error may be one of them.
        except Exception as error:
            said = " ".join(f"{type(error).__name__} {error}".split())[:200]
            raise ElectError(
                f"prefsampling's '{self.name}' cannot use these settings ({said}); see its manual."
            ) from error

    def _parameters(self) -> dict[str, Parameter]:
        hidden = ("num_voters", "num_candidates", "seed")
        parameters = signature(_sampler(self.name)).parameters
        return {key: value for key, value in parameters.items() if key not in hidden}

    def _setting(self, key: str) -> Any:
        value, default = self.settings[key], self._parameters()[key].default
        if isinstance(value, str) and isinstance(default, Enum):
            members = {plain(name): member for name, member in type(default).__members__.items()}
            if plain(value) not in members:
                raise ElectError(f"'{self.name}' has no {key} '{value}'; use {', '.join(members)}.")
            return members[plain(value)]
        return value


def _sampler(name: str) -> Callable[..., Any]:
    import prefsampling.ordinal

    if name not in prefsampling_names():
        raise ElectError(f"prefsampling has no ordinal sampler named '{name}'.")
    sampler: Callable[..., Any] = getattr(prefsampling.ordinal, name)
    return sampler
