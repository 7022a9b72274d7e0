"""Nearest vectors by cosine, exact, by faiss; the rows may lie in files mapped into memory."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import faiss
import numpy as np
import numpy.typing as npt

from equivec.errors import ConfigError, require_at_least

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_BLOCK_VALUES = 2**25  # float32 values held at once, of rows and of results: 128 MiB each
_CACHED_VALUES = 2**20  # that stay in the processor's cache
_NOBODY = -1
# Rows are proposed beyond those that are wanted, and far more where rows tie for the last place.
_SPARE, _WIDER = 8, 8
ROUNDING = 1e-6  # of cosines in float32: nearer to each other than this, two are a tie

Floats = npt.NDArray[np.float32]
Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False, slots=True)
class Neighbours:
    """The rows nearest to each query, nearest first, and their cosines with it."""

    rows: Rows  # (queries, k)
    cosines: Floats  # (queries, k)


def nearest(
    queries: Floats,
    pool: Floats | Sequence[Floats],
    k: int,
    *,
    excluded: Rows | None = None,
    block_values: int = _BLOCK_VALUES,
) -> Neighbours:
    """The k rows of a pool nearest to each query by cosine, exact.

    The pool may come in parts whose rows are counted through, so that a large one in a file and a
    small one in memory need not be joined. `excluded` (queries, any number) names rows that may not
    be found, -1 naming none. Of equally near rows (to the last bit of float32) the lower comes
    first: a cosine is that of the two vectors alone, wherever they stand.

    >>> pool = np.array([[2, 0], [1, 1], [0, 1]], dtype=np.float32)
    >>> nearest(np.array([[1, 0]], dtype=np.float32), pool, 2).rows.tolist()
    [[0, 1]]
    >>> nearest(pool[:1], pool, 2, excluded=np.array([[0]])).rows.tolist()
    [[1, 2]]
    """
    parts = [pool] if isinstance(pool, np.ndarray) else pool
    for part in parts:
        _check_shapes(queries, part)
    forbidden = np.full((len(queries), 1), _NOBODY) if excluded is None else np.asarray(excluded)
    count = sum(map(len, parts))
    k = _possible(k, count, forbidden)
    units = unit_vectors(queries, "query")
    best = Neighbours(np.empty((len(units), k), np.int64), np.empty((len(units), k), np.float32))
    wanted, left = k + forbidden.shape[1] + _SPARE, np.arange(len(units) if k else 0)
    while len(left):
        wanted = min(wanted, count)
        height = max(1, block_values // wanted)
        tied = []
        for some in np.split(left, range(height, len(left), height)):
            found = nearest_in_blocks(units[some], _unit_blocks(parts, block_values), wanted)
            cosines = _cosines(units[some], parts, found.rows)
            is_tied = _keep(best, some, found, cosines, forbidden[some])
            tied.append(some[is_tied & (wanted < count)])
        wanted, left = wanted * _WIDER, np.concatenate(tied)
    return best


def nearest_in_blocks(units: Floats, blocks: Iterable[tuple[int, Floats]], k: int) -> Neighbours:
    """The k nearest rows of unit vectors that come block by block, each with its first row.

    Of rows that tie for the last place, any may be among the k.
    """
    prepare_faiss(os.cpu_count() or 1)
    best = Neighbours(np.empty((len(units), 0), np.int64), np.empty((len(units), 0), np.float32))
    for first_row, block in blocks:
        cosines, rows = faiss.knn(
            units, block, min(k, len(block)), metric=faiss.METRIC_INNER_PRODUCT
        )
        rows, cosines = np.hstack([best.rows, rows + first_row]), np.hstack([best.cosines, cosines])
        best = _sorted(rows, cosines, k)
    return best


def prepare_faiss(threads: int) -> None:
    """Let the calling thread's faiss use some threads, and its fastest way for so many queries."""
    # The default makes flat search of a few queries seven times slower on one core.
    faiss.cvar.distance_compute_blas_threshold = 20
    faiss.omp_set_num_threads(threads)


def nearest_neighbours(vectors: Floats, queries: Rows, k: int) -> Rows:
    """The k rows nearest to some of the rows by cosine; no row is its own neighbour.

    >>> vectors = np.array([[1, 0], [2, 0], [1, 1], [0, 1]], dtype=np.float32)
    >>> nearest_neighbours(vectors, np.array([0, 3]), 2).tolist()
    [[1, 2], [2, 0]]
    """
    return nearest(vectors[queries], vectors, k, excluded=queries[:, None]).rows


def unit_vectors(vectors: Floats, what: str = "vector", first_row: int = 0) -> Floats:
    """The vectors as float32 at length one."""
    found = np.ascontiguousarray(vectors, dtype=np.float32)
    lengths: Floats = np.linalg.norm(found, axis=1, keepdims=True)
    bad = np.flatnonzero(~(np.isfinite(lengths) & (lengths > 0)))
    if len(bad):
        raise ConfigError(
            f"{what} {first_row + bad[0]} has length {lengths[bad[0], 0]}, so it has no cosine "
            "with another; every vector must be finite and not zero"
        )
    return np.asarray(found / lengths, dtype=np.float32)


def _cosines(units: Floats, parts: Sequence[Floats], rows: Rows) -> Floats:
    """The cosines of queries with their rows, each computed in the same way.

    Those of faiss depend in their last bits on where a row stands in its block.
    """
    cosines = np.empty(rows.shape, dtype=np.float32)
    height = max(1, _CACHED_VALUES // (rows.shape[1] * units.shape[1]))
    for first in range(0, len(rows), height):
        some = slice(first, first + height)
        vectors = _take(parts, rows[some])
        lengths = np.linalg.norm(vectors, axis=2)
        cosines[some] = np.einsum("qd,qkd->qk", units[some], vectors) / lengths
    return cosines


def _take(parts: Sequence[Floats], rows: Rows) -> Floats:  # (queries, rows, width)
    """The vectors of rows that are counted through all parts."""
    if len(parts) == 1:
        return np.asarray(parts[0][rows], dtype=np.float32)
    starts = np.cumsum([0, *map(len, parts)])
    homes = np.searchsorted(starts, rows, side="right") - 1
    vectors = np.empty((*rows.shape, parts[0].shape[1]), dtype=np.float32)
    for home in np.unique(homes):
        is_here = homes == home
        vectors[is_here] = parts[home][rows[is_here] - starts[home]]
    return vectors


def _keep(
    best: Neighbours, some: Rows, found: Neighbours, cosines: Floats, forbidden: Rows
) -> npt.NDArray[np.bool_]:
    """Put the best allowed rows of some queries in place; whether rows not seen may tie."""
    is_forbidden = (found.rows[:, :, None] == forbidden[:, None, :]).any(axis=2)
    k = best.rows.shape[1]
    allowed = _sorted(found.rows, np.where(is_forbidden, -np.inf, cosines), k)
    best.rows[some], best.cosines[some] = allowed.rows, allowed.cosines
    is_tied: npt.NDArray[np.bool_] = found.cosines[:, -1] >= allowed.cosines[:, -1] - ROUNDING
    return is_tied


def _sorted(rows: Rows, cosines: Floats, k: int) -> Neighbours:
    """The k nearest of each line, nearest first, of equally near rows the lower first."""
    order = np.lexsort((rows, -cosines), axis=1)[:, :k]
    return Neighbours(np.take_along_axis(rows, order, 1), np.take_along_axis(cosines, order, 1))


def _check_shapes(queries: Floats, pool: Floats) -> None:
    if queries.ndim != 2 or pool.ndim != 2 or queries.shape[1] != pool.shape[1]:
        raise ConfigError(
            f"queries of shape {queries.shape} cannot be compared with a pool of shape "
            f"{pool.shape}; both must have one vector a row, of the same width"
        )


def _possible(k: int, rows: int, forbidden: Rows) -> int:
    """k, or fewer where some query may not find as many."""
    require_at_least(1, k=k)
    ordered = np.sort(forbidden, axis=1)
    is_new = np.diff(ordered, axis=1, prepend=_NOBODY) > 0
    return max(0, min(k, rows - int(is_new.sum(axis=1).max(initial=0))))


def _unit_blocks(parts: Sequence[Floats], block_values: int) -> Iterator[tuple[int, Floats]]:
    """The rows at length one, block after block, each with the number of its first row."""
    before = 0
    for part in parts:
        height = max(1, block_values // max(1, part.shape[1]))
        for start in range(0, len(part), height):
            first_row = before + start
            yield first_row, unit_vectors(part[start : start + height], first_row=first_row)
        before += len(part)
