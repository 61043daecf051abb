"""The pool with workers that fail, die and take long, as the test says: no processes are needed."""

import asyncio
import errno
import threading
from collections.abc import Coroutine
from typing import Any

import pytest

from elect.service import pool as pools
from elect.service import staff as staffs
from elect.service.answers import Answer
from elect.service.lanes import is_quick
from elect.service.limits import ServiceLimits
from elect.service.pool import Pool
from elect.service.processes import End, Worker

PARTLY = Answer(200, b"partly")


class World:
    """What happens to workers, and what they were asked."""

    def __init__(self) -> None:
        self.failures: list[Exception | None] = []
        self.deadly: set[bytes] = set()
        self.asked: list[bytes] = []
        self.workers: list[Any] = []
        self.open = threading.Event()
        self.released: set[bytes] = set()


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    """Workers that answer a request at once if it begins with "now", else when released."""
    found = World()

    class Fake(Worker):
        def __init__(self, limits: ServiceLimits, folders: list[str], folder: str) -> None:
            self.limits, self.alive, self.gone = limits, True, threading.Event()
            self.loads, self.lowered = True, False
            if found.failures:
                failure = found.failures.pop(0)
                if failure is not None:
                    raise failure
                self.loads = False
            found.workers.append(self)

        def wait(self, seconds: float) -> None:
            self.alive = self.loads

        def ask(self, operation: str, body: bytes) -> tuple[Answer | None, End]:
            found.asked.append(body)
            if body in found.deadly:
                self.kill()
            while not self.gone.is_set():
                if body.startswith(b"now") or body in found.released or found.open.is_set():
                    return Answer(200, body), End.ANSWERED
                if body.startswith(b"late"):
                    self.alive = False
                    return (PARTLY if body == b"late partly" else None), End.LATE
                self.gone.wait(0.002)
            return None, End.DIED

        def has_ended(self) -> bool:
            return self.gone.is_set()

        def kill(self) -> None:
            self.alive = False
            self.gone.set()

        def lower_priority(self) -> None:
            self.lowered = True

        def stop(self) -> None:
            self.kill()

    monkeypatch.setattr(staffs, "Worker", Fake)
    for name in ("start_fork_server", "stop_fork_server"):
        monkeypatch.setattr(staffs, name, lambda: None)
    monkeypatch.setattr(staffs, "FIRST_DELAY", 0.01)
    monkeypatch.setattr(staffs, "LONGEST_DELAY", 0.05)
    monkeypatch.setattr(staffs, "LOOK", 0.05)
    monkeypatch.setattr(pools, "QUICK", 0.05)
    monkeypatch.setattr(pools, "GRACE", 0.05)
    monkeypatch.setattr(pools, "is_quick", lambda operation, body: b"hard" not in body)
    return found


def run(test: Any, world: World, **limits: Any) -> None:
    """Run a test with a pool, which is closed whatever happens."""

    async def inside() -> None:
        pool = Pool(ServiceLimits(**{"workers": 2, **limits}), [])
        pool.open()
        try:
            async with asyncio.timeout(30):
                await test(pool)
        finally:
            world.failures.clear()
            async with asyncio.timeout(30):
                await pool.close()
        assert not pool.running
        assert all(worker.gone.is_set() for worker in world.workers)

    asyncio.run(inside())


async def until(fact: Any) -> None:
    while not fact():
        await asyncio.sleep(0.002)


def later(work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
    return asyncio.ensure_future(work)


async def never() -> None:
    await asyncio.Event().wait()


FAILURES = [
    EOFError(),
    OSError(errno.EMFILE, "Too many open files"),
    BlockingIOError(),
    ConnectionRefusedError(),
    MemoryError(),
    RuntimeError("can't start new thread"),
    None,
    ValueError(),
]


# ---------------------------------------------------------------------- starting


def test_starting_a_worker_may_fail_any_number_of_times(world: World) -> None:
    world.failures = FAILURES * 3

    async def test(pool: Pool) -> None:
        assert not pool.health()["ready"]
        assert "still compiling" in pool.health()["reason"]
        await until(lambda: pool.staff.failures)
        told = pool.health()
        assert not told["ready"]
        assert "unable to start a worker" in told["reason"]
        # Nobody waits for what may never come.
        answer = await pool.ask("winners", b"now")
        assert (answer.status, answer.retry_after) == (503, 5)
        assert b"unable to start a worker" in answer.body
        await until(lambda: pool.health()["workers"] == 3)
        assert pool.health()["reason"] is None
        assert (await pool.ask("winners", b"now")).status == 200

    run(test, world)


def test_who_waits_for_the_first_worker_hears_that_it_failed(world: World) -> None:
    async def test(pool: Pool) -> None:
        waiting = later(pool.ask("winners", b"now"))
        world.failures = [EOFError()] * 100
        answer = await waiting
        assert answer.status == 503

    world.failures = [EOFError()] * 100
    run(test, world)


def test_who_waits_for_the_first_worker_is_answered_when_it_is_ready(world: World) -> None:
    async def test(pool: Pool) -> None:
        assert (await pool.ask("winners", b"now")).status == 200

    run(test, world)


def test_failures_to_replace_workers_are_told_and_overcome(world: World) -> None:
    async def test(pool: Pool) -> None:
        await until(lambda: pool.health()["workers"] == 3)
        world.failures = [OSError(errno.EMFILE, "Too many open files")] * 1000
        for worker in world.workers:
            worker.kill()
        assert not pool.health()["ready"]
        await until(lambda: "unable" in pool.health()["reason"])
        assert (await pool.ask("winners", b"now")).status == 503
        world.failures.clear()
        await until(lambda: pool.health()["workers"] == 3)
        assert (await pool.ask("winners", b"now")).status == 200

    run(test, world)


# ---------------------------------------------------------------------- dying


def test_killed_idle_workers_cost_no_request(world: World) -> None:
    async def test(pool: Pool) -> None:
        await until(lambda: pool.health()["workers"] == 3)
        for worker in list(world.workers):
            worker.kill()
        assert (await pool.ask("winners", b"now")).status == 200
        await until(lambda: pool.health()["workers"] == 3)

    run(test, world)


def test_a_request_whose_worker_was_killed_is_tried_again(world: World) -> None:
    async def test(pool: Pool) -> None:
        asked = later(pool.ask("winners", b"hard"))
        await until(lambda: world.asked == [b"hard"])
        await asyncio.sleep(2 * pools.QUICK)
        next(job for job in pool.running).worker.kill()
        await until(lambda: world.asked == [b"hard", b"hard"])
        world.open.set()
        assert (await asked).status == 200

    run(test, world)


def test_a_request_that_kills_every_worker_is_given_up(world: World) -> None:
    world.deadly = {b"deadly"}

    async def test(pool: Pool) -> None:
        answer = await pool.ask("winners", b"deadly")
        assert answer.status == 503
        assert b"took too much memory" in answer.body
        assert 2 <= len(world.asked) <= 4
        assert (await pool.ask("winners", b"now")).status == 200

    run(test, world)


def test_what_takes_too_long_is_told_as_far_as_it_came(world: World) -> None:
    async def test(pool: Pool) -> None:
        assert await pool.ask("winners", b"late partly") == PARTLY
        answer = await pool.ask("winners", b"late")
        assert answer.status == 503
        assert b"took longer than" in answer.body
        await until(lambda: pool.health()["workers"] == 3)
        assert pool.health()["started"] >= 5

    run(test, world)


def test_a_worker_that_takes_no_request_is_killed(world: World, monkeypatch) -> None:
    monkeypatch.setattr(pools, "SPARE", 0.1)

    async def test(pool: Pool) -> None:
        answer = await pool.ask("winners", b"hard")
        assert answer.status == 503
        assert world.asked == [b"hard"] * 2

    run(test, world, seconds=0.1)


def test_threads_that_cannot_be_started_cost_no_request(world: World, monkeypatch) -> None:
    async def test(pool: Pool) -> None:
        await until(lambda: pool.health()["workers"] == 3)
        in_thread, failures = pool.staff.in_thread, [RuntimeError("can't start new thread")]

        async def fail(*arguments: Any) -> Any:
            if failures:
                raise failures.pop()
            return await in_thread(*arguments)

        monkeypatch.setattr(pool.staff, "in_thread", fail)
        assert (await pool.ask("winners", b"now")).status == 200

    run(test, world)


# ---------------------------------------------------------------------- clients who leave


def test_requests_of_clients_who_have_left_are_never_started(world: World) -> None:
    async def test(pool: Pool) -> None:
        running = [later(pool.ask("winners", b"hard %d" % n, never)) for n in range(2)]
        await until(lambda: len(world.asked) == 2)
        left = asyncio.Event()

        async def leave() -> None:
            await left.wait()

        waiting = [later(pool.ask("winners", b"hard gone", leave)) for _ in range(20)]
        await until(lambda: pool.health()["waiting"] == 20)
        left.set()
        assert {answer.status for answer in await asyncio.gather(*waiting)} == {499}
        assert pool.health()["waiting"] == 0
        world.open.set()
        assert {answer.status for answer in await asyncio.gather(*running)} == {200}
        assert (await pool.ask("winners", b"now")).status == 200
        assert b"hard gone" not in world.asked

    run(test, world)


def test_work_for_clients_who_have_left_is_stopped(world: World) -> None:
    async def test(pool: Pool) -> None:
        await until(lambda: pool.health()["workers"] == 3)
        asked = later(pool.ask("winners", b"hard"))
        await until(lambda: world.asked)
        asked.cancel()
        await until(lambda: pool.health()["busy"] == 0)
        await until(lambda: pool.health()["started"] == 4)
        assert world.asked == [b"hard"]

    run(test, world)


def test_work_that_ends_in_a_moment_costs_no_worker(world: World, monkeypatch) -> None:
    monkeypatch.setattr(pools, "GRACE", 20.0)
    monkeypatch.setattr(pools, "QUICK", 20.0)

    async def test(pool: Pool) -> None:
        await until(lambda: pool.health()["workers"] == 3)
        asked = later(pool.ask("winners", b"soon"))
        await until(lambda: world.asked)
        asked.cancel()
        world.released.add(b"soon")
        await until(lambda: pool.health()["busy"] == 0)
        assert pool.health()["started"] == 3

    run(test, world)


# ---------------------------------------------------------------------- two lanes


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_quick_requests_are_answered_while_hard_ones_run(world: World, workers: int) -> None:
    async def test(pool: Pool) -> None:
        hard = [later(pool.ask("winners", b"hard %d" % n)) for n in range(6)]
        await until(lambda: pool.health()["busy"] == workers)
        for _ in range(20):
            assert (await pool.ask("winners", b"now")).status == 200
        assert not any(one.done() for one in hard)
        assert pool.health()["waiting"] == 6 - workers
        world.open.set()
        assert {answer.status for answer in await asyncio.gather(*hard)} == {200}

    run(test, world, workers=workers)


def test_requests_that_only_look_quick_make_room_for_those_that_are(world: World) -> None:
    async def test(pool: Pool) -> None:
        slow = [later(pool.ask("winners", b"looks quick %d" % n)) for n in range(6)]
        for _ in range(5):
            assert (await pool.ask("winners", b"now")).status == 200
        assert not any(one.done() for one in slow)
        world.open.set()
        answers = await asyncio.gather(*slow)
        assert [answer.body for answer in answers] == [b"looks quick %d" % n for n in range(6)]

    run(test, world)


def test_slow_requests_are_computed_while_quick_ones_keep_coming(world: World) -> None:
    async def test(pool: Pool) -> None:
        going = True

        async def crowd() -> None:
            while going:
                assert (await pool.ask("winners", b"now")).status == 200

        clients = [later(crowd()) for _ in range(8)]
        world.released.add(b"hard")
        assert (await pool.ask("winners", b"hard")).status == 200
        going = False
        await asyncio.gather(*clients)

    run(test, world)


def test_what_runs_for_long_has_low_priority_and_its_worker_is_replaced(
    world: World, monkeypatch
) -> None:
    monkeypatch.setattr(pools, "LONG", 0.1)

    async def test(pool: Pool) -> None:
        for body in (b"hard", b"looks quick"):
            await until(lambda: pool.health()["workers"] == 3)
            asked, started = later(pool.ask("winners", body)), pool.health()["started"]
            await until(lambda: any(worker.lowered for worker in world.workers))
            assert pool.health()["started"] == started
            world.released.add(body)
            assert (await asked).status == 200
            await until(lambda: pool.health()["started"] > started)  # noqa: B023
            assert all(worker.gone.is_set() for worker in world.workers if worker.lowered)
            world.workers[:] = [worker for worker in world.workers if not worker.lowered]

    run(test, world)


def test_slow_requests_leave_places_for_quick_ones(world: World) -> None:
    async def test(pool: Pool) -> None:
        asked = [later(pool.ask("winners", b"hard")) for _ in range(8)]
        await until(lambda: sum(one.done() for one in asked) == 2)
        assert {one.result().status for one in asked if one.done()} == {429}
        assert (await pool.ask("winners", b"now")).status == 200
        world.open.set()
        await asyncio.gather(*asked)

    run(test, world, clients=8)


def test_who_waits_too_long_hears_that_the_server_is_busy(world: World) -> None:
    async def test(pool: Pool) -> None:
        running = later(pool.ask("winners", b"hard first"))
        await until(lambda: world.asked)
        answer = await pool.ask("winners", b"hard second")
        assert (answer.status, answer.retry_after) == (503, 5)
        assert b"busy" in answer.body
        assert not running.done()
        assert world.asked == [b"hard first"]
        world.open.set()
        await running

    run(test, world, workers=1, wait=0.1)


def test_closing_answers_everybody(world: World) -> None:
    async def inside() -> None:
        pool = Pool(ServiceLimits(workers=1), [])
        pool.open()
        asked = [later(pool.ask("winners", b"hard")) for _ in range(3)]
        await until(lambda: world.asked)
        async with asyncio.timeout(30):
            await pool.close()
            assert {answer.status for answer in await asyncio.gather(*asked)} == {503}

    asyncio.run(inside())


# ---------------------------------------------------------------------- which are quick


@pytest.mark.parametrize(
    ("operation", "body", "quick"),
    [
        ("winners", b'{"text": "3: a > b > c\\n2: b > c > a"}', True),
        ("winners", b'{"text": "3: a > b", "rules": ["kemeny", "young"]}', True),
        ("winners", b'{"text": "%s"}' % b" > ".join(b"c%d" % c for c in range(60)), False),
        ("winners", b'{"ballots": [{"ranking": [["a"], ["b"]]}]}', True),
        ("winners", b'{"text": "%s", "rules": ["borda"]}' % (b"a > b > c" * 50_000), False),
        ("elections", b'{"rankings": [[[0, 1]]], "rules": ["borda"]}', True),
        ("elections", b'{"rankings": [[[0, 1]]], "rules": ["tideman"]}', False),
        ("sample", b'{"culture": "uniform", "voters": 50, "candidates": 5}', True),
        ("sample", b'{"culture": "uniform", "voters": 5000, "candidates": 50}', False),
        ("welfare", b'{"culture": "uniform", "welfare": "nash"}', False),
        ("parse", b'{"text": "a"}', True),
        ("rules", b"", True),
        # What is refused is refused quickly.
        ("winners", b"", True),
        ("winners", b"{", True),
        ("winners", b"[]", True),
        ("winners", b"\xff", True),
        ("winners", b'{"ballots": 3, "text": 4}', True),
        ("winners", b'{"ballots": [{"ranking": [[[]]]}]}', True),
        ("sample", b'{"voters": "x", "candidates": []}', True),
        ("winners", b"[" * 50_000, True),
    ],
)
def test_which_requests_look_quick(operation: str, body: bytes, quick: bool) -> None:
    assert is_quick(operation, body) is quick
