"""Expressions up to equality: classes of those known to be equal, closed under congruence.

Expressions come as rows of prefix token ids, padded with `PADDED`; this module knows arities, not
names.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PADDED = 255  # after the last token of an expression

Tokens = npt.NDArray[np.uint8]  # (rows, width)
Numbers = npt.NDArray[np.int64]

UNKNOWN = -2
NONE = -1  # the missing second argument of a unary operator
_BITS = 26  # of a class number within a key


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """The expressions that deduction may speak of: all over these symbols, up to a size."""

    arities: tuple[int, ...]  # of every token of the grammar
    operators: tuple[int, ...]
    variables: tuple[int, ...]
    largest_size: int

    def holds(self, expressions: Tokens) -> npt.NDArray[np.bool_]:
        """Which rows are within it."""
        symbols = [*self.operators, *self.variables, PADDED]
        sizes = (expressions != PADDED).sum(axis=1)
        fits: npt.NDArray[np.bool_] = sizes <= self.largest_size
        return np.logical_and(np.isin(expressions, symbols).all(axis=1), fits)


class Closure:
    """Classes of expressions known to be equal, as a table of operator and argument classes.

    Equal operators over equal arguments are equal: `rebuild` keeps that true. A class is spoken of
    by its smallest expression, so a few thousand rows stand for all expressions of a space.
    """

    def __init__(self, space: Space) -> None:
        count = len(space.variables)
        self.space = space
        self.arities = np.array(space.arities)
        self.parents: Numbers = np.arange(count)
        self.sizes: Numbers = np.ones(count, dtype=np.int64)
        self.keys: Numbers = np.empty(0, dtype=np.int64)  # ascending after rebuild
        self.values: Numbers = np.empty(0, dtype=np.int64)

    @property
    def roots(self) -> Numbers:
        """One number for each class."""
        return np.flatnonzero(self.parents == np.arange(len(self.parents)))

    def unite(self, left: Numbers, right: Numbers) -> None:
        """Make classes one, pair by pair; pairs with an unknown class are passed over."""
        known = (left >= 0) & (right >= 0)
        left, right = left[known], right[known]
        while True:
            first, second = self.parents[left], self.parents[right]
            apart = first != second
            if not apart.any():
                return
            low, high = np.minimum(first, second)[apart], np.maximum(first, second)[apart]
            np.minimum.at(self.parents, high, low)
            self._flatten()

    def _flatten(self) -> None:
        while True:
            parents = self.parents[self.parents]
            if np.array_equal(parents, self.parents):
                return
            self.parents = parents

    def rebuild(self) -> None:
        """Unite what congruence demands, until nothing changes."""
        while True:
            operators, left, right = _unpack(self.keys)
            right = np.where(right >= 0, self.parents[right], right)
            keys, values = _pack(operators, self.parents[left], right), self.parents[self.values]
            order = np.argsort(keys, kind="stable")
            keys, values = keys[order], values[order]
            again = np.flatnonzero(keys[1:] == keys[:-1])
            before = self.parents.copy()
            self.unite(values[again], values[again + 1])
            first = np.append(True, keys[1:] != keys[:-1])[: len(keys)]
            self.keys, self.values = keys[first], self.parents[values[first]]
            if np.array_equal(before, self.parents):
                return self._measure()

    def _measure(self) -> None:
        """The size of every class's smallest expression."""
        np.minimum.at(self.sizes, self.parents, self.sizes.copy())
        while len(self.keys):
            before = self.sizes.copy()
            np.minimum.at(self.sizes, self.values, self._sizes_of(self.keys))
            if np.array_equal(before, self.sizes):
                return

    def _sizes_of(self, keys: Numbers) -> Numbers:
        _, left, right = _unpack(keys)
        return 1 + self.sizes[left] + np.where(right >= 0, self.sizes[right], 0)

    def grow(self, size: int) -> None:
        """Add every operator over known classes whose smallest expression has at most this size."""
        roots = self.roots
        by_size = {n: roots[self.sizes[roots] == n] for n in range(1, size)}
        keys = [np.empty(0, dtype=np.int64)]
        for operator, sizes in operations(self.space, range(2, size + 1)):
            arguments = _product([by_size[n] for n in sizes])
            right = arguments[1] if len(sizes) == 2 else np.full_like(arguments[0], NONE)
            keys.append(_pack(np.full_like(right, operator), arguments[0], right))
        new = np.setdiff1d(np.concatenate(keys), self.keys)
        numbers = len(self.parents) + np.arange(len(new))
        self.sizes = np.append(self.sizes, self._sizes_of(new))
        self.parents = np.append(self.parents, numbers)
        self.keys, self.values = np.append(self.keys, new), np.append(self.values, numbers)
        self.rebuild()

    def look_up(self, operators: Numbers, left: Numbers, right: Numbers) -> Numbers:
        """The class of an operator over classes, or UNKNOWN."""
        keys = _pack(operators, np.maximum(left, 0), np.maximum(right, NONE))
        places = np.minimum(np.searchsorted(self.keys, keys), max(len(self.keys) - 1, 0))
        if not len(self.keys):
            return np.full(len(keys), UNKNOWN)
        known = (left >= 0) & (right >= NONE) & (self.keys[places] == keys)
        return np.where(known, self.values[places], UNKNOWN)

    def classes_of(self, expressions: npt.NDArray[np.integer], leaves: Numbers) -> Numbers:
        """The classes of rows of tokens, read from the right; `leaves` are (rows or 1, tokens)."""
        rows = np.arange(len(expressions))
        leaves = np.broadcast_to(leaves, (len(expressions), leaves.shape[1]))
        stack = np.full((len(expressions), expressions.shape[1] + 1), UNKNOWN)
        top = np.zeros(len(expressions), dtype=np.int64)
        arities = np.append(self.arities, np.zeros(256 - len(self.arities), dtype=np.int64))
        for column in expressions.T[::-1].astype(np.int64):
            for arity in (0, 1, 2):
                chosen = rows[(column != PADDED) & (arities[column] == arity)]
                tokens = column[chosen]
                if arity == 0:
                    found = leaves[chosen, tokens]
                else:
                    left = stack[chosen, top[chosen] - 1]
                    right = stack[chosen, top[chosen] - 2] if arity == 2 else left * 0 + NONE
                    found = self.look_up(tokens, left, right)
                top[chosen] += 1 - arity
                stack[chosen, top[chosen] - 1] = found
        return stack[:, 0]

    def leaves(self, variables: Sequence[int] | None = None) -> Numbers:  # (1, tokens)
        """The classes of the space's variables, each at its token, or at those given instead."""
        table = np.full((1, 256), UNKNOWN)
        table[0, list(variables or self.space.variables)] = self.parents[
            : len(self.space.variables)
        ]
        return table


def _pack(operators: Numbers, left: Numbers, right: Numbers) -> Numbers:
    keys: Numbers = (operators.astype(np.int64) << 2 * _BITS) | (left << _BITS) | (right + 1)
    return keys


def _unpack(keys: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    low = (1 << _BITS) - 1
    return keys >> 2 * _BITS, keys >> _BITS & low, (keys & low) - 1


def operations(space: Space, sizes: Sequence[int]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Every operator with every choice of its arguments' sizes."""
    for size, operator in product(sizes, space.operators):
        if space.arities[operator] == 1:
            yield operator, (size - 1,)
        else:
            yield from ((operator, (left, size - 1 - left)) for left in range(1, size - 1))


def _product(arrays: Sequence[Numbers]) -> list[Numbers]:
    """All combinations, the last running fastest."""
    return [grid.reshape(-1) for grid in np.meshgrid(*arrays, indexing="ij")]
