"""The decoder at work: what it looks at, and the slots that hold what it wrote.

Keys and values of self-attention stay where they were first put, in slots that rows share: a row is
told apart by its path through them, so nothing is moved when a beam changes its order.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from equivec.model.files import BRIDGE, DECODER, ENCODER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from equivec.embed.runtime import Runtime

    Floats = NDArray[np.float32]
    Integers = NDArray[np.int64]

_KINDS = ("keys", "values")
_FIRST_STEPS = 32  # that there are slots for at once


class Decoder:
    """Writes one more token in any number of rows, each of them for one of the items."""

    def __init__(
        self, runtime: Runtime, framed: Sequence[Sequence[int]], beams: int, threads: int
    ) -> None:
        self.layers, _, self.size = runtime.cache_shape
        self.session = runtime.session(DECODER, threads)
        self.memory, self.is_seen = _memory(runtime, framed, threads)
        self.places = np.arange(len(framed))  # of the items that are left, in the memory
        count = _FIRST_STEPS * beams * len(framed)
        self.slots = np.empty((len(_KINDS), self.layers, count, runtime.width), dtype=np.float32)
        self.filled = 0

    def step(
        self, place: int, items: Integers, tokens: Integers, paths: Integers
    ) -> tuple[Floats, Integers]:
        """The log-probabilities of what follows, (rows, vocabulary), and the new slot of each row.

        `items` says whom a row belongs to, in ascending order; `tokens` has the newest token of
        each row, `paths` the slots of those before it, (rows, place).
        """
        rows_of_items, places_of_rows = _grid(self.places[items], len(self.is_seen))
        *new, scores = self.session.run(
            None,
            {
                "tokens": tokens,
                "place": np.array([place], dtype=np.float32),
                "paths": paths,
                "rows_of_items": rows_of_items,
                "places_of_rows": places_of_rows,
                "is_seen": self.is_seen,
                **self.memory,
                **self._past(),
            },
        )
        return scores, self._put(new)

    def keep(self, items: Integers) -> None:
        """Let go of all other items; their memory goes when it is half of all."""
        self.places = self.places[items]
        if 2 * len(items) <= len(self.is_seen):
            self.memory = {name: part[self.places] for name, part in self.memory.items()}
            self.is_seen = self.is_seen[self.places]
            self.places = np.arange(len(items))

    def _past(self) -> dict[str, Floats]:
        return {
            f"{kind}_{layer}": self.slots[number, layer].reshape(-1, self.size)
            for number, kind in enumerate(_KINDS)
            for layer in range(self.layers)
        }

    def _put(self, new: Sequence[Floats]) -> Integers:
        """Keys and values, layer by layer, into slots that are free."""
        first, self.filled = self.filled, self.filled + len(new[0])
        if self.filled > self.slots.shape[2]:
            self._grow()
        for place, part in enumerate(new):
            self.slots[place % 2, place // 2, first : self.filled] = part
        return np.arange(first, self.filled)

    def _grow(self) -> None:
        kinds, layers, count, width = self.slots.shape
        more = np.empty((kinds, layers, count + self.filled, width), dtype=np.float32)
        more[:, :, :count] = self.slots
        self.slots = more


def _grid(items: Integers, count: int) -> tuple[Integers, Integers]:
    """The rows of each item side by side, (items, most), and where in there each row is.

    >>> _grid(np.array([0, 0, 2]), 3)[1].tolist()
    [0, 1, 4]
    """
    sizes = np.bincount(items, minlength=count)
    firsts = sizes.cumsum() - sizes
    most = int(sizes.max())
    rows_of_items = np.minimum(firsts[:, None] + np.arange(most), len(items) - 1)
    return rows_of_items, items * most + np.arange(len(items)) - firsts[items]


def _memory(
    runtime: Runtime, framed: Sequence[Sequence[int]], threads: int
) -> tuple[dict[str, Floats], NDArray[np.int32]]:
    """What the decoder looks at, by the names of its inputs, and which places of it exist."""
    encoder, bridge = (runtime.session(name, threads) for name in (ENCODER, BRIDGE))
    _, heads, size = runtime.cache_shape
    lengths = [len(ids) for ids in framed]
    shape = (len(framed), heads, max(lengths), size)
    names = [one.name for one in bridge.get_outputs()]
    memory = {name: np.zeros(shape, dtype=np.float32) for name in names}
    alike: dict[int, list[int]] = defaultdict(list)
    for place, length in enumerate(lengths):
        alike[length].append(place)
    for length, places in alike.items():
        tokens = np.array([framed[place] for place in places], dtype=np.int64)
        states = runtime.encoded(encoder, "states", tokens)
        for name, part in zip(names, bridge.run(names, {"states": states}), strict=True):
            memory[name][places, :, :length] = part
    return memory, (np.arange(max(lengths)) < np.array(lengths)[:, None]).astype(np.int32)
