"""Clients who are slow or many, and what is written about them: a server, and no workers."""

import asyncio
import json
import logging.config
import resource
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
import uvicorn

from elect.cli.serving import LOGS, _socket
from elect.errors import ElectError
from elect.service import connections, logs
from elect.service.connections import Connection, connection_class
from elect.service.limits import ServiceLimits

LARGE = b"x" * 30_000_000


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Answers every request, with much under /large."""
    if scope["type"] != "http":
        return
    body = LARGE if scope["path"] == "/large" else b"hello"
    headers = [(b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@contextmanager
def serving(kind: type[Connection]) -> Iterator[tuple[int, uvicorn.Server]]:
    bound = _socket("127.0.0.1", 0)
    config = uvicorn.Config(app, http=kind, lifespan="off", log_config=None)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([bound],))
    thread.start()
    try:
        yield bound.getsockname()[1], server
    finally:
        server.should_exit = True
        thread.join()


def connect(port: int, sent: bytes = b"") -> socket.socket:
    client = socket.create_connection(("127.0.0.1", port), timeout=30)
    client.sendall(sent)
    return client


def received(client: socket.socket) -> bytes:
    """All that comes until the connection is closed."""
    parts = []
    while part := client.recv(65536):
        parts.append(part)
    return b"".join(parts)


def until(fact: Any) -> None:
    end = time.monotonic() + 30
    while not fact():
        assert time.monotonic() < end, "this takes too long"
        time.sleep(0.01)


# ---------------------------------------------------------------------- slow clients


@pytest.mark.parametrize("sent", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: localhost\r\nX-"])
def test_headers_that_never_end_are_given_up(sent: bytes, monkeypatch) -> None:
    monkeypatch.setattr(connections, "HEADERS", 0.2)
    with serving(Connection) as (port, _), connect(port, sent) as client:
        answer = received(client)
        assert answer.startswith(b"HTTP/1.1 408")
        assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"]
        assert httpx.get(f"http://127.0.0.1:{port}/").text == "hello"


def test_headers_of_a_second_request_are_given_up_too(monkeypatch) -> None:
    monkeypatch.setattr(connections, "HEADERS", 0.2)
    with serving(Connection) as (port, _), connect(port) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert client.recv(65536).startswith(b"HTTP/1.1 200")
        client.sendall(b"GET / HTTP/1.1\r\nHo")
        assert b"HTTP/1.1 408" in received(client)


def test_headers_that_come_in_pieces_are_taken(monkeypatch) -> None:
    monkeypatch.setattr(connections, "HEADERS", 20.0)
    with serving(Connection) as (port, _), connect(port) as client:
        for byte in b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n":
            client.sendall(bytes([byte]))
        assert client.recv(65536).startswith(b"HTTP/1.1 200")


def test_answers_that_nobody_reads_are_given_up(monkeypatch) -> None:
    monkeypatch.setattr(connections, "READING", 0.2)
    with serving(Connection) as (port, server):
        with connect(port, b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n"):
            until(lambda: server.server_state.total_requests)
            until(lambda: not server.server_state.connections)
        monkeypatch.setattr(connections, "READING", 30.0)
        assert httpx.get(f"http://127.0.0.1:{port}/large").content == LARGE


# ---------------------------------------------------------------------- many clients


def test_connections_are_limited(monkeypatch) -> None:
    monkeypatch.setattr(connections, "CONNECTIONS", 1)
    with serving(connection_class(ServiceLimits(clients=3))) as (port, server):
        clients = [connect(port) for _ in range(3)]
        until(lambda: len(server.server_state.connections) == 3)
        with connect(port, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n") as client:
            answer = client.recv(65536)
            assert answer.startswith(b"HTTP/1.1 503")
            assert b"Too many connections" in answer
        for one in clients:
            one.close()
        until(lambda: not server.server_state.connections)
        assert httpx.get(f"http://127.0.0.1:{port}/").text == "hello"


def test_descriptors_are_asked_for_and_too_few_are_told(monkeypatch) -> None:
    allowed: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "setrlimit", lambda kind, both: allowed.append(both))
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (256, 4096))
    assert connection_class(ServiceLimits()).most == 1024
    assert allowed == [(1160, 4096)]
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (256, 300))
    assert 100 < connection_class(ServiceLimits()).most < 200
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (30, 30))
    with pytest.raises(ElectError, match=r"may open only 30 files.*ulimit -n"):
        connection_class(ServiceLimits())


# ---------------------------------------------------------------------- logs


def test_lines_of_one_kind_are_bounded_and_counted(monkeypatch, capsys) -> None:
    monkeypatch.setattr(logs, "_bound", logs.Bound())
    for _ in range(1000):
        logs.note("fault", operation="start", kind="OSError")
    logs.note("skipped", error="another")
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [line["event"] for line in lines] == ["fault"] * logs.OTHERS + ["skipped"]
    assert lines[-1]["left_out"] == 1000 - logs.OTHERS
    monkeypatch.setattr(logs, "PERIOD", 0.0)
    logs.note("fault", operation="start", kind="OSError")
    assert capsys.readouterr().err


def test_faults_of_libraries_are_lines_without_tracebacks(monkeypatch, capsys) -> None:
    monkeypatch.setattr(logs, "_bound", logs.Bound())
    logging.config.dictConfig(LOGS)
    loop = asyncio.new_event_loop()
    try:
        for _ in range(1000):
            error = OSError(24, "Too many open files")
            loop.call_exception_handler({"message": "accept failed\nAnn > Ben", "exception": error})
    finally:
        loop.close()
        for name in LOGS["loggers"]:
            logging.getLogger(name).handlers.clear()
            logging.getLogger(name).propagate = True
    told = capsys.readouterr().err
    assert "Ann" not in told
    lines = [json.loads(line) for line in told.splitlines()]
    assert [line["kind"] for line in lines] == ["OSError"] * logs.OTHERS
