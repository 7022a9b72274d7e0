"""The model that comes with the package: it knows its trade, and needs nothing but the package."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random

import numpy as np
import pytest

from equivec import Embedder, write
from equivec.corpus.sampler import Sampler, SamplerConfig
from equivec.embed.runtime import model_folder
from equivec.errors import FileFormatError
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
    cosines = (exported.encode(trees) * exported.encode(trees, precision="uint8")).sum(axis=1)
    assert 1 - cosines.min() <= 1e-3, write(trees[int(cosines.argmin())])


def test_in_eight_bits_too_a_vector_does_not_depend_on_its_batch(exported: Embedder) -> None:
    texts = ["sin(x)", "cos(x)", "exp(x)", "10**9*x", "x"]
    together = exported.encode(texts, precision="uint8")
    for text, vector in zip(texts, together, strict=True):
        np.testing.assert_allclose(exported.encode(text, precision="uint8"), vector, atol=1e-5)


def test_all_files_of_the_model_are_small(exported: Embedder) -> None:
    files = exported.runtime.folder.iterdir()
    assert sum(path.stat().st_size for path in files) <= 30_000_000
