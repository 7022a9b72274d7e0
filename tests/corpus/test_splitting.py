"""Splits: an expression stands in one set, and unseen functions are not trained on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from equivec.corpus.records import Row, to_table
from equivec.corpus.splitting import SplitConfig, split
from equivec.errors import ConfigError

if TYPE_CHECKING:
    import pyarrow as pa


@pytest.fixture
def table() -> pa.Table:
    rows = []
    for cluster in range(400):
        size = 1 + cluster % 9
        rows += [Row(cluster, f"{cluster} {n}", 0, "rules", "", n == 0) for n in range(size)]
    return to_table(rows)


def clusters_with(table: pa.Table, *names: str) -> set[int]:
    return {
        cluster
        for cluster, name in zip(
            table["cluster"].to_pylist(), table["split"].to_pylist(), strict=True
        )
        if name in names
    }


def test_the_sets_have_the_sizes_asked_for(table: pa.Table) -> None:
    done = split(table, SplitConfig(validation=20, test=50, unseen=40), seed=1)
    names, counts = np.unique(done["split"].to_pylist(), return_counts=True)
    found = dict(zip(names.tolist(), counts.tolist(), strict=True))
    assert (found["validation"], found["test"], found["unseen"]) == (20, 50, 40)
    assert sum(found.values()) == len(table)


def test_unseen_functions_are_not_in_training(table: pa.Table) -> None:
    done = split(table, SplitConfig(validation=20, test=50, unseen=40), seed=1)
    unseen = clusters_with(done, "unseen")
    assert len(unseen) == 40
    assert unseen == clusters_with(done, "unseen equivalent")
    assert not unseen & clusters_with(done, "train", "validation", "test")


def test_every_tested_expression_has_equivalents_in_training(table: pa.Table) -> None:
    done = split(table, SplitConfig(validation=20, test=50, unseen=40), seed=1)
    assert clusters_with(done, "validation", "test") <= clusters_with(done, "train")


def test_the_seed_decides(table: pa.Table) -> None:
    config = SplitConfig(validation=20, test=50, unseen=40)
    assert split(table, config, 1).equals(split(table, config, 1))
    assert not split(table, config, 1).equals(split(table, config, 2))


def test_a_small_corpus_keeps_something_to_train_on(table: pa.Table) -> None:
    done = split(table, SplitConfig(), seed=1)
    counts = done["split"].to_pylist()
    assert counts.count("train") > len(table) // 3
    assert counts.count("test") > 0


def test_settings_are_checked_at_birth() -> None:
    with pytest.raises(ConfigError, match="test must be at least 0, not -1"):
        SplitConfig(test=-1)
