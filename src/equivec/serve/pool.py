"""Threads for heavy work, with a bounded queue: what is too much is refused at once."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from equivec.serve.problems import ServiceError

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

T = TypeVar("T")


class Pool:
    """Work that is awaited; used from one event loop."""

    def __init__(self, name: str, workers: int, waiting: int, seconds: float) -> None:
        self._executor = ThreadPoolExecutor(workers, thread_name_prefix=name)
        self._room = workers + waiting
        self._seconds = seconds
        self._present = 0

    async def run(self, function: Callable[[], T]) -> T:
        """What a function returns, called in a thread."""
        return await self.wait(lambda: self._executor.submit(function))

    def begin(self, function: Callable[[], object]) -> None:
        """Call a function in a thread and do not wait for it."""
        self._executor.submit(function)

    async def wait(self, begin: Callable[[], Future[T]]) -> T:
        """What a piece of work comes to, wherever it is done, if there is room for it.

        It takes its room until it has ended, even when nobody waits any more: a thread cannot be
        stopped. What has not begun by then never begins.
        """
        if self._present >= self._room:
            detail = f"{self._room} requests are waiting already; try again in a second"
            raise ServiceError(503, "Too busy", detail, retry_after=1)
        loop = asyncio.get_running_loop()
        future = begin()
        self._present += 1
        future.add_done_callback(lambda _: loop.call_soon_threadsafe(self._leave))
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), self._seconds)
        except TimeoutError:
            detail = f"this took longer than {self._seconds:g} seconds; ask for less, or later"
            raise ServiceError(503, "Out of time", detail, retry_after=5) from None

    def close(self) -> None:
        """Drop what has not begun, and wait for the rest."""
        self._executor.shutdown(cancel_futures=True)

    def _leave(self) -> None:
        self._present -= 1
