"""The command `elect serve` while its processes are killed, its descriptors run out, its clients
leave and hard requests run. Orders and counts are asserted, and never times."""

import json
import os
import random
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

if not sys.platform.startswith("linux"):
    pytest.skip("needs Linux to find and limit processes", allow_module_level=True)

CHEAP = {"text": "4: Ann > Ben > Cleo\n3: Ben > Cleo > Ann\n2: Cleo > Ann > Ben"}


def hard(seed: int = 0) -> dict[str, Any]:
    """Rankings of a hundred candidates at random: more than an exact Kemeny can do."""
    drawn, order = random.Random(seed), [f"C{c}" for c in range(100)]
    lines = "\n".join(" > ".join(drawn.sample(order, 100)) for _ in range(25))
    return {"text": lines, "rules": ["kemeny"]}


class Server:
    """The command, and what it is asked."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "elect", "serve", "--port", "0", "--no-browser"]
        limits = ["--limit", "workers=1", "--limit", "seconds=120", "--limit", "wait=120"]
        self.log = folder / "log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [*command, *limits], stdout=subprocess.PIPE, stderr=log, text=True
            )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().split()[0].rstrip("/")
        self.client = httpx.Client(base_url=self.url, timeout=120)

    def health(self) -> dict[str, Any]:
        told = self.client.get("/healthz").json()
        assert told["ready"] == (told["workers"] > 0) == (told["reason"] is None)
        return told

    def ask(self) -> int:
        return self.client.post("/v1/winners", json=CHEAP).status_code

    def fork_server(self) -> int:
        [found] = fork_servers(self.process.pid)
        return found

    def kill_workers(self) -> None:
        for pid in children(self.fork_server()):
            os.kill(pid, signal.SIGKILL)

    def begin_hard(self, seed: int = 0) -> socket.socket:
        """A client who has sent a hard request and waits."""
        body = json.dumps(hard(seed)).encode()
        head = b"POST /v1/winners HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        client = socket.create_connection(("127.0.0.1", int(self.url.rpartition(":")[2])), 120)
        client.sendall(head + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        return client

    def close(self) -> None:
        self.client.close()
        self.process.send_signal(signal.SIGINT)
        try:
            assert self.process.wait(200) == 0
        finally:
            self.process.kill()


def children(pid: int) -> list[int]:
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for path in lists for child in path.read_text().split()]


def fork_servers(pid: int) -> list[int]:
    commands = {one: Path(f"/proc/{one}/cmdline") for one in children(pid)}
    return [one for one, path in commands.items() if "forkserver" in path.read_text()]


def until(fact: Any, seconds: float = 120) -> None:
    """The first time, everything is compiled, which takes a while."""
    end = time.monotonic() + seconds
    while not fact():
        assert time.monotonic() < end, "this takes too long"
        time.sleep(0.05)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose fork server was killed before it had loaded anything."""
    found = Server(tmp_path_factory.mktemp("server"))
    try:
        until(lambda: fork_servers(found.process.pid))
        os.kill(found.fork_server(), signal.SIGKILL)
        until(lambda: found.health()["workers"] == 2)
        yield found
    finally:
        found.close()


@pytest.fixture(autouse=True)
def calm(server: Server) -> Iterator[None]:
    """Each test begins with all workers there and idle, and leaves no traceback."""
    until(lambda: {"workers": 2, "busy": 0, "waiting": 0}.items() <= server.health().items())
    yield
    assert "Traceback" not in server.log.read_text()


def test_a_fork_server_that_was_killed_while_it_loaded_is_no_loss(server: Server) -> None:
    assert '"kind": "EOFError"' in server.log.read_text()
    assert server.ask() == 200


def test_killed_workers_cost_no_request(server: Server) -> None:
    started = server.health()["started"]
    for _ in range(3):
        server.kill_workers()
        assert server.ask() == 200
    until(lambda: server.health()["started"] >= started + 4)


def test_no_descriptors_are_told_until_there_are_some(server: Server) -> None:
    pid, kind = server.process.pid, resource.RLIMIT_NOFILE
    limits = resource.prlimit(pid, kind)
    open_now = len(os.listdir(f"/proc/{pid}/fd"))
    resource.prlimit(pid, kind, (open_now, limits[1]))
    try:
        server.kill_workers()
        until(lambda: not server.health()["ready"])
        until(lambda: "unable to start a worker" in server.health()["reason"])
        answer = server.client.post("/v1/winners", json=CHEAP)
        assert answer.status_code == 503
        assert "unable to start a worker" in answer.json()["error"]
        assert answer.headers["retry-after"]
    finally:
        resource.prlimit(pid, kind, limits)
    until(lambda: server.health()["workers"] == 2)
    assert server.ask() == 200


def test_hard_requests_of_clients_who_left_are_dropped(server: Server) -> None:
    clients = [server.begin_hard(seed) for seed in range(20)]
    until(lambda: server.health()["busy"] + server.health()["waiting"] == 20)
    for client in clients:
        client.close()
    assert server.ask() == 200
    until(lambda: server.health()["busy"] + server.health()["waiting"] == 0)


def test_cheap_requests_are_answered_while_hard_ones_run(server: Server) -> None:
    clients = [server.begin_hard(seed) for seed in range(6)]
    try:
        until(lambda: server.health()["busy"] + server.health()["waiting"] == 6)
        for _ in range(10):
            assert server.ask() == 200
        # None of the hard ones is answered yet.
        assert server.health()["busy"] + server.health()["waiting"] == 6
        server.kill_workers()
        assert server.ask() == 200
    finally:
        for client in clients:
            client.close()


def test_a_fork_server_that_is_killed_later_is_no_loss(server: Server) -> None:
    before = server.fork_server()
    os.kill(before, signal.SIGKILL)
    # Workers do not need it, and another is there before one has to be started.
    assert server.ask() == 200
    until(lambda: [pid for pid in fork_servers(server.process.pid) if pid != before])


def test_the_log_tells_faults_and_no_ballots(server: Server) -> None:
    lines = [json.loads(line) for line in server.log.read_text().splitlines()]
    assert {line["event"] for line in lines} <= {"request", "fault", "error"}
    assert "Cleo" not in server.log.read_text()
    assert {line["status"] for line in lines if line["event"] == "request"} <= {200, 499, 503}
