"""Long work on a file in parts, so that a killed run goes on where it was."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from equivec.errors import FileFormatError
from equivec.storage.files import read_json, write_json

if TYPE_CHECKING:
    from pathlib import Path


def parts_folder(out: Path, **work: str) -> Path:
    """The folder of finished parts beside what is to be written; those of other work are deleted.

    Work is told by what it is done on and how. Who has put the parts together deletes the folder.
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
