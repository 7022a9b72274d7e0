"""Time taken side by side, and the rows of the table that it is shown in."""

from __future__ import annotations

import gc
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Generic, TypeVar

from equivec.storage.values import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

T = TypeVar("T")
A = TypeVar("A")
B = TypeVar("B")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row(Record):
    """One measured number, with the alternative's and the goal where there are any."""

    benchmark: str
    what: str
    ours: float
    alternative: float | None = None
    unit: str
    ratio: float | None = None
    goal: float | None = None


@dataclass(frozen=True, slots=True)
class Rows(Record):
    """All rows of a benchmark, as they are kept."""

    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Timed(Generic[A]):
    """What a piece of work returned and how long it took."""

    result: A
    seconds: float


@dataclass(frozen=True, slots=True)
class Bout(Generic[T, A, B]):
    """The same piece of work done by us and by the alternative."""

    work: T
    ours: Timed[A]
    alternative: Timed[B]


def timed(function: Callable[[T], A], work: T) -> Timed[A]:
    """The result of one call and its duration."""
    start = perf_counter()
    result = function(work)
    return Timed(result, perf_counter() - start)


def solo(works: Iterable[T], function: Callable[[T], A]) -> list[Timed[A]]:
    """Every piece of work done once, where there is nobody to take turns with."""
    settle()
    return [timed(function, work) for work in works]


def duel(
    works: Sequence[T],
    ours: Callable[[T], A],
    alternative: Callable[[T], B],
    *,
    stretch: int = 20,
    prepare_alternative: Callable[[], object] = lambda: None,
) -> Iterator[Bout[T, A, B]]:
    """Every piece of work done once by both, in turns: whatever slows the machine slows both.

    A turn is a stretch of several pieces of work, so that neither side starts cold each time.

    >>> [bout.ours.result == bout.alternative.result for bout in duel([-1, 2], abs, abs)]
    [True, True]
    """
    settle()
    for start in range(0, len(works), stretch):
        turn = works[start : start + stretch]
        timings = [timed(ours, work) for work in turn]
        for work, timing in zip(turn, timings, strict=True):
            prepare_alternative()
            yield Bout(work, timing, timed(alternative, work))


def settle() -> None:
    """Keep the garbage collector from walking through what was made before, in either's time."""
    gc.collect()
    gc.freeze()


def typical(timings: Iterable[Timed[A]]) -> float:
    """The median of the durations, in seconds."""
    return median(timing.seconds for timing in timings)
