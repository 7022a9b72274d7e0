"""The committed evaluation sets: made by the committed code, the same by the same seed."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from equivec.errors import ConfigError
from equivec.evaluate.analogies import generated_analogies
from equivec_reproduction.make_analogies import make_analogies
from equivec_reproduction.make_benchmark import (
    make_clusters_of,
    make_detection_pairs,
    make_retrieval_cases,
    make_walks,
)
from equivec_reproduction.make_evaluation_sets import make_sets

if TYPE_CHECKING:
    from collections.abc import Callable


def test_the_committed_analogies_are_made_by_the_committed_code() -> None:
    assert generated_analogies() == make_analogies(Random(42), 600)


@pytest.mark.parametrize(
    "make",
    [
        lambda: make_clusters_of(Random(1), 2, 4),
        pytest.param(lambda: make_retrieval_cases(Random(1), 2), marks=pytest.mark.slow),
        pytest.param(lambda: make_detection_pairs(Random(1), 4), marks=pytest.mark.slow),
        pytest.param(lambda: make_walks(Random(1), 2), marks=pytest.mark.slow),
    ],
    ids=["clusters", "retrieval", "detection", "walks"],
)
def test_the_same_seed_gives_the_same_sets(make: Callable[[], object]) -> None:
    assert make() == make()


def test_an_unknown_set_is_refused_before_any_is_written() -> None:
    with pytest.raises(ConfigError, match="'lists' is not an evaluation set; use analogies, "):
        make_sets(["analogies", "lists"])
