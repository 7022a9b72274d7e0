"""Encoders: every one gives a row of float32 for every expression, whatever its format."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from equivec.errors import ConfigError, ParseError
from equivec.evaluate.encoders import BagOfTokens, Encoder, Remembering, load_encoder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@pytest.mark.parametrize(
    "name", ["bag-of-tokens", pytest.param("text", marks=pytest.mark.slow)], ids=str
)
def test_prefix_and_infix_are_the_same_expression(name: str) -> None:
    encoder: Encoder = load_encoder(name)
    vectors = encoder.encode(["add x mul INT- 1 2 sin x", "x - 12*sin(x)", "x", "INT+ 7", "7"])
    assert vectors.dtype == np.float32
    assert vectors.shape[0] == 5
    assert np.array_equal(vectors[0], vectors[1])
    assert np.array_equal(vectors[3], vectors[4])
    assert not np.array_equal(vectors[0], vectors[2])
    assert np.linalg.norm(vectors, axis=1).min() > 0


def test_tokens_are_counted_digits_and_signs_too() -> None:
    (vector,) = BagOfTokens().encode(["x**2 + 22"])
    assert sorted(vector[vector > 0].tolist()) == [1, 1, 1, 2, 3]


def test_what_is_no_expression_is_refused() -> None:
    with pytest.raises(ParseError, match="'coss' is not a symbol"):
        BagOfTokens().encode(["x", "coss(x)"])


def test_an_unknown_model_is_refused_with_those_there_are() -> None:
    with pytest.raises(ConfigError, match="'best' is neither a model folder nor"):
        load_encoder("best")


class Counting:
    name = "counting"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode(self, expressions: Sequence[str]) -> np.ndarray:
        self.asked += expressions
        return BagOfTokens().encode(expressions)


def test_what_is_remembered_is_not_encoded_again_not_even_after_a_restart(tmp_path: Path) -> None:
    counting = Counting()
    for _ in range(2):
        remembering = Remembering(counting, tmp_path / "work")
        for texts in (["x", "sin x", "x"], ["sin x", "cos x"]):
            assert (remembering.encode(texts) == BagOfTokens().encode(texts)).all()
        assert remembering.encode([]).shape == BagOfTokens().encode([]).shape
        assert counting.asked == ["x", "sin x", "cos x"]
