"""Terms so large or so small that no precision we can pay for tells a function from its limit.

tanh(525219 + x) and 1 are different functions, and so are cos(exp(-68)) and 1: they differ by less
than 1e-50. The judge compares values to some dozens of digits, so such expressions stay out of what
it is to decide by the million.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from equivec.algebra.floats import LIMITED, VANISHING, compute, propagate
from equivec.algebra.program import Program

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from equivec.algebra.points import Points
    from equivec.expression.tree import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """The sizes between which the values of all subterms shall lie.

    Even the square or the cube of the smallest still shows in a hundred bits.
    """

    smallest: float = 1e-12
    largest: float = 1e18


def extremes(
    trees: Sequence[Node], points: Points, allowed: Range | None = None
) -> NDArray[np.bool_]:
    """Which trees have a subterm that leaves the range, or stands at a limit, at most points.

    >>> from equivec.algebra.points import sample_points
    >>> from equivec.expression.text import parse
    >>> texts = ["tanh(525219 + x)", "x + exp(-99)", "tanh(x)*525219"]
    >>> extremes([parse(text) for text in texts], sample_points("x"))
    array([ True,  True, False])
    """
    program, roots = Program.of(trees)
    numbers, _ = compute(program, points)
    return extreme_places(program, numbers, allowed)[roots]


def extreme_places(
    program: Program, numbers: NDArray[np.float64], allowed: Range | None = None
) -> NDArray[np.bool_]:
    """The same of all places of a program, by the numbers that it computed there."""
    allowed = allowed or Range()
    size = np.abs(numbers)
    symbols = [operation.symbol for operation in program.operations]
    vanishes = np.array([symbol in VANISHING for symbol in symbols])[:, None]
    is_limited = np.array([symbol in LIMITED for symbol in symbols])[:, None]
    is_tiny = (size < allowed.smallest) & ((size > 0) | vanishes)
    is_out = np.where(is_limited, size == 1, (size > allowed.largest) | is_tiny)
    is_extreme: NDArray[np.bool_] = is_out.mean(axis=1) > 0.5
    propagate(is_extreme, program.operations)
    return is_extreme
