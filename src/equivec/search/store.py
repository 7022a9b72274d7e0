"""What a place that keeps expressions and vectors must offer for `Index` to search in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    import numpy as np
    from numpy.typing import NDArray

    from equivec.search.entries import Entries
    from equivec.search.filters import Filter
    from equivec.search.segments import Segment


@dataclass(frozen=True, slots=True)
class Found:
    """A stored expression in prefix form, its key, and its cosine with the query's vector."""

    text: str
    key: int
    cosine: float


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexInfo:
    """What an index holds and how it is searched."""

    where: str
    expressions: int
    encoder: str
    width: int
    precision: str
    neighbours: str
    is_complete: bool = True
    removed: int = 0
    segments: int = 1
    bytes: int | None = None


# More expressions under one key than this are not looked at: nobody reads so many equal ones.
MOST_MATCHES = 1_000


class View(Protocol):
    """The expressions as they were at one moment; any number of threads may read it."""

    def matching(
        self,
        keys: NDArray[np.uint64],
        vector: NDArray[np.float32],
        filter: Filter,  # noqa: A002
    ) -> list[Found]:
        """The expressions that have one of the keys, the nearest first; very many are cut."""

    def nearest(
        self,
        vectors: NDArray[np.float32],
        k: int,
        filter: Filter,  # noqa: A002
    ) -> list[list[Found]]:
        """For each vector the k expressions with the highest cosine, best first."""

    def sample(self, count: int) -> tuple[list[str], NDArray[np.float32]]:
        """At most so many of the expressions, spread evenly over all, and their vectors."""


class Store(Protocol):
    """Expressions and their vectors, kept safe."""

    def view(self) -> View:
        """What is stored now, as far as this process has seen."""

    def refresh(self) -> None:
        """See what other processes have written since."""

    def info(self) -> IndexInfo:
        """What there is to tell."""

    def writing(self) -> AbstractContextManager[None]:
        """The right to change the store, for one writer at a time."""

    def has(self, entries: Entries) -> Sequence[bool]:
        """Whether each entry is stored already."""

    def append(self, entries: Entries, vectors: NDArray[np.float32]) -> None:
        """Store entries that are not there yet; on return they are safe."""

    def adopt(self, segments: Sequence[Segment]) -> None:
        """Store the rows of segments that were made elsewhere, each expression once."""

    def remove(self, entries: Entries) -> int:
        """Take entries out; how many were there comes back."""

    def settle(self) -> None:
        """Bring the store into good order after changes, as far as that is due."""

    def finish(self) -> None:
        """Declare a new store complete."""
