"""Greedy and beam search, vectorised over items and beams, with cached keys and values.

A beam holds hypotheses, finished or not, in the order of their log-probabilities; it is over when
all are finished. Nothing is read back from the device inside a step; every few steps the items that
are over leave the batch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from equivec.errors import require_at_least
from equivec.expression.vocabulary import END_ID, PADDING_ID, START_ID
from equivec.model.batches import FRAME
from equivec.model.ragged import Ragged

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from equivec.expression.completion import TokenTable
    from equivec.model.network import Block, Transformer

    Ids = Sequence[Sequence[int]]  # the token ids of expressions


_STEPS_BETWEEN_LOOKS = 8
_ROWS_ON_CPU = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class BeamConfig:
    """How hypotheses are searched for; a beam of one is greedy search."""

    beams: int = 1
    max_tokens: int = 64  # of a hypothesis, its end not counted
    is_constrained: bool = True  # only what can become a valid expression is written
    excludes_input: bool = False  # nothing that begins with the whole input is written
    rows: int = 8_192  # hypotheses that are extended at once

    def __post_init__(self) -> None:
        require_at_least(1, beams=self.beams, max_tokens=self.max_tokens, rows=self.rows)


def rows_on(device: str) -> int:
    """How many hypotheses are best extended at once; so few on a CPU show how far it is."""
    return _ROWS_ON_CPU if device == "cpu" else BeamConfig().rows


class Hypotheses(NamedTuple):
    """What was written for each input, best first."""

    tokens: Tensor  # (items, beams, length): without start and end, padded with 0
    scores: Tensor  # (items, beams): log-probabilities; -inf where a beam has nothing more to say
    is_finished: Tensor  # (items, beams): whether the end was written


def search(
    network: Transformer,
    expressions: Ids,
    table: TokenTable,
    config: BeamConfig,
) -> Iterator[Hypotheses]:
    """The hypotheses for expressions of token ids, some inputs at a time, in their order."""
    at_once = max(1, config.rows // config.beams)
    for start in range(0, len(expressions), at_once):
        yield search_batch(network, expressions[start : start + at_once], table, config)


@torch.inference_mode()
def search_batch(
    network: Transformer,
    expressions: Ids,
    table: TokenTable,
    config: BeamConfig,
) -> Hypotheses:
    """The hypotheses for a batch of expressions of token ids."""
    network.eval()
    beam = _Beam(network, expressions, table, config)
    done = beam.empty_result()
    for step in range(config.max_tokens + 1):
        beam.extend(step)
        if step % _STEPS_BETWEEN_LOOKS == _STEPS_BETWEEN_LOOKS - 1:
            beam.retire(done)
            if not len(beam.items):
                break
    beam.retire(done, everything=True)
    return done


class _Cache:
    """Keys and values of the decoder's layers: of what was written, and of the memory."""

    def __init__(self, network: Transformer, expressions: Ids, beams: int) -> None:
        self.network = network
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

    def step(self, tokens: Tensor, place: int) -> Tensor:  # (items, beams, vocabulary)
        """Logits of what follows the newest tokens, (items, beams)."""
        network = self.network
        offsets = torch.full_like(tokens.flatten(), place)
        states = network.look_up(tokens.flatten(), offsets)
        for number, block in enumerate(self.blocks):
            seen = self._attend_written(number, block, states)
            states = block.after(block.self_norm, states + seen)
            seen = self._attend_memory(number, block, states)
            states = block.after(block.memory_norm, states + seen)
            states = block.after(block.inner_norm, states + block.feed_forward(states))
        logits: Tensor = network.output(network.decoder_norm(states))
        return logits.view(*tokens.shape, -1)

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

    def follow(self, parents: Tensor) -> None:
        """Let each beam go on from its parent, (items, beams)."""
        rows = parents + torch.arange(len(parents), device=parents.device)[:, None] * self.beams
        self._choose(rows.flatten())

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


class _Beam:
    """The hypotheses of all items that are not over, and what is known of each."""

    def __init__(
        self,
        network: Transformer,
        expressions: Ids,
        table: TokenTable,
        config: BeamConfig,
    ) -> None:
        device = network.embedding.weight.device
        shape = (len(expressions), config.beams)
        self.config = config
        self.cache = _Cache(network, expressions, config.beams)
        self.rules = _Rules(table, config, device)
        self.items = torch.arange(len(expressions), device=device)
        self.inputs = _padded(expressions, device)
        self.tokens = torch.zeros((*shape, 0), dtype=torch.long, device=device)
        self.newest = torch.full(shape, START_ID, device=device)
        self.scores = torch.full(shape, -torch.inf, device=device)
        self.scores[:, 0] = 0.0
        self.is_done = torch.zeros(shape, dtype=torch.bool, device=device)
        self.is_copy = torch.ones(shape, dtype=torch.bool, device=device)
        self.opened = torch.ones(shape, dtype=torch.long, device=device)

    def extend(self, step: int) -> None:
        """Write one more token in every hypothesis, and keep the best ones."""
        logits = self.cache.step(self.newest, step).float()
        forbidden = self.rules.forbidden(self.opened, self.newest, step)
        if self.config.excludes_input:
            forbidden = forbidden | self._completes_copy(step, logits.shape[-1])
        gains = logits.log_softmax(dim=-1).masked_fill(forbidden, -torch.inf)
        gains = torch.where(self.is_done[..., None], self.rules.only_padding, gains)
        vocabulary = gains.shape[-1]
        ways = (self.scores[..., None] + gains).flatten(1)
        self.scores, places = ways.topk(self.config.beams, dim=1)
        self._follow(places // vocabulary, places % vocabulary, step)

    def _follow(self, parents: Tensor, newest: Tensor, step: int) -> None:
        self.cache.follow(parents)
        self.tokens = self.tokens.gather(1, parents[..., None].expand(-1, -1, step))
        self.tokens = torch.cat([self.tokens, newest[..., None]], dim=2)
        self.newest = newest
        self.is_done = self.is_done.gather(1, parents) | (newest == END_ID)
        self.opened = self.opened.gather(1, parents) + self.rules.opened[newest]
        same = newest == self.inputs[:, step : step + 1] if step < self.inputs.shape[1] else False
        self.is_copy = self.is_copy.gather(1, parents) & same

    def _completes_copy(self, step: int, vocabulary: int) -> Tensor:  # (items, beams, vocabulary)
        if step >= self.inputs.shape[1]:
            return torch.zeros((), dtype=torch.bool, device=self.inputs.device)
        lengths = (self.inputs != PADDING_ID).sum(dim=1, keepdim=True)
        is_last = self.is_copy & (lengths == step + 1)
        ids = torch.arange(vocabulary, device=self.inputs.device)
        return is_last[..., None] & (ids == self.inputs[:, step, None, None])

    def empty_result(self) -> Hypotheses:
        """Room for the hypotheses of all items."""
        shape, device = self.scores.shape, self.scores.device
        return Hypotheses(
            torch.zeros((*shape, self.config.max_tokens + 1), dtype=torch.long, device=device),
            torch.full(shape, -torch.inf, device=device),
            torch.zeros(shape, dtype=torch.bool, device=device),
        )

    def retire(self, result: Hypotheses, *, everything: bool = False) -> None:
        """Move the items that are over, or all, from the beam into the result."""
        is_over = (self.is_done | self.scores.isneginf()).all(dim=1) | everything
        over, left = is_over.nonzero()[:, 0], (~is_over).nonzero()[:, 0]
        if not len(over):
            return
        items, length = self.items[over], self.tokens.shape[2]
        body = self.tokens[over]
        result.tokens[items, :, :length] = body.masked_fill(body == END_ID, PADDING_ID)
        result.scores[items] = self.scores[over]
        result.is_finished[items] = self.is_done[over]
        self.cache.keep(left)
        names = ("items", "inputs", "tokens", "newest", "scores", "is_done", "is_copy", "opened")
        for name in names:
            setattr(self, name, getattr(self, name)[left])


class _Rules:
    """The token table on the device: what may not come next."""

    def __init__(self, table: TokenTable, config: BeamConfig, device: torch.device) -> None:
        self.config = config
        self.opened = torch.tensor(table.opened, device=device)
        self.is_sign = torch.tensor(table.is_sign, device=device)
        self.is_digit = torch.tensor(table.is_digit, device=device)
        self.is_special = torch.tensor(table.is_special, device=device)
        ids = torch.arange(len(table.opened), device=device)
        self.is_end = ids == END_ID
        self.never = self.is_special & ~self.is_end
        self.only_padding = torch.where(ids == PADDING_ID, 0.0, -torch.inf)

    def forbidden(self, opened: Tensor, newest: Tensor, step: int) -> Tensor:
        """For each hypothesis the tokens that cannot follow, (items, beams, vocabulary)."""
        if not self.config.is_constrained:
            return self.never.expand(*opened.shape, -1)
        needs_digit = self.is_sign[newest][..., None]
        takes_digit = needs_digit | self.is_digit[newest][..., None]
        missing = opened[..., None]
        left = self.config.max_tokens - step - 1  # tokens that may still be written after this one
        fits = missing + self.opened + self.is_sign.long() <= left
        is_open = missing > 0
        allowed = torch.where(self.is_digit, takes_digit & fits, is_open & fits & ~needs_digit)
        allowed = torch.where(self.is_end, ~is_open & ~needs_digit, allowed & ~self.is_special)
        return ~allowed


def _padded(expressions: Ids, device: torch.device) -> Tensor:
    longest = max(len(ids) for ids in expressions)
    rows = [[*ids, *[PADDING_ID] * (longest - len(ids))] for ids in expressions]
    return torch.tensor(rows, device=device)
