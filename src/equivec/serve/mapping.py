"""The map: an index in two dimensions, by the first two principal components of its vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Map:
    """Expressions with their places, and how other vectors find theirs."""

    expressions: Sequence[str]
    places: NDArray[np.float32]  # (expressions, 2)
    mean: NDArray[np.float32]  # (width,)
    axes: NDArray[np.float32]  # (width, 2)
    explained: tuple[float, float]

    def locate(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:  # (vectors, 2)
        """Where vectors lie on the map."""
        return ((vectors - self.mean) @ self.axes).astype(np.float32)


def draw_map(expressions: Sequence[str], vectors: NDArray[np.float32]) -> Map:
    """The map of expressions by their vectors.

    >>> line = np.array([[0, 0, 1], [0, 0, 2], [0, 0, 6]], dtype=np.float32)
    >>> drawn = draw_map(["x", "y", "z"], line)
    >>> np.abs(drawn.places).round(3).tolist(), [round(share, 3) for share in drawn.explained]
    ([[2.0, 0.0], [1.0, 0.0], [3.0, 0.0]], [1.0, 0.0])
    """
    width = vectors.shape[1]
    if not len(vectors):
        return Map([], np.zeros((0, 2), np.float32), *_no_axes(width), (0.0, 0.0))
    mean = vectors.mean(axis=0)
    centred = (vectors - mean).astype(np.float64)
    # The eigenvectors of a width x width matrix: cheap, however many expressions there are.
    variances, directions = np.linalg.eigh(centred.T @ centred)
    axes = np.zeros((width, 2))
    shown = min(2, width)
    axes[:, :shown] = directions[:, ::-1][:, :shown]
    # An eigenvector may point either way; its largest number is made positive.
    axes *= np.where(axes[np.abs(axes).argmax(axis=0), [0, 1]] < 0, -1, 1)
    shares = np.zeros(2)
    shares[:shown] = variances[::-1][:shown] / max(variances.sum(), 1e-300)
    return Map(
        expressions,
        (centred @ axes).astype(np.float32),
        mean,
        axes.astype(np.float32),
        (float(shares[0]), float(shares[1])),
    )


def _no_axes(width: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    return np.zeros(width, np.float32), np.zeros((width, 2), np.float32)
