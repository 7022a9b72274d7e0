"""Work that may hang, blow up or die, done in worker processes that are killed when it does.

A worker that outlives its time limit is killed and replaced, so the limit holds inside C code and
from whichever thread the work was handed in. What goes wrong with the worker is an outcome; what
the work itself raises comes back to the caller.
"""

from __future__ import annotations

import multiprocessing
import resource
from concurrent.futures import TimeoutError as FutureTimeoutError
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from enum import StrEnum
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pebble import ProcessExpired, ProcessPool

from equivec.errors import ConfigError, require_at_least

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Self

    from pebble import ProcessFuture

T = TypeVar("T")


class Failure(StrEnum):
    """What can go wrong with a worker."""

    TIME_LIMIT = "time limit"
    MEMORY_LIMIT = "memory limit"
    DIED = "worker died"


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
    # SymPy's cache only grows: a worker is replaced after so many tasks.
    tasks_per_worker: int = 500

    def __post_init__(self) -> None:
        if not self.time_limit > 0:
            raise ConfigError(f"time_limit must be more than 0 seconds, not {self.time_limit}")
        require_at_least(1, workers=self.workers)


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
        # A fork server keeps what is preloaded, so that replacing a killed worker is quick.
        self._context = multiprocessing.get_context("forkserver")
        _PRELOADED.update(preload)
        self._context.set_forkserver_preload(sorted(_PRELOADED))
        self._pool = self._new_pool()
        self._is_closed = False
        self._lock = Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the workers at once."""
        with self._lock:
            self._is_closed = True
            _stop(self._pool)

    def run(self, function: Callable[..., T], *arguments: Any) -> Answer[T]:
        """The answer of one piece of work."""
        return _answer(self._schedule(function, arguments))

    def map(
        self, function: Callable[..., T], many: Iterable[tuple[Any, ...]]
    ) -> Iterator[Answer[T]]:
        """The answers of many pieces of work, in order, all workers busy."""
        futures = [self._schedule(function, arguments) for arguments in many]
        for future in futures:
            yield _answer(future)

    def _schedule(self, function: Callable[..., T], arguments: tuple[Any, ...]) -> ProcessFuture[T]:
        limit = self.config.time_limit
        with self._lock:
            try:
                return self._pool.schedule(function, list(arguments), timeout=limit)
            except RuntimeError:
                if self._is_closed:
                    raise
            # A pool whose workers died while they had nothing to do takes no more work.
            _stop(self._pool)
            self._pool = self._new_pool()
            return self._pool.schedule(function, list(arguments), timeout=limit)

    def _new_pool(self) -> ProcessPool:
        return ProcessPool(
            max_workers=self.config.workers,
            max_tasks=self.config.tasks_per_worker,
            initializer=_limit_memory,
            initargs=[self.config.memory_limit],
            context=self._context,
        )


def _stop(pool: ProcessPool) -> None:
    pool.stop()  # type: ignore[no-untyped-call]
    pool.join()


def _answer(future: ProcessFuture[T]) -> Answer[T]:
    try:
        return Answer(future.result())
    except FutureTimeoutError:
        return Answer(None, Failure.TIME_LIMIT)
    except MemoryError:
        return Answer(None, Failure.MEMORY_LIMIT)
    except (ProcessExpired, BrokenProcessPool):
        return Answer(None, Failure.DIED)


def _limit_memory(limit: int) -> None:
    """In the worker: let a blow-up end in MemoryError instead of taking the machine down."""
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
