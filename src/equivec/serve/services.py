"""What the service is given: an embedder and an index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from equivec.search.encoder import Encoder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from equivec.algebra.judgement import Judgement
    from equivec.expression.tree import Node
    from equivec.search.index import Index


class Equivalent(Protocol):
    """An expression that a model proposes in place of another, and the judge's verdict."""

    @property
    def tree(self) -> Node:
        """The expression."""

    @property
    def log_probability(self) -> float:
        """The logarithm of the model's probability of it."""

    @property
    def verdict(self) -> Judgement:
        """How it stands to the expression that was asked about."""


class Embedder(Encoder, Protocol):
    """A model: vectors for expressions, and proposals of equivalent ones; used by many threads."""

    def equivalents(
        self, expression: str, *, k: int = 10, beam: int = 50, threads: int = 0
    ) -> Sequence[Equivalent]:
        """At most k proposals for an expression in prefix form, those that are equal first.

        So many processors are used; 0 for all.
        """


@dataclass(frozen=True, slots=True)
class Services:
    """What requests are answered with."""

    embedder: Embedder
    index: Index
