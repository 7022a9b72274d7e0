"""The application: which path is answered by what, in which thread, and behind which gate."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, FastAPI, Request, Response
from starlette.middleware.cors import CORSMiddleware

import equivec
from equivec.serve import metrics as prometheus
from equivec.serve import problems, schemas
from equivec.serve.answers import Answers
from equivec.serve.assets import Asset, load_assets
from equivec.serve.batching import BatchingEncoder
from equivec.serve.config import DEFAULT_SERVICE, ServiceConfig
from equivec.serve.guard import Guard
from equivec.serve.metrics import Metrics
from equivec.serve.pool import Pool

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from equivec.search.index import Index


def create_app(index: Index, config: ServiceConfig = DEFAULT_SERVICE) -> FastAPI:
    """The service over an index and its encoder."""
    metrics = Metrics()
    encoder = BatchingEncoder(index.encoder, config.encoder_batch, metrics.batch)
    answers = Answers(index, encoder, config)
    work = Pool("work", config.workers, config.waiting, config.request_seconds)
    # Checks wait for killable processes; whatever hangs there must not keep searches waiting.
    checks = Pool("check", config.checks, config.waiting, config.request_seconds)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        checks.begin(answers.warm_up)
        await work.run(answers.rehearse)
        yield
        # What waits for the judge must end before the judge does.
        for part in (work, checks, answers, encoder):
            part.close()

    app = FastAPI(
        title="equivec",
        summary="Formulas found by meaning: those judged equal, and those that are near.",
        description=_limits(config),
        version=equivec.__version__,
        lifespan=lifespan,
        # Their pages would load scripts from the network.
        docs_url=None,
        redoc_url=None,
    )
    problems.add_handlers(app)
    _add_probes(app, answers, metrics)
    _add_api(app, answers, work, checks)
    _add_page(app)
    _add_gate(app, config, metrics)
    return app


def _limits(config: ServiceConfig) -> str:
    expression = config.expression
    return (
        f"An expression may have {expression.characters:,} characters and {expression.nodes:,} "
        f"nodes, a request {config.body_bytes:,} bytes. At most {config.most_expressions:,} "
        f"expressions are embedded at a time, {config.most_hits:,} hits given, and "
        f"{config.widest_beam:,} beams searched. Beyond that a request is refused with 413 or 422; "
        "with 429 or 503 when there are too many of them."
    )


_PROBLEM = {"model": problems.Problem, "content": {problems.MEDIA_TYPE: {}}}
_REFUSALS: dict[int | str, dict[str, Any]] = {
    400: {**_PROBLEM, "description": "The body is not JSON."},
    401: {**_PROBLEM, "description": "The API key is missing or wrong."},
    408: {**_PROBLEM, "description": "The request did not arrive in time."},
    413: {**_PROBLEM, "description": "The request is too large."},
    415: {**_PROBLEM, "description": "The body is not said to be JSON."},
    422: {**_PROBLEM, "description": "Not an expression, or a value out of range."},
    429: {**_PROBLEM, "description": "Too many requests of one client."},
    503: {**_PROBLEM, "description": "Too many requests, or out of time."},
}


def _add_probes(app: FastAPI, answers: Answers, metrics: Metrics) -> None:
    @app.get("/healthz", tags=["probes"])
    async def health() -> schemas.Health:
        """Whether the process runs."""
        return schemas.Health()

    @app.get("/readyz", tags=["probes"])
    async def readiness() -> schemas.Readiness:
        """Whether requests can be answered."""
        return schemas.Readiness(
            version=equivec.__version__,
            model=answers.encoder.name,
            expressions=answers.expressions,
        )

    @app.get("/metrics", tags=["probes"], response_class=Response)
    async def show_metrics() -> Response:
        """Counts and durations for Prometheus."""
        return Response(metrics.text(), media_type=prometheus.MEDIA_TYPE)


def _add_api(app: FastAPI, answers: Answers, work: Pool, checks: Pool) -> None:
    router = APIRouter(prefix="/v1", tags=["formulas"], responses=_REFUSALS)

    @router.post("/parse")
    async def parse(request: schemas.ParseRequest) -> schemas.ParseResponse:
        """Read an expression and write it in every format."""
        return answers.parse(request)

    @router.post("/embed")
    async def embed(request: schemas.EmbedRequest) -> schemas.EmbedResponse:
        """Turn expressions into vectors."""
        if sum(map(len, request.expressions)) > answers.config.expression.characters:
            return await work.run(lambda: answers.embed(request))
        # Few are read here and need no thread: so many such requests can share one encoder call.
        trees = answers.trees(request)
        vectors = await work.wait(
            lambda: answers.encoder.submit(trees, normalize=request.normalize)
        )
        return answers.embedded(vectors)

    @router.post("/search")
    async def search(request: schemas.SearchRequest) -> schemas.SearchResponse:
        """Find the expressions equal to a formula, and those that are similar."""
        return await work.run(lambda: answers.search(request))

    @router.post("/equivalents")
    async def equivalents(request: schemas.EquivalentsRequest) -> schemas.EquivalentsResponse:
        """Let the model write a formula in other ways, and judge what it writes."""
        return await work.run(lambda: answers.equivalents(request))

    @router.post("/check")
    async def check(request: schemas.CheckRequest) -> schemas.CheckResponse:
        """Tell whether two formulas are equal."""
        return await checks.run(lambda: answers.check(request))

    @router.post("/analogy")
    async def analogy(request: schemas.AnalogyRequest) -> schemas.AnalogyResponse:
        """Find what is to y2 as x1 is to y1."""
        return await work.run(lambda: answers.analogy(request))

    @router.get("/map", response_model=schemas.MapResponse)
    async def whole_map() -> Response:
        """Expressions of the index in two dimensions."""
        return Response(drawn, media_type="application/json")

    @router.post("/map")
    async def locate(request: schemas.LocateRequest) -> schemas.LocateResponse:
        """Find a formula and its neighbours on the map."""
        return await work.run(lambda: answers.locate(request))

    drawn = answers.whole_map().model_dump_json()
    app.include_router(router)


def _add_page(app: FastAPI) -> None:
    for path, asset in load_assets().items():
        app.add_api_route(path, _sender(asset), methods=["GET"], include_in_schema=False)


def _sender(asset: Asset) -> Any:
    async def send(request: Request) -> Response:
        headers = {"ETag": asset.tag, "Cache-Control": "no-cache"}
        if request.headers.get("if-none-match") == asset.tag:
            return Response(status_code=304, headers=headers)
        return Response(asset.content, media_type=asset.media_type, headers=headers)

    return send


def _add_gate(app: FastAPI, config: ServiceConfig, metrics: Metrics) -> None:
    """The gate stands outside; what it refuses, pages of other origins may still read."""
    paths = frozenset([*app.openapi()["paths"], *load_assets()])
    app.add_middleware(Guard, config=config, metrics=metrics, paths=paths)
    if config.allowed_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(config.allowed_origins),
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type", "X-API-Key"],
        )
