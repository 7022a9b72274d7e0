"""The model that comes with the package: it knows its trade, and needs nothing but the package."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

import numpy as np
import pytest

from equivec import Embedder, write
from equivec.algebra.fingerprint import fingerprints
from equivec.corpus.sampler import Sampler, SamplerConfig
from equivec.embed.runtime import model_folder
from equivec.errors import FileFormatError
from equivec.evaluate.plot_set import plot_expressions
from equivec.model.onnx_export import export


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


BASIC_FORMS = [
    *(("tan(x)", "1/cot(x)"), ("cot(x)", "1/tan(x)"), ("csc(x)", "1/sin(x)")),
    *(("sin(x)", "1/csc(x)"), ("sec(x)", "1/cos(x)"), ("cos(x)", "1/sec(x)")),
    *(("tan(x)", "sin(x)/cos(x)"), ("cot(x)", "cos(x)/sin(x)")),
    *(("coth(x)", "1/tanh(x)"), ("tanh(x)", "1/coth(x)"), ("csch(x)", "1/sinh(x)")),
    *(("sech(x)", "1/cosh(x)"), ("sinh(x)", "1/csch(x)"), ("cosh(x)", "1/sech(x)")),
    *(("tanh(x)", "sinh(x)/cosh(x)"), ("coth(x)", "cosh(x)/sinh(x)"), ("exp(-x)", "1/exp(x)")),
]


def test_basic_forms_of_a_function_lie_together(model: Embedder) -> None:
    """Each lies nearer to the other form than to any expression that is simple and not equal."""
    marks = set(fingerprints([form for pair in BASIC_FORMS for form in pair]))
    simple = [row.expression for row in plot_expressions()]
    known = zip(simple, fingerprints(simple), strict=True)
    others = [text for text, mark in known if mark not in marks]
    distant = model.encode(others)
    for pair in BASIC_FORMS:
        left, right = model.encode(pair)
        for text, vector in zip(pair, (left, right), strict=True):
            cosines = distant @ vector
            nearest = others[int(cosines.argmax())]
            assert left @ right > cosines.max(), f"{text} lies nearer to {nearest} than {pair}"


def test_only_the_name_of_a_bundled_model_leads_into_the_package(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in (".", ".."):
        assert model_folder(name) == Path(name)
    with pytest.raises(FileFormatError, match="'' is neither a model folder nor a bundled model"):
        model_folder("")
    assert model_folder("default").is_dir()


def test_most_of_what_it_writes_is_equal(model: Embedder) -> None:
    found = model.equivalents("sin(x)/cos(x)", k=10)
    assert sum(one.verdict.is_equal for one in found) >= 8
    assert len({one.expression for one in found}) == 10


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    folder = tmp_path_factory.mktemp("models") / "exported"
    shutil.copytree(model_folder("default"), folder)
    export(folder)
    return Embedder(folder)


def test_the_quantised_encoder_stays_within_a_thousandth(exported: Embedder) -> None:
    random, sampler = Random(11), Sampler(SamplerConfig(variables=3))
    trees = [sampler.draw(random) for _ in range(600)]
    small = Embedder(exported.runtime.folder, precision="uint8")
    cosines = (exported.encode(trees) * small.encode(trees)).sum(axis=1)
    assert 1 - cosines.min() <= 1e-3, write(trees[int(cosines.argmin())])


def test_in_eight_bits_too_a_vector_does_not_depend_on_its_batch(exported: Embedder) -> None:
    texts = ["sin(x)", "cos(x)", "exp(x)", "10**9*x", "x"]
    small = Embedder(exported.runtime.folder, precision="uint8")
    together = small.encode(texts)
    for text, vector in zip(texts, together, strict=True):
        np.testing.assert_allclose(small.encode(text), vector, atol=1e-5)


def test_all_files_of_the_model_are_small(exported: Embedder) -> None:
    files = exported.runtime.folder.iterdir()
    assert sum(path.stat().st_size for path in files) <= 30_000_000
