"""What every encoder is: trees in, vectors out; and how its vectors are checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from equivec.errors import ConfigError
from equivec.expression.infix import write_infix
from equivec.expression.text import as_tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from equivec.expression.tree import Node

    Floats = NDArray[np.float32]

_NUMBERS = "fiu"  # kinds of arrays


class Encoder(Protocol):
    """Trees to vectors; several threads may call it at once.

    An encoder may also have `equivalents` and `can_write`, as `Embedder` has.
    """

    @property
    def name(self) -> str:
        """The name in tables and indexes: vectors of two encoders cannot be compared."""

    @property
    def width(self) -> int:
        """How many numbers a vector has."""

    @property
    def checksum(self) -> str:
        """The same for the same vectors, whatever the encoder is called."""

    def encode(self, trees: Sequence[Node], /, *, normalize: bool = True) -> Floats:
        """A row of float32 for each tree, (trees, width), of length one if normalized.

        Without the argument an encoder gives the vectors that evaluations compare.
        """


def vectors_of(
    encoder: Encoder, expressions: Sequence[str | Node], **settings: bool
) -> Floats:  # (expressions, width)
    """An encoder's vectors, seen to be a row with a direction for each expression."""
    trees = [as_tree(expression) for expression in expressions]
    if not trees:
        return np.empty((0, encoder.width), dtype=np.float32)
    found = encoder.encode(trees, **settings)
    is_array = isinstance(found, np.ndarray) and found.dtype.kind in _NUMBERS
    if not is_array or found.shape != (len(trees), encoder.width):
        raise ConfigError(
            f"{encoder.name} gave {_what(found)} for {len(trees):,} expressions; expected an array "
            f"of numbers with a row of {encoder.width} for each"
        )
    lengths = np.linalg.norm(found.astype(np.float64), axis=1)
    bad = np.flatnonzero(~(np.isfinite(lengths) & (lengths > 0)))
    if len(bad):
        raise ConfigError(
            f"{encoder.name} gave {write_infix(trees[bad[0]])!r} a vector of length "
            f"{lengths[bad[0]]}; every vector must be finite and not zero"
        )
    return np.asarray(found, dtype=np.float32)


def _what(found: object) -> str:
    if isinstance(found, np.ndarray):
        return f"an array of shape {found.shape} and type {found.dtype}"
    return f"a {type(found).__name__}"


def unit(vectors: Floats) -> Floats:
    """The vectors at length one; those of zeros stay."""
    lengths: Floats = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-12), dtype=np.float32)


def precision_of(encoder: Encoder) -> Any:
    """The precision that a model is run at; None for an encoder that has no choice of it."""
    return getattr(encoder, "precision", None)


def can_write(encoder: Encoder) -> bool:
    """Whether an encoder can write equivalents as well."""
    return bool(getattr(encoder, "can_write", False))
