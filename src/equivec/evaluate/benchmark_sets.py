"""The committed sets of the benchmark, and the mutants that make them hard.

Expressions are in infix; the functions of a set are all different. A mutant differs from an
expression in one place: an operator, a constant or a sign; it is proved to be another function.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from equivec.evaluate.results import DATA
from equivec.expression.tree import Node, is_negated, negate
from equivec.storage.files import read_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SEPARATOR = " ; "

# What may stand in an operator's place: operators that look alike or are taught together.
_LIKENESSES = (
    *("sin cos tan", "sec csc cot", "asin acos atan", "sinh cosh tanh", "asinh acosh atanh"),
    *("sech csch coth", "exp ln sqrt", "add mul div pow"),
)
LIKE_OPERATORS: Mapping[str, tuple[str, ...]] = {
    name: tuple(other for other in row.split() if other != name)
    for row in _LIKENESSES
    for name in row.split()
}


@dataclass(frozen=True, slots=True)
class RetrievalCase:
    """A query, expressions that are equal to it, and mutants of it that are not."""

    query: str
    equivalents: tuple[str, ...]
    mutants: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DetectionPair:
    """Two expressions and whether they are the same function."""

    left: str
    right: str
    is_equal: bool


@dataclass(frozen=True, slots=True)
class Walk:
    """An expression, and what it is after 1, 2, 3, ... rewrites, all of them equal."""

    source: str
    rewrites: tuple[str, ...]


def retrieval_cases() -> list[RetrievalCase]:
    """The committed queries with their equivalents and mutants."""
    return [
        RetrievalCase(query, tuple(equals.split(SEPARATOR)), tuple(mutants.split(SEPARATOR)))
        for query, equals, mutants in read_table(DATA / "benchmark_retrieval.tsv")
    ]


def detection_pairs() -> list[DetectionPair]:
    """The committed pairs, as many equal as not."""
    return [
        DetectionPair(left, right, verdict == "equal")
        for left, right, verdict in read_table(DATA / "benchmark_detection.tsv")
    ]


def clusters() -> list[tuple[str, ...]]:
    """The committed clusters of equal expressions."""
    rows = read_table(DATA / "benchmark_clusters.tsv")
    return [tuple(text for _, text in group) for _, group in groupby(rows, lambda row: row[0])]


def walks() -> list[Walk]:
    """The committed rewrites, by number of steps."""
    return [Walk(row[0], row[1:]) for row in read_table(DATA / "benchmark_walks.tsv")]


def mutants(tree: Node) -> Iterator[tuple[str, Node]]:
    """Every tree that differs in one operator, constant or sign, with what it differs in.

    >>> from equivec.expression.text import parse, write
    >>> [(what, write(mutant)) for what, mutant in mutants(parse("sin(2)"))]
    ... # doctest: +NORMALIZE_WHITESPACE
    [('sign', '-sin(2)'), ('operator', 'cos(2)'), ('operator', 'tan(2)'), ('sign', 'sin(-2)'),
     ('constant', 'sin(1)'), ('constant', 'sin(3)')]
    """
    if is_negated(tree):  # its -1 is a sign, not a constant
        yield "sign", tree.arguments[1]
        places = range(1, 2)
    else:
        yield from _at_the_root(tree)
        places = range(len(tree.arguments))
    for place in places:
        for what, mutant in mutants(tree.arguments[place]):
            before, after = tree.arguments[:place], tree.arguments[place + 1 :]
            yield what, Node(tree.symbol, (*before, mutant, *after))


def _at_the_root(tree: Node) -> Iterator[tuple[str, Node]]:
    if isinstance(tree.symbol, int):
        if tree.symbol:
            yield "sign", Node(-tree.symbol)
        yield "constant", Node(tree.symbol - 1)
        yield "constant", Node(tree.symbol + 1)
        return
    yield "sign", negate(tree)
    for other in LIKE_OPERATORS.get(tree.symbol, ()):
        yield "operator", Node(other, tree.arguments)
