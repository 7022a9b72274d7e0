"""The service on loopback: searches a second, latencies, and memory, beside the library in a loop.

Expressions are drawn by the corpus' sampler. The embedder is the package's; without one, tokens
counted and thrown together at random: then everything but the model is measured.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import cache, partial
from http.client import HTTPConnection
from importlib import import_module
from itertools import islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from benchmarks.timing import Row
from equivec.corpus.sampler import Sampler
from equivec.errors import LimitError
from equivec.expression.prefix import parse_prefix, write_prefix
from equivec.search.index import Index
from equivec.serve.config import ServiceConfig
from equivec.serve.running import Address, serve
from equivec.serve.services import Services

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

_EXPRESSIONS, _QUERIES = 20_000, 400
_CLIENTS = (1, 8, 64)
_EARLY, _LATE, _GROWTH_GOAL = 1_000, 100_000, 1.1
_WIDTH = 256


def service(seed: int) -> Iterator[Row]:
    """Searches a second and their latencies at 1, 8 and 64 clients."""
    with _running(seed) as (url, index, queries, _):
        rate = len(queries) / _seconds(lambda: [index.search(q) for q in queries])
        what = f"searches in {_EXPRESSIONS:,} expressions by {index.encoder.name}"
        for clients in _CLIENTS:
            latencies, seconds = _ask_all(url, "search", queries, clients)
            ours = len(queries) / seconds
            yield Row(
                benchmark="service",
                what=f"{what}, {clients} clients, beside the library in a loop",
                ours=ours,
                alternative=rate,
                unit="searches/s",
                ratio=ours / rate,
            )
            for percent in (50, 99):
                yield Row(
                    benchmark="service",
                    what=f"- p{percent} latency, {clients} clients",
                    ours=1e3 * float(np.percentile(latencies, percent)),
                    unit="ms",
                )


def service_memory(seed: int) -> Iterator[Row]:
    """Memory of the service after many requests, beside that after the first thousand."""
    with _running(seed) as (url, _, queries, process):
        _ask_many(url, queries, _EARLY)
        early = _resident(process)
        _ask_many(url, queries, _LATE - _EARLY)
        late = _resident(process)
    yield Row(
        benchmark="service-memory",
        what=f"after {_LATE:,} requests, beside that after {_EARLY:,}",
        ours=late,
        alternative=early,
        unit="MB",
        ratio=late / early,
        goal=_GROWTH_GOAL,
    )


@contextmanager
def _running(seed: int) -> Iterator[tuple[str, Index, list[str], subprocess.Popen[str]]]:
    """A service over random expressions, the same index in this process, and queries."""
    random = Random(seed)
    texts = list(islice(_expressions(random), _EXPRESSIONS))
    queries = random.sample(texts, _QUERIES)
    with TemporaryDirectory() as folder:
        index = Index.build(texts, _embedder(), Path(folder) / "index")
        command = [sys.executable, "-m", "benchmarks.service", str(Path(folder) / "index")]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
            assert process.stdout is not None
            url = process.stdout.readline().strip()
            try:
                _ask_all(url, "search", queries[:20], 1)
                yield url, index, queries, process
            finally:
                process.terminate()


def _expressions(random: Random) -> Iterator[str]:
    """Random expressions that the service reads."""
    sampler, limits = Sampler(), ServiceConfig().expression
    while True:
        text = write_prefix(sampler.draw(random))
        with suppress(LimitError):
            parse_prefix(text, limits=limits)
            yield text


def _ask_many(url: str, queries: Sequence[str], count: int) -> None:
    """Requests of the three kinds that are asked most, in turns."""
    many = [queries[number % len(queries)] for number in range(count // 3 + 1)]
    for path in ("search", "embed", "parse"):
        _ask_all(url, path, many, 8)


def _ask_all(
    url: str, path: str, queries: Sequence[str], clients: int
) -> tuple[list[float], float]:
    """The latency of each request, asked by so many clients at once, and the seconds in all."""
    local = threading.local()

    def ask(text: str) -> float:
        if not hasattr(local, "connection"):
            local.connection = HTTPConnection(urlsplit(url).netloc, timeout=120)
        started = perf_counter()
        body: dict[str, Any] = {"expressions": [text]} if path == "embed" else {"expression": text}
        headers = {"Content-Type": "application/json"}
        local.connection.request("POST", f"/v1/{path}", json.dumps(body), headers)
        answer = local.connection.getresponse()
        answer.read()
        assert answer.status == 200, answer.status
        return perf_counter() - started

    started = perf_counter()
    with ThreadPoolExecutor(clients) as threads:
        latencies = list(threads.map(ask, queries))
    return latencies, perf_counter() - started


def _seconds(work: Any) -> float:
    started = perf_counter()
    work()
    return perf_counter() - started


def _resident(process: subprocess.Popen[str]) -> float:
    """Megabytes of memory that a process holds."""
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1e3


class _CountedTokens:
    """A stand-in for a model: each token has a random direction."""

    name, width = "counted tokens", _WIDTH

    def encode(self, expressions: Sequence[str], *, normalize: bool = True) -> NDArray[np.float32]:
        rows = [sum(_direction(token) for token in text.split()) for text in expressions]
        vectors = np.array(rows, dtype=np.float32).reshape(len(rows), _WIDTH)
        if normalize:
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors


@cache
def _direction(token: str) -> Any:
    seed = int.from_bytes(token.encode())
    return np.random.default_rng(seed).standard_normal(_WIDTH)


@cache
def _embedder() -> Any:
    try:
        return import_module("equivec.embed").Embedder()
    except ModuleNotFoundError:
        return _CountedTokens()


def _load(folder: str) -> Services:
    return Services(_embedder(), Index.open(folder, _embedder()))


if __name__ == "__main__":
    serve(
        partial(_load, sys.argv[1]),
        Address(port=0),
        # All clients of a benchmark are one.
        ServiceConfig(waiting_per_client=1_000),
        lambda url: print(url, flush=True),
    )
