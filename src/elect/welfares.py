"""Welfares: functions from utilities to one score per candidate.

A welfare is a function of ``utilities [batch, voter, candidate]``; yours may be any such function.
Those named here are `Welfare` records. They also take ``weights [batch, voter]``, how many voters
each row stands for, so that they can pass over padding.

Example:
    >>> from elect.elections import Profiles
    >>> utilities = torch.tensor([[[0.6, 0.3, 0.1], [0.0, 0.4, 0.6]]])
    >>> elections = Elections(Profiles.from_utilities(utilities), utilities)
    >>> judge("rawlsian", elections)
    tensor([[0.0000, 0.3000, 0.1000]])
    >>> judge(lambda u: u.amax(1), elections)
    tensor([[0.6000, 0.4000, 0.6000]])
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from inspect import signature
from typing import Any

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from elect import specs
from elect.elections import Elections, Scores
from elect.errors import ElectError

Utilities = Float[Tensor, "batch voter candidate"]
Weights = Int64[Tensor, "batch voter"]
WelfareFunction = Callable[..., Scores]

# Numbers by which the kernels of the posterior know a welfare.
UTILITARIAN, EGALITARIAN, RAWLSIAN, NASH = range(1, 5)


@dataclass(frozen=True, eq=False, repr=False)
class Welfare:
    """A welfare: a function from utilities to scores, with its metadata.

    Attributes:
        name: its name in commands and in Python.
        score: from utilities and weights to one score per candidate; its other arguments are
            settings, each with a default.
        lay: a description for lay people; a function of the settings if it has any.
        code: the number by which the kernels of the posterior know it, if they do. Others work
            too, more slowly.
        check: raises an `ElectError` for settings that it cannot use.
        settings: those that are given.
    """

    name: str
    score: WelfareFunction
    lay: str | Callable[..., str]
    code: int | None = None
    check: Callable[..., None] | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, utilities: Utilities, weights: Weights | None = None) -> Scores:
        """One score per election and candidate; without weights each row is one voter."""
        if weights is None:
            weights = torch.ones(utilities.shape[:2], dtype=torch.int64, device=utilities.device)
        return self.score(utilities, weights, **self.settings)

    def using(self, **settings: Any) -> "Welfare":
        """The same welfare with these settings."""
        specs.check(self.score, self.name, settings, given=2)
        changed = replace(self, settings={**self.settings, **settings})
        if self.check is not None:
            self.check(**changed.values)
        return changed

    @property
    def values(self) -> dict[str, Any]:
        """All its settings, those that are not given at their defaults."""
        parameters = list(signature(self.score).parameters.values())[2:]
        return {p.name: self.settings.get(p.name, p.default) for p in parameters}

    @property
    def told(self) -> str:
        """The description for lay people."""
        return self.lay if isinstance(self.lay, str) else self.lay(**self.values)

    @property
    def spec(self) -> str:
        """The name with the settings."""
        return specs.render(self.name, self.settings)

    @property
    def __name__(self) -> str:
        return self.spec

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return self.score.__doc__

    def __repr__(self) -> str:
        return f"elect.welfare('{self.spec}')"


def utilitarian(utilities: Utilities, weights: Weights) -> Scores:
    """The sum of all voters' utilities: Σ u_i."""
    return (utilities * weights[:, :, None]).sum(1)


def rawlsian(utilities: Utilities, weights: Weights) -> Scores:
    """The utility of the worst-off voter: min u_i."""
    return utilities.masked_fill(weights[:, :, None] == 0, torch.inf).amin(1)


def egalitarian(utilities: Utilities, weights: Weights, lam: float | int = 0.5) -> Scores:
    """The sum, less what is above the worst-off: Σ u_i − λ Σ (u_i − min u_j)."""
    check_share(lam)
    floor = rawlsian(utilities, weights) * weights.sum(1, keepdim=True)
    return (1 - lam) * utilitarian(utilities, weights) + lam * floor


def nash(utilities: Utilities, weights: Weights) -> Scores:
    """The geometric mean of all voters' utilities: (Π u_i)^(1/n)."""
    logs = utilities.log().masked_fill(weights[:, :, None] == 0, 0)
    return (utilitarian(logs, weights) / weights.sum(1, keepdim=True)).exp()


def check_share(lam: Any) -> None:
    """Refuse a share of the worst-off voter that is none."""
    number = isinstance(lam, int | float) and not isinstance(lam, bool)
    if number and 0 <= lam <= 1:
        return
    hint = ""
    if number and -1 <= lam < 0:
        hint = (
            "; the paper prints the formula with a plus before lam, so what it calls "
            f"{lam:g} is lam={-lam:g} here"
        )
    raise ElectError(
        f"Egalitarian lam must be a number between 0 and 1, not {specs.shown(lam)}{hint}."
    )


def _egalitarian_lay(lam: float) -> str:
    return (
        f"{100 - 100 * lam:g} % what the average voter gains, and {100 * lam:g} % what the "
        "worst-off voter gains"
    )


RECORDS = (
    Welfare("utilitarian", utilitarian, "what all voters gain, added up", UTILITARIAN),
    Welfare("egalitarian", egalitarian, _egalitarian_lay, EGALITARIAN, check_share),
    Welfare("rawlsian", rawlsian, "what the worst-off voter gains", RAWLSIAN),
    Welfare(
        "nash",
        nash,
        "what voters gain, multiplied, which favours candidates with something for all",
        NASH,
    ),
)
WELFARES: dict[str, Welfare] = {record.name: record for record in RECORDS}


def welfare(spec: Any, /, **settings: Any) -> WelfareFunction:
    """Get a welfare by name, with settings; a function is returned unchanged.

    >>> welfare("egalitarian", lam=0.3)
    elect.welfare('egalitarian:lam=0.3')
    """
    if not isinstance(spec, str):
        if not callable(spec):
            raise ElectError(
                f"A welfare is a name or a function of utilities, not {specs.shown(spec)}."
            )
        known = builtin(spec) if settings else None
        if settings and known is None:
            raise ElectError("Settings go with a welfare's name; write them into your function.")
        own: WelfareFunction = spec
        return known.using(**settings) if known else own
    name, written = specs.parse(spec)
    found = WELFARES[specs.choose(name, WELFARES, "welfare", "elect welfares")]
    given = {**written, **settings}
    return found.using(**given) if given else found


def builtin(function: Any) -> Welfare | None:
    """The record of a welfare that is one of ours, also if only its function is given."""
    if isinstance(function, Welfare):
        return function
    settings = function.keywords if isinstance(function, partial) else {}
    function = function.func if isinstance(function, partial) else function
    found = next((one for one in WELFARES.values() if one.score is function), None)
    return found.using(**settings) if found and settings else found


def judge(function: str | WelfareFunction, elections: Elections) -> Scores:
    """Score every candidate by a welfare, -inf for padding.

    The user's own function is called on elections of equal size with one row per voter, so it never
    sees padding.

    Args:
        function: a welfare by name, or a function of utilities.
        elections: elections with utilities.
    """
    if elections.utilities is None:
        raise ElectError("These elections have no utilities; sample them from a culture that has.")
    profiles, function = elections.profiles, welfare(function)
    if known := builtin(function):
        scores = known(elections.utilities, profiles.weights)
        return checked(scores.masked_fill(~profiles.mask, -torch.inf), profiles.mask.shape)
    sizes = torch.stack([profiles.num_voters, profiles.num_candidates], 1)
    distinct, group = torch.unique(sizes, dim=0, return_inverse=True)
    scores = elections.utilities.new_full(profiles.mask.shape, -torch.inf)
    for number, (n, m) in enumerate(distinct.tolist()):
        rows = (group == number).nonzero()[:, 0]
        ballots = elections.utilities[rows, :, :m].flatten(0, 1)
        voters = ballots.repeat_interleave(profiles.weights[rows].flatten(), 0)
        result = function(voters.view(len(rows), n, m))
        scores[rows, :m] = checked(result, (len(rows), m)).to(scores.dtype)
    return scores


def checked(scores: Any, shape: tuple[int, ...]) -> Scores:
    """The scores, if they are one number for each candidate."""
    if not isinstance(scores, Tensor) or scores.shape != shape:
        got = tuple(scores.shape) if isinstance(scores, Tensor) else type(scores).__name__
        raise ElectError(
            "A welfare must return a tensor with one score per election and candidate, "
            f"{tuple(shape)}, not {got}."
        )
    if scores.isnan().any():
        raise ElectError("The welfare is NaN for some candidate; are all utilities 0 or above?")
    return scores
