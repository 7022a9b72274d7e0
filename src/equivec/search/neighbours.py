"""Nearest vectors: exact search of few, and of many a compressed index with a measured recall.

faiss proposes candidates and the stored vectors rank them, so a cosine is always that of the stored
vectors. Which index is used is decided by trying it on the index's own rows.
"""

from __future__ import annotations

import errno
import os
import time
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING, Any

import faiss
import numpy as np

from equivec.embed.neighbours import nearest_in_blocks, prepare_faiss
from equivec.search.manifest import EXACT, Choice
from equivec.search.segments import unpack

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from equivec.search.manifest import NeighbourConfig

    Rows = NDArray[np.int64]

_K = 10
_QUERIES = 200
_TIMED = 20
_BLOCK = 65_536
# Vectors that clusters and codes are learned from, for each cluster.
_TRAINING_SHARE = 64
_CANDIDATES = (30, 50, 100, 200, 400)
# Queries and rows that are worth starting threads for; fewer wait longer for them than they gain.
_MANY_QUERIES, _MANY_ROWS = 32, 100_000
# Queries that are ranked together, so that their candidates stay in the processor's cache.
_RANKED_TOGETHER = 8


class Vectors:
    """The stored vectors of several segments as one numbered list."""

    def __init__(self, parts: Sequence[NDArray[Any]], width: int) -> None:
        self.parts = parts
        self.width = width
        self.starts = np.cumsum([0, *(len(part) for part in parts)])

    def __len__(self) -> int:
        return int(self.starts[-1])

    def take(self, rows: Rows) -> NDArray[np.float32]:
        """The vectors of some rows, of length 1, in the rows' shape."""
        if len(self.parts) == 1:
            return unpack(self.parts[0][rows])
        found = np.empty((*rows.shape, self.width), dtype=np.float32)
        homes = np.searchsorted(self.starts, rows, side="right") - 1
        for home in np.unique(homes):
            here = homes == home
            found[here] = unpack(self.parts[home][rows[here] - self.starts[home]])
        return found

    def blocks(self, start: int, end: int) -> Iterator[tuple[int, NDArray[np.float32]]]:
        """The vectors from one row to another in pieces, each with its first row's number."""
        for first in range(start, end, _BLOCK):
            yield first, self.take(np.arange(first, min(first + _BLOCK, end)))

    def cosines(self, queries: NDArray[np.float32], rows: Rows) -> NDArray[np.float32]:
        """The cosine of each query with each of its own rows; -1 where the row is -1."""
        found = np.empty(rows.shape, dtype=np.float32)
        for start in range(0, len(queries), _RANKED_TOGETHER):
            some = slice(start, start + _RANKED_TOGETHER)
            vectors = self.take(np.maximum(rows[some], 0))  # (queries, candidates, width)
            found[some] = np.matmul(vectors, queries[some, :, None])[..., 0]
        return np.where(rows >= 0, found, np.float32(-1))


def rank(
    vectors: Vectors, queries: NDArray[np.float32], rows: Rows, k: int
) -> tuple[Rows, NDArray[np.float32]]:
    """The k best of each query's candidates, by the stored vectors; ties by row."""
    cosines = vectors.cosines(queries, rows)
    order = np.lexsort((rows, -cosines), axis=1)[:, :k]
    return np.take_along_axis(rows, order, 1), np.take_along_axis(cosines, order, 1)


def flat_index(vectors: Vectors, start: int) -> Any:
    """An exact index of the rows from one on; its numbers begin at 0."""
    index = faiss.IndexFlatIP(vectors.width)
    for _, block in vectors.blocks(start, len(vectors)):
        index.add(block)
    return index


def write_index(index: Any, path: Path) -> None:
    """Write a faiss index to a file."""
    try:
        faiss.write_index(index, str(path))
    except RuntimeError as error:  # whatever the system said, which is that there is no room
        raise OSError(errno.ENOSPC, f"it could not be written whole: {error}") from None


def propose(
    index: Any, queries: NDArray[np.float32], count: int, *, probes: int = 0, allowed: Any = None
) -> Rows:
    """A faiss index's best rows for each query; -1 where it has no more."""
    selector = None if allowed is None else faiss.IDSelectorBitmap(allowed)
    kind = faiss.SearchParametersIVF if probes else faiss.SearchParameters
    settings = {"nprobe": min(probes, index.nlist)} if probes else {}
    if selector is not None:
        settings["sel"] = selector
    is_large = len(queries) >= _MANY_QUERIES and index.ntotal >= _MANY_ROWS
    prepare_faiss(_processors() if is_large else 1)
    _, rows = index.search(queries, count, params=kind(**settings))
    found: Rows = rows
    return found


def _processors() -> int:
    return os.cpu_count() or 1


def choose(vectors: Vectors, config: NeighbourConfig) -> tuple[Choice, Any]:
    """How neighbours are to be found, and the compressed index if it takes one.

    Several are tried on rows of the index itself, left out of their own answers; what reaches the
    wanted recall fastest is taken.
    """
    if len(vectors) < config.exact_below:
        return Choice(EXACT, len(vectors)), None
    trial = _Trial(vectors, config)
    tried = []
    for kind in kinds_for(len(vectors), vectors.width):
        index = _learn(kind, vectors, config)
        tried += [(choice, index) for choice in trial.choices(kind, index)]
    if not tried:
        return Choice(EXACT, len(vectors)), None
    best, index = min(tried, key=lambda pair: pair[0].milliseconds)
    alone, exact = trial.milliseconds_alone(index, best), trial.exact_milliseconds()
    return replace(best, milliseconds=alone, exact_milliseconds=exact), index


def _learn(kind: str, vectors: Vectors, config: NeighbourConfig) -> Any:
    """A compressed index of all vectors."""
    index = faiss.index_factory(vectors.width, kind, faiss.METRIC_INNER_PRODUCT)
    generator = np.random.default_rng(config.seed)
    count = min(len(vectors), _TRAINING_SHARE * index.nlist)
    sample = np.sort(generator.choice(len(vectors), count, replace=False))
    index.cp.seed = config.seed
    index.cp.niter = 10
    prepare_faiss(_processors() if len(vectors) >= _MANY_ROWS else 1)
    index.train(vectors.take(sample))
    for _, block in vectors.blocks(0, len(vectors)):
        index.add(block)
    return index


def kinds_for(rows: int, width: int) -> list[str]:
    """The faiss names of what to try for so many rows: four bits for two numbers, or for four.

    >>> kinds_for(1_000_000, 256), kinds_for(20_000, 7)
    (['IVF2048,PQ128x4fs', 'IVF2048,PQ64x4fs'], ['IVF256,PQ7x4fs'])
    """
    lists = 1 << round(np.log2(2 * np.sqrt(rows)))
    parts = [width // size for size in (2, 4) if width % size == 0] or [width]
    return [f"IVF{lists},PQ{count}x4fs" for count in parts]


class _Trial:
    """Queries with their true neighbours."""

    def __init__(self, vectors: Vectors, config: NeighbourConfig) -> None:
        self.vectors = vectors
        self.config = config
        generator = np.random.default_rng(config.seed + 1)
        count = min(_QUERIES, len(vectors))
        self.own = np.sort(generator.choice(len(vectors), count, replace=False))
        self.queries = vectors.take(self.own)
        self.truth = self._without_own(self._exact(_K + 1))

    def exact_milliseconds(self) -> float:
        """What an exact search takes, from that of a block: it grows with the rows."""
        _, block = next(self.vectors.blocks(0, len(self.vectors)))
        index = faiss.IndexFlatIP(self.vectors.width)
        index.add(block)
        seconds = [_seconds(propose, index, query[None], _K) for query in self.queries[:_TIMED]]
        return 1e3 * median(seconds) * len(self.vectors) / len(block)

    def choices(self, kind: str, index: Any) -> Iterator[Choice]:
        """For each number of candidates, the fewest probes that reach the wanted recall.

        What they cost is that of many queries at once: one alone mostly waits for Python.
        """
        for candidates in _CANDIDATES:
            for probes in (1 << power for power in range(index.nlist.bit_length())):
                found = self._recall(index, candidates, probes)
                if found >= self.config.recall:
                    choice = Choice(kind, len(self.vectors), probes, candidates, found)
                    seconds = [_seconds(self._find, index, choice, self.queries) for _ in range(3)]
                    yield replace(choice, milliseconds=1e3 * min(seconds) / len(self.queries))
                    break

    def milliseconds_alone(self, index: Any, choice: Choice) -> float:
        """What one query takes."""
        each = (query[None] for query in self.queries[:_TIMED])
        return 1e3 * median(_seconds(self._find, index, choice, query) for query in each)

    def _find(self, index: Any, choice: Choice, queries: NDArray[np.float32]) -> None:
        rows = propose(index, queries, choice.candidates, probes=choice.probes)
        rank(self.vectors, queries, rows, _K)

    def _exact(self, k: int) -> Rows:
        blocks = self.vectors.blocks(0, len(self.vectors))
        found = nearest_in_blocks(self.queries, blocks, k)
        return rank(self.vectors, self.queries, found.rows, k)[0]

    def _without_own(self, rows: Rows) -> Rows:
        """The answers without the query's own row; without the last where it is not there."""
        is_own = rows == self.own[:, None]
        is_own[~is_own.any(axis=1), -1] = True
        others: Rows = rows[~is_own].reshape(len(rows), -1)
        return others

    def _recall(self, index: Any, candidates: int, probes: int) -> float:
        found = propose(index, self.queries, candidates, probes=probes)
        ranked, _ = rank(self.vectors, self.queries, found, _K + 1)
        return recall(self._without_own(ranked), self.truth)


def recall(found: Rows, truth: Rows) -> float:
    """The share of the true neighbours that were found.

    >>> recall(np.array([[1, 2], [3, 4]]), np.array([[2, 1], [3, 5]]))
    0.75
    """
    hits = (found[:, :, None] == truth[:, None, :]).any(axis=1)
    return float(hits.mean())


def _seconds(function: Any, *arguments: Any) -> float:
    start = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - start
