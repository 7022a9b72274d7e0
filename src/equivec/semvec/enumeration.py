"""Making the SemVec datasets anew: every tree up to a size, sorted by the function it is.

The trees of one size fall into blocks, one for each operator and sizes of its arguments, and a
block is a full product of the smaller sizes. A tree is therefore just a number: what is computed
for all trees is only their function, one operation on arrays a block, and the tokens are looked up
for those that are kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from equivec.expression.grammar import BOOLEAN, POLYNOMIAL
from equivec.semvec.dataset import PADDING, SemVecDataset, SemVecSpec
from equivec.semvec.splits import split_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

# Two different polynomials of degree at most 7 agree at both points with probability below
# (7 / 2**31)**2 < 2**-56 (Schwartz 1980, Zippel 1979); Poly8 has the most pairs of classes, 2**19.
_PRIME = np.uint64(2**31 - 1)
_POINTS = 2

Functions = npt.NDArray[np.uint8] | npt.NDArray[np.uint64]  # (trees, words)
Numbers = npt.NDArray[np.int64]
Tokens = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class _Semantics:
    """What the symbols of a grammar mean, on arrays of functions."""

    variables: Callable[[int], Functions]
    operators: Mapping[str, Callable[..., Functions]]


def _truth_tables(count: int) -> Functions:
    """One bit an assignment, eight a byte; fewer than three variables still fill a byte."""
    assignments = np.arange(2 ** max(count, 3))
    return np.packbits(assignments >> np.arange(count)[:, None] & 1, axis=1)


def _residues(count: int) -> Functions:
    """The variables at fixed random points, modulo a prime."""
    points = np.random.default_rng(0).integers(1, int(_PRIME), (count, _POINTS))
    return points.astype(np.uint64)


_SEMANTICS: Mapping[str, _Semantics] = {
    BOOLEAN.name: _Semantics(
        _truth_tables,
        {
            "and": np.bitwise_and,
            "or": np.bitwise_or,
            "xor": np.bitwise_xor,
            "implies": lambda left, right: ~left | right,
            "not": np.invert,
        },
    ),
    POLYNOMIAL.name: _Semantics(
        _residues,
        {
            "add": lambda left, right: (left + right) % _PRIME,
            "subtract": lambda left, right: (left + _PRIME - right) % _PRIME,
            "multiply": lambda left, right: left * right % _PRIME,
        },
    ),
}

# The sizes that the arguments of an operator can have, by its arity, in a tree of a given size.
_ARGUMENT_SIZES: Mapping[int, Callable[[int], list[tuple[int, ...]]]] = {
    1: lambda size: [(size - 1,)],
    2: lambda size: [(left, size - 1 - left) for left in range(1, size - 1)],
}


def enumerate_semvec(spec: SemVecSpec, seed: int = 0) -> SemVecDataset:
    """A dataset made from nothing, with a split drawn anew; the seed decides split and sample.

    Expressions come by size; classes are numbered in the order in which functions first occur.

    >>> from equivec.semvec.dataset import semvec_spec
    >>> dataset = enumerate_semvec(semvec_spec("SimpPoly5"))
    >>> len(dataset), dataset.class_count
    (237, 47)
    >>> " ".join(dataset.tokens(100))
    'add add c c b'
    """
    generator = np.random.default_rng(seed)
    enumeration = _Enumeration.of(spec)
    class_ids = _number_classes(enumeration.functions())
    kept = _sample(class_ids, spec.sampled_per_class, generator)
    class_ids = class_ids[kept]
    return SemVecDataset(
        spec=spec,
        expressions=enumeration.tokens(kept),
        class_ids=class_ids,
        split_ids=split_rows(class_ids, generator),
    )


def functions_of(spec: SemVecSpec, expressions: Tokens) -> Functions:
    """The function of each expression: its truth table, or its residues at random points.

    >>> from equivec.semvec.dataset import semvec_spec
    >>> spec = semvec_spec("SimpPoly5")
    >>> same = np.unique(functions_of(spec, enumerate_semvec(spec).expressions), axis=0)
    >>> len(same)  # as many as there are classes
    47
    """
    semantics, names = _SEMANTICS[spec.grammar.name], spec.grammar.tokens
    leaves = dict(zip(spec.variables, semantics.variables(spec.variable_count), strict=True))
    example = leaves[spec.variables[0]]
    stack = np.zeros((expressions.shape[1], len(expressions), len(example)), example.dtype)
    heights = np.zeros(len(expressions), dtype=np.int64)
    for column in expressions.T[::-1]:
        for token in np.unique(column[column != PADDING]).tolist():
            rows, name = np.flatnonzero(column == token), names[token]
            arity = spec.grammar[name].arity
            arguments = [stack[heights[rows] - 1 - place, rows] for place in range(arity)]
            value = semantics.operators[name](*arguments) if arity else leaves[name]
            heights[rows] += 1 - arity
            stack[heights[rows] - 1, rows] = value
    functions: Functions = stack[0]
    return functions


@dataclass(frozen=True, slots=True)
class _Block:
    """All trees with this operator over arguments of these sizes, and their numbers."""

    operator: str
    argument_sizes: tuple[int, ...]
    shape: tuple[int, ...]  # how many trees each argument can be
    start: int

    @property
    def stop(self) -> int:
        """The number after the last tree's."""
        return self.start + prod(self.shape)


@dataclass(frozen=True, slots=True)
class _Enumeration:
    """Every tree of a dataset by its number: variables first, then block after block."""

    spec: SemVecSpec
    blocks: Mapping[int, tuple[_Block, ...]]  # by size, from 2; sizes without a tree left out

    @classmethod
    def of(cls, spec: SemVecSpec) -> _Enumeration:
        """The enumeration, counted but not yet carried out."""
        counts = {1: spec.variable_count}
        blocks: dict[int, tuple[_Block, ...]] = {}
        for size in range(2, spec.largest_size + 1):
            start = sum(counts.values())
            if level := tuple(_number_blocks(spec, size, counts, start)):
                blocks[size] = level
                counts[size] = level[-1].stop - start
        return cls(spec, blocks)

    def functions(self) -> Functions:
        """The function of every tree."""
        semantics = _SEMANTICS[self.spec.grammar.name]
        levels: dict[int, Functions] = {1: semantics.variables(self.spec.variable_count)}
        for size, blocks in self.blocks.items():
            levels[size] = np.concatenate([_apply(semantics, block, levels) for block in blocks])
        return np.concatenate(list(levels.values()))

    def tokens(self, numbers: Numbers) -> Tokens:  # (trees, largest size)
        """The tokens of some trees, padded; their numbers must ascend."""
        names = self.spec.grammar.tokens
        tables = {1: np.array([[names.index(name)] for name in self.spec.variables], np.uint8)}
        tokens = np.full((len(numbers), self.spec.largest_size), PADDING, dtype=np.uint8)
        cut = np.searchsorted(numbers, self.spec.variable_count)
        tokens[:cut, :1] = tables[1][numbers[:cut]]
        for size, blocks in self.blocks.items():
            for block in blocks:
                rows = slice(*np.searchsorted(numbers, (block.start, block.stop)))
                tokens[rows, :size] = _look_up(block, tables, names, numbers[rows])
            if size < max(self.blocks):  # an argument of larger trees: all its trees are needed
                every = [_look_up(b, tables, names, np.arange(b.start, b.stop)) for b in blocks]
                tables[size] = np.concatenate(every)
        return tokens


def _number_blocks(
    spec: SemVecSpec, size: int, counts: Mapping[int, int], start: int
) -> Iterator[_Block]:
    """The blocks of one size, numbered on from `start`."""
    for operator in spec.operators:
        for sizes in _ARGUMENT_SIZES[spec.grammar[operator].arity](size):
            if all(part in counts for part in sizes):
                block = _Block(operator, sizes, tuple(counts[part] for part in sizes), start)
                yield block
                start = block.stop


def _apply(semantics: _Semantics, block: _Block, levels: Mapping[int, Functions]) -> Functions:
    """The functions of a block's trees, the last argument running fastest."""
    arguments = [levels[size] for size in block.argument_sizes]
    words = arguments[0].shape[1]
    if len(arguments) == 2:
        arguments = [arguments[0][:, None], arguments[1][None]]
    return semantics.operators[block.operator](*arguments).reshape(-1, words)


def _look_up(
    block: _Block, tables: Mapping[int, Tokens], names: Sequence[str], numbers: Numbers
) -> Tokens:  # (trees, size)
    """The tokens of some trees of a block, put together from those of their arguments."""
    places = np.unravel_index(numbers - block.start, block.shape)
    operator = np.full((len(numbers), 1), names.index(block.operator), dtype=np.uint8)
    parts = [tables[size][place] for size, place in zip(block.argument_sizes, places, strict=True)]
    return np.concatenate([operator, *parts], axis=1)


def _number_classes(functions: Functions) -> npt.NDArray[np.int32]:
    """For every tree the number of its function, in the order in which functions first occur."""
    row = functions.dtype.itemsize * functions.shape[1]
    keys = np.ascontiguousarray(functions).view("u1" if row == 1 else f"V{row}").reshape(-1)
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    numbers = np.empty(len(first), dtype=np.int32)
    numbers[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    return numbers[inverse]


def _sample(
    class_ids: npt.NDArray[np.int32], most: int | None, generator: np.random.Generator
) -> Numbers:
    """The rows to keep, ascending: all, or at most so many of each class, drawn uniformly."""
    if most is None:
        return np.arange(len(class_ids))
    # In one byte, where that holds them, eight million numbers sort ten times as fast.
    narrow = class_ids.astype(np.min_scalar_type(class_ids.max()))
    by_class = np.argsort(narrow, kind="stable")
    members = np.split(by_class, np.cumsum(np.bincount(class_ids))[:-1])
    drawn = [generator.choice(rows, min(most, len(rows)), replace=False) for rows in members]
    return np.sort(np.concatenate(drawn))
