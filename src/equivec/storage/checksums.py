"""Checksums: how a file is told from any other, and how damage to it is seen.

The sum of a file that has not changed is remembered in the user's cache, so that large files are
read through once and not at every start. Without a cache, or with a damaged one, they are read.
"""

from __future__ import annotations

import hashlib
import json
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from equivec.errors import EquivecError, FileFormatError
from equivec.storage.environment import cache_folder
from equivec.storage.files import read_json, write_json, write_text

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

CHECKSUMS = "checksums.json"
_FOLDER = "checksums"
_BLOCK = 1 << 20
# A file may change again within the same tick of its clock, so that only its content tells.
_SETTLED_SECONDS = 2.0


def checksum(*paths: Path, more: str = "") -> str:
    """The SHA-256 of files, one after the other, and of some text."""
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    digest.update(more.encode())
    return digest.hexdigest()


def remembered_checksum(*paths: Path, more: str = "") -> str:
    """The same, from the user's cache as long as nobody has touched the files."""
    files = _marks(paths)
    place = _place(paths, more)
    key = json.dumps([files, more])
    known = _recall(place, key)
    if known is not None:
        return known
    found = checksum(*paths, more=more)
    if _marks(paths) == files and _are_settled(paths):
        # Whoever has no cache, or no room in it, has the sum all the same.
        with suppress(OSError, EquivecError):
            if place is not None:
                place.parent.mkdir(parents=True, exist_ok=True)
                write_text(place, _record(key, found))
    return found


def check_content(path: Path, expected: str, named_in: str, *, anew: bool = False) -> None:
    """Raise unless a file has the checksum that another names; `anew`, memory does not count."""
    if (checksum if anew else remembered_checksum)(path) != expected:
        raise FileFormatError(f"{path} is damaged: its checksum is not the one in {named_in}")


def write_checksums(folder: Path, names: Iterable[str]) -> None:
    """List the checksums of some files of a folder, those that are there."""
    files = {name: folder / name for name in names}
    sums = {name: checksum(path) for name, path in files.items() if path.is_file()}
    write_json(folder / CHECKSUMS, sums)


def check_listed(folder: Path, name: str) -> None:
    """Raise unless a file has the checksum in the folder's list; older folders have no list."""
    if not (folder / CHECKSUMS).is_file():
        return
    sums = read_json(folder / CHECKSUMS)
    is_there = (folder / name).is_file()
    if not isinstance(sums, dict) or (is_there and not isinstance(sums.get(name), str)):
        raise FileFormatError(f"{folder / CHECKSUMS} is damaged: it does not list {name}")
    if is_there:
        check_content(folder / name, sums[name], CHECKSUMS)
    elif name in sums:
        raise FileFormatError(f"{folder / name} is missing; restore it from a copy of the model")


def _marks(paths: Iterable[Path]) -> list[list[int | str]]:
    """What is another when a file has become another."""
    found = [(path.resolve(), path.stat()) for path in paths]
    return [
        [str(path), of.st_dev, of.st_ino, of.st_size, of.st_mtime_ns, of.st_ctime_ns]
        for path, of in found
    ]


def _are_settled(paths: Iterable[Path]) -> bool:
    stats = [path.stat() for path in paths]
    last = max((max(of.st_mtime, of.st_ctime) for of in stats), default=0.0)
    return abs(time.time() - last) > _SETTLED_SECONDS


def _place(paths: Iterable[Path], more: str) -> Path | None:
    """Where the sum of these files is remembered: one place, however often they change."""
    names = json.dumps([*(str(path.resolve()) for path in paths), more])
    try:
        return cache_folder() / _FOLDER / hashlib.sha256(names.encode()).hexdigest()[:32]
    except EquivecError:
        return None


def _record(key: str, found: str) -> str:
    own = hashlib.sha256(f"{key}\n{found}".encode()).hexdigest()
    return f"{key}\n{found}\n{own}\n"


def _recall(place: Path | None, key: str) -> str | None:
    """The sum that was remembered for files as they are now."""
    try:
        text = "" if place is None else place.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None
    lines = text.splitlines()
    return lines[1] if len(lines) == 3 and text == _record(key, lines[1]) else None
