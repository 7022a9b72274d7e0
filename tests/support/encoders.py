"""An encoder without a model: tokens counted, and the counts thrown together at random."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class FakeEncoder:
    """Expressions with the same tokens side by side get vectors that are near."""

    name: str = "fake"
    width: int = 32

    def encode(self, expressions: Sequence[str], *, normalize: bool = True) -> np.ndarray:
        vectors = np.array([self._vector(text) for text in expressions], dtype=np.float32)
        vectors = vectors.reshape(len(expressions), self.width)
        if normalize:
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def _vector(self, text: str) -> np.ndarray:
        tokens = text.split()
        counts = Counter([*tokens, *map(" ".join, pairwise(tokens))])
        return sum(count * self._direction(token) for token, count in counts.items())

    def _direction(self, token: str) -> np.ndarray:
        return _direction(token, self.width)


@cache
def _direction(token: str, width: int) -> np.ndarray:
    seed = int.from_bytes(blake2b(token.encode(), digest_size=4).digest())
    return np.random.default_rng(seed).normal(size=width)


def Embedder(name: str = "fake") -> FakeEncoder:  # noqa: N802
    """What the command line asks for, by the name it has in the package."""
    return FakeEncoder(name)
