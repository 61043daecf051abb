"""The ASGI application: its routes and its OpenAPI description."""

from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from functools import partial
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.openapi.utils import get_openapi
from fastapi.responses import FileResponse, HTMLResponse
from fastapi.staticfiles import StaticFiles
from pydantic.json_schema import models_json_schema
from starlette.exceptions import HTTPException

from elect.service import reference, schemas
from elect.service.answers import Answer, problem
from elect.service.guard import Guard
from elect.service.intake import Intake
from elect.service.limits import ServiceLimits
from elect.service.pool import Pool

HERE = Path(str(files("elect") / "service"))

# The POST routes: a summary, the request body and the response.
POSTS: dict[str, tuple[str, type[schemas.Request], Any]] = {
    "winners": ("The winners of each rule, and why", schemas.WinnersRequest, schemas.WinnersAnswer),
    "elections": ("Decide many elections at once", schemas.BatchRequest, schemas.BatchAnswer),
    "parse": ("Read the text of a file of ballots", schemas.ParseRequest, schemas.ElectionBody),
    "export": ("Write an election as PrefLib or CSV", schemas.ExportRequest, None),
    "sample": ("Sample an election from a culture", schemas.SampleRequest, schemas.ElectionBody),
    "welfare": (
        "The welfare of the winners of each rule, and of the best possible rule",
        schemas.WelfareRequest,
        schemas.WelfareAnswer,
    ),
}
GETS: dict[str, tuple[str, Any]] = {
    "rules": ("All rules, exact and trained", list[schemas.RuleEntry]),
    "cultures": ("The cultures that elections can be sampled from", list[schemas.NamedEntry]),
    "welfares": ("The welfares that winners can be scored by", list[schemas.NamedEntry]),
}
PROBLEMS = {
    400: "The body is not JSON, or the host name is not allowed",
    408: "The body did not arrive in time",
    413: "The body is too large",
    415: "The content type is not JSON",
    422: "The request is invalid; the message says why",
    429: "Too many requests at once",
    503: "It took too long",
}

# How many answers to cache that stay the same while the server runs.
KEPT = 256

Handler = Callable[..., Coroutine[Any, Any, Response]]


def create_app(
    limits: ServiceLimits | None = None,
    folders: Sequence[str] = (),
    hosts: Sequence[str] = (),
    log: bool = False,
) -> FastAPI:
    """The service as an ASGI application.

    Args:
        limits: the limits of requests.
        folders: trained rules to serve besides those of the package.
        hosts: host names to accept besides localhost.
        log: whether to log each request to stderr as a JSON line.
    """
    bounds = limits or ServiceLimits()
    pool = Pool(bounds, list(folders))

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        pool.open()
        yield
        await pool.close()

    app = FastAPI(
        title="elect",
        summary="Exact and learned voting rules: send ballots, get winners.",
        version=version("elect"),
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    app.add_middleware(Guard, hosts=hosts, log=log)
    app.add_exception_handler(HTTPException, _refused)
    for folder in ("static", "reference"):
        app.mount(f"/{folder}", StaticFiles(directory=HERE / folder), name=folder)
    _add_pages(app, pool)
    _add_operations(app, pool)
    app.openapi = lambda: _openapi(app)  # type: ignore[method-assign]
    return app


def _add_pages(app: FastAPI, pool: Pool) -> None:
    @app.get("/", include_in_schema=False)
    async def page() -> FileResponse:
        return FileResponse(HERE / "static" / "index.html")

    @app.get("/docs", include_in_schema=False)
    async def docs() -> HTMLResponse:
        return HTMLResponse(reference.render(app.openapi()))

    @app.get("/healthz", summary="Whether the server is ready", tags=["service"])
    async def healthz() -> schemas.Health:
        return schemas.Health(status="ok", version=app.version, **pool.health())


def _add_operations(app: FastAPI, pool: Pool) -> None:
    intake = Intake(pool.limits)
    kept: dict[tuple[str, bytes], Answer] = {}

    async def answer(name: str, body: bytes, request: Request) -> Response:
        found = kept.get((name, body)) or await pool.ask(name, body, partial(_left, request))
        if name in (*GETS, "welfare") and found.status == 200 and len(body) < 10_000:
            kept[name, body] = found
            if len(kept) > KEPT:
                del kept[next(iter(kept))]
        return _response(found)

    def listing(name: str) -> Handler:
        async def handler(request: Request) -> Response:
            return await answer(name, b"", request)

        return handler

    def operation(name: str) -> Handler:
        async def handler(request: Request) -> Response:
            async with intake.reading(request) as body:
                if isinstance(body, Answer):
                    return _response(body)
                return await answer(name, body, request)

        return handler

    refusals: dict[int | str, dict[str, Any]] = {
        status: {"model": schemas.Problem, "description": why} for status, why in PROBLEMS.items()
    }
    for name, (summary, model) in GETS.items():
        app.get(
            f"/v1/{name}",
            summary=summary,
            name=name,
            tags=["catalogue"],
            responses={200: {"model": model}, **{s: refusals[s] for s in (400, 429, 503)}},
        )(listing(name))
    for name, (summary, takes, model) in POSTS.items():
        text = {"content": {"text/plain": {"schema": {"type": "string"}}}}
        content = {"application/json": {"schema": {"$ref": _REF.format(model=takes.__name__)}}}
        app.post(
            f"/v1/{name}",
            summary=summary,
            name=name,
            tags=["elections"],
            response_class=Response,
            responses={200: {"model": model} if model else text, **refusals},
            openapi_extra={"requestBody": {"required": True, "content": content}},
        )(operation(name))


async def _left(request: Request) -> None:
    """Wait until the client has disconnected."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _response(answer: Answer) -> Response:
    headers = {}
    if answer.retry_after is not None:
        headers["Retry-After"] = str(answer.retry_after)
    if answer.filename is not None:
        headers["Content-Disposition"] = f'attachment; filename="{answer.filename}"'
    media = "application/json" if answer.filename is None else "text/plain; charset=utf-8"
    return Response(answer.body, answer.status, headers, media)


async def _refused(request: Request, error: Exception) -> Response:
    """Errors of the framework, with our messages."""
    assert isinstance(error, HTTPException)
    sentences = {
        404: "There is nothing at this address; / is the page, and /docs lists what else there is.",
        405: "This address does not take that method; /docs lists what it takes.",
    }
    sentence = sentences.get(error.status_code, str(error.detail))
    response = _response(problem(error.status_code, sentence))
    response.headers.update(error.headers or {})
    return response


# ---------------------------------------------------------------------- its own description

_REF = "#/components/schemas/{model}"


def _openapi(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI description. The workers parse the bodies, not the framework, so their schemas
    are added here."""
    if app.openapi_schema is None:
        schema = get_openapi(
            title=app.title, version=app.version, summary=app.summary, routes=app.routes
        )
        models = [(takes, "validation") for _, takes, _ in POSTS.values()]
        _, bodies = models_json_schema(models, ref_template=_REF)  # type: ignore[arg-type]
        schema["components"]["schemas"] |= bodies["$defs"]
        app.openapi_schema = schema
    return app.openapi_schema
