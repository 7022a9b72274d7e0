"""The edit distance between trees: the fewest nodes to insert, delete or rename.

Zhang and Shasha's algorithm (SIAM J. Comput. 18, 1989) with unit costs. Trees are flat arrays in
postorder, many in one forest; numba compiles the loop where it is installed, and the very same
loop runs on lists where it is not.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from equivec.expression.tree import Node

Integers = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False, slots=True)
class Forest:
    """Trees one after the other, each node a place in postorder, counted from its tree's start."""

    labels: Integers  # (nodes,)
    leftmost: Integers  # (nodes,) the leftmost leaf below each node
    starts: Integers  # (trees + 1,) where each tree begins
    # Of the nodes that share a leftmost leaf only the highest begins a subproblem: the key roots.
    key_roots: Integers  # (key roots,)
    key_starts: Integers  # (trees + 1,)

    @classmethod
    def of(cls, trees: Iterable[Node]) -> Forest:
        """The forest of some trees; a label is a symbol, an integer being one symbol."""
        numbers: dict[str | int, int] = {}
        labels: list[int] = []
        leftmost: list[int] = []
        key_roots: list[int] = []
        sizes: list[int] = []
        key_sizes: list[int] = []
        for tree in trees:
            nodes = _postorder(tree)
            leaves = _leftmost(nodes)
            highest = dict(zip(leaves, range(len(nodes)), strict=True))
            labels += [numbers.setdefault(node.symbol, len(numbers)) for node in nodes]
            leftmost += leaves
            key_roots += sorted(highest.values())
            sizes.append(len(nodes))
            key_sizes.append(len(highest))
        columns = (labels, leftmost, _starts(sizes), key_roots, _starts(key_sizes))
        return cls(*(np.array(column, dtype=np.int32) for column in columns))


def tree_edit_distance(left: Node, right: Node) -> int:
    """The fewest nodes to insert, delete or rename to make one tree from the other.

    >>> from equivec.expression.text import parse
    >>> tree_edit_distance(parse("sin(x) + 1"), parse("cos(x) + 1"))
    1
    >>> tree_edit_distance(parse("x/2"), parse("2/x"))
    2
    """
    return int(forest_distances(Forest.of([left, right]), [0], [1])[0])


def forest_distances(forest: Forest, lefts: npt.ArrayLike, rights: npt.ArrayLike) -> Integers:
    """The distances between the trees of a forest that are named side by side; (pairs,)."""
    compiled = _compiled()
    sides = [np.asarray(side, dtype=np.int32) for side in (lefts, rights)]
    distances = np.empty(len(sides[0]), dtype=np.int32)
    largest = int(np.diff(forest.starts).max(initial=0)) + 1
    arrays = (
        *(forest.labels, forest.leftmost, forest.starts, forest.key_roots, forest.key_starts),
        *(*sides, distances),
        *(np.zeros(largest * largest, dtype=np.int32) for _ in range(2)),
    )
    if compiled is not None:
        compiled(*arrays)
        return distances
    lists = [array.tolist() for array in arrays]
    _fill_distances(*lists)
    return np.array(lists[7], dtype=np.int32)


@cache
def _compiled() -> Callable[..., None] | None:
    """The loop as machine code, if numba is there."""
    try:
        from numba import njit
    except ImportError:
        return None
    compiled: Callable[..., None] = njit(_fill_distances)
    return compiled


def _fill_distances(
    labels: Any,
    leftmost: Any,
    starts: Any,
    key_roots: Any,
    key_starts: Any,
    lefts: Any,
    rights: Any,
    distances: Any,
    trees: Any,
    forests: Any,
) -> None:
    """Put the distance of every pair in its place.

    `trees` holds the distances between the subtrees of a pair, `forests` those between the forests
    under the key roots at hand; both are flat tables, used again for every pair.
    """
    for pair in range(len(lefts)):
        left, right = lefts[pair], rights[pair]
        a0, b0 = starts[left], starts[right]
        columns = starts[right + 1] - b0
        for p in range(key_starts[left], key_starts[left + 1]):
            i = key_roots[p]
            first_i = leftmost[a0 + i]
            for q in range(key_starts[right], key_starts[right + 1]):
                j = key_roots[q]
                first_j = leftmost[b0 + j]
                width = j - first_j + 2
                for y in range(width):
                    forests[y] = y
                for x in range(1, i - first_i + 2):
                    row = x * width
                    forests[row] = x
                    a = first_i + x - 1
                    first_a = leftmost[a0 + a]
                    for y in range(1, width):
                        b = first_j + y - 1
                        first_b = leftmost[b0 + b]
                        cost = 1 + min(forests[row - width + y], forests[row + y - 1])
                        if first_a == first_i and first_b == first_j:
                            change = forests[row - width + y - 1]
                            if labels[a0 + a] != labels[b0 + b]:
                                change += 1
                            cost = min(cost, change)
                            trees[a * columns + b] = cost
                        else:
                            before = (first_a - first_i) * width + first_b - first_j
                            cost = min(cost, forests[before] + trees[a * columns + b])
                        forests[row + y] = cost
        size = starts[left + 1] - a0
        distances[pair] = trees[size * columns - 1]


def _postorder(tree: Node) -> list[Node]:
    """Every node, children before parents, left before right."""
    found: list[Node] = []
    stack = [tree]
    while stack:
        node = stack.pop()
        found.append(node)
        stack.extend(node.arguments)
    found.reverse()
    return found


def _leftmost(nodes: list[Node]) -> list[int]:
    """The place of the leftmost leaf below each node of a postorder."""
    leaves: list[int] = []
    stack: list[int] = []
    for place, node in enumerate(nodes):
        arity = len(node.arguments)
        if arity:
            leaf = stack[-arity]
            del stack[-arity:]
        else:
            leaf = place
        stack.append(leaf)
        leaves.append(leaf)
    return leaves


def _starts(sizes: list[int]) -> list[int]:
    return list(accumulate(sizes, initial=0))
