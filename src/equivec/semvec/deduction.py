"""What deduction alone finds, without any network: the baseline of what is trained on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from equivec.semvec.dataset import SemVecDataset, Split
from equivec.semvec.derivation import DerivationConfig
from equivec.semvec.enumeration import functions_of
from equivec.semvec.runs import PlannedRun
from equivec.semvec.score import score_neighbours
from equivec.semvec.sets import make_set, requests, spellings
from equivec.semvec.settings import SETTINGS

if TYPE_CHECKING:
    from equivec.semvec.derivation import TrainingSet

_NONE = -1  # no class, no neighbour

Numbers = npt.NDArray[np.int64]


def describe_deduction(dataset: SemVecDataset) -> dict[str, float]:
    """The score_5 of deduction on the unseen classes, and what `larger` shows of these.

    Neighbours of an expression are the other members of its deduced class, and a place that these
    cannot fill is a miss: `combined` is shown at most so many members of a class, `union-find` are
    all of them.
    """
    every = DerivationConfig(most_of_a_class=len(dataset))
    return {
        "union_find": _score(_deduced(dataset, "combined", every), dataset),
        "shown_to_combined": _score(_deduced(dataset, "combined"), dataset),
        **_shown_by_larger(_deduced(dataset, "larger"), dataset),
    }


def _score(part: TrainingSet, dataset: SemVecDataset) -> float:
    deduced = _class_by_row(part, dataset)
    members = {number: np.flatnonzero(deduced == number) for number in np.unique(deduced).tolist()}
    members[_NONE] = np.empty(0, dtype=np.int64)

    def nearest(queries: Numbers, k: int) -> Numbers:
        found = np.full((len(queries), k), _NONE)
        for place, query in enumerate(queries.tolist()):
            others = members[int(deduced[query])][: k + 1]
            others = others[others != query][:k]
            found[place, : len(others)] = others
        return found

    found = score_neighbours(dataset, dataset.rows(Split.UNSEEN), nearest)
    return round(float(found.published[4]), 3)


def _shown_by_larger(part: TrainingSet, dataset: SemVecDataset) -> dict[str, int]:
    """How many unseen classes and expressions have their function among larger expressions."""
    shown = _marks(functions_of(dataset.spec, part.expressions))
    unseen = dataset.rows(Split.UNSEEN)
    is_shown = np.isin(_marks(functions_of(dataset.spec, dataset.expressions[unseen])), shown)
    class_ids = dataset.class_ids[unseen]
    return {
        "unseen_classes": len(np.unique(class_ids)),
        "classes_shown_by_larger": len(np.unique(class_ids[is_shown])),
        "unseen_expressions": len(unseen),
        "expressions_shown_by_larger": int(is_shown.sum()),
    }


def _deduced(
    dataset: SemVecDataset, setting: str, config: DerivationConfig | None = None
) -> TrainingSet:
    """What a setting deduces: the last of its sets."""
    run = PlannedRun(dataset.spec.name, SETTINGS[setting], seed=0)
    return make_set(requests(run)[-1], dataset, config)


def _class_by_row(part: TrainingSet, dataset: SemVecDataset) -> Numbers:
    """For every expression of a dataset the class it was deduced in, if it was."""
    width = max(part.expressions.shape[1], dataset.expressions.shape[1])
    known, asked = (spellings(each.expressions, width).tolist() for each in (part, dataset))
    classes = dict(zip(known, part.class_ids.tolist(), strict=True))
    return np.array([classes.get(spelling, _NONE) for spelling in asked])


def _marks(functions: npt.NDArray[np.generic]) -> npt.NDArray[np.void]:
    """One value for each function, to be compared."""
    rows = np.ascontiguousarray(functions)
    return rows.view(f"V{rows.dtype.itemsize * rows.shape[1]}").reshape(-1)
