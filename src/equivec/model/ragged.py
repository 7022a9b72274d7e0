"""Sequences of different lengths one after another: nothing is spent on padding.

A batch is a flat row of places. Linear layers see places only; attention is told where each
sequence begins. The row may have a fixed capacity, so that every step has the same shapes: what is
left over is filled with sequences that nothing looks at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

if TYPE_CHECKING:
    from collections.abc import Callable

varlen_attn: Callable[..., Tensor] | None
try:  # PyTorch 2.9 does not have it yet.
    from torch.nn.attention.varlen import varlen_attn  # type: ignore[assignment]
except ImportError:
    varlen_attn = None


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


def attend(
    query: Tensor, key: Tensor, value: Tensor, asking: Ragged, asked: Ragged, *, is_causal: bool
) -> Tensor:  # like query: (places, heads, size)
    """Scaled dot-product attention within sequences, or from sequences to their partners."""
    if varlen_attn is None or query.dtype != torch.bfloat16 or not query.is_cuda:
        return _attend_padded(query, key, value, asking, asked, is_causal=is_causal)
    # The fused way back leaves the gradients of rows outside all sequences unset.
    inside = (torch.arange(len(key), device=key.device) < asked.starts[-1])[:, None, None]
    key, value = key.where(inside, 0), value.where(inside, 0)
    window = (-1, 0) if is_causal else (-1, -1)
    return varlen_attn(
        query,
        key,
        value,
        asking.starts,
        asked.starts,
        asking.longest,
        asked.longest,
        window_size=window,
    )


def _attend_padded(
    query: Tensor, key: Tensor, value: Tensor, asking: Ragged, asked: Ragged, *, is_causal: bool
) -> Tensor:
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
    )
    return result.transpose(1, 2)[asking.owners, asking.offsets]
