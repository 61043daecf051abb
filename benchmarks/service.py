"""The service under load, over HTTP on this machine: how soon, how fast, how steady.

1. *Start*: from the command to the page, and until all rules are loaded.
2. *Page*: 1,000 ballots, 10 candidates, all rules with their sentences: milliseconds a request.
3. *Batches*: elections of 50 ballots and 10 candidates a second, by Borda, maximin and a network.
4. *Crowd*: 200 clients at once for a minute; how many are served, and does memory grow?
5. *Damage*: 10,000 malformed requests; does anything break?

    pip install -c constraints.txt -e ".[benchmarks]"
    python benchmarks/service.py            # writes results/benchmark-service.json
    python benchmarks/service.py --quick    # seconds instead of minutes, nothing written
"""

import asyncio
import json
import random
import re
import signal
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import numpy as np
from rich.console import Console

from record import record

SEED = 2026
BATCH = 1000
CLIENTS = 200
WANTED = {"start_seconds": 3.0, "page_ms": 60.0, "elections_per_second": 2000}
JSON = {"Content-Type": "application/json"}


def main() -> None:
    quick = "--quick" in sys.argv
    measured: dict[str, Any] = {"wanted": WANTED}
    with TemporaryDirectory() as folder:
        save_network(folder)
        with serving(folder) as (url, process, started):
            measured["start_seconds"] = started
            measured["ready_seconds"] = wait_for(url, lambda told: told["ready"]) + started
            with httpx.Client(base_url=url, timeout=120) as client:
                measured["page"] = page(client, 10 if quick else 50)
                measured["batches"] = batches(client, 3 if quick else 20)
                measured["crowd"] = asyncio.run(crowd(url, process.pid, 5 if quick else 60))
                measured["damage"] = damage(client, 500 if quick else 10_000)
                measured["alive_at_the_end"] = client.get("/healthz").status_code == 200
        measured["exit_code"] = process.returncode
    Console().print_json(data=measured)
    if not quick:
        print(record("benchmark-service", SEED, measured))


# ---------------------------------------------------------------------- the server


def save_network(folder: str) -> None:
    """Our network at its usual size. It is untrained, which takes as long as if it were trained."""
    from elect.checkpoints import build, save
    from elect.learned import Card

    card = Card(
        network="tally",
        arguments={},
        objectives=[{"kind": "mimic", "of": "copeland"}],
        heads=["copeland"],
        culture="uniform",
        voters=[2, 99],
        candidates=[2, 29],
        seed=0,
        steps=0,
        minutes=0.0,
    )
    save(folder, build("tally", {}, 1).state_dict(), card)


@contextmanager
def serving(folder: str) -> Iterator[tuple[str, subprocess.Popen[str], float]]:
    """The command, the address that it tells, and the seconds until the page is there."""
    command = [sys.executable, "-m", "elect", "serve", "--port", "0", "--no-browser", "--quiet"]
    start = time.monotonic()
    process = subprocess.Popen(
        [*command, "--rule", f"network={folder}"], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    url = process.stdout.readline().split()[0].rstrip("/")
    httpx.get(f"{url}/").raise_for_status()
    try:
        yield url, process, round(time.monotonic() - start, 2)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)


def wait_for(url: str, fact: Any) -> float:
    start = time.monotonic()
    while not fact(httpx.get(f"{url}/healthz").json()):
        time.sleep(0.05)
    return round(time.monotonic() - start, 2)


def memory(pid: int) -> float:
    """Megabytes of the server and all its processes, what they share counted once."""
    total, waiting = 0, [pid]
    while waiting:
        one = waiting.pop()
        try:
            rollup = Path(f"/proc/{one}/smaps_rollup").read_text()
            lists = [path.read_text() for path in Path(f"/proc/{one}/task").glob("*/children")]
        except OSError:
            continue
        found = re.search(r"^Pss:\s+([0-9]+)", rollup, re.MULTILINE)
        total += int(found[1]) if found else 0
        waiting += map(int, " ".join(lists).split())
    return round(total / 1024, 1)


# ---------------------------------------------------------------------- measurements


def election(rng: np.random.Generator, voters: int, candidates: int) -> dict[str, Any]:
    names = [f"Candidate {c + 1}" for c in range(candidates)]
    orders = np.argsort(rng.random((voters, candidates)), -1)
    return {
        "candidates": names,
        "ballots": [{"count": 1, "ranking": [[names[c]] for c in order]} for order in orders],
    }


def page(client: httpx.Client, times: int) -> dict[str, float]:
    """Requests as the page makes them after an edit: each is another election."""
    rng = np.random.default_rng(SEED)
    taken = []
    for _ in range(times):
        body = json.dumps(election(rng, 1000, 10))
        start = time.perf_counter()
        answer = client.post("/v1/winners", content=body, headers=JSON)
        taken.append(1000 * (time.perf_counter() - start))
        assert answer.status_code == 200
    return {"median_ms": round(statistics.median(taken), 1), "slowest_ms": round(max(taken), 1)}


def batches(client: httpx.Client, times: int) -> dict[str, float]:
    """Batches one after the other from one client."""
    rng = np.random.default_rng(SEED)
    rankings = np.argsort(rng.random((BATCH, 50, 10)), -1).tolist()
    body = json.dumps({"rankings": rankings, "rules": ["borda", "maximin", "network"]})
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        answer = client.post("/v1/elections", content=body, headers=JSON)
        taken.append(time.perf_counter() - start)
        assert len(answer.json()["results"]) == BATCH
    return {
        "elections_per_batch": BATCH,
        "elections_per_second": round(BATCH / statistics.median(taken)),
        "slowest": round(BATCH / max(taken)),
    }


async def crowd(url: str, pid: int, seconds: float) -> dict[str, Any]:
    """Many clients who each send another request as soon as they have an answer."""
    rng = np.random.default_rng(SEED)
    rules = ["borda", "maximin", "kemeny", "network"]
    bodies = [json.dumps({**election(rng, 20, 5), "rules": rules}).encode() for _ in range(50)]
    statuses: Counter[int] = Counter()
    taken: list[float] = []
    end = time.monotonic() + seconds
    host, port = url.removeprefix("http://").split(":")

    async def one(number: int) -> None:
        reader, writer = await asyncio.open_connection(host, int(port))
        while time.monotonic() < end:
            number += 1
            start = time.monotonic()
            statuses[await post(reader, writer, "/v1/winners", bodies[number % 50])] += 1
            taken.append(time.monotonic() - start)
        writer.close()

    watching = asyncio.create_task(watch(pid, end))
    await asyncio.gather(*map(one, range(CLIENTS)))
    sizes = await watching
    taken.sort()
    return {
        "clients": CLIENTS,
        "seconds": seconds,
        "answers": dict(statuses),
        "per_second": round(sum(statuses.values()) / seconds),
        "median_ms": round(1000 * taken[len(taken) // 2], 1),
        "99th_percentile_ms": round(1000 * taken[len(taken) * 99 // 100], 1),
        "megabytes": sizes,
    }


async def watch(pid: int, end: float) -> list[float]:
    """The memory at ten moments; the first few requests may still fill caches."""
    pause = (end - time.monotonic()) / 10
    sizes = []
    for _ in range(10):
        await asyncio.sleep(pause * 0.98)
        sizes.append(memory(pid))
    return sizes


async def post(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str, body: bytes
) -> int:
    """A request by hand: two hundred clients must not cost more than the server they visit."""
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
    told = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"content-length: ([0-9]+)", told, re.IGNORECASE)
    await reader.readexactly(int(length[1]) if length else 0)
    return int(told.split()[1])


def damage(client: httpx.Client, times: int) -> dict[str, Any]:
    """Good requests, cut, garbled, or with odd values somewhere inside."""
    drawn = random.Random(SEED)
    statuses: Counter[int] = Counter()
    for _ in range(times):
        path, body = damaged(drawn)
        statuses[client.post(f"/v1/{path}", content=body, headers=JSON).status_code] += 1
    return {"requests": times, "answers": dict(sorted(statuses.items()))}


GOOD: list[tuple[str, dict[str, Any]]] = [
    ("winners", {"ballots": [{"count": 3, "ranking": [["a"], ["b", "c"]]}], "rules": ["borda"]}),
    (
        "winners",
        {"text": "3: a > b = c", "absent": ["a"], "rules": ["copeland:tie=0"], "why": True},
    ),
    ("elections", {"rankings": [[[0, 1, 2], [2, 1, 0]]], "rules": ["scoring:vector=2/1/0"]}),
    ("elections", {"elections": [{"text": "a > b"}, {"text": "b"}], "rules": ["borda"]}),
    ("parse", {"text": "count,1,2\n3,a,b\n", "format": "csv", "filename": "a.csv"}),
    ("parse", {"text": "# NUMBER ALTERNATIVES: 2\n3: 1,2", "format": "preflib"}),
    ("export", {"text": "3: a > b", "format": "preflib"}),
    ("sample", {"culture": "mallows:phi=0.5", "voters": 5, "candidates": 3, "seed": 1}),
    ("welfare", {"culture": "uniform", "welfare": "nash", "voters": 99, "candidates": 29}),
]
ODD: list[Any] = [None, -1, 0.5, 1e308, 2**70, "", "\0", "a" * 5000, [], [[]], {}, True, [None]]
ODD += ["../../etc/passwd", "borda:tie=x", "k_approval:k=-7", "scoring:vector=nan/1e999/x"]
ODD += ["euclidean:dimension=99999999", "uniform+urn:alpha=9", "<script>", "=", "1:2:3", {"a": {}}]


def damaged(drawn: random.Random) -> tuple[str, bytes]:
    """An address and a body with which something is wrong, or nearly always."""
    path, request = drawn.choice(GOOD)
    body = json.dumps(garbled(drawn, request)).encode()
    place = drawn.randrange(len(body))
    return path, drawn.choice(
        [
            body,
            body,
            body[:place],
            body[:place] + drawn.randbytes(3) + body[place:],
            body[:place] + bytes([drawn.choice(b'{}[]",:')]) + body[place + 1 :],
            drawn.randbytes(drawn.randrange(60)),
        ]
    )


def garbled(drawn: random.Random, value: Any) -> Any:
    """The value with an odd one in the place of some part."""
    if isinstance(value, dict) and drawn.random() < 0.95:
        key = drawn.choice([*value, "nonsense"])
        return {**value, key: garbled(drawn, value.get(key))}
    if isinstance(value, list) and value and drawn.random() < 0.8:
        place = drawn.randrange(len(value))
        return [*value[:place], garbled(drawn, value[place]), *value[place + 1 :]]
    if isinstance(value, str) and drawn.random() < 0.5:
        place = drawn.randrange(len(value) + 1)
        return value[:place] + drawn.choice(":>=,/#{}1- \n") + value[place:]
    return drawn.choice(ODD)


if __name__ == "__main__":
    main()
