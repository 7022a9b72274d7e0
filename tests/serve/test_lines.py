"""Lines before threads: whoever floods waits for himself."""

from __future__ import annotations

import asyncio
import threading

import pytest

from equivec.serve.config import ServiceConfig
from equivec.serve.fairness import CLIENT
from equivec.serve.lines import Line
from equivec.serve.problems import ServiceError


class Gate:
    """Work that waits until it is let through, and remembers who began."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.opened = threading.Event()

    def work(self) -> str:
        self.begun.append(CLIENT.get())
        assert self.opened.wait(60)
        return CLIENT.get()


def ask(line: Line, gate: Gate, *clients: str) -> list[asyncio.Task[str]]:
    """A request of each client, in this order."""

    async def one(client: str) -> str:
        CLIENT.set(client)
        return await line.run(gate.work)

    return [asyncio.ensure_future(one(client)) for client in clients]


async def until(condition) -> None:
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.001)


def with_a_line(check, threads: int = 2, **settings) -> None:
    """Run a check on a line and a gate, in an event loop."""

    async def go() -> None:
        gate = Gate()
        line = Line("test", threads, ServiceConfig(request_seconds=300, **settings))
        try:
            await check(line, gate)
        finally:
            gate.opened.set()
            line.close()

    asyncio.run(go())


def test_who_floods_leaves_a_thread_to_others() -> None:
    async def check(line: Line, gate: Gate) -> None:
        flood = ask(line, gate, *["one"] * 20)
        await until(lambda: gate.begun == ["one"])
        other = ask(line, gate, "another")
        await until(lambda: gate.begun == ["one", "another"])
        gate.opened.set()
        assert await asyncio.gather(*flood, *other) == ["one"] * 20 + ["another"]

    with_a_line(check)


def test_those_who_come_later_do_not_wait_for_a_whole_flood() -> None:
    async def check(line: Line, gate: Gate) -> None:
        flood = ask(line, gate, *["one"] * 20)
        await until(lambda: gate.begun == ["one"])
        others = ask(line, gate, "second", "third")
        await asyncio.sleep(0)
        gate.opened.set()
        await asyncio.gather(*flood, *others)
        assert sorted(gate.begun[:3]) == ["one", "second", "third"]

    with_a_line(check, threads=1)


def test_who_lets_most_wait_makes_room_for_others() -> None:
    async def check(line: Line, gate: Gate) -> None:
        flood = ask(line, gate, *["one"] * 5)
        await until(lambda: gate.begun == ["one"])
        (extra,) = ask(line, gate, "one")
        with pytest.raises(ServiceError, match="4 requests are waiting already") as refusal:
            await extra
        assert (refusal.value.problem.status, refusal.value.retry_after) == (503, 1)
        others = ask(line, gate, "another", "another")
        with pytest.raises(ServiceError, match="4 requests are waiting already"):
            await flood[-1]
        gate.opened.set()
        assert await asyncio.gather(*flood[:-1], *others) == ["one"] * 4 + ["another"] * 2

    with_a_line(check, waiting=4)


def test_who_leaves_while_waiting_never_begins() -> None:
    async def check(line: Line, gate: Gate) -> None:
        first, gone, last = ask(line, gate, "one", "gone", "last")
        await until(lambda: gate.begun == ["one"])
        gone.cancel()
        await asyncio.wait([gone])
        gate.opened.set()
        await asyncio.gather(first, last)
        assert gate.begun == ["one", "last"]

    with_a_line(check, threads=1)


def test_what_fails_fails_for_whoever_asked() -> None:
    async def check(line: Line, gate: Gate) -> None:
        def fail() -> None:
            raise ValueError("no")

        with pytest.raises(ValueError, match="no"):
            await line.run(fail)
        assert await line.run(lambda: 5) == 5

    with_a_line(check)


def test_who_waits_too_long_is_told_so() -> None:
    async def go() -> None:
        gate = Gate()
        line = Line("test", 1, ServiceConfig(request_seconds=0.01))
        with pytest.raises(ServiceError, match=r"longer than 0\.01 seconds") as refusal:
            await line.run(gate.work)
        assert (refusal.value.problem.status, refusal.value.retry_after) == (503, 5)
        gate.opened.set()
        line.close()

    asyncio.run(go())
