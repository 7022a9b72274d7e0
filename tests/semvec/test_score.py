"""The SemVec score against cases worked by hand and the published ceilings."""

import os
from pathlib import Path

import numpy as np
import pytest

from equivec.errors import ConfigError
from equivec.semvec.dataset import SEMVEC_SPECS, SemVecDataset, SemVecSpec, Split, semvec_spec
from equivec.semvec.enumeration import enumerate_semvec
from equivec.semvec.published_files import read_published
from equivec.semvec.score import ceiling, score

CEILINGS = {"BoolL5": 77.4, "Poly8": 91.7, "SimpPoly8": 98.9, "SimpBoolL5": 85.5}
CEILINGS |= {"oneV-Poly10": 92.2, "Bool5": 94.8, "Poly5": 70.3, "SimpPoly5": 66.7}
CEILINGS |= {"oneV-Poly13": 99.9}  # the other five: 100.0


def dataset_of(class_ids: list[int], unseen: list[int]) -> SemVecDataset:
    """A dataset whose expressions do not matter, with these rows unseen and the others train."""
    split_ids = np.full(len(class_ids), Split.TRAIN, dtype=np.uint8)
    split_ids[unseen] = Split.UNSEEN
    expressions = np.zeros((len(class_ids), 5), dtype=np.uint8)
    return SemVecDataset(
        semvec_spec("Bool5"), expressions, np.array(class_ids, dtype=np.int32), split_ids
    )


def at_angles(*degrees: float) -> np.ndarray:
    radians = np.radians(degrees)
    return np.stack([np.cos(radians), np.sin(radians)], axis=1).astype(np.float32)


def test_a_case_worked_by_hand() -> None:
    """Rows 0, 1, 3 are one class, 2 and 4 another; 5 is alone and so no query.

    From row 0 (0 degrees) the others come in the order 1, 2, 3, 4, 5; from row 4 (40) in the order
    3, 2, 1, 0, 5.
    """
    dataset = dataset_of([0, 0, 1, 0, 1, 2], unseen=[0, 4, 5])
    result = score(dataset, at_angles(0, 5, 12, 25, 40, 120), Split.UNSEEN, largest_k=4)
    assert result.query_count == 2
    row_0 = np.array([1 / 1, 1 / 2, 2 / 3, 2 / 3])
    row_4 = np.array([0 / 1, 1 / 2, 1 / 2, 1 / 2])
    np.testing.assert_allclose(result.published, 50 * (row_0 + row_4))
    row_0 = np.array([1 / 1, 1 / 2, 2 / 2, 2 / 2])
    row_4 = np.array([0 / 1, 1 / 1, 1 / 1, 1 / 1])
    np.testing.assert_allclose(result.corrected, 50 * (row_0 + row_4))
    assert ceiling(dataset, Split.UNSEEN, 1) == 100
    assert ceiling(dataset, Split.UNSEEN, 4) == pytest.approx(50 * (2 / 3 + 1 / 2))


def test_a_dataset_smaller_than_k_runs_out_of_neighbours() -> None:
    dataset = dataset_of([0, 0, 1], unseen=[0])
    result = score(dataset, at_angles(0, 1, 2), Split.UNSEEN, largest_k=5)
    assert result.published.tolist() == [100, 50, 50, 50, 50]
    assert result.corrected.tolist() == [100] * 5


@pytest.mark.parametrize("split", Split, ids=lambda split: split.name)
def test_a_perfect_model_reaches_the_ceiling_and_a_hundred_corrected(split: Split) -> None:
    dataset = enumerate_semvec(semvec_spec("Poly5"))
    perfect = np.eye(dataset.class_count, dtype=np.float32)[dataset.class_ids]
    result = score(dataset, perfect, split)
    expected = [ceiling(dataset, split, k) for k in range(1, 16)]
    np.testing.assert_allclose(result.published, expected)
    np.testing.assert_allclose(result.corrected, 100)


def test_a_vector_for_every_expression_is_asked_for() -> None:
    with pytest.raises(ConfigError, match="2 vectors for 3 expressions of Bool5"):
        score(dataset_of([0, 0, 0], unseen=[0]), at_angles(0, 1), Split.UNSEEN)


def test_a_split_without_queries_is_refused() -> None:
    with pytest.raises(ConfigError, match="none of 1 rows of Bool5 shares its class"):
        ceiling(dataset_of([0, 0, 1], unseen=[2]), Split.UNSEEN, 5)


@pytest.mark.slow
def test_tight_classes_get_full_marks_on_the_largest_dataset() -> None:
    """A class a direction, and noise: all neighbours are found among 257,784 rows."""
    dataset = enumerate_semvec(semvec_spec("Bool8"))
    generator = np.random.default_rng(0)
    centres = generator.normal(size=(dataset.class_count, 64)).astype(np.float32)
    noise = generator.normal(size=(len(dataset), 64)).astype(np.float32)
    result = score(dataset, centres[dataset.class_ids] + 0.3 * noise, Split.UNSEEN)
    assert result.published.tolist() == [100.0] * 15


@pytest.mark.parametrize("spec", SEMVEC_SPECS, ids=lambda spec: spec.name)
def test_the_ceilings_of_the_published_unseen_classes(spec: SemVecSpec) -> None:
    shared = Path(__file__).parents[3] / "shared" / "semvec"
    folder = Path(os.environ.get("EQUIVEC_SEMVEC", shared))
    if not folder.is_dir():
        pytest.skip("the published SemVec files are not here; EQUIVEC_SEMVEC can name their folder")
    dataset = read_published(folder, spec)
    assert round(ceiling(dataset, Split.UNSEEN, 5), 1) == CEILINGS.get(spec.name, 100.0)
