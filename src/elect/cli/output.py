"""Helpers for printing: consoles without markup, and tables that wrap instead of truncating."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import typer
from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text


def console(stderr: bool = False) -> Console:
    """A console without markup, since a candidate may be called ``[red]``."""
    return Console(stderr=stderr, markup=False, emoji=False, highlight=False)


def table(*headers: str) -> Table:
    """A table whose cells wrap and are never truncated."""
    result = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    for header in headers:
        result.add_column(header, overflow="fold")
    return result


def plain_table(rows: Iterable[tuple[str | Text, str | Text]]) -> Table:
    """Two columns without a header."""
    result = table("", "")
    result.show_header = False
    for row in rows:
        result.add_row(*row)
    return result


def emit(values: Any) -> None:
    """Print JSON; characters beyond ASCII are escaped unless the terminal uses UTF-8."""
    utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    typer.echo(json.dumps(values, indent=2, ensure_ascii=not utf8, allow_nan=False))


@contextmanager
def progress(what: str) -> Iterator[Callable[[float], None]]:
    """A progress bar on stderr if that is a terminal; call it with the share that is done."""
    err = console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    with Progress(
        *columns, TimeRemainingColumn(), console=err, transient=True, disable=not err.is_terminal
    ) as bar:
        task = bar.add_task(what, total=1.0)
        yield lambda share: bar.update(task, completed=share)


@contextmanager
def going_on(how: str) -> Iterator[None]:
    """On Ctrl-C, print how to continue."""
    try:
        yield
    except KeyboardInterrupt:
        print(f"elect: Stopped; {how}", file=sys.stderr)
        raise


@contextmanager
def working(what: str) -> Iterator[None]:
    """A spinner on stderr if that is a terminal; the first compilation of the kernels takes some
    seconds. Print nothing inside: it would go to stderr too."""
    err = console(stderr=True)
    if not err.is_terminal:
        yield
        return
    with err.status(what):
        yield
