"""What follows from classes of equivalent expressions, by deduction alone.

From `a` and `b` being the same function follows that any substitution for their variables gives
the same function (`a[x := c]` and `b[x := c]`), and so does any context (`f(a)` and `f(b)`). The
closure of the training classes under both is found by union-find over classes (`congruence`), never
by evaluating a function.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from equivec.semvec.congruence import (
    NONE,
    PADDED,
    UNKNOWN,
    Closure,
    Numbers,
    Space,
    Tokens,
    operations,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


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
    def largest_size(self) -> int:
        """How many tokens the longest expression has."""
        return int((self.expressions != PADDED).sum(axis=1).max())

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
_MOST_INSTANCES = 3_000_000


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
        holed = np.unique(with_holes(pairs, variables), axis=0)
        left, right = np.split(holed, 2, axis=1)
        larger = np.maximum((left != PADDED).sum(axis=1), (right != PADDED).sum(axis=1))
        order = np.lexsort(((holed != PADDED).sum(axis=1), larger))
        holes = np.where(holed == PADDED, 0, holed).max(axis=1, initial=_HOLE - 1) - _HOLE + 1
        return cls(left[order], right[order], holes[order], larger[order])


def with_holes(expressions: Tokens, variables: Sequence[int]) -> Numbers:
    """The rows with their variables replaced by holes in the order of their first occurrence.

    Two expressions are renamings of each other exactly if these forms are equal.

    >>> with_holes(np.array([[9, 5, 9, 3, 5]], dtype=np.uint8), [3, 4, 5]).tolist()
    [[9, 200, 9, 201, 200]]
    """
    rows = expressions.astype(np.int64)
    holes = np.full((len(rows), 256), NONE)
    counts = np.zeros(len(rows), dtype=np.int64)
    holed = rows.copy()
    for place in range(rows.shape[1]):
        chosen = np.flatnonzero(np.isin(rows[:, place], variables))
        tokens = rows[chosen, place]
        new = holes[chosen, tokens] == NONE
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


def _close(patterns: _Patterns, space: Space, config: DerivationConfig) -> Closure:
    """The classes that identities, substitution and congruence give, from the smallest size up."""
    closure = Closure(space)
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
    closure: Closure, patterns: _Patterns, size: int, generator: np.random.Generator
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
    closure: Closure,
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
    closure: Closure, uses: Numbers, room: int, most: int, generator: np.random.Generator
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
    closure: Closure, patterns: _Patterns, places: Numbers, classes: Numbers
) -> None:
    """Unite both sides of identities, (n,), with classes, (n or 1, holes), in their holes."""
    leaves = np.full((len(classes), 256), UNKNOWN)
    leaves[:, _HOLE : _HOLE + classes.shape[1]] = closure.parents[classes]
    left = closure.classes_of(patterns.left[places], leaves)
    closure.unite(left, closure.classes_of(patterns.right[places], leaves))


def _list_expressions(
    closure: Closure, config: DerivationConfig, generator: np.random.Generator
) -> tuple[Tokens, Numbers]:
    """The expressions of a space and their classes; of a size with too many, a uniform draw."""
    space = closure.space
    tokens = {1: np.array(space.variables, dtype=np.uint8)[:, None]}
    classes = {1: closure.parents[: len(space.variables)]}
    totals = {1: len(space.variables)}
    for size in range(2, space.largest_size + 1):
        blocks = [b for b in operations(space, [size]) if all(n in tokens for n in b[1])]
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
    closure: Closure,
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
    right = arguments[1] if len(sizes) == 2 else np.full_like(arguments[0], NONE)
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
    closure: Closure, own: Tokens, own_ids: Numbers, rows: Tokens, found: Numbers
) -> Numbers:  # (numbers of classes, labels)
    """What tells classes apart: the training class of each, in several disguises.

    If `f(A)` and `f(B)` are of two training classes, A and B differ. The columns are A itself, A
    under every operator with each variable, and A with its variables renamed.
    """
    count = len(closure.parents)
    training = np.full(count + 2, NONE)  # the last two places answer for what is unknown
    training[closure.classes_of(own, closure.leaves())] = own_ids
    training[count:] = NONE
    disguises = [closure.parents, *_in_contexts(closure), *_renamed(closure, rows, found)]
    return np.stack([training[classes] for classes in disguises], axis=1)


def _in_contexts(closure: Closure) -> Iterator[Numbers]:
    """Every class under every operator, beside each variable where it takes two."""
    numbers, count = closure.parents, len(closure.parents)
    for operator in closure.space.operators:
        operators = np.full(count, operator)
        if closure.space.arities[operator] == 1:
            yield closure.look_up(operators, numbers, np.full(count, NONE))
            continue
        for variable in numbers[: len(closure.space.variables)]:
            other = np.full(count, variable)
            yield closure.look_up(operators, numbers, other)
            yield closure.look_up(operators, other, numbers)


def _renamed(closure: Closure, rows: Tokens, found: Numbers) -> Iterator[Numbers]:
    """What becomes of the classes that have rows when the variables change their names."""
    count, variables = len(closure.parents), closure.parents[: len(closure.space.variables)]
    examples = np.zeros((count, rows.shape[1]), dtype=np.uint8)
    examples[found[::-1]] = rows[::-1]  # the smallest comes last and stays
    present = np.unique(found[found >= 0])
    for places in _some_maps(len(variables)):
        leaves = np.full((1, 256), UNKNOWN)
        leaves[0, list(closure.space.variables)] = variables[places]
        classes = np.full(count, UNKNOWN)
        classes[present] = closure.classes_of(examples[present], leaves)
        yield classes


def _some_maps(variable_count: int, most: int = 30) -> Numbers:  # (maps, variables)
    """Maps of variables to variables, all or a fixed random choice of them."""
    if variable_count**variable_count <= most:
        return np.array(list(product(range(variable_count), repeat=variable_count)))
    return np.random.default_rng(0).integers(0, variable_count, (most, variable_count))
