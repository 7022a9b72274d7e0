"""Connections: patience with those who say nothing, none lost while a request is under way."""

from __future__ import annotations

import asyncio

import uvicorn
from uvicorn.server import ServerState

from equivec.serve.connections import Connections, PatientProtocol

REQUEST = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"


class FakeTransport(asyncio.Transport):
    """A connection that goes nowhere."""

    def __init__(self, address: str = "127.0.0.9") -> None:
        super().__init__({"peername": (address, 50_000)})
        self.is_closed = False

    def write(self, data) -> None:
        pass

    def is_closing(self) -> bool:
        return False

    def close(self) -> None:
        self.is_closed = True


def is_on_the_clock(*pieces: bytes) -> list[bool]:
    """Whether the clock runs after connecting and after each piece that is sent."""

    async def answer(scope, receive, send) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    async def connect() -> list[bool]:
        config = uvicorn.Config(answer, log_config=None, ws="none", lifespan="off")
        others = Connections(10, 10, frozenset())
        protocol = PatientProtocol(others, config, ServerState(), {}, asyncio.get_running_loop())
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


def still_open(most: int, most_of_client: int, *comings: str) -> list[str]:
    """Who is still connected after comings; one who ends in ! has a request under way."""

    async def never(scope, receive, send) -> None:
        await asyncio.Event().wait()

    async def connect() -> list[str]:
        config = uvicorn.Config(never, log_config=None, ws="none", lifespan="off")
        others = Connections(most, most_of_client, frozenset({"127.0.0.1"}))
        transports, protocols = [], []
        for coming in comings:
            transports.append(FakeTransport(coming.rstrip("!")))
            protocol = PatientProtocol(
                others, config, ServerState(), {}, asyncio.get_running_loop()
            )
            protocol.connection_made(transports[-1])
            protocols.append(protocol)
            if coming.endswith("!"):
                protocol.data_received(REQUEST)
        found = [
            coming
            for coming, transport in zip(comings, transports, strict=True)
            if not transport.is_closed
        ]
        for protocol in protocols:
            protocol.connection_lost(None)
            for task in protocol.tasks:
                task.cancel()
        await asyncio.sleep(0)
        assert not others._of
        return found

    return asyncio.run(connect())


ONE, TWO, PROXY = "127.0.0.9", "127.0.0.10", "127.0.0.1"


def test_silent_connections_of_one_client_make_room_for_its_own() -> None:
    assert still_open(100, 3, *[ONE] * 9, TWO) == [ONE] * 3 + [TWO]


def test_one_in_use_is_never_closed() -> None:
    assert still_open(100, 2, f"{ONE}!", f"{ONE}!", ONE, ONE) == [f"{ONE}!", f"{ONE}!", ONE]


def test_who_has_most_connections_makes_room_for_others() -> None:
    assert still_open(4, 100, TWO, *[ONE] * 3, TWO) == [TWO, ONE, ONE, TWO]
    assert still_open(4, 100, TWO, *[f"{ONE}!"] * 3, TWO) == [*[f"{ONE}!"] * 3, TWO]


def test_a_proxy_speaks_for_many_clients() -> None:
    assert still_open(100, 3, *[PROXY] * 9) == [PROXY] * 9
    assert still_open(6, 3, *[PROXY] * 9) == [PROXY] * 6
