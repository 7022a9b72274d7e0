"""How a SemVec dataset is split, and the training pairs its classes give.

The sizes are those of the published splits, exactly; which classes and expressions fall where is a
draw of its own, since the published draw hangs on an order of the classes that the files do not
keep.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equivec.model.clusters import MOST_PAIRS
from equivec.semvec.dataset import SemVecDataset, Split

LARGEST_UNSEEN_CLASS = 3  # times the mean: neighbours in larger classes are too easy to find

Rows = npt.NDArray[np.int64]


def split_rows(
    class_ids: npt.NDArray[np.int32], generator: np.random.Generator
) -> npt.NDArray[np.uint8]:
    """A split for every row.

    Unseen is a sixth of the classes, rounded up (a fifth of what is left), among those of at least
    two and at most three times the mean number of expressions. Every other class gives a quarter of
    its expressions to SEEN and 15% to VALIDATION, both rounded down, and the rest to TRAIN.

    >>> class_ids = np.repeat(np.arange(6, dtype=np.int32), 20)
    >>> splits = split_rows(class_ids, np.random.default_rng(0))
    >>> [int((splits == split).sum()) for split in Split]
    [60, 15, 25, 20]
    """
    sizes = np.bincount(class_ids)
    places = _places_in_class(class_ids, sizes, generator)
    seen, validation = sizes // 4, sizes * 15 // 100
    splits = np.full(len(class_ids), Split.TRAIN, dtype=np.uint8)
    splits[places < (seen + validation)[class_ids]] = Split.VALIDATION
    splits[places < seen[class_ids]] = Split.SEEN
    splits[_unseen_classes(sizes, generator)[class_ids]] = Split.UNSEEN
    return splits


def _places_in_class(
    class_ids: npt.NDArray[np.int32], sizes: Rows, generator: np.random.Generator
) -> Rows:
    """A random order within each class: for every row, its place from 0."""
    order = generator.permutation(len(class_ids))
    order = order[np.argsort(class_ids[order], kind="stable")]
    places = np.empty(len(class_ids), dtype=np.int64)
    places[order] = np.arange(len(class_ids)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return places


def _unseen_classes(sizes: Rows, generator: np.random.Generator) -> npt.NDArray[np.bool_]:
    """For every class, whether it is held out whole."""
    eligible = np.flatnonzero((sizes >= 2) & (sizes <= LARGEST_UNSEEN_CLASS * sizes.mean()))
    count = min(-(-len(sizes) // 6), len(eligible))
    unseen = np.zeros(len(sizes), dtype=np.bool_)
    unseen[generator.choice(eligible, count, replace=False)] = True
    return unseen


def training_pairs_count(dataset: SemVecDataset) -> int:
    """How many ordered pairs the training expressions give, at most 200,000 a class."""
    sizes = np.bincount(dataset.class_ids[dataset.rows(Split.TRAIN)])
    return int(2 * np.minimum(sizes * (sizes - 1) // 2, MOST_PAIRS).sum())


def training_pairs(
    dataset: SemVecDataset, generator: np.random.Generator
) -> npt.NDArray[np.int32]:  # (pairs, 2), rows of the dataset
    """All ordered pairs of different training expressions of one class, class after class.

    Of a class with more than 100,000 unordered pairs, so many are drawn, uniformly and without
    repetition (Gangwar & Kani 2023, setting SemEmb). Each stands with its reverse.
    """
    rows = dataset.rows(Split.TRAIN).astype(np.int32)
    rows = rows[np.argsort(dataset.class_ids[rows], kind="stable")]
    classes = np.split(rows, np.flatnonzero(np.diff(dataset.class_ids[rows])) + 1)
    pairs = np.empty((training_pairs_count(dataset), 2), dtype=np.int32)
    filled = 0
    for members in classes:
        first, second = _unordered_pairs(len(members), generator)
        for left, right in ((first, second), (second, first)):
            block = pairs[filled : filled + len(left)]
            block[:, 0], block[:, 1] = members[left], members[right]
            filled += len(left)
    return pairs


def _unordered_pairs(size: int, generator: np.random.Generator) -> tuple[Rows, Rows]:
    """The places of both members of each pair; pair number n(n-1)/2 + m is that of m < n."""
    count = size * (size - 1) // 2
    if count > MOST_PAIRS:
        numbers = generator.choice(count, MOST_PAIRS, replace=False)
    else:
        numbers = np.arange(count)
    larger = ((1 + np.sqrt(1 + 8 * numbers)) // 2).astype(np.int64)
    return numbers - larger * (larger - 1) // 2, larger
