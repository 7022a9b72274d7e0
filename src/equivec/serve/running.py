"""The service as processes: one, or several that are replaced when they die."""

from __future__ import annotations

import os
import socket
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.supervisors import Multiprocess

from equivec.errors import ConfigError, require_at_least
from equivec.serve.app import create_app
from equivec.serve.config import DEFAULT_SERVICE, ServiceConfig
from equivec.serve.metrics import SHARED_FOLDER

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from fastapi import FastAPI

    from equivec.search.index import Index

# A worker that does not answer its supervisor for so long is replaced.
_UNHEALTHY_SECONDS = 30


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
        return create_app(self.load(), self.config)


class PatientProtocol(H11Protocol):
    """HTTP whose patience ends: whoever connects must send the head of a request in time."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the clock."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Stop the clock when a request has begun; start it when a part of one has come."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        super().connection_lost(exc)
        self._stop()

    def _watch(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop()
        elif self._timer is None:
            self._timer = self.loop.call_later(self.timeout_keep_alive, self.transport.close)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


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
    settings: dict[str, Any] = {
        "factory": True,
        "host": address.host,
        "port": address.port,
        "workers": address.processes,
        "http": PatientProtocol,
        "ws": "none",
        "log_level": "warning",
        "access_log": False,
        "server_header": False,
        "limit_concurrency": config.connections,
        "timeout_keep_alive": int(config.idle_seconds) or 1,
        "timeout_graceful_shutdown": int(config.grace_seconds) or 1,
        "timeout_worker_healthcheck": _UNHEALTHY_SECONDS,
    }
    return uvicorn.Config(application, **settings)


def _supervise(settings: uvicorn.Config, listening: socket.socket) -> None:
    """Run several processes on one socket, with a folder where they leave their counts."""
    with tempfile.TemporaryDirectory(prefix="equivec-metrics-") as folder:
        os.environ[SHARED_FOLDER] = folder
        Multiprocess(settings, sockets=[listening]).run()
