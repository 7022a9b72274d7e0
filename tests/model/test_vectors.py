"""Vectors by torch: those of the embedder, which needs none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from equivec.embed import Embedder
from equivec.errors import ConfigError, FileFormatError, LimitError
from equivec.evaluate.encoders import load_encoder
from equivec.model.onnx_export import export_encoder
from equivec.model.vectors import NetworkEncoder
from equivec.storage.checksums import CHECKSUMS
from support.models import EQUIVALENTS, model_folder_of, tiny_network

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = [text for cluster in EQUIVALENTS for text in cluster]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return model_folder_of(tiny_network(max_tokens=20), tmp_path_factory.mktemp("models") / "tiny")


def test_torch_and_onnxruntime_give_the_same_vectors(folder: Path) -> None:
    found = load_encoder(folder, device="cpu").encode(TEXTS)
    np.testing.assert_allclose(found, Embedder(folder).encode(TEXTS), atol=1e-5)


def test_torch_reads_an_encoder_of_eight_bits_too(folder: Path, tmp_path: Path) -> None:
    """Its arithmetic is finer than onnxruntime's, so the vectors are those but for rounding."""
    export_encoder(folder, tmp_path / "alone")
    found = load_encoder(tmp_path / "alone", device="cpu").encode(TEXTS)
    expected = Embedder(tmp_path / "alone").encode(TEXTS, precision="uint8")
    cosines = (found * expected).sum(axis=1)
    assert cosines.min() > 0.999, cosines
    (tmp_path / "alone" / "encoder.uint8.onnx").write_bytes(b"no graph")
    (tmp_path / "alone" / CHECKSUMS).unlink()
    sentence = r"encoder\.uint8\.onnx is not a graph that can be read"
    with pytest.raises(FileFormatError, match=sentence):
        NetworkEncoder(tmp_path / "alone", "alone", "cpu")


def test_a_model_that_lost_its_weights_is_not_taken_for_an_encoder_alone(
    folder: Path, tmp_path: Path
) -> None:
    export_encoder(folder, tmp_path / "alone")
    (tmp_path / "alone" / "decoder.onnx").write_bytes(b"names its weights")
    with pytest.raises(FileFormatError, match=r"No such file or directory: .*model\.safetensors"):
        load_encoder(tmp_path / "alone", device="cpu")


def test_a_text_in_prefix_form_has_the_vector_of_its_infix_form(folder: Path) -> None:
    first, second = load_encoder(folder, device="cpu").encode(["sin(x)/cos(x)", "div sin x cos x"])
    np.testing.assert_array_equal(first, second)


def test_what_is_too_long_and_a_gpu_that_is_not_there_are_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    with pytest.raises(LimitError, match="has 31 tokens; this model reads up to 20"):
        load_encoder(folder, device="cpu").encode([" ".join(["sin"] * 30 + ["x"])])
    with pytest.raises(ConfigError, match="torch sees no GPU here; leave --device out"):
        load_encoder(folder, device="cuda")
    with pytest.raises(ConfigError, match="'tpu' is not a known device; use cpu or cuda"):
        load_encoder(folder, device="tpu")
