"""The Transformer encoder-decoder of Gangwar & Kani 2023, over flat rows of tokens.

Layers normalised first or last, ReLU, sinusoidal positions; the vector of an expression is the
maximum over the last encoder layer's states, start and end left out. It knows nothing of losses or
of batches.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn import functional

from equivec.errors import ConfigError, require_at_least
from equivec.model.pooling import find_pooling
from equivec.model.ragged import Sight, attend

if TYPE_CHECKING:
    from equivec.model.ragged import Ragged


NORMS = ("first", "last")


@dataclass(frozen=True, slots=True, kw_only=True)
class TransformerConfig:
    """The shape of a network; how it is trained is in TrainingConfig."""

    vocabulary_size: int
    width: int = 512
    feed_forward: int = 2048
    layers: int = 6  # of the encoder, and again of the decoder
    heads: int = 8
    dropout: float = 0.1
    max_tokens: int = 256  # of an expression, start and end not counted
    pooling: str = "max"
    norm: str = "first"  # where a part of a layer is normalised: what it sees, or the sum after it

    def __post_init__(self) -> None:
        require_at_least(
            1,
            vocabulary_size=self.vocabulary_size,
            width=self.width,
            feed_forward=self.feed_forward,
            layers=self.layers,
            heads=self.heads,
            max_tokens=self.max_tokens,
        )
        if self.width % (2 * self.heads):
            raise ConfigError(f"width {self.width} is not a multiple of 2 * {self.heads} heads")
        find_pooling(self.pooling)
        if self.norm not in NORMS:
            raise ConfigError(
                f"{self.norm!r} is not a place for the norm; choose {' or '.join(NORMS)}"
            )
        if not 0 <= self.dropout < 1:
            raise ConfigError(f"dropout must lie in [0, 1), not at {self.dropout}")

    def unlike(self, other: TransformerConfig) -> list[str]:
        """What keeps weights of the one shape from fitting the other: all but the dropout."""
        names = (field.name for field in fields(self) if field.name != "dropout")
        return [name for name in names if getattr(self, name) != getattr(other, name)]


class Block(nn.Module):
    """One layer: attention to itself, to the memory where there is one, and feed-forward."""

    def __init__(self, config: TransformerConfig, *, has_memory: bool) -> None:
        super().__init__()
        width, inner = config.width, config.feed_forward
        self.heads = config.heads
        self.is_normed_first = config.norm == "first"
        self.has_memory = has_memory
        self.self_norm = nn.LayerNorm(width)
        self.self_input = nn.Linear(width, 3 * width)
        self.self_output = nn.Linear(width, width)
        if has_memory:
            self.memory_norm = nn.LayerNorm(width)
            self.memory_query = nn.Linear(width, width)
            self.memory_input = nn.Linear(width, 2 * width)
            self.memory_output = nn.Linear(width, width)
        self.inner_norm = nn.LayerNorm(width)
        self.inner_input = nn.Linear(width, inner)
        self.inner_output = nn.Linear(inner, width)
        self.dropout = nn.Dropout(config.dropout)

    def forward(
        self,
        states: Tensor,  # (places, width)
        sight: Sight,
        memory: Tensor | None = None,  # (places of the sources, width)
        memory_sight: Sight | None = None,
    ) -> Tensor:
        """The states after this layer."""
        dropped = self.dropout.p if self.training else 0.0
        query, key, value = self.look_at_itself(states)
        seen = attend(query, key, value, sight, dropped)
        states = self.after(
            self.self_norm, states + self.dropout(self.self_output(seen.flatten(1)))
        )
        if memory is not None and memory_sight is not None:
            key, value = self.look_at_memory(memory)
            query = self.look_for_memory(states)
            seen = attend(query, key, value, memory_sight, dropped)
            found = self.dropout(self.memory_output(seen.flatten(1)))
            states = self.after(self.memory_norm, states + found)
        return self.after(self.inner_norm, states + self.dropout(self.feed_forward(states)))

    def before(self, norm: nn.Module, states: Tensor) -> Tensor:
        """The states as a part of the layer sees them."""
        return norm(states) if self.is_normed_first else states

    def after(self, norm: nn.Module, states: Tensor) -> Tensor:
        """The states with what a part of the layer has added."""
        return states if self.is_normed_first else norm(states)

    def look_at_itself(self, states: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values of the attention to itself, each (places, heads, size)."""
        query, key, value = self.self_input(self.before(self.self_norm, states)).chunk(3, dim=-1)
        return self.split(query), self.split(key), self.split(value)

    def look_for_memory(self, states: Tensor) -> Tensor:
        """Queries of the attention to the memory, (places, heads, size)."""
        return self.split(self.memory_query(self.before(self.memory_norm, states)))

    def look_at_memory(self, memory: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values of the memory, each (places, heads, size)."""
        key, value = self.memory_input(memory).chunk(2, dim=-1)
        return self.split(key), self.split(value)

    def feed_forward(self, states: Tensor) -> Tensor:
        """The two layers that see one place alone."""
        inner = functional.relu(self.inner_input(self.before(self.inner_norm, states)))
        return self.inner_output(self.dropout(inner))  # type: ignore[no-any-return]

    def split(self, states: Tensor) -> Tensor:  # (places, heads, size)
        """The heads apart."""
        return states.view(*states.shape[:-1], self.heads, -1)


class Transformer(nn.Module):
    """Reads an expression into states and a vector; writes another one token by token.

    >>> from equivec.model.ragged import Ragged
    >>> network = Transformer(TransformerConfig(vocabulary_size=7, width=16, layers=1))
    >>> layout = Ragged.of(torch.tensor([3, 4]), longest=4)
    >>> states = network.encode(torch.tensor([1, 3, 2, 1, 5, 6, 2]), layout)
    >>> network.pool(states, layout).shape
    torch.Size([2, 16])
    """

    positions: Tensor  # (max_tokens + 2, width)

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocabulary_size, config.width)
        self.encoder = nn.ModuleList(Block(config, has_memory=False) for _ in range(config.layers))
        self.encoder_norm = nn.LayerNorm(config.width)
        self.decoder = nn.ModuleList(Block(config, has_memory=True) for _ in range(config.layers))
        self.decoder_norm = nn.LayerNorm(config.width)
        self.output = nn.Linear(config.width, config.vocabulary_size)
        self.dropout = nn.Dropout(config.dropout)
        positions = sinusoids(config.max_tokens + 2, config.width)
        self.register_buffer("positions", positions, persistent=False)

    def initialise(self, seed: int) -> Transformer:
        """New weights, decided by the seed alone (Glorot & Bengio 2010)."""
        generator = torch.Generator().manual_seed(seed)
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.xavier_uniform_(module.weight, generator=generator)
                nn.init.zeros_(module.bias)
        nn.init.normal_(self.embedding.weight, std=self.config.width**-0.5, generator=generator)
        return self

    def freeze_encoder(self) -> None:
        """Let the decoder alone learn, without the table of tokens, which both look into."""
        for part in (self.embedding, self.encoder, self.encoder_norm):
            part.requires_grad_(False)

    def encode(self, tokens: Tensor, layout: Ragged) -> Tensor:  # (places, width)
        """The states of framed expressions after the last layer of the encoder."""
        states, sight = self.look_up(tokens, layout.offsets), Sight.of(layout, layout)
        for block in self.encoder:
            states = block(states, sight)
        return self.encoder_norm(states)  # type: ignore[no-any-return]

    def pool(self, states: Tensor, layout: Ragged) -> Tensor:  # (sequences, width), float32
        """The vectors of expressions."""
        return find_pooling(self.config.pooling).ragged(states, layout).float()

    def decode(
        self, tokens: Tensor, layout: Ragged, memory: Tensor, memory_layout: Ragged
    ) -> Tensor:
        """Logits of the next token at every place, (places, vocabulary)."""
        states = self.look_up(tokens, layout.offsets)
        sight = Sight.of(layout, layout, is_causal=True)
        memory_sight = Sight.of(layout, memory_layout)
        for block in self.decoder:
            states = block(states, sight, memory, memory_sight)
        return self.output(self.decoder_norm(states))  # type: ignore[no-any-return]

    def look_up(self, tokens: Tensor, offsets: Tensor) -> Tensor:
        """Tokens with their positions, as the first layer sees them."""
        states = self.embedding(tokens) * math.sqrt(self.config.width)
        return self.dropout(states + self.positions[offsets])  # type: ignore[no-any-return]


def sinusoids(length: int, width: int) -> Tensor:  # (length, width)
    """Sines and cosines of geometrically growing wavelengths (Vaswani et al. 2017, 3.5)."""
    rates = torch.exp(torch.arange(0, width, 2) * (-math.log(10_000) / width))
    angles = torch.arange(length)[:, None] * rates
    return torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1)[:, :width]
