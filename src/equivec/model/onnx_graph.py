"""ONNX graphs in the making, with the weights of a model folder: in fp32, or in eight bits.

States are (rows, width) throughout: one row for each token of each expression.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from google.protobuf.message import DecodeError
from onnx import TensorProto, helper, numpy_helper

from equivec.errors import FileFormatError
from equivec.model.files import WEIGHTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from equivec.model.network import TransformerConfig

    Place = tuple[int, tuple[int, ...], int, int]

_OPSETS = {"": 18, "com.microsoft": 1}  # the second one: onnxruntime's own operators
_OWN = frozenset({"FusedMatMul", "MatMulIntegerToFloat", "MultiHeadAttention"})
_TYPES = {"F16": TensorProto.FLOAT16, "F32": TensorProto.FLOAT, "BF16": TensorProto.BFLOAT16}
_MIDDLE, _MOST = 128, 127  # a number in eight bits: the middle, and how far it goes from there


def weight_places(path: Path) -> dict[str, Place]:
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


class Graph:
    """A graph in the making: each method adds nodes and gives the name of their result."""

    def __init__(self, config: TransformerConfig, places: Mapping[str, Place]) -> None:
        self.config = config
        self.places = places
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, onnx.TensorProto] = {}
        self.inputs: list[onnx.ValueInfoProto] = []
        self.outputs: list[onnx.ValueInfoProto] = []

    @property
    def size(self) -> int:
        """The width of a head."""
        return self.config.width // self.config.heads

    def model(self, name: str) -> onnx.ModelProto:
        """The finished model."""
        graph = helper.make_graph(
            self.nodes, name, self.inputs, self.outputs, list(self.constants.values())
        )
        opsets = [helper.make_opsetid(*row) for row in _OPSETS.items()]
        model = helper.make_model(graph, opset_imports=opsets)
        model.ir_version = 9
        return model

    def read(self, name: str, kind: int, shape: Sequence[str | int]) -> str:
        """An input."""
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def write(self, value: str, name: str, shape: Sequence[str | int]) -> str:
        """An output; the value goes by its name from now on."""
        for node in self.nodes:
            for names in (node.input, node.output):
                names[:] = [name if one == value else one for one in names]
        self.outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
        return name

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """A node with one result."""
        result = f"{kind}_{len(self.nodes)}"
        domain = "com.microsoft" if kind in _OWN else ""
        node = helper.make_node(kind, list(inputs), [result], domain=domain, **attributes)
        self.nodes.append(node)
        return result

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
        kind, shape, offset, length = self.places[name]
        if name not in self.constants:
            tensor = TensorProto(name=name, data_type=kind, dims=shape)
            tensor.data_location = TensorProto.EXTERNAL
            for key, value in (("location", WEIGHTS), ("offset", offset), ("length", length)):
                tensor.external_data.add(key=key, value=str(value))
            self.constants[name] = tensor
        return name if kind == TensorProto.FLOAT else self.op("Cast", name, to=TensorProto.FLOAT)

    def linear(self, rows: str, name: str) -> str:
        """A linear layer."""
        matrix, bias = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.op("Gemm", rows, matrix, bias, transB=1)

    def linears(self, rows: str, name: str, parts: int) -> list[str]:
        """A linear layer whose result is wanted in parts: no cheaper whole, and nothing to cut."""
        whole = [self.weight(f"{name}.weight"), self.weight(f"{name}.bias")]
        found = []
        for part in range(parts):
            edges = [self.constant([edge * self.config.width]) for edge in (part, part + 1)]
            matrix, bias = (self.op("Slice", one, *edges) for one in whole)
            found.append(self.op("Gemm", rows, matrix, bias, transB=1))
        return found

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

    def before(self, states: str, name: str) -> str:
        """The states as a part of a layer sees them."""
        return self.norm(states, name) if self.config.norm == "first" else states

    def after(self, states: str, name: str) -> str:
        """The states with what a part of a layer has added."""
        return states if self.config.norm == "first" else self.norm(states, name)

    def reshape(self, value: str, *shape: int) -> str:
        """Another shape; 0 keeps an axis, -1 is what remains."""
        return self.op("Reshape", value, self.constant(list(shape)))

    def add(self, value: str, more: str) -> str:
        """The sum."""
        return self.op("Add", value, more)

    def feed_forward(self, states: str, block: str) -> str:
        """The two layers that see one place alone, added to the states."""
        name = f"{block}.inner_norm"
        inner = self.linear(self.before(states, name), f"{block}.inner_input")
        outer = self.linear(self.op("Relu", inner), f"{block}.inner_output")
        return self.after(self.add(states, outer), name)

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


class QuantisedGraph(Graph):
    """A graph that has its weights in itself, and computes the feed-forward layers in eight bits.

    Those are two thirds of the work. Every row is scaled by its own largest number, so that none
    depends on another and none is cut off. What attention does stays in fp32, for errors there
    change vectors most; its matrices are kept in half precision or, where a file has to be small,
    in eight bits too.
    """

    def __init__(
        self, config: TransformerConfig, weights: Mapping[str, NDArray[Any]], *, is_small: bool
    ) -> None:
        super().__init__(config, {})
        self.weights = weights
        self.is_small = is_small

    def weight(self, name: str) -> str:
        """A weight in fp32, as far as what is kept of it tells."""
        array = self.weights[name].astype(np.float32)
        if array.ndim < 2:
            return self.inline(name, array)
        if not self.is_small or name == "embedding.weight":
            half = self.inline(name, array.astype(np.float16))
            return self.op("Cast", half, to=TensorProto.FLOAT)
        small, scales = _in_eight_bits(array)
        wide = self.op("Cast", self.inline(name, small), to=TensorProto.FLOAT)
        return self.op("Mul", wide, self.inline(f"{name}.scales", scales))

    def inline(self, name: str, array: NDArray[Any]) -> str:
        """A weight in the graph itself."""
        self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(array), name)
        return name

    def feed_forward(self, states: str, block: str) -> str:
        """The two layers that see one place alone, added to the states."""
        name = f"{block}.inner_norm"
        inner = self._integer_linear(
            self.before(states, name), f"{block}.inner_input", is_positive=False
        )
        outer = self._integer_linear(
            self.op("Relu", inner), f"{block}.inner_output", is_positive=True
        )
        return self.after(self.add(states, outer), name)

    def _integer_linear(self, rows: str, name: str, *, is_positive: bool) -> str:
        """A linear layer that multiplies integers of eight bits."""
        small, scales = _in_eight_bits(self.weights[f"{name}.weight"].astype(np.float32))
        middle, most = (0, 255) if is_positive else (_MIDDLE, _MOST)
        largest = self.op(
            "ReduceMax",
            rows if is_positive else self.op("Abs", rows),
            self.constant([-1]),
            keepdims=1,
        )
        steps = self.op(  # the size of a step in each row, and never 0
            "Max",
            self.op("Mul", largest, self.constant(1 / most, np.float32)),
            self.constant(1e-30, np.float32),
        )
        flat = self.reshape(steps, -1)
        middles = self.op("Expand", self.constant([middle], np.uint8), self.op("Shape", flat))
        products = self.op(
            "MatMulIntegerToFloat",
            self.op("QuantizeLinear", rows, flat, middles, axis=0),
            self.inline(f"{name}.weight", small.T),
            self.constant(1.0, np.float32),
            self.inline(f"{name}.weight.scales", scales.ravel()),
            self.constant(middle, np.uint8),
            self.inline(f"{name}.weight.middles", np.zeros(len(small), dtype=np.int8)),
        )
        return self.add(self.op("Mul", products, steps), self.weight(f"{name}.bias"))


def _in_eight_bits(matrix: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """A matrix (outputs, inputs) as integers, and the scale of each output, (outputs, 1)."""
    scales = np.maximum(np.abs(matrix).max(axis=1, keepdims=True) / _MOST, 1e-30)
    return np.rint(matrix / scales).astype(np.int8), scales.astype(np.float32)


def quantised_weights(path: Path) -> dict[str, NDArray[np.float32]]:
    """The weights that a QuantisedGraph keeps, as far as eight bits tell, by their names."""
    try:
        graph = onnx.load(path).graph
    except DecodeError:
        raise FileFormatError(f"{path} is not a graph that can be read") from None
    kept = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    weights = {}
    for name, array in kept.items():
        if name.endswith((".weight", ".bias")):
            wide = array.astype(np.float32) * kept.get(f"{name}.scales", np.float32(1))
            # What multiplies integers is kept as (inputs, outputs).
            weights[name] = wide.T if f"{name}.middles" in kept else wide
    return weights
