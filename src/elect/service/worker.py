"""The worker process: reads requests from a pipe and writes responses to it.

A computation cannot be interrupted, so the server kills the worker if it takes too long. Requests
are parsed only here, so that a malicious one cannot harm the server process.
"""

import gc
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from pydantic import ValidationError

from elect.errors import ElectError
from elect.service import ballots, deciding, listings
from elect.service.answers import Answer, as_json, problem
from elect.service.limits import ServiceLimits
from elect.service.logs import note
from elect.service.rule_catalogue import RuleCatalogue, own_rules, trained_rules
from elect.service.sample import sample, welfare_ratios
from elect.service.schemas import (
    BatchRequest,
    ExportRequest,
    ParseRequest,
    Request,
    SampleRequest,
    WelfareRequest,
    WinnersRequest,
)

TOO_LARGE = "This election is too large for this server; send a smaller one."

Operation = Callable[[bytes, RuleCatalogue], Iterator[Answer]]


def answers(operation: str, body: bytes, catalogue: RuleCatalogue) -> Iterator[Answer]:
    """The answer to a request; if there are several, each replaces the one before."""
    try:
        yield from OPERATIONS[operation](body, catalogue)
    except ValidationError as error:
        yield problem(*fault(error))
    except ElectError as error:
        yield problem(422, str(error))
    except (MemoryError, RecursionError):
        yield problem(422, TOO_LARGE)
    except OSError as error:
        note("fault", operation=operation, kind=type(error).__name__, reason=error.strerror)
        yield problem(503, "The server cannot use its disk at the moment; try again later.", 60)
    except Exception as error:
        if "allocate memory" in str(error):
            # Torch's error for a failed allocation.
            yield problem(422, TOO_LARGE)
            return
        # Log where it happened but not the request, which may hold ballots.
        frames = traceback.extract_tb(error.__traceback__)[-3:]
        where = [f"{frame.filename}:{frame.lineno}" for frame in frames]
        note("fault", operation=operation, kind=type(error).__name__, at=where)
        yield problem(500, "Internal error; please report the request that caused it.")


def fault(error: ValidationError) -> tuple[int, str]:
    """The first thing that is wrong with a request."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    if first["type"] == "json_invalid":
        return 400, f"The body is not JSON ({first['msg'].partition(': ')[2]}); correct it."
    where = ".".join(map(str, first["loc"]))
    return 422, f"'{where}' does not fit: {first['msg'][:1].lower()}{first['msg'][1:]}."


# ---------------------------------------------------------------------- operations


def _operation(
    model: type[Request], function: Callable[[Any, RuleCatalogue], Iterable[Any]]
) -> Operation:
    def run(body: bytes, catalogue: RuleCatalogue) -> Iterator[Answer]:
        for value in function(model.model_validate_json(body), catalogue):
            yield value if isinstance(value, Answer) else Answer(200, as_json(value))

    return run


def _listing(function: Callable[[RuleCatalogue], Any]) -> Operation:
    def run(body: bytes, catalogue: RuleCatalogue) -> Iterator[Answer]:
        yield Answer(200, as_json(function(catalogue)))

    return run


def _parse(request: ParseRequest, catalogue: RuleCatalogue) -> Iterator[Any]:
    profile = ballots.parse(request, catalogue.limits)
    yield ballots.to_json(profile, catalogue.limits)


def _export(request: ExportRequest, catalogue: RuleCatalogue) -> Iterator[Answer]:
    profile = ballots.profile_of(request, catalogue.limits)
    name, text = ballots.export(profile, request.format, catalogue.folder)
    yield Answer(200, text.encode(), name)


OPERATIONS: dict[str, Operation] = {
    "rules": _listing(listings.list_rules),
    "cultures": _listing(listings.list_cultures),
    "welfares": _listing(listings.list_welfares),
    "winners": _operation(WinnersRequest, deciding.winners),
    "elections": _operation(BatchRequest, deciding.elections),
    "parse": _operation(ParseRequest, _parse),
    "export": _operation(ExportRequest, _export),
    "sample": _operation(SampleRequest, sample),
    "welfare": _operation(WelfareRequest, welfare_ratios),
}

# A worker that was not killed in time ends itself after this many more seconds.
SPARE = 5.0

# Requests that are computed before the first worker starts, to compile the kernels.
WARM_UP: list[tuple[str, dict[str, Any]]] = [
    ("rules", {}),
    ("winners", {"text": "4: a > b > c > d\n3: b > c > d > a\n2: c > a > d > b\n1: d > c > b > a"}),
    ("elections", {"rankings": [[[0, 1, 2], [1, 2, 0]]] * 2, "rules": ["borda", "maximin"]}),
    ("parse", {"text": "# NUMBER ALTERNATIVES: 2\n2: 1,2", "format": "preflib"}),
    ("sample", {"culture": "mallows:phi=0.5", "voters": 3, "candidates": 3}),
    ("sample", {"culture": "impartial", "voters": 3, "candidates": 3}),
    ("welfare", {"culture": "uniform", "welfare": "utilitarian", "voters": 3, "candidates": 3}),
]


@cache
def loaded() -> RuleCatalogue:
    """Everything that does not depend on how the server was started, loaded and compiled."""
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    with TemporaryDirectory(prefix="elect-") as folder:
        catalogue = RuleCatalogue(ServiceLimits(), trained_rules([]), folder)
        for operation, request in WARM_UP:
            for _ in answers(operation, as_json(request), catalogue):
                pass
    # Keep the loaded objects out of garbage collection, which would take longer than counting.
    gc.collect()
    gc.freeze()
    return catalogue


def main(pipe: Connection, limits: ServiceLimits, folders: list[str], folder: str) -> None:
    """Answer until the pipe is closed. Ctrl-C is handled by the server process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    trained = own_rules(folders, loaded().trained, lambda error: note("skipped", error=error))
    catalogue = replace(loaded(), limits=limits, trained=trained, folder=folder)
    _limit_memory(limits.memory)
    pipe.send(None)
    while True:
        try:
            operation, body = pipe.recv()
            _end_after(limits.seconds + SPARE)
            for answer in answers(operation, body, catalogue):
                pipe.send(answer)
            pipe.send(None)
            _end_after(0)
        except (EOFError, OSError):
            return


def _limit_memory(megabytes: float) -> None:
    """Limit the memory of this process, so that an allocation fails before the OOM killer acts."""
    if not sys.platform.startswith("linux"):
        return
    import resource

    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + int(megabytes * 1e6)
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (most if hard < 0 else min(most, hard), hard))


def _end_after(seconds: float) -> None:
    """Let the system end this process after some time, even inside a solver, in case the server
    is gone that should kill it."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)
