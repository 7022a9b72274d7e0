"""The committed tables: tab-separated text, with what they are and how they were made on top."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from equivec.storage.files import written_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path


def read_table(name: str) -> list[tuple[str, ...]]:
    """The rows of a table of this package, without comments and headings."""
    text = (files("equivec.evaluate") / "data" / f"{name}.tsv").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [tuple(line.split("\t")) for line in lines[1:]]


def write_table(
    path: Path, about: str, headings: Sequence[str], rows: Iterable[Sequence[str]]
) -> None:
    """Write a table as `read_table` reads it."""
    with written_whole(path) as file:
        for line in about.splitlines():
            file.write(f"# {line}\n")
        for row in (headings, *rows):
            file.write("\t".join(row) + "\n")
