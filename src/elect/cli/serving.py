"""The command that serves the page and the service."""

import socket
import sys
from contextlib import suppress
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from elect.cli.output import console
from elect.errors import ElectError

if TYPE_CHECKING:
    from fastapi import FastAPI

    from elect.service import ServiceLimits

# In the order of `elect.service.ServiceLimits`, which is not imported before it is needed.
LIMITS = (
    "candidates, ballots, voters, elections, rules, megabytes, seconds, wait, workers, clients, "
    "in_flight, memory"
)

BACKLOG = 512


def serve(
    host: Annotated[
        str, typer.Option(help="Where to listen; the default is for this machine alone.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port; 0 takes any that is free.")
    ] = 8000,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")
    ] = True,
    rule: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DIR", help="A trained rule to offer, as DIR or NAME=DIR; repeat for several."
        ),
    ] = None,
    limit: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=N", help=f"How much a request may ask for; repeat for several: {LIMITS}."
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A name other than localhost to answer under."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Write no line for each request.")] = False,
) -> None:
    """Open the page, and serve the same to programs over HTTP."""
    try:
        from elect.service import create_app, limits_of
    except ModuleNotFoundError as error:
        raise ElectError(
            'This needs FastAPI and uvicorn; install them with `pip install "elect[serve]"`.'
        ) from error
    limits, folders = limits_of(limit or []), rule or []
    _check(folders)
    app = create_app(limits, folders, [*(allow_host or []), host], log=not quiet)
    _run(app, _socket(host, port), browser, limits)


def _check(folders: list[str]) -> None:
    """Tell a wrong folder now: workers load rules later and out of sight, so as to lose no time."""
    from elect.service.limits import called

    for _, place in map(called, folders):
        if not (Path(place) / "card.json").is_file():
            raise ElectError(f"{place} holds no trained rule: it has no card.json.")


def _socket(host: str, port: int) -> socket.socket:
    """A socket that listens, so that a port that is taken is told in a sentence."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM
        )[0]
        # Named as TCP, it makes asyncio send small answers at once; otherwise each waits 40 ms.
        bound = socket.socket(family, kind, protocol)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        bound.listen(BACKLOG)
    except OSError as error:
        raise ElectError(
            f"Nothing can listen at {host}, port {port} ({error.strerror}); choose another with "
            "--port, or --port 0 for any."
        ) from error
    return bound


def _run(app: "FastAPI", bound: socket.socket, browser: bool, limits: "ServiceLimits") -> None:
    """Serve until interrupted; what is being computed then has its time to end."""
    import uvicorn

    from elect.service.connections import connection_class

    host, port = bound.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    url = f"http://{shown}:{port}/"

    class Server(uvicorn.Server):
        async def startup(self, sockets: Any = None) -> None:
            await super().startup(sockets)
            console().print(f"{url} is open; Ctrl-C closes it.")
            sys.stdout.flush()
            if browser:
                typer.launch(url)

    config = uvicorn.Config(
        app,
        http=connection_class(limits),
        # How many connections may wait to be accepted, and how many asyncio accepts, or fails to
        # accept, in one go.
        backlog=BACKLOG,
        log_config=LOGS,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=ceil(limits.seconds) + 1,
    )
    # Ctrl-C is how one closes it, and no failure.
    with suppress(KeyboardInterrupt):
        Server(config).run([bound])


# What the server itself has to say, in lines of JSON as well.
LOGS: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"json": {"()": "elect.service.logs.Lines"}},
    "filters": {"few": {"()": "elect.service.logs.Few"}},
    "handlers": {
        "stderr": {"class": "logging.StreamHandler", "formatter": "json", "filters": ["few"]}
    },
    "loggers": {
        "uvicorn": {"handlers": ["stderr"], "level": "WARNING"},
        "asyncio": {"handlers": ["stderr"], "level": "WARNING", "propagate": False},
    },
}
