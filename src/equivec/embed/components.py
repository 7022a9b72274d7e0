"""Principal components: the directions in which vectors differ most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from equivec.embed.encoder import Floats

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True)
class Components:
    """The centre of some vectors and their principal components, the first one first."""

    mean: Numbers  # (width,)
    axes: Numbers  # (width, components): of length one, or of zeros where there are no more
    shares: Numbers  # (components,): of the variance

    def place(self, vectors: Floats) -> Numbers:  # (vectors, components)
        """Where vectors lie along the components."""
        points: Numbers = (vectors.astype(np.float64) - self.mean) @ self.axes
        return points


def principal_components(vectors: Floats, count: int) -> Components:
    """The first principal components of vectors.

    >>> line = np.array([[0, 0, 1], [0, 0, 2], [0, 0, 6]], dtype=np.float32)
    >>> found = principal_components(line, 2)
    >>> found.place(line)[:, 0].round(3).tolist(), found.shares.round(3).tolist()
    ([-2.0, -1.0, 3.0], [1.0, 0.0])
    """
    width = vectors.shape[1]
    mean = vectors.astype(np.float64).mean(axis=0) if len(vectors) else np.zeros(width)
    centred = vectors.astype(np.float64) - mean
    # The eigenvectors of a width x width matrix: cheap, however many vectors there are.
    variances, directions = np.linalg.eigh(centred.T @ centred)
    axes, shares, found = np.zeros((width, count)), np.zeros(count), min(count, width)
    axes[:, :found] = directions[:, ::-1][:, :found]
    shares[:found] = np.maximum(variances[::-1][:found], 0) / max(variances.sum(), 1e-300)
    # A component may point either way; its largest number is made positive.
    axes *= np.where(axes[np.abs(axes).argmax(axis=0), np.arange(count)] < 0, -1, 1)
    return Components(mean, axes, shares)
