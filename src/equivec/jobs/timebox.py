"""Work that may hang, blow up or die, done in worker processes that are killed when it does.

The limits hold inside C code and from whichever thread the work was handed in. What goes wrong with
a worker is an answer; what the work itself raises comes back to the caller.
"""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from queue import LifoQueue
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from equivec.errors import ConfigError, require_at_least
from equivec.jobs.workers import Failure, Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Self

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """What the work returned, or why there is nothing."""

    value: T | None
    failure: Failure | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeBoxConfig:
    """What a piece of work may cost, and how many are done at once."""

    time_limit: float = 2.0
    memory_limit: int = 2 << 30
    workers: int = 1
    # SymPy's cache only grows: a worker is replaced after this many tasks.
    tasks_per_worker: int = 500

    def __post_init__(self) -> None:
        if not self.time_limit > 0:
            raise ConfigError(f"time_limit must be more than 0 seconds, not {self.time_limit}")
        require_at_least(1, workers=self.workers, tasks_per_worker=self.tasks_per_worker)


# The modules that some box wants: all boxes of a process share one fork server.
_PRELOADED: set[str] = set()


class TimeBox:
    """A pool of killable workers; close it, or use it in a `with` block.

    >>> with TimeBox(TimeBoxConfig(time_limit=20)) as box:
    ...     box.run(abs, -3)
    Answer(value=3, failure=None)
    """

    def __init__(self, config: TimeBoxConfig | None = None, preload: tuple[str, ...] = ()) -> None:
        self.config = config or TimeBoxConfig()
        _PRELOADED.update(preload)
        # A place for each worker; it is empty until there is work, and after a worker is lost.
        self._places: LifoQueue[Worker | None] = LifoQueue()
        for _ in range(self.config.workers):
            self._places.put(None)
        self._workers: set[Worker] = set()
        self._lock = Lock()
        self._is_closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the workers at once; work that is going on has died."""
        with self._lock:
            self._is_closed = True
            for worker in self._workers:
                worker.kill()
        for _ in range(self.config.workers):
            self._retire(self._places.get())
        for _ in range(self.config.workers):
            self._places.put(None)

    def run(self, function: Callable[..., T], *arguments: Any) -> Answer[T]:
        """The answer of one piece of work."""
        place = self._places.get()
        try:
            worker = place = place or self._new_worker()
            worker.give(function, arguments, self.config.time_limit)
            outcome = worker.wait()
            if not outcome.is_value:
                self._forget(worker)
                place = None
        finally:
            if place is not None and place.given >= self.config.tasks_per_worker:
                self._retire(place)
                place = None
            self._places.put(place)
        if outcome.error is not None:
            raise outcome.error
        return Answer(outcome.value, outcome.failure)

    def map(
        self, function: Callable[..., T], many: Iterable[tuple[Any, ...]]
    ) -> Iterator[Answer[T]]:
        """The answers of many pieces of work, in order, all workers busy."""
        with ThreadPoolExecutor(self.config.workers) as threads:
            yield from threads.map(lambda arguments: self.run(function, *arguments), many)

    def _new_worker(self) -> Worker:
        with self._lock:
            if self._is_closed:
                raise RuntimeError("the time box is closed")
            # The fork server keeps what is preloaded, so that replacing a killed worker is quick.
            multiprocessing.get_context("forkserver").set_forkserver_preload(sorted(_PRELOADED))
            worker = Worker("forkserver", self.config.memory_limit)
            self._workers.add(worker)
            return worker

    def _retire(self, worker: Worker | None) -> None:
        if worker is not None:
            worker.stop()
            self._forget(worker)

    def _forget(self, worker: Worker) -> None:
        with self._lock:
            self._workers.discard(worker)
