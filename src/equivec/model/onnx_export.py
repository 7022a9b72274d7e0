"""A model folder as ONNX graphs, so that whoever uses it needs no torch.

Three graphs share the weights of `model.safetensors`, which they name as their external data:
`encoder.onnx` reads expressions of one length, `bridge.onnx` prepares what the decoder looks at,
`decoder.onnx` writes one token more. The quantised encoder has its own, smaller weights.
"""

from __future__ import annotations

import json
import logging
import math
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

from equivec.model.files import BRIDGE, DECODER, ENCODER, QUANTISED, WEIGHTS, read_config
from equivec.model.network import TransformerConfig

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

_OPSET = 18
_TYPES = {"F16": TensorProto.FLOAT16, "F32": TensorProto.FLOAT, "BF16": TensorProto.BFLOAT16}


def export(folder: str | Path) -> None:
    """Write the graphs of a model folder beside its weights."""
    folder = Path(folder)
    config = TransformerConfig(**read_config(folder)["transformer"])
    weights = _weight_table(folder / WEIGHTS)
    for name, build in ((ENCODER, _encoder), (BRIDGE, _bridge), (DECODER, _decoder)):
        graph = _Graph(config, weights)
        build(graph)
        onnx.save(graph.model(name), folder / name)
    _quantise(folder, _Graph(config, weights, load_file(folder / WEIGHTS)))


def _quantise(folder: Path, graph: _Graph) -> None:
    """The encoder with weights of eight bits; what it reads is quantised as it comes."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    _encoder(graph)
    with TemporaryDirectory() as temporary:
        whole = Path(temporary) / ENCODER
        onnx.save(graph.model(ENCODER), whole)
        with _silent_root_logger():  # it recommends a step that these graphs do not need
            quantize_dynamic(
                whole,
                folder / QUANTISED,
                op_types_to_quantize=["MatMul"],
                per_channel=True,
                weight_type=QuantType.QUInt8,
            )


@contextmanager
def _silent_root_logger() -> Iterator[None]:
    logger = logging.getLogger()
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def _weight_table(path: Path) -> dict[str, tuple[int, tuple[int, ...], int, int]]:
    """Type, shape, offset and length of each tensor of a safetensors file."""
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header: dict[str, Any] = json.loads(file.read(size))
    header.pop("__metadata__", None)
    return {
        name: (
            _TYPES[entry["dtype"]],
            tuple(entry["shape"]),
            8 + size + entry["data_offsets"][0],
            entry["data_offsets"][1] - entry["data_offsets"][0],
        )
        for name, entry in header.items()
    }


class _Graph:
    """A graph in the making: each method adds nodes and gives the name of their result."""

    def __init__(
        self,
        config: TransformerConfig,
        weights: dict[str, tuple[int, tuple[int, ...], int, int]],
        arrays: Mapping[str, NDArray[Any]] | None = None,
    ) -> None:
        self.config = config
        self.weights = weights
        self.arrays = arrays  # where given, they go into the graph itself
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, onnx.TensorProto] = {}
        self.inputs: list[onnx.ValueInfoProto] = []
        self.outputs: list[onnx.ValueInfoProto] = []

    def model(self, name: str) -> onnx.ModelProto:
        """The finished model."""
        graph = helper.make_graph(
            self.nodes, name, self.inputs, self.outputs, list(self.constants.values())
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)])
        model.ir_version = 9
        return model

    def read(self, name: str, kind: int, shape: Sequence[str | int]) -> str:
        """An input."""
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def write(self, value: str, name: str, shape: Sequence[str | int]) -> None:
        """An output."""
        self.nodes.append(helper.make_node("Identity", [value], [name]))
        self.outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """A node with one result."""
        result = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [result], **attributes))
        return result

    def split(self, value: str, parts: int) -> list[str]:
        """A value cut along its last axis into equal parts."""
        results = [f"Split_{len(self.nodes)}_{part}" for part in range(parts)]
        self.nodes.append(helper.make_node("Split", [value], results, axis=-1, num_outputs=parts))
        return results

    def constant(self, value: Any, kind: Any = np.int64) -> str:
        """A small constant, kept in the graph itself."""
        array = np.asarray(value, dtype=kind)
        name = (
            f"constant_{array.dtype}_{array.tolist()}"
            if array.size < 8
            else f"table_{len(self.constants)}"
        )
        self.constants[name] = numpy_helper.from_array(array, name)
        return name

    def weight(self, name: str) -> str:
        """A weight of the safetensors file, in fp32."""
        if self.arrays is not None:
            return self.inline(name, self.arrays[name])
        kind, shape, offset, length = self.weights[name]
        if name not in self.constants:
            tensor = TensorProto(name=name, data_type=kind, dims=shape)
            tensor.data_location = TensorProto.EXTERNAL
            for key, value in (("location", WEIGHTS), ("offset", offset), ("length", length)):
                tensor.external_data.add(key=key, value=str(value))
            self.constants[name] = tensor
        return name if kind == TensorProto.FLOAT else self.op("Cast", name, to=TensorProto.FLOAT)

    def inline(self, name: str, array: NDArray[Any]) -> str:
        """A weight in the graph itself, in fp32."""
        self.constants[name] = numpy_helper.from_array(array.astype(np.float32), name)
        return name

    def linear(self, value: str, name: str) -> str:
        """A linear layer; MatMul and not Gemm, which quantisation knows less well."""
        if self.arrays is not None:
            matrix = self.inline(f"{name}.weight", self.arrays[f"{name}.weight"].T)
        else:
            matrix = self.op("Transpose", self.weight(f"{name}.weight"), perm=[1, 0])
        return self.op("Add", self.op("MatMul", value, matrix), self.weight(f"{name}.bias"))

    def norm(self, value: str, name: str) -> str:
        """Layer normalisation."""
        return self.op(
            "LayerNormalization",
            value,
            self.weight(f"{name}.weight"),
            self.weight(f"{name}.bias"),
            axis=-1,
            epsilon=1e-5,
        )

    def reshape(self, value: str, *shape: int) -> str:
        """Another shape; 0 keeps an axis, -1 is what remains."""
        return self.op("Reshape", value, self.constant(list(shape)))

    def heads(self, value: str) -> str:
        """(batch, length, width) to (batch, heads, length, size)."""
        parted = self.reshape(value, 0, 0, self.config.heads, -1)
        return self.op("Transpose", parted, perm=[0, 2, 1, 3])

    def joined(self, value: str) -> str:
        """(batch, heads, length, size) to (batch, length, width)."""
        return self.reshape(self.op("Transpose", value, perm=[0, 2, 1, 3]), 0, 0, -1)

    def attend(self, query: str, key: str, value: str, bias: str | None = None) -> str:
        """Scaled dot-product attention, all (batch, heads, length, size)."""
        size = self.config.width // self.config.heads
        scaled = self.op("Mul", query, self.constant(size**-0.5, np.float32))
        turned = self.op("Transpose", key, perm=[0, 1, 3, 2])
        scores = self.op("MatMul", scaled, turned)
        if bias is not None:
            scores = self.op("Add", scores, bias)
        return self.op("MatMul", self.op("Softmax", scores, axis=-1), value)

    def add(self, value: str, more: str) -> str:
        """The sum."""
        return self.op("Add", value, more)

    def feed_forward(self, states: str, block: str) -> str:
        """The two layers that see one place alone, added to the states."""
        inner = self.linear(self.norm(states, f"{block}.inner_norm"), f"{block}.inner_input")
        return self.add(states, self.linear(self.op("Relu", inner), f"{block}.inner_output"))

    def look_up(self, tokens: str, places: str) -> str:
        """Tokens with their sinusoidal positions; `places` has one axis less than the result."""
        width = self.config.width
        rates = np.exp(np.arange(0, width, 2) * (-math.log(10_000) / width))
        angles = self.op(
            "Mul",
            self.op("Unsqueeze", places, self.constant([-1])),
            self.constant(rates, np.float32),
        )
        waves = [
            self.op("Unsqueeze", self.op(wave, angles), self.constant([-1]))
            for wave in ("Sin", "Cos")
        ]
        positions = self.reshape(self.op("Concat", *waves, axis=-1), 0, width)
        states = self.op("Gather", self.weight("embedding.weight"), tokens)
        scaled = self.op("Mul", states, self.constant(math.sqrt(width), np.float32))
        return self.add(scaled, positions)


def _encoder(graph: _Graph) -> None:
    """Framed tokens of one length to states and vectors."""
    config = graph.config
    tokens = graph.read("tokens", TensorProto.INT64, ["batch", "length"])
    length = graph.op("Squeeze", graph.op("Shape", tokens, start=1, end=2), graph.constant([0]))
    places = graph.op("Range", graph.constant(0), length, graph.constant(1))
    states = graph.look_up(tokens, graph.op("Cast", places, to=TensorProto.FLOAT))
    for layer in range(config.layers):
        block = f"encoder.{layer}"
        inner = graph.linear(graph.norm(states, f"{block}.self_norm"), f"{block}.self_input")
        query, key, value = (graph.heads(part) for part in graph.split(inner, 3))
        seen = graph.joined(graph.attend(query, key, value))
        states = graph.add(states, graph.linear(seen, f"{block}.self_output"))
        states = graph.feed_forward(states, block)
    states = graph.norm(states, "encoder_norm")
    graph.write(states, "states", ["batch", "length", config.width])
    graph.write(_pooled(graph, states), "vectors", ["batch", config.width])


def _pooled(graph: _Graph, states: str) -> str:
    body = graph.op("Slice", states, *(graph.constant([edge]) for edge in (1, -1, 1)))
    first = graph.op("Gather", states, graph.constant(0), axis=1)
    last = graph.op("Gather", states, graph.constant(-1), axis=1)
    axis = graph.constant([1])
    return {
        "max": lambda: graph.op("ReduceMax", body, axis, keepdims=0),
        "mean": lambda: graph.op("ReduceMean", body, axis, keepdims=0),
        "first": lambda: first,
        "last": lambda: last,
    }[graph.config.pooling]()


def _bridge(graph: _Graph) -> None:
    """The encoder's states to keys and values for every layer of the decoder."""
    config = graph.config
    states = graph.read("states", TensorProto.FLOAT, ["items", "length", config.width])
    parts: tuple[list[str], list[str]] = ([], [])
    for layer in range(config.layers):
        inner = graph.linear(states, f"decoder.{layer}.memory_input")
        for found, part in zip(parts, graph.split(inner, 2), strict=True):
            found.append(graph.op("Unsqueeze", graph.heads(part), graph.constant([0])))
    shape = _cache_shape(config, "items", "length")
    for name, found in zip(("memory_keys", "memory_values"), parts, strict=True):
        graph.write(graph.op("Concat", *found, axis=0), name, shape)


def _decoder(graph: _Graph) -> None:
    """The newest tokens and what came before to log-probabilities of the next ones."""
    config = graph.config
    tokens = graph.read("tokens", TensorProto.INT64, ["rows"])
    place = graph.read("place", TensorProto.FLOAT, [1])
    parents = graph.read("parents", TensorProto.INT64, ["rows"])
    past, memory = (
        [
            graph.read(f"{name}_{kind}", TensorProto.FLOAT, _cache_shape(config, rows, length))
            for kind in ("keys", "values")
        ]
        for name, rows, length in (("past", "rows before", "past"), ("memory", "items", "length"))
    )
    bias = graph.read("memory_bias", TensorProto.FLOAT, ["items", 1, 1, "length"])
    items = graph.op("Shape", bias, start=0, end=1)
    kept = [graph.op("Gather", part, parents, axis=1) for part in past]
    states = graph.look_up(tokens, place)
    states = graph.reshape(states, -1, 1, config.width)
    present: tuple[list[str], list[str]] = ([], [])
    for layer in range(config.layers):
        block, number = f"decoder.{layer}", graph.constant(layer)
        inner = graph.linear(graph.norm(states, f"{block}.self_norm"), f"{block}.self_input")
        query, *new = (graph.heads(part) for part in graph.split(inner, 3))
        whole = [
            graph.op("Concat", graph.op("Gather", before, number, axis=0), part, axis=2)
            for before, part in zip(kept, new, strict=True)
        ]
        for found, part in zip(present, whole, strict=True):
            found.append(graph.op("Unsqueeze", part, graph.constant([0])))
        seen = graph.joined(graph.attend(query, *whole))
        states = graph.add(states, graph.linear(seen, f"{block}.self_output"))
        states = graph.add(states, _from_memory(graph, states, block, layer, memory, bias, items))
        states = graph.feed_forward(states, block)
    logits = graph.linear(graph.norm(states, "decoder_norm"), "output")
    flat = graph.reshape(logits, -1, config.vocabulary_size)
    graph.write(graph.op("LogSoftmax", flat, axis=-1), "scores", ["rows", config.vocabulary_size])
    after = _cache_shape(config, "rows", "present")
    for name, found in zip(("keys", "values"), present, strict=True):
        graph.write(graph.op("Concat", *found, axis=0), f"present_{name}", after)


def _cache_shape(config: TransformerConfig, rows: str, length: str) -> list[str | int]:
    return [config.layers, rows, config.heads, length, config.width // config.heads]


def _from_memory(
    graph: _Graph, states: str, block: str, layer: int, memory: list[str], bias: str, items: str
) -> str:
    """What the rows of each item see of its memory: the beams are as one sequence."""
    width = graph.config.width
    inner = graph.linear(graph.norm(states, f"{block}.memory_norm"), f"{block}.memory_query")
    shape = graph.op("Concat", items, graph.constant([-1, width]), axis=0)
    query = graph.heads(graph.op("Reshape", inner, shape))
    key, value = (graph.op("Gather", part, graph.constant(layer), axis=0) for part in memory)
    seen = graph.joined(graph.attend(query, key, value, bias))
    return graph.linear(graph.reshape(seen, -1, 1, width), f"{block}.memory_output")
