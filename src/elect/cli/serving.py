"""The command that starts the web page and the HTTP service."""

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
        str,
        typer.Option(
            help="The address to listen on. The default is reachable only from this machine."
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port; 0 picks any free port.")
    ] = 8000,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")
    ] = True,
    rule: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DIR",
            help="A trained rule to add, as DIR or NAME=DIR; repeat the option for several.",
        ),
    ] = None,
    limit: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=N",
            help=f"A limit for each request; repeat the option for several. Limits: {LIMITS}.",
        ),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A host name to accept besides localhost."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Do not log requests.")] = False,
) -> None:
    """Open the web page, and serve the HTTP API behind it."""
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
    """Report a wrong folder at once; the workers load the rules later, in the background."""
    from elect.service.limits import called

    for _, place in map(called, folders):
        # `elect design` keeps the rule that it has trained in a folder of its own.
        cards = [Path(place) / "card.json", Path(place) / "rule" / "card.json"]
        if not any(card.is_file() for card in cards):
            raise ElectError(f"{place} holds no trained rule: it has no card.json.")


def _socket(host: str, port: int) -> socket.socket:
    """A listening socket; if the port is taken, the error is one sentence."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM
        )[0]
        # With the protocol set, asyncio uses TCP_NODELAY; otherwise small answers take 40 ms.
        bound = socket.socket(family, kind, protocol)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        bound.listen(BACKLOG)
    except OSError as error:
        raise ElectError(
            f"Cannot listen on {host}, port {port} ({error.strerror}); choose another port "
            "with --port, or --port 0 for any free one."
        ) from error
    return bound


def _run(app: "FastAPI", bound: socket.socket, browser: bool, limits: "ServiceLimits") -> None:
    """Serve until interrupted; running requests may finish."""
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
        # How many connections may wait to be accepted, and how many asyncio accepts at a time.
        backlog=BACKLOG,
        log_config=LOGS,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=ceil(limits.seconds) + 1,
    )
    # Ctrl-C is the normal way to stop the server.
    with suppress(KeyboardInterrupt):
        Server(config).run([bound])


# The server's own log messages, also as JSON lines.
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
