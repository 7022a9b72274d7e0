"""Threads for one kind of heavy work, before which clients wait in a fair and bounded line."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from equivec.serve.fairness import CLIENT, FairQueue
from equivec.serve.problems import ServiceError

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from equivec.serve.config import ServiceConfig

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class _Work:
    function: Callable[[], object]
    answer: asyncio.Future[Any]


class Line:
    """Work of one kind that is awaited; used from one event loop.

    One client has at most half of the threads, so that others need not wait until it is done.
    """

    def __init__(self, kind: str, threads: int, config: ServiceConfig) -> None:
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix=kind)
        self._queue = FairQueue[_Work](at_once=max(1, threads // 2))
        self._free = threads
        self._config = config

    async def run(self, function: Callable[[], T]) -> T:
        """What a function returns, called in a thread when its client's turn has come.

        What has not begun when nobody waits for it any more never begins; what has begun keeps its
        thread, since a thread cannot be stopped.
        """
        client, seconds = CLIENT.get(), self._config.request_seconds
        self._make_room(client)
        answer = asyncio.get_running_loop().create_future()
        work = _Work(partial(copy_context().run, function), answer)
        self._queue.put(client, work)
        self._begin()
        try:
            found: T = await asyncio.wait_for(answer, seconds)
        except TimeoutError:
            detail = f"this took longer than {seconds:g} seconds; ask for less, or later"
            raise ServiceError(503, "Out of time", detail, retry_after=5) from None
        finally:
            self._queue.drop(client, work)
        return found

    def close(self) -> None:
        """Wait for what is under way."""
        self._executor.shutdown()

    def _make_room(self, client: str) -> None:
        """Refuse somebody if too many wait: whoever lets most wait."""
        if len(self._queue) < self._config.waiting:
            return
        detail = f"{len(self._queue)} requests are waiting already; try again in a second"
        refusal = ServiceError(503, "Too busy", detail, retry_after=1)
        dropped = self._queue.drop_newest_of_most(client)
        if dropped is None:
            raise refusal
        dropped.answer.set_exception(refusal)

    def _begin(self) -> None:
        while self._free and (turn := self._queue.take()) is not None:
            self._start(*turn)

    def _start(self, client: str, work: _Work) -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()

        def end(done: Future[object]) -> None:
            self._free += 1
            self._queue.done(client, loop.time() - began)
            _settle(work.answer, done)
            self._begin()

        self._free -= 1
        future = self._executor.submit(work.function)
        future.add_done_callback(lambda done: loop.call_soon_threadsafe(end, done))


def _settle(answer: asyncio.Future[Any], done: Future[object]) -> None:
    """Tell whoever still waits how work has ended."""
    if answer.done():
        return
    error = done.exception()
    if error is None:
        answer.set_result(done.result())
    else:
        answer.set_exception(error)
