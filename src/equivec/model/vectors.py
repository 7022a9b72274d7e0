"""The vectors of very many expressions by torch: on a GPU, millions in a minute.

What users hold is `equivec.embed.Embedder`, which needs no torch; this gives the same vectors.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
import torch

from equivec.errors import LimitError
from equivec.expression.prefix import write_tokens
from equivec.expression.vocabulary import END_ID, START_ID
from equivec.model.devices import check_device
from equivec.model.files import WEIGHTS, is_encoder_alone, model_checksum
from equivec.model.folder import load_encoder
from equivec.model.ragged import Ragged

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from equivec.expression.tree import Node

_PLACES = 2**17  # tokens in a batch


class NetworkEncoder:
    """A model folder run by torch: `encode` gives the vectors of trees, in fp32.

    An encoder alone, whose weights have eight bits, is run in fp32 as well.
    """

    precision = "fp32"  # torch knows no other here

    def __init__(self, folder: Path, name: str, device: str) -> None:
        check_device(device)
        self.name = name
        self.checksum = model_checksum(folder)
        self.can_write = (folder / WEIGHTS).is_file()
        self.has_small_weights = is_encoder_alone(folder)
        self._model = load_encoder(folder, device)
        self._device = device

    @property
    def width(self) -> int:
        """How many numbers a vector has."""
        return self._model.network.config.width

    @torch.inference_mode()
    def encode(
        self, trees: Sequence[Node], *, normalize: bool = True
    ) -> NDArray[np.float32]:  # (trees, width)
        """A row for each tree; those of one length are computed together."""
        ids = [self._ids(tree) for tree in trees]
        vectors = np.empty((len(ids), self.width), dtype=np.float32)
        order = sorted(range(len(ids)), key=lambda place: len(ids[place]))
        for length, alike in groupby(order, key=lambda place: len(ids[place])):
            places = list(alike)
            height = max(1, _PLACES // length)
            for start in range(0, len(places), height):
                some = places[start : start + height]
                vectors[some] = self._vectors([ids[place] for place in some], length, normalize)
        return vectors

    def _ids(self, tree: Node) -> list[int]:
        tokens = write_tokens(tree)
        most = self._model.network.config.max_tokens
        if len(tokens) > most:
            text = " ".join(tokens)
            raise LimitError(f"{text!r} has {len(tokens)} tokens; this model reads up to {most}")
        return [START_ID, *self._model.vocabulary.encode(tokens), END_ID]

    def _vectors(
        self, framed: list[list[int]], length: int, is_normalized: bool
    ) -> NDArray[np.float32]:
        network = self._model.network
        lengths = torch.full((len(framed),), length, device=self._device)
        layout = Ragged.of(lengths, longest=length)
        tokens = torch.tensor(framed, device=self._device).flatten()
        found = network.pool(network.encode(tokens, layout), layout)
        if is_normalized:
            found = torch.nn.functional.normalize(found, dim=1)
        return np.asarray(found.cpu().numpy(), dtype=np.float32)
