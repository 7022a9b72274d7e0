"""Deduction without a network: classes by union-find, scored as neighbours."""

import numpy as np
import pytest

from equivec.semvec.dataset import SemVecDataset, Split
from equivec.semvec.deduction import describe_deduction
from equivec.semvec.enumeration import functions_of
from equivec.semvec.score import ceiling


@pytest.mark.parametrize("name", ["Bool5", "Poly5", "SimpPoly5"])
def test_deduction_scores_at_most_the_ceiling_and_samples_of_its_classes_no_more(
    name: str, datasets: dict[str, SemVecDataset]
) -> None:
    found = describe_deduction(datasets[name])
    most = ceiling(datasets[name], Split.UNSEEN, 5)
    assert 0 < found["shown_to_combined"] <= found["union_find"] <= most + 0.001


@pytest.mark.parametrize("name", ["Bool5", "Poly5", "SimpPoly5"])
def test_only_training_rows_count(name: str, datasets: dict[str, SemVecDataset]) -> None:
    """Without training rows of two forms there is no identity, and nothing is deduced."""
    dataset = datasets[name]
    training = dataset.rows(Split.TRAIN)
    _, first = np.unique(dataset.class_ids[training], return_index=True)
    splits = np.full(len(dataset), Split.SEEN, dtype=np.uint8)
    splits[dataset.rows(Split.UNSEEN)] = Split.UNSEEN
    splits[training[first]] = Split.TRAIN
    alone = SemVecDataset(dataset.spec, dataset.expressions, dataset.class_ids, splits)
    assert describe_deduction(alone)["union_find"] == 0


@pytest.mark.parametrize("name", ["Bool5", "Poly5", "SimpPoly5"])
def test_functions_of_expressions_are_equal_exactly_within_classes(
    name: str, datasets: dict[str, SemVecDataset]
) -> None:
    dataset = datasets[name]
    functions = functions_of(dataset.spec, dataset.expressions)
    _, numbers = np.unique(functions, axis=0, return_inverse=True)
    pairs = set(zip(dataset.class_ids.tolist(), numbers.reshape(-1).tolist(), strict=True))
    assert len(pairs) == dataset.class_count == numbers.max() + 1
