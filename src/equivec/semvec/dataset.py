"""The 14 SemVec datasets as a table, and a dataset as arrays.

A SemVec dataset is every expression up to some size over a few operators and variables, sorted into
classes of the same function (Allamanis et al. 2017, "Learning Continuous Semantic Representations
of Symbolic Expressions"). Where the expressions come from is the business of
`published_files` and of `enumeration` (made anew).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from equivec.errors import ConfigError
from equivec.expression.grammar import BOOLEAN, POLYNOMIAL, Grammar
from equivec.expression.prefix import parse_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping

    from equivec.expression.tree import Node

PADDING = 255


class Split(IntEnum):
    """What an expression is used for; UNSEEN are whole classes that training never meets."""

    TRAIN = 0
    VALIDATION = 1
    SEEN = 2
    UNSEEN = 3


@dataclass(frozen=True, slots=True)
class SemVecSpec:
    """One row of the table: which expressions a dataset holds.

    A tree's size is the number of its nodes, leaves included. Where `sampled_per_class` is a
    number, a class keeps at most so many of its expressions, drawn uniformly.

    >>> semvec_spec("BoolL5").variables
    ('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j')
    """

    name: str
    file_name: str
    grammar: Grammar
    operators: tuple[str, ...]
    variable_count: int
    largest_size: int
    sampled_per_class: int | None = None

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the variables, all of which stand in some expression."""
        return self.grammar.variables[: self.variable_count]


_ALL_BOOLEAN = ("and", "or", "xor", "implies", "not")
_SIMPLE_BOOLEAN = ("and", "or", "not")
_ALL_POLYNOMIAL = ("add", "subtract", "multiply")
_SIMPLE_POLYNOMIAL = ("add", "subtract")

SEMVEC_SPECS: tuple[SemVecSpec, ...] = (
    SemVecSpec("Bool5", "boolean5", BOOLEAN, _ALL_BOOLEAN, 3, 5),
    SemVecSpec("Bool8", "boolean8", BOOLEAN, _ALL_BOOLEAN, 3, 8),
    SemVecSpec("Bool10", "boolean10", BOOLEAN, _ALL_BOOLEAN, 3, 10, 200),
    SemVecSpec("BoolL5", "largeBoolean5", BOOLEAN, _ALL_BOOLEAN, 10, 5),
    SemVecSpec("SimpBool8", "simpleBoolean8", BOOLEAN, _SIMPLE_BOOLEAN, 3, 8),
    SemVecSpec("SimpBool10", "simpleBoolean10", BOOLEAN, _SIMPLE_BOOLEAN, 3, 10, 200),
    SemVecSpec("SimpBoolL5", "largeSimpleBoolean5", BOOLEAN, _SIMPLE_BOOLEAN, 10, 5),
    SemVecSpec("Poly5", "poly5", POLYNOMIAL, _ALL_POLYNOMIAL, 3, 5),
    SemVecSpec("Poly8", "poly8", POLYNOMIAL, _ALL_POLYNOMIAL, 3, 8),
    SemVecSpec("SimpPoly5", "simplepoly5", POLYNOMIAL, _SIMPLE_POLYNOMIAL, 3, 5),
    SemVecSpec("SimpPoly8", "simplepoly8", POLYNOMIAL, _SIMPLE_POLYNOMIAL, 3, 8),
    SemVecSpec("SimpPoly10", "simplepoly10", POLYNOMIAL, _SIMPLE_POLYNOMIAL, 3, 10),
    SemVecSpec("oneV-Poly10", "oneVarPoly10", POLYNOMIAL, _ALL_POLYNOMIAL, 1, 10),
    SemVecSpec("oneV-Poly13", "oneVarPoly13", POLYNOMIAL, _ALL_POLYNOMIAL, 1, 13),
)

# Networks of the first are also scored on the second: their composition (Allamanis et al. 2017).
COMPOSITIONS: tuple[tuple[str, str], ...] = (
    ("Bool5", "Bool10"),
    ("Bool5", "Bool8"),
    ("BoolL5", "Bool8"),
    ("oneV-Poly10", "oneV-Poly13"),
    ("Poly5", "Poly8"),
    ("Poly5", "SimpPoly10"),
    ("Poly8", "oneV-Poly13"),
    ("Poly8", "SimpPoly10"),
    ("Poly8", "SimpPoly8"),
    ("SimpPoly5", "SimpPoly10"),
    ("SimpPoly8", "SimpPoly10"),
)

_BY_NAME: Mapping[str, SemVecSpec] = {spec.name: spec for spec in SEMVEC_SPECS}


def semvec_spec(name: str) -> SemVecSpec:
    """The row of a dataset by its name in the papers.

    >>> semvec_spec("Bool9")
    Traceback (most recent call last):
    equivec.errors.ConfigError: 'Bool9' is not a SemVec dataset; choose from Bool5, Bool8, ...
    """
    if name not in _BY_NAME:
        raise ConfigError(f"{name!r} is not a SemVec dataset; choose from {', '.join(_BY_NAME)}")
    return _BY_NAME[name]


@dataclass(frozen=True, eq=False)
class SemVecDataset:
    """The expressions of a dataset, their classes and their splits, a row an expression.

    Expressions are prefix token ids (places in `spec.grammar.tokens`), padded: no tree has more
    than 13 nodes, so the padding costs less than offsets would, and a batch is a plain slice.
    Classes are numbered from 0 without gaps.
    """

    spec: SemVecSpec
    expressions: npt.NDArray[np.uint8]  # (rows, largest size), PADDING after the last token
    class_ids: npt.NDArray[np.int32]  # (rows,)
    split_ids: npt.NDArray[np.uint8]  # (rows,), values of Split
    origin: Literal["published", "regenerated"] = "regenerated"

    def __len__(self) -> int:
        return len(self.expressions)

    @cached_property
    def class_sizes(self) -> npt.NDArray[np.int64]:
        """How many expressions each class has in the whole dataset, all splits together."""
        return np.bincount(self.class_ids)

    @property
    def class_count(self) -> int:
        """How many classes there are."""
        return len(self.class_sizes)

    def rows(self, split: Split) -> npt.NDArray[np.int64]:
        """The rows of a split, ascending."""
        return np.flatnonzero(self.split_ids == split)

    def tokens(self, row: int) -> list[str]:
        """The prefix tokens of an expression."""
        names = self.spec.grammar.tokens
        return [names[token] for token in self.expressions[row].tolist() if token != PADDING]

    def tree(self, row: int) -> Node:
        """The tree of an expression."""
        return parse_tokens(self.tokens(row), self.spec.grammar)
