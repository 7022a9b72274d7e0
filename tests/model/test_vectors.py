"""Vectors by torch: those of the embedder, which needs none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from equivec.embed import Embedder
from equivec.embed.registry import load_encoder
from equivec.errors import ConfigError, FileFormatError, LimitError
from equivec.expression.text import parse
from equivec.model.onnx_export import export_encoder
from equivec.model.vectors import NetworkEncoder
from equivec.storage.checksums import CHECKSUMS
from support.models import EQUIVALENTS, model_folder_of, tiny_network

if TYPE_CHECKING:
    from pathlib import Path

TREES = [parse(text) for cluster in EQUIVALENTS for text in cluster]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return model_folder_of(tiny_network(max_tokens=20), tmp_path_factory.mktemp("models") / "tiny")


def test_torch_and_onnxruntime_give_the_same_vectors(folder: Path) -> None:
    found = load_encoder(folder, device="cpu").encode(TREES)
    np.testing.assert_allclose(found, Embedder(folder).encode(TREES), atol=1e-5)


def test_torch_reads_an_encoder_of_eight_bits_too(folder: Path, tmp_path: Path) -> None:
    """Its arithmetic is finer than onnxruntime's, so the vectors are those but for rounding."""
    export_encoder(folder, tmp_path / "alone")
    found = load_encoder(tmp_path / "alone", device="cpu").encode(TREES)
    expected = Embedder(tmp_path / "alone", precision="uint8").encode(TREES)
    cosines = (found * expected).sum(axis=1)
    assert cosines.min() > 0.999, cosines
    (tmp_path / "alone" / "encoder.uint8.onnx").write_bytes(b"no graph")
    (tmp_path / "alone" / CHECKSUMS).unlink()
    with pytest.raises(
        FileFormatError, match=r"encoder\.uint8\.onnx is not a graph that can be read"
    ):
        NetworkEncoder(tmp_path / "alone", "alone", "cpu")


def test_a_model_that_lost_its_weights_is_not_taken_for_an_encoder_alone(
    folder: Path, tmp_path: Path
) -> None:
    export_encoder(folder, tmp_path / "alone")
    (tmp_path / "alone" / "decoder.onnx").write_bytes(b"names its weights")
    with pytest.raises(FileFormatError, match=r"No such file or directory: .*model\.safetensors"):
        load_encoder(tmp_path / "alone", device="cpu")


def test_on_a_device_too_a_model_tells_what_it_is(folder: Path) -> None:
    one, other = load_encoder(folder, device="cpu"), load_encoder(folder)
    names = ("name", "width", "checksum", "precision", "can_write", "has_small_weights")
    assert [getattr(one, name) for name in names] == [getattr(other, name) for name in names]
    lengths = np.linalg.norm(one.encode(TREES, normalize=False), axis=1)
    expected = other.encode(TREES, normalize=False)
    np.testing.assert_allclose(lengths, np.linalg.norm(expected, axis=1), rtol=1e-4)


def test_what_is_too_long_and_a_gpu_that_is_not_there_are_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    with pytest.raises(LimitError, match="has 31 tokens; this model reads up to 20"):
        load_encoder(folder, device="cpu").encode([parse(" ".join(["sin"] * 30 + ["x"]))])
    with pytest.raises(ConfigError, match="torch sees no GPU here; leave --device out"):
        load_encoder(folder, device="cuda")
    with pytest.raises(ConfigError, match="'tpu' is not a known device; use cpu or cuda"):
        load_encoder(folder, device="tpu")
