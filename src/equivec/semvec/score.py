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
    from equivec.embed.neighbours import Floats, Rows
    from equivec.semvec.dataset import SemVecDataset, Split

LARGEST_K = 15
# Queries and k to the (queries, k) rows nearest to each; a place with -1 has no neighbour.
Nearest = Callable[["Rows", int], "Rows"]


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

    >>> from equivec.semvec.dataset import Split, semvec_spec
    >>> from equivec.semvec.enumeration import enumerate_semvec
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
    from equivec.embed.neighbours import nearest_neighbours  # needs more than networks do

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
    is_same = dataset.class_ids[nearest] == dataset.class_ids[queries, None]
    hits[:, : nearest.shape[1]] = is_same & (nearest >= 0)
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
