"""The paper's judge: `simplify(a - b) == 0` by SymPy, in a worker process with a time limit.

SymPy can run for hours, hang inside C code, or eat all memory. A worker that outlives its limit is
killed and replaced, so the limit holds whatever the worker is doing and from whichever thread the
judge is asked. That SymPy does not reach 0 proves nothing; it is how the paper counts a failure.
"""

from __future__ import annotations

import multiprocessing
import resource
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from pebble import ProcessExpired, ProcessPool

from equivec.algebra.points import Domain
from equivec.errors import ConfigError, ConversionError
from equivec.expression.prefix import parse_prefix, write_prefix
from equivec.expression.text import as_tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType
    from typing import Self

    from pebble import ProcessFuture

    from equivec.expression.tree import Node


class SymPyVerdict(StrEnum):
    """How SymPy's attempt can end."""

    EQUAL = "equal"
    NOT_SHOWN = "not shown"
    TIME_LIMIT = "time limit"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class SymPyJudgeConfig:
    """What a comparison by SymPy may cost."""

    time_limit: float = 2.0
    memory_limit: int = 2 << 30
    workers: int = 1
    domain: Domain = Domain.POSITIVE
    tasks_per_worker: int = 500

    def __post_init__(self) -> None:
        if self.time_limit <= 0:
            raise ConfigError(f"time_limit must be more than 0 seconds, not {self.time_limit}")
        if self.workers < 1:
            raise ConfigError(f"workers must be at least 1, not {self.workers}")


class SymPyJudge:
    """Compares expressions through SymPy; close it, or use it in a `with` block.

    >>> with SymPyJudge() as judge:
    ...     judge.compare("sin(x)**2 + cos(x)**2", "1").name
    'EQUAL'
    """

    def __init__(self, config: SymPyJudgeConfig | None = None) -> None:
        self.config = config or SymPyJudgeConfig()
        # A fork server keeps SymPy loaded, so that replacing a killed worker is quick.
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["equivec.algebra.sympy_bridge"])
        self._pool = ProcessPool(
            max_workers=self.config.workers,
            max_tasks=self.config.tasks_per_worker,
            initializer=_limit_memory,
            initargs=[self.config.memory_limit],
            context=context,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop the workers at once."""
        self._pool.stop()  # type: ignore[no-untyped-call]
        self._pool.join()

    def compare(self, left: str | Node, right: str | Node) -> SymPyVerdict:
        """SymPy's word on one pair."""
        return _outcome(self._schedule(left, right))

    def compare_many(
        self, pairs: Iterable[tuple[str | Node, str | Node]]
    ) -> Iterator[SymPyVerdict]:
        """SymPy's word on each pair, in order, all workers busy."""
        futures = [self._schedule(left, right) for left, right in pairs]
        for future in futures:
            yield _outcome(future)

    def _schedule(self, left: str | Node, right: str | Node) -> ProcessFuture[bool]:
        texts = [write_prefix(as_tree(expression)) for expression in (left, right)]
        return self._pool.schedule(
            _is_zero, args=[*texts, self.config.domain.value], timeout=self.config.time_limit
        )


def _outcome(future: ProcessFuture[bool]) -> SymPyVerdict:
    try:
        return SymPyVerdict.EQUAL if future.result() else SymPyVerdict.NOT_SHOWN
    except FutureTimeoutError:
        return SymPyVerdict.TIME_LIMIT
    except (ProcessExpired, MemoryError, RecursionError, ConversionError, _SymPyError):
        return SymPyVerdict.FAILED


class _SymPyError(Exception):
    """Something SymPy raised while it worked."""


def _is_zero(left: str, right: str, domain: str) -> bool:
    """In the worker: whether SymPy simplifies the difference to 0."""
    # Imported here so that the process that asks never has to load SymPy.
    import sympy

    from equivec.algebra.sympy_bridge import to_sympy

    a, b = (to_sympy(parse_prefix(text), Domain(domain)) for text in (left, right))
    try:
        return bool(sympy.simplify(a - b) == 0)
    except (MemoryError, RecursionError):
        raise
    except Exception as error:  # SymPy raises whatever its many algorithms raise.
        raise _SymPyError(f"{type(error).__name__}: {error}") from None


def _limit_memory(limit: int) -> None:
    """In the worker: let a blow-up end in MemoryError instead of taking the machine down."""
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
