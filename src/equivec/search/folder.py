"""An index in a folder: segments that are only ever added, and a manifest that names them.

| file | what it is |
| --- | --- |
| `manifest.json` | what the folder holds; every file with its size and SHA-256 |
| `segment-N.parquet` | the expressions (prefix form) and what filters look at |
| `segment-N.vectors.npy` | their vectors, a row each |
| `segment-N.keys.npy` | their keys in ascending order, and the rows they belong to |
| `removed-N.npy` | rows that count no more |
| `neighbours-N.faiss` | the compressed index; it can be made again from the vectors |
| `lock` | held by whoever writes |
"""

from __future__ import annotations

import shlex
import shutil
import threading
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import faiss
import numpy as np

from equivec.errors import BusyError, FileFormatError
from equivec.search.entries import FINGERPRINT_VERSION, Traits, check_fingerprints
from equivec.search.manifest import (
    MANIFEST,
    Manifest,
    SegmentRecord,
    check_record,
    new_file,
    read_manifest,
    record,
    sole_writer,
    sweep,
    write_manifest,
)
from equivec.search.neighbours import (
    Vectors,
    choose,
    flat_index,
    propose,
    rank,
    write_index,
)
from equivec.search.segments import (
    EXPRESSIONS,
    KEYS,
    VECTORS,
    Segment,
    distinct,
    joined,
    new_segment,
    read_segment,
    write_segment,
)
from equivec.search.store import MOST_MATCHES, Found, IndexInfo
from equivec.storage.files import PARTIAL, folder_renamed_when_complete

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from equivec.search.entries import Entries
    from equivec.search.filters import Filter
    from equivec.search.manifest import FileRecord, NeighbourConfig, Precision

    Rows = NDArray[np.int64]

# So few rows that a filter leaves are compared one by one.
_FEW = 20_000
# How many times a reader looks again when a writer replaced the files it was about to open.
_PATIENCE = 5
_LEFTOVERS = (PARTIAL, "lock")


@dataclass(frozen=True, eq=False)
class FolderView:
    """The rows of a folder at one moment; writers make a new view and leave this one alone."""

    manifest: Manifest
    segments: tuple[Segment, ...]
    removed: Rows
    index: Any  # faiss's, of the first rows; None where all are searched exactly

    @cached_property
    def vectors(self) -> Vectors:
        """The vectors of all segments."""
        return Vectors([segment.vectors for segment in self.segments], self.manifest.width)

    @cached_property
    def traits(self) -> Traits:
        """What filters look at, of all segments."""
        return Traits.stacked([segment.traits for segment in self.segments])

    @cached_property
    def flat(self) -> Any:
        """An exact index of the rows that the compressed one does not have."""
        return flat_index(self.vectors, self.covered)

    def check(self) -> None:
        """Raise if a file that is looked at on the disk was changed since it was opened."""
        for segment in self.segments:
            for mapped in segment.mapped:
                mapped.check()

    @property
    def covered(self) -> int:
        """How many of the first rows are in the compressed index."""
        return self.manifest.choice.rows if self.index is not None else 0

    def matching(
        self,
        keys: NDArray[np.uint64],
        vector: NDArray[np.float32],
        filter: Filter,  # noqa: A002
    ) -> list[Found]:
        """The expressions that have one of the keys, the highest cosine first."""
        rows, found = self.rows_with(np.unique(keys))
        if not len(rows):
            return []
        is_allowed = filter.admits(self.traits[rows])
        rows, found = rows[is_allowed], found[is_allowed]
        cosines = self.vectors.take(rows) @ vector
        return [
            Found(self.text(rows[place]), int(found[place]), float(cosines[place]))
            for place in np.lexsort((rows, -cosines))[:MOST_MATCHES]
        ]

    def nearest(
        self,
        vectors: NDArray[np.float32],
        k: int,
        filter: Filter,  # noqa: A002
    ) -> list[list[Found]]:
        """For each vector the k expressions with the highest cosine, best first."""
        rows, cosines = self.nearest_rows(vectors, k, filter)
        return [
            [
                Found(self.text(row), 0, float(cosine))
                for row, cosine in zip(line, values, strict=True)
                if row >= 0
            ]
            for line, values in zip(rows, cosines, strict=True)
        ]

    def sample(self, count: int) -> tuple[list[str], NDArray[np.float32]]:
        """At most so many of the expressions, spread evenly over all, and their vectors."""
        rows = np.arange(self.manifest.rows)
        if len(self.removed):
            rows = np.setdiff1d(rows, self.removed)
        if len(rows) > count:
            rows = rows[np.arange(count) * len(rows) // count]
        if not len(rows):
            return [], np.empty((0, self.manifest.width), dtype=np.float32)
        return [self.text(row) for row in rows], self.vectors.take(rows)

    def nearest_rows(
        self,
        vectors: NDArray[np.float32],
        k: int,
        filter: Filter,  # noqa: A002
    ) -> tuple[Rows, NDArray[np.float32]]:
        """The k nearest rows of each vector and their cosines; -1 where there are no more."""
        if not self.segments:
            return np.empty((len(vectors), 0), np.int64), np.empty((len(vectors), 0), np.float32)
        allowed = self._allowed(filter)
        if self.index is None:
            return rank(self.vectors, vectors, self._from_flat(vectors, k, allowed), k)
        if allowed is not None and (few := np.flatnonzero(allowed)).size <= _FEW:
            return _nearest_among(self.vectors, vectors, few, k)
        proposals = (self._from_flat(vectors, k, allowed), self._from_index(vectors, k, allowed))
        return rank(self.vectors, vectors, np.hstack(proposals), k)

    def rows_with(self, keys: NDArray[np.uint64]) -> tuple[Rows, NDArray[np.uint64]]:
        """The rows that have one of some different keys and count, each with its key."""
        if not len(keys) or not self.segments:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.uint64)
        found = [segment.with_keys(keys) for segment in self.segments]
        rows = np.concatenate(
            [here + start for (here, _), start in zip(found, self.vectors.starts, strict=False)]
        )
        own = np.concatenate([own for _, own in found])
        if len(self.removed):
            counts = ~np.isin(rows, self.removed)
            rows, own = rows[counts], own[counts]
        return rows, own

    def text(self, row: int | np.int64) -> str:
        """The expression of a row."""
        home = int(np.searchsorted(self.vectors.starts, row, side="right")) - 1
        text: str = self.segments[home].texts[int(row - self.vectors.starts[home])].as_py()
        return text

    def rows_of(self, entries: Entries) -> list[int | None]:
        """The row of each entry, None if it is not stored."""
        rows, _ = self.rows_with(np.unique(entries.keys))
        known = {self.text(row): int(row) for row in rows}
        return [known.get(text) for text in entries.texts]

    def _allowed(self, filter: Filter) -> NDArray[np.bool_] | None:  # noqa: A002
        """Whether each row may be an answer; None if all may."""
        if filter.admits_all and not len(self.removed):
            return None
        allowed = filter.admits(self.traits)
        allowed[self.removed] = False
        return allowed

    def _from_index(
        self, vectors: NDArray[np.float32], k: int, allowed: NDArray[np.bool_] | None
    ) -> Rows:
        choice = self.manifest.choice
        candidates = max(choice.candidates, 4 * k)
        if allowed is None:
            return propose(self.index, vectors, candidates, probes=choice.probes)
        here = allowed[: choice.rows]
        # The rarer what is allowed, the further away it lies.
        probes = int(choice.probes / max(float(here.mean()), 1e-6)) + 1
        bits = np.packbits(here, bitorder="little")
        return propose(self.index, vectors, candidates, probes=probes, allowed=bits)

    def _from_flat(
        self, vectors: NDArray[np.float32], k: int, allowed: NDArray[np.bool_] | None
    ) -> Rows:
        bits = None
        if allowed is not None:
            bits = np.packbits(allowed[self.covered :], bitorder="little")
        rows = propose(self.flat, vectors, k, allowed=bits)
        return np.where(rows >= 0, rows + self.covered, -1)


def _nearest_among(
    stored: Vectors, vectors: NDArray[np.float32], rows: Rows, k: int
) -> tuple[Rows, NDArray[np.float32]]:
    """The k nearest of some rows, by comparing each with all of them."""
    cosines = vectors @ stored.take(rows).T
    best = np.argsort(-cosines, axis=1, kind="stable")[:, :k]
    return rows[best], np.take_along_axis(cosines, best, 1)


class FolderStore:
    """A folder that one process at a time may write to and any number may read."""

    def __init__(self, folder: Path, view: FolderView) -> None:
        self.folder = folder
        self._view = view
        self._one_thread = threading.Lock()

    @classmethod
    def create(
        cls,
        folder: Path,
        encoder: str,
        width: int,
        precision: Precision,
        config: NeighbourConfig,
    ) -> FolderStore:
        """An empty index in a new folder, not complete until `finish`."""
        _refuse_strangers(folder)
        folder.mkdir(parents=True, exist_ok=True)
        manifest = Manifest(
            encoder=encoder,
            width=width,
            precision=precision,
            fingerprints=FINGERPRINT_VERSION,
            neighbour_config=config,
            is_complete=False,
        )
        with sole_writer(folder):
            # Somebody else may have begun since.
            _refuse_strangers(folder)
            write_manifest(folder, manifest)
        return cls(folder, _load(folder, manifest, None))

    @classmethod
    def open(
        cls,
        folder: Path,
        *,
        unfinished: bool = False,
        without_neighbours: bool = False,
    ) -> FolderStore:
        """The index in a folder."""
        store = cls._of(folder, _load_latest(folder, None, without_neighbours=without_neighbours))
        view = store.view()
        if not view.manifest.is_complete and not unfinished:
            raise FileFormatError(
                f"{folder} holds an unfinished index of {view.manifest.rows:,} expressions; "
                "continue the build with --resume"
            )
        return store

    @classmethod
    def _of(cls, folder: Path, view: FolderView) -> FolderStore:
        check_fingerprints(str(folder), view.manifest.fingerprints)
        return cls(folder, view)

    @classmethod
    def open_complete(cls, folder: Path) -> FolderStore | None:
        """The index in a folder, unless there is none or its build is not finished."""
        if not cls.exists(folder):
            return None
        manifest = read_manifest(folder)
        if not manifest.is_complete:
            return None
        return cls._of(folder, _load_latest(folder, None, manifest))

    @staticmethod
    def exists(folder: Path) -> bool:
        """Whether an index was begun in a folder."""
        return (folder / MANIFEST).is_file()

    def view(self) -> FolderView:
        """What is stored now, as far as this process has seen, if nobody has damaged it since."""
        self._view.check()
        return self._view

    def refresh(self) -> None:
        """See what others have written since."""
        self._view = _load_latest(self.folder, self._view)

    def info(self) -> IndexInfo:
        """What there is to tell."""
        view = self._view
        return IndexInfo(
            where=str(self.folder),
            expressions=view.manifest.rows - len(view.removed),
            encoder=view.manifest.encoder,
            width=view.manifest.width,
            precision=view.manifest.precision,
            neighbours=view.manifest.choice.sentence(),
            is_complete=view.manifest.is_complete,
            removed=len(view.removed),
            segments=len(view.segments),
            bytes=sum(file.bytes for file in view.manifest.files.values()),
        )

    @contextmanager
    def writing(self) -> Iterator[None]:
        """The right to change the folder, for one writer at a time."""
        with self._one_thread, sole_writer(self.folder):
            if read_manifest(self.folder).generation != self._view.manifest.generation:
                self.refresh()
            self._view.check()
            sweep(self.folder, self._view.manifest)
            yield

    def has(self, entries: Entries) -> list[bool]:
        """Whether each entry is stored already."""
        return [row is not None for row in self._view.rows_of(entries)]

    def append(self, entries: Entries, vectors: NDArray[np.float32]) -> None:
        """Store entries that are not there yet; on return they are safe.

        Smaller segments before them are taken in, so that there are never many.
        """
        self._append([new_segment(entries, vectors, self._view.manifest.precision)])

    def adopt(self, segments: Sequence[Segment]) -> None:
        """Store the rows of segments that were made elsewhere, each expression once."""
        self._append([distinct(joined(segments))])

    def _append(self, parts: list[Segment]) -> None:
        view = self._view
        kept = list(zip(view.manifest.segments, view.segments, strict=True))
        while kept and kept[-1][0].rows <= sum(part.rows for part in parts):
            parts.insert(0, kept.pop()[1])
        segment = joined(parts)
        name = self._new_name("segment")
        files = write_segment(self.folder, name, segment)
        segments = (*(old for old, _ in kept), SegmentRecord(name, segment.rows))
        self._commit(replace(view.manifest, segments=segments), files)

    def remove(self, entries: Entries) -> int:
        """Take entries out; how many were there comes back."""
        view = self._view
        found = [row for row in view.rows_of(entries) if row is not None]
        rows = np.array(found, dtype=np.int64)
        if len(rows):
            self._commit_removed(np.union1d(view.removed, rows))
        return len(rows)

    def settle(self) -> None:
        """Choose anew how neighbours are found when many rows have come or gone since."""
        view = self._view
        new = view.manifest.rows - view.manifest.choice.rows
        due = max(view.manifest.neighbour_config.exact_below, view.manifest.rows // 4)
        if new >= due or len(view.removed) >= due:
            self.tune()

    def finish(self) -> None:
        """Choose how neighbours are found and declare the index complete, unless that is done."""
        manifest = self._view.manifest
        if not manifest.is_complete or manifest.choice.rows != manifest.rows or manifest.removed:
            self.tune(is_complete=True)

    def save(self, folder: Path) -> None:
        """Copy what is stored to a new folder, which appears whole."""
        _refuse_strangers(folder)
        with self.writing():
            manifest = self._view.manifest
            with folder_renamed_when_complete(folder) as temporary:
                for name in manifest.files:
                    shutil.copyfile(self.folder / name, temporary / name)
                write_manifest(temporary, manifest)

    def tune(self, *, is_complete: bool | None = None) -> None:
        """Drop removed rows for good, join all segments, and choose how neighbours are found."""
        manifest, segments, files = self._compacted()
        vectors = Vectors([segment.vectors for segment in segments], manifest.width)
        choice, index = choose(vectors, manifest.neighbour_config)
        neighbours = None
        if index is not None:
            neighbours = f"{self._new_name('neighbours')}.faiss"
            with new_file(self.folder / neighbours) as path:
                write_index(index, path)
            files[neighbours] = record(self.folder / neighbours)
        if is_complete is not None:
            manifest = replace(manifest, is_complete=is_complete)
        self._commit(replace(manifest, choice=choice, neighbours=neighbours), files)

    def _compacted(self) -> tuple[Manifest, tuple[Segment, ...], dict[str, FileRecord]]:
        """All rows that count in one segment, its files written but not yet in force."""
        view = self._view
        if len(view.segments) <= 1 and not len(view.removed):
            return view.manifest, view.segments, {}
        whole = joined(view.segments)
        segment = whole.kept(np.setdiff1d(np.arange(whole.rows), view.removed))
        manifest = replace(view.manifest, segments=(), removed=None)
        if not segment.rows:
            return manifest, (), {}
        name = self._new_name("segment")
        files = write_segment(self.folder, name, segment)
        return replace(manifest, segments=(SegmentRecord(name, segment.rows),)), (segment,), files

    def _new_name(self, kind: str) -> str:
        return f"{kind}-{self._view.manifest.generation + 1:06d}"

    def _commit_removed(self, rows: Rows) -> None:
        name = f"{self._new_name('removed')}.npy"
        with new_file(self.folder / name) as path:
            np.save(path, rows)
        manifest = replace(self._view.manifest, removed=name)
        self._commit(manifest, {name: record(self.folder / name)})

    def _commit(self, manifest: Manifest, new_files: dict[str, FileRecord]) -> None:
        """Put a manifest in force, see the folder through it, and sweep away what it dropped."""
        known = {**manifest.files, **new_files}
        names = [*_segment_files(manifest), manifest.removed, manifest.neighbours]
        files = {name: known[name] for name in names if name is not None}
        manifest = replace(manifest, generation=manifest.generation + 1, files=files)
        write_manifest(self.folder, manifest)
        self._view = _load(self.folder, manifest, self._view)
        sweep(self.folder, manifest)


def damage(folder: Path) -> list[str]:
    """What is wrong with the files of an index, a sentence each; none if they are as written."""
    sentences = []
    for name, expected in read_manifest(folder).files.items():
        try:
            check_record(folder, name, expected, anew=True)
        except FileFormatError as error:
            sentences.append(str(error))
        except FileNotFoundError:
            sentences.append(f"{folder / name} is missing")
    return sentences


def _refuse_strangers(folder: Path) -> None:
    """See that a folder is not there yet, or has nothing in it but what a killed build left."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise FileFormatError(f"{folder} is a file; name a folder for the index")
    strangers = [path.name for path in folder.iterdir() if not path.name.startswith(_LEFTOVERS)]
    if strangers:
        raise FileFormatError(f"{folder} holds other files ({strangers[0]}); name a new folder")


def _segment_files(manifest: Manifest) -> list[str]:
    return [
        f"{segment.name}{ending}"
        for segment in manifest.segments
        for ending in (EXPRESSIONS, VECTORS, KEYS)
    ]


def _load_latest(
    folder: Path,
    known: FolderView | None,
    latest: Manifest | None = None,
    *,
    without_neighbours: bool = False,
) -> FolderView:
    """The view of the manifest in force, which a writer may replace while files are opened."""
    for _ in range(_PATIENCE):
        manifest, latest = latest or read_manifest(folder), None
        try:
            return _load(folder, manifest, known, without_neighbours=without_neighbours)
        except FileNotFoundError as error:
            if read_manifest(folder).generation == manifest.generation:
                raise FileFormatError(
                    f"{error.filename} is missing; the index is damaged"
                ) from None
    raise BusyError(f"{folder} is being rewritten again and again; try later")


def _load(
    folder: Path,
    manifest: Manifest,
    known: FolderView | None,
    *,
    without_neighbours: bool = False,
) -> FolderView:
    """A view of the files that a manifest names; those that a known view has open are kept."""
    names = () if known is None else known.manifest.segments
    opened = dict(zip(names, known.segments, strict=True)) if known is not None else {}
    segments = tuple(
        opened.get(segment) or read_segment(folder, segment.name, manifest)
        for segment in manifest.segments
    )
    is_indexed = manifest.neighbours is not None and not without_neighbours
    if known is not None and manifest.neighbours == known.manifest.neighbours:
        index = known.index
    else:
        index = _read_neighbours(folder, manifest) if is_indexed else None
    return FolderView(manifest, segments, _read_removed(folder, manifest), index)


def _read_neighbours(folder: Path, manifest: Manifest) -> Any:
    name = str(manifest.neighbours)
    try:
        check_record(folder, name, manifest.files[name])
    except FileFormatError as error:
        hint = f"make it again with: equivec index tune --index {shlex.quote(str(folder))}"
        raise FileFormatError(f"{error}; {hint}") from None
    return faiss.read_index(str(folder / name))


def _read_removed(folder: Path, manifest: Manifest) -> Rows:
    if manifest.removed is None:
        return np.empty(0, dtype=np.int64)
    check_record(folder, manifest.removed, manifest.files[manifest.removed])
    rows: Rows = np.load(folder / manifest.removed)
    return rows
