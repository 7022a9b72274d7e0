"""Beam search over onnxruntime: many inputs and all their beams in every call.

The same search as `equivec.model.decoding`, on arrays: a beam holds hypotheses, finished or not, in
the order of their log-probabilities, and is over when all are finished.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from equivec.errors import ConfigError
from equivec.expression.completion import TokenTable
from equivec.expression.grammar import ELEMENTARY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from equivec.embed.runtime import Runtime

    Floats = NDArray[np.float32]
    Integers = NDArray[np.int64]
    Flags = NDArray[np.bool_]

PADDING_ID, START_ID, END_ID = 0, 1, 2  # the first places of every vocabulary
_FAR = np.float32(-1e9)
# What a beam knows of each item.
_OF_ITEMS = ("items", "inputs", "tokens", "newest", "scores", "is_done", "is_copy", "opened")


@dataclass(frozen=True, slots=True, kw_only=True)
class BeamConfig:
    """How hypotheses are searched for; a beam of one is greedy search."""

    beams: int = 10
    max_tokens: int = 64
    excludes_input: bool = True  # a copy is no news

    def __post_init__(self) -> None:
        for name in ("beams", "max_tokens"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} must be at least 1, not {getattr(self, name)}")


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """Token ids that were written, and their log-probability."""

    ids: tuple[int, ...]
    log_probability: float


def search(
    runtime: Runtime, inputs: Sequence[Sequence[int]], config: BeamConfig
) -> list[list[Hypothesis]]:
    """The finished hypotheses for each input, best first; all of them are valid expressions."""
    beam = _Beam(runtime, inputs, config)
    for step in range(config.max_tokens + 1):
        beam.extend(step)
        beam.retire()
        if not len(beam.items):
            break
    return beam.results


class _Beam:
    """The hypotheses of all inputs that are not over, and what is known of each."""

    def __init__(
        self, runtime: Runtime, inputs: Sequence[Sequence[int]], config: BeamConfig
    ) -> None:
        shape = (len(inputs), config.beams)
        self.config = config
        self.decoder = runtime.decoder()
        self.rules = _Rules(TokenTable.of(runtime.vocabulary, ELEMENTARY), config)
        self.memory = _memory(runtime, inputs)
        layers, heads, size = runtime.cache_shape
        empty = np.zeros((layers, shape[0] * shape[1], heads, 0, size), dtype=np.float32)
        self.past = (empty, empty)
        self.parents = np.arange(shape[0] * shape[1])
        self.results: list[list[Hypothesis]] = [[] for _ in inputs]
        self.items = np.arange(len(inputs))
        self.inputs = _padded(inputs)
        self.tokens = np.zeros((*shape, 0), dtype=np.int64)
        self.newest = np.full(shape, START_ID)
        self.scores = np.full(shape, -np.inf, dtype=np.float32)
        self.scores[:, 0] = 0.0
        self.is_done = np.zeros(shape, dtype=bool)
        self.is_copy = np.ones(shape, dtype=bool)
        self.opened = np.ones(shape, dtype=np.int64)

    def extend(self, step: int) -> None:
        """Write one more token in every hypothesis, and keep the best ones."""
        gains = self._gains(step)
        gains[self.rules.forbidden(self.opened, self.newest, step)] = -np.inf
        if self.config.excludes_input:
            self._forbid_copies(gains, step)
        gains[self.is_done] = self.rules.only_padding
        vocabulary = gains.shape[-1]
        ways = (self.scores[..., None] + gains).reshape(len(gains), -1)
        places = _largest(ways, self.config.beams)
        self.scores = np.take_along_axis(ways, places, axis=1)
        self._follow(places // vocabulary, places % vocabulary, step)

    def _gains(self, step: int) -> Floats:  # (items, beams, vocabulary)
        keys, values, bias = self.memory
        scores, *past = self.decoder.run(
            None,
            {
                "tokens": self.newest.ravel(),
                "place": np.array([step], dtype=np.float32),
                "parents": self.parents,
                "past_keys": self.past[0],
                "past_values": self.past[1],
                "memory_keys": keys,
                "memory_values": values,
                "memory_bias": bias,
            },
        )
        self.past = (past[0], past[1])
        gains: Floats = scores.reshape(*self.newest.shape, -1)
        return gains

    def _forbid_copies(self, gains: Floats, step: int) -> None:
        """Nothing that begins with the whole input is written."""
        if step >= self.inputs.shape[1]:
            return
        lengths = (self.inputs != PADDING_ID).sum(axis=1, keepdims=True)
        items, beams = np.nonzero(self.is_copy & (lengths == step + 1))
        gains[items, beams, self.inputs[items, step]] = -np.inf

    def _follow(self, parents: Integers, newest: Integers, step: int) -> None:
        count, beams = parents.shape
        self.parents = (parents + np.arange(count)[:, None] * beams).ravel()
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
        self.parents = self.parents.reshape(self.newest.shape)[items].ravel()
        keys, values, bias = self.memory
        self.memory = (keys[:, items], values[:, items], bias[items])
        for name in (
            "items",
            "inputs",
            "tokens",
            "newest",
            "scores",
            "is_done",
            "is_copy",
            "opened",
        ):
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
        """For each hypothesis the tokens that cannot follow, (items, beams, vocabulary)."""
        needs_digit = self.is_sign[newest][..., None]
        takes_digit = needs_digit | self.is_digit[newest][..., None]
        missing = opened[..., None]
        left = self.config.max_tokens - step - 1  # tokens that may still be written after this one
        fits = missing + self.opened + self.is_sign <= left
        is_open = missing > 0
        allowed = np.where(self.is_digit, takes_digit & fits, is_open & fits & ~needs_digit)
        allowed = np.where(self.is_end, ~is_open & ~needs_digit, allowed & ~self.is_special)
        return np.asarray(~allowed, dtype=np.bool_)


def _memory(
    runtime: Runtime, inputs: Sequence[Sequence[int]]
) -> tuple[Floats, Floats, Floats]:  # keys and values (layers, items, heads, length, size), bias
    """What the decoder looks at for all inputs; the bias hides what pads the shorter ones."""
    found = [runtime.memory((START_ID, *ids, END_ID)) for ids in inputs]
    longest = max(keys.shape[3] for keys, _ in found)
    bias = np.zeros((len(found), 1, 1, longest), dtype=np.float32)
    for place, (keys, _) in enumerate(found):
        bias[place, ..., keys.shape[3] :] = _FAR
    keys, values = (
        np.concatenate([_stretched(pair[part], longest) for pair in found], axis=1)
        for part in (0, 1)
    )
    return keys, values, bias


def _stretched(part: Floats, length: int) -> Floats:
    missing = length - part.shape[3]
    return np.pad(part, ((0, 0), (0, 0), (0, 0), (0, missing), (0, 0)))


def _largest(values: Floats, count: int) -> Integers:
    """The places of the largest values of each row, largest first."""
    places = np.argpartition(-values, count - 1, axis=1)[:, :count]
    order = np.argsort(-np.take_along_axis(values, places, axis=1), axis=1, kind="stable")
    return np.take_along_axis(places, order, axis=1)


def _padded(inputs: Sequence[Sequence[int]]) -> Integers:
    longest = max(len(ids) for ids in inputs)
    rows = [[*ids, *[PADDING_ID] * (longest - len(ids))] for ids in inputs]
    return np.array(rows, dtype=np.int64)
