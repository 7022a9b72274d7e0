"""What an index knows of an expression beside its vector: text, key, and what filters look at."""

from __future__ import annotations

from dataclasses import dataclass, fields
from hashlib import blake2b
from typing import TYPE_CHECKING, Self

import numpy as np

from equivec.algebra.fingerprint import FINGERPRINT_VERSION, fingerprints, is_uninformative
from equivec.algebra.points import Domain
from equivec.errors import FileFormatError
from equivec.expression.grammar import ELEMENTARY
from equivec.expression.prefix import write_prefix
from equivec.expression.text import as_tree
from equivec.search.filters import symbol_set, symbols_of
from equivec.search.renaming import canonical, names_in_order

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from equivec.expression.tree import Node

__all__ = ["FINGERPRINT_VERSION", "Entries", "Traits", "check_fingerprints", "describe", "keys_of"]

# Expressions whose fingerprints are computed together; more would only take memory.
_CHUNK = 1_000


@dataclass(frozen=True, slots=True)
class Traits:
    """What filters look at, a number for each row."""

    symbols: NDArray[np.uint64]
    operators: NDArray[np.uint32]
    variables: NDArray[np.uint8]

    @classmethod
    def stacked(cls, parts: Sequence[Traits]) -> Self:
        """The rows of all parts, in order."""
        columns = ([getattr(part, field.name) for part in parts] for field in fields(cls))
        return cls(*(np.concatenate(column) for column in columns))

    def __getitem__(self, rows: NDArray[np.int64]) -> Traits:
        return Traits(self.symbols[rows], self.operators[rows], self.variables[rows])


@dataclass(frozen=True, slots=True)
class Entries:
    """Expressions ready to be stored; `renamed` are their trees under canonical letters."""

    texts: list[str]
    renamed: list[Node]
    keys: NDArray[np.uint64]
    traits: Traits

    def __len__(self) -> int:
        return len(self.texts)

    def take(self, rows: Sequence[int]) -> Entries:
        """Some of the entries."""
        chosen = np.asarray(rows, dtype=np.int64)
        return Entries(
            [self.texts[row] for row in rows],
            [self.renamed[row] for row in rows],
            self.keys[chosen],
            self.traits[chosen],
        )


def describe(expressions: Iterable[str | Node]) -> Entries:
    """The entries of expressions given in any format, each once.

    >>> entries = describe(["sin(t)**2", "mul sin p sin p"])
    >>> [write_prefix(tree) for tree in entries.renamed], bool(entries.keys[0] == entries.keys[1])
    (['pow sin x INT+ 2', 'mul sin x sin x'], True)
    """
    trees = {write_prefix(tree): tree for tree in map(as_tree, expressions)}
    renamed = [canonical(tree)[0] for tree in trees.values()]
    return Entries(
        list(trees),
        renamed,
        keys_of(renamed),
        _traits(list(trees.values())),
    )


def check_fingerprints(where: str, version: int) -> None:
    """Raise if an index has its keys from fingerprints of another version."""
    if version != FINGERPRINT_VERSION:
        raise FileFormatError(
            f"{where} finds equal expressions by fingerprints of version {version}, but this is "
            f"version {FINGERPRINT_VERSION}; build it again: equivec index build"
        )


def keys_of(trees: Sequence[Node]) -> NDArray[np.uint64]:
    """The number under which each tree is looked up: the same for equal functions.

    It is the fingerprint or, if that is uninformative, a hash of the text. Functions that are equal
    over the reals are so for positive variables, whose fingerprint this is: one table finds both
    what is equal and what is equal for positive variables alone, and the judge tells them apart.
    """
    keys = [key for start in range(0, len(trees), _CHUNK) for key in _keys(trees[start:][:_CHUNK])]
    return np.array(keys, dtype=np.uint64)


def _keys(trees: Sequence[Node]) -> Iterator[int]:
    for tree, value in zip(trees, fingerprints(trees, Domain.POSITIVE), strict=True):
        yield _text_key(write_prefix(tree)) if is_uninformative(value) else int(value, 16)


def _text_key(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest())


def _traits(trees: Sequence[Node]) -> Traits:
    return Traits(
        np.array([symbol_set(symbols_of(tree)) for tree in trees], dtype=np.uint64),
        np.array([_operators(tree) for tree in trees], dtype=np.uint32),
        np.array([len(names_in_order(tree)) for tree in trees], dtype=np.uint8),
    )


def _operators(tree: Node) -> int:
    """How many operators and functions occur, repetitions counted."""
    return sum(
        isinstance(node.symbol, str) and ELEMENTARY[node.symbol].arity > 0 for node in tree.walk()
    )
