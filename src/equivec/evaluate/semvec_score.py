"""The SemVec score: how many of an expression's nearest neighbours mean the same as it does.

score_k (Allamanis et al. 2017, section 4) is the mean over the queries q of a split of

    |N_k(q) ∩ class(q)| / min(k, |class(q)|)

where N_k(q) are the k expressions of the whole dataset nearest to q by cosine, q left out. Since q
is counted in its own class but cannot be its own neighbour, a perfect model falls short of 100 on
small classes; `ceiling` says how far. The corrected score divides by min(k, |class(q)| - 1).
Expressions alone in their class are no queries. All scores are in percent, as in the papers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from equivec.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from equivec.corpus.semvec import SemVecDataset, Split

LARGEST_K = 15
_BLOCK_VALUES = 2**25  # similarities held at once: 128 MiB
_SORTED_WHOLE = 256  # rows this short are sorted outright

Floats = npt.NDArray[np.float32]
Rows = npt.NDArray[np.int64]
Nearest = Callable[[Rows, int], Rows]  # queries and k to the (queries, k) rows nearest to each


@dataclass(frozen=True, eq=False)
class SemVecScore:
    """Both scores of a split for k = 1, 2, ..., in percent."""

    published: npt.NDArray[np.float64]  # (largest k,)
    corrected: npt.NDArray[np.float64]  # (largest k,)
    query_count: int


def score(
    dataset: SemVecDataset, vectors: Floats, split: Split, largest_k: int = LARGEST_K
) -> SemVecScore:
    """The scores of a split, given a vector for every expression of the dataset.

    >>> from equivec.corpus.semvec import Split, semvec_spec
    >>> from equivec.corpus.semvec_enumeration import enumerate_semvec
    >>> dataset = enumerate_semvec(semvec_spec("SimpPoly5"))
    >>> perfect = np.eye(dataset.class_count, dtype=np.float32)[dataset.class_ids]
    >>> result = score(dataset, perfect, Split.UNSEEN)
    >>> bool(result.published[4] == ceiling(dataset, Split.UNSEEN, 5)), float(result.corrected[4])
    (True, 100.0)
    """
    if len(vectors) != len(dataset):
        raise ConfigError(
            f"{len(vectors)} vectors for {len(dataset)} expressions of {dataset.spec.name}; "
            "there must be one for each, in the order of the dataset"
        )
    nearest = partial(nearest_neighbours, vectors)
    return score_neighbours(dataset, dataset.rows(split), nearest, largest_k)


def score_neighbours(
    dataset: SemVecDataset, rows: Rows, nearest: Nearest, largest_k: int = LARGEST_K
) -> SemVecScore:
    """The scores over some rows of a dataset, however their neighbours are found."""
    queries = _queries(dataset, rows)
    hits = _hits(dataset, queries, nearest(queries, largest_k), largest_k)
    sizes = _class_sizes(dataset, queries)[:, None]
    ks = np.arange(1, largest_k + 1)
    return SemVecScore(
        published=100 * (hits / np.minimum(ks, sizes)).mean(axis=0),
        corrected=100 * (hits / np.minimum(ks, sizes - 1)).mean(axis=0),
        query_count=len(queries),
    )


def ceiling(dataset: SemVecDataset, split: Split, k: int) -> float:
    """The published score_k that a perfect model would reach on a split."""
    sizes = _class_sizes(dataset, _queries(dataset, dataset.rows(split)))
    return float(100 * (np.minimum(k, sizes - 1) / np.minimum(k, sizes)).mean())


def _hits(dataset: SemVecDataset, queries: Rows, nearest: Rows, largest_k: int) -> Rows:
    """How many of the first k neighbours are of the query's class, (queries, largest k)."""
    hits = np.zeros((len(queries), largest_k), dtype=np.int64)
    hits[:, : nearest.shape[1]] = dataset.class_ids[nearest] == dataset.class_ids[queries, None]
    return hits.cumsum(axis=1)


def _queries(dataset: SemVecDataset, rows: Rows) -> Rows:
    """The rows that are not alone in their class."""
    queries = rows[_class_sizes(dataset, rows) > 1]
    if not len(queries):
        raise ConfigError(
            f"none of {len(rows)} rows of {dataset.spec.name} shares its class with another, "
            "so there is nothing to score"
        )
    return queries


def _class_sizes(dataset: SemVecDataset, rows: Rows) -> Rows:
    return dataset.class_sizes[dataset.class_ids[rows]]


def nearest_neighbours(
    vectors: Floats, queries: Rows, k: int, block_size: int | None = None
) -> Rows:  # (queries, min(k, rows - 1))
    """The k rows nearest to each query by cosine, nearest first, exact.

    Of equally near rows (to the last bit of float32) the lower comes first, so that the same
    vectors give the same neighbours. `block_size` queries are compared at once; it sets the memory.

    >>> vectors = np.array([[1, 0], [2, 0], [1, 1], [0, 1]], dtype=np.float32)
    >>> nearest_neighbours(vectors, np.array([0, 3]), 2).tolist()
    [[1, 2], [2, 0]]
    """
    units = _unit_vectors(vectors)
    k = min(k, len(units) - 1)
    nearest = np.empty((len(queries), k), dtype=np.int64)
    block_size = block_size or max(1, _BLOCK_VALUES // len(units))
    for start, similarities in _similarities(units, queries, block_size):
        nearest[start : start + len(similarities)] = _first(similarities, k)
    return nearest


def _unit_vectors(vectors: Floats) -> Floats:
    """The vectors as float32 at length one."""
    units = np.ascontiguousarray(vectors, dtype=np.float32)
    lengths = np.linalg.norm(units, axis=1, keepdims=True)
    bad = np.flatnonzero(~(np.isfinite(lengths) & (lengths > 0)))
    if len(bad):
        raise ConfigError(
            f"vector {bad[0]} has length {lengths[bad[0], 0]}, so it has no cosine with another; "
            "every vector must be finite and not zero"
        )
    normal: Floats = units / lengths
    return normal


def _similarities(units: Floats, queries: Rows, block_size: int) -> Iterator[tuple[int, Floats]]:
    """The cosines of some queries with all rows, block after block, in one buffer used again."""
    buffer = np.empty((min(block_size, len(queries)), len(units)), dtype=np.float32)
    for start in range(0, len(queries), block_size):
        block = queries[start : start + block_size]
        similarities = np.matmul(units[block], units.T, out=buffer[: len(block)])
        similarities[np.arange(len(block)), block] = -np.inf
        yield start, similarities


def _first(values: Floats, k: int) -> Rows:  # (rows, k)
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
    groups = np.sort(_first(maxima, k), axis=1)
    candidates = (groups[:, :, None] * width + np.arange(width)).reshape(len(values), -1)
    found = np.take_along_axis(values, np.minimum(candidates, columns - 1), axis=1)
    found[candidates >= columns] = -np.inf
    return np.take_along_axis(candidates, _first(found, k), axis=1)
