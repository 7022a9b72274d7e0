"""Many small Transformer encoder-decoders in one: every weight has a leading axis of networks.

A network of width 64 leaves a GPU idle; dozens of them at once, each with its own data, do not. All
weights of a network lie side by side in one row, so that the norm of its gradient, its optimiser
and its copies are each one operation. The architecture is that of Gangwar & Kani 2023: layers
normalised first, ReLU, sinusoidal positions, and as the vector of an expression the maximum over
the last encoder layer's states, start and end left out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from equivec.errors import ConfigError
from equivec.expression.vocabulary import END_ID, PADDING_ID
from equivec.model.network import sinusoids

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    import numpy.typing as npt

LARGEST_LENGTH = 32  # positions that a network can tell apart
_ALIGNMENT = 64  # values: a row of weights starts where a matrix product likes it

_PARTS_OF_ATTENTION = (".memory.query.weight", ".memory.input.weight")

Weights = dict[str, Tensor]  # a name to (networks, *shape)


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkConfig:
    """The shape of a network; how it is trained is in TrainingConfig."""

    vocabulary_size: int
    width: int = 64
    feed_forward: int = 256
    layers: int = 6  # of the encoder, and again of the decoder
    heads: int = 8
    dropout: float = 0.1
    attention_dropout: float = 0.0  # of the shares that places have in each other

    def __post_init__(self) -> None:
        if self.width % self.heads:
            raise ConfigError(f"width {self.width} is not a multiple of heads {self.heads}")


class Encoded(NamedTuple):
    """What the encoder makes of expressions."""

    memory: Tensor  # (networks, batch, length, width)
    visible: Tensor  # (networks, batch, length), where there is no padding
    vectors: Tensor  # (networks, batch, width), float32


def weight_shapes(config: NetworkConfig) -> Mapping[str, tuple[int, ...]]:
    """The shape of every weight by its name, in the order in which they lie side by side."""
    shapes: dict[str, tuple[int, ...]] = {"embedding": (config.vocabulary_size, config.width)}
    for layer in range(config.layers):
        shapes |= _block_shapes(config, f"encoder.{layer}", has_memory=False)
    for layer in range(config.layers):
        shapes |= _block_shapes(config, f"decoder.{layer}", has_memory=True)
    for part in ("encoder", "decoder"):
        shapes |= _norm_shapes(config, f"{part}.norm")
    return shapes | _linear_shapes("output", config.width, config.vocabulary_size)


def _block_shapes(
    config: NetworkConfig, name: str, *, has_memory: bool
) -> dict[str, tuple[int, ...]]:
    width, inner = config.width, config.feed_forward
    shapes = _norm_shapes(config, f"{name}.self.norm")
    shapes |= _linear_shapes(f"{name}.self.input", width, 3 * width)
    shapes |= _linear_shapes(f"{name}.self.output", width, width)
    if has_memory:
        shapes |= _norm_shapes(config, f"{name}.memory.norm")
        shapes |= _linear_shapes(f"{name}.memory.query", width, width)
        shapes |= _linear_shapes(f"{name}.memory.input", width, 2 * width)
        shapes |= _linear_shapes(f"{name}.memory.output", width, width)
    shapes |= _norm_shapes(config, f"{name}.inner.norm")
    shapes |= _linear_shapes(f"{name}.inner.input", width, inner)
    return shapes | _linear_shapes(f"{name}.inner.output", inner, width)


def _norm_shapes(config: NetworkConfig, name: str) -> dict[str, tuple[int, ...]]:
    return {f"{name}.scale": (1, 1, config.width), f"{name}.shift": (1, 1, config.width)}


def _linear_shapes(name: str, inputs: int, outputs: int) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": (inputs, outputs), f"{name}.bias": (1, outputs)}


def draw_weights(config: NetworkConfig, seed: int) -> Tensor:  # (values of a network,)
    """The weights of one new network; the seed alone decides them, not its company."""
    generator = torch.Generator().manual_seed(seed)
    rows = [_draw(name, shape, generator) for name, shape in weight_shapes(config).items()]
    row = torch.cat([values.flatten() for values in rows])
    return functional.pad(row, (0, -len(row) % _ALIGNMENT))


def _draw(name: str, shape: tuple[int, ...], generator: torch.Generator) -> Tensor:
    if name.endswith((".bias", ".shift")):
        return torch.zeros(shape)
    if name.endswith(".scale"):
        return torch.ones(shape)
    if name == "embedding":
        return torch.randn(shape, generator=generator) / math.sqrt(shape[1])
    # Query, key and value are one matrix in torch's Transformer, and drawn as such.
    fans = 4 * shape[0] if name.endswith(_PARTS_OF_ATTENTION) else sum(shape)
    bound = math.sqrt(6 / fans)  # Glorot & Bengio 2010
    return torch.empty(shape).uniform_(-bound, bound, generator=generator)


class ManyNetworks(nn.Module):
    """Networks of one shape, trained and asked together.

    >>> networks = ManyNetworks(NetworkConfig(vocabulary_size=5, width=8, layers=1), seeds=[1, 2])
    >>> tokens = torch.tensor([[[1, 3, 4, 2, 0]], [[1, 4, 2, 0, 0]]])  # one expression for each
    >>> networks.encode(tokens).vectors.shape
    torch.Size([2, 1, 8])
    """

    positions: Tensor  # (largest length, width)

    def __init__(self, config: NetworkConfig, seeds: Sequence[int]) -> None:
        super().__init__()
        self.config = config
        self.count = len(seeds)
        self.values = nn.Parameter(torch.stack([draw_weights(config, seed) for seed in seeds]))
        self.register_buffer("positions", sinusoids(LARGEST_LENGTH, config.width))

    def weights(self, compute_type: torch.dtype) -> Weights:
        """Every weight by its name, as views of one tensor: the way back is one concatenation."""
        shapes = weight_shapes(self.config)
        sizes = [math.prod(shape) for shape in shapes.values()]
        sizes.append(self.values.shape[1] - sum(sizes))
        parts = torch.split(self.values.to(compute_type), sizes, dim=1)
        named = zip(shapes.items(), parts[:-1], strict=True)
        return {name: part.view(self.count, *shape) for (name, shape), part in named}

    def encode(self, tokens: Tensor, compute_type: torch.dtype = torch.float32) -> Encoded:
        """States and vectors of expressions, (networks, batch, length), framed and padded."""
        return self._encode(self.weights(compute_type), tokens)

    def forward(
        self, sources: Tensor, targets: Tensor, compute_type: torch.dtype = torch.float32
    ) -> tuple[Tensor, Tensor]:
        """Logits of the targets' next tokens, and vectors of the sources.

        Where there are more sources than targets, the first of them are decoded.
        """
        weights = self.weights(compute_type)
        encoded = self._encode(weights, sources)
        decoded = targets.shape[1]
        logits = self._decode(
            weights, encoded.memory[:, :decoded], encoded.visible[:, :decoded], targets[:, :, :-1]
        )
        return logits, encoded.vectors

    @classmethod
    def of(cls, config: NetworkConfig, values: npt.NDArray[np.generic]) -> ManyNetworks:
        """A single network with the weights given, side by side."""
        networks = cls(config, seeds=[0])
        if values.shape != networks.values.shape[1:]:
            raise ConfigError(f"these are {values.size:,} weights of a network of another shape")
        networks.values.data = torch.from_numpy(values).float()[None]
        return networks

    def select(self, places: Sequence[int]) -> ManyNetworks:
        """Some of the networks, copied."""
        chosen = self.values.detach()[list(places)].clone()
        networks = ManyNetworks(self.config, seeds=[0] * len(places)).to(chosen.device)
        networks.values = nn.Parameter(chosen)
        return networks.train(self.training)

    def _encode(self, weights: Weights, tokens: Tensor) -> Encoded:
        visible = tokens != PADDING_ID
        states = self._look_up(weights, tokens)
        allowed = visible[:, :, None, None, :]
        for layer in range(self.config.layers):
            states = self._block(weights, f"encoder.{layer}", states, allowed)
        states = _normalise(weights, "encoder.norm", states)
        frame = tokens <= END_ID
        vectors = states.masked_fill(frame[..., None], -torch.inf).amax(dim=2)
        return Encoded(states, visible, vectors.float())

    def _decode(self, weights: Weights, memory: Tensor, visible: Tensor, tokens: Tensor) -> Tensor:
        length = tokens.shape[2]
        earlier = torch.ones(length, length, dtype=torch.bool, device=tokens.device).tril()
        states = self._look_up(weights, tokens)
        for layer in range(self.config.layers):
            states = self._block(
                weights, f"decoder.{layer}", states, earlier, memory, visible[:, :, None, None, :]
            )
        return _linear(weights, "output", _normalise(weights, "decoder.norm", states))

    def _look_up(self, weights: Weights, tokens: Tensor) -> Tensor:
        # A product with one-hot rows: the way back of an index would add 100,000 rows into 500.
        table = weights["embedding"]
        hot = functional.one_hot(tokens.flatten(1), table.shape[1]).to(table.dtype)
        # What blocks add up is float32 throughout; only within them the weights' type is used.
        found = torch.bmm(hot, table).view(*tokens.shape, -1).float()
        states = found * math.sqrt(self.config.width)
        return self._drop(states + self.positions[: tokens.shape[2]])

    def _block(
        self,
        weights: Weights,
        name: str,
        states: Tensor,
        allowed: Tensor,
        memory: Tensor | None = None,
        memory_allowed: Tensor | None = None,
    ) -> Tensor:
        """One layer: attention to itself, to the memory where there is one, and feed-forward."""
        inner = _linear(
            weights, f"{name}.self.input", _normalise(weights, f"{name}.self.norm", states)
        )
        query, key, value = inner.chunk(3, dim=-1)
        inner = self._attend(query, key, value, allowed)
        states = states + self._drop(_linear(weights, f"{name}.self.output", inner))
        if memory is not None and memory_allowed is not None:
            inner = _normalise(weights, f"{name}.memory.norm", states)
            query = _linear(weights, f"{name}.memory.query", inner)
            key, value = _linear(weights, f"{name}.memory.input", memory).chunk(2, dim=-1)
            inner = self._attend(query, key, value, memory_allowed)
            states = states + self._drop(_linear(weights, f"{name}.memory.output", inner))
        inner = _normalise(weights, f"{name}.inner.norm", states)
        inner = self._drop(_linear(weights, f"{name}.inner.input", inner).relu())
        return states + self._drop(_linear(weights, f"{name}.inner.output", inner))

    def _attend(self, query: Tensor, key: Tensor, value: Tensor, allowed: Tensor) -> Tensor:
        # Plain products: over 15 tokens with heads of 8 they beat fused attention 3.7 times.
        query, key, value = (self._heads(part) for part in (query, key, value))
        scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
        shares = scores.masked_fill(~allowed, -torch.inf).softmax(dim=-1)
        shares = functional.dropout(shares, self.config.attention_dropout, self.training)
        return (shares @ value).transpose(2, 3).flatten(3)

    def _heads(self, states: Tensor) -> Tensor:  # (networks, batch, heads, length, width / heads)
        return states.view(*states.shape[:3], self.config.heads, -1).transpose(2, 3)

    def _drop(self, states: Tensor) -> Tensor:
        return functional.dropout(states, self.config.dropout, self.training)


def _linear(weights: Weights, name: str, states: Tensor) -> Tensor:
    flat = states.flatten(1, 2)
    product = torch.baddbmm(weights[f"{name}.bias"], flat, weights[f"{name}.weight"])
    return product.view(*states.shape[:-1], -1)


def _normalise(weights: Weights, name: str, states: Tensor) -> Tensor:
    scale, shift = weights[f"{name}.scale"], weights[f"{name}.shift"]
    normal = functional.layer_norm(states, states.shape[-1:])
    return normal.to(scale.dtype) * scale + shift
