"""Vectors of any encoder: seen to be a row with a direction for each expression."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from equivec.embed.encoder import vectors_of
from equivec.errors import ConfigError, ParseError
from equivec.expression.text import parse
from support.encoders import FakeEncoder, OfTexts

if TYPE_CHECKING:
    from collections.abc import Sequence


def test_texts_and_trees_have_the_same_vectors() -> None:
    texts = ["sin(x)/cos(x)", "div sin x cos x", r"\frac{\sin x}{\cos x}"]
    trees = vectors_of(FakeEncoder(), [parse(text) for text in texts])
    assert np.array_equal(vectors_of(FakeEncoder(), texts), trees)
    assert (trees == trees[0]).all()


def test_what_is_no_expression_is_refused() -> None:
    with pytest.raises(ParseError, match="'coss' is not a symbol"):
        vectors_of(FakeEncoder(), ["x", "coss(x)"])


@pytest.mark.parametrize(
    ("vectors", "problem"),
    [
        (
            np.ones((1, 4)),
            r"an array of shape \(1, 4\) and type float64 for 2 expressions; expected an array of "
            "numbers with a row of 4 for each",
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
    class Wrong(OfTexts):
        name = "wrong"
        width = 4 if np.ndim(vectors) < 2 else np.shape(vectors)[1]

        def rows(self, texts: Sequence[str]) -> np.ndarray:  # noqa: ARG002
            return vectors

    with pytest.raises(ConfigError, match=f"^wrong gave {problem}"):
        vectors_of(Wrong(), ["x", "sin(x)"])


def test_vectors_in_half_precision_may_be_long() -> None:
    class Half(OfTexts):
        name, width = "half", 384

        def rows(self, texts: Sequence[str]) -> np.ndarray:
            return np.full((len(texts), 384), 20, dtype=np.float16)

    found = vectors_of(Half(), ["x", "sin(x)"])
    assert (found.shape, found.dtype) == ((2, 384), np.float32)
