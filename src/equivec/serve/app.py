"""The application: which path is answered by what, in which thread, and behind which gate."""

from __future__ import annotations

import asyncio
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
from equivec.serve.lines import Line
from equivec.serve.metrics import Metrics
from equivec.serve.problems import ServiceError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from equivec.search.index import Index


class Lines:
    """A line for each kind of work, so that none takes the threads of another."""

    def __init__(self, config: ServiceConfig) -> None:
        self.search = Line("search", config.workers, config)
        self.embed = Line("embed", config.workers, config)
        self.write = Line("write", config.writers, config)
        # Checks wait for killable processes.
        self.check = Line("check", config.checks, config)
        self.sympy = Line("sympy", config.checks, config)
        self.probe = Line("probe", 1, config)

    def close(self) -> None:
        """Wait for what is under way."""
        for line in (self.search, self.embed, self.write, self.check, self.sympy, self.probe):
            line.close()


def create_app(index: Index, config: ServiceConfig = DEFAULT_SERVICE) -> FastAPI:
    """The service over an index and its encoder."""
    metrics = Metrics()
    encoder = BatchingEncoder(index.encoder, config.encoder_tokens, metrics.batch)
    answers = Answers(index, encoder, config)
    lines = Lines(config)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        warming = asyncio.ensure_future(lines.check.run(answers.warm_up))
        await lines.search.run(answers.rehearse)
        yield
        warming.cancel()
        # What waits for the judge must end before the judge does.
        for part in (lines, answers, encoder):
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
    _add_probes(app, answers, Readiness(answers, lines.probe, config), metrics)
    _add_api(app, answers, lines)
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
    503: {**_PROBLEM, "description": "Too many requests, out of time, or the index is away."},
}


class Readiness:
    """Whether requests can be answered now: a search is tried, one for all who ask meanwhile."""

    def __init__(self, answers: Answers, line: Line, config: ServiceConfig) -> None:
        self._answers = answers
        self._line = line
        self._seconds = config.ready_seconds
        self._trial: asyncio.Future[None] | None = None

    async def see(self) -> None:
        """Return if so; raise the reason if not, or if it takes too long to tell."""
        if self._trial is None or self._trial.done():
            self._trial = asyncio.ensure_future(self._line.run(self._answers.rehearse))
            # Whoever asked may be gone when it fails.
            self._trial.add_done_callback(lambda trial: trial.cancelled() or trial.exception())
        done, _ = await asyncio.wait({self._trial}, timeout=self._seconds)
        if not done:
            detail = f"a search takes longer than {self._seconds:g} seconds now"
            raise ServiceError(503, "Not ready", detail, retry_after=5)
        self._trial.result()


def _add_probes(app: FastAPI, answers: Answers, readiness: Readiness, metrics: Metrics) -> None:
    @app.get("/healthz", tags=["probes"])
    async def health() -> schemas.Health:
        """Whether the process runs."""
        return schemas.Health()

    @app.get("/readyz", tags=["probes"], responses={503: _REFUSALS[503]})
    async def ready() -> schemas.Readiness:
        """Whether requests can be answered."""
        await readiness.see()
        return schemas.Readiness(
            version=equivec.__version__,
            model=answers.encoder.name,
            expressions=answers.expressions,
            judges=["numeric", "sympy"] if answers.config.sympy else ["numeric"],
        )

    @app.get("/metrics", tags=["probes"], response_class=Response)
    async def show_metrics() -> Response:
        """Counts and durations for Prometheus."""
        return Response(metrics.text(), media_type=prometheus.MEDIA_TYPE)


def _add_api(app: FastAPI, answers: Answers, lines: Lines) -> None:
    router = APIRouter(prefix="/v1", tags=["formulas"], responses=_REFUSALS)

    @router.post("/parse")
    async def parse(request: schemas.ParseRequest) -> schemas.ParseResponse:
        """Read an expression and write it in every format."""
        return await lines.search.run(lambda: answers.parse(request))

    @router.post("/embed")
    async def embed(request: schemas.EmbedRequest) -> schemas.EmbedResponse:
        """Turn expressions into vectors."""
        return await lines.embed.run(lambda: answers.embed(request))

    @router.post("/search")
    async def search(request: schemas.SearchRequest) -> schemas.SearchResponse:
        """Find the expressions equal to a formula, and those that are similar."""
        return await lines.search.run(lambda: answers.search(request))

    @router.post("/equivalents")
    async def equivalents(request: schemas.EquivalentsRequest) -> schemas.EquivalentsResponse:
        """Let the model write a formula in other ways, and judge what it writes."""
        return await lines.write.run(lambda: answers.equivalents(request))

    @router.post("/check")
    async def check(request: schemas.CheckRequest) -> schemas.CheckResponse:
        """Tell whether two formulas are equal."""
        line = lines.sympy if request.judge == "sympy" else lines.check
        return await line.run(lambda: answers.check(request))

    @router.post("/analogy")
    async def analogy(request: schemas.AnalogyRequest) -> schemas.AnalogyResponse:
        """Find what is to y2 as x1 is to y1."""
        return await lines.search.run(lambda: answers.analogy(request))

    @router.get("/map", response_model=schemas.MapResponse)
    async def whole_map() -> Response:
        """Expressions of the index in two dimensions."""
        return Response(drawn, media_type="application/json")

    @router.post("/map")
    async def locate(request: schemas.LocateRequest) -> schemas.LocateResponse:
        """Find a formula and its neighbours on the map."""
        return await lines.search.run(lambda: answers.locate(request))

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
