"""How much of the unseen classes training rows become when their variables change names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from equivec.corpus.semvec import SemVecDataset, Split
from equivec.pipeline.semvec.sets import token_ids

if TYPE_CHECKING:
    from collections.abc import Sequence

Tokens = npt.NDArray[np.uint8]


def describe_renaming(dataset: SemVecDataset) -> dict[str, float]:
    """The shares of unseen expressions and classes that are those of training, renamed.

    A class is one of training, renamed, if one of its expressions is an expression of a class with
    training rows: that is all of them where a dataset holds every expression up to its size, and a
    lower bound where it is a sample.
    """
    forms = canonical_forms(dataset.expressions, token_ids(dataset.spec, dataset.spec.variables))
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


def canonical_forms(expressions: Tokens, variables: Sequence[int]) -> Tokens:
    """Expressions with their variables renamed in the order in which they first occur.

    Two expressions are renamings of each other exactly if these forms are equal.

    >>> canonical_forms(np.array([[9, 5, 9, 3, 5]], dtype=np.uint8), [3, 4, 5]).tolist()
    [[9, 3, 9, 4, 3]]
    """
    renamed = expressions.copy()
    new_ids = np.full((len(expressions), len(variables)), -1)
    counts = np.zeros(len(expressions), dtype=np.int64)
    for column in range(expressions.shape[1]):
        for place, variable in enumerate(variables):
            rows = np.flatnonzero(expressions[:, column] == variable)
            new = rows[new_ids[rows, place] < 0]
            new_ids[new, place] = counts[new]
            counts[new] += 1
            renamed[rows, column] = np.asarray(variables, dtype=np.uint8)[new_ids[rows, place]]
    return renamed


def _share(found: npt.NDArray[np.bool_]) -> float:
    return round(float(found.mean()), 4)
