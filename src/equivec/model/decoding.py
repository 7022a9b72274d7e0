"""The network as the beam search steps through it, with cached keys and values, on any device."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch.nn import functional

from equivec.expression.vocabulary import END_ID, START_ID
from equivec.model.batches import FRAME
from equivec.model.beams import BeamConfig, beam_search
from equivec.model.ragged import Ragged

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np

    from equivec.expression.completion import TokenTable
    from equivec.model.beams import Hypothesis
    from equivec.model.network import Block, Transformer

    Ids = Sequence[Sequence[int]]  # the token ids of expressions

_ROWS_ON_CPU = 512


def rows_on(device: str) -> int:
    """How many hypotheses are best extended at once; so few on a CPU show how far it is."""
    return _ROWS_ON_CPU if device == "cpu" else BeamConfig().rows


def search(
    network: Transformer, expressions: Ids, table: TokenTable, config: BeamConfig
) -> Iterator[list[list[Hypothesis]]]:
    """The hypotheses for expressions of token ids, some inputs at a time, in their order."""
    at_once = max(1, config.rows // config.beams)
    for start in range(0, len(expressions), at_once):
        yield search_batch(network, expressions[start : start + at_once], table, config)


@torch.inference_mode()
def search_batch(
    network: Transformer, expressions: Ids, table: TokenTable, config: BeamConfig
) -> list[list[Hypothesis]]:
    """The hypotheses for a batch of expressions of token ids."""
    network.eval()
    return beam_search(
        NetworkStepper(network, expressions, config.beams), expressions, table, config
    )


class NetworkStepper:
    """Keys and values of the decoder's layers: of what was written, and of the memory."""

    library = torch
    steps_between_looks = 8

    def __init__(self, network: Transformer, expressions: Ids, beams: int) -> None:
        self.network = network
        self.device = network.embedding.weight.device
        self.beams = beams
        memory, self.is_memory = _memory(network, expressions)
        blocks: list[Block] = list(network.decoder)  # type: ignore[arg-type]
        self.blocks = blocks
        self.memories = [
            [part.transpose(1, 2) for part in block.look_at_memory(memory)] for block in blocks
        ]  # each (items, heads, length, size)
        self.written: list[list[Tensor]] = [
            [] for _ in blocks
        ]  # (items * beams, heads, step, size)

    def array(self, values: np.ndarray) -> Tensor:
        """A tensor on the network's device."""
        return torch.as_tensor(values, device=self.device)

    def step(self, newest: Tensor, is_open: Tensor, place: int) -> Tensor:  # noqa: ARG002
        """Log-probabilities of what follows the newest tokens, (items, beams, vocabulary).

        All hypotheses are looked at: to choose the open ones would mean to wait for the device.
        """
        network = self.network
        offsets = torch.full_like(newest.flatten(), place)
        states = network.look_up(newest.flatten(), offsets)
        for number, block in enumerate(self.blocks):
            seen = self._attend_written(number, block, states)
            states = block.after(block.self_norm, states + seen)
            seen = self._attend_memory(number, block, states)
            states = block.after(block.memory_norm, states + seen)
            states = block.after(block.inner_norm, states + block.feed_forward(states))
        logits: Tensor = network.output(network.decoder_norm(states))
        return logits.view(*newest.shape, -1).float().log_softmax(dim=-1)

    def _attend_written(self, number: int, block: Block, states: Tensor) -> Tensor:
        query, key, value = (part[:, :, None] for part in block.look_at_itself(states))
        if self.written[number]:
            past = self.written[number]
            key, value = torch.cat([past[0], key], dim=2), torch.cat([past[1], value], dim=2)
        self.written[number] = [key, value]
        seen = functional.scaled_dot_product_attention(query, key, value)
        outcome: Tensor = block.self_output(seen.flatten(1))
        return outcome

    def _attend_memory(self, number: int, block: Block, states: Tensor) -> Tensor:
        query = block.look_for_memory(states)
        query = query.view(-1, self.beams, *query.shape[1:]).transpose(1, 2)
        key, value = self.memories[number]
        seen = functional.scaled_dot_product_attention(
            query, key, value, attn_mask=self.is_memory[:, None, None]
        )
        outcome: Tensor = block.memory_output(seen.transpose(1, 2).flatten(0, 1).flatten(1))
        return outcome

    def largest(self, values: Tensor, count: int) -> tuple[Tensor, Tensor]:
        """The largest values of each row, largest first, and their places."""
        found = values.topk(count, dim=1)
        return found.values, found.indices

    def follow(self, rows: Tensor, parents: Tensor) -> None:
        """Let each beam go on from its parent, (items, beams)."""
        self._choose((rows * self.beams + parents).flatten())

    def keep(self, items: Tensor) -> None:
        """Keep some of the items."""
        self.memories = [[part[items] for part in pair] for pair in self.memories]
        self.is_memory = self.is_memory[items]
        beams = torch.arange(self.beams, device=items.device)
        self._choose((items[:, None] * self.beams + beams).flatten())

    def _choose(self, rows: Tensor) -> None:
        self.written = [[part[rows] for part in pair] for pair in self.written]


def _memory(
    network: Transformer, expressions: Ids
) -> tuple[Tensor, Tensor]:  # (items, length, width), (items, length)
    """The encoder's states of framed expressions, padded, and where there is no padding."""
    device = network.embedding.weight.device
    lengths = torch.tensor([len(ids) + FRAME for ids in expressions], device=device)
    flat = [token for ids in expressions for token in (START_ID, *ids, END_ID)]
    longest = max(len(ids) for ids in expressions) + FRAME
    layout = Ragged.of(lengths, longest)
    states = network.encode(torch.tensor(flat, device=device), layout)
    return states[layout.padded_places()], layout.is_inside()
