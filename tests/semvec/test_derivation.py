"""Deduction from training classes: whatever follows is true, and what differs is different."""

from dataclasses import replace

import numpy as np
import pytest

from equivec.semvec.dataset import PADDING, Split, semvec_spec
from equivec.semvec.derivation import TrainingSet, derive
from support.semvec import derived, enumerated, ids, plain, space_of

small_sets = pytest.mark.parametrize(
    "name", ["SimpPoly5", "Poly5", "Bool5", "oneV-Poly10", "SimpPoly8"]
)


def true_classes(part: TrainingSet, name: str, more: int = 0) -> np.ndarray:
    """The class of every expression, by truth table or by values modulo a prime."""
    spec = semvec_spec(name)
    dataset = enumerated(replace(spec, largest_size=spec.largest_size + more))
    known = {
        row.tobytes(): n for row, n in zip(dataset.expressions, dataset.class_ids, strict=True)
    }
    return np.array([known[row.tobytes()] for row in part.expressions])


def assert_sound(part: TrainingSet, truth: np.ndarray) -> None:
    pairs = np.unique(np.stack([part.class_ids, truth]), axis=1)
    assert pairs.shape[1] == len(part.labels), "one class holds two functions"
    functions = pairs[1]
    for column in part.labels.T:
        for label in np.unique(functions):
            known = column[(functions == label) & (column >= 0)]
            assert len(np.unique(known)) <= 1, "one function is said to differ from itself"


@small_sets
def test_what_is_deduced_is_equivalent_and_what_differs_is_different(name: str) -> None:
    part = derived(name)
    assert_sound(part, true_classes(part, name))


@pytest.mark.parametrize("name", ["SimpPoly5", "Bool5"])
def test_larger_expressions_are_deduced_soundly_and_are_no_test_expressions(name: str) -> None:
    spec = semvec_spec(name)
    part = derived(name, more=2, smallest=spec.largest_size + 1)
    assert_sound(part, true_classes(part, name, more=2))
    assert ((part.expressions != PADDING).sum(axis=1) > spec.largest_size).all()


@pytest.mark.parametrize(("name", "target"), [("Poly5", "SimpPoly8"), ("Poly5", "oneV-Poly10")])
def test_a_training_set_speaks_of_another_space(name: str, target: str) -> None:
    part = derived(name, target)
    assert_sound(part, true_classes(part, target))
    assert len(part.labels) < len(part.expressions) / 3


def test_deduction_finds_functions_that_training_never_met() -> None:
    spec = semvec_spec("Bool5")
    dataset = enumerated(spec)
    part = derived("Bool5")
    found = true_classes(part, "Bool5")
    unseen = np.unique(dataset.class_ids[dataset.rows(Split.UNSEEN)])
    assert np.isin(unseen, found).mean() > 0.8


ADD_AB, ADD_BA = "add a b", "add b a"


def rows_of(*texts: str) -> np.ndarray:
    spec = semvec_spec("SimpPoly5")
    rows = [ids(spec, tuple(text.split())) for text in texts]
    return np.array([[*row, *[PADDING] * (5 - len(row))] for row in rows], dtype=np.uint8)


def test_deduction_worked_by_hand() -> None:
    """Commutativity alone: arguments may change places, brackets may not move."""
    spec = replace(semvec_spec("SimpPoly5"), operators=("add",))
    part = derive(
        rows_of(ADD_AB, ADD_BA), np.array([0, 0]), ids(spec, spec.variables), space_of(spec)
    )
    classes = {
        row.tobytes(): number for row, number in zip(part.expressions, part.class_ids, strict=True)
    }

    def class_of(text: str) -> int:
        return int(classes[rows_of(text)[0].tobytes()])

    assert class_of("add a c") == class_of("add c a"), "renamed"
    assert class_of("add add a b c") == class_of("add c add b a"), "substituted and in context"
    left, right = class_of("add add a b c"), class_of("add a add b c")
    assert left != right, "associativity does not follow"
    labels = part.labels[[left, right]]
    assert not ((labels >= 0).all(axis=0) & (labels[0] != labels[1])).any(), "nor is it refuted"


def test_classes_that_training_tells_apart_are_known_to_differ() -> None:
    part = plain("Poly5")
    assert np.array_equal(part.labels[:, 0], np.arange(len(part.class_sizes)))
