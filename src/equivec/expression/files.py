"""The authors' file formats: an expression a line, or a tab-separated pair; plain or .gz."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from equivec.errors import FileFormatError, ParseError
from equivec.expression.grammar import ELEMENTARY, Grammar
from equivec.expression.prefix import write_prefix
from equivec.expression.text import parse
from equivec.storage.files import read_lines, written_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from equivec.expression.tree import Node


@dataclass(frozen=True, slots=True)
class Pair:
    """Two expressions that are equivalent, in the order in which a file has them."""

    input: Node
    output: Node


def read_expressions(
    path: str | Path,
    format: str = "prefix",  # noqa: A002
    grammar: Grammar = ELEMENTARY,
    *,
    start: int = 0,
    stop: int | None = None,
) -> Iterator[Node]:
    """The expressions of a file with one a line, or of some lines; no other is parsed."""
    for number, line in islice(read_lines(path), start, stop):
        yield _parse_line(line, format, grammar, path, number)


def read_pairs(path: str | Path, grammar: Grammar = ELEMENTARY) -> Iterator[Pair]:
    """The pairs of a file with `input<TAB>output` a line, both in prefix form."""
    for number, line in read_lines(path):
        columns = line.split("\t")
        if len(columns) != 2:
            raise FileFormatError(
                f"{path}, line {number}: expected input<TAB>output, found {len(columns)} column"
                f"{'s'[: len(columns) != 1]}"
            )
        first, second = (_parse_line(column, "prefix", grammar, path, number) for column in columns)
        yield Pair(first, second)


def write_expressions(path: str | Path, expressions: Iterable[Node]) -> int:
    """Write one expression a line in prefix form; how many were written comes back."""
    return _write_lines(path, (write_prefix(expression) for expression in expressions))


def write_pairs(path: str | Path, pairs: Iterable[Pair]) -> int:
    """Write one pair a line in prefix form; how many were written comes back."""
    return _write_lines(
        path, (f"{write_prefix(pair.input)}\t{write_prefix(pair.output)}" for pair in pairs)
    )


def _parse_line(
    text: str,
    format: str,  # noqa: A002
    grammar: Grammar,
    path: str | Path,
    number: int,
) -> Node:
    try:
        return parse(text, format, grammar)
    except ParseError as error:
        raise FileFormatError(f"{path}, line {number}: {error}") from error


def _write_lines(path: str | Path, lines: Iterable[str]) -> int:
    count = 0
    with written_whole(path) as file:
        for line in lines:
            file.write(f"{line}\n")
            count += 1
    return count
