"""Middleware: checks of the host name, security headers, and the request log."""

import ipaddress
from collections.abc import Collection
from time import monotonic

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from elect.service.answers import as_json
from elect.service.logs import note

# Only content of this server may be loaded, and no other page may frame this one.
HEADERS = {
    b"content-security-policy": b"default-src 'none'; script-src 'self'; style-src 'self'; "
    b"img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; "
    b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"cache-control": b"no-cache",
}


class Guard:
    """Rejects unknown host names, adds security headers, and logs requests.

    Another site can let its own host name resolve to this machine (DNS rebinding) and then send
    requests from its pages. The Host header shows that name. So it must be localhost, a numeric
    address, or a name that was allowed when the server was started.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str] = (), log: bool = True) -> None:
        self.app = app
        self.hosts = {"localhost", *(host.lower() for host in hosts)}
        self.log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        start, status, size = monotonic(), 500, 0

        async def sending(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
                given = {name.lower() for name, _ in message["headers"]}
                extra = [(name, value) for name, value in HEADERS.items() if name not in given]
                message["headers"] = [*message["headers"], *extra]
            size += len(message.get("body", b""))
            await send(message)

        try:
            if self._is_ours(dict(scope["headers"]).get(b"host", b"")):
                await self.app(scope, receive, sending)
            else:
                await _refuse(sending)
        finally:
            if self.log:
                _note(scope, status, size, monotonic() - start)

    def _is_ours(self, header: bytes) -> bool:
        host = header.decode("latin-1").lower()
        host = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
        if host in self.hosts or "*" in self.hosts:
            return True
        try:
            ipaddress.ip_address(host.removeprefix("[").removesuffix("]"))
        except ValueError:
            return False
        return True


async def _refuse(send: Send) -> None:
    error = "This server does not answer under that name; start it with --allow-host NAME."
    body = as_json({"error": error})
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 400, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _note(scope: Scope, status: int, size: int, seconds: float) -> None:
    """Log a request as a JSON line, without its body and query, which may hold ballots."""
    note(
        "request",
        method=scope["method"],
        path=scope["path"][:200],
        status=status,
        bytes=size,
        ms=round(1000 * seconds, 1),
    )
