"""A few processes that compute, and the line in front of them.

Rules are exact, and exact rules can take long on ballots made to be hard; what is inside a solver
cannot be interrupted. So each request is computed in a process of its own for the time being. If it
takes too long the process is killed, the client hears what was settled until then, and another
process takes its place: a fork of one that has everything loaded already.
"""

import asyncio
import multiprocessing
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from shutil import rmtree
from tempfile import mkdtemp
from time import monotonic
from typing import Any, TypeVar

from elect.service.answers import Answer, problem
from elect.service.limits import Limits
from elect.service.logs import note

T = TypeVar("T")

# How long a worker may take to load, and the first time to compile, all rules.
PATIENCE = 600.0


class Worker:
    """One process, asked one thing at a time."""

    def __init__(self, limits: Limits, folders: list[str], folder: str) -> None:
        methods = multiprocessing.get_all_start_methods()
        context: Any = multiprocessing.get_context(
            "forkserver" if "forkserver" in methods else "spawn"
        )
        if "forkserver" in methods:
            context.set_forkserver_preload(["elect.service.worker"])
        self.limits, self.alive = limits, True
        self.pipe, far_end = context.Pipe()
        arguments = (far_end, limits, folders, folder)
        self.process = context.Process(target=_work, args=arguments, daemon=True)
        self.process.start()
        far_end.close()

    def wait(self) -> None:
        """Until it is ready, which it says, or has ended."""
        try:
            self.alive = self.pipe.poll(PATIENCE) and self.pipe.recv() is None
        except (EOFError, OSError):
            self.alive = False

    def ask(self, operation: str, body: bytes) -> Answer:
        """The last answer that comes in time."""
        end = monotonic() + self.limits.seconds
        answer: Answer | None = None
        try:
            self.pipe.send((operation, body))
            while self.pipe.poll(max(0.0, end - monotonic())):
                more = self.pipe.recv()
                if more is None and answer is not None:
                    return answer
                answer = more
        except (EOFError, OSError):
            self.stop()
            return answer or problem(
                503, "This took more than the server has; send fewer ballots or ask for less.", 1
            )
        self.stop()
        return answer or problem(
            503,
            f"This took longer than the {self.limits.seconds:g} seconds that a request may take; "
            "send fewer ballots or candidates, or ask for fewer rules.",
            1,
        )

    def stop(self) -> None:
        """End the process, whatever it is doing."""
        self.alive = False
        self.pipe.close()
        self.process.kill()
        self.process.join()


def _work(*arguments: Any) -> None:
    # Here and not above: the process that serves is on the screen long before torch is loaded.
    from elect.service.worker import main

    main(*arguments)


class Pool:
    """The workers, and the line in front of them."""

    def __init__(self, limits: Limits, folders: list[str]) -> None:
        self.limits, self.folders = limits, folders
        self.idle: asyncio.Queue[Worker] = asyncio.Queue()
        self.workers: set[Worker] = set()
        self.inside = 0
        self.ready = self.closing = False
        # Where workers may put what they must read from the disk.
        self.folder = ""
        # One for each worker, to wait for it.
        self.threads = ThreadPoolExecutor(limits.workers, "elect-worker")
        self.tasks: set[asyncio.Task[Any]] = set()

    def open(self) -> None:
        """Start the workers, without waiting for them."""
        self.folder = mkdtemp(prefix="elect-")
        self._later(self._hire_all())

    async def close(self) -> None:
        """End the workers and remove what they may have left on the disk."""
        self.closing = True
        for worker in self.workers:
            # Whoever waits for it hears of it, and does the rest.
            worker.process.kill()
        while self.tasks:
            await asyncio.wait(self.tasks)
        while not self.idle.empty():
            self.idle.get_nowait().stop()
        self.threads.shutdown()
        rmtree(self.folder, ignore_errors=True)

    async def ask(self, operation: str, body: bytes = b"") -> Answer:
        """Have a worker compute the answer, as soon as one is free."""
        if self.inside >= self.limits.clients:
            return problem(429, "Too many requests at once; come again in a moment.", 1)
        self.inside += 1
        try:
            async with asyncio.timeout(self.limits.wait):
                worker = await self.idle.get()
            # A client who leaves does not take the worker along.
            return await asyncio.shield(self._later(self._answer(worker, operation, body)))
        except TimeoutError:
            why = "busy" if self.ready else "still compiling its rules, which it does once"
            return problem(503, f"The server is {why}; come again in a moment.", 5)
        finally:
            self.inside -= 1

    async def _answer(self, worker: Worker, operation: str, body: bytes) -> Answer:
        answer = await self._in_thread(worker.ask, operation, body)
        if worker.alive:
            self.idle.put_nowait(worker)
        else:
            self.workers.discard(worker)
            self._later(self._hire())
        return answer

    async def _hire_all(self) -> None:
        # What the first compiles the others find on the disk.
        for _ in range(self.limits.workers):
            await self._hire()

    async def _hire(self) -> None:
        while not self.closing:
            worker = await self._in_thread(Worker, self.limits, self.folders, self.folder)
            self.workers.add(worker)
            if not self.closing:
                await self._in_thread(worker.wait)
            if worker.alive and not self.closing:
                self.ready = True
                return self.idle.put_nowait(worker)
            self.workers.discard(worker)
            worker.stop()
            if not self.closing:
                note("fault", operation="start", kind="a worker ended before it was ready")
                await asyncio.sleep(1)
        return None

    async def _in_thread(self, function: Callable[..., T], *arguments: Any) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.threads, function, *arguments)

    def _later(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        task = asyncio.create_task(work)
        # The loop itself holds its tasks only loosely.
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return task
