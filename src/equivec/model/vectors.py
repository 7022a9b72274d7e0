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
from equivec.expression.text import as_tree, detect_format
from equivec.expression.vocabulary import END_ID, START_ID
from equivec.model.devices import check_device
from equivec.model.folder import load_encoder
from equivec.model.ragged import Ragged

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

_PLACES = 2**17  # tokens in a batch


class NetworkEncoder:
    """A model folder run by torch: `encode` gives unit vectors of prefix texts, in fp32.

    An encoder alone, whose weights have eight bits, is run in fp32 as well.
    """

    def __init__(self, folder: Path, name: str, device: str) -> None:
        check_device(device)
        self.name = name
        self._model = load_encoder(folder, device)
        self._device = device

    @torch.inference_mode()
    def encode(self, expressions: Sequence[str]) -> NDArray[np.float32]:  # (expressions, width)
        """A row for each expression; those of one length are computed together."""
        ids = [self._ids(text) for text in expressions]
        vectors = np.empty((len(ids), self._model.network.config.width), dtype=np.float32)
        order = sorted(range(len(ids)), key=lambda place: len(ids[place]))
        for length, alike in groupby(order, key=lambda place: len(ids[place])):
            places = list(alike)
            height = max(1, _PLACES // length)
            for start in range(0, len(places), height):
                some = places[start : start + height]
                vectors[some] = self._vectors([ids[place] for place in some], length)
        return vectors

    def _ids(self, text: str) -> list[int]:
        # Millions of texts are prefix already, so those are not read as trees.
        is_prefix = detect_format(text) == "prefix"
        tokens = text.split() if is_prefix else write_tokens(as_tree(text))
        most = self._model.network.config.max_tokens
        if len(tokens) > most:
            raise LimitError(f"{text!r} has {len(tokens)} tokens; this model reads up to {most}")
        return [START_ID, *self._model.vocabulary.encode(tokens), END_ID]

    def _vectors(self, framed: list[list[int]], length: int) -> NDArray[np.float32]:
        network = self._model.network
        lengths = torch.full((len(framed),), length, device=self._device)
        layout = Ragged.of(lengths, longest=length)
        tokens = torch.tensor(framed, device=self._device).flatten()
        found = network.pool(network.encode(tokens, layout), layout)
        unit = torch.nn.functional.normalize(found, dim=1).cpu().numpy()
        return np.asarray(unit, dtype=np.float32)
