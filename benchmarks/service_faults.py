"""The service while much goes wrong, over HTTP on this machine.

1. *Damage*: good requests, cut, garbled, or with odd values somewhere inside, and random bytes.
2. *Crowd*: many clients at once with quick requests, while others send hard ones and wait, others
   send hard ones and leave, and workers and the fork server are killed.

What is counted: answers by status, those above 500 that are not 503, how long quick requests take,
workers started, and memory at the start and at the end.

    pip install -c constraints.txt -e ".[benchmarks]"
    python benchmarks/service_faults.py            # a few minutes; writes results/
    python benchmarks/service_faults.py --quick    # seconds, nothing written
"""

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
from rich.console import Console

from record import record
from service import damaged, memory, post

SEED = 2027
QUICK_RULES = ["borda", "maximin", "kemeny", "instant_runoff"]

# Clients who send hard requests: some wait for the answer, some leave at once.
WAITING, LEAVING = 6, 4


def main() -> None:
    if "--quick" in sys.argv:
        Console().print_json(data=run(500, 20, 5))
        return
    measured = run(10_000, 200, 60)
    Console().print_json(data=measured)
    print(record("benchmark-service-faults", SEED, measured))


def run(requests: int, clients: int, seconds: float) -> dict[str, Any]:
    """Send that many damaged requests, then have that many clients ask for that long while workers
    are killed, and count what comes back."""
    with serving() as (url, process):
        before = memory(process.pid)
        damage = asyncio.run(send_damaged(url, requests))
        crowd = asyncio.run(gather_crowd(url, process.pid, clients, seconds))
        health = settle(url)
        after = memory(process.pid)
    statuses = Counter(damage["answers"]) + Counter(crowd["answers"])
    return {
        "damage": damage,
        "crowd": crowd,
        # Whatever is the server's fault and not said to pass.
        "faults": sum(n for told, n in statuses.items() if told[0] == "5" and told != "503"),
        "workers_started": health["started"],
        "megabytes": {"start": before, "end": after},
        "alive_at_the_end": health["ready"],
        "exit_code": process.returncode,
    }


# ---------------------------------------------------------------------- the server


@contextmanager
def serving() -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The command, once its workers are ready, and the address that it tells."""
    command = [sys.executable, "-m", "elect", "serve", "--port", "0", "--no-browser", "--quiet"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None
    url = process.stdout.readline().split()[0].rstrip("/")
    try:
        settle(url)
        yield url, process
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)


def settle(url: str) -> dict[str, Any]:
    """Wait until nothing is computed and a worker is there; what the server says then."""
    with httpx.Client(base_url=url, timeout=60) as client:
        while True:
            told: dict[str, Any] = client.get("/healthz").json()
            if told["ready"] and not told["busy"] + told["waiting"]:
                return told
            time.sleep(0.1)


def processes(pid: int) -> Iterator[int]:
    """The fork servers of a process, and all that come from them."""
    for child in children(pid):
        with suppress(OSError):
            if "forkserver" in Path(f"/proc/{child}/cmdline").read_text():
                yield child
                yield from children(child)


def children(pid: int) -> list[int]:
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for path in lists for child in path.read_text().split()]


# ---------------------------------------------------------------------- damage


async def send_damaged(url: str, requests: int) -> dict[str, Any]:
    """Damaged requests from a few clients; the server may close a connection, which is counted."""
    drawn = random.Random(SEED)
    todo = [damaged(drawn) for _ in range(requests)]
    answers: Counter[str] = Counter()

    async def one() -> None:
        connection = None
        while todo:
            path, body = todo.pop()
            try:
                connection = connection or await connect(url)
                answers[str(await post(*connection, f"/v1/{path}", body))] += 1
            except (OSError, EOFError):
                answers["closed"] += 1
                connection = None

    await asyncio.gather(*(one() for _ in range(4)))
    return {"requests": requests, "answers": dict(sorted(answers.items()))}


async def connect(url: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    host, port = url.removeprefix("http://").split(":")
    return await asyncio.open_connection(host, int(port), limit=2**26)


# ---------------------------------------------------------------------- the crowd


async def gather_crowd(url: str, pid: int, clients: int, seconds: float) -> dict[str, Any]:
    """Quick requests from many clients and from one alone, hard ones, and kills."""
    answers: Counter[str] = Counter()
    kills: Counter[str] = Counter()
    alone: list[float] = []
    crowd: list[float] = []

    def hard(end: float) -> list[Coroutine[Any, Any, None]]:
        waiting = [ask_hard(url, end, answers, n) for n in range(WAITING)]
        return [*waiting, *(ask_and_leave(url, end, n) for n in range(LEAVING))]

    # First without the crowd, to see how long a quick request takes while hard ones run.
    end = time.monotonic() + seconds / 4
    await asyncio.gather(ask_quick(url, end, answers, alone, 0.05), *hard(end))
    end = time.monotonic() + seconds
    quick = [ask_quick(url, end, answers, crowd, 0.0) for _ in range(clients)]
    await asyncio.gather(*quick, *hard(end), kill(pid, end, kills))
    return {
        "clients": clients,
        "seconds": seconds,
        "answers": dict(sorted(answers.items())),
        "kills": dict(kills),
        "quick_beside_hard_ms": spread(alone),
        "quick_in_crowd_ms": spread(crowd),
    }


async def ask_quick(
    url: str, end: float, answers: Counter[str], taken: list[float], pause: float
) -> None:
    """One quick request after the other."""
    drawn, connection = random.Random(SEED), None
    while time.monotonic() < end:
        start = time.monotonic()
        try:
            connection = connection or await connect(url)
            body = json.dumps(election(drawn, 20, 5, QUICK_RULES)).encode()
            answers[str(await post(*connection, "/v1/winners", body))] += 1
            taken.append(time.monotonic() - start)
        except (OSError, EOFError):
            answers["closed"] += 1
            connection = None
        await asyncio.sleep(pause)


async def ask_hard(url: str, end: float, answers: Counter[str], seed: int) -> None:
    """One hard request after the other; what is unsettled at the end is left."""
    drawn = random.Random(seed)
    while (left := end - time.monotonic()) > 0:
        body = json.dumps(election(drawn, 30, 100, ["kemeny"])).encode()
        reader, writer = await connect(url)
        try:
            async with asyncio.timeout(left):
                answers[str(await post(reader, writer, "/v1/winners", body))] += 1
        except TimeoutError:
            answers["left"] += 1
        except (OSError, EOFError):
            answers["closed"] += 1
        writer.close()
        # When refused, a client comes again as it is told.
        await asyncio.sleep(0.5)


async def ask_and_leave(url: str, end: float, seed: int) -> None:
    """Hard requests whose client does not wait for the answer."""
    drawn = random.Random(seed)
    while time.monotonic() < end:
        with suppress(OSError):
            _, writer = await connect(url)
            body = json.dumps(election(drawn, 30, 100, ["slater"])).encode()
            head = "POST /v1/winners HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json"
            writer.write(f"{head}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
            await writer.drain()
            await asyncio.sleep(drawn.random())
            writer.close()


async def kill(pid: int, end: float, kills: Counter[str]) -> None:
    """Kill a worker every second, and the fork server now and then."""
    drawn = random.Random(SEED)
    while time.monotonic() < end:
        await asyncio.sleep(min(1.0, max(0.0, end - time.monotonic())))
        found = list(processes(pid))
        if not found:
            continue
        chosen = found[0] if drawn.random() < 0.05 else drawn.choice(found[1:] or found)
        with suppress(ProcessLookupError):
            os.kill(chosen, signal.SIGKILL)
            kills["fork server" if chosen == found[0] else "worker"] += 1


def election(
    drawn: random.Random, voters: int, candidates: int, rules: list[str]
) -> dict[str, Any]:
    names = [f"C{c}" for c in range(candidates)]
    ballots = [[[name] for name in drawn.sample(names, candidates)] for _ in range(voters)]
    return {"ballots": [{"ranking": ranking} for ranking in ballots], "rules": rules}


def spread(taken: list[float]) -> dict[str, float]:
    """The median, the 95th percentile and the largest, in milliseconds."""
    if not taken:
        return {}
    ordered = sorted(1000 * one for one in taken)
    places = {"median": len(ordered) // 2, "95th_percentile": len(ordered) * 95 // 100}
    found = {name: round(ordered[place], 1) for name, place in places.items()}
    return {**found, "largest": round(ordered[-1], 1), "requests": len(ordered)}


if __name__ == "__main__":
    main()
