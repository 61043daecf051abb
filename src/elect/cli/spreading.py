"""Options with several values in a row."""

from collections.abc import Sequence
from typing import Any

from typer.core import TyperCommand

# What candidates are renumbered by, if no order is named.
ORDER = "borda"


class Spreading(TyperCommand):
    """A command whose options may have several values in a row, or one that goes without saying:
    ``--rule borda copeland --neutral``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, spread(args))


def spread(args: Sequence[str]) -> list[str]:
    """Arguments with each value under an option of its own.

    >>> spread(["--rule", "borda", "copeland", "--neutral", "--resume"])
    ['--rule', 'borda', '--rule', 'copeland', '--neutral', 'borda', '--resume']
    """
    result: list[str] = []
    several, waiting = "", False
    for word in args:
        if waiting and word.startswith("-"):
            result.append(ORDER)
        if several and not word.startswith("-") and result[-1] != several:
            result.append(several)
        if word.startswith("-"):
            several = word if word in ("--rule", "--welfare", "--data") else ""
        waiting = word == "--neutral"
        result.append(word)
    return [*result, ORDER] if waiting else result
