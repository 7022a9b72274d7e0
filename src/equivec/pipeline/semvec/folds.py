"""Training classes held out whole, in turns, so that settings are chosen without any test row."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from equivec.corpus.semvec import SemVecDataset, Split
from equivec.corpus.semvec_splits import LARGEST_UNSEEN_CLASS

if TYPE_CHECKING:
    from equivec.pipeline.semvec.runs import Fold


def fold_dataset(dataset: SemVecDataset, fold: Fold) -> SemVecDataset:
    """A dataset of the training and validation rows alone, with a fold's classes as unseen ones.

    The test rows are not in it: they are neither queries nor neighbours.
    """
    kept = np.isin(dataset.split_ids, (Split.TRAIN, Split.VALIDATION))
    is_held_out = np.isin(dataset.class_ids[kept], held_out_classes(dataset, fold))
    _, class_ids = np.unique(dataset.class_ids[kept], return_inverse=True)
    return replace(
        dataset,
        expressions=dataset.expressions[kept],
        class_ids=class_ids.astype(np.int32),
        split_ids=np.where(is_held_out, Split.UNSEEN, dataset.split_ids[kept]).astype(np.uint8),
    )


def held_out_classes(dataset: SemVecDataset, fold: Fold) -> npt.NDArray[np.int64]:
    """The classes of a fold, eligible as the unseen ones were: by their size.

    A class must have two training rows, and at most three times the mean.
    """
    classes, sizes = np.unique(dataset.class_ids[dataset.rows(Split.TRAIN)], return_counts=True)
    eligible = classes[(sizes >= 2) & (sizes <= LARGEST_UNSEEN_CLASS * sizes.mean())]
    order = np.random.default_rng(0).permutation(eligible)
    return order[fold.number - 1 :: fold.count].astype(np.int64)
