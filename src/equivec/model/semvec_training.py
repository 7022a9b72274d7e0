"""Training on classes of equivalent expressions: what follows from them, batches, losses, steps.

Two halves. The first widens a training set by deduction: from `a` and `b` being the same function
follows that any substitution for their variables gives the same function (`a[x := c]` and
`b[x := c]`), and so does any context (`f(a)` and `f(b)`). The closure of the training classes under
both is found by union-find over classes, never by evaluating a function. The second half
trains many networks at once on pairs drawn on the device.

Expressions come as rows of prefix token ids, padded with `PADDED`; this module knows arities, not
names.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from equivec.errors import ConfigError
from equivec.model.many_networks import END_ID, PADDING_ID, START_ID, ManyNetworks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

PADDED = 255  # after the last token of an expression
MOST_PAIRS_OF_A_CLASS = 100_000  # unordered (Gangwar & Kani 2023, setting SemEmb)

Tokens = npt.NDArray[np.uint8]  # (rows, width)
Numbers = npt.NDArray[np.int64]

# --- training sets -------------------------------------------------------------------------------


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


# --- what follows from a training set ------------------------------------------------------------


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


# --- settings ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What is learnt from a training set: one row of the comparison."""

    name: str
    sampling: str = "pairs"
    partner: str = "random"
    contrast: float = 0.0  # weight of the contrastive loss
    renames: bool = False  # one random renaming of the variables for a batch
    derived: str = "none"  # what is drawn from beside or in place of the training rows
    width: int = 64
    pooling: str = "max"

    def __post_init__(self) -> None:
        known = (
            (self.sampling, CLASS_WEIGHTS),
            (self.partner, _PARTNERS),
            (self.derived, _DERIVED),
        )
        for word, table in known:
            if word not in table:
                raise ConfigError(f"{word!r} is unknown; choose from {', '.join(table)}")


def _pair_weights(sizes: Numbers) -> npt.NDArray[np.float64]:
    """Ordered pairs of a class, at most 200,000."""
    return np.clip(sizes * (sizes.astype(np.float64) - 1), 0, 2 * MOST_PAIRS_OF_A_CLASS)


def _class_weights(sizes: Numbers) -> npt.NDArray[np.float64]:
    """Classes nearly evenly: only small ones, often fragments of one function, count less.

    >>> _class_weights(np.array([1, 2, 5, 65, 5000])).tolist()
    [0.0, 1.0, 2.0, 8.0, 8.0]
    """
    return np.sqrt(np.clip(sizes.astype(np.float64) - 1, 0, 64))


def _row_weights(sizes: Numbers) -> npt.NDArray[np.float64]:
    """Expressions evenly, also those alone in their class."""
    return sizes.astype(np.float64)


def _paired_row_weights(sizes: Numbers) -> npt.NDArray[np.float64]:
    """Expressions evenly, those alone in their class left out."""
    return np.where(sizes > 1, sizes, 0).astype(np.float64)


CLASS_WEIGHTS: Mapping[str, Callable[[Numbers], npt.NDArray[np.float64]]] = {
    "pairs": _pair_weights,
    "classes": _class_weights,
    "rows": _row_weights,
    "paired rows": _paired_row_weights,
}
_PARTNERS = ("random", "fixed", "itself")  # the target of a source
_DERIVED = ("none", "within", "larger", "transfer")  # the sizes of a dataset, larger, another's

SETTINGS: Mapping[str, Setting] = {
    setting.name: setting
    for setting in (
        Setting(name="StructEmb-32", sampling="rows", partner="itself", width=32),
        Setting(name="StructEmb", sampling="rows", partner="itself"),
        Setting(name="StructEmb-128", sampling="rows", partner="itself", width=128),
        Setting(name="SemEmb"),
        Setting(name="SemEmb-equal", sampling="paired rows", partner="fixed"),
        Setting(name="SemEmb+contrastive", contrast=1.0),
        Setting(name="SemEmb+contrastive+renaming", contrast=1.0, renames=True),
        Setting(
            name="SemEmb+contrastive+renaming+balanced",
            contrast=1.0,
            renames=True,
            sampling="classes",
        ),
        Setting(name="larger", contrast=1.0, sampling="classes", derived="larger"),
        Setting(name="combined", contrast=1.0, renames=True, sampling="classes", derived="within"),
        Setting(
            name="transfer", contrast=1.0, renames=True, sampling="classes", derived="transfer"
        ),
    )
}


@dataclass(frozen=True, eq=False)
class Run:
    """One network to be trained: a setting, a seed and the sets it draws from in equal shares."""

    dataset: str
    setting: Setting
    seed: int
    sets: tuple[TrainingSet, ...]

    @property
    def variable_count(self) -> int:
        """How many variables change names."""
        return min(part.variable_count for part in self.sets) if self.setting.renames else 0

    def class_shares(self) -> npt.NDArray[np.float64]:  # (classes of all sets,)
        """The probability of each class to give a source."""
        weights = [CLASS_WEIGHTS[self.setting.sampling](part.class_sizes) for part in self.sets]
        return np.concatenate([weight / weight.sum() for weight in weights]) / len(weights)


# --- batches -------------------------------------------------------------------------------------


class Batch(NamedTuple):
    """Sources and targets for every network, and which of both together are alike.

    Where no setting compares vectors, the last two are empty.
    """

    sources: Tensor  # (networks, batch, length)
    targets: Tensor  # (networks, batch, length)
    same: Tensor  # (networks, 2 batch, 2 batch), of one class, itself left out
    different: Tensor  # (networks, 2 batch, 2 batch), known to be of two classes


def frame(expressions: Tokens, length: int) -> npt.NDArray[np.uint8]:  # (rows, length)
    """Rows as a network reads them: start, tokens, end, padding; ids make room for these three.

    >>> frame(np.array([[0, 3, 255]], dtype=np.uint8), 6).tolist()
    [[1, 3, 6, 2, 0, 0]]
    """
    rows, width = expressions.shape
    framed = np.full((rows, length), PADDING_ID, dtype=np.uint8)
    framed[:, 0] = START_ID
    shifted = expressions.astype(np.int64) + END_ID + 1
    framed[:, 1 : width + 1] = np.where(expressions == PADDED, PADDING_ID, shifted)
    framed[np.arange(rows), (expressions != PADDED).sum(axis=1) + 1] = END_ID
    return framed


class BatchSampler:
    """Draws batches for all runs at once, on the device, from tables put one after another."""

    def __init__(
        self,
        runs: Sequence[Run],
        batch_size: int,
        length: int,
        first_variables: Sequence[int],
        device: torch.device,
        seed: int,
    ) -> None:
        self.batch_size = batch_size
        self.generator = torch.Generator(device).manual_seed(seed)
        self.device = device
        sizes = [np.concatenate([part.class_sizes for part in run.sets]) for run in runs]
        rows = [frame(part.expressions, length) for run in runs for part in run.sets]
        every = np.concatenate(sizes)
        self.rows = torch.from_numpy(np.concatenate(rows)).to(device)
        self.class_sizes = torch.from_numpy(every).to(device)
        self.class_starts = self.class_sizes.cumsum(0) - self.class_sizes
        shares = [number + np.cumsum(run.class_shares()) for number, run in enumerate(runs)]
        self.cumulative = torch.from_numpy(np.concatenate(shares)).to(device)
        class_counts = np.array([len(part) for part in sizes])
        self.class_counts = self._column(class_counts)
        self.first_classes = self._column(np.cumsum(class_counts) - class_counts)
        self.is_compared = any(run.setting.contrast for run in runs)
        if self.is_compared:
            self.different, firsts = _difference_table(runs, device)
            self.first_differences = self._column(np.array(firsts))
        self.partners = torch.randint(
            0, 2**31, (len(self.rows),), generator=self.generator, device=device
        )
        self.takes_itself = self._column(
            np.array([run.setting.partner == "itself" for run in runs])
        )
        self.is_fixed = self._column(np.array([run.setting.partner == "fixed" for run in runs]))
        self.variable_counts = self._column(np.array([run.variable_count for run in runs]))
        self.first_variables = self._column(np.array(first_variables) + END_ID + 1)

    def _column(self, values: npt.NDArray[np.generic]) -> Tensor:  # (runs, 1)
        return torch.from_numpy(values).to(self.device)[:, None]

    def draw(self) -> Batch:
        """The next batch."""
        classes = self._draw_classes()
        sources, targets = self._draw_rows(classes)
        table = self._draw_renaming()
        sources, targets = (
            table.gather(1, self.rows[rows].long().flatten(1)).view(*rows.shape, -1)
            for rows in (sources, targets)
        )
        return Batch(sources, targets, *self._compare(classes))

    def _random(self, *shape: int) -> Tensor:
        return torch.rand(shape, dtype=torch.float64, device=self.device, generator=self.generator)

    def _draw_classes(self) -> Tensor:  # (runs, batch), numbers among the classes of all runs
        runs = len(self.class_counts)
        points = self._random(runs, self.batch_size)
        points += torch.arange(runs, device=self.device)[:, None]
        classes = torch.searchsorted(self.cumulative, points, right=True)
        last = self.first_classes + self.class_counts - 1  # rounding must not leave the run
        return torch.minimum(torch.maximum(classes, self.first_classes), last)

    def _draw_rows(self, classes: Tensor) -> tuple[Tensor, Tensor]:
        """Two members of each class: any source, and as its target any other, a fixed, or it."""
        sizes, starts = self.class_sizes[classes], self.class_starts[classes]
        others = (sizes - 1).clamp(min=1)
        first = (self._random(*classes.shape) * sizes).long()
        step = (self._random(*classes.shape) * others).long()
        step = torch.where(self.is_fixed, self.partners[starts + first] % others, step)
        second = torch.where(self.takes_itself, first, (first + 1 + step) % sizes)
        return starts + first, starts + second

    def _draw_renaming(self) -> Tensor:  # (runs, tokens)
        """For each run what becomes of every token id: its variables permuted, the rest as is."""
        places = torch.arange(_MOST_VARIABLES, device=self.device).expand(
            len(self.class_counts), -1
        )
        order = torch.where(
            places < self.variable_counts, self._random(*places.shape), places + 1.0
        )
        table = torch.arange(_MOST_TOKENS, device=self.device).repeat(len(places), 1)
        return table.scatter(
            1, self.first_variables + places, self.first_variables + order.argsort(dim=1)
        )

    def _compare(self, classes: Tensor) -> tuple[Tensor, Tensor]:
        if not self.is_compared:
            return classes[:, :0], classes[:, :0]
        both = torch.cat([classes, classes], dim=1)
        itself = torch.eye(both.shape[1], dtype=torch.bool, device=self.device)
        same = (both[:, :, None] == both[:, None, :]) & ~itself
        local = both - self.first_classes
        places = local[:, :, None] * self.class_counts[..., None] + local[:, None, :]
        return same, self.different[self.first_differences[..., None] + places]


_MOST_VARIABLES = 10
_MOST_TOKENS = 64


def _difference_table(runs: Sequence[Run], device: torch.device) -> tuple[Tensor, list[int]]:
    """For each run, which pairs of its classes are known to differ; flat, one after another."""
    tables: list[Tensor] = []
    firsts: list[int] = []
    known: dict[tuple[int, ...], int] = {}
    for run in runs:
        key = tuple(id(part) for part in run.sets)
        if key not in known:
            known[key] = sum(len(table) for table in tables)
            blocks = [_differences(torch.from_numpy(part.labels).to(device)) for part in run.sets]
            tables.append(_diagonal(blocks).flatten())
        firsts.append(known[key])
    return torch.cat(tables), firsts


def _diagonal(blocks: Sequence[Tensor]) -> Tensor:
    """Square blocks along a diagonal: nothing is known between classes of two sets."""
    size = sum(len(block) for block in blocks)
    whole = torch.zeros(size, size, dtype=torch.bool, device=blocks[0].device)
    start = 0
    for block in blocks:
        stop = start + len(block)
        whole[start:stop, start:stop] = block
        start = stop
    return whole


def _differences(labels: Tensor) -> Tensor:  # (classes, classes)
    different = torch.zeros(len(labels), len(labels), dtype=torch.bool, device=labels.device)
    for column in labels.T:
        known = column >= 0
        different |= (column[:, None] != column) & known[:, None] & known
    return different


# --- losses and steps ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingConfig:
    """How networks are trained; their shape is in NetworkConfig."""

    batch_size: int = 256
    learning_rate: float = 1e-3
    final_share: float = 0.01  # of the learning rate, at the end of the cosine
    warmup_steps: int = 500
    steps: int = 1_000_000  # the clock mostly ends a run before
    label_smoothing: float = 0.1
    temperature: float = 0.1
    unknown_weight: float = 0.1  # of pairs that may be of one class, among the negatives
    largest_norm: float = 1.0  # of a network's gradient
    average_decay: float = 0.999  # of the moving average of the weights; 0: none
    seed: int = 42
    is_compiled: bool = False

    def __post_init__(self) -> None:
        if self.batch_size < 1 or self.steps < 1:
            raise ConfigError(
                f"batch_size and steps must be at least 1, not {self.batch_size} and {self.steps}"
            )

    def learning_rate_at(self, step: int, progress: float) -> float:
        """Linear warm-up, then half a cosine over the progress from 0 to 1."""
        wave = 0.5 * (1 + math.cos(math.pi * min(progress, 1.0)))
        share = self.final_share + (1 - self.final_share) * wave
        return self.learning_rate * share * min(1.0, (step + 1) / self.warmup_steps)


def sequence_losses(logits: Tensor, targets: Tensor, label_smoothing: float) -> Tensor:
    """For each network the mean cross entropy of the next token, padding left out."""
    wanted = targets[:, :, 1:]
    losses = functional.cross_entropy(
        logits.float().flatten(0, 2),
        wanted.flatten(),
        label_smoothing=label_smoothing,
        reduction="none",
    ).view(len(wanted), -1)
    kept = (wanted != PADDING_ID).flatten(1)
    return (losses * kept).sum(dim=1) / kept.sum(dim=1)


def contrastive_losses(
    vectors: Tensor, same: Tensor, different: Tensor, config: TrainingConfig
) -> Tensor:
    """For each network how badly a vector tells its class from others.

    The supervised contrastive loss (Khosla et al. 2020, equation 2): the mean over the positives
    of -log softmax. What is neither known to be the same nor known to be different weighs little.
    """
    units = functional.normalize(vectors, dim=-1)
    cosines = units @ units.transpose(1, 2) / config.temperature
    itself = torch.eye(cosines.shape[1], dtype=torch.bool, device=cosines.device)
    doubt = math.log(max(config.unknown_weight, 1e-9))
    weighed = torch.where(same | different, cosines, cosines + doubt)
    whole = weighed.masked_fill(itself, -1e4).logsumexp(dim=2, keepdim=True)
    counts = same.sum(dim=2)
    losses = ((whole - cosines) * same).sum(dim=2) / counts.clamp(min=1)
    return losses.sum(dim=1) / (counts > 0).sum(dim=1).clamp(min=1)


class Trainer:
    """Networks, their batches and their optimiser: everything that one step changes."""

    def __init__(
        self,
        networks: ManyNetworks,
        sampler: BatchSampler,
        contrasts: Sequence[float],
        config: TrainingConfig,
        compute_type: torch.dtype = torch.float32,
    ) -> None:
        device = networks.values.device
        self.networks = networks
        self.sampler = sampler
        self.config = config
        self.compute_type = compute_type
        self.contrasts = torch.tensor(contrasts, device=device)
        self.contrasts_any = any(contrasts)
        self.optimiser = torch.optim.Adam([networks.values], fused=device.type == "cuda")
        self.average = networks.values.detach().clone()
        self.step_count = 0
        # Fixed shapes and one graph: replayed as a CUDA graph, a step costs two launches.
        self.losses = (
            torch.compile(self._losses, mode="reduce-overhead", fullgraph=True, dynamic=False)
            if config.is_compiled
            else self._losses
        )

    def _losses(
        self, sources: Tensor, targets: Tensor, same: Tensor, different: Tensor
    ) -> Tensor:  # (networks,)
        inputs = torch.cat([sources, targets], dim=1) if self.contrasts_any else sources
        logits, vectors = self.networks(inputs, targets, self.compute_type)
        losses = sequence_losses(logits, targets, self.config.label_smoothing)
        if self.contrasts_any:
            contrast = contrastive_losses(vectors, same, different, self.config)
            losses = losses + self.contrasts * contrast
        return losses

    def step(self, progress: float, batch: Batch | None = None) -> Tensor:  # (networks,)
        """One step of every network; the losses come back still on the device."""
        if self.config.is_compiled:
            torch.compiler.cudagraph_mark_step_begin()  # type: ignore[no-untyped-call]
        losses = self.losses(*(batch or self.sampler.draw()))
        kept = losses.detach().clone()
        self.optimiser.zero_grad(set_to_none=True)
        losses.sum().backward()  # type: ignore[no-untyped-call]
        self._clip()
        rate = self.config.learning_rate_at(self.step_count, progress)
        self.optimiser.param_groups[0]["lr"] = rate
        self.optimiser.step()
        self.step_count += 1
        self._average()
        return kept

    def _clip(self) -> None:
        """Bound each network's gradient by itself; one that is not finite is skipped."""
        gradient = self.networks.values.grad
        assert gradient is not None
        norms = gradient.norm(dim=1, keepdim=True)
        share = (self.config.largest_norm / (norms + 1e-6)).clamp(max=1.0)
        gradient.mul_(torch.where(norms.isfinite(), share, 0.0)).nan_to_num_(0.0, 0.0, 0.0)

    def _average(self) -> None:
        decay = min(self.config.average_decay, self.step_count / (self.step_count + 10))
        self.average.lerp_(self.networks.values.detach(), 1 - decay)

    def state(self) -> dict[str, npt.NDArray[np.generic]]:
        """Everything needed to go on, as arrays."""
        state = self.optimiser.state[self.networks.values]
        generators = {"sampler": self.sampler.generator.get_state(), "cpu": torch.get_rng_state()}
        if self.average.is_cuda:
            generators["cuda"] = torch.cuda.get_rng_state()
        tensors = {
            "values": self.networks.values.detach(),
            "average": self.average,
            "first_moment": state["exp_avg"],
            "second_moment": state["exp_avg_sq"],
            **generators,
        }
        arrays = {name: tensor.cpu().numpy().copy() for name, tensor in tensors.items()}
        return {**arrays, "step": np.array(self.step_count)}

    def restore(self, state: Mapping[str, npt.NDArray[np.generic]]) -> None:
        """Go on from a state of networks of the same shapes."""
        tensors = {name: torch.from_numpy(array) for name, array in state.items() if array.ndim}
        values = self.networks.values
        if tensors["values"].shape != values.shape:
            raise ConfigError(
                f"the checkpoint has weights of shape {tuple(tensors['values'].shape)}, the runs "
                f"need {tuple(values.shape)}; name the same runs or another folder"
            )
        self.step_count = int(state["step"])
        with torch.no_grad():
            values.copy_(tensors["values"])
        self.average.copy_(tensors["average"])
        self.optimiser.state[values] = {
            "step": torch.tensor(float(self.step_count), device=_step_device(values)),
            "exp_avg": tensors["first_moment"].to(values.device),
            "exp_avg_sq": tensors["second_moment"].to(values.device),
        }
        self.sampler.generator.set_state(tensors["sampler"])
        torch.set_rng_state(tensors["cpu"])
        if "cuda" in tensors and values.is_cuda:
            torch.cuda.set_rng_state(tensors["cuda"])


def _step_device(values: Tensor) -> torch.device:
    # The fused optimiser counts its steps beside the weights, the plain one on the CPU.
    return values.device if values.is_cuda else torch.device("cpu")
