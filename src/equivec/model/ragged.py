"""Sequences of different lengths one after another: nothing is spent on padding.

A batch is a flat row of places. Linear layers see places only; attention is told where each
sequence begins. The row may have a fixed capacity, so that every step has the same shapes: what is
left over is filled with sequences that nothing looks at.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional
from torch.nn.attention.flex_attention import BlockMask, flex_attention

BLOCK = 128  # places that one tile of the fused attention covers


class Ragged(NamedTuple):
    """Where sequences lie in a flat row."""

    starts: Tensor  # (sequences + 1,), int32: where each begins, and where the last one ends
    owners: Tensor  # (places,): the sequence of each place
    offsets: Tensor  # (places,): how far each place is from the beginning of its sequence
    longest: int  # no sequence is longer

    @classmethod
    def of(cls, lengths: Tensor, longest: int, capacity: int | None = None) -> Ragged:
        """The layout of sequences of given lengths; with a capacity, that many places.

        >>> layout = Ragged.of(torch.tensor([2, 3]), longest=3)
        >>> layout.owners.tolist(), layout.offsets.tolist()
        ([0, 0, 1, 1, 1], [0, 1, 0, 1, 2])
        """
        if capacity is not None:
            lengths = torch.cat([lengths, _fillers(lengths, longest, capacity)])
        starts = functional.pad(lengths.cumsum(0), (1, 0))
        places = torch.arange(len(lengths), device=lengths.device)
        owners = places.repeat_interleave(lengths, output_size=capacity)
        row = torch.arange(len(owners), device=lengths.device)
        return cls(starts.int(), owners, row - starts[owners], longest)

    def padded_places(self) -> Tensor:  # (sequences, longest)
        """The place of each token of each sequence; beyond its end, the sequence's last one."""
        firsts, ends = self.starts[:-1, None].long(), self.starts[1:, None].long()
        steps = torch.arange(self.longest, device=self.starts.device)
        return torch.minimum(firsts + steps, ends - 1).clamp(min=0)

    def is_inside(self) -> Tensor:  # (sequences, longest)
        """Where a padded sequence has a token."""
        lengths = self.starts.diff()[:, None]
        return torch.arange(self.longest, device=self.starts.device) < lengths


def _fillers(lengths: Tensor, longest: int, capacity: int) -> Tensor:
    """Lengths of the sequences that fill a row up to its capacity."""
    steps = torch.arange(0, capacity, longest, device=lengths.device)
    return (capacity - lengths.sum() - steps).clamp(0, longest)


class Sight(NamedTuple):
    """Which places of one row see which of another: those of the same sequence."""

    asking: Ragged
    asked: Ragged
    is_causal: bool
    blocks: BlockMask | None  # for the fused attention, on a GPU

    @classmethod
    def of(cls, asking: Ragged, asked: Ragged, *, is_causal: bool = False) -> Sight:
        """Every sequence sees the one of the same number, or what stands before in it."""
        blocks = seen_blocks(asking, asked, is_causal=is_causal) if asking.starts.is_cuda else None
        return cls(asking, asked, is_causal, blocks)


def seen_blocks(asking: Ragged, asked: Ragged, *, is_causal: bool) -> BlockMask:
    """The tiles in which anything is seen: for short sequences, a narrow band."""
    owners, others = asking.owners, asked.owners
    offsets, other_offsets = asking.offsets, asked.offsets

    def is_seen(batch: Tensor, head: Tensor, place: Tensor, other: Tensor) -> Tensor:
        del batch, head
        seen = owners[place] == others[other]
        return seen & (other_offsets[other] <= offsets[place]) if is_causal else seen

    rows = torch.arange(0, len(owners), BLOCK, device=owners.device)
    most = len(asked.starts) - 2
    first_owners = owners[rows].clamp(max=most)
    last_owners = owners[(rows + BLOCK - 1).clamp(max=len(owners) - 1)].clamp(max=most)
    columns = -(-len(others) // BLOCK)
    first = (asked.starts[first_owners] // BLOCK).clamp(max=columns - 1)
    last = ((asked.starts[last_owners + 1] - 1) // BLOCK).clamp(max=columns - 1)
    order = torch.arange(columns, device=owners.device, dtype=torch.int32)
    return BlockMask.from_kv_blocks(
        (last - first + 1).clamp(min=0).int()[None, None],
        ((first[:, None] + order) % columns).int()[None, None],
        BLOCK_SIZE=BLOCK,
        mask_mod=is_seen,
        seq_lengths=(len(owners), len(others)),
    )


def attend(query: Tensor, key: Tensor, value: Tensor, sight: Sight, dropout: float = 0.0) -> Tensor:
    """Scaled dot-product attention, like query: (places, heads, size).

    Attention weights are dropped as `nn.Transformer` drops them, but not where it is fused.
    """
    # Only a compiled program fuses it; without, it would hold every place beside every other.
    if sight.blocks is None or not torch.compiler.is_compiling() or query.shape[2] < 16:
        return _attend_padded(query, key, value, sight, dropout)
    query, key, value = (part.transpose(0, 1)[None] for part in (query, key, value))
    result: Tensor = flex_attention(query, key, value, block_mask=sight.blocks)
    return result[0].transpose(0, 1)


def _attend_padded(
    query: Tensor, key: Tensor, value: Tensor, sight: Sight, dropout: float
) -> Tensor:
    asking, asked, is_causal, _ = sight
    seen = asked.is_inside()
    seen[:, 0] = True  # an empty sequence must look at something, or its gradient is not a number
    allowed = seen[:, None, None, :]
    if is_causal:
        allowed = allowed & seen.new_ones(asking.longest, asked.longest).tril()
    places = asked.padded_places()
    result = functional.scaled_dot_product_attention(
        query[asking.padded_places()].transpose(1, 2),
        key[places].transpose(1, 2),
        value[places].transpose(1, 2),
        attn_mask=allowed,
        dropout_p=dropout,
    )
    return result.transpose(1, 2)[asking.owners, asking.offsets]
