"""Values in JSON files: frozen dataclasses, written field by field and read back with checks.

A class whose values are kept derives from `Record`. The same class writes and reads them: every
field is checked by its annotation, and an error names the file and the field. A field that a file
lacks has its default; fields of a file that the class does not know are ignored, so that several
records can share a JSON object.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from equivec.errors import FileFormatError
from equivec.storage.files import read_json

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

R = TypeVar("R", bound="Record")
_WORDS: Mapping[Any, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    NoneType: "null",
    tuple: "a list",
    Mapping: "an object",
}


class Record:
    """The base of the dataclasses that JSON files hold."""

    __slots__ = ()

    def to_json(self) -> dict[str, Any]:
        """The record as a JSON object."""
        kind: Any = type(self)
        names = {each: name for each, (name, *_) in _fields(kind).items()}
        return {name: _plain(getattr(self, each)) for each, name in names.items()}


@dataclass(frozen=True, slots=True)
class InJson:
    """Another name of a field in JSON, as in Annotated[int, InJson("number of rows")]."""

    name: str


def read_record(path: Path, kind: type[R]) -> R:
    """The record that a JSON file holds; .gz is uncompressed."""
    return record_from(read_json(path), kind, path)


def read_records(path: Path, kind: type[R]) -> tuple[R, ...]:
    """The records of a file that holds a list of them."""
    found = read_json(path)
    if not isinstance(found, list):
        raise FileFormatError(f"{path} is not a list of rows")
    return tuple(_record(row, kind, _Place(path, f"row {n}")) for n, row in enumerate(found, 1))


def record_from(found: Any, kind: type[R], path: Path | str) -> R:
    """The record that a JSON value holds; errors name the path.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Score(Record):
    ...     model: str
    ...     shares: tuple[float, ...]
    >>> Score("default", (0.5, 1.0)).to_json()
    {'model': 'default', 'shares': [0.5, 1.0]}
    >>> record_from({"model": "default", "shares": [0.5, 1.0]}, Score, "a.json").shares
    (0.5, 1.0)
    >>> record_from({"model": "default", "shares": [0.5, "1"]}, Score, "a.json")
    Traceback (most recent call last):
    equivec.errors.FileFormatError: a.json: shares[1] is '1', not a number
    """
    record: R = _record(found, kind, _Place(path, ""))
    return record


class _Place:
    """A value of a file, as errors name it."""

    def __init__(self, path: Path | str, name: str) -> None:
        self.path, self.name = path, name

    def field(self, name: str) -> _Place:
        return _Place(self.path, f"{self.name}.{name}" if self.name else name)

    def item(self, key: object) -> _Place:
        return _Place(self.path, f"{self.name}[{key!r}]")

    def wrong(self, found: Any, wanted: str) -> FileFormatError:
        words = "null" if found is None else repr(found)
        words = "a list" if isinstance(found, list) else words
        words = "an object" if isinstance(found, dict) else words
        about = f"{self.path}: {self.name}" if self.name else str(self.path)
        return FileFormatError(f"{about} is {words[:80]}, not {wanted}")


def _record(found: Any, kind: Any, place: _Place) -> Any:
    if not isinstance(found, dict):
        raise place.wrong(found, "an object")
    values: dict[str, Any] = {}
    for each, (name, wanted, has_default) in _fields(kind).items():
        if name in found:
            values[each] = _value(found[name], wanted, place.field(name))
        elif not has_default:
            owner = f"{place.path}: {place.name}" if place.name else str(place.path)
            raise FileFormatError(f"{owner} has no {name!r}")
    return kind(**values)


@cache
def _fields(kind: Any) -> Mapping[str, tuple[str, Any, bool]]:
    """For each field its name in JSON, its type, and whether it may be left out."""
    types = get_type_hints(kind, include_extras=True)
    return {
        each.name: (
            *_named(each.name, types[each.name]),
            each.default is not MISSING or each.default_factory is not MISSING,
        )
        for each in fields(kind)
    }


def _named(name: str, kind: Any) -> tuple[str, Any]:
    """The name of a field in JSON, and its type."""
    if get_origin(kind) is not Annotated:
        return name, kind
    wanted, in_json = get_args(kind)
    return in_json.name, wanted


def _value(found: Any, kind: Any, place: _Place) -> Any:
    """A JSON value as its annotation has it."""
    origin, arguments = get_origin(kind) or kind, get_args(kind)
    if origin in _READERS:
        return _READERS[origin](found, arguments, place)
    if issubclass(kind, Record):
        return _record(found, kind, place)
    # A whole number is a number; True is neither.
    accepted = (int, float) if kind is float else (kind,)
    if type(found) not in accepted:
        raise place.wrong(found, _WORDS[kind])
    return found


def _tuple(found: Any, arguments: tuple[Any, ...], place: _Place) -> tuple[Any, ...]:
    if not isinstance(found, list):
        raise place.wrong(found, "a list")
    return tuple(_value(each, arguments[0], place.item(n)) for n, each in enumerate(found))


def _mapping(found: Any, arguments: tuple[Any, ...], place: _Place) -> dict[Any, Any]:
    if not isinstance(found, dict):
        raise place.wrong(found, "an object")
    key_kind, kind = arguments
    return {
        _key(key, key_kind, place): _value(each, kind, place.item(key))
        for key, each in found.items()
    }


def _key(key: str, kind: type, place: _Place) -> str | int:
    """The key of an object, which JSON has as a text."""
    if kind is not int:
        return key
    try:
        return int(key)
    except ValueError:
        raise place.wrong(key, "an object whose keys are whole numbers") from None


def _union(found: Any, arguments: tuple[Any, ...], place: _Place) -> Any:
    """The first of several types that fits; the error is that of the only one but null."""
    others = [kind for kind in arguments if kind is not NoneType]
    if found is None and len(others) < len(arguments):
        return None
    if len(others) == 1:
        return _value(found, others[0], place)
    for kind in others:
        if _is_like(found, kind):
            return _value(found, kind, place)
    raise place.wrong(found, " or ".join(_WORDS[get_origin(kind) or kind] for kind in others))


def _is_like(found: Any, kind: Any) -> bool:
    origin = get_origin(kind) or kind
    if origin is tuple:
        return isinstance(found, list)
    return isinstance(found, dict) if origin is Mapping else type(found) is origin


def _literal(found: Any, arguments: tuple[Any, ...], place: _Place) -> Any:
    if found not in arguments:
        raise place.wrong(found, f"one of {', '.join(map(str, arguments))}")
    return found


def _anything(found: Any, _arguments: tuple[Any, ...], _place: _Place) -> Any:
    return found


_READERS: Mapping[Any, Callable[[Any, tuple[Any, ...], _Place], Any]] = {
    tuple: _tuple,
    Mapping: _mapping,
    Union: _union,
    UnionType: _union,
    Literal: _literal,
    Any: _anything,
}


def _plain(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, Record):
        return value.to_json()
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value
