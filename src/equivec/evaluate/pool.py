"""A pool: the expressions among which neighbours are sought, with their vectors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from equivec.embed.encoder import vectors_of
from equivec.embed.neighbours import nearest
from equivec.errors import ConfigError
from equivec.evaluate.results import result_of
from equivec.expression.prefix import write_prefix
from equivec.expression.text import as_tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from equivec.embed.encoder import Encoder
    from equivec.embed.neighbours import Floats
    from equivec.evaluate.results import Steps

# Millions of vectors are read once for so many queries.
_QUERIES_AT_ONCE = 500


@dataclass(frozen=True, eq=False)
class Pool:
    """Prefix texts and their vectors, which may come in parts: one in a file, one in memory.

    >>> from equivec.embed.baselines import BagOfTokens
    >>> pool = Pool.of(BagOfTokens(), ["sin(x)", "sin(2*x)", "cos(x)"])
    >>> pool.neighbours(vectors_of(BagOfTokens(), ["sin(3*x)"]), 1)
    [['sin mul INT+ 2 x']]
    """

    texts: Sequence[str]
    vectors: tuple[Floats, ...]

    def __post_init__(self) -> None:
        rows = sum(map(len, self.vectors))
        if rows != len(self.texts):
            raise ConfigError(f"{rows} vectors for {len(self.texts)} expressions of a pool")

    @classmethod
    def of(cls, encoder: Encoder, expressions: Iterable[str]) -> Pool:
        """The pool of some expressions, in any form; each stands in it once."""
        texts = list(dict.fromkeys(map(prefix_text, expressions)))
        return cls(texts, (vectors_of(encoder, texts),))

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def rows(self) -> Mapping[str, int]:
        """The row of each text."""
        return {text: row for row, text in enumerate(self.texts)}

    def with_missing(self, encoder: Encoder, expressions: Iterable[str]) -> Pool:
        """The pool with those of the expressions that it does not have."""
        texts = dict.fromkeys(map(prefix_text, expressions))
        missing = [text for text in texts if text not in self.rows]
        if not missing:
            return self
        return Pool([*self.texts, *missing], (*self.vectors, vectors_of(encoder, missing)))

    def neighbours(
        self, queries: Floats, k: int, excluded: Sequence[Sequence[str]] | None = None
    ) -> list[list[str]]:
        """The k texts nearest to each query by cosine, the excluded ones left out."""
        return result_of(self.neighbours_in_steps(queries, k, excluded))

    def neighbours_in_steps(
        self, queries: Floats, k: int, excluded: Sequence[Sequence[str]] | None = None
    ) -> Steps[list[list[str]]]:
        """The same, telling how many queries have been answered."""
        rows = None if excluded is None else self._excluded_rows(excluded)
        found: list[list[str]] = []
        for start in range(0, len(queries), _QUERIES_AT_ONCE):
            yield start, len(queries)
            some = slice(start, start + _QUERIES_AT_ONCE)
            near = nearest(
                queries[some], self.vectors, k, excluded=None if rows is None else rows[some]
            )
            found += [[self.texts[row] for row in each] for each in near.rows.tolist()]
        return found

    def _excluded_rows(self, excluded: Sequence[Sequence[str]]) -> np.ndarray:
        rows = [[self.rows.get(prefix_text(text), -1) for text in texts] for texts in excluded]
        return np.array(rows, dtype=np.int64)


def prefix_text(expression: str) -> str:
    """The prefix text of an expression in any format, the form in which texts are compared.

    >>> prefix_text("cos(-x)")
    'cos mul INT- 1 x'
    """
    return write_prefix(as_tree(expression))
