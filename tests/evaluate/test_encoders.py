"""Encoders: every one gives a row of float32 for every expression, whatever its format."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from equivec.errors import ConfigError, ParseError
from equivec.evaluate.encoders import BagOfTokens, Encoder, Remembering, load_encoder, vectors_of

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


@pytest.mark.parametrize(
    ("vectors", "problem"),
    [
        (
            np.ones((1, 4)),
            r"an array of shape \(1, 4\) and type float64 for 2 expressions; expected an array of "
            "numbers with a row for each",
        ),
        (np.ones((3, 4)), r"an array of shape \(3, 4\) and type float64 for 2 expressions"),
        (np.ones(2), r"an array of shape \(2,\) and type float64 for 2 expressions"),
        (np.array([["1"], ["2"]]), r"an array of shape \(2, 1\) and type <U1 for 2 expressions"),
        ([[1.0], [2.0]], "a list for 2 expressions"),
        (None, "a NoneType for 2 expressions"),
        (np.array([[1.0], [np.nan]]), r"'sin\(x\)' a vector of length nan; every vector must be"),
        (np.array([[0.0], [1.0]]), "'x' a vector of length 0.0; every vector must be finite and"),
    ],
    ids=["few", "many", "flat", "text", "list", "nothing", "nan", "zero"],
)
def test_vectors_that_say_nothing_are_refused(vectors: object, problem: str) -> None:
    class Wrong:
        name = "wrong"

        def encode(self, expressions: Sequence[str]) -> object:  # noqa: ARG002
            return vectors

    with pytest.raises(ConfigError, match=f"^wrong gave {problem}"):
        vectors_of(Wrong(), ["x", "sin(x)"])  # type: ignore[arg-type]


def test_vectors_in_half_precision_may_be_long() -> None:
    class Half:
        name = "half"

        def encode(self, expressions: Sequence[str]) -> np.ndarray:
            return np.full((len(expressions), 384), 20, dtype=np.float16)

    assert vectors_of(Half(), ["x", "sin(x)"]).shape == (2, 384)


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


def test_what_is_made_again_takes_the_place_of_nothing(tmp_path: Path) -> None:
    counting = Counting()
    texts = (["x", "sin x"], ["cos x"], ["tan x"])
    remembering = Remembering(counting, tmp_path)
    for some in texts:
        remembering.encode(some)
    (tmp_path / "asked-00000001.npz").unlink()  # as one is told to where it is damaged
    for _ in range(2):
        remembering = Remembering(counting, tmp_path)
        for some in texts:
            assert (remembering.encode(some) == BagOfTokens().encode(some)).all()
        assert counting.asked == ["x", "sin x", "cos x", "tan x", "cos x"]
