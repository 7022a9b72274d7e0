"""The embedder: in any company the same vector, the same as torch's, for whatever can be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

from equivec.embed import Embedder
from equivec.errors import ConfigError, FileFormatError, LimitError, ParseError
from equivec.expression.text import parse
from equivec.expression.vocabulary import END_ID, START_ID
from equivec.model.files import CONFIG, DECODER, ENCODER, QUANTISED, VOCABULARY, WEIGHTS
from equivec.model.folder import load_model
from equivec.model.onnx_export import export_encoder
from equivec.model.pooling import POOLINGS
from equivec.model.ragged import Ragged
from equivec.storage.checksums import CHECKSUMS
from support.models import ids_of, model_folder_of, tiny_network

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = ["sin(x)/cos(x)", "x", r"\frac{x^2}{3}", "add x INT+ 1", "17*x + exp(x)**2", "tan(x)"]


@pytest.fixture(scope="module")
def embedder(tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    return Embedder(model_folder_of(tiny_network(5), tmp_path_factory.mktemp("models") / "tiny"))


@pytest.mark.parametrize("pooling", POOLINGS)
def test_onnx_and_torch_agree(pooling: str, tmp_path: Path) -> None:
    network = tiny_network(4, pooling=pooling).eval()
    embedder = Embedder(model_folder_of(network, tmp_path / "model"))
    for text in ("sin(x)/cos(x)", "x", "x**2 + 17"):
        ids = torch.tensor([START_ID, *ids_of(text), END_ID])
        layout = Ragged.of(torch.tensor([len(ids)]), len(ids))
        with torch.no_grad():
            expected = network.pool(network.encode(ids, layout), layout)[0].numpy()
        found = embedder.encode(text, normalize=False)
        np.testing.assert_allclose(found, expected, atol=1e-4)


@pytest.mark.parametrize("pooling", POOLINGS)
def test_a_pooling_may_be_named_that_is_not_the_models_own(pooling: str, tmp_path: Path) -> None:
    folders = {
        own: model_folder_of(tiny_network(4, pooling=own).eval(), tmp_path / own)
        for own in ("max", pooling)
    }
    named, own = Embedder(folders["max"], pooling=pooling), Embedder(folders[pooling])
    np.testing.assert_allclose(named.encode(TEXTS), own.encode(TEXTS), atol=1e-6)
    is_other = pooling != "max"
    assert (named.checksum != Embedder(folders["max"]).checksum) is is_other


def test_an_unknown_pooling_is_refused() -> None:
    with pytest.raises(ConfigError, match="'sum' is not a pooling; choose from max, mean"):
        Embedder(pooling="sum")


def test_a_vector_does_not_depend_on_its_batch(embedder: Embedder) -> None:
    together = embedder.encode(TEXTS, batch_size=2)
    for text, vector in zip(TEXTS, together, strict=True):
        np.testing.assert_allclose(embedder.encode(text), vector, atol=1e-5)
    np.testing.assert_allclose(embedder.encode(TEXTS * 3)[: len(TEXTS)], together, atol=1e-5)


def test_the_number_of_threads_does_not_matter(embedder: Embedder) -> None:
    folder = embedder.runtime.folder
    alone, together = (Embedder(folder, threads=n).encode(TEXTS * 5, batch_size=2) for n in (1, 3))
    assert np.array_equal(alone, together)


@pytest.mark.parametrize("name", [CONFIG, VOCABULARY, WEIGHTS, ENCODER, QUANTISED, DECODER])
def test_a_damaged_file_of_a_model_is_named_when_it_is_first_used(
    tmp_path: Path, name: str
) -> None:
    folder = model_folder_of(tiny_network(), tmp_path / "model")
    content = bytearray((folder / name).read_bytes())
    content[len(content) // 2] ^= 1
    (folder / name).write_bytes(content)
    sentence = rf"{name} is damaged: its checksum is not the one in checksums\.json"

    def use() -> None:
        Embedder(folder).equivalents("x", beam=2)
        Embedder(folder, precision="uint8").encode("x")

    with pytest.raises(FileFormatError, match=sentence):
        use()
    if name in (CONFIG, VOCABULARY, WEIGHTS):
        with pytest.raises(FileFormatError, match=sentence):
            load_model(folder)


def test_weights_of_zeros_are_refused_in_older_folders_too(tmp_path: Path) -> None:
    folder = model_folder_of(tiny_network(), tmp_path / "model")
    (folder / CHECKSUMS).unlink()
    before = Embedder(folder).encode("x")
    assert before.any()
    weights = folder / WEIGHTS
    weights.write_bytes(bytes(weights.stat().st_size))
    sentence = "is damaged: its encoder gives zeros, or values that are no numbers"
    for ask in (Embedder(folder).encode, Embedder(folder).equivalents):
        with pytest.raises(FileFormatError, match=sentence):
            ask("x")


def test_a_model_whose_weights_are_all_zero_is_no_start(tmp_path: Path) -> None:
    network = tiny_network()
    for value in network.state_dict().values():
        value.zero_()
    folder = model_folder_of(network, tmp_path / "model")
    with pytest.raises(FileFormatError, match="is damaged: every weight is 0"):
        load_model(folder)


def test_a_config_without_pooling_is_named(tmp_path: Path) -> None:
    folder = model_folder_of(tiny_network(), tmp_path / "model")
    (folder / CHECKSUMS).unlink()
    text = (folder / CONFIG).read_text()
    (folder / CONFIG).write_text(text.replace('"pooling"', '"pouling"'))
    with pytest.raises(FileFormatError, match=r"config\.json has no pooling"):
        Embedder(folder)


def test_the_checksum_is_that_of_the_numbers_whatever_the_name(tmp_path: Path) -> None:
    one, same, other = (
        Embedder(model_folder_of(tiny_network(seed), tmp_path / name)).checksum
        for seed, name in ((1, "one"), (1, "same"), (2, "other"))
    )
    assert one == same != other


def test_one_text_gives_one_vector_and_many_a_row_each(embedder: Embedder) -> None:
    assert embedder.encode("x").shape == (embedder.width,)
    assert embedder.encode(["x"]).shape == (1, embedder.width)
    assert embedder.encode([]).shape == (0, embedder.width)
    assert embedder.encode(iter(TEXTS)).dtype == np.float32


def test_every_format_of_an_expression_has_the_same_vector(embedder: Embedder) -> None:
    forms = ["sin(x)/2", r"\frac{\sin x}{2}", "div sin x INT+ 2", parse("sin(x)/2")]
    vectors = embedder.encode(forms)
    assert (vectors == vectors[0]).all()


def test_normalized_vectors_have_length_one(embedder: Embedder) -> None:
    np.testing.assert_allclose(np.linalg.norm(embedder.encode(TEXTS), axis=1), 1, atol=1e-5)
    assert embedder.similarity("x + 1", "x + 1") == pytest.approx(1, abs=1e-5)


def test_quantised_vectors_are_near(embedder: Embedder) -> None:
    folder = embedder.runtime.folder
    exact, rough = embedder.encode(TEXTS), Embedder(folder, precision="uint8").encode(TEXTS)
    assert ((exact * rough).sum(axis=1) > 0.99).all()
    assert not np.array_equal(exact, rough)


def test_what_cannot_be_read_raises_is_skipped_or_is_nan(embedder: Embedder) -> None:
    texts = ["x", "sin(", "tan(x)"]
    with pytest.raises(ParseError, match="never closed"):
        embedder.encode(texts)
    assert embedder.encode(texts, on_error="skip").shape == (2, embedder.width)
    marked = embedder.encode(texts, on_error="nan")
    assert np.isnan(marked).all(axis=1).tolist() == [False, True, False]


def test_one_expression_that_cannot_be_read_raises_or_is_nan(embedder: Embedder) -> None:
    with pytest.raises(ParseError, match="never closed"):
        embedder.encode("sin(")
    assert np.isnan(embedder.encode("sin(", on_error="nan")).tolist() == [True] * embedder.width
    with pytest.raises(ConfigError, match="one expression cannot be skipped"):
        embedder.encode("sin(", on_error="skip")


def test_any_number_of_expressions_streams_in_parts(embedder: Embedder) -> None:
    parts = list(embedder.encode_stream(("x" for _ in range(20_000)), batch_size=4096))
    assert [len(part) for part in parts] == [16_384, 3_616]


def test_the_grammar_of_mistakes(embedder: Embedder, tmp_path: Path) -> None:
    with pytest.raises(LimitError, match="tokens; this model reads up to 256"):
        embedder.encode("+".join(["x"] * 140))
    with pytest.raises(ConfigError, match="'int4' is not a precision; choose from fp32, uint8"):
        Embedder(precision="int4").encode("x")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="on_error must be raise, skip or nan, not 'never'"):
        embedder.encode(["x"], on_error="never")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="a stream is of many expressions"):
        next(embedder.encode_stream("sin(x)"))
    with pytest.raises(ConfigError, match="batch_size must be at least 1, not 0"):
        embedder.encode("x", batch_size=0)
    with pytest.raises(ConfigError, match=r"threads must be at least 0 \(all processors\), not -1"):
        Embedder(threads=-1)
    with pytest.raises(ConfigError, match="beam must be at least 1, not 0"):
        embedder.equivalents("x", beam=0)
    with pytest.raises(FileFormatError, match="neither a model folder nor a bundled model"):
        Embedder("nowhere")
    with pytest.raises(FileFormatError, match=r"is not a model folder: it has no config\.json"):
        Embedder(tmp_path)


def test_a_model_without_its_graphs_says_how_to_get_them(tmp_path: Path) -> None:
    folder = model_folder_of(tiny_network(), tmp_path / "model")
    (folder / "encoder.onnx").unlink()
    with pytest.raises(FileFormatError, match=r"has no encoder\.onnx; write it with"):
        Embedder(folder).encode("x")


def test_an_encoder_alone_gives_vectors_and_says_that_it_writes_nothing(
    embedder: Embedder, tmp_path: Path
) -> None:
    export_encoder(embedder.runtime.folder, tmp_path / "encoder")
    expected = embedder.similarity("x", "tan(x)")
    for precision in ("uint8", None):
        alone = Embedder(tmp_path / "encoder", precision=precision)
        found = alone.similarity("x", "tan(x)")
        assert found == pytest.approx(expected, abs=0.05)
    with pytest.raises(FileFormatError, match="use it with precision uint8"):
        Embedder(tmp_path / "encoder", precision="fp32").similarity("x", "tan(x)")
    with pytest.raises(FileFormatError, match="encoder has no decoder, only an encoder"):
        alone.equivalents("x")


@pytest.mark.parametrize(("terms", "room"), [(1, 64), (30, 118), (80, 256)])
def test_equivalents_may_be_twice_as_long_as_the_input(
    embedder: Embedder, monkeypatch: pytest.MonkeyPatch, terms: int, room: int
) -> None:
    asked = []
    monkeypatch.setattr("equivec.embed.embedder.search", lambda *_, **__: asked.append(_) or [[]])
    assert embedder.equivalents("+".join(["x"] * terms)) == []
    ((_, _, config),) = asked
    assert config.max_tokens == room


def test_equivalents_are_judged_and_the_equal_ones_come_first(embedder: Embedder) -> None:
    found = embedder.equivalents("x", k=5, beam=20)
    assert len(found) == 5
    flags = [one.verdict.is_equal for one in found]
    assert flags == sorted(flags, reverse=True)
    for one in found:
        assert one.log_probability < 0
        assert one.expression != "x"
