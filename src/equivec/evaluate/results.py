"""What every evaluation returns: a frozen dataclass of plain values that JSON can hold.

A long evaluation is a generator: it yields how far it is, and returns its result.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import asdict
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")
# Pieces of work done, and in all.
Step: TypeAlias = tuple[int, int]
Steps: TypeAlias = Generator[Step, None, T]


class Result:
    """The base of the results, which are dataclasses."""

    __slots__ = ()

    def to_json(self) -> dict[str, Any]:
        """The result as JSON has it."""
        return asdict(self)  # type: ignore[call-overload, no-any-return]


def result_of(steps: Steps[T], tell: Callable[[Step], None] = lambda _: None) -> T:
    """What a long evaluation returns; `tell` is told how far it is."""
    while True:
        try:
            tell(next(steps))
        except StopIteration as end:
            result: T = end.value
            return result
