"""Long work on a file in parts, so that a killed run goes on where it was."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from equivec.corpus.records import checksum
from equivec.expression.files import read_json, write_json

if TYPE_CHECKING:
    from pathlib import Path


def parts_folder(out: Path, path: Path, how: str) -> Path:
    """The folder of finished parts beside what is to be written; those of other work are deleted.

    Whoever has put the parts together deletes the folder.
    """
    folder = out.with_name(f".{out.name}.parts")
    work = {"input": checksum(path), "how": how}
    note = folder / "work.json"
    if not note.exists() or read_json(note) != work:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        write_json(note, work)
    return folder
