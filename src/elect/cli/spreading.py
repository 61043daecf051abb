"""Options with several values in a row."""

from collections.abc import Sequence
from typing import Any

from typer.core import TyperCommand

# The rule that sorts candidates if --neutral is given without a name.
ORDER = "borda"


# Options that take several values in a row.
SEVERAL = ("--rule", "--welfare", "--data")


class Spreading(TyperCommand):
    """A command with options that take several values in a row, or a default value if none is
    given: ``--rule borda copeland --neutral``."""

    several: tuple[str, ...] = SEVERAL

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, spread(args, self.several))


class SpreadingSizes(Spreading):
    """The same for a command that also takes several cultures and sizes."""

    several = ("--rule", "--culture", "--voters", "--candidates")


def spread(args: Sequence[str], options: Sequence[str] = SEVERAL) -> list[str]:
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
            several = word if word in options else ""
        waiting = word == "--neutral"
        result.append(word)
    return [*result, ORDER] if waiting else result
