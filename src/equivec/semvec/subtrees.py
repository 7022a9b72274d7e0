"""Every distinct subtree of many expressions once, children before parents.

What expressions share is then computed once, level by level.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from equivec.semvec.dataset import PADDING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Numbers = npt.NDArray[np.int64]

NONE = -1  # instead of the number of a subtree


@dataclass(frozen=True, slots=True)
class Group:
    """Subtrees of one height with one symbol at the root: they are computed together."""

    symbol: int  # its place in the grammar
    left: Numbers  # numbers of first children, or nothing under a leaf
    right: Numbers  # numbers of second children, or nothing under a unary operator
    count: int


@dataclass(frozen=True, eq=False)
class Subtrees:
    """Distinct subtrees, numbered by height and then by the symbol at their root."""

    symbols: Numbers  # (subtrees,)
    heights: Numbers  # (subtrees,), 0 for leaves
    children: Numbers  # (subtrees, 2), NONE where there is no child
    places: Numbers  # (rows, width): the subtree that begins at each token, NONE after the last

    @property
    def roots(self) -> Numbers:  # (rows,)
        """The whole expressions."""
        return self.places[:, 0]

    def of_rows(self, rows: Numbers) -> Subtrees:
        """The subtrees of some rows alone.

        >>> subtrees = find_subtrees(np.array([[1, 0, 0], [0, PADDING, PADDING]]), [0, 2])
        >>> len(subtrees.symbols), len(subtrees.of_rows(np.array([1])).symbols)
        (2, 1)
        """
        places = self.places[rows]
        used = np.unique(places)
        used = used[used != NONE]
        numbers = np.append(np.zeros(len(self.symbols), dtype=np.int64), NONE)  # NONE stays NONE
        numbers[used] = np.arange(len(used))
        return Subtrees(
            self.symbols[used],
            self.heights[used],
            numbers[self.children[used]],
            numbers[places],
        )

    def levels(self) -> Iterator[list[Group]]:
        """The groups of each height, leaves first."""
        starts = np.flatnonzero(
            (np.diff(self.heights, prepend=NONE) != 0) | (np.diff(self.symbols, prepend=NONE) != 0)
        )
        stops = np.append(starts[1:], len(self.symbols))
        level: list[Group] = []
        for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
            if level and self.heights[start] != self.heights[start - 1]:
                yield level
                level = []
            left, right = self.children[start:stop].T
            level.append(
                Group(
                    int(self.symbols[start]), left[left != NONE], right[right != NONE], stop - start
                )
            )
        yield level


def find_subtrees(expressions: npt.NDArray[np.integer], arities: Sequence[int]) -> Subtrees:
    """The subtrees of prefix expressions, padded rows of places in a grammar.

    >>> find_subtrees(np.array([[1, 0, 0]]), arities=[0, 2]).places.tolist()
    [[1, 0, 0]]
    """
    tokens = expressions.astype(np.int64)
    is_token = expressions != PADDING
    spellings, heights, second = _spell(tokens, is_token, np.array([*arities, 0]))
    _, first_places, numbers = np.unique(
        spellings[is_token], return_index=True, return_inverse=True
    )
    symbols, heights = tokens[is_token][first_places], heights[is_token][first_places]
    order = np.lexsort((symbols, heights))
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    places = np.full((len(tokens), tokens.shape[1] + 1), NONE)  # one beyond, for no child
    places[:, :-1][is_token] = rank[numbers]
    rows, columns = (found[first_places[order]] for found in np.nonzero(is_token))
    arity = np.array(arities)[symbols[order]]
    children = np.stack(
        [
            np.where(arity > 0, places[rows, columns + 1], NONE),
            np.where(arity > 1, places[rows, second[rows, columns]], NONE),
        ],
        axis=1,
    )
    return Subtrees(symbols[order], heights[order], children, places[:, :-1])


def _spell(
    tokens: Numbers, is_token: npt.NDArray[np.bool_], arities: Numbers
) -> tuple[Numbers, Numbers, Numbers]:  # each (rows, width)
    """For each place the subtree as a number whose digits are its tokens, its height, and the
    place of its second child.
    """
    rows, width = tokens.shape
    base = len(arities)
    assert base**width < 2**63, "the longest expression has a number of its own"
    every = np.arange(rows)
    spellings, heights, sizes = (np.zeros((rows, width + 2), dtype=np.int64) for _ in range(3))
    second = np.full((rows, width), width)
    for column in reversed(range(width)):
        kept = is_token[:, column]
        token = np.where(kept, tokens[:, column], base - 1)  # padding has no child
        children = [np.full(rows, column + 1), column + 1 + sizes[:, column + 1]]
        second[:, column] = np.minimum(children[1], width)
        spelling, height, size = token + 1, np.zeros(rows, np.int64), np.ones(rows, np.int64)
        for number, child in enumerate(children):
            has = arities[token] > number
            length = np.where(has, sizes[every, child], 0)
            spelling = spelling * base**length + np.where(has, spellings[every, child], 0)
            height = np.where(has, np.maximum(height, 1 + heights[every, child]), height)
            size = size + length
        spellings[:, column] = np.where(kept, spelling, 0)
        heights[:, column] = np.where(kept, height, 0)
        sizes[:, column] = np.where(kept, size, 0)
    return spellings[:, :width], heights[:, :width], second
