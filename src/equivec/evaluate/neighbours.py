"""Nearest vectors by cosine, exact, among any number of them, never with all distances at once.

Queries and rows are compared block by block as matrix products; of each block only the best stay.
The rows may lie in a file that is mapped into memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from equivec.errors import ConfigError, require_at_least

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_BLOCK_VALUES = 2**25  # float32 values held at once, of rows and of cosines: 128 MiB each
_SORTED_WHOLE = 256  # rows this short are sorted outright
_NOBODY = -1
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
    first.

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
    k = _possible(k, sum(map(len, parts)), forbidden)
    units = unit_vectors(queries, "query")
    best = _nobody_yet(len(queries), k)
    if k == 0:
        return best
    space = np.empty(block_values, dtype=np.float32)  # new memory for each block would cost a third
    for first_row, block in _unit_blocks(parts, block_values):
        height = max(1, block_values // len(block))
        for start in range(0, len(units), height):
            some = slice(start, start + height)
            here = units[some]
            cosines = space[: len(here) * len(block)].reshape(len(here), len(block))
            np.matmul(here, block.T, out=cosines)
            _forbid(cosines, forbidden[some] - first_row)
            _keep_best(best, some, cosines, first_row)
    return best


def nearest_neighbours(vectors: Floats, queries: Rows, k: int) -> Rows:
    """The k rows nearest to some of the rows by cosine; no row is its own neighbour.

    >>> vectors = np.array([[1, 0], [2, 0], [1, 1], [0, 1]], dtype=np.float32)
    >>> nearest_neighbours(vectors, np.array([0, 3]), 2).tolist()
    [[1, 2], [2, 0]]
    """
    return nearest(vectors[queries], vectors, k, excluded=queries[:, None]).rows


def unit_vectors(vectors: Floats, what: str = "vector", first_row: int = 0) -> Floats:
    """The vectors as float32 at length one."""
    units = np.ascontiguousarray(vectors, dtype=np.float32)
    lengths = np.linalg.norm(units, axis=1, keepdims=True)
    bad = np.flatnonzero(~(np.isfinite(lengths) & (lengths > 0)))
    if len(bad):
        raise ConfigError(
            f"{what} {first_row + bad[0]} has length {lengths[bad[0], 0]}, so it has no cosine "
            "with another; every vector must be finite and not zero"
        )
    normal: Floats = units / lengths
    return normal


def first_columns(values: npt.NDArray[np.floating], k: int) -> Rows:  # (rows, k)
    """The columns of the k largest values of each row, largest first, of equals the lower first.

    Columns are grouped side by side. The k groups with the largest maxima, of equals the lower,
    hold what is sought, so only they are looked at more closely: each value is read once, where
    sorting or partitioning whole rows would take several times as long as their computation.
    """
    columns = values.shape[1]
    width = round((columns / k) ** 0.5)
    if columns <= _SORTED_WHOLE or width < 2:
        return np.argsort(-values, axis=1, kind="stable")[:, :k]
    maxima = np.maximum.reduceat(values, np.arange(0, columns, width), axis=1)
    groups = np.sort(first_columns(maxima, k), axis=1)
    candidates = (groups[:, :, None] * width + np.arange(width)).reshape(len(values), -1)
    found = np.take_along_axis(values, np.minimum(candidates, columns - 1), axis=1)
    found[candidates >= columns] = -np.inf
    return np.take_along_axis(candidates, first_columns(found, k), axis=1)


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


def _nobody_yet(queries: int, k: int) -> Neighbours:
    rows = np.full((queries, k), _NOBODY, dtype=np.int64)
    return Neighbours(rows, np.full((queries, k), -np.inf, dtype=np.float32))


def _unit_blocks(parts: Sequence[Floats], block_values: int) -> Iterator[tuple[int, Floats]]:
    """The rows at length one, block after block, each with the number of its first row."""
    before = 0
    for part in parts:
        height = max(1, block_values // max(1, part.shape[1]))
        for start in range(0, len(part), height):
            first_row = before + start
            yield first_row, unit_vectors(part[start : start + height], first_row=first_row)
        before += len(part)


def _forbid(cosines: Floats, columns: Rows) -> None:
    is_here = (columns >= 0) & (columns < cosines.shape[1])
    queries, places = is_here.nonzero()
    cosines[queries, columns[queries, places]] = -np.inf


def _keep_best(best: Neighbours, some: slice, cosines: Floats, first_row: int) -> None:
    """Put the best of a block among the best so far; earlier rows are lower, so they stay first."""
    k = best.rows.shape[1]
    columns = first_columns(cosines, min(k, cosines.shape[1]))
    values = np.take_along_axis(cosines, columns, axis=1)
    both = np.concatenate([best.cosines[some], values], axis=1)
    rows = np.concatenate([best.rows[some], columns + first_row], axis=1)
    order = np.argsort(-both, axis=1, kind="stable")[:, :k]
    best.cosines[some] = np.take_along_axis(both, order, axis=1)
    best.rows[some] = np.take_along_axis(rows, order, axis=1)
