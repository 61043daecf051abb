"""Connections with limits that uvicorn does not have.

A client may open connections and send nothing, or half of its headers, or read no answer, and each
such connection holds a descriptor and memory. So their number is limited, headers must be complete
within some seconds, and an answer of which nothing is read for a while is given up.
"""

import sys
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from elect.errors import ElectError
from elect.service.answers import problem
from elect.service.limits import ServiceLimits

# Seconds for the headers of a request, from its first byte or, the first time, from connecting.
HEADERS = 10.0

# Seconds in which a client must read something of an answer.
READING = 30.0

# Connections for each client at once, as browsers keep several open.
CONNECTIONS = 4

# Descriptors for everything else: the server, its files, and several for each worker.
OTHERS, WORKER = 64, 24

_UNAVAILABLE = problem(503, "Too many connections at once; try again in a moment.").body
_LATE = problem(408, "The headers did not arrive in time; send them again.").body


class Connection(H11Protocol):
    """A connection with timeouts for slow clients."""

    most = 1024
    headers_timer: Any = None
    reading_timer: Any = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if len(self.connections) > self.most:
            self._refuse(b"503 Service Unavailable", _UNAVAILABLE)
        else:
            self._watch_headers()

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        super().data_received(data)
        self._watch_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        for timer in (self.headers_timer, self.reading_timer):
            if timer is not None:
                timer.cancel()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch_headers()
        self._watch_reading()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch_reading()

    def _watch_headers(self) -> None:
        """A timer runs exactly as long as some headers have come, or none ever, but not all."""
        incomplete = self.conn.their_state is h11.IDLE and self.timeout_keep_alive_task is None
        if incomplete and self.headers_timer is None:
            self.headers_timer = self.loop.call_later(HEADERS, self._headers_late)
        elif not incomplete and self.headers_timer is not None:
            self.headers_timer.cancel()
            self.headers_timer = None

    def _headers_late(self) -> None:
        self.headers_timer = None
        if not self.transport.is_closing():
            self._refuse(b"408 Request Timeout", _LATE)

    def _refuse(self, status: bytes, body: bytes) -> None:
        head = b"HTTP/1.1 %b\r\nContent-Type: application/json\r\nConnection: close\r\n" % status
        self.transport.write(head + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.transport.close()

    def _watch_reading(self) -> None:
        """Give up a connection of whose answer nothing is read until the next look."""
        unread = self.transport.get_write_buffer_size()
        if unread and self.reading_timer is None:
            self.reading_timer = self.loop.call_later(READING, self._look_at_reading, unread)

    def _look_at_reading(self, before: int) -> None:
        self.reading_timer = None
        if self.transport.get_write_buffer_size() >= before:
            self.transport.abort()
        else:
            self._watch_reading()


def connection_class(limits: ServiceLimits) -> type[Connection]:
    """Connections, at most as many as there are descriptors for."""
    most = min(CONNECTIONS * limits.clients, _descriptors(limits) - _others(limits))

    class Limited(Connection):
        pass

    Limited.most = most
    return Limited


def _others(limits: ServiceLimits) -> int:
    return OTHERS + WORKER * (limits.workers + 1)


def _descriptors(limits: ServiceLimits) -> int:
    """How many descriptors this process may have, after asking for as many as it needs."""
    wanted = CONNECTIONS * limits.clients + _others(limits)
    if sys.platform == "win32":
        return wanted
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return wanted
    allowed = wanted if hard == resource.RLIM_INFINITY else min(hard, wanted)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, allowed), hard))
    if allowed < _others(limits) + 16:
        raise ElectError(
            f"This process may open only {allowed} files, and the server needs "
            f"{_others(limits) + 16}; allow more with `ulimit -n {wanted}`."
        )
    return allowed
