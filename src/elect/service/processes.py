"""Worker processes, as seen from the server process.

Workers are forks of the fork server, a process that has loaded and compiled all rules. A new worker
starts within milliseconds, so a worker whose result is no longer needed is killed.
"""

import multiprocessing
import os
import signal
from contextlib import suppress
from enum import Enum
from multiprocessing import forkserver
from time import monotonic
from typing import Any

from elect.service.answers import Answer
from elect.service.limits import ServiceLimits
from elect.service.logs import note

# Descriptors that starting a worker may take, its pipes and what multiprocessing opens included.
DESCRIPTORS = 16

# By how much the priority of slow requests is lowered, from 0 to 19: with 5 they get a quarter of a
# processor that a quick one needs as well.
NICE = 5


class End(Enum):
    """How the work on a request ended."""

    ANSWERED = "answered"
    LATE = "late"
    DIED = "died"


class Worker:
    """A worker process, which computes one request at a time."""

    def __init__(self, limits: ServiceLimits, folders: list[str], folder: str) -> None:
        _check_descriptors()
        context = _context()
        self.limits, self.alive = limits, True
        self.pipe, far_end = context.Pipe()
        arguments = (far_end, limits, folders, folder)
        self.process = context.Process(target=_work, args=arguments, daemon=True)
        try:
            self.process.start()
        finally:
            far_end.close()

    def wait(self, seconds: float) -> None:
        """Until it is ready, which it says, or has ended."""
        try:
            self.alive = self.pipe.poll(seconds) and self.pipe.recv() is None
        except (EOFError, OSError):
            self.alive = False

    def ask(self, operation: str, body: bytes) -> tuple[Answer | None, End]:
        """The last answer that comes in time, and how the work ended."""
        end = monotonic() + self.limits.seconds
        answer: Answer | None = None
        try:
            self.pipe.send((operation, body))
            while self.pipe.poll(max(0.0, end - monotonic())):
                more = self.pipe.recv()
                if more is None:
                    return answer, End.ANSWERED
                answer = more
        except (EOFError, OSError):
            self.alive = False
            return answer, End.DIED
        self.alive = False
        return answer, End.LATE

    def has_ended(self) -> bool:
        """Whether an idle worker is gone: it has nothing to say, unless its pipe is closed."""
        try:
            return bool(self.pipe.poll())
        except (EOFError, OSError):
            return True

    def lower_priority(self) -> None:
        """Lower the priority of the process. This cannot be undone, so it gets no other request."""
        if hasattr(os, "setpriority"):
            with suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, self.process.pid, NICE)

    def kill(self) -> None:
        """Kill the process; a thread that waits for its answer is notified."""
        self.alive = False
        # Not `process.kill`, which does nothing once the fork server is gone.
        with suppress(ProcessLookupError):
            os.kill(self.process.pid, getattr(signal, "SIGKILL", signal.SIGTERM))

    def stop(self) -> None:
        """End the process without waiting for its exit."""
        self.kill()
        self.pipe.close()


def start_fork_server() -> None:
    """Start the fork server if it is not there, without waiting until it has loaded."""
    if _context().get_start_method() == "forkserver":
        _check_descriptors()
        forkserver.ensure_running()


def stop_fork_server() -> None:
    """End the fork server, so that nobody waits for it; the next worker starts another."""
    pid = getattr(getattr(forkserver, "_forkserver", None), "_forkserver_pid", None)
    if pid is not None:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _context() -> Any:
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["elect.service.preload"])
    return context


def _check_descriptors() -> None:
    """Fail before anything is opened: what fails half-way may stay open."""
    taken: list[int] = []
    try:
        for _ in range(DESCRIPTORS):
            taken.append(os.open(os.devnull, os.O_RDONLY))
    finally:
        for descriptor in taken:
            os.close(descriptor)


def _work(*arguments: Any) -> None:
    # Here and not above: the process that serves is on the screen long before torch is loaded.
    try:
        from elect.service.worker import main

        main(*arguments)
    except Exception as error:
        # One line, and no traceback each time that it is tried again.
        note("fault", operation="load", kind=type(error).__name__, reason=str(error)[:200])
