"""Vectors per second: ours beside the eager, padded way that the authors' code works in.

The alternative is `nn.TransformerEncoder` of the same width, in batches of 64 in file order, padded
to the longest of the batch, and the maximum over the states. Both have two threads. What fp32 can
do at best is the machine's own rate of matrix products, measured beside them.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from onnx import TensorProto, helper
from torch import Tensor, nn

from benchmarks.timing import Row, solo, typical
from benchmarks.work import sample_trees
from equivec.embed import Embedder
from equivec.embed.runtime import model_folder
from equivec.embed.sessions import onnxruntime
from equivec.expression.grammar import ELEMENTARY
from equivec.expression.prefix import write_prefix
from equivec.expression.vocabulary import Vocabulary
from equivec.model.folder import Model, save_model
from equivec.model.network import Transformer, TransformerConfig, sinusoids
from equivec.model.onnx_export import export

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from equivec.embed.runtime import Precision

    Floats = NDArray[np.float32]

_THREADS, _BATCH, _COUNT = 2, 64, 10_000
_PEAK_SIZE = 2_048
_PRECISIONS: tuple[Precision, ...] = ("fp32", "uint8")
_GOALS = {(512, "fp32"): 1.6, (512, "uint8"): 3.0, (256, "fp32"): 6.0, (256, "uint8"): 10.0}


def encoding(seed: int) -> Iterator[Row]:
    """The paper's width and the default model's, both against the alternative at width 512."""
    texts = [write_prefix(tree) for tree in sample_trees(random.Random(seed), _COUNT)]
    alternative, peak = _alternative_rate(texts), _peak()
    with tempfile.TemporaryDirectory() as folder:
        for embedder in (
            _random_model(Path(folder) / "random", 512, seed),
            _default_model(Path(folder) / "default"),
        ):
            rates = {}
            vectors = {}
            for precision in _PRECISIONS:
                rates[precision], vectors[precision] = _rate(embedder, texts, precision)
                yield Row(
                    benchmark="encoding",
                    what=f"width {embedder.width}, {precision}, against eager torch at width 512",
                    ours=rates[precision],
                    alternative=alternative,
                    unit="expressions/s",
                    ratio=rates[precision] / alternative,
                    goal=_GOALS[embedder.width, precision],
                )
            peak = max(peak, _peak())  # other work may have slowed the first
            yield _share_of_peak(texts, rates["fp32"], embedder.width, peak)
            yield _deviation(embedder.width, vectors["fp32"], vectors["uint8"])
        yield _warm_single(embedder)
    yield _cold_start()


def _random_model(folder: Path, width: int, seed: int) -> Embedder:
    vocabulary = Vocabulary.of(ELEMENTARY)
    config = TransformerConfig(vocabulary_size=len(vocabulary), width=width, feed_forward=4 * width)
    network = Transformer(config).initialise(seed)
    save_model(folder, Model(network, vocabulary, {}), "random weights")
    export(folder)
    return Embedder(folder, threads=_THREADS)


def _default_model(folder: Path) -> Embedder:
    """The bundled model, as it is exported today."""
    shutil.copytree(model_folder("default"), folder)
    export(folder)
    return Embedder(folder, threads=_THREADS)


def _rate(embedder: Embedder, texts: list[str], precision: Precision) -> tuple[float, Floats]:
    """Expressions a second, parsing included, after a warm-up, and their vectors."""
    embedder = Embedder(embedder.runtime.folder, precision=precision, threads=_THREADS)
    embedder.encode(texts[:200])
    start = time.perf_counter()
    vectors = embedder.encode(texts)
    return len(texts) / (time.perf_counter() - start), vectors


def _alternative_rate(texts: list[str]) -> float:
    torch.set_num_threads(_THREADS)
    width = 512
    vocabulary = Vocabulary.of(ELEMENTARY)
    layer = nn.TransformerEncoderLayer(
        width, 8, 4 * width, batch_first=True, norm_first=True, dropout=0.0
    )
    encoder = nn.TransformerEncoder(layer, 6, nn.LayerNorm(width), enable_nested_tensor=False)
    embedding = nn.Embedding(len(vocabulary), width, padding_idx=0)
    positions = sinusoids(258, width)
    encoder.eval()
    ids = [torch.tensor([1, *vocabulary.encode(text.split()), 2]) for text in texts]

    def encode(batch: list[Tensor]) -> Tensor:
        tokens = nn.utils.rnn.pad_sequence(batch, batch_first=True)
        states = embedding(tokens) * width**0.5 + positions[: tokens.shape[1]]
        states = encoder(states, src_key_padding_mask=tokens == 0)
        result: Tensor = states.masked_fill((tokens <= 2)[..., None], -torch.inf).amax(dim=1)
        return result

    with torch.no_grad():
        encode(ids[:_BATCH])
        start = time.perf_counter()
        for place in range(0, len(ids), _BATCH):
            encode(ids[place : place + _BATCH])
        return len(ids) / (time.perf_counter() - start)


def _deviation(width: int, exact: Floats, rough: Floats) -> Row:
    cosines = (exact * rough).sum(axis=1)
    return Row(
        benchmark="encoding",
        what=f"width {width}, uint8: largest deviation of a cosine from 1",
        ours=float(1 - cosines.min()),
        unit="",
    )


def _peak() -> float:
    """Operations a second of the best of some large matrix products, by whichever library."""
    torch.set_num_threads(_THREADS)
    left, right = torch.rand(2, _PEAK_SIZE, _PEAK_SIZE)
    feed = {"left": left.numpy(), "right": right.numpy()}
    session = _product_session()
    products = (lambda _: left @ right, lambda _: session.run(None, feed))
    times = [one.seconds for product in products for one in solo([None] * 20, product)]
    return 2 * _PEAK_SIZE**3 / min(times)


def _product_session() -> onnxruntime.InferenceSession:
    """A matrix product by onnxruntime, which knows some processors better than torch does."""
    value = helper.make_tensor_value_info
    left, right, whole = (
        value(name, TensorProto.FLOAT, [_PEAK_SIZE] * 2) for name in ("left", "right", "whole")
    )
    node = helper.make_node("MatMul", ["left", "right"], ["whole"])
    graph = helper.make_graph([node], "product", [left, right], [whole])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = _THREADS
    return onnxruntime.InferenceSession(model.SerializeToString(), options)


def _share_of_peak(texts: list[str], rate: float, width: int, peak: float) -> Row:
    """Operations of our encoder a second, beside those of a large matrix product."""
    tokens = float(np.mean([len(text.split()) + 2 for text in texts]))
    work = 2 * 6 * 12 * width**2 * tokens  # 6 layers of 12 width**2 weights
    return Row(
        benchmark="encoding",
        what=f"width {width}, fp32, beside the machine's best matrix product",
        ours=rate * work / 1e9,
        alternative=peak / 1e9,
        unit="GFLOP/s",
        ratio=rate * work / peak,
        goal=0.85,
    )


def _warm_single(embedder: Embedder) -> Row:
    embedder.encode("sin(x)/cos(x)")
    timings = solo(["sin(x)/cos(x)"] * 50, embedder.encode)
    return Row(
        benchmark="encoding",
        what=f"width {embedder.width}: one expression on a warm embedder",
        ours=1e3 * typical(timings),
        unit="ms",
    )


def _cold_start() -> Row:
    command = [sys.executable, "-m", "equivec", "embed", "sin(x)"]
    run = partial(subprocess.run, check=True, capture_output=True)
    return Row(
        benchmark="encoding",
        what="equivec embed 'sin(x)' in a new process",
        ours=typical(solo([command] * 5, run)),
        unit="s",
    )
