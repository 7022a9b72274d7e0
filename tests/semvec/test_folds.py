"""Classes held out in turns."""

import numpy as np

from equivec.semvec.dataset import SemVecDataset, Split
from equivec.semvec.folds import fold_dataset, held_out_classes
from equivec.semvec.runs import Fold

FOLDS = [Fold(number, 4) for number in (1, 2, 3, 4)]


def spellings(dataset: SemVecDataset, *splits: Split) -> set[bytes]:
    rows = np.flatnonzero(np.isin(dataset.split_ids, splits))
    return {dataset.expressions[row].tobytes() for row in rows}


def test_every_eligible_class_is_held_out_exactly_once(datasets: dict[str, SemVecDataset]) -> None:
    dataset = datasets["Bool5"]
    train = dataset.class_ids[dataset.rows(Split.TRAIN)]
    sizes = np.bincount(train)
    mean = sizes[sizes > 0].mean()
    eligible = np.flatnonzero((sizes >= 2) & (sizes <= 3 * mean))
    found = np.concatenate([held_out_classes(dataset, fold) for fold in FOLDS])
    assert sorted(found.tolist()) == eligible.tolist()
    assert len(eligible) > 50


def test_no_test_row_is_left_and_held_out_classes_are_whole(
    datasets: dict[str, SemVecDataset],
) -> None:
    dataset = datasets["Bool5"]
    tests = spellings(dataset, Split.SEEN, Split.UNSEEN)
    for fold in FOLDS:
        part = fold_dataset(dataset, fold)
        assert spellings(part, *Split).isdisjoint(tests)
        assert len(part) == len(dataset) - len(tests)
        held_out = set(part.class_ids[part.rows(Split.UNSEEN)].tolist())
        others = part.class_ids[part.split_ids != Split.UNSEEN].tolist()
        assert held_out.isdisjoint(others)
        assert len(held_out) == len(held_out_classes(dataset, fold))


def test_rows_of_one_class_stay_in_one_class(datasets: dict[str, SemVecDataset]) -> None:
    dataset = datasets["Poly5"]
    part = fold_dataset(dataset, FOLDS[0])
    classes = {
        row.tobytes(): number
        for row, number in zip(dataset.expressions, dataset.class_ids, strict=True)
    }
    before = np.array([classes[row.tobytes()] for row in part.expressions])
    pairs = {*zip(before.tolist(), part.class_ids.tolist(), strict=True)}
    assert len(pairs) == len(np.unique(before)) == part.class_count
