"""The winners of each rule on the ballots of a file."""

from dataclasses import dataclass
from typing import Any

import torch

from elect.designing.contestants import Contestant
from elect.designing.electorate import Electorate
from elect.elections import Elections, Profiles
from elect.errors import ElectError


@dataclass(frozen=True, eq=False)
class WhatIf:
    """The ballots of a file, and the winners of each rule.

    Attributes:
        profile: the ballots.
        winners: by rule, the winners by number.
        refused: rules that cannot read these ballots, and why.
    """

    profile: Profiles
    winners: dict[str, list[int]]
    refused: dict[str, str]

    def names(self, rule: str) -> list[str]:
        """A rule's winners by name."""
        return [self.profile.labels[c] for c in self.winners[rule]]

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "winners": {rule: self.names(rule) for rule in self.winners},
            "refused": self.refused,
        }


def what_if(electorate: Electorate, several: list[Contestant]) -> WhatIf | None:
    """Count the file's ballots by every rule; None if there is no file."""
    if electorate.profile is None:
        return None
    profile, winners, refused = electorate.profile, {}, {}
    for one in several:
        try:
            chosen = one.choose(Elections(profile, _utilities(electorate)))
        except ElectError as error:
            refused[one.name] = str(error)
            continue
        if bool(chosen.any()):
            winners[one.name] = chosen[0].nonzero()[:, 0].tolist()
        else:
            refused[one.name] = "These ballots are too hard for it."
    return WhatIf(profile, winners, refused)


def _utilities(electorate: Electorate) -> Any:
    """The voters' own, where each ballot has only one."""
    bank = getattr(electorate.source, "utilities", None)
    return torch.from_numpy(bank[None, :, 0]) if electorate.approvals and bank is not None else None
