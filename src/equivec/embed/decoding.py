"""Beam search over onnxruntime: many inputs and all their beams in every call.

Keys and values of self-attention stay where they were first put, in slots that rows share: a row is
told apart by its path through them, so nothing is moved when a beam changes its order. The network
sees only hypotheses that are not finished.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np

from equivec.embed.runtime import share_out, thread_count
from equivec.expression.completion import TokenTable
from equivec.expression.grammar import ELEMENTARY
from equivec.expression.vocabulary import END_ID, START_ID
from equivec.model.beams import beam_search
from equivec.model.files import BRIDGE, DECODER, ENCODER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from equivec.embed.runtime import Runtime
    from equivec.model.beams import BeamConfig, Hypothesis

    Floats = NDArray[np.float32]
    Integers = NDArray[np.int64]
    Flags = NDArray[np.bool_]

_KINDS = ("keys", "values")
_FIRST_STEPS = 32  # that there are slots for at once


def search(
    runtime: Runtime, inputs: Sequence[Sequence[int]], config: BeamConfig, *, threads: int = 0
) -> list[list[Hypothesis]]:
    """The hypotheses for each input, best first."""
    threads = thread_count(threads)
    shares = _shares([len(ids) for ids in inputs], threads)
    found = share_out(
        lambda share, threads: _search(
            runtime, [inputs[place] for place in share], config, threads
        ),
        shares,
        threads,
    )
    hypotheses = dict(zip(chain(*shares), chain(*found), strict=True))
    return [hypotheses[place] for place in range(len(inputs))]


def _shares(lengths: Sequence[int], count: int) -> list[list[int]]:
    """Places of inputs for each thread: some of the shortest and as many of the longest.

    >>> _shares([5, 3, 9, 4], 2)
    [[1, 2], [3, 0]]
    """
    order = sorted(range(len(lengths)), key=lambda place: lengths[place])
    if len(order) < 2 * count:
        return [order]
    cuts = [len(order) * part // (2 * count) for part in range(2 * count + 1)]
    parts = [order[start:end] for start, end in pairwise(cuts)]
    return [parts[part] + parts[-1 - part] for part in range(count)]


def _search(
    runtime: Runtime, inputs: Sequence[Sequence[int]], config: BeamConfig, threads: int
) -> list[list[Hypothesis]]:
    framed = [(START_ID, *ids, END_ID) for ids in inputs]
    stepper = DecoderStepper(Decoder(runtime, framed, config.beams, threads), config.beams)
    return beam_search(stepper, inputs, TokenTable.of(runtime.vocabulary, ELEMENTARY), config)


class DecoderStepper:
    """The decoder as the beam search steps through it; it is asked about open hypotheses only."""

    library = np
    steps_between_looks = 1

    def __init__(self, decoder: Decoder, beams: int) -> None:
        self.decoder = decoder
        self.paths = np.zeros((len(decoder.places), beams, 0), dtype=np.int64)

    def array(self, values: NDArray[np.generic]) -> NDArray[np.generic]:
        """The array itself."""
        return values

    def step(self, newest: Integers, is_open: Flags, place: int) -> Floats:
        """Log-probabilities of what follows the newest tokens, (items, beams, vocabulary)."""
        asked = np.nonzero(is_open)
        scores, slots = self.decoder.step(place, asked[0], newest[asked], self.paths[asked])
        found = np.zeros((*newest.shape, scores.shape[1]), dtype=np.float32)
        found[asked] = scores
        filled = np.zeros_like(newest)
        filled[asked] = slots
        self.paths = np.concatenate([self.paths, filled[..., None]], axis=2)
        return found

    def largest(self, values: Floats, count: int) -> tuple[Floats, Integers]:
        """The largest values of each row, largest first, and their places."""
        places = np.argpartition(-values, count - 1, axis=1)[:, :count]
        order = np.argsort(-np.take_along_axis(values, places, axis=1), axis=1, kind="stable")
        places = np.take_along_axis(places, order, axis=1)
        return np.take_along_axis(values, places, axis=1), places

    def follow(self, rows: Integers, parents: Integers) -> None:
        """Let each beam go on from its parent."""
        self.paths = self.paths[rows, parents]

    def keep(self, items: Integers) -> None:
        """Let all other items go."""
        self.paths = self.paths[items]
        self.decoder.keep(items)


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
