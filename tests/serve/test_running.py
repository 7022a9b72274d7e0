"""Connections: patience with those who say nothing, none lost while a request is under way."""

from __future__ import annotations

import asyncio
import socket

import uvicorn
from uvicorn.server import ServerState

from equivec.serve.running import PatientProtocol, listen

REQUEST = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"


class FakeTransport(asyncio.Transport):
    """A connection that goes nowhere."""

    def write(self, data) -> None:
        pass

    def is_closing(self) -> bool:
        return False

    def close(self) -> None:
        pass


def is_on_the_clock(*pieces: bytes) -> list[bool]:
    """Whether the clock runs after connecting and after each piece that is sent."""

    async def answer(scope, receive, send) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    async def connect() -> list[bool]:
        config = uvicorn.Config(answer, log_config=None, ws="none", lifespan="off")
        protocol = PatientProtocol(config, ServerState(), {}, asyncio.get_running_loop())
        protocol.connection_made(FakeTransport())
        found = [protocol._timer is not None]
        for piece in pieces:
            protocol.data_received(piece)
            found.append(protocol._timer is not None)
            while protocol.tasks:
                await asyncio.sleep(0)
        protocol.connection_lost(None)
        return [*found, protocol._timer is not None]

    return asyncio.run(connect())


def test_the_clock_runs_until_a_request_has_begun() -> None:
    assert is_on_the_clock() == [True, False]
    assert is_on_the_clock(b"GET / HT", REQUEST[8:]) == [True, True, False, False]


def test_a_connection_in_use_is_not_on_the_clock() -> None:
    assert is_on_the_clock(REQUEST, REQUEST, b"GET") == [True, False, False, True, False]


def test_clients_may_wait_before_the_service_is_ready_and_answers_are_not_held_back() -> None:
    config = uvicorn.Config("no:app", port=0, log_config=None)
    with listen(config) as listening, socket.create_connection(listening.getsockname()) as client:
        accepted, address = listening.accept()
        assert address == client.getsockname()
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        accepted.close()
