"""Requests that wait or run, and the responses if they fail."""

import asyncio
from dataclasses import dataclass

from elect.service.answers import Answer, problem
from elect.service.processes import Worker

# The response to a client that has disconnected; it appears only in the log.
LEFT = problem(499, "The client has left.")


@dataclass(eq=False)
class Job:
    """A request, from when it is asked until it is answered.

    Attributes:
        operation: what is asked for.
        body: the request itself.
        quick: in which lane it waits or runs.
        done: the answer, once there is one.
        worker: who computes it, if anyone.
        started: when that began.
        deaths: how many workers died over it.
        moved: whether its worker was killed for a quick request, so that it must start again.
        lowered: whether its worker has low priority.
        timer: what happens when it has waited, or run, for too long.
    """

    operation: str
    body: bytes
    quick: bool
    done: asyncio.Future[Answer]
    worker: Worker | None = None
    started: float = 0.0
    deaths: int = 0
    moved: bool = False
    lowered: bool = False
    timer: asyncio.TimerHandle | None = None

    def finish(self, answer: Answer) -> None:
        """Answer it, unless it is answered or nobody waits for it."""
        if not self.done.done():
            self.done.set_result(answer)

    def lower_priority(self) -> None:
        """Lower the priority of its worker."""
        if self.worker is not None:
            self.lowered = True
            self.worker.lower_priority()

    def stop_timer(self) -> None:
        """Cancel the timer."""
        if self.timer is not None:
            self.timer.cancel()


def unavailable(why: str) -> Answer:
    """No worker is available in time."""
    return problem(503, f"The server is {why}; try again in a moment.", 5)


def too_long(seconds: float) -> Answer:
    """The request exceeded the time limit."""
    return problem(
        503,
        f"This took longer than the {seconds:g} seconds that a request may take; "
        "send fewer ballots or candidates, or ask for fewer rules.",
        1,
    )


def too_much() -> Answer:
    """The request made several workers crash."""
    return problem(503, "This took too much memory; send fewer ballots or ask for less.", 1)
