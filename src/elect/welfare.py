"""What a society gains from each candidate: utilities in, one score per candidate out.

A welfare is a function of ``utilities [batch, voter, candidate]``; yours may be any such function.
Those named here also take ``weights [batch, voter]``, how many voters each row stands for, so
that they can pass over padding.

Example:
    >>> from elect.elections import Profiles
    >>> utilities = torch.tensor([[[0.6, 0.3, 0.1], [0.0, 0.4, 0.6]]])
    >>> elections = Elections(Profiles.from_utilities(utilities), utilities)
    >>> judge(welfare("rawlsian"), elections)
    tensor([[0.0000, 0.3000, 0.1000]])
    >>> judge(lambda u: u.amax(1), elections)
    tensor([[0.6000, 0.4000, 0.6000]])
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from jaxtyping import Float, Int64
from torch import Tensor

from elect import specs
from elect.elections import Elections, Scores
from elect.errors import ElectError

Utilities = Float[Tensor, "batch voter candidate"]
Weights = Int64[Tensor, "batch voter"]
Welfare = Callable[..., Scores]


def utilitarian(utilities: Utilities, weights: Weights) -> Scores:
    """The sum of all voters' utilities: Σ u_i."""
    return (utilities * weights[:, :, None]).sum(1)


def rawlsian(utilities: Utilities, weights: Weights) -> Scores:
    """The utility of the worst-off voter: min u_i."""
    return utilities.masked_fill(weights[:, :, None] == 0, torch.inf).amin(1)


def egalitarian(utilities: Utilities, weights: Weights, lam: float | int = 0.5) -> Scores:
    """The sum, less what is above the worst-off: Σ u_i − λ Σ (u_i − min u_j)."""
    _check_share(lam)
    floor = rawlsian(utilities, weights) * weights.sum(1, keepdim=True)
    return (1 - lam) * utilitarian(utilities, weights) + lam * floor


def nash(utilities: Utilities, weights: Weights) -> Scores:
    """The geometric mean of all voters' utilities: (Π u_i)^(1/n)."""
    logs = utilities.log().masked_fill(weights[:, :, None] == 0, 0)
    return (utilitarian(logs, weights) / weights.sum(1, keepdim=True)).exp()


WELFARES: dict[str, Welfare] = {
    "utilitarian": utilitarian,
    "egalitarian": egalitarian,
    "rawlsian": rawlsian,
    "nash": nash,
}


def welfare(spec: str) -> Welfare:
    """The welfare that a name with settings stands for, such as ``egalitarian:lam=0.3``."""
    name, settings = specs.parse(spec)
    chosen = WELFARES[specs.choose(name, WELFARES, "welfare", "elect welfares")]

    make = _egalitarian if chosen is egalitarian else lambda: chosen
    return specs.call(make, name, settings)


def _egalitarian(lam: Any = 0.5) -> Welfare:
    _check_share(lam)
    return partial(egalitarian, lam=lam)


def _check_share(lam: Any) -> None:
    if isinstance(lam, bool) or not isinstance(lam, int | float) or not 0 <= lam <= 1:
        raise ElectError(
            f"Egalitarian lam must be a number between 0 and 1, not {specs.shown(lam)}."
        )


def builtin(function: Welfare) -> tuple[str, dict[str, Any]] | None:
    """The name and settings of a welfare that is one of ours, else None."""
    settings = function.keywords if isinstance(function, partial) else {}
    function = function.func if isinstance(function, partial) else function
    return next(((name, settings) for name, own in WELFARES.items() if own is function), None)


def judge(function: Welfare, elections: Elections) -> Scores:
    """The welfare of every candidate, -inf where there is padding.

    A function that is not one of ours is called on elections of equal size at a time, so it
    never sees padding, and finds every voter on a row of their own.
    """
    if elections.utilities is None:
        raise ElectError("These elections have no utilities; take them from a culture that has.")
    profiles = elections.profiles
    if builtin(function):
        scores = function(elections.utilities, profiles.weights)
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
