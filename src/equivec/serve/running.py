"""The service as processes: one, or several that are replaced when they die."""

from __future__ import annotations

import logging
import os
import resource
import socket
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.supervisors import Multiprocess
from uvicorn.supervisors.multiprocess import Process

from equivec.errors import ConfigError, require_at_least
from equivec.serve.app import create_app
from equivec.serve.config import DEFAULT_SERVICE, ServiceConfig
from equivec.serve.connections import Connections, PatientProtocol
from equivec.serve.metrics import SHARED_FOLDER

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastapi import FastAPI

    from equivec.search.index import Index

# A worker that does not answer its supervisor for so long is replaced.
_UNHEALTHY_SECONDS = 30
# One that fails at its start would fail at once again.
_SECONDS_BETWEEN_STARTS = 2.0
# What is quick waits so long for what is slow, each time that it needs the interpreter.
_SWITCH_SECONDS = 0.001
_SPARE_CONNECTIONS = 64
# Other files than connections: of the index, of the model, pipes to the judge's workers.
_SPARE_FILES = 256
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where the service listens, on this machine only unless told otherwise, and as how many."""

    host: str = "127.0.0.1"
    port: int = 8000
    processes: int = 1

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65_535:
            raise ConfigError(f"a port lies between 0 and 65,535, not at {self.port:,}")
        require_at_least(1, workers=self.processes)


@dataclass(frozen=True, slots=True)
class _Application:
    """What each process makes for itself; it travels to them, so it holds no open files."""

    load: Callable[[], Index]
    config: ServiceConfig

    def __call__(self) -> FastAPI:
        sys.setswitchinterval(_SWITCH_SECONDS)
        return create_app(self.load(), self.config)


class Supervisor(Multiprocess):
    """Workers that are replaced when they end or hang; it never waits for one of them."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._asked: dict[Process, float] = {}
        self._began: dict[int, float] = {}

    def keep_subprocess_alive(self) -> None:
        """Replace those that ended or do not answer; none more often than it could start."""
        for place, worker in enumerate(self.processes):
            if self.should_exit.is_set() or self._is_well(worker):
                continue
            worker.kill()
            worker.join()
            now = time.monotonic()
            if now - self._began.get(place, -_SECONDS_BETWEEN_STARTS) < _SECONDS_BETWEEN_STARTS:
                continue
            self._began[place] = now
            self._asked.pop(worker, None)
            _LOG.error("worker %s ended with %s; another begins", worker.pid, worker.exitcode)
            self.processes[place] = Process(self.config, self.sockets)
            self.processes[place].start()

    def _is_well(self, worker: Process) -> bool:
        """Whether a worker lives and has answered lately; it is asked again if it has."""
        if not worker.process.is_alive():
            return False
        now = time.monotonic()
        try:
            while worker.parent_conn.poll():
                worker.parent_conn.recv()
                self._asked.pop(worker, None)
            if worker not in self._asked:
                worker.parent_conn.send(b"ping")
                self._asked[worker] = now
        except (OSError, EOFError):
            return False
        return now - self._asked[worker] < self.config.timeout_worker_healthcheck


def serve(
    load: Callable[[], Index],
    address: Address | None = None,
    config: ServiceConfig = DEFAULT_SERVICE,
    report: Callable[[str], None] = lambda _: None,
) -> None:
    """Answer requests until told to stop; what is in flight then is finished.

    `load` is called in every process, so it must be a function of a module, or a partial of one.
    """
    address = address or Address()
    _allow_files(config.unanswered + _SPARE_CONNECTIONS + _SPARE_FILES)
    settings = _settings(_Application(load, config), address, config)
    # What is wrong with index or model is told here, before there is an address to open.
    if address.processes == 1:
        settings.load()
    else:
        load()
    with listen(settings) as listening:
        host, port = listening.getsockname()[:2]
        report(f"http://{host}:{port}")
        # Ctrl-C has done its work once the server has ended.
        with suppress(KeyboardInterrupt):
            if address.processes == 1:
                uvicorn.Server(settings).run([listening])
            else:
                _supervise(settings, listening)


def _allow_files(count: int) -> None:
    """Let the process open so many files, as far as the system lets it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < count:
        most = count if hard == resource.RLIM_INFINITY else min(count, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def listen(settings: uvicorn.Config) -> socket.socket:
    """A socket at the address of some settings, on which clients may wait already."""
    try:
        listening = settings.bind_socket()
    except SystemExit:
        place = f"{settings.host}:{settings.port}"
        raise ConfigError(f"cannot listen at {place}; choose another with --port") from None
    # Head and body of an answer are two writes; the second must not wait for the client's nod.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    # Whoever comes before the service is ready waits in line, and is not turned away.
    listening.listen(settings.backlog)
    return listening


def _settings(application: _Application, address: Address, config: ServiceConfig) -> uvicorn.Config:
    # Who may say in X-Forwarded-For whose request it is, as uvicorn reads it.
    proxies = os.environ.get("FORWARDED_ALLOW_IPS", "127.0.0.1,::1")
    # Beyond those that are answered a few are open to be refused, and to ask for its health.
    connections = Connections(
        config.unanswered + _SPARE_CONNECTIONS,
        config.connections_per_client,
        frozenset(proxies.split(",")),
    )
    settings: dict[str, Any] = {
        "factory": True,
        "host": address.host,
        "port": address.port,
        "workers": address.processes,
        "http": partial(PatientProtocol, connections),
        "ws": "none",
        "log_level": "warning",
        "access_log": False,
        "server_header": False,
        "timeout_keep_alive": int(config.idle_seconds) or 1,
        "timeout_graceful_shutdown": int(config.grace_seconds) or 1,
        "timeout_worker_healthcheck": _UNHEALTHY_SECONDS,
    }
    return uvicorn.Config(application, **settings)


def _supervise(settings: uvicorn.Config, listening: socket.socket) -> None:
    """Run several processes on one socket, with a folder where they leave their counts."""
    with tempfile.TemporaryDirectory(prefix="equivec-metrics-") as folder:
        os.environ[SHARED_FOLDER] = folder
        Supervisor(settings, sockets=[listening]).run()
