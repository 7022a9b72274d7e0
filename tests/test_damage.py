"""Damage to any file is named, or does no harm; nobody gets other answers without a word."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.damage import NAMED, table

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("count", [80, pytest.param(600, marks=pytest.mark.slow)])
def test_no_damage_to_models_corpora_and_indexes_is_silent(tmp_path: Path, count: int) -> None:
    counts, silent = table(tmp_path, count)
    assert silent == []
    assert counts.total() == count
    named = sum(number for (_, what), number in counts.items() if what == NAMED)
    assert named > 0.9 * count
