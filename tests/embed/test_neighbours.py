"""Nearest rows: brute force as the judge, blocks of any size, ties, and what is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from equivec.embed.neighbours import nearest, nearest_neighbours, unit_vectors
from equivec.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path


def brute_force(vectors: np.ndarray, queries: np.ndarray, k: int) -> np.ndarray:
    """All cosines, sorted; of equals the lower row first."""
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    similarities = units[queries] @ units.T
    similarities[np.arange(len(queries)), queries] = -np.inf
    return np.argsort(-similarities, axis=1, kind="stable")[:, :k]


def signs(rows: int, generator: np.random.Generator) -> np.ndarray:
    """Vectors of 16 signs: their cosines are exact in float32, so many are exactly equal."""
    return generator.choice(np.array([-1, 1], dtype=np.float32), (rows, 16))


@pytest.mark.parametrize("rows", [20, 257, 1_000, 3_001])
@pytest.mark.parametrize("k", [1, 5, 15])
def test_neighbours_are_those_of_brute_force(rows: int, k: int) -> None:
    generator = np.random.default_rng(rows + k)
    vectors = generator.normal(size=(rows, 24))
    queries = generator.choice(rows, min(rows, 100), replace=False)
    found = nearest_neighbours(vectors.astype(np.float32), queries, k)
    assert np.array_equal(found, brute_force(vectors, queries, k))


@pytest.mark.parametrize("rows", [20, 257, 3_001])
@pytest.mark.parametrize("k", [1, 5, 15])
def test_of_equally_near_rows_the_lower_comes_first(rows: int, k: int) -> None:
    generator = np.random.default_rng(rows + k)
    vectors, queries = signs(rows, generator), np.arange(0, rows, 7)
    assert np.array_equal(nearest_neighbours(vectors, queries, k), brute_force(vectors, queries, k))


@pytest.mark.parametrize("queries", [3, 60])
def test_copies_of_a_vector_tie_wherever_they_stand_and_however_they_round(queries: int) -> None:
    generator = np.random.default_rng(queries)
    different = generator.normal(size=(40, 67)).astype(np.float32)
    chosen = generator.integers(0, 40, 3_001)
    asked = generator.normal(size=(queries, 67)).astype(np.float32)
    best = (unit_vectors(asked) @ unit_vectors(different).T).argmax(axis=1)
    expected = [np.flatnonzero(chosen == one)[1:6].tolist() for one in best]
    excluded = np.array([[np.flatnonzero(chosen == one)[0], -1] for one in best])
    for block_values in (10_000, 10_000_000):
        found = nearest(asked, different[chosen], 5, excluded=excluded, block_values=block_values)
        assert found.rows.tolist() == expected


def test_where_all_vectors_are_one_the_first_rows_are_the_neighbours() -> None:
    vectors = np.tile(np.array([1, 1, 1, -1], dtype=np.float32), (2_000, 1))
    found = nearest_neighbours(vectors, np.array([0, 1_999]), 3)
    assert found.tolist() == [[1, 2, 3], [0, 1, 2]]


@pytest.mark.parametrize("block_values", [50, 1_000, 4_321, 100_000])
def test_blocks_of_any_size_give_the_same_neighbours(block_values: int) -> None:
    generator = np.random.default_rng(0)
    pool, queries = signs(1_500, generator), signs(60, generator)
    excluded = generator.integers(-1, 1_500, (60, 3))
    whole = nearest(queries, pool, 15, excluded=excluded)
    found = nearest(queries, pool, 15, excluded=excluded, block_values=block_values)
    assert np.array_equal(found.rows, whole.rows)
    assert np.array_equal(found.cosines, whole.cosines)


def test_excluded_rows_are_not_found_and_the_others_keep_their_order() -> None:
    generator = np.random.default_rng(1)
    pool, queries = generator.normal(size=(400, 8)), generator.normal(size=(30, 8))
    everyone = nearest(queries, pool, 400).rows
    excluded = everyone[:, [0, 2, 5]]
    left = [
        [row for row in rows if row not in out][:10]
        for rows, out in zip(everyone, excluded, strict=True)
    ]
    assert nearest(queries, pool, 10, excluded=excluded).rows.tolist() == left


@pytest.mark.parametrize("block_values", [100, 2**25])
def test_a_pool_in_parts_is_the_pool_as_one(block_values: int) -> None:
    generator = np.random.default_rng(2)
    pool, queries = signs(90, generator), signs(20, generator)
    excluded = generator.integers(-1, 90, (20, 4))
    whole = nearest(queries, pool, 7, excluded=excluded)
    parts = [pool[:30], pool[30:31], pool[31:]]
    found = nearest(queries, parts, 7, excluded=excluded, block_values=block_values)
    assert np.array_equal(found.rows, whole.rows)


def test_no_more_neighbours_come_back_than_every_query_may_have() -> None:
    pool = signs(4, np.random.default_rng(0))
    found = nearest(pool, pool, 9, excluded=np.array([[0, 0], [1, -1], [0, 1], [-1, -1]]))
    assert found.rows.shape == (4, 2)


def test_where_every_row_is_excluded_nothing_is_found() -> None:
    pool = signs(1, np.random.default_rng(0))
    found = nearest(pool, pool, 3, excluded=np.array([[0]]))
    assert (found.rows.shape, found.cosines.shape) == ((1, 0), (1, 0))


def test_rows_of_a_file_are_found_like_rows_in_memory(tmp_path: Path) -> None:
    pool = signs(300, np.random.default_rng(0))
    np.save(tmp_path / "pool.npy", pool.astype(np.float16))
    mapped = np.load(tmp_path / "pool.npy", mmap_mode="r")
    found = nearest(pool[:9], mapped, 5, block_values=400)
    assert np.array_equal(found.rows, nearest(pool[:9], pool, 5).rows)
    assert found.cosines.dtype == np.float32


@pytest.mark.parametrize(
    ("queries", "pool"), [((2, 3), (4, 5)), ((3,), (4, 3)), ((2, 3), (4, 3, 1))]
)
def test_shapes_that_do_not_fit_are_named(queries: tuple[int, ...], pool: tuple[int, ...]) -> None:
    with pytest.raises(ConfigError, match="cannot be compared with a pool of shape"):
        nearest(np.ones(queries, dtype=np.float32), np.ones(pool, dtype=np.float32), 1)


def test_at_least_one_neighbour_must_be_asked_for() -> None:
    with pytest.raises(ConfigError, match="k must be at least 1, not 0"):
        nearest(np.eye(2, dtype=np.float32), np.eye(2, dtype=np.float32), 0)


def test_the_length_of_a_vector_does_not_matter() -> None:
    generator = np.random.default_rng(0)
    vectors, queries = signs(500, generator), np.arange(500)
    scaled = vectors * generator.choice(np.array([0.25, 1, 8], dtype=np.float32), (500, 1))
    expected = nearest_neighbours(vectors, queries, 5)
    assert np.array_equal(nearest_neighbours(scaled, queries, 5), expected)


@pytest.mark.parametrize("bad", [0.0, np.nan, np.inf])
def test_a_vector_without_a_direction_is_named(bad: float) -> None:
    vectors = np.eye(3, dtype=np.float32)
    vectors[1] = bad
    with pytest.raises(ConfigError, match=f"vector 1 has length {bad}"):
        nearest(np.eye(3, dtype=np.float32), vectors, 1, block_values=3)
    with pytest.raises(ConfigError, match=f"query 1 has length {bad}"):
        nearest(vectors, np.eye(3, dtype=np.float32), 1)
