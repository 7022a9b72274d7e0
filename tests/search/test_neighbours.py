"""Neighbours: exact search is exact, the compressed index keeps its promise."""

from __future__ import annotations

import numpy as np
import pytest

from equivec.errors import ConfigError
from equivec.search.manifest import EXACT, NeighbourConfig
from equivec.search.neighbours import (
    Vectors,
    choose,
    flat_index,
    kinds_for,
    propose,
    rank,
    recall,
)
from equivec.search.segments import pack, unpack

WIDTH = 32


def clustered(count: int, seed: int = 0) -> np.ndarray:
    generator = np.random.default_rng(seed)
    centres = np.random.default_rng(7).normal(size=(60, WIDTH))
    vectors = centres[generator.integers(60, size=count)] + 0.4 * generator.normal(
        size=(count, WIDTH)
    )
    return unit(vectors)


def unit(vectors: np.ndarray) -> np.ndarray:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def brute_force(vectors: np.ndarray, queries: np.ndarray, k: int) -> np.ndarray:
    return np.argsort(-(queries @ vectors.T), axis=1, kind="stable")[:, :k]


@pytest.mark.parametrize(
    ("precision", "tolerance"), [("int8", 0.01), ("float16", 1e-3), ("float32", 1e-6)]
)
def test_stored_vectors_keep_their_direction(precision, tolerance) -> None:
    vectors = clustered(500)
    stored = pack(vectors, precision)
    assert stored.dtype == np.dtype(precision)
    assert np.abs(np.einsum("nd,nd->n", unpack(stored), vectors) - 1).max() < tolerance


def test_storing_twice_changes_nothing() -> None:
    stored = pack(clustered(500), "int8")
    assert (pack(unpack(stored), "int8") == stored).all()


def test_a_vector_of_zeros_is_stored_as_zeros() -> None:
    assert (unpack(pack(np.zeros((1, 4), np.float32), "int8")) == 0).all()


def test_rows_of_several_segments_are_one_list() -> None:
    vectors = clustered(300)
    parts = [vectors[:100], vectors[100:101], vectors[101:]]
    rows = np.array([[0, 99, 100], [101, 299, 0]])
    assert np.allclose(Vectors(parts, WIDTH).take(rows), vectors[rows], atol=1e-6)


@pytest.mark.parametrize("queries", [1, 50])
def test_exact_search_is_brute_force(queries: int) -> None:
    vectors, asked = clustered(700), clustered(queries, seed=1)
    stored = Vectors([vectors[:300], vectors[300:]], WIDTH)
    rows, cosines = rank(stored, asked, propose(flat_index(stored, 0), asked, 10), 10)
    assert (rows == brute_force(vectors, asked, 10)).all()
    assert np.allclose(cosines, np.take_along_axis(asked @ vectors.T, rows, 1), atol=1e-5)


def test_a_missing_candidate_ranks_last() -> None:
    stored = Vectors([clustered(5)], WIDTH)
    rows, cosines = rank(stored, clustered(1, seed=1), np.array([[-1, 3, -1, 2]]), 4)
    assert set(rows[0, :2]) == {2, 3}
    assert list(rows[0, 2:]) == [-1, -1]
    assert list(cosines[0, 2:]) == [-1, -1]


def test_few_vectors_are_searched_exactly() -> None:
    stored = Vectors([clustered(999)], WIDTH)
    choice, index = choose(stored, NeighbourConfig(exact_below=1_000))
    assert (choice.kind, choice.rows, index) == (EXACT, 999, None)


def test_many_vectors_are_searched_with_the_recall_that_was_measured() -> None:
    vectors = clustered(12_000)
    stored = Vectors([pack(vectors, "int8")], WIDTH)
    choice, index = choose(stored, NeighbourConfig(exact_below=1_000, recall=0.9))
    assert choice.kind in kinds_for(12_000, WIDTH)
    assert choice.recall >= 0.9
    queries = clustered(300, seed=1)
    found = propose(index, queries, choice.candidates, probes=choice.probes)
    rows, _ = rank(stored, queries, found, 10)
    # Other queries than those of the measurement, against vectors that were never compressed.
    assert recall(rows, brute_force(vectors, queries, 10)) > 0.85


def test_the_choice_is_told_in_a_sentence() -> None:
    choice, _ = choose(Vectors([clustered(10)], WIDTH), NeighbourConfig())
    assert choice.sentence() == "neighbours: exact search"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"exact_below": 10}, "exact_below must be at least 1,000, not 10"),
        ({"recall": 1.5}, "recall must lie between 0.5 and 1, not at 1.5"),
    ],
)
def test_settings_outside_their_range_are_refused(settings, message) -> None:
    with pytest.raises(ConfigError, match=message):
        NeighbourConfig(**settings)
