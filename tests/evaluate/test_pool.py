"""Pools: every expression once, found by cosine, missing ones added."""

from __future__ import annotations

import numpy as np
import pytest

from equivec.embed.baselines import BagOfTokens
from equivec.embed.encoder import vectors_of
from equivec.errors import ConfigError
from equivec.evaluate.pool import Pool

BAG = BagOfTokens()


def test_an_expression_in_two_formats_is_one_expression() -> None:
    assert len(Pool.of(BAG, ["sin(x)", "sin x", r"\sin x", "cos(x)"])) == 2


def test_missing_expressions_are_added_once_and_the_others_keep_their_rows() -> None:
    pool = Pool.of(BAG, ["sin(x)", "cos(x)"])
    larger = pool.with_missing(BAG, ["cos(x)", "tan(x)", "tan x"])
    assert list(larger.texts) == ["sin x", "cos x", "tan x"]
    assert larger.with_missing(BAG, ["tan(x)"]) is larger
    assert len(pool) == 2


def test_excluded_expressions_are_left_out_wherever_they_stand() -> None:
    pool = Pool.of(BAG, ["sin(x)", "cos(x)"]).with_missing(BAG, ["sin(2*x)", "sin(x) + 1"])
    query = vectors_of(BAG, ["sin(x)"])
    assert pool.neighbours(query, 1) == [["sin x"]]
    assert pool.neighbours(query, 1, [["sin(x)", "log(x)"]]) == [["sin mul INT+ 2 x"]]


def test_every_expression_has_a_vector() -> None:
    with pytest.raises(ConfigError, match="1 vectors for 2 expressions of a pool"):
        Pool(["x", "sin x"], (np.ones((1, 3), dtype=np.float32),))
