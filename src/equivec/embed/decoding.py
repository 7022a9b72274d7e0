"""Beam search over onnxruntime: many inputs and all their beams in every call.

The same search as `equivec.model.decoding`, on arrays: a beam holds hypotheses, finished or not, in
the order of their log-probabilities, and is over when all are finished. The network sees only those
that are not finished.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np

from equivec.embed.decoder import Decoder
from equivec.embed.runtime import share_out, thread_count
from equivec.errors import require_at_least
from equivec.expression.completion import TokenTable
from equivec.expression.grammar import ELEMENTARY
from equivec.expression.vocabulary import END_ID, PADDING_ID, START_ID

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from equivec.embed.runtime import Runtime

    Floats = NDArray[np.float32]
    Integers = NDArray[np.int64]
    Flags = NDArray[np.bool_]


# What a beam knows of each item.
_OF_ITEMS = (
    *("items", "inputs", "tokens", "paths", "newest"),
    *("scores", "is_done", "is_copy", "opened"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BeamConfig:
    """How hypotheses are searched for; a beam of one is greedy search."""

    beams: int = 10
    max_tokens: int = 64
    excludes_input: bool = True  # a copy is no news

    def __post_init__(self) -> None:
        require_at_least(1, beams=self.beams, max_tokens=self.max_tokens)


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """Token ids that were written, and their log-probability."""

    ids: tuple[int, ...]
    log_probability: float


def search(
    runtime: Runtime, inputs: Sequence[Sequence[int]], config: BeamConfig, *, threads: int = 0
) -> list[list[Hypothesis]]:
    """The finished hypotheses for each input, best first; all of them are valid expressions."""
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
    beam = _Beam(runtime, inputs, config, threads)
    for step in range(config.max_tokens + 1):
        beam.extend(step)
        beam.retire()
        if not len(beam.items):
            break
    return beam.results


class _Beam:
    """The hypotheses of all inputs that are not over, and what is known of each."""

    def __init__(
        self, runtime: Runtime, inputs: Sequence[Sequence[int]], config: BeamConfig, threads: int
    ) -> None:
        shape = (len(inputs), config.beams)
        self.config = config
        self.rules = _Rules(TokenTable.of(runtime.vocabulary, ELEMENTARY), config)
        framed = [(START_ID, *ids, END_ID) for ids in inputs]
        self.decoder = Decoder(runtime, framed, config.beams, threads)
        self.results: list[list[Hypothesis]] = [[] for _ in inputs]
        self.items = np.arange(len(inputs))
        self.inputs = _padded(inputs)
        self.tokens = np.zeros((*shape, 0), dtype=np.int64)
        self.paths = np.zeros((*shape, 0), dtype=np.int64)
        self.newest = np.full(shape, START_ID)
        self.scores = np.full(shape, -np.inf, dtype=np.float32)
        self.scores[:, 0] = 0.0
        self.is_done = np.zeros(shape, dtype=bool)
        self.is_copy = np.ones(shape, dtype=bool)
        self.opened = np.ones(shape, dtype=np.int64)

    def extend(self, step: int) -> None:
        """Write one more token in every hypothesis, and keep the best ones."""
        gains = self._gains(step)
        if self.config.excludes_input:
            self._forbid_copies(gains, step)
        vocabulary = gains.shape[-1]
        ways = (self.scores[..., None] + gains).reshape(len(gains), -1)
        places = _largest(ways, self.config.beams)
        self.scores = np.take_along_axis(ways, places, axis=1)
        self._follow(places // vocabulary, places % vocabulary, step)

    def _gains(self, step: int) -> Floats:  # (items, beams, vocabulary)
        """What each next token adds to a score; the network is asked about open hypotheses only."""
        asked = np.nonzero(~self.is_done & np.isfinite(self.scores))
        newest = self.newest[asked]
        scores, slots = self.decoder.step(step, asked[0], newest, self.paths[asked])
        scores[self.rules.forbidden(self.opened[asked], newest, step)] = -np.inf
        gains = np.broadcast_to(self.rules.only_padding, (*self.newest.shape, scores.shape[1]))
        gains = gains.copy()
        gains[asked] = scores
        self._lengthen_paths(asked, slots)
        return gains

    def _lengthen_paths(self, asked: tuple[Integers, ...], slots: Integers) -> None:
        newest = np.zeros_like(self.newest)
        newest[asked] = slots
        self.paths = np.concatenate([self.paths, newest[..., None]], axis=2)

    def _forbid_copies(self, gains: Floats, step: int) -> None:
        """Nothing that begins with the whole input is written."""
        if step >= self.inputs.shape[1]:
            return
        lengths = (self.inputs != PADDING_ID).sum(axis=1, keepdims=True)
        items, beams = np.nonzero(self.is_copy & (lengths == step + 1))
        gains[items, beams, self.inputs[items, step]] = -np.inf

    def _follow(self, parents: Integers, newest: Integers, step: int) -> None:
        self.paths = np.take_along_axis(self.paths, parents[..., None], axis=1)
        self.tokens = np.take_along_axis(self.tokens, parents[..., None], axis=1)
        self.tokens = np.concatenate([self.tokens, newest[..., None]], axis=2)
        self.newest = newest
        self.is_done = np.take_along_axis(self.is_done, parents, axis=1) | (newest == END_ID)
        self.opened = np.take_along_axis(self.opened, parents, axis=1) + self.rules.opened[newest]
        self.is_copy = np.take_along_axis(self.is_copy, parents, axis=1)
        if step < self.inputs.shape[1]:
            self.is_copy &= newest == self.inputs[:, step, None]

    def retire(self) -> None:
        """Let the items go whose hypotheses are all finished."""
        is_over = (self.is_done | np.isneginf(self.scores)).all(axis=1)
        if not is_over.any():
            return
        for place in np.flatnonzero(is_over):
            self.results[self.items[place]] = [
                Hypothesis(tuple(token for token in row if token > END_ID), float(score))
                for row, score in zip(self.tokens[place].tolist(), self.scores[place], strict=True)
                if score > -np.inf
            ]
        self._keep(np.flatnonzero(~is_over))

    def _keep(self, items: Integers) -> None:
        self.decoder.keep(items)
        for name in _OF_ITEMS:
            setattr(self, name, getattr(self, name)[items])


class _Rules:
    """The token table as arrays: what may not come next."""

    def __init__(self, table: TokenTable, config: BeamConfig) -> None:
        self.config = config
        self.opened = np.array(table.opened)
        self.is_sign = np.array(table.is_sign)
        self.is_digit = np.array(table.is_digit)
        self.is_special = np.array(table.is_special)
        ids = np.arange(len(self.opened))
        self.is_end = ids == END_ID
        self.only_padding = np.where(ids == PADDING_ID, 0.0, -np.inf).astype(np.float32)

    def forbidden(self, opened: Integers, newest: Integers, step: int) -> Flags:
        """For each hypothesis the tokens that cannot follow, (rows, vocabulary)."""
        needs_digit = self.is_sign[newest][..., None]
        takes_digit = needs_digit | self.is_digit[newest][..., None]
        missing = opened[..., None]
        left = self.config.max_tokens - step - 1  # tokens that may still be written after this one
        fits = missing + self.opened + self.is_sign <= left
        is_open = missing > 0
        allowed = np.where(self.is_digit, takes_digit & fits, is_open & fits & ~needs_digit)
        allowed = np.where(self.is_end, ~is_open & ~needs_digit, allowed & ~self.is_special)
        return np.asarray(~allowed, dtype=np.bool_)


def _largest(values: Floats, count: int) -> Integers:
    """The places of the largest values of each row, largest first."""
    places = np.argpartition(-values, count - 1, axis=1)[:, :count]
    order = np.argsort(-np.take_along_axis(values, places, axis=1), axis=1, kind="stable")
    return np.take_along_axis(places, order, axis=1)


def _padded(inputs: Sequence[Sequence[int]]) -> Integers:
    longest = max(len(ids) for ids in inputs)
    rows = [[*ids, *[PADDING_ID] * (longest - len(ids))] for ids in inputs]
    return np.array(rows, dtype=np.int64)
