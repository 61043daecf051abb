"""Starts workers, and restarts them when they end or fail to start.

Starting can fail in many ways: the fork server was killed, descriptors or memory are exhausted, a
rule cannot be loaded. It is tried again after a delay that grows.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any, TypeVar

from elect.service.limits import ServiceLimits
from elect.service.logs import note
from elect.service.processes import Worker, start_fork_server, stop_fork_server

T = TypeVar("T")

# Seconds until another worker is tried: first, and at most, however often it has failed.
FIRST_DELAY, LONGEST_DELAY = 0.1, 10.0

# Seconds that a worker may take to load all rules, and the first time to compile them.
PATIENCE, FIRST_PATIENCE = 60.0, 600.0

# Seconds after which idle workers are looked at, as they may have been killed.
LOOK = 1.0

COMPILING = "still compiling its rules, which it does once"


class Staff:
    """The workers of a pool.

    Attributes:
        workers: those that are alive and ready.
        idle: those of them that have nothing to do.
        started: how many have been ready so far.
        failures: how many attempts to start another failed since the last that did not.
        trouble: why there may be no worker, as the end of "The server is …".
    """

    def __init__(
        self, limits: ServiceLimits, folders: list[str], changed: Callable[[], None]
    ) -> None:
        self.limits, self.folders, self.changed = limits, folders, changed
        self.size = limits.workers + 1
        self.workers: set[Worker] = set()
        self.idle: list[Worker] = []
        self.started = self.failures = 0
        self.trouble = COMPILING
        self.starting: Worker | None = None
        self.is_launching = False
        # Where workers may put what they must read from the disk.
        self.folder = ""
        # One thread to wait for each worker, and one to start another.
        self.threads = ThreadPoolExecutor(self.size + 1, "elect-worker")
        self.missing, self.closing = asyncio.Event(), asyncio.Event()

    @property
    def is_closing(self) -> bool:
        """Whether no more workers are started."""
        return self.closing.is_set()

    async def keep(self) -> None:
        """Start workers whenever some are missing, until all is closed."""
        while not self.is_closing:
            if len(self.workers) < self.size:
                await self._start_another()
            else:
                self.missing.clear()
                await _wait(self.missing, LOOK)
                await self._look()

    async def _look(self) -> None:
        """Detect killed processes. The fork server takes seconds to load, so it is restarted before
        a worker is needed."""
        self.sweep()
        with suppress(Exception):
            await self.in_thread(start_fork_server)

    async def _start_another(self) -> None:
        try:
            worker = await self._ready_worker()
        except Exception as error:
            self._note_failure(type(error).__name__)
            await _wait(self.closing, min(LONGEST_DELAY, FIRST_DELAY * 2**self.failures))
            return
        self.failures, self.trouble = 0, "starting a worker"
        self.started += 1
        self.workers.add(worker)
        self.release(worker)

    async def _ready_worker(self) -> Worker:
        """Another worker; the first waits until everything is loaded, the others find it so."""
        self.folder = self.folder or mkdtemp(prefix="elect-")
        patience = PATIENCE if self.started else FIRST_PATIENCE
        self.is_launching = True
        launch = asyncio.ensure_future(
            self.in_thread(Worker, self.limits, self.folders, self.folder)
        )
        try:
            await asyncio.wait({launch}, timeout=patience)
            if not launch.done():
                stop_fork_server()
            worker = self.starting = await launch
        finally:
            self.is_launching = False
        if not self.is_closing:
            await self.in_thread(worker.wait, patience)
        self.starting = None
        if self.is_closing or not worker.alive:
            await self.in_thread(worker.stop)
            raise RuntimeError("a worker ended before it was ready")
        return worker

    def _note_failure(self, kind: str) -> None:
        if self.is_closing:
            return
        self.failures += 1
        times = f"{self.failures} attempt{'s' if self.failures > 1 else ''}"
        self.trouble = f"unable to start a worker ({times}, {kind}) and keeps trying"
        note("fault", operation="start", kind=kind, attempt=self.failures)
        self.changed()

    def release(self, worker: Worker) -> None:
        """Mark a worker as idle."""
        self.idle.append(worker)
        self.changed()

    def remove(self, worker: Worker) -> None:
        """Remove a worker."""
        self.workers.discard(worker)
        with suppress(ValueError):
            self.idle.remove(worker)
        # At once, since a new worker may need its resources.
        worker.stop()
        self.missing.set()

    def sweep(self) -> None:
        """Remove idle workers that were killed."""
        for worker in [worker for worker in self.idle if worker.has_ended()]:
            self.remove(worker)

    async def in_thread(self, function: Callable[..., T], *arguments: Any) -> T:
        """Run a blocking function in a thread."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.threads, function, *arguments)

    def interrupt(self) -> None:
        """Kill running workers, so that no thread waits for them."""
        self.closing.set()
        self.missing.set()
        if self.is_launching and self.starting is None:
            stop_fork_server()
        for worker in [*self.workers, *([self.starting] if self.starting else [])]:
            worker.kill()

    def close(self) -> None:
        """End the workers, and remove what they may have left on the disk."""
        for worker in [*self.workers]:
            self.remove(worker)
        self.threads.shutdown()
        if self.folder:
            rmtree(self.folder, ignore_errors=True)


async def _wait(event: asyncio.Event, seconds: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
