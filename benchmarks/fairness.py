"""How long a client waits for its answers while another client floods the service.

The service, the client that asks for little and the client that floods run on one machine, at
three of its addresses. The flood is of one kind at a time, for a bounded number of seconds.
"""

from __future__ import annotations

import json
import os
import socket
import threading
from collections import Counter, defaultdict
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from time import perf_counter, sleep
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from benchmarks.service import running
from benchmarks.timing import Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

# Neither is the address of a proxy, which speaks for many clients.
_CHEAP, _FLOOD = "127.0.0.9", "127.0.0.10"
_SECONDS, _PAUSE = 15.0, 0.02
_BOUND = 250.0  # milliseconds
_SILENT = 1_100
_RENEWED = 5.0

_HARD = " + ".join(f"(sin({n}*x) + cos(x)^{n})^{n}" for n in range(2, 14))
_LONG = " + ".join(f"sin({n}*x)" for n in range(1, 40))
_FORMULAS = ("sin(x)/cos(x)", "a^2 + 2*a*b + b^2", "exp(x)*exp(y)", "1/(1 + exp(-x))", "x + 1")


def fairness(seed: int) -> Iterator[Row]:
    """Times of searches, checks and health checks of one client, for each kind of flood."""
    with running(seed, sympy=True) as (url, _, _, _):
        _ask_for(url, _SECONDS / 5)  # what is slow only once
        yield _row("load average of the machine before", os.getloadavg()[0], "")
        yield from _measured(url, "nobody floods", bound=None)
        for name, flood in _floods(url).items():
            with flood() as ends:
                yield from _measured(url, f"another client floods with {name}")
            if ends:
                yield _row(f"flood of {name}: answered", ends[200], "requests")
                yield _row(f"flood of {name}: refused", ends.total() - ends[200], "requests")


def _floods(url: str) -> Mapping[str, Callable[[], AbstractContextManager[Counter[int]]]]:
    hard = {"left": _HARD, "right": f"({_HARD})*(tan(x) + 1)"}
    texts = [" + ".join(f"sin({n}*x + {m})" for n in range(1, 13)) for m in range(256)]
    return {
        "60 checks by SymPy": lambda: _flood(url, 60, "check", {**hard, "judge": "sympy"}),
        "60 checks": lambda: _flood(url, 60, "check", hard),
        "60 equivalents, 50 beams": lambda: _flood(
            url, 60, "equivalents", {"expression": "sin(x)^2 + x*cos(x)", "k": 50, "beam": 50}
        ),
        "40 embeddings of 256": lambda: _flood(url, 40, "embed", {"expressions": texts}),
        "40 searches for 100": lambda: _flood(
            url, 40, "search", {"expression": "sin(x)^2 + x*cos(x)", "k": 100}
        ),
        "60 parses": lambda: _flood(url, 60, "parse", {"expression": _LONG}),
        f"{_SILENT:,} silent connections": lambda: _silence(url, _SILENT),
    }


def _measured(url: str, when: str, bound: float | None = _BOUND) -> Iterator[Row]:
    seconds, failures = _ask_for(url, _SECONDS)
    for path, some in seconds.items():
        latency = 1e3 * float(np.percentile(some, 99))
        yield Row(
            benchmark="service-fairness",
            what=f"p99 of {path} while {when}",
            ours=latency,
            alternative=bound,
            unit="ms",
            ratio=None if bound is None else bound / latency,
            goal=None if bound is None else 1.0,
        )
    yield _row(f"refused or failed while {when}", failures, "requests")


def _row(what: str, value: float, unit: str) -> Row:
    return Row(benchmark="service-fairness", what=what, ours=value, unit=unit)


def _ask_for(url: str, seconds: float) -> tuple[dict[str, list[float]], int]:
    """The seconds of each answer by path, of one client that asks now and then."""
    found: dict[str, list[float]] = defaultdict(list)
    failures, end, turn = 0, perf_counter() + seconds, 0
    while perf_counter() < end:
        text = _FORMULAS[turn % len(_FORMULAS)]
        turn += 1
        for path, body in (
            ("/v1/search", {"expression": text}),
            ("/v1/check", {"left": text, "right": f"{text} + 0"}),
            ("/healthz", None),
        ):
            started = perf_counter()
            status = _ask(url, _CHEAP, path, body)
            found[path].append(perf_counter() - started)
            failures += status != 200
            sleep(_PAUSE)
    return found, failures


def _ask(url: str, source: str, path: str, body: Any) -> int:
    """The status of one answer over a connection of its own; 0 if there was none."""
    connection = HTTPConnection(urlsplit(url).netloc, timeout=60, source_address=(source, 0))
    try:
        headers = {"Content-Type": "application/json"}
        text = None if body is None else json.dumps(body)
        connection.request("GET" if body is None else "POST", path, text, headers)
        answer = connection.getresponse()
        answer.read()
    except (OSError, HTTPException):
        return 0
    finally:
        connection.close()
    return answer.status


@contextmanager
def _flood(url: str, clients: int, path: str, body: Any) -> Iterator[Counter[int]]:
    """Meanwhile so many threads ask again and again from one address; their statuses."""
    over, ends = threading.Event(), Counter[int]()

    def ask() -> None:
        while not over.is_set():
            status = _ask(url, _FLOOD, f"/v1/{path}", body)
            ends[status] += 1
            if status != 200:
                over.wait(0.5)

    threads = [threading.Thread(target=ask) for _ in range(clients)]
    for thread in threads:
        thread.start()
    sleep(1)
    try:
        yield ends
    finally:
        over.set()
        for thread in threads:
            thread.join()


@contextmanager
def _silence(url: str, count: int) -> Iterator[Counter[int]]:
    """Meanwhile so many connections of one address begin a request and never end it."""
    over = threading.Event()

    def renew(held: Sequence[socket.socket] = ()) -> None:
        while not over.is_set():
            new = [_half_a_request(url) for _ in range(count)]
            for each in held:
                each.close()
            held = new
            over.wait(_RENEWED)
        for each in held:
            each.close()

    thread = threading.Thread(target=renew)
    thread.start()
    sleep(1)
    try:
        yield Counter()
    finally:
        over.set()
        thread.join()


def _half_a_request(url: str) -> socket.socket:
    parts = urlsplit(url)
    connection = socket.create_connection(
        (str(parts.hostname), int(parts.port or 0)), timeout=60, source_address=(_FLOOD, 0)
    )
    connection.sendall(b"GET / HTTP/1.1\r\n")
    return connection
