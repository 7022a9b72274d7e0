"""Nearest vectors: our index beside plain `faiss.IndexFlatIP`, and lookups by key.

The vectors are those of a file or an index (`--vectors`), or random ones in clusters of clusters;
`equivec embed expressions.txt -o vectors.npy` makes such a file. Some are held out as queries.
faiss gets all cores and the setting with which its flat search is fastest.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import faiss
import numpy as np

from benchmarks.timing import Row, duel, solo, typical
from equivec.expression.tree import Node
from equivec.search.entries import Entries, Traits
from equivec.search.filters import EVERYTHING
from equivec.search.folder import FolderStore
from equivec.search.manifest import NeighbourConfig
from equivec.search.neighbours import recall

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from equivec.search.folder import FolderView

    Vectors = NDArray[np.float32]

_ROWS, _WIDTH = 1_000_000, 256
_QUERIES, _SINGLES, _BATCHES, _K = 1_000, 50, 4, 10
_LOOKUPS = 10_000
_TOPICS, _MEMBERS = 500, 8


def search(seed: int, vectors: Path | None = None) -> Iterator[Row]:
    """Recall, queries a second one by one and in batches, sizes, opening, and lookups."""
    generator = np.random.default_rng(seed)
    every = _clustered(generator) if vectors is None else _read(vectors)
    order = generator.permutation(len(every))
    queries, stored = every[order[:_QUERIES]], every[order[_QUERIES:]]
    what = f"{len(stored):,} x {stored.shape[1]} {'random ' if vectors is None else ''}vectors"
    with TemporaryDirectory() as folder:
        keys = _fill(Path(folder), stored, generator)
        yield _opening(Path(folder), what)
        view = FolderStore.open(Path(folder)).view()
        yield from _against_flat(view, stored, queries, what)
        yield from _sizes(view, stored, what)
        yield _lookups(view, generator.permutation(keys)[:_LOOKUPS], what)


def _read(path: Path) -> Vectors:
    """The vectors of a .npy file, or of an index as it stores them."""
    if path.is_dir():
        view = FolderStore.open(path).view()
        return view.vectors.take(np.arange(len(view.vectors)))
    vectors: Vectors = np.load(path).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def _clustered(generator: np.random.Generator) -> Vectors:
    """Random vectors around a common mean, in topics, in groups of equivalents."""
    groups = (_ROWS + _QUERIES) // _MEMBERS
    mean, topics = _normal(generator, 1), _normal(generator, _TOPICS)
    centres = mean + 0.7 * topics[generator.integers(_TOPICS, size=groups)]
    centres += _normal(generator, groups)
    vectors = np.repeat(centres, _MEMBERS, axis=0)
    vectors += 0.5 * _normal(generator, len(vectors))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def _normal(generator: np.random.Generator, rows: int) -> Vectors:
    return generator.standard_normal((rows, _WIDTH), dtype=np.float32)


def _fill(folder: Path, vectors: Vectors, generator: np.random.Generator) -> NDArray[np.uint64]:
    """Store the vectors under texts of a corpus's length and random keys."""
    count = len(vectors)
    keys = generator.integers(2**64, size=count, dtype=np.uint64)
    texts = [
        f"add mul INT+ {number:,} x sin div x INT+ 2".replace(",", " ") for number in range(count)
    ]
    traits = Traits(
        np.zeros(count, np.uint64), np.zeros(count, np.uint32), np.ones(count, np.uint8)
    )
    store = FolderStore.create(folder, "benchmark", vectors.shape[1], "int8", NeighbourConfig())
    with store.writing():
        store.append(Entries(texts, [Node("x")] * count, keys, traits), vectors)
        store.finish()
    return keys


def _opening(folder: Path, what: str) -> Row:
    seconds = typical(solo([folder] * 5, FolderStore.open))
    return Row(benchmark="search", what=f"opening {what}", ours=seconds, unit="s")


def _against_flat(view: FolderView, stored: Vectors, queries: Vectors, what: str) -> Iterator[Row]:
    flat = faiss.IndexFlatIP(stored.shape[1])
    flat.add(stored)

    def ours(some: Vectors) -> Any:
        return view.nearest_rows(some, _K, EVERYTHING)[0]

    def alternative(some: Vectors) -> Any:
        faiss.omp_set_num_threads(os.cpu_count() or 1)
        return flat.search(some, _K)[1]

    singles = [query[None] for query in queries[:_SINGLES]]
    batches = np.array_split(queries, _BATCHES)
    for some in (singles[0], batches[0]):
        ours(some)
        alternative(some[:1])
    one_by_one = list(duel(singles, ours, alternative))
    batched = list(duel(batches, ours, alternative, stretch=1))
    found = np.concatenate([bout.ours.result for bout in batched])
    truth = np.concatenate([bout.alternative.result for bout in batched])
    share = recall(found, truth)
    yield Row(
        benchmark="search",
        what=f"recall@{_K}, {what}",
        ours=share,
        alternative=1.0,
        unit="of the neighbours",
        ratio=share,
        goal=0.95,
    )
    for name, bouts, goal in (("one by one", one_by_one, 100.0), ("batched", batched, 20.0)):
        size = len(bouts[0].work)
        rate = size / typical(bout.ours for bout in bouts)
        other = size / typical(bout.alternative for bout in bouts)
        yield Row(
            benchmark="search",
            what=f"{name}, {what}",
            ours=rate,
            alternative=other,
            unit="queries/s",
            ratio=rate / other,
            goal=goal,
        )


def _sizes(view: FolderView, stored: Vectors, what: str) -> Iterator[Row]:
    files = view.manifest.files
    compressed = sum(files[name].bytes for name in [view.manifest.neighbours] if name is not None)
    for name, size, goal in (
        ("size of the folder", sum(file.bytes for file in files.values()), 2.5),
        ("size of the compressed index", compressed, None),
        ("memory of the opened index", compressed + _texts_and_traits(view), None),
    ):
        yield Row(
            benchmark="search",
            what=f"{name}, {what}",
            ours=size / 1e6,
            alternative=stored.nbytes / 1e6,
            unit="MB",
            ratio=stored.nbytes / size if size else None,
            goal=goal,
        )


def _texts_and_traits(view: FolderView) -> int:
    """The bytes of what is read from the Parquet files; vectors and keys are mapped."""
    columns = (view.traits.symbols, view.traits.operators, view.traits.variables)
    texts = sum(segment.texts.nbytes for segment in view.segments)
    return int(texts + sum(column.nbytes for column in columns))


def _lookups(view: FolderView, keys: NDArray[np.uint64], what: str) -> Row:
    start = time.perf_counter()
    found = sum(len(view.rows_with(keys[place : place + 1])[0]) for place in range(len(keys)))
    seconds = time.perf_counter() - start
    assert found >= len(keys)
    return Row(
        benchmark="search",
        what=f"lookups by key among {what}",
        ours=len(keys) / seconds,
        unit="lookups/s",
    )
