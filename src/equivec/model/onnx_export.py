"""A model folder as ONNX graphs, so that whoever uses it needs no torch.

Three graphs share the weights of `model.safetensors`, which they name as their external data:
`encoder.onnx` reads expressions of one length, `bridge.onnx` prepares what the decoder looks at,
`decoder.onnx` writes one token more. The quantised encoder has its own, smaller weights.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import onnx
from onnx import TensorProto
from safetensors.numpy import load_file

from equivec.model.files import (
    BRIDGE,
    CARD,
    CONFIG,
    DECODER,
    ENCODER,
    QUANTISED,
    VOCABULARY,
    WEIGHTS,
    check_target,
    list_checksums,
    read_config,
)
from equivec.model.network import TransformerConfig
from equivec.model.onnx_graph import Graph, QuantisedGraph, weight_places
from equivec.model.pooling import find_pooling
from equivec.storage.checksums import check_listed
from equivec.storage.files import folder_renamed_when_complete

if TYPE_CHECKING:
    from collections.abc import Sequence


def export(folder: str | Path) -> None:
    """Write the graphs of a model folder beside its weights."""
    folder = Path(folder)
    _check(folder)
    config = TransformerConfig(**read_config(folder)["transformer"])
    places = weight_places(folder / WEIGHTS)
    for name, build in ((ENCODER, _encoder), (BRIDGE, _bridge), (DECODER, _decoder)):
        graph = Graph(config, places)
        build(graph)
        onnx.save(graph.model(name), folder / name)
    _write_quantised(folder, folder, is_small=False)
    list_checksums(folder)


def export_encoder(folder: str | Path, out: str | Path) -> None:
    """Write a folder that has nothing but the encoder, all its matrices in eight bits.

    A quarter less to keep than the quantised encoder beside a model's weights, and vectors that
    are a little further from those in fp32.
    """
    folder, out = Path(folder), Path(out)
    check_target(out, folder)
    _check(folder)
    with folder_renamed_when_complete(out) as temporary:
        for name in (CONFIG, VOCABULARY, CARD):
            (temporary / name).write_bytes((folder / name).read_bytes())
        _write_quantised(folder, temporary, is_small=True)
        list_checksums(temporary)


def _check(folder: Path) -> None:
    """See that graphs are made from what was saved, so that their checksums vouch for it."""
    for name in (VOCABULARY, WEIGHTS):
        check_listed(folder, name)


def _write_quantised(folder: Path, out: Path, *, is_small: bool) -> None:
    config = TransformerConfig(**read_config(folder)["transformer"])
    graph = QuantisedGraph(config, load_file(folder / WEIGHTS), is_small=is_small)
    _encoder(graph)
    onnx.save(graph.model(QUANTISED), out / QUANTISED)


def _encoder(graph: Graph) -> None:
    """Framed tokens of one length to states and vectors."""
    config = graph.config
    tokens = graph.read("tokens", TensorProto.INT64, ["batch", "length"])
    shape = graph.op(
        "Concat", graph.op("Shape", tokens), graph.constant([config.width]), axis=0
    )  # (batch, length, width)
    length = graph.op("Squeeze", graph.op("Shape", tokens, start=1, end=2), graph.constant([0]))
    places = graph.op("Range", graph.constant(0), length, graph.constant(1))
    states = graph.look_up(tokens, graph.op("Cast", places, to=TensorProto.FLOAT))
    states = graph.reshape(states, -1, config.width)
    for layer in range(config.layers):
        block = f"encoder.{layer}"
        normed = graph.before(states, f"{block}.self_norm")
        parts = graph.linears(normed, f"{block}.self_input", 3)
        seen = graph.op(
            "MultiHeadAttention",
            *(graph.op("Reshape", part, shape) for part in parts),
            num_heads=config.heads,
        )
        seen = graph.reshape(seen, -1, config.width)
        states = graph.add(states, graph.linear(seen, f"{block}.self_output"))
        states = graph.after(states, f"{block}.self_norm")
        states = graph.feed_forward(states, block)
    states = graph.op("Reshape", graph.norm(states, "encoder_norm"), shape)
    states = graph.write(states, "states", ["batch", "length", config.width])
    vectors = find_pooling(config.pooling).node(graph, states)
    graph.write(vectors, "vectors", ["batch", config.width])


def _bridge(graph: Graph) -> None:
    """The encoder's states to keys and values for every layer of the decoder."""
    config = graph.config
    states = graph.read("states", TensorProto.FLOAT, ["items", "length", config.width])
    parted = graph.op(
        "Concat",
        graph.op("Shape", states, start=0, end=2),
        graph.constant([config.heads, graph.size]),
        axis=0,
    )  # (items, length, heads, size)
    rows = graph.reshape(states, -1, config.width)
    for layer in range(config.layers):
        parts = graph.linears(rows, f"decoder.{layer}.memory_input", 2)
        for kind, part in zip(("keys", "values"), parts, strict=True):
            heads = graph.op("Transpose", graph.op("Reshape", part, parted), perm=[0, 2, 1, 3])
            graph.write(heads, f"memory_{kind}_{layer}", _memory_shape(graph))


def _memory_shape(graph: Graph) -> Sequence[str | int]:
    return ["items", graph.config.heads, "length", graph.size]


def _decoder(graph: Graph) -> None:
    """The newest token of each row, and the slots of those before, to the next one's chances.

    A slot holds the key and the value that a token had in some row at some step; rows share slots,
    and the slots of a row are its path.
    """
    config = graph.config
    tokens = graph.read("tokens", TensorProto.INT64, ["rows"])
    place = graph.read("place", TensorProto.FLOAT, [1])
    paths = graph.read("paths", TensorProto.INT64, ["rows", "past"])
    by_item = graph.read("rows_of_items", TensorProto.INT64, ["items", "most"])
    by_row = graph.read("places_of_rows", TensorProto.INT64, ["rows"])
    is_seen = graph.read("is_seen", TensorProto.INT32, ["items", "length"])
    first_head = graph.op("Mul", paths, graph.constant(config.heads))
    heads = graph.constant(np.arange(config.heads)[:, None])
    path = graph.add(graph.op("Unsqueeze", first_head, graph.constant([1])), heads)
    states = graph.look_up(tokens, place)
    for layer in range(config.layers):
        block = f"decoder.{layer}"
        states = graph.add(states, _from_past(graph, states, layer, path))
        states = graph.after(states, f"{block}.self_norm")
        query = graph.linear(graph.before(states, f"{block}.memory_norm"), f"{block}.memory_query")
        seen = graph.op(
            "MultiHeadAttention",
            graph.op("Gather", query, by_item),
            *(
                graph.read(f"memory_{kind}_{layer}", TensorProto.FLOAT, _memory_shape(graph))
                for kind in ("keys", "values")
            ),
            "",
            is_seen,
            num_heads=config.heads,
            mask_filter_value=-1e9,
        )
        seen = graph.op("Gather", graph.reshape(seen, -1, config.width), by_row)
        states = graph.add(states, graph.linear(seen, f"{block}.memory_output"))
        states = graph.after(states, f"{block}.memory_norm")
        states = graph.feed_forward(states, block)
    logits = graph.linear(graph.norm(states, "decoder_norm"), "output")
    chances = graph.op("LogSoftmax", logits, axis=-1)
    graph.write(chances, "scores", ["rows", config.vocabulary_size])


def _from_past(graph: Graph, states: str, layer: int, path: str) -> str:
    """What each row sees of itself; its new key and value are written out for the steps to come."""
    config, block = graph.config, f"decoder.{layer}"
    normed = graph.before(states, f"{block}.self_norm")
    query, *new = graph.linears(normed, f"{block}.self_input", 3)
    both = []  # keys and values, (rows, heads, past + 1, size)
    for kind, part in zip(("keys", "values"), new, strict=True):
        slots = graph.read(f"{kind}_{layer}", TensorProto.FLOAT, ["slots x heads", graph.size])
        part = graph.write(part, f"new_{kind}_{layer}", ["rows", config.width])
        newest = graph.reshape(part, 0, config.heads, 1, graph.size)
        both.append(graph.op("Concat", graph.op("Gather", slots, path), newest, axis=2))
    query = graph.reshape(query, 0, config.heads, 1, graph.size)
    scores = graph.op("FusedMatMul", query, both[0], transB=1, alpha=graph.size**-0.5)
    seen = graph.op("MatMul", graph.op("Softmax", scores, axis=-1), both[1])
    return graph.linear(graph.reshape(seen, 0, config.width), f"{block}.self_output")
