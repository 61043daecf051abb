"""The queue of requests, and the worker processes that compute them.

Exact rules can be slow on hard ballots, and a solver cannot be interrupted. So each worker process
computes one request at a time. If it takes too long, or the client disconnects, the worker is
killed and replaced.

Requests wait in two lanes, quick and slow. One worker is reserved for quick requests, so that they
never wait for a slow one.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from time import monotonic
from typing import Any

from elect.service.answers import Answer, problem
from elect.service.jobs import LEFT, Job, too_long, too_much, unavailable
from elect.service.lanes import is_quick
from elect.service.limits import ServiceLimits
from elect.service.processes import End, Worker
from elect.service.staff import Staff

# A request that takes longer than this many seconds counts as slow.
QUICK = 0.2

# After this many seconds its worker gets a lower priority, and is not used again, since a process
# cannot raise its priority.
LONG = 2.0

# A worker that does not report its own timeout is killed after this many more seconds.
SPARE = 2.0

# Work may continue for this many seconds after its client left: a new worker takes as long.
GRACE = 0.2

# After this many failures to start a worker, the pool works with those it has.
MANY_FAILURES = 3

# The share of the clients at once whose requests may be slow.
SLOW_SHARE = 0.75


class Pool:
    """The queue of requests and the pool of workers."""

    def __init__(self, limits: ServiceLimits, folders: list[str]) -> None:
        self.limits = limits
        self.quick: deque[Job] = deque()
        self.slow: deque[Job] = deque()
        self.running: set[Job] = set()
        self.staff = Staff(limits, folders, self._staff_changed)
        self.tasks: set[asyncio.Task[Any]] = set()

    def open(self) -> None:
        """Start the workers, without waiting for them."""
        self._later(self.staff.keep())

    async def close(self) -> None:
        """End the workers, whatever they do."""
        self.staff.interrupt()
        self._refuse_waiting("closing")
        while self.tasks:
            await asyncio.wait(self.tasks)
        self.staff.close()

    def health(self) -> dict[str, Any]:
        """Whether requests can be computed, and if not, why."""
        self.staff.sweep()
        return {
            "ready": bool(self.staff.workers),
            "reason": None if self.staff.workers else f"The server is {self.staff.trouble}.",
            "workers": len(self.staff.workers),
            "started": self.staff.started,
            "busy": len(self.running),
            "waiting": len(self.quick) + len(self.slow),
        }

    # ------------------------------------------------------------------ one request

    async def ask(
        self,
        operation: str,
        body: bytes = b"",
        left: Callable[[], Coroutine[Any, Any, None]] | None = None,
    ) -> Answer:
        """Let a worker compute the answer; the request is dropped if the client disconnects."""
        quick = is_quick(operation, body)
        self.staff.sweep()
        if refusal := self._refusal(quick):
            return refusal
        job = Job(operation, body, quick, asyncio.get_running_loop().create_future())
        self._enqueue(job)
        leaving = None if left is None else asyncio.ensure_future(left())
        try:
            events: list[asyncio.Future[Any]] = [job.done, *([leaving] if leaving else [])]
            await asyncio.wait(events, return_when=asyncio.FIRST_COMPLETED)
            return job.done.result() if job.done.done() else LEFT
        finally:
            if leaving is not None:
                leaving.cancel()
            self._drop(job)

    def _refusal(self, quick: bool) -> Answer | None:
        """The error response for a request that is not accepted."""
        most, slow = self.limits.clients, len(self.slow) + self._slow_running()
        inside = len(self.quick) + len(self.slow) + len(self.running)
        if inside >= most or (not quick and slow >= max(1, int(most * SLOW_SHARE))):
            return problem(429, "Too many requests at once; try again in a moment.", 1)
        if not self.staff.workers and self.staff.failures:
            return unavailable(self.staff.trouble)
        return None

    def _enqueue(self, job: Job) -> None:
        (self.quick if job.quick else self.slow).append(job)
        job.timer = asyncio.get_running_loop().call_later(self.limits.wait, self._expire, job)
        self._dispatch()

    def _expire(self, job: Job) -> None:
        """Answer a request that has waited for too long."""
        job.finish(unavailable("busy" if self.staff.workers else self.staff.trouble))
        self._drop(job)

    def _drop(self, job: Job) -> None:
        """Remove a request that is answered or whose client has disconnected."""
        for lane in (self.quick, self.slow):
            if job in lane:
                lane.remove(job)
        if job in self.running and not job.done.done():
            job.done.cancel()
            asyncio.get_running_loop().call_later(GRACE, self._kill, job)
        if job not in self.running:
            job.stop_timer()

    def _kill(self, job: Job) -> None:
        """End the work on a request, if it has not ended; `_run` does the rest."""
        if job in self.running and job.worker is not None:
            job.worker.kill()

    # ------------------------------------------------------------------ all requests

    def _dispatch(self) -> None:
        """Give work to the workers that have none."""
        self.staff.sweep()
        while self.staff.idle and (job := self._next()):
            self._begin(job, self.staff.idle.pop())
        if self.quick and not self.staff.idle:
            self._preempt_slow()

    def _next(self) -> Job | None:
        """A quick request if one waits; but one slow request is computed at any time."""
        running, most = self._slow_running(), self._most_slow()
        if self.slow and running < most and (running == 0 or not self.quick):
            return self.slow.popleft()
        return self.quick.popleft() if self.quick else None

    def _most_slow(self) -> int:
        """How many slow requests may be computed: one worker is kept for quick ones, unless it is
        the last and others cannot be started."""
        most = max(0, len(self.staff.workers) - 1)
        return max(1, most) if self.staff.failures >= MANY_FAILURES else most

    def _slow_running(self) -> int:
        return sum(not job.quick for job in self.running)

    def _preempt_slow(self) -> None:
        """If quick requests wait and all workers compute slow ones, kill the last of these, to
        start again later. If a worker is being started, wait for that one instead."""
        slow = [job for job in self.running if not job.quick]
        if len(slow) == self.staff.size and not any(job.moved for job in slow):
            last = max(slow, key=lambda job: job.started)
            last.moved = True
            self._kill(last)

    def _turn_slow(self, job: Job) -> None:
        """Move a request to the slow lane."""
        job.quick = False
        job.timer = asyncio.get_running_loop().call_later(LONG - QUICK, job.lower_priority)
        self._dispatch()

    def _begin(self, job: Job, worker: Worker) -> None:
        job.worker, job.started = worker, monotonic()
        self.running.add(job)
        job.stop_timer()
        loop = asyncio.get_running_loop()
        if job.quick:
            job.timer = loop.call_later(QUICK, self._turn_slow, job)
        else:
            job.timer = loop.call_later(LONG, job.lower_priority)
        self._later(self._run(job, worker))

    async def _run(self, job: Job, worker: Worker) -> None:
        # The worker keeps to its time; but it may have been stopped so that it takes no request.
        late = self.limits.seconds + SPARE
        last = asyncio.get_running_loop().call_later(late, worker.kill)
        try:
            answer, end = await self.staff.in_thread(worker.ask, job.operation, job.body)
        except Exception:
            # No thread could be started: the worker knows nothing of this.
            answer, end, worker.alive = None, End.DIED, False
        last.cancel()
        job.stop_timer()
        self.running.discard(job)
        self._settle(job, answer, end)
        if worker.alive and not job.lowered:
            self.staff.release(worker)
        else:
            self.staff.remove(worker)

    def _settle(self, job: Job, answer: Answer | None, end: End) -> None:
        """Answer, or try again where the worker was killed over something else."""
        if end is End.LATE:
            job.finish(answer or too_long(self.limits.seconds))
        elif end is End.ANSWERED:
            job.finish(answer or too_much())
        elif self._may_begin_again(job):
            job.deaths += not job.moved
            job.moved, job.lowered, job.worker = False, False, None
            self._enqueue(job)
        else:
            job.finish(answer or too_much())

    def _may_begin_again(self, job: Job) -> bool:
        """Whether a request whose worker has died is worth another one. Workers that die at once
        were killed from outside, maybe all together; otherwise the request may be to blame."""
        if job.done.done() or self.staff.is_closing:
            return False
        at_once = monotonic() - job.started < QUICK
        return job.moved or job.deaths < (self.staff.size if at_once else 1)

    def _staff_changed(self) -> None:
        """There is another worker, or no worker could be started."""
        if not self.staff.workers and self.staff.failures:
            self._refuse_waiting(self.staff.trouble)
        self._dispatch()

    def _refuse_waiting(self, why: str) -> None:
        for job in [*self.quick, *self.slow]:
            job.finish(unavailable(why))
            self._drop(job)

    def _later(self, work: Coroutine[Any, Any, Any]) -> None:
        task = asyncio.create_task(work)
        # The loop itself holds its tasks only loosely.
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
