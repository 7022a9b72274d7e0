"""Greedy and beam search, once for every network and every library of arrays.

A beam holds hypotheses, finished or not, in the order of their log-probabilities; it is over when
all are finished. The arrays are those of a `Stepper`, of numpy or torch, and only operations that
both have are used. Nothing is read back from a device inside a step; every few steps the items that
are over leave the batch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from equivec.errors import require_at_least
from equivec.expression.vocabulary import END_ID, PADDING_ID, START_ID

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from equivec.expression.completion import TokenTable

    Array = Any  # of numpy or torch
    Ids = Sequence[Sequence[int]]  # the token ids of expressions

# What a beam knows of each item.
_OF_ITEMS = ("inputs", "lengths", "tokens", "newest", "scores", "is_done", "is_copy", "opened")


@dataclass(frozen=True, slots=True, kw_only=True)
class BeamConfig:
    """How hypotheses are searched for; a beam of one is greedy search."""

    beams: int = 1
    max_tokens: int = 64  # of a hypothesis, its end not counted
    is_constrained: bool = True  # only what can become a valid expression is written
    excludes_input: bool = False  # nothing that begins with the whole input is written
    rows: int = 8_192  # hypotheses that torch extends at once

    def __post_init__(self) -> None:
        require_at_least(1, beams=self.beams, max_tokens=self.max_tokens, rows=self.rows)


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """Token ids that were written, start and end left out, and their log-probability."""

    ids: tuple[int, ...]
    log_probability: float
    is_finished: bool = True  # whether the end was written


class Stepper(Protocol):
    """A network that writes token after token.

    Rows of a batch stand in a grid of items and beams.
    """

    @property
    def library(self) -> Any:
        """The library of the arrays: numpy or torch."""

    @property
    def steps_between_looks(self) -> int:
        """A look at which items are over waits for the device."""

    def array(self, values: np.ndarray) -> Array:
        """An array of the library, on the device of the network."""

    def step(self, newest: Array, is_open: Array, place: int) -> Array:
        """Log-probabilities of what follows the newest tokens, (items, beams, vocabulary).

        Those of hypotheses that are not open are not looked at.
        """

    def largest(self, values: Array, count: int) -> tuple[Array, Array]:
        """The largest values of each row, largest first, and their places."""

    def follow(self, rows: Array, parents: Array) -> None:
        """Let each beam go on from its parent; `rows` are the numbers of the items in a column."""

    def keep(self, items: Array) -> None:
        """Let all other items go."""


def beam_search(
    stepper: Stepper, inputs: Ids, table: TokenTable, config: BeamConfig
) -> list[list[Hypothesis]]:
    """The hypotheses for each input, best first."""
    beams = _Beams(stepper, inputs, table, config)
    for step in range(config.max_tokens + 1):
        beams.extend(step)
        if (step + 1) % stepper.steps_between_looks == 0:
            beams.retire()
            if not beams.items:
                break
    beams.retire(everything=True)
    return beams.results


class _Beams:
    """The hypotheses of all items that are not over, and what is known of each."""

    def __init__(
        self, stepper: Stepper, inputs: Ids, table: TokenTable, config: BeamConfig
    ) -> None:
        shape = (len(inputs), config.beams)
        scores = np.full(shape, -np.inf, dtype=np.float32)
        scores[:, 0] = 0.0
        self.stepper = stepper
        self.library = stepper.library
        self.config = config
        self.rules = _Rules(stepper, table, config)
        self.results: list[list[Hypothesis]] = [[] for _ in inputs]
        self.items = list(range(len(inputs)))
        self.numbers = stepper.array(np.arange(len(inputs))[:, None])
        self.inputs = stepper.array(_padded(inputs))  # (items, length)
        self.lengths = stepper.array(np.array([[len(ids)] for ids in inputs]))
        self.tokens = stepper.array(np.zeros((*shape, 0), dtype=np.int64))
        self.newest = stepper.array(np.full(shape, START_ID))
        self.scores = stepper.array(scores)
        self.is_done = stepper.array(np.zeros(shape, dtype=bool))
        self.is_copy = stepper.array(np.ones(shape, dtype=bool))
        self.opened = stepper.array(np.ones(shape, dtype=np.int64))

    def extend(self, step: int) -> None:
        """Write one more token in every hypothesis, and keep the best ones."""
        where = self.library.where
        is_open = ~self.is_done & (self.scores > -np.inf)
        gains = self.stepper.step(self.newest, is_open, step)
        forbidden = self.rules.forbidden(self.opened, self.newest, step)
        if self.config.excludes_input and step < self.inputs.shape[1]:
            forbidden = forbidden | self._completes_copy(step)
        gains = where(forbidden, -np.inf, gains)
        gains = where(self.is_done[..., None], self.rules.only_padding, gains)
        vocabulary = gains.shape[-1]
        ways = (self.scores[..., None] + gains).reshape(len(self.items), -1)
        self.scores, places = self.stepper.largest(ways, self.config.beams)
        self._follow(places // vocabulary, places % vocabulary, step)

    def _completes_copy(self, step: int) -> Array:  # (items, beams, vocabulary)
        is_last = self.is_copy & (self.lengths == step + 1)
        return is_last[..., None] & (self.rules.ids == self.inputs[:, step, None, None])

    def _follow(self, parents: Array, newest: Array, step: int) -> None:
        rows = self.numbers[: len(self.items)]
        self.stepper.follow(rows, parents)
        self.tokens = self.library.concatenate(
            [self.tokens[rows, parents], newest[..., None]], 2
        )  # (items, beams, step + 1)
        self.newest = newest
        self.is_done = self.is_done[rows, parents] | (newest == END_ID)
        self.opened = self.opened[rows, parents] + self.rules.opened[newest]
        self.is_copy = self.is_copy[rows, parents]
        if step < self.inputs.shape[1]:
            self.is_copy = self.is_copy & (newest == self.inputs[:, step, None])

    def retire(self, *, everything: bool = False) -> None:
        """Let the items go whose hypotheses are all finished, or all items."""
        flags = (self.is_done | (self.scores == -np.inf)).all(1).tolist()
        over = [place for place, is_over in enumerate(flags) if is_over or everything]
        if not over:
            return
        chosen = self._numbers(over)
        written = (self.tokens, self.scores, self.is_done)
        rows = zip(*(part[chosen].tolist() for part in written), strict=True)
        for place, (tokens, scores, is_done) in zip(over, rows, strict=True):
            self.results[self.items[place]] = list(_hypotheses(tokens, scores, is_done))
        self._keep(sorted(set(range(len(flags))) - set(over)))

    def _keep(self, left: list[int]) -> None:
        kept = self._numbers(left)
        self.stepper.keep(kept)
        self.items = [self.items[place] for place in left]
        for name in _OF_ITEMS:
            setattr(self, name, getattr(self, name)[kept])

    def _numbers(self, places: list[int]) -> Array:
        return self.stepper.array(np.array(places, dtype=np.int64))


def _hypotheses(
    tokens: list[list[int]], scores: list[float], is_done: list[bool]
) -> Iterator[Hypothesis]:
    for row, score, is_finished in zip(tokens, scores, is_done, strict=True):
        if score > -np.inf:
            ids = tuple(token for token in row if token > END_ID)
            yield Hypothesis(ids, score, is_finished)


class _Rules:
    """The token table in arrays: what may not come next."""

    def __init__(self, stepper: Stepper, table: TokenTable, config: BeamConfig) -> None:
        ids = np.arange(len(table.opened))
        self.where = stepper.library.where
        self.config = config
        self.ids = stepper.array(ids)
        self.opened = stepper.array(np.array(table.opened))
        self.is_sign = stepper.array(np.array(table.is_sign))
        self.is_digit = stepper.array(np.array(table.is_digit))
        self.is_special = stepper.array(np.array(table.is_special))
        self.is_end = stepper.array(ids == END_ID)
        self.only_padding = stepper.array(
            np.where(ids == PADDING_ID, 0.0, -np.inf).astype(np.float32)
        )

    def forbidden(self, opened: Array, newest: Array, step: int) -> Array:
        """For each hypothesis the tokens that cannot follow, (items, beams, vocabulary)."""
        if not self.config.is_constrained:
            return self.is_special & ~self.is_end
        needs_digit = self.is_sign[newest][..., None]
        takes_digit = needs_digit | self.is_digit[newest][..., None]
        missing = opened[..., None]
        left = self.config.max_tokens - step - 1  # tokens that may still be written after this one
        fits = missing + self.opened + self.is_sign <= left
        is_open = missing > 0
        allowed = self.where(self.is_digit, takes_digit & fits, is_open & fits & ~needs_digit)
        allowed = self.where(self.is_end, ~is_open & ~needs_digit, allowed & ~self.is_special)
        return ~allowed


def _padded(inputs: Ids) -> np.ndarray:
    longest = max(len(ids) for ids in inputs)
    rows = [[*ids, *[PADDING_ID] * (longest - len(ids))] for ids in inputs]
    return np.array(rows, dtype=np.int64)
