"""Files and folders that appear under their names only when complete; lines, tables, JSON of files.

Text may be plain or .gz; what cannot be read is named.
"""

from __future__ import annotations

import errno
import gzip
import io
import json
import os
import shutil
import zlib
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from zipfile import BadZipFile

from equivec.errors import FileFormatError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from importlib.resources.abc import Traversable

# How the names of what is not complete begin.
PARTIAL = ".partial."
# What the system says when there is no room: on the disk, by quota, by a limit to files.
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def read_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """The lines of a file with their numbers, without line ends; a last empty line is none."""
    path = Path(path)
    try:
        with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                yield number, line.rstrip("\r\n")
    except (UnicodeDecodeError, gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise FileFormatError(f"{path} is not a readable text file: {error}") from error


def read_table(file: Path | Traversable) -> list[tuple[str, ...]]:
    """The rows of a tab-separated table, without its comments and its line of headings."""
    lines = file.read_text(encoding="utf-8").splitlines()
    rows = [line for line in lines if line and not line.startswith("#")]
    return [tuple(line.split("\t")) for line in rows[1:]]


def write_table(
    path: Path, about: str, headings: Sequence[str], rows: Iterable[Sequence[str]]
) -> None:
    """Write a table as `read_table` reads it, with what it is on top."""
    with written_whole(path) as file:
        for line in about.splitlines():
            file.write(f"# {line}\n")
        for row in (headings, *rows):
            file.write("\t".join(row) + "\n")


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
    """Raise unless a file can have this name, so that hours of work are not lost at the end.

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
        with _named(path):
            yield temporary
        temporary.replace(path)
    except OSError as error:
        if error.filename == str(temporary):
            error.filename = str(path)  # the name that people know
        raise
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Say where there was no room, which the system does not; numpy does not even say why."""
    try:
        yield
    except OSError as error:
        if error.filename is not None or error.errno not in (None, *NO_ROOM):
            raise
        reason = error.strerror or f"no room to write it whole ({error})"
        raise OSError(error.errno or errno.ENOSPC, reason, str(path)) from None


@contextmanager
def folder_renamed_when_complete(path: Path) -> Iterator[Path]:
    """A new folder to fill; it replaces what was there when the block ends without an error."""
    temporary = path.with_name(f"{PARTIAL}{os.getpid()}.{path.name}")
    try:
        temporary.mkdir(parents=True)
        with _named(path):
            yield temporary
        _replace_folder(path, temporary)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def parts_folder(out: Path, **work: str) -> Path:
    """The folder of finished parts beside a file to write; parts of other work are deleted.

    `work` says what the parts are made of and how. The caller deletes the folder in the end.
    """
    folder = out.with_name(f".{out.name}.parts")
    note = folder / "work.json"
    if not _is_of(work, note):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        write_json(note, work)
    return folder


def _is_of(work: dict[str, str], note: Path) -> bool:
    try:
        return bool(read_json(note) == work)
    except FileFormatError:  # there is none, or it cannot be read
        return False


def sweep_partials(folder: Path) -> None:
    """Delete partial files that killed processes left; call it while no process writes here."""
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
