"""The service on loopback: searches a second, latencies, and memory, beside the library in a loop.

Expressions are drawn by the corpus' sampler; their index is kept in the cache, since the model
takes longer to make it than to be measured.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from http.client import HTTPConnection
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
from equivec.embed import Embedder
from equivec.embed.encoder import vectors_of
from equivec.errors import LimitError
from equivec.expression.prefix import parse_prefix, write_prefix
from equivec.search.default import default_index
from equivec.search.index import Index
from equivec.serve.config import ServiceConfig
from equivec.serve.running import Address, serve

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_EXPRESSIONS, _QUERIES = 100_000, 1_000
_CLIENTS = (1, 8, 64)
_PROCESSES = 2
_EARLY, _LATE, _GROWTH_GOAL = 1_000, 100_000, 1.1
EMBEDDED = "expressions embedded in bulk by the default model"
# What the eye takes for at once, in milliseconds.
_AT_ONCE = 100.0


def service(seed: int) -> Iterator[Row]:
    """Searches a second and their latencies at 1, 8 and 64 clients, of one process and of two."""
    with running(seed) as (url, index, queries, _):
        embedding = _seconds(lambda: vectors_of(index.encoder, queries))
        yield Row(
            benchmark="service",
            what=EMBEDDED,
            ours=len(queries) / embedding,
            unit="expressions/s",
        )
        what = f"searches in {_EXPRESSIONS:,} expressions"
        first, _ = _ask_all(url, "search", queries[:1], 1)
        yield _beside_the_bound(f"first of the {what} after the start", 1e3 * first[0])
        _ask_all(url, "search", queries[:20], 1)
        rate = len(queries) / _seconds(lambda: [index.search(q) for q in queries])
        for clients in _CLIENTS:
            yield from _load(url, queries, rate, clients, f"{clients} clients")
    with running(seed, processes=_PROCESSES) as (url, _, queries, _):
        _ask_all(url, "search", queries[:100], 8)
        for clients in _CLIENTS[1:]:
            named = f"{clients} clients, {_PROCESSES} processes"
            yield from _load(url, queries, rate, clients, named)


def _load(url: str, queries: Sequence[str], rate: float, clients: int, named: str) -> Iterator[Row]:
    """Searches a second beside those of the library in a loop, and latencies."""
    latencies, seconds = _ask_all(url, "search", queries, clients)
    ours = len(queries) / seconds
    yield Row(
        benchmark="service",
        what=f"searches in {_EXPRESSIONS:,} expressions, {named}, beside the library in a loop",
        ours=ours,
        alternative=rate,
        unit="searches/s",
        ratio=ours / rate,
    )
    for percent in (50, 99):
        latency, what = 1e3 * float(np.percentile(latencies, percent)), f"p{percent} latency"
        if clients == 1:
            bound = "beside what the eye takes for at once"
            yield _beside_the_bound(f"{what}, {named}, {bound}", latency)
        else:
            yield Row(benchmark="service", what=f"{what}, {named}", ours=latency, unit="ms")


def _beside_the_bound(what: str, milliseconds: float) -> Row:
    return Row(
        benchmark="service",
        what=what,
        ours=milliseconds,
        alternative=_AT_ONCE,
        unit="ms",
        ratio=_AT_ONCE / milliseconds,
        goal=1.0,
    )


def service_memory(seed: int) -> Iterator[Row]:
    """Memory of the service after many requests, beside that after the first thousand."""
    with running(seed) as (url, _, queries, process):
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
def running(
    seed: int, processes: int = 1, **settings: Any
) -> Iterator[tuple[str, Index, list[str], subprocess.Popen[str]]]:
    """A service over random expressions, the same index in this process, and queries."""
    random = Random(seed)
    texts = list(islice(_expressions(random), _EXPRESSIONS))
    queries = random.sample(texts, _QUERIES)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "expressions.txt"
        file.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
        index = default_index(Embedder(), file)
    given = (index.info().where, str(processes), json.dumps(settings))
    command = [sys.executable, "-m", "benchmarks.service", *given]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        try:
            _ask_all(url, "parse", queries[:1], 1)
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
    local, sources = threading.local(), iter(range(2, 255))

    def ask(text: str) -> float:
        if not hasattr(local, "connection"):
            # Each client has an address of its own: all of this machine.
            source = (f"127.0.0.{next(sources)}", 0)
            local.connection = HTTPConnection(
                urlsplit(url).netloc, timeout=120, source_address=source
            )
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


def _index(folder: str) -> Index:
    return Index.open(folder, Embedder())


if __name__ == "__main__":
    serve(
        partial(_index, sys.argv[1]),
        Address(port=0, processes=int(sys.argv[2])),
        ServiceConfig(**json.loads(sys.argv[3])),
        lambda url: print(url, flush=True),
    )
