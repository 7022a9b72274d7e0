"""Unit vectors of expressions and their nearest neighbours, on the device of the network."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from equivec.semvec.batches import frame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from equivec.semvec.networks import ManyNetworks

Rows = npt.NDArray[np.int64]

_EMBEDDED_AT_ONCE = 16_384
_SIMILARITIES_AT_ONCE = {"cuda": 2**28, "cpu": 2**25}


def embed(
    network: ManyNetworks, expressions: npt.NDArray[np.uint8]
) -> Tensor:  # (rows, width), at length one
    """Unit vectors of expressions by a single network."""
    framed = torch.from_numpy(frame(expressions, expressions.shape[1] + 2))
    network.eval()
    with torch.no_grad():
        vectors = [
            network.encode(part.to(network.values.device).long()[None]).vectors[0]
            for part in torch.split(framed, _EMBEDDED_AT_ONCE)
        ]
    return functional.normalize(torch.cat(vectors), dim=1)


def join_units(every: Sequence[Tensor]) -> Tensor:  # (rows, sum of the widths), at length one
    """Unit vectors of several networks side by side: cosines become means of cosines.

    >>> first, second = torch.tensor([[0.0, 1.0]]), torch.tensor([[1.0, 0.0]])
    >>> join_units([first, first, second, second])
    tensor([[0.0000, 0.5000, 0.0000, 0.5000, 0.5000, 0.0000, 0.5000, 0.0000]])
    """
    return torch.cat(list(every), dim=1) / math.sqrt(len(every))


def nearest_on_device(units: Tensor, queries: Rows, k: int) -> Rows:  # (queries, k)
    """The k rows nearest to each query by cosine, itself left out, exact, in blocks."""
    k = min(k, len(units) - 1)
    nearest: list[Tensor] = []
    at_once = max(1, _SIMILARITIES_AT_ONCE[units.device.type] // len(units))
    for block in torch.split(torch.from_numpy(queries), at_once):
        places = block.to(units.device)
        cosines = units[places] @ units.T
        cosines[torch.arange(len(places), device=units.device), places] = -torch.inf
        nearest.append(cosines.topk(k, dim=1).indices.cpu())
    result: Rows = torch.cat(nearest).numpy()
    return result
