"""How much of the unseen classes training rows become when their variables change names."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equivec.semvec.dataset import SemVecDataset, Split
from equivec.semvec.derivation import with_holes
from equivec.semvec.sets import token_ids


def describe_renaming(dataset: SemVecDataset) -> dict[str, float]:
    """The shares of unseen expressions and classes that are those of training, renamed.

    A class is one of training, renamed, if one of its expressions is an expression of a class with
    training rows: that is all of them where a dataset holds every expression up to its size, and a
    lower bound where it is a sample.
    """
    forms = with_holes(dataset.expressions, token_ids(dataset.spec, dataset.spec.variables))
    _, numbers = np.unique(forms, axis=0, return_inverse=True)
    numbers = numbers.reshape(-1)
    training, unseen = dataset.rows(Split.TRAIN), dataset.rows(Split.UNSEEN)
    is_trained = np.isin(dataset.class_ids, dataset.class_ids[training])
    of_a_class = np.isin(numbers[unseen], numbers[is_trained])
    classes = np.unique(dataset.class_ids[unseen])
    found = np.unique(dataset.class_ids[unseen][of_a_class])
    return {
        "share_of_unseen_expressions": _share(np.isin(numbers[unseen], numbers[training])),
        "share_of_unseen_classes": _share(np.isin(classes, found)),
    }


def _share(found: npt.NDArray[np.bool_]) -> float:
    return round(float(found.mean()), 4)
