"""Measures: scikit-learn as the judge, and small cases worked by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from sklearn import metrics
from sklearn.neighbors import NearestNeighbors

from equivec.embed.neighbours import unit_vectors
from equivec.errors import ConfigError
from equivec.evaluate.measures import (
    adjusted_rand_index,
    area_under_curve,
    best_f1,
    centroid_accuracy,
    cosine_purities,
    cosine_silhouette,
    k_means,
    purities,
    silhouette,
)

if TYPE_CHECKING:
    from collections.abc import Callable


def blobs(seed: int, spread: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Three groups of unequal size in five dimensions."""
    random = np.random.default_rng(seed)
    labels = np.repeat([0, 1, 2], [300, 250, 130])
    centres = random.normal(size=(3, 5)) * 3
    return centres[labels] + spread * random.normal(size=(len(labels), 5)), labels


@pytest.mark.parametrize("seed", range(5))
def test_the_area_and_the_best_f1_are_those_of_scikit_learn(seed: int) -> None:
    random = np.random.default_rng(seed)
    truth = random.random(300) < 0.4
    scores = np.round(random.normal(size=300) + truth, 1)  # many ties
    assert area_under_curve(scores, truth) == pytest.approx(metrics.roc_auc_score(truth, scores))
    precision, recall, _ = metrics.precision_recall_curve(truth, scores)
    expected = (2 * precision * recall / np.maximum(precision + recall, 1e-9)).max()
    found = best_f1(scores, truth)
    assert found.value == pytest.approx(expected)
    assert metrics.f1_score(truth, scores >= found.threshold) == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(5))
def test_the_rand_index_is_that_of_scikit_learn(seed: int) -> None:
    random = np.random.default_rng(seed)
    left, right = random.integers(0, 6, (2, 200))
    right[:120] = left[:120]
    expected = metrics.adjusted_rand_score(left, right)
    assert adjusted_rand_index(left, right) == pytest.approx(expected)


def test_groupings_of_one_group_agree() -> None:
    assert adjusted_rand_index([0, 0, 0], [1, 1, 1]) == 1


@pytest.mark.parametrize("seed", range(3))
def test_silhouettes_are_those_of_scikit_learn(seed: int) -> None:
    points, labels = blobs(seed, spread=2.0)
    assert silhouette(points, labels) == pytest.approx(metrics.silhouette_score(points, labels))
    units = unit_vectors(points)
    expected = metrics.silhouette_score(units, labels, metric="cosine")
    assert cosine_silhouette(units, labels) == pytest.approx(expected, abs=1e-5)


def test_a_point_alone_in_its_class_has_no_silhouette() -> None:
    points, labels = np.array([[0.0], [1.0], [9.0]]), np.array([0, 0, 1])
    assert silhouette(points, labels) == pytest.approx(metrics.silhouette_score(points, labels))


def test_purities_are_those_of_scikit_learns_neighbours() -> None:
    points, labels = blobs(1, spread=4.0)
    units = unit_vectors(points)
    both = np.stack([labels, labels[::-1]])
    for found, space in (
        (purities(points, both, [1, 5]), points),
        (cosine_purities(units, both, [1, 5]), units),
    ):
        near = NearestNeighbors(n_neighbors=6).fit(space).kneighbors(return_distance=False)
        for place, k in enumerate((1, 5)):
            expected = (both[:, near[:, :k]] == both[:, :, None]).mean(axis=2)
            np.testing.assert_allclose(found[place], expected)


def test_a_purity_is_the_mean_over_all_ways_to_break_ties() -> None:
    points, labels = np.array([[0.0], [1.0], [1.0], [1.0], [2.0]]), np.array([0, 0, 1, 1, 1])
    # Two nearest of 0: any two of three; of a 1: the two others; of 2: any two of three.
    expected = [[1 / 3, 0, 1 / 2, 1 / 2, 2 / 3]]
    np.testing.assert_allclose(purities(points, labels[None], [2])[0], expected)


@pytest.mark.parametrize("measure", [purities, cosine_purities])
def test_purities_do_not_depend_on_the_order_of_points_that_tie(
    measure: Callable[..., np.ndarray],
) -> None:
    random = np.random.default_rng(0)
    points = unit_vectors(random.integers(1, 4, size=(300, 3)))  # 27 places at most
    labels = np.sort(random.integers(0, 4, 300))
    found = measure(points, labels[None], [1, 5])
    order = random.permutation(300)
    np.testing.assert_allclose(
        measure(points[order], labels[None, order], [1, 5]), found[..., order]
    )


def test_points_fewer_than_the_neighbours_asked_for_have_all_others() -> None:
    points, labels = np.array([[0.0], [1.0], [5.0]]), np.array([[0, 0, 1]])
    assert purities(points, labels, [5]).tolist() == [[[0.5, 0.5, 0.0]]]


def test_a_point_is_judged_by_means_that_do_not_hold_it() -> None:
    """By the means of all, 1.5 and 5, every point is right; without 3, its class is at 0."""
    points, labels = np.array([[0.0], [3.0], [4.0], [6.0]]), np.array([0, 0, 1, 1])
    assert centroid_accuracy(points, labels) == 0.75


@pytest.mark.parametrize("offset", [0, 1e8])
def test_the_nearest_means_are_those_of_the_others_taken_one_by_one(offset: float) -> None:
    points, labels = blobs(6, spread=6.0)
    points = points.astype(np.float64) + offset
    right = 0
    for place, (point, label) in enumerate(zip(points, labels, strict=True)):
        is_other = np.arange(len(points)) != place
        means = np.array([points[is_other & (labels == each)].mean(axis=0) for each in range(3)])
        right += np.linalg.norm(means - point, axis=1).argmin() == label
    assert 0.4 < centroid_accuracy(points, labels) == right / len(points) < 0.95


def test_tight_groups_are_found_by_k_means() -> None:
    points, labels = blobs(2, spread=0.1)
    assert adjusted_rand_index(k_means(points, 3, seed=0), labels) == 1


def test_k_means_is_the_same_for_the_same_seed_and_takes_equal_points() -> None:
    points, _ = blobs(3, spread=3.0)
    assert np.array_equal(k_means(points, 9, seed=4), k_means(points, 9, seed=4))
    assert k_means(np.ones((5, 2), dtype=np.float32), 3, seed=0).tolist() == [0] * 5


@pytest.mark.parametrize(
    ("work", "problem"),
    [
        (lambda: area_under_curve([1, 2], [True, True]), "positives and negatives"),
        (lambda: best_f1([1, 2], [False, False]), "positives and negatives"),
        (lambda: k_means(np.ones((2, 2)), 3, 0), "3 clusters cannot be made of 2 vectors"),
        (lambda: silhouette(np.ones((2, 2)), np.zeros(2)), "at least two classes"),
        (lambda: centroid_accuracy(np.ones((3, 2)), np.array([0, 0, 1])), "at least two points"),
    ],
    ids=["area", "F1", "k-means", "silhouette", "centroid"],
)
def test_what_cannot_be_measured_is_refused(work: object, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        work()  # type: ignore[operator]
