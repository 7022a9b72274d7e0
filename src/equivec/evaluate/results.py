"""What every evaluation returns: a frozen dataclass of plain values that JSON can hold.

A long evaluation is a generator: it yields how far it is, and returns its result. Results are kept
as JSON, and a file that is read names itself where something is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from equivec.errors import FileFormatError
from equivec.storage.files import read_json

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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


class _Facts(dict[str, Any]):
    """A JSON object that names its file where something is missing."""

    def __init__(self, path: Path, values: Mapping[str, Any]) -> None:
        super().__init__({name: _facts(path, value) for name, value in values.items()})
        self._path = path

    def __missing__(self, name: str) -> Any:
        raise FileFormatError(f"{self._path} is no result of its kind: it has no {name!r}")


def _facts(path: Path, value: Any) -> Any:
    """What a file holds, all objects in it knowing the file."""
    if isinstance(value, dict):
        return _Facts(path, value)
    return [_facts(path, each) for each in value] if isinstance(value, list) else value


@contextmanager
def told_of_kind(place: Path | str) -> Iterator[None]:
    """Says of a place that a result there does not hold what its readers look for."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise FileFormatError(f"{place} has a result that is not of its kind: {error}") from error


def read_result(path: Path) -> dict[str, Any]:
    """The JSON object of a file of results."""
    found = read_json(path)
    if not isinstance(found, dict):
        raise FileFormatError(f"{path} is no result: it holds no JSON object")
    return _Facts(path, found)
