"""Training classes held out whole, in turns, so that settings are chosen without any test row."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from equivec.errors import ConfigError
from equivec.semvec.dataset import SemVecDataset, Split
from equivec.semvec.splits import LARGEST_UNSEEN_CLASS

if TYPE_CHECKING:
    from equivec.semvec.runs import Fold


def without_tests(dataset: SemVecDataset) -> SemVecDataset:
    """The training and validation rows alone: by them, as queries and neighbours, one may choose.

    >>> from equivec.semvec.dataset import semvec_spec
    >>> from equivec.semvec.enumeration import enumerate_semvec
    >>> sorted(set(without_tests(enumerate_semvec(semvec_spec("Bool5"))).split_ids.tolist()))
    [0, 1]
    """
    kept = np.isin(dataset.split_ids, (Split.TRAIN, Split.VALIDATION))
    _, class_ids = np.unique(dataset.class_ids[kept], return_inverse=True)
    return replace(
        dataset,
        expressions=dataset.expressions[kept],
        class_ids=class_ids.astype(np.int32),
        split_ids=dataset.split_ids[kept],
    )


def fold_dataset(dataset: SemVecDataset, fold: Fold) -> SemVecDataset:
    """A dataset without its tests, in which a fold's classes are the unseen ones."""
    rest = without_tests(dataset)
    is_held_out = np.isin(rest.class_ids, held_out_classes(rest, fold))
    splits = np.where(is_held_out, Split.UNSEEN, rest.split_ids).astype(np.uint8)
    return replace(rest, split_ids=splits)


def held_out_classes(dataset: SemVecDataset, fold: Fold) -> npt.NDArray[np.int64]:
    """The classes of a fold, eligible as the unseen ones were: by their size.

    A class must have two training rows, and at most three times the mean.
    """
    classes, sizes = np.unique(dataset.class_ids[dataset.rows(Split.TRAIN)], return_counts=True)
    eligible = classes[(sizes >= 2) & (sizes <= LARGEST_UNSEEN_CLASS * sizes.mean())]
    if fold.count > len(eligible):
        raise ConfigError(
            f"{dataset.spec.name} has {len(eligible)} training classes that can be held out; "
            f"{fold.count} folds are too many"
        )
    order = np.random.default_rng(0).permutation(eligible)
    return order[fold.number - 1 :: fold.count].astype(np.int64)
