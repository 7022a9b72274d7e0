"""What a search gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from equivec.expression.infix import write_infix

if TYPE_CHECKING:
    from collections.abc import Mapping

    from equivec.algebra.judgement import Judgement
    from equivec.expression.tree import Node


@dataclass(frozen=True, slots=True)
class Hit:
    """An expression that was found.

    The verdict over the reals is that of the query, its variables renamed as `renaming` says,
    against this expression; None where there was no time for it. A verdict DIFFERENT therefore
    speaks of this renaming.
    """

    tree: Node
    cosine: float
    verdict: Judgement | None
    renaming: Mapping[str, str]

    @property
    def expression(self) -> str:
        """The expression in infix form."""
        return write_infix(self.tree)

    @property
    def is_equal(self) -> bool:
        """Whether the judge found no difference from the query over the reals."""
        return self.verdict is not None and self.verdict.is_equal


@dataclass(frozen=True, slots=True, kw_only=True)
class Timings:
    """Where the seconds of a search went."""

    encode: float = 0.0
    lookup: float = 0.0
    neighbours: float = 0.0
    judge: float = 0.0

    @property
    def total(self) -> float:
        """All of them together."""
        return self.encode + self.lookup + self.neighbours + self.judge


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The answer to a search: expressions by how equal they are, then the others by cosine."""

    hits: tuple[Hit, ...]
    timings: Timings
