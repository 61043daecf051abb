"""The option that raises the limits on the size of an election."""

from typing import Annotated

import typer

from elect import limits


def _allow(settings: list[str] | None) -> list[str] | None:
    """Apply the limits until the command ends."""
    limits.use(limits.limits_of(settings or []))
    return settings


# In the order of `elect.limits.Limits`.
Limit = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=N",
        callback=_allow,
        help="Change a limit on the size of an election; repeat the option for several. Limits: "
        "megabytes, candidates, ballots, places, ratings, name, entries, pairs, trained.",
    ),
]
