"""The authors' file formats: an expression a line, or a tab-separated pair; plain or .gz.

Files are read and written line by line; a written file appears under its name only when complete.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from zipfile import BadZipFile

from equivec.errors import FileFormatError, ParseError
from equivec.expression.grammar import ELEMENTARY, Grammar
from equivec.expression.prefix import write_prefix
from equivec.expression.text import parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from equivec.expression.tree import Node


# How the names of what is not complete begin.
PARTIAL = ".partial."


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


def read_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """The lines of a file with their numbers, without line ends; a last empty line is none."""
    path = Path(path)
    try:
        with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                yield number, line.rstrip("\r\n")
    except (UnicodeDecodeError, gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise FileFormatError(f"{path} is not a readable text file: {error}") from error


def read_json(path: Path) -> Any:
    """What a file of JSON holds; .gz is uncompressed."""
    try:
        content = path.read_bytes()
        return json.loads(gzip.decompress(content) if path.suffix == ".gz" else content)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise FileFormatError(f"{path} is not a readable file: {error}") from None
    except OSError as error:
        raise FileFormatError(f"{path} cannot be read: {error.strerror}") from None
    except (RecursionError, ValueError) as error:
        raise FileFormatError(f"{path} is not JSON: {error}") from None


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file whole, for people to read too."""
    write_text(path, json.dumps(value, indent=2) + "\n")


def write_text(path: str | Path, text: str) -> None:
    """Write a text file whole."""
    with written_whole(path) as file:
        file.write(text)


def count_lines(path: str | Path) -> int:
    """How many lines a file has."""
    return sum(1 for _ in read_lines(path))


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


@contextmanager
def written_whole(path: str | Path) -> Iterator[IO[str]]:
    """A text file to write to that takes its name only when the block ends without an error."""
    path = Path(path)
    with (
        renamed_when_complete(path) as temporary,
        temporary.open("wb") as plain,
        # Neither a name nor a time in the header: the same lines give the same bytes.
        gzip.GzipFile("", "wb", fileobj=plain, mtime=0) if path.suffix == ".gz" else plain as raw,
        io.TextIOWrapper(raw, encoding="utf-8", newline="\n") as file,
    ):
        yield file


def check_place(path: Path, *sources: Path) -> None:
    """Raise unless a file can have this name, so that nobody works hours for nothing.

    A file is never written over one that it is made from.
    """
    if not path.parent.is_dir():
        raise FileFormatError(f"{path} cannot be written: there is no folder {path.parent}")
    if path.exists() and not path.is_file():
        what = "a folder" if path.is_dir() else "no file"
        raise FileFormatError(f"{path} cannot be written: it is {what}")
    if any(path.exists() and source.exists() and path.samefile(source) for source in sources):
        raise FileFormatError(f"{path} is what is read; name another file for what is written")


@contextmanager
def made_again_if_damaged(path: Path) -> Iterator[None]:
    """Says of a file that can be made again and cannot be read what to do."""
    try:
        yield
    except FileFormatError as error:
        raise FileFormatError(f"{error}; remove it to have it made again") from None
    except (BadZipFile, EOFError, KeyError, OSError, ValueError) as error:
        raise FileFormatError(
            f"{path} is damaged ({error}); remove it to have it made again"
        ) from None


@contextmanager
def renamed_when_complete(path: Path) -> Iterator[Path]:
    """A path with the same ending to write to, renamed when the block ends without an error."""
    check_place(path)
    path = path.resolve()  # a link stays, and what it leads to is replaced
    temporary = path.with_name(f"{PARTIAL}{os.getpid()}.{path.name}")
    try:
        yield temporary
        temporary.replace(path)
    except OSError as error:
        if error.filename == str(temporary):
            error.filename = str(path)  # the name that people know
        raise
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def folder_renamed_when_complete(path: Path) -> Iterator[Path]:
    """A new folder to fill; it replaces what was there when the block ends without an error."""
    temporary = path.with_name(f"{PARTIAL}{os.getpid()}.{path.name}")
    try:
        temporary.mkdir(parents=True)
        yield temporary
        _replace_folder(path, temporary)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def sweep_partials(folder: Path) -> None:
    """Delete what killed processes left half written in a folder; call it while nobody writes."""
    for path in folder.glob(f"{PARTIAL}*"):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


def _replace_folder(path: Path, new: Path) -> None:
    """Give a folder another's name; what had it before is deleted last, or has it again."""
    path = path.resolve()  # a link stays, and what it leads to is replaced
    old = path.with_name(f"{PARTIAL}{os.getpid()}.old.{path.name}")
    if not path.exists():
        new.rename(path)
        return
    path.rename(old)
    try:
        new.rename(path)
    except OSError:
        old.rename(path)
        raise
    shutil.rmtree(old)


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
