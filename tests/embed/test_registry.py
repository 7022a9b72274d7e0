"""Encoders by name: one name means the same everywhere, and a user's own class works."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING

import pytest

from equivec import Index
from equivec.embed import registry
from equivec.embed.embedder import Embedder
from equivec.embed.registry import load_encoder
from equivec.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

OWN = """
import numpy as np

class Sizes:
    name, width, checksum = "sizes", 2, "1"

    def encode(self, trees, *, normalize=True):
        rows = np.array([[tree.size, 1] for tree in trees], dtype=np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True) if normalize else rows

class Nameless:
    width, checksum, encode = 2, "1", Sizes.encode

class OfTexts(Sizes):
    def encode(self, texts): ...

class Asking(Sizes):
    def __init__(self, size): ...

number = 3
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module in the current folder."""
    (tmp_path / "own_encoders.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "own_encoders", raising=False)
    return "own_encoders"


def test_a_class_of_ones_own_is_an_encoder_and_search_finds_by_it(own: str) -> None:
    encoder = load_encoder(f"{own}:Sizes")
    index = Index.build(["x", "sin(x)", "x + y + z"], encoder)
    assert index.info().encoder == "sizes"
    assert [hit.expression for hit in index.similar_to("cos(t)", k=1).hits] == ["sin(x)"]


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("Nameless", "the class Nameless of own_encoders:Nameless has no 'name'; an encoder has"),
        ("OfTexts", r"the class OfTexts of .* must have encode\(trees, \*, normalize=True\)"),
        ("Asking", "own_encoders:Asking must be a class that is made without arguments"),
        ("number", "own_encoders:number must be a class that is made without arguments"),
        ("Missing", "the module own_encoders has no class 'Missing'"),
    ],
)
def test_what_is_no_encoder_is_named_in_a_sentence(own: str, name: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=f"^{problem}"):
        load_encoder(f"{own}:{name}")


def test_a_module_that_is_not_there_is_named() -> None:
    with pytest.raises(ConfigError, match="module of nowhere:Class cannot be imported: No module"):
        load_encoder("nowhere:Class")
    with pytest.raises(ConfigError, match="the module of :Class cannot be imported"):
        load_encoder(":Class")


def test_a_name_that_comes_from_a_file_imports_nothing(own: str) -> None:
    with pytest.raises(ConfigError, match="'own_encoders:Sizes' is neither a model folder nor"):
        load_encoder(f"{own}:Sizes", imports=False)
    assert own not in sys.modules


def test_an_installed_encoder_has_the_name_of_its_entry_point(
    own: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(".")
    point = EntryPoint("mine", f"{own}:Sizes", registry.GROUP)
    monkeypatch.setattr(registry, "entry_points", lambda group: [point][: group == registry.GROUP])
    assert load_encoder("mine").name == "sizes"
    with pytest.raises(ConfigError, match="other encoders are bag-of-tokens, text, mine, and"):
        load_encoder("yours")


def test_an_unknown_name_is_refused_with_those_there_are() -> None:
    with pytest.raises(ConfigError, match="'best' is neither a model folder nor a bundled model"):
        load_encoder("best")
    with pytest.raises(ConfigError, match="bag-of-tokens, text, and module:Class for a class of"):
        load_encoder("best")


def test_settings_belong_to_models(own: str) -> None:
    encoder = load_encoder("default", precision="uint8", threads=1)
    assert isinstance(encoder, Embedder)
    assert (encoder.precision, encoder.threads, encoder.can_write) == ("uint8", 1, True)
    for name in ("bag-of-tokens", f"{own}:Sizes"):
        with pytest.raises(ConfigError, match="has no network to run on cuda; leave the device"):
            load_encoder(name, device="cuda")
        with pytest.raises(ConfigError, match="has no states to pool; leave the pooling out"):
            load_encoder(name, pooling="mean")
    with pytest.raises(ConfigError, match="uint8 is for onnxruntime; a device runs models in fp32"):
        load_encoder("default", device="cpu", precision="uint8")
