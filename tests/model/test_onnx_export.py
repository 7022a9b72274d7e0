"""The exported graphs compute what the network computes, however their weights are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx
import pytest
import torch
from safetensors.torch import load_file

from equivec.embed import Embedder
from equivec.embed.decoding import Decoder
from equivec.embed.runtime import Runtime
from equivec.errors import ConfigError, FileFormatError
from equivec.expression.vocabulary import END_ID, START_ID
from equivec.model.files import CARD, DECODER, QUANTISED, WEIGHTS, read_config
from equivec.model.network import NORMS
from equivec.model.onnx_export import export_encoder
from equivec.model.ragged import Ragged
from equivec.pipeline.exporting import Blend, export_model
from equivec.storage.checksums import CHECKSUMS
from support.models import ids_of, model_folder_of, tiny_network

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from equivec.model.network import Transformer

TEXTS = ("sin(x)/cos(x)", "x", "x**2 + 17*x")


def framed(text: str) -> list[int]:
    return [START_ID, *ids_of(text), END_ID]


def chances_at_once(network: Transformer, source: list[int], target: list[int]) -> np.ndarray:
    """Log-probabilities after every token of the target, nothing kept from one to the next."""
    layouts = [Ragged.of(torch.tensor([len(ids)]), len(ids)) for ids in (source, target)]
    with torch.no_grad():
        memory = network.encode(torch.tensor(source), layouts[0])
        logits = network.decode(torch.tensor(target), layouts[1], memory, layouts[0])
    return logits.log_softmax(dim=-1).numpy()


@pytest.mark.parametrize("norm", NORMS)
def test_step_by_step_with_slots_is_the_same_as_all_at_once(tmp_path: Path, norm: str) -> None:
    network = tiny_network(3, norm=norm).eval()
    runtime = Runtime(model_folder_of(network, tmp_path / "model"))
    sources = [framed(text) for text in TEXTS]
    # Rows of one, two and one hypotheses; the two of the second item part after three tokens.
    items = np.array([0, 1, 1, 2])
    first = framed("x**2 + 17*x")[:6]
    targets = np.array([first, first, [*first[:3], 7, 9, 4], framed("tan(x) + 3*x")[:6]])
    decoder = Decoder(runtime, sources, beams=2, threads=1)
    paths = np.zeros((len(items), 0), dtype=np.int64)
    found = []
    for place, tokens in enumerate(targets.T):
        chances, slots = decoder.step(place, items, np.ascontiguousarray(tokens), paths)
        if place < 3:  # as in a beam: what has been the same so far shares its slots
            slots[2] = slots[1]
        paths = np.concatenate([paths, slots[:, None]], axis=1)
        found.append(chances)
    for row, (item, target) in enumerate(zip(items, targets, strict=True)):
        expected = chances_at_once(network, sources[item], target.tolist())
        np.testing.assert_allclose([step[row] for step in found], expected, atol=1e-4)


def test_items_that_leave_change_nothing_for_those_that_stay(tmp_path: Path) -> None:
    runtime = Runtime(model_folder_of(tiny_network(3).eval(), tmp_path / "model"))
    sources = [framed(text) for text in TEXTS]
    nothing = np.zeros((1, 0), dtype=np.int64)
    start = np.array([START_ID])
    alone = Decoder(runtime, sources[2:], beams=1, threads=1)
    expected, _ = alone.step(0, np.array([0]), start, nothing)
    decoder = Decoder(runtime, sources, beams=1, threads=1)
    for kept, place in (([1, 2], 1), ([1], 0)):
        decoder.keep(np.array(kept))
        found, _ = decoder.step(0, np.array([place]), start, nothing)
        np.testing.assert_allclose(found, expected, atol=1e-5)


def test_there_are_always_slots(tmp_path: Path) -> None:
    runtime = Runtime(model_folder_of(tiny_network().eval(), tmp_path / "model"))
    decoder = Decoder(runtime, [framed("x")], beams=1, threads=1)
    paths = np.zeros((1, 0), dtype=np.int64)
    for place in range(70):
        _, slots = decoder.step(place, np.array([0]), np.array([5]), paths)
        paths = np.concatenate([paths, slots[:, None]], axis=1)
    assert paths.tolist() == [list(range(70))]


@pytest.mark.parametrize("norm", NORMS)
def test_an_encoder_alone_is_smaller_and_still_near(tmp_path: Path, norm: str) -> None:
    folder = model_folder_of(tiny_network(6, width=64, norm=norm), tmp_path / "model")
    export_encoder(folder, tmp_path / "alone")
    alone = Embedder(tmp_path / "alone")
    sizes = [(path / QUANTISED).stat().st_size for path in (tmp_path / "alone", folder)]
    assert sizes[0] < sizes[1]
    cosines = (Embedder(folder).encode(TEXTS) * alone.encode(TEXTS)).sum(axis=1)
    assert (cosines > 0.999).all()
    with pytest.raises(FileFormatError, match="in eight bits alone; use it with precision uint8"):
        Embedder(tmp_path / "alone", precision="fp32").encode(TEXTS)


def test_a_blend_has_the_mean_of_two_models_weights(tmp_path: Path) -> None:
    one, two = (model_folder_of(tiny_network(seed), tmp_path / str(seed)) for seed in (1, 2))
    export_model(one, tmp_path / "out", Blend(str(two), 0.25))
    ours, theirs, mean = (load_file(path / WEIGHTS) for path in (one, two, tmp_path / "out"))
    for name, weights in mean.items():
        expected = 0.75 * ours[name].float() + 0.25 * theirs[name].float()
        torch.testing.assert_close(weights.float(), expected, atol=2e-3, rtol=2e-3)
    blended = Embedder(tmp_path / "out").encode(TEXTS)
    assert not np.allclose(blended, Embedder(one).encode(TEXTS), atol=1e-2)
    assert read_config(tmp_path / "out")["blend"] == {"model": str(two), "fraction": 0.25}
    assert "in these weights is 0.25" in (tmp_path / "out" / CARD).read_text(encoding="utf-8")


def test_what_cannot_be_blended_is_refused(tmp_path: Path) -> None:
    folder = model_folder_of(tiny_network(1), tmp_path / "model")
    wider = model_folder_of(tiny_network(1, width=64), tmp_path / "wider")
    with pytest.raises(ConfigError, match=r"must lie in \(0, 1\), not at 1.5"):
        Blend(str(wider), 1.5)
    with pytest.raises(ConfigError, match="has another shape; blend models of the same shape"):
        export_model(folder, tmp_path / "out", Blend(str(wider), 0.5))
    with pytest.raises(ConfigError, match="a blend needs a folder to write to"):
        export_model(folder, None, Blend(str(folder), 0.5))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("write", [export_model, export_encoder])
def test_a_copy_replaces_neither_the_model_nor_what_is_no_model(
    tmp_path: Path, write: Callable[[Path, Path], object]
) -> None:
    folder, precious = model_folder_of(tiny_network(1), tmp_path / "model"), tmp_path / "precious"
    precious.mkdir()
    (precious / "thesis.txt").write_text("years of work")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.*")}
    for target in (precious / ".." / "model", tmp_path):
        with pytest.raises(ConfigError, match="is or holds the model itself; name another folder"):
            write(folder, target)
    for target in (precious, precious / "thesis.txt"):
        with pytest.raises(FileFormatError, match="holds other things than a model"):
            write(folder, target)
    assert before == {path: path.read_bytes() for path in tmp_path.rglob("*.*")}
    for _ in range(2):  # a copy may be written again
        write(folder, tmp_path / "copy")


def test_a_decoder_of_an_older_version_says_what_to_do(tmp_path: Path) -> None:
    folder = model_folder_of(tiny_network(), tmp_path / "model")
    graph = onnx.load(folder / DECODER, load_external_data=False)
    for one in (*graph.graph.input, *graph.graph.node):
        for names in (one.input,) if isinstance(one, onnx.NodeProto) else ():
            names[:] = ["past" if name == "paths" else name for name in names]
        if one.name == "paths":
            one.name = "past"
    onnx.save(graph, folder / DECODER)
    (folder / CHECKSUMS).unlink()  # which folders of that time did not have
    with pytest.raises(FileFormatError, match="is of an older version; write it again with: equi"):
        Embedder(folder).equivalents("x")
