"""A run of rows as three files: expressions, vectors, and the table that finds them by key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from equivec.search.arrays import Mapped
from equivec.search.entries import Entries, Traits
from equivec.search.manifest import FileRecord, check_record, new_file, record

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from equivec.search.manifest import Manifest, Precision

EXPRESSIONS, VECTORS, KEYS = ".parquet", ".vectors.npy", ".keys.npy"


@dataclass(frozen=True, slots=True)
class Segment:
    """Rows of an index.

    `keys` has two lines: the keys in ascending order, and the row that each belongs to.
    """

    texts: pa.StringArray
    traits: Traits
    vectors: NDArray[Any]  # (rows, width), as they are stored
    keys: NDArray[np.uint64]  # (2, rows)
    mapped: tuple[Mapped, ...] = ()  # where vectors and keys lie, if that is on the disk

    @property
    def entries(self) -> Entries:
        """The rows without their vectors; their spellings are the texts, for lack of better."""
        keys = np.empty(self.rows, dtype=np.uint64)
        keys[self.keys[1].astype(np.int64)] = self.keys[0]
        texts = self.texts.to_pylist()
        return Entries(texts, texts, keys, self.traits)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.texts)

    def with_keys(self, keys: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
        """The rows that have one of some different keys, each with its key."""
        starts, ends = (np.searchsorted(self.keys[0], keys, side) for side in ("left", "right"))
        places = [np.arange(start, end) for start, end in zip(starts, ends, strict=True)]
        found = np.concatenate(places) if len(places) != 1 else places[0]
        return self.keys[1, found].astype(np.int64), self.keys[0, found]

    def kept(self, rows: NDArray[np.int64]) -> Segment:
        """Some of the rows, in ascending order."""
        places = np.full(self.rows, -1, dtype=np.int64)
        places[rows] = np.arange(len(rows))
        moved = places[self.keys[1].astype(np.int64)]
        keys = np.stack([self.keys[0], moved.astype(np.uint64)])[:, moved >= 0]
        return Segment(self.texts.take(pa.array(rows)), self.traits[rows], self.vectors[rows], keys)


def distinct(segment: Segment) -> Segment:
    """The first row of each expression."""
    numbers = segment.texts.dictionary_encode().indices.to_numpy()
    rows = np.sort(np.unique(numbers, return_index=True)[1])
    return segment if len(rows) == segment.rows else segment.kept(rows)


def new_segment(entries: Entries, vectors: NDArray[np.float32], precision: Precision) -> Segment:
    """Entries and their vectors as a segment."""
    order = np.argsort(entries.keys, kind="stable")
    return Segment(
        pa.array(entries.texts, pa.string()),
        entries.traits,
        pack(vectors, precision),
        np.stack([entries.keys[order], order.astype(np.uint64)]),
    )


def joined(segments: Sequence[Segment]) -> Segment:
    """One segment with the rows of all, in order."""
    if len(segments) == 1:
        return segments[0]
    starts = np.cumsum([0, *(segment.rows for segment in segments)]).astype(np.uint64)
    keys = np.concatenate([segment.keys[0] for segment in segments])
    rows = [segment.keys[1] + start for segment, start in zip(segments, starts, strict=False)]
    order = np.argsort(keys, kind="stable")
    return Segment(
        pa.concat_arrays([segment.texts for segment in segments]),
        Traits.stacked([segment.traits for segment in segments]),
        np.concatenate([segment.vectors for segment in segments]),
        np.stack([keys[order], np.concatenate(rows)[order]]),
    )


def write_segment(folder: Path, name: str, segment: Segment) -> dict[str, FileRecord]:
    """Write the files of a segment; what the manifest says of them comes back."""
    table = pa.table(
        {
            "tokens": segment.texts,
            "symbols": segment.traits.symbols,
            "operators": segment.traits.operators,
            "variables": segment.traits.variables,
        }
    )
    with new_file(folder / f"{name}{EXPRESSIONS}") as path:
        pq.write_table(table, path, compression="zstd")
    for ending, array in ((VECTORS, segment.vectors), (KEYS, segment.keys)):
        with new_file(folder / f"{name}{ending}") as path:
            np.save(path, array)
    names = [f"{name}{ending}" for ending in (EXPRESSIONS, VECTORS, KEYS)]
    return {name: record(folder / name) for name in names}


def read_segment(folder: Path, name: str, manifest: Manifest) -> Segment:
    """A segment of a folder, as it was written; vectors and keys stay on the disk."""
    files = [f"{name}{ending}" for ending in (EXPRESSIONS, VECTORS, KEYS)]
    for file in files:
        check_record(folder, file, manifest.files[file])
    expressions, *arrays = (folder / file for file in files)
    table = pq.read_table(expressions)
    texts = table["tokens"].combine_chunks()
    traits = Traits(*(table[name].to_numpy() for name in ("symbols", "operators", "variables")))
    vectors, keys = mapped = tuple(map(Mapped.open, arrays))
    return Segment(texts, traits, vectors.array, keys.array, mapped)


def pack(vectors: NDArray[np.float32], precision: Precision) -> NDArray[Any]:
    """Vectors of length 1 as they are stored.

    As int8, the largest number of each row becomes 127 or -127: only the direction is kept.

    >>> pack(np.array([[0.6, -0.8]], dtype=np.float32), "int8")
    array([[  95, -127]], dtype=int8)
    """
    if precision == "int8":
        peaks = np.abs(vectors).max(axis=1, keepdims=True)
        scale = np.divide(127, peaks, out=np.zeros_like(peaks), where=peaks > 0)
        codes: NDArray[np.int8] = np.rint(vectors * scale).astype(np.int8)
        return codes
    return vectors.astype(np.dtype(precision))


def unpack(stored: NDArray[Any]) -> NDArray[np.float32]:
    """Stored vectors as float32, of length 1."""
    vectors = stored.astype(np.float32)
    lengths = np.sqrt(np.einsum("...d,...d->...", vectors, vectors))[..., None]
    vectors /= np.where(lengths > 0, lengths, 1)
    return vectors
