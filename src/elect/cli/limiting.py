"""The option that allows larger elections than usual."""

from typing import Annotated

import typer

from elect import limits


def _allow(settings: list[str] | None) -> list[str] | None:
    """Let the limits hold until the command ends."""
    limits.use(limits.limits_of(settings or []))
    return settings


# In the order of `elect.limits.Limits`.
Limit = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=N",
        callback=_allow,
        help="How large the election may be; repeat for several: megabytes, candidates, ballots, "
        "places, ratings, name, entries, pairs, trained.",
    ),
]
