"""What every evaluation returns: a frozen dataclass of plain values that JSON can hold.

A long evaluation is a generator: it yields how far it is, and returns its result. A result is
written and read back by its own class.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from equivec.storage.values import Record

if TYPE_CHECKING:
    from collections.abc import Iterable

T = TypeVar("T")
DATA = files("equivec.evaluate") / "data"  # the committed sets
# Pieces of work done, and in all.
Step: TypeAlias = tuple[int, int]
Steps: TypeAlias = Generator[Step, None, T]


class Result(Record):
    """The base of the results, which are dataclasses."""

    __slots__ = ()

    def sentences(self) -> Iterable[str]:
        """What a command prints of the result."""
        return ()


@dataclass(frozen=True, slots=True)
class ModelResult(Result):
    """A result of one model."""

    model: str


def result_of(steps: Steps[T], tell: Callable[[Step], None] = lambda _: None) -> T:
    """What a long evaluation returns; `tell` is told how far it is."""
    while True:
        try:
            tell(next(steps))
        except StopIteration as end:
            result: T = end.value
            return result
