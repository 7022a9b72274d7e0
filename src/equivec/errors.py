"""Every error equivec raises on purpose, each a sentence a person can act on.

EquivecError
├── ParseError         text that is not an expression; knows the column
│   └── LimitError     an expression larger than the limits allow
├── SortError          an operator given an argument of a sort that it does not take
├── ConversionError    a SymPy object that has no counterpart here, or the other way round
├── FileFormatError    a file that is not what it should be; knows the line
├── ShardError         work that lost its worker at every attempt
├── BusyError          a folder that somebody else is writing to
└── ConfigError        a setting outside its range
"""

from __future__ import annotations

from importlib.util import find_spec

_WINDOW = 72


class EquivecError(Exception):
    """The base of all errors that are the caller's to mend."""


class ConversionError(EquivecError):
    """An object of another system that cannot become an expression, or the reverse."""


class SortError(EquivecError):
    """An operator given an argument of a sort that it does not take, such as sin(x < 1)."""


class FileFormatError(EquivecError):
    """A file whose content is not what its format says; the message names file and line."""


class ShardError(EquivecError):
    """A shard that lost its worker at every attempt."""


class BusyError(EquivecError):
    """A folder that somebody else is writing to."""


class ConfigError(EquivecError):
    """A setting outside its range."""


def require_at_least(least: float, **settings: float | None) -> None:
    """Raise unless each setting that is given is at least so much.

    >>> require_at_least(1, beams=0)
    Traceback (most recent call last):
    equivec.errors.ConfigError: beams must be at least 1, not 0
    """
    for name, value in settings.items():
        if value is not None and not value >= least:  # not a number is neither more nor less
            raise ConfigError(f"{name} must be at least {least:g}, not {value}")


def require_packages(what: str, extra: str, *packages: str) -> None:
    """Raise unless packages that an extra brings are installed.

    >>> require_packages("a map", "plots", "json", "mapfish")
    Traceback (most recent call last):
    equivec.errors.ConfigError: a map needs mapfish, the extra `plots`: pip install 'equivec[plots]'
    """
    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        raise ConfigError(
            f"{what} needs {' and '.join(missing)}, the extra `{extra}`: pip install "
            f"'equivec[{extra}]'"
        )


class ParseError(EquivecError):
    """Text that is not an expression: what was found, where, and what to do.

    >>> print(ParseError("')' closes nothing", "x + 1)", 5))
    column 6: ')' closes nothing
    >>> print(ParseError("')' closes nothing", "x + 1)", 5).with_caret())
    column 6: ')' closes nothing
      x + 1)
           ^
    """

    def __init__(self, problem: str, text: str = "", column: int | None = None) -> None:
        self.problem = problem
        self.text = text
        self.column = column
        super().__init__(problem if column is None else f"column {column + 1}: {problem}")

    def with_caret(self) -> str:
        """The message, the line of text, and a caret under the column."""
        if self.column is None:
            return str(self)
        line, offset = _window(self.text, self.column)
        return f"{self}\n  {line}\n  {' ' * offset}^"


class LimitError(ParseError):
    """An expression that is larger than the limits allow."""


def _window(text: str, column: int) -> tuple[str, int]:
    """The part of a long line around the column, printable, and the column's place in it."""
    start = max(0, column - _WINDOW // 2)
    end = start + _WINDOW
    part = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text[start:end])
    head = "…" if start else ""
    tail = "…" if end < len(text) else ""
    return f"{head}{part}{tail}", column - start + len(head)
