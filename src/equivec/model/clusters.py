"""Clusters of equivalent expressions as arrays, and analogies: what training draws from."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING
from zipfile import BadZipFile

import numpy as np

from equivec.errors import FileFormatError
from equivec.expression.grammar import ELEMENTARY
from equivec.expression.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

MOST_PAIRS = 100_000  # unordered, of a cluster; the paper's limit for SemVec
PARTS = 5  # expressions of an analogy: x1, y1, y2, x2 and a rival
GIVEN = 3  # of them are given: x1, y1 and y2


@dataclass(frozen=True, eq=False)
class Clusters:
    """Expressions as token ids one after another, those of a cluster together."""

    ids: NDArray[np.uint8]  # (tokens of all expressions,)
    lengths: NDArray[np.integer]  # (expressions,)
    sizes: NDArray[np.integer]  # (clusters,)
    # A number for each cluster's function, the same in all sets; of analogies, for each member's.
    functions: NDArray[np.unsignedinteger]  # (clusters,) or (analogies, 5)

    @classmethod
    def load(cls, path: str | Path) -> Clusters:
        """Read the arrays that `equivec corpus export --to arrays` writes."""
        found = _read_clusters(path)
        if found.functions.ndim != 1:
            raise FileFormatError(f"{path} holds no clusters of one function each")
        return found

    @classmethod
    def load_analogies(cls, path: str | Path) -> Clusters:
        """Read what `equivec corpus analogies` writes: fives of x1, y1, y2, x2 and a rival.

        x1 is to y1 as x2 is to y2, but not as the rival is.
        """
        found = _read_clusters(path)
        if not len(found.sizes) or (found.sizes != PARTS).any():
            raise FileFormatError(f"{path} holds no analogies: not all are of five expressions")
        if found.functions.shape != (len(found.sizes), PARTS):
            raise FileFormatError(
                f"{path} has no function for each expression of its analogies; write it again"
            )
        return found

    @classmethod
    def of(
        cls,
        clusters: Sequence[Sequence[Sequence[int]]],
        functions: Sequence[int] | Sequence[Sequence[int]] | None = None,
    ) -> Clusters:
        """Clusters of members of token ids, each with a function of its own if none is named."""
        members = [member for cluster in clusters for member in cluster]
        ids = np.array([token for member in members for token in member], dtype=np.uint8)
        lengths = np.array([len(member) for member in members])
        numbers = np.array(range(len(clusters)) if functions is None else functions, np.uint64)
        return cls(ids, lengths, np.array([len(cluster) for cluster in clusters]), numbers)

    def checked(self, name: str) -> Clusters:
        """Itself, if its arrays are what they should be and fit together."""
        for part in (self.ids, self.lengths, self.sizes):
            if part.ndim != 1 or part.dtype.kind not in "iu":
                raise FileFormatError(f"{name} holds no training arrays: no rows of whole numbers")
        if min(self.lengths.min(initial=1), self.sizes.min(initial=1)) < 1:
            raise FileFormatError(f"an expression or a cluster of {name} is empty; export it again")
        most = len(Vocabulary.of(ELEMENTARY))
        if self.ids.min(initial=0) < 0 or self.ids.max(initial=0) >= most:
            raise FileFormatError(
                f"{name} has tokens that are not in the vocabulary of {most}; export it again"
            )
        if int(self.lengths.sum()) != len(self.ids) or int(self.sizes.sum()) != len(self.lengths):
            raise FileFormatError(f"the arrays of {name} do not fit together; export them again")
        if self.functions.dtype.kind != "u" or self.functions.shape[:1] != self.sizes.shape:
            raise FileFormatError(f"{name} has no function for each cluster; export it again")
        return self

    def weights(self, weighting: str) -> NDArray[np.float64]:  # (clusters,)
        """How often pairs of each cluster are drawn."""
        return WEIGHTINGS[weighting](self.sizes.astype(np.float64))


WEIGHTINGS: Mapping[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    # By its ordered pairs, as the paper: a few large clusters then make up most of training.
    "pairs": lambda sizes: np.minimum(sizes * (sizes - 1), 2 * MOST_PAIRS),
    # By its members: every expression is equally often a source.
    "members": lambda sizes: np.where(sizes > 1, sizes, 0.0),
}


def _read_clusters(path: str | Path) -> Clusters:
    # TypeError: a file of one plain array is no archive. EOFError: an empty file.
    damage = (OSError, EOFError, KeyError, TypeError, ValueError, BadZipFile, zlib.error)
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = [archive[name] for name in ("ids", "lengths", "sizes", "functions")]
    except damage as error:
        raise FileFormatError(
            f"{path} holds no training arrays: {error}; export them again"
        ) from None
    return Clusters(*arrays).checked(str(path))
