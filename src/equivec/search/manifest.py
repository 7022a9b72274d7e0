"""The page that says what an index folder holds; whatever it does not name does not exist.

A change writes new files first and the manifest last, by one rename. A process that is killed
leaves the old manifest and some files nobody names, which the next writer sweeps away.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shlex
import sys
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from equivec.errors import BusyError, ConfigError, FileFormatError
from equivec.storage.checksums import check_content, checksum
from equivec.storage.files import PARTIAL, renamed_when_complete

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

MANIFEST = "manifest.json"
_LOCK = "lock"
_FORMAT = 1
PRECISIONS = ("int8", "float16", "float32")


@dataclass(frozen=True, slots=True)
class FileRecord:
    """A file as it was when it was written."""

    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class SegmentRecord:
    """A run of rows that share their files."""

    name: str
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NeighbourConfig:
    """When vectors are searched through a compressed index, and how good that must be."""

    exact_below: int = 20_000
    recall: float = 0.97
    seed: int = 42

    def __post_init__(self) -> None:
        if self.exact_below < 1_000:
            raise ConfigError(f"exact_below must be at least 1,000, not {self.exact_below:,}")
        if not 0.5 <= self.recall <= 1:
            raise ConfigError(f"recall must lie between 0.5 and 1, not at {self.recall}")


@dataclass(frozen=True, slots=True)
class Choice:
    """How neighbours of the first rows are found, and the measurement that spoke for it."""

    kind: str
    rows: int
    probes: int = 0
    candidates: int = 0
    recall: float = 1.0
    milliseconds: float = 0.0
    exact_milliseconds: float = 0.0

    def sentence(self) -> str:
        """What was chosen and why."""
        if self.kind == EXACT:
            return "neighbours: exact search"
        return (
            f"neighbours: {self.kind} of {self.rows:,} vectors, {self.probes} probes, "
            f"{self.candidates} candidates: recall@10 {self.recall:.3f}, "
            f"{self.milliseconds:.2f} ms a query; exact {self.exact_milliseconds:.2f} ms"
        )


EXACT = "exact"
Precision = Literal["int8", "float16", "float32"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Everything there is to know of an index folder but its rows."""

    encoder: str
    width: int
    precision: Precision
    fingerprints: int = 1  # of which version the keys are; the first was not written down
    generation: int = 0
    is_complete: bool = True
    segments: tuple[SegmentRecord, ...] = ()
    removed: str | None = None
    neighbours: str | None = None
    neighbour_config: NeighbourConfig = field(default_factory=NeighbourConfig)
    choice: Choice = field(default_factory=lambda: Choice(EXACT, 0))
    files: Mapping[str, FileRecord] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.precision not in PRECISIONS:
            raise ConfigError(f"{self.precision!r} is not a precision; use {', '.join(PRECISIONS)}")

    @property
    def rows(self) -> int:
        """How many rows the segments have, those that were removed included."""
        return sum(segment.rows for segment in self.segments)


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a folder, if it is whole."""
    path = folder / MANIFEST
    if not path.is_file():
        raise FileFormatError(
            f"{folder} is not an index: it has no {MANIFEST}; "
            f"make one with: equivec index build FILE --index {shlex.quote(str(folder))}"
        )
    try:
        page = json.loads(path.read_bytes())
        expected, facts = page["sha256"], page["index"]
        if page["format"] != _FORMAT:
            raise FileFormatError(f"{path} is of format {page['format']}, not {_FORMAT}")
        if _digest(facts) != expected:
            raise FileFormatError(f"{path} is damaged: its checksum does not fit its content")
        return _from_json(facts)
    except (ValueError, KeyError, TypeError) as error:
        raise FileFormatError(f"{path} is damaged: {error}") from error


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Put a manifest in force, by one rename; on return it survives a loss of power."""
    facts = asdict(manifest)
    page = {"format": _FORMAT, "sha256": _digest(facts), "index": facts}
    text = json.dumps(page, indent=1, sort_keys=True) + "\n"
    with new_file(folder / MANIFEST) as temporary:
        temporary.write_text(text, encoding="utf-8")


@contextmanager
def new_file(path: Path) -> Iterator[Path]:
    """A path to write to; the file takes its name when it is complete and on the disk."""
    with renamed_when_complete(path) as temporary:
        yield temporary
        _flush(temporary)
    _flush(path.parent)


def record(path: Path) -> FileRecord:
    """What the manifest says of a file."""
    return FileRecord(path.stat().st_size, checksum(path))


def check_record(folder: Path, name: str, expected: FileRecord, *, anew: bool = False) -> None:
    """See that a file holds what was written; `anew` reads it even if nobody has touched it."""
    found = (folder / name).stat().st_size
    if found != expected.bytes:
        raise FileFormatError(
            f"{folder / name} is damaged: it has {found:,} bytes, not {expected.bytes:,}"
        )
    check_content(folder / name, expected.sha256, MANIFEST, anew=anew)


def sweep(folder: Path, manifest: Manifest) -> None:
    """Delete what the manifest does not name: left by a killed writer, or no longer needed."""
    for path in folder.iterdir():
        is_ours = path.name.startswith((PARTIAL, "segment-", "removed-", "neighbours-"))
        if is_ours and path.name not in manifest.files:
            path.unlink()


@contextmanager
def sole_writer(folder: Path) -> Iterator[None]:
    """Hold a folder's lock; the system lets go of it when a process dies, however it dies."""
    with (folder / _LOCK).open("a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise BusyError(
                f"{folder} is being written to by {file.read().strip() or 'another process'}; "
                "wait for it to end"
            ) from None
        file.truncate(0)
        file.write(f"process {os.getpid()} ({sys.argv[0] or 'python'})\n")
        file.flush()
        try:
            yield
        finally:
            with suppress(OSError):
                file.truncate(0)


def _flush(path: Path) -> None:
    """Wait until a file or a folder is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _digest(facts: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def _from_json(facts: dict[str, Any]) -> Manifest:
    return Manifest(
        **{
            **facts,
            "segments": tuple(SegmentRecord(**segment) for segment in facts["segments"]),
            "neighbour_config": NeighbourConfig(**facts["neighbour_config"]),
            "choice": Choice(**facts["choice"]),
            "files": {name: FileRecord(**file) for name, file in facts["files"].items()},
        }
    )
