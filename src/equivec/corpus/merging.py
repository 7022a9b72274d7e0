"""Clusters of one function become one cluster, whichever source and shard they come from.

Two clusters are joined when they share an expression, or when their fingerprints match and the
judge confirms it. Every expression is kept once.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from equivec.algebra.compare import compare_many
from equivec.algebra.extremes import extremes
from equivec.algebra.fingerprint import is_uninformative
from equivec.algebra.points import PAPER_DOMAIN, Points, sample_points
from equivec.corpus.clusters import CORPUS_JUDGE
from equivec.corpus.records import SCHEMA, read_table
from equivec.expression.grammar import ELEMENTARY
from equivec.expression.prefix import parse_prefix

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from numpy.typing import NDArray

    Ids = NDArray[np.int64]

# A fingerprint is shared by more functions than this only among those that are 0, 1 or x but for
# something like exp(-423272*x); comparing all of them with each other would take for ever.
_MOST_ROUNDS = 8
_TOGETHER = 4_096  # expressions whose sizes are looked at together


def merge_shards(paths: Iterable[Path]) -> pa.Table:
    """One table of all shards, sorted by cluster, clusters numbered by first appearance."""
    table = _stack(paths)
    expressions = _expression_ids(table)
    clusters = table["cluster"].to_numpy()
    roots = _UnionFind(int(clusters.max()) + 1 if len(clusters) else 0)
    _join_by_expression(expressions, clusters, roots)
    _join_by_fingerprint(table, roots)
    return _keep_first(table, expressions, roots.labels()[clusters])


class _UnionFind:
    """Sets of numbers that can be joined; the smallest member stands for its set."""

    def __init__(self, count: int) -> None:
        self._parents = list(range(count))

    def find(self, number: int) -> int:
        """The number that stands for the set."""
        parents = self._parents
        while parents[number] != number:
            parents[number] = parents[parents[number]]
            number = parents[number]
        return number

    def join(self, a: int, b: int) -> None:
        """Make two sets one."""
        first, second = sorted((self.find(a), self.find(b)))
        self._parents[second] = first

    def labels(self) -> Ids:
        """The set of every number."""
        return np.array([self.find(n) for n in range(len(self._parents))], dtype=np.int64)


def _stack(paths: Iterable[Path]) -> pa.Table:
    """All shards one under the other, their clusters numbered on."""
    tables, offset = [], 0
    for path in paths:
        table = read_table(path)
        numbers = pc.add(table["cluster"], pa.scalar(offset, pa.int64()))
        tables.append(table.set_column(0, "cluster", numbers))
        if len(table):
            offset += int(pc.max(table["cluster"]).as_py()) + 1
    return pa.concat_tables(tables) if tables else SCHEMA.empty_table()


def _expression_ids(table: pa.Table) -> Ids:
    """A number for every row, the same for the same expression."""
    encoded = table["tokens"].combine_chunks().dictionary_encode()
    ids: Ids = encoded.indices.to_numpy().astype(np.int64)
    return ids


def _join_by_expression(expressions: Ids, clusters: Ids, roots: _UnionFind) -> None:
    order = np.argsort(expressions, kind="stable")
    same = expressions[order][1:] == expressions[order][:-1]
    left, right = clusters[order][:-1][same], clusters[order][1:][same]
    for a, b in zip(left.tolist(), right.tolist(), strict=True):
        roots.join(a, b)


def _join_by_fingerprint(table: pa.Table, roots: _UnionFind) -> None:
    """Join the clusters that share a fingerprint and that the judge finds equal."""
    is_source = table["is_source"].to_numpy(zero_copy_only=False)
    sources = table.filter(pa.array(is_source))  # row n is the source of cluster n
    groups = _by_fingerprint(sources["fingerprint"].to_numpy())
    texts = sources["tokens"]
    for _ in range(_MOST_ROUNDS):
        groups = [distinct for group in groups if len(distinct := _distinct(group, roots)) > 1]
        pairs = [(group[0], other) for group in groups for other in group[1:]]
        trees = {n: parse_prefix(texts[n].as_py()) for pair in pairs for n in pair}
        verdicts = compare_many([(trees[a], trees[b]) for a, b in pairs], CORPUS_JUDGE)
        for (a, b), verdict in zip(pairs, verdicts, strict=True):
            if verdict.is_equal:
                roots.join(a, b)
        groups = [
            [other for other in group[1:] if roots.find(other) != roots.find(group[0])]
            for group in groups
        ]


def _by_fingerprint(prints: NDArray[np.uint64]) -> list[list[int]]:
    """The clusters that share a fingerprint with another one, if it says anything."""
    groups: dict[int, list[int]] = defaultdict(list)
    for cluster, value in enumerate(prints.tolist()):
        if not is_uninformative(f"{value:016x}"):
            groups[value].append(cluster)
    return [group for group in groups.values() if len(group) > 1]


def _distinct(group: list[int], roots: _UnionFind) -> list[int]:
    """One cluster of each set that occurs in the group."""
    return list({roots.find(cluster): cluster for cluster in reversed(group)}.values())[::-1]


def _keep_first(table: pa.Table, expressions: Ids, labels: Ids) -> pa.Table:
    """Every expression once, sorted by cluster, clusters renumbered without gaps."""
    _, first = np.unique(expressions, return_index=True)
    first = first[np.lexsort((first, labels[first]))]
    kept = table.take(pa.array(first))
    _, numbers = np.unique(labels[first], return_inverse=True)
    return kept.set_column(0, "cluster", pa.array(numbers.astype(np.int64)))


def without_large(table: pa.Table, max_operators: int) -> pa.Table:
    """The merged rows with at most `max_operators` operators, and only clusters of two or more."""
    operators = frozenset(symbol.name for symbol in ELEMENTARY.symbols if symbol.arity)
    is_small: list[bool] = [
        sum(token in operators for token in text.split()) <= max_operators
        for text in table["tokens"].to_pylist()
    ]
    return _renumbered(table.filter(pa.array(is_small, pa.bool_())))


def without_extremes(table: pa.Table) -> pa.Table:
    """The merged rows without those in which a term is too near a limit to be told from it."""
    is_extreme = np.zeros(len(table), dtype=np.bool_)
    texts = table["tokens"]
    for start in range(0, len(table), _TOGETHER):
        trees = [parse_prefix(text) for text in texts[start : start + _TOGETHER].to_pylist()]
        variables = frozenset[str]().union(*(tree.variables for tree in trees))
        is_extreme[start : start + _TOGETHER] = extremes(trees, _few_points(variables))
    return _renumbered(table.filter(pa.array(~is_extreme)))


def _few_points(variables: frozenset[str]) -> Points:
    """Some ordinary points: a term is judged by its size, not by its shape."""
    many = sample_points(variables, PAPER_DOMAIN)
    chosen = np.linspace(0, many.count - 1, min(8, many.count)).astype(int)
    return Points({name: column[chosen] for name, column in many.values.items()}, len(chosen))


def _renumbered(table: pa.Table) -> pa.Table:
    """Only clusters of two or more, their numbers dense."""
    numbers, sizes = np.unique(table["cluster"].to_numpy(), return_counts=True)
    table = table.filter(pc.is_in(table["cluster"], pa.array(numbers[sizes > 1])))
    dense = np.unique(table["cluster"].to_numpy(), return_inverse=True)[1]
    return table.set_column(0, "cluster", pa.array(dense, type=table.schema.field(0).type))
