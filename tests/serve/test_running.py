"""The service as processes: where it listens, and workers that are replaced."""

from __future__ import annotations

import resource
import signal
import socket
from dataclasses import dataclass, field

import pytest
import uvicorn

from equivec.serve import running
from equivec.serve.running import Supervisor, listen


def test_clients_may_wait_before_the_service_is_ready_and_answers_are_not_held_back() -> None:
    config = uvicorn.Config("no:app", port=0, log_config=None)
    with listen(config) as listening, socket.create_connection(listening.getsockname()) as client:
        accepted, address = listening.accept()
        assert address == client.getsockname()
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        accepted.close()


def test_as_many_files_may_be_open_as_connections_need(monkeypatch) -> None:
    limits = (1_024, 4_096)
    given = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: limits)
    monkeypatch.setattr(resource, "setrlimit", lambda _, wanted: given.append(wanted))
    for count in (1_000, 2_000, 10_000):
        running._allow_files(count)
    assert given == [(2_000, 4_096), (4_096, 4_096)]


@dataclass(eq=False)
class FakeWorker:
    """A worker and its pipe; who would wait for an answer of it waits for ever."""

    lives: bool = True
    answers: int = 0
    pid: int = 1
    exitcode: int = 1
    sent: list[bytes] = field(default_factory=list)

    @property
    def process(self) -> FakeWorker:
        return self

    @property
    def parent_conn(self) -> FakeWorker:
        return self

    def is_alive(self, timeout: float = 0) -> bool:
        return self.lives and (not timeout or self.poll(timeout))

    def poll(self, timeout: float = 0) -> bool:
        assert self.answers or not timeout, "the supervisor waits for a worker"
        return self.answers > 0

    def ping(self, timeout: float) -> bool:
        return self.poll(timeout)

    def send(self, message: bytes) -> None:
        self.sent.append(message)

    def recv(self) -> bool:
        self.answers -= 1
        return True

    def start(self) -> None:
        pass

    def kill(self) -> None:
        self.lives = False

    def join(self) -> None:
        assert not self.lives


@pytest.fixture
def clock(monkeypatch):
    """A clock that goes on when it is told to."""
    now = [1_000.0]
    monkeypatch.setattr(running.time, "monotonic", lambda: now[0])

    def forward(seconds: float) -> None:
        now[0] += seconds

    return forward


@pytest.fixture
def supervise(monkeypatch, clock):
    """A supervisor of some workers; those that it begins live and do not answer yet."""

    def make(*workers: FakeWorker) -> Supervisor:
        monkeypatch.setattr(signal, "signal", lambda *_: None)
        monkeypatch.setattr(running, "Process", lambda *_: FakeWorker())
        config = uvicorn.Config("no:app", workers=2, timeout_worker_healthcheck=30)
        supervisor = Supervisor(config, sockets=[])
        supervisor.processes = list(workers)
        return supervisor

    return make


def test_a_worker_is_replaced_while_another_has_not_begun_to_answer(supervise) -> None:
    begins, dead = FakeWorker(), FakeWorker(lives=False)
    supervisor = supervise(begins, dead)
    supervisor.keep_subprocess_alive()
    assert supervisor.processes[0] is begins
    assert supervisor.processes[1].lives


def test_all_workers_that_died_are_replaced_at_once(supervise) -> None:
    supervisor = supervise(FakeWorker(lives=False), FakeWorker(lives=False))
    supervisor.keep_subprocess_alive()
    assert [worker.lives for worker in supervisor.processes] == [True, True]


def test_a_worker_that_does_not_answer_for_long_is_replaced(supervise, clock) -> None:
    hangs, lives = FakeWorker(), FakeWorker()
    supervisor = supervise(hangs, lives)
    for _ in range(4):
        supervisor.keep_subprocess_alive()
        lives.answers = 1
        clock(10)
    assert hangs.sent == [b"ping"]
    assert supervisor.processes[0] is not hangs
    assert supervisor.processes[1] is lives


def test_a_worker_that_fails_at_its_start_is_begun_again_but_not_in_a_rush(
    supervise, clock
) -> None:
    supervisor = supervise(FakeWorker(lives=False))
    begun = set()
    for _ in range(12):
        supervisor.keep_subprocess_alive()
        begun.add(supervisor.processes[0])
        supervisor.processes[0].lives = False
        supervisor.processes[0].exitcode = 3
        clock(0.5)
    assert not supervisor.should_exit.is_set()
    assert len(begun) == 3
