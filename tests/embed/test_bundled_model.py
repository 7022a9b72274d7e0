"""The model that comes with the package: it knows its trade, and needs nothing but the package."""

from __future__ import annotations

import numpy as np
import pytest

from equivec import Embedder


@pytest.fixture(scope="module")
def model() -> Embedder:
    return Embedder()


@pytest.mark.parametrize(
    ("query", "equal", "near_miss"),
    [
        ("sin(x)/cos(x)", "tan(x)", "cos(x)/sin(x)"),
        ("sin(2*x)", "2*sin(x)*cos(x)", "2*sin(x)*sin(x)"),
        ("(x + 1)**2", "x**2 + 2*x + 1", "x**2 + 2*x + 2"),
        ("ln(x**3)", "3*ln(x)", "3*ln(x + 1)"),
        ("x**2 - 4", "(x - 2)*(x + 2)", "(x - 2)*(x - 2)"),
    ],
)
def test_an_equal_expression_lies_nearer_than_a_near_miss(
    model: Embedder, query: str, equal: str, near_miss: str
) -> None:
    assert model.similarity(query, equal) > model.similarity(query, near_miss) + 0.1


def test_most_of_what_it_writes_is_equal(model: Embedder) -> None:
    found = model.equivalents("sin(x)/cos(x)", k=10)
    assert sum(one.verdict.is_equal for one in found) >= 8
    assert len({one.expression for one in found}) == 10


def test_the_quantised_encoder_stays_close(model: Embedder) -> None:
    texts = ["sin(x)/cos(x)", "x**2 + 2*x + 1", "exp(x)*ln(x)", "sqrt(x + 1)", "17*x - 4"]
    cosines = (model.encode(texts) * model.encode(texts, precision="uint8")).sum(axis=1)
    assert np.all(cosines > 0.99)
