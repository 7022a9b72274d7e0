"""What search asks of whoever turns expressions into vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


class Encoder(Protocol):
    """Expressions in prefix form to vectors; several threads may call it at once.

    Euler's number alone comes as `e`, since `E` alone does not show its format.
    """

    @property
    def name(self) -> str:
        """What tells this encoder from others: vectors of two encoders cannot be compared."""

    @property
    def width(self) -> int:
        """How many numbers a vector has."""

    def encode(
        self, expressions: Sequence[str], *, normalize: bool = True
    ) -> NDArray[np.float32]:  # (expressions, width)
        """A row for each expression, of length 1 if normalized."""
