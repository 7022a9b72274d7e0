"""What follows from classes of equivalent expressions, by deduction alone.

From `a` and `b` being the same function follows that any substitution for their variables gives
the same function (`a[x := c]` and `b[x := c]`), and so does any context (`f(a)` and `f(b)`). The
closure of the training classes under both is found by union-find over classes, never by evaluating
a function.

Expressions come as rows of prefix token ids, padded with `PADDED`; this module knows arities, not
names.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

PADDED = 255  # after the last token of an expression

Tokens = npt.NDArray[np.uint8]  # (rows, width)
Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """Expressions in classes, and what is known of the classes' being different.

    Two classes are known to differ where some column of `labels` holds two different numbers for
    them; -1 stands for nothing known. Of derived classes it may be open whether they are one.
    """

    expressions: Tokens
    class_ids: Numbers  # (rows,), ascending from 0 without gaps
    labels: npt.NDArray[np.int32]  # (classes, labels)
    variable_count: int  # variables that may change names, the first of the grammar

    @property
    def class_sizes(self) -> Numbers:
        """How many expressions each class has."""
        return np.bincount(self.class_ids)


def plain_set(expressions: Tokens, class_ids: Numbers, variable_count: int) -> TrainingSet:
    """The training rows as they are: every two classes are different functions.

    >>> rows = np.array([[0, 3, 3], [1, 3, 3], [0, 4, 4]], dtype=np.uint8)
    >>> plain_set(rows, np.array([7, 2, 7]), 2).class_ids.tolist()
    [0, 1, 1]
    """
    order = np.argsort(class_ids, kind="stable")
    _, numbers = np.unique(class_ids[order], return_inverse=True)
    labels = np.arange(numbers.max() + 1, dtype=np.int32)[:, None]
    return TrainingSet(expressions[order], numbers, labels, variable_count)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivationConfig:
    """How much is deduced; more takes longer and finds little."""

    smallest_size: int = 1  # of the expressions that come back
    largest_pattern: int = 5  # nodes of an identity whose variables are replaced by expressions
    most_patterns: int = 200
    most_substitutions: int = 5_000  # of a pattern in a round
    most_rounds: int = 10
    most_expressions: int = 400_000  # of a size
    most_of_a_class: int = 2_000
    seed: int = 0


_HOLE = 200  # the variables of an identity are holes: _HOLE, _HOLE + 1, ...
_UNKNOWN = -2
_NONE = -1  # the missing second argument of a unary operator
_BITS = 26  # of a class number within a key
_MOST_INSTANCES = 3_000_000


class _Closure:
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
        for operator, sizes in _operations(self.space, range(2, size + 1)):
            arguments = _product([by_size[n] for n in sizes])
            right = arguments[1] if len(sizes) == 2 else np.full_like(arguments[0], _NONE)
            keys.append(_pack(np.full_like(right, operator), arguments[0], right))
        new = np.setdiff1d(np.concatenate(keys), self.keys)
        numbers = len(self.parents) + np.arange(len(new))
        self.sizes = np.append(self.sizes, self._sizes_of(new))
        self.parents = np.append(self.parents, numbers)
        self.keys, self.values = np.append(self.keys, new), np.append(self.values, numbers)
        self.rebuild()

    def look_up(self, operators: Numbers, left: Numbers, right: Numbers) -> Numbers:
        """The class of an operator over classes, or _UNKNOWN."""
        keys = _pack(operators, np.maximum(left, 0), np.maximum(right, _NONE))
        places = np.minimum(np.searchsorted(self.keys, keys), max(len(self.keys) - 1, 0))
        if not len(self.keys):
            return np.full(len(keys), _UNKNOWN)
        known = (left >= 0) & (right >= _NONE) & (self.keys[places] == keys)
        return np.where(known, self.values[places], _UNKNOWN)

    def classes_of(self, expressions: npt.NDArray[np.integer], leaves: Numbers) -> Numbers:
        """The classes of rows of tokens, read from the right; `leaves` are (rows or 1, tokens)."""
        rows = np.arange(len(expressions))
        leaves = np.broadcast_to(leaves, (len(expressions), leaves.shape[1]))
        stack = np.full((len(expressions), expressions.shape[1] + 1), _UNKNOWN)
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
                    right = stack[chosen, top[chosen] - 2] if arity == 2 else left * 0 + _NONE
                    found = self.look_up(tokens, left, right)
                top[chosen] += 1 - arity
                stack[chosen, top[chosen] - 1] = found
        return stack[:, 0]

    def leaves(self, variables: Sequence[int] | None = None) -> Numbers:  # (1, tokens)
        """The classes of the space's variables, each at its token, or at those given instead."""
        table = np.full((1, 256), _UNKNOWN)
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


def _operations(space: Space, sizes: Sequence[int]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Every operator with every choice of its arguments' sizes."""
    for size, operator in product(sizes, space.operators):
        if space.arities[operator] == 1:
            yield operator, (size - 1,)
        else:
            yield from ((operator, (left, size - 1 - left)) for left in range(1, size - 1))


def _product(arrays: Sequence[Numbers]) -> list[Numbers]:
    """All combinations, the last running fastest."""
    return [grid.reshape(-1) for grid in np.meshgrid(*arrays, indexing="ij")]


@dataclass(frozen=True, eq=False)
class _Patterns:
    """Identities with holes for variables, no two alike, the smallest first."""

    left: Numbers  # (identities, width)
    right: Numbers
    hole_counts: Numbers  # (identities,)
    sizes: Numbers  # (identities,), of the larger side

    @classmethod
    def of(cls, expressions: Tokens, class_ids: Numbers, variables: Sequence[int]) -> _Patterns:
        """The smallest member of each class beside each other member."""
        sizes = (expressions != PADDED).sum(axis=1)
        order = np.lexsort((sizes, class_ids))
        expressions, class_ids = expressions[order], class_ids[order]
        first = np.append(True, class_ids[1:] != class_ids[:-1])[: len(class_ids)]
        smallest = np.flatnonzero(first)[np.cumsum(first) - 1]
        pairs = np.concatenate([expressions[smallest], expressions], axis=1)[~first]
        holed = np.unique(_with_holes(pairs.astype(np.int64), variables), axis=0)
        left, right = np.split(holed, 2, axis=1)
        larger = np.maximum((left != PADDED).sum(axis=1), (right != PADDED).sum(axis=1))
        order = np.lexsort(((holed != PADDED).sum(axis=1), larger))
        holes = np.where(holed == PADDED, 0, holed).max(axis=1, initial=_HOLE - 1) - _HOLE + 1
        return cls(left[order], right[order], holes[order], larger[order])


def _with_holes(rows: Numbers, variables: Sequence[int]) -> Numbers:
    """The rows with their variables replaced by holes in the order of their first occurrence."""
    holes = np.full((len(rows), 256), _NONE)
    counts = np.zeros(len(rows), dtype=np.int64)
    holed = rows.copy()
    for place in range(rows.shape[1]):
        chosen = np.flatnonzero(np.isin(rows[:, place], variables))
        tokens = rows[chosen, place]
        new = holes[chosen, tokens] == _NONE
        holes[chosen[new], tokens[new]] = counts[chosen[new]]
        counts[chosen[new]] += 1
        holed[chosen, place] = _HOLE + holes[chosen, tokens]
    return holed


def derive(
    expressions: Tokens,
    class_ids: Numbers,
    grammar_variables: Sequence[int],
    space: Space,
    config: DerivationConfig | None = None,
) -> TrainingSet:
    """The expressions of a space, in the classes that follow from the training rows.

    Whatever comes back in one class is the same function; two classes may be one unless their
    labels tell them apart. The rows may be of another dataset than the space.
    """
    config = config or DerivationConfig()
    inside = np.isin(expressions, [*space.operators, *grammar_variables, PADDED]).all(axis=1)
    closure = _close(
        _Patterns.of(expressions[inside], class_ids[inside], grammar_variables), space, config
    )
    generator = np.random.default_rng(config.seed)
    rows, found = _list_expressions(closure, config, generator)
    kept = _sample(found, config.most_of_a_class, generator)
    names, numbers = np.unique(found[kept], return_inverse=True)
    own = space.holds(expressions)
    labels = _label(closure, expressions[own], class_ids[own], rows, found)[names]
    return TrainingSet(rows[kept], numbers, labels.astype(np.int32), len(space.variables))


def _close(patterns: _Patterns, space: Space, config: DerivationConfig) -> _Closure:
    """The classes that identities, substitution and congruence give, from the smallest size up."""
    closure = _Closure(space)
    generator = np.random.default_rng(config.seed)
    for size in range(2, space.largest_size + 1):
        closure.grow(size)
        for _ in range(config.most_rounds):
            before = len(closure.roots)
            _rename_patterns(closure, patterns, size, generator)
            closure.rebuild()
            _substitute(closure, patterns, size, config, generator)
            closure.rebuild()
            if len(closure.roots) == before:
                break
    return closure


def _rename_patterns(
    closure: _Closure, patterns: _Patterns, size: int, generator: np.random.Generator
) -> None:
    """Unite both sides of every identity of a size under the maps of its holes to variables."""
    for holes in range(1, int(patterns.hole_counts.max(initial=0)) + 1):
        chosen = np.flatnonzero((patterns.hole_counts == holes) & (patterns.sizes <= size))
        maps = np.array(list(product(range(len(closure.space.variables)), repeat=holes)))
        most = max(1, _MOST_INSTANCES // max(len(chosen), 1))
        if len(maps) > most:
            maps = generator.permutation(maps)[:most]
        for places in maps if len(chosen) else ():
            _unite_instances(closure, patterns, chosen, closure.parents[places][None])


def _substitute(
    closure: _Closure,
    patterns: _Patterns,
    size: int,
    config: DerivationConfig,
    generator: np.random.Generator,
) -> None:
    """Unite both sides of small identities with classes in place of their holes."""
    small = np.flatnonzero(patterns.sizes <= min(config.largest_pattern, size - 1))
    for place in small[: config.most_patterns]:
        holes = _HOLE + np.arange(patterns.hole_counts[place])
        sides = (patterns.left[place], patterns.right[place])
        uses = np.max([(side[None] == holes[:, None]).sum(axis=1) for side in sides], axis=0)
        room = size - int(patterns.sizes[place])
        classes = _choose_classes(closure, uses, room, config.most_substitutions, generator)
        if len(classes):
            _unite_instances(closure, patterns, np.full(len(classes), place), classes)


def _choose_classes(
    closure: _Closure, uses: Numbers, room: int, most: int, generator: np.random.Generator
) -> Numbers:  # (choices, holes)
    """Classes for the holes of an identity, such that it grows by at most `room` nodes."""
    roots = closure.roots
    by_size = {size: roots[closure.sizes[roots] == size] for size in range(1, room + 2)}
    choices = [np.empty((0, len(uses)), dtype=np.int64)]
    for sizes in product(by_size, repeat=len(uses)):
        lists = [by_size[size] for size in sizes]
        counts = [len(numbers) for numbers in lists]
        total = math.prod(counts)
        if not total or not 0 < (uses * (np.array(sizes) - 1)).sum() <= room:
            continue
        picks = np.arange(total) if total <= most else generator.integers(0, total, most)
        places = np.unravel_index(picks, counts)
        choices.append(np.stack([n[p] for n, p in zip(lists, places, strict=True)], axis=1))
    every = np.concatenate(choices)
    return every if len(every) <= most else every[generator.permutation(len(every))[:most]]


def _unite_instances(
    closure: _Closure, patterns: _Patterns, places: Numbers, classes: Numbers
) -> None:
    """Unite both sides of identities, (n,), with classes, (n or 1, holes), in their holes."""
    leaves = np.full((len(classes), 256), _UNKNOWN)
    leaves[:, _HOLE : _HOLE + classes.shape[1]] = closure.parents[classes]
    left = closure.classes_of(patterns.left[places], leaves)
    closure.unite(left, closure.classes_of(patterns.right[places], leaves))


def _list_expressions(
    closure: _Closure, config: DerivationConfig, generator: np.random.Generator
) -> tuple[Tokens, Numbers]:
    """The expressions of a space and their classes; of a size with too many, a uniform draw."""
    space = closure.space
    tokens = {1: np.array(space.variables, dtype=np.uint8)[:, None]}
    classes = {1: closure.parents[: len(space.variables)]}
    totals = {1: len(space.variables)}
    for size in range(2, space.largest_size + 1):
        blocks = [b for b in _operations(space, [size]) if all(n in tokens for n in b[1])]
        counts = np.array([math.prod(totals[n] for n in sizes) for _, sizes in blocks], dtype=float)
        if not len(blocks):
            continue
        share = min(1.0, config.most_expressions / counts.sum())
        parts = [
            _compose(closure, *block, tokens, classes, share * count, generator)
            for block, count in zip(blocks, counts, strict=True)
        ]
        tokens[size] = np.concatenate([part[0] for part in parts])
        classes[size] = np.concatenate([part[1] for part in parts])
        totals[size] = int(counts.sum())
    kept = [size for size in tokens if size >= config.smallest_size]
    widths = [(0, space.largest_size - size) for size in kept]
    rows = [
        np.pad(tokens[size], ((0, 0), width), constant_values=PADDED)
        for size, width in zip(kept, widths, strict=True)
    ]
    return np.concatenate(rows), closure.parents[np.concatenate([classes[size] for size in kept])]


def _compose(
    closure: _Closure,
    operator: int,
    sizes: tuple[int, ...],
    tokens: Mapping[int, Tokens],
    classes: Mapping[int, Numbers],
    wanted: float,
    generator: np.random.Generator,
) -> tuple[Tokens, Numbers]:
    """An operator before expressions of these sizes, all of them or as many as wanted.

    In prefix notation an operator over its arguments is their concatenation.
    """
    counts = [len(tokens[size]) for size in sizes]
    total = math.prod(counts)
    picks = np.arange(total)
    if wanted < total:
        picks = generator.integers(0, total, math.ceil(wanted))
    places = np.unravel_index(picks, counts)
    parts = [tokens[size][place] for size, place in zip(sizes, places, strict=True)]
    head = np.full((len(picks), 1), operator, dtype=np.uint8)
    arguments = [classes[size][place] for size, place in zip(sizes, places, strict=True)]
    right = arguments[1] if len(sizes) == 2 else np.full_like(arguments[0], _NONE)
    found = closure.look_up(np.full_like(right, operator), arguments[0], right)
    return np.concatenate([head, *parts], axis=1), found


def _sample(class_ids: Numbers, most: int, generator: np.random.Generator) -> Numbers:
    """Rows by class, at most so many of each, none of a class that has only one."""
    order = generator.permutation(len(class_ids))
    order = order[np.argsort(class_ids[order], kind="stable")]
    _, starts, inverse, counts = np.unique(
        class_ids[order], return_index=True, return_inverse=True, return_counts=True
    )
    places = np.arange(len(order)) - starts[inverse]
    return order[(places < most) & (counts[inverse] > 1) & (class_ids[order] >= 0)]


def _label(
    closure: _Closure, own: Tokens, own_ids: Numbers, rows: Tokens, found: Numbers
) -> Numbers:  # (numbers of classes, labels)
    """What tells classes apart: the training class of each, in several disguises.

    If `f(A)` and `f(B)` are of two training classes, A and B differ. The columns are A itself, A
    under every operator with each variable, and A with its variables renamed.
    """
    count = len(closure.parents)
    training = np.full(count + 2, _NONE)  # the last two places answer for what is unknown
    training[closure.classes_of(own, closure.leaves())] = own_ids
    training[count:] = _NONE
    numbers = closure.parents
    columns = [training[numbers]]
    variables = closure.parents[: len(closure.space.variables)]
    for operator in closure.space.operators:
        operators = np.full(count, operator)
        if closure.space.arities[operator] == 1:
            columns.append(training[closure.look_up(operators, numbers, np.full(count, _NONE))])
            continue
        for variable in variables:
            other = np.full(count, variable)
            columns.append(training[closure.look_up(operators, numbers, other)])
            columns.append(training[closure.look_up(operators, other, numbers)])
    examples = np.zeros((count, rows.shape[1]), dtype=np.uint8)
    examples[found[::-1]] = rows[::-1]  # the smallest comes last and stays
    for places in _some_maps(len(variables)):
        leaves = np.full((1, 256), _UNKNOWN)
        leaves[0, list(closure.space.variables)] = variables[places]
        column = np.full(count, _NONE)
        present = np.unique(found[found >= 0])
        column[present] = training[closure.classes_of(examples[present], leaves)]
        columns.append(column)
    return np.stack(columns, axis=1)


def _some_maps(variable_count: int, most: int = 30) -> Numbers:  # (maps, variables)
    """Maps of variables to variables, all or a fixed random choice of them."""
    if variable_count**variable_count <= most:
        return np.array(list(product(range(variable_count), repeat=variable_count)))
    return np.random.default_rng(0).integers(0, variable_count, (most, variable_count))
