"""Strangers: whoever hangs, floods, sends too much or leaves, the service answers the others."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from itertools import islice
from pathlib import Path

import pytest

from support.services import Running, begun, no_equivalents, running

SEARCH = {"expression": "sin(x)/cos(x)"}
HEAD = b"POST /v1/search HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\n"
HALF = HEAD + b'Content-Length: 30\r\n\r\n{"expression":'


@pytest.fixture(scope="module")
def service(folder):
    with running(
        folder,
        writers=2,
        waiting=4,
        body_seconds=300,
        idle_seconds=300,
        request_seconds=300,
        judge_seconds=60,
        ready_seconds=300,
    ) as service:
        yield service


@pytest.fixture(scope="module")
def hasty(folder):
    """A service without patience: on a busy machine those who behave may be too slow for it."""
    with running(folder, body_seconds=1, idle_seconds=5, check_seconds=1, sympy=True) as service:
        yield service


def answers_others(service: Running) -> bool:
    status, answer = service.ask("/v1/search", SEARCH)
    return status == 200 and answer["hits"][0]["verdict"]["relation"] == "EQUAL"


def read_all(connection) -> bytes:
    parts = []
    with connection, suppress(ConnectionResetError):
        while part := connection.recv(65_536):
            parts.append(part)
    return b"".join(parts)


def count(service: Running, path: str, status: int) -> float:
    text = service.ask("/metrics")[1]
    found = re.search(rf'requests_total{{path="{path}",status="{status}"}} (\S+)', text)
    return float(found[1]) if found else 0


def wait_for(condition) -> None:
    for _ in range(600):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("it never came to be")


def test_clients_that_hang_keep_nobody_waiting(service) -> None:
    connections = [service.send(part) for part in (b"", b"POST /v1/sea", HEAD, HALF)]
    assert answers_others(service)
    for connection in connections:
        connection.close()


def test_a_client_that_never_sends_a_request_is_hung_up_on(hasty) -> None:
    connections = [hasty.send(part) for part in (b"", b"POST /v1/sea", HEAD)]
    assert [read_all(each) for each in connections] == [b"", b"", b""]


def test_a_client_that_hangs_in_the_middle_of_a_body_is_told_so(hasty) -> None:
    answer = read_all(hasty.send(HALF))
    assert answer.startswith(b"HTTP/1.1 408")
    assert b"did not arrive within 1 seconds" in answer


def test_a_second_request_that_is_never_finished_ends_too(hasty) -> None:
    connection = hasty.send(b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\nGET /heal")
    assert read_all(connection).startswith(b"HTTP/1.1 200")


def test_ten_megabytes_are_refused_before_they_are_read(service) -> None:
    before = count(service, "/v1/search", 413)
    connection = service.send(HEAD + b"Content-Length: 10000000\r\n\r\n")
    assert read_all(connection).startswith(b"HTTP/1.1 413")
    connection = service.send(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
    with suppress(OSError):
        for _ in range(100):
            connection.sendall(b"186a0\r\n" + b" " * 100_000 + b"\r\n")
    connection.close()
    wait_for(lambda: count(service, "/v1/search", 413) == before + 2)
    assert answers_others(service)


def test_a_flood_is_refused_and_what_was_accepted_is_answered(service, folder) -> None:
    with ThreadPoolExecutor(40) as threads:
        with no_equivalents(folder):
            body = {"expression": "x"}
            asked = [threads.submit(service.ask, "/v1/equivalents", body) for _ in range(40)]
            refused = [each.result() for each in islice(as_completed(asked, timeout=60), 35)]
        statuses = sorted(each.result()[0] for each in asked)
    assert statuses == [200] * 5 + [503] * 35
    for status, refusal in refused:
        assert status == 503
        assert refusal["detail"] == "4 requests are waiting already; try again in a second"
    assert answers_others(service)


def test_who_floods_one_kind_of_work_keeps_nobody_from_it(service, folder) -> None:
    with ThreadPoolExecutor(8) as threads, no_equivalents(folder):
        flood = [
            threads.submit(service.ask, "/v1/equivalents", {"expression": "x"}, 60, "127.0.0.9")
            for _ in range(4)
        ]
        wait_for(lambda: "x" in begun(folder))
        body = {"expression": "exp y"}
        other = threads.submit(service.ask, "/v1/equivalents", body, 60, "127.0.0.10")
        # Nobody of the flood has been answered yet.
        wait_for(lambda: "exp y" in begun(folder))
        assert not any(each.done() for each in flood)
    assert [each.result()[0] for each in [*flood, other]] == [200] * 5


def test_no_kind_of_work_takes_the_threads_of_another(service, folder) -> None:
    with ThreadPoolExecutor(8) as threads, no_equivalents(folder):
        floods = [
            threads.submit(
                service.ask, "/v1/equivalents", {"expression": "x"}, 60, f"127.0.0.{number % 4 + 9}"
            )
            for number in range(6)
        ]
        assert answers_others(service)
        for path, body in {
            "embed": {"expressions": ["x"]},
            "parse": {"expression": "x"},
            "check": {"left": "x", "right": "x"},
        }.items():
            assert service.ask(f"/v1/{path}", body)[0] == 200
        assert service.ask("/readyz")[0] == 200
        assert not any(each.done() for each in floods)
    assert [each.result()[0] for each in floods] == [200] * 6


def test_checks_by_sympy_keep_nobody_from_a_check(folder) -> None:
    hard = " + ".join(f"(sin({n}*x) + cos(x)^{n})^{n}" for n in range(2, 14))
    body = {"left": hard, "right": f"({hard})*(tan(x) + 1)", "judge": "sympy"}
    easy = {"left": "x + x", "right": "2*x"}
    with running(folder, check_seconds=15, request_seconds=300, sympy=True) as service:
        content = json.dumps(body).encode()
        head = HEAD.replace(b"search", b"check") + b"Content-Length: %d\r\n\r\n" % len(content)
        flood = [service.send(head + content, "127.0.0.9") for _ in range(5)]
        for judge in ("numeric", "sympy"):
            status, answer = service.ask("/v1/check", {**easy, "judge": judge}, 60, "127.0.0.10")
            assert (status, answer["verdict"]["relation"]) == (200, "EQUAL")
        for each in flood:
            each.close()


def test_silent_connections_keep_nobody_out(folder) -> None:
    with running(folder, unanswered=10, idle_seconds=300, judge_seconds=60) as service:
        flood = [service.send(b"GET / HTTP/1.1\r\n", "127.0.0.9") for _ in range(200)]
        assert service.ask("/healthz", source="127.0.0.10")[0] == 200
        assert service.ask("/healthz", source="127.0.0.9")[0] == 200
        assert answers_others(service)
        for each in flood:
            each.close()


def test_health_is_told_when_no_more_requests_are_taken(folder) -> None:
    with (
        running(folder, unanswered=2, ready_seconds=300, request_seconds=300) as service,
        ThreadPoolExecutor(2) as threads,
        no_equivalents(folder),
    ):
        for source in ("127.0.0.9", "127.0.0.10"):
            threads.submit(service.ask, "/v1/equivalents", {"expression": "x"}, 60, source)
        wait_for(lambda: len(begun(folder)) == 2)
        assert service.ask("/v1/search", SEARCH)[0] == 503
        refusal = read_all(service.send(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"))
        assert refusal.startswith(b"HTTP/1.1 503")
        assert b"application/problem+json" in refusal
        assert b"retry-after: 1" in refusal.lower()
        assert service.ask("/healthz")[0] == 200
        assert service.ask("/readyz")[0] == 200


def test_who_leaves_while_waiting_is_not_worked_for(service, folder) -> None:
    body = b'{"expression":"x"}'
    head = HEAD.replace(b"search", b"equivalents") + b"Content-Length: %d\r\n\r\n" % len(body)
    before = count(service, "/v1/equivalents", 499)
    with no_equivalents(folder):
        connections = [service.send(head + body) for _ in range(5)]
        for connection in connections:
            connection.close()
        wait_for(lambda: count(service, "/v1/equivalents", 499) == before + 5)
    # All places are free again, or will be once the work that had begun is done.
    wait_for(lambda: service.ask("/v1/equivalents", {"expression": "x", "k": 1})[0] == 200)
    assert answers_others(service)


def test_a_check_that_takes_too_long_is_killed(hasty) -> None:
    hard = " + ".join(f"(sin({n}*x) + cos(x)^{n})^{n}" for n in range(2, 14))
    status, answer = hasty.ask(
        "/v1/check", {"left": hard, "right": f"({hard})*(tan(x) + 1)", "judge": "sympy"}
    )
    assert (status, answer["verdict"]["relation"]) == (200, "TIME_LIMIT")
    assert answer["verdict"]["sentence"] == (
        "time limit over the reals (SymPy was stopped after 1 s)"
    )
    easy = {"left": "x + x", "right": "2*x", "judge": "sympy"}
    wait_for(lambda: hasty.ask("/v1/check", easy)[1]["verdict"]["relation"] == "EQUAL")


def children_of(service: Running) -> list[int]:
    task = Path(f"/proc/{service.process.pid}/task/{service.process.pid}/children")
    return [int(pid) for pid in task.read_text().split()]


def test_a_killed_worker_is_replaced(folder) -> None:
    with running(folder, processes=2, judge_seconds=60, request_seconds=300) as service:
        workers = serving(service)
        assert len(workers) == 2
        os.kill(workers[0], signal.SIGKILL)
        assert answers_others(service)
        wait_for(lambda: len(serving(service)) == 2 and workers[0] not in serving(service))
        service.wait_until_ready()
        assert all(answers_others(service) for _ in range(10))
        assert "equivec_requests_total" in service.ask("/metrics")[1]


def serving(service: Running) -> list[int]:
    """The worker processes, as far as they have started."""
    found = []
    for pid in children_of(service):
        with suppress(FileNotFoundError, ProcessLookupError):
            if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(pid)
    return found
