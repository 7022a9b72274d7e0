"""Arrays of clusters and of analogies: their weights, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from equivec.errors import FileFormatError
from equivec.expression.grammar import ELEMENTARY
from equivec.model.clusters import Clusters
from support.models import EQUIVALENTS, tiny_analogies, tiny_clusters

if TYPE_CHECKING:
    from pathlib import Path


def test_a_cluster_gives_at_most_200_000_ordered_pairs() -> None:
    many = Clusters(np.zeros(1, np.uint8), np.ones(1, int), np.array([2, 1000]), np.arange(2))
    assert many.weights("pairs").tolist() == [2, 200_000]


def test_by_members_every_expression_is_equally_often_a_source() -> None:
    assert tiny_clusters().weights("members").tolist() == [len(texts) for texts in EQUIVALENTS]
    alone = Clusters(np.zeros(1, np.uint8), np.ones(1, int), np.array([1, 3]), np.arange(2))
    assert alone.weights("members").tolist() == [0, 3], "a cluster of one has no pair"


def test_analogies_that_are_none_are_refused(tmp_path: Path) -> None:
    path, data = tmp_path / "analogies.npz", tiny_analogies()
    parts, functions = {"ids": data.ids, "lengths": data.lengths}, data.functions
    np.savez(path, **parts, sizes=data.sizes, functions=functions)
    assert Clusters.load_analogies(path, ELEMENTARY).functions.tolist() == functions.tolist()
    np.savez(path, **parts, sizes=data.sizes, functions=functions[:, 1:])
    with pytest.raises(FileFormatError, match="has no function for each expression of its"):
        Clusters.load_analogies(path, ELEMENTARY)
    np.savez(path, **parts, sizes=np.array([9, 5, 3, 3, 5]), functions=functions)
    with pytest.raises(FileFormatError, match="holds no analogies: not all are of five"):
        Clusters.load_analogies(path, ELEMENTARY)
    np.savez(path, **parts, sizes=data.sizes)
    with pytest.raises(FileFormatError, match=r"holds no training arrays: .*functions"):
        Clusters.load_analogies(path, ELEMENTARY)


def test_arrays_that_do_not_fit_together_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "arrays.npz"
    np.savez(
        path,
        ids=np.zeros(3, np.uint8),
        lengths=np.array([2]),
        sizes=np.array([1]),
        functions=np.zeros(1),
    )
    with pytest.raises(FileFormatError, match="do not fit together; export them again"):
        Clusters.load(path, ELEMENTARY)
    path.write_text("no archive", encoding="utf-8")
    with pytest.raises(FileFormatError, match="holds no training arrays"):
        Clusters.load(path, ELEMENTARY)


ARRAYS = {"ids": [9, 9], "lengths": [1, 1], "sizes": [2], "functions": np.array([7], np.uint64)}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"ids": [9, 200]}, "has tokens that are not in the vocabulary of 66; export it again"),
        ({"ids": [9, -1]}, "has tokens that are not in the vocabulary of 66; export it again"),
        ({"lengths": [2, 0]}, "an expression or a cluster of .* is empty; export it again"),
        ({"sizes": [2, 0]}, "an expression or a cluster of .* is empty; export it again"),
        ({"sizes": [[2]]}, "holds no training arrays: no rows of whole numbers"),
        ({"lengths": [1.0, 1.0]}, "holds no training arrays: no rows of whole numbers"),
        ({"ids": ["sin", "x"]}, "holds no training arrays: no rows of whole numbers"),
        ({"functions": [7]}, "has no function for each cluster; export it again"),
        ({"functions": np.zeros(2, np.uint64)}, "has no function for each cluster"),
        ({"functions": np.zeros((1, 2), np.uint64)}, "holds no clusters of one function each"),
    ],
)
def test_arrays_that_are_no_expressions_are_refused(
    tmp_path: Path, change: dict[str, object], sentence: str
) -> None:
    path = tmp_path / "arrays.npz"
    np.savez(path, **ARRAYS)
    assert len(Clusters.load(path, ELEMENTARY).sizes) == 1
    np.savez(path, **{**ARRAYS, **change})
    with pytest.raises(FileFormatError, match=sentence):
        Clusters.load(path, ELEMENTARY)


def test_an_empty_file_and_a_plain_array_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "arrays.npz"
    path.touch()
    with pytest.raises(FileFormatError, match="holds no training arrays"):
        Clusters.load(path, ELEMENTARY)
    with path.open("wb") as file:
        np.save(file, np.arange(3))
    with pytest.raises(FileFormatError, match="holds no training arrays"):
        Clusters.load(path, ELEMENTARY)
