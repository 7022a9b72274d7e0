"""Baselines: a row of float32 for every tree."""

from __future__ import annotations

import numpy as np
import pytest

from equivec.embed.baselines import BagOfTokens
from equivec.embed.encoder import vectors_of
from equivec.embed.registry import load_encoder


@pytest.mark.parametrize(
    "name", ["bag-of-tokens", pytest.param("text", marks=pytest.mark.slow)], ids=str
)
def test_prefix_and_infix_are_the_same_expression(name: str) -> None:
    encoder = load_encoder(name)
    texts = ["add x mul INT- 1 2 sin x", "x - 12*sin(x)", "x", "INT+ 7", "7"]
    vectors = vectors_of(encoder, texts)
    assert vectors.dtype == np.float32
    assert vectors.shape == (5, encoder.width)
    assert np.array_equal(vectors[0], vectors[1])
    assert np.array_equal(vectors[3], vectors[4])
    assert not np.array_equal(vectors[0], vectors[2])
    assert np.linalg.norm(vectors, axis=1).min() > 0
    units = vectors_of(encoder, texts, normalize=True)
    np.testing.assert_allclose(np.linalg.norm(units, axis=1), 1, rtol=1e-6)
    cosines = (units * vectors).sum(axis=1) / np.linalg.norm(vectors, axis=1)
    np.testing.assert_allclose(cosines, 1, rtol=1e-6)


def test_tokens_are_counted_digits_and_signs_too() -> None:
    (vector,) = vectors_of(BagOfTokens(), ["x**2 + 22"])
    assert sorted(vector[vector > 0].tolist()) == [1, 1, 1, 2, 3]
