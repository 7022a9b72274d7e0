"""Points that a pair has of its own, whatever else is judged with it and whichever comes first."""

from __future__ import annotations

import random
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from equivec.algebra.breaks import Breaks
from equivec.algebra.floats import run
from equivec.algebra.points import Domain, Points, power_points, scattered_points
from equivec.algebra.program import Program
from equivec.expression.prefix import write_prefix

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flint import fmpq

    from equivec.expression.tree import Node

    Point = Mapping[str, fmpq]

# Between breaks a difference may be small beside the value; more than this may be no mere noise.
_NOISE = 1e-14
# Scattered points that are looked at with balls though float64 knows no value there.
_MOST_UNKNOWN = 4
# Bits of a denominator, and how far from 1 a number may lie.
_SHORT, _ORDINARY = 32, 10_000


class OwnPoints:
    """A pair of trees as a program, and points drawn for them.

    >>> from equivec.expression.text import parse
    >>> own = OwnPoints(parse("abs(x - 7)"), parse("7 - x"), Domain.POSITIVE, 3, seed=0)
    >>> [float(point["x"]) > 7 for point in own.between_breaks()]
    [False, True]
    """

    def __init__(self, left: Node, right: Node, domain: Domain, count: int, seed: int) -> None:
        texts = write_prefix(left), write_prefix(right)
        is_swapped = texts[1] < texts[0]
        self.program, roots = Program.of([right, left] if is_swapped else [left, right])
        self.roots = (roots[1], roots[0]) if is_swapped else (roots[0], roots[1])
        self.domain = domain
        self._names = sorted(self.program.variables)
        # By the texts in one order: both ways round, and in every batch, the points are the same.
        self._random = random.Random(f"{seed} {min(texts)} {max(texts)}")  # noqa: S311
        self.scattered = scattered_points(self._names, domain, count, self._random)

    @cached_property
    def _breaks(self) -> Breaks:
        return Breaks(self.program, sorted(self.roots), self.domain)

    def between_breaks(self) -> list[Point]:
        """A point in every gap between the breaks of both; other ones each time."""
        if not self._breaks.arguments:
            return []
        return self._breaks.points(self._random, self.scattered)

    def at_powers(self) -> list[Point]:
        """Points with integers and halves where variables stand in exponents over the reals."""
        if self.domain is not Domain.REAL:
            return []
        operations = self.program.operations
        exponents = {
            operation.arguments[1]
            for operation in operations
            if operation.symbol == "pow" and not operations[operation.arguments[1]].is_constant
        }
        needed = {
            str(operations[place].symbol)
            for exponent in exponents
            for place in self.program.needs(exponent)
        }
        names = sorted(needed & self.program.variables)
        return list(power_points(self._names, names, self._random)) if names else []

    def screened(self, tolerance: float) -> tuple[int, list[Point]]:
        """At how many points float64 sees no difference, and the points that balls must look at.

        The points are the scattered ones and one in every gap between breaks; where float64 sees
        that neither is defined they are neither.
        """
        between, few = self.between_breaks(), len(self.scattered)
        points = [*self.scattered, *between]
        columns = {name: np.array([float(point[name]) for point in points]) for name in self._names}
        values = run(self.program, Points(columns, len(points)), [*self.roots])
        a, b = values.numbers
        is_known = np.logical_and(*values.known)
        is_known[few:] &= np.array([_is_ordinary(point) for point in between], dtype=np.bool_)
        with np.errstate(all="ignore"):
            distance = np.abs(a - b) / np.maximum(np.abs(a), np.abs(b))
        distance[a == b] = 0
        is_close = distance <= np.repeat([tolerance, _NOISE], [few, len(between)])
        rest = np.flatnonzero(~(is_known & (is_close | np.isnan(a) & np.isnan(b)))).tolist()
        unknown = [index for index in rest if index < few and not is_known[index]]
        rest = [index for index in rest if index not in unknown[_MOST_UNKNOWN:]]
        return int((is_known & is_close).sum()), [points[index] for index in rest]


def _is_ordinary(point: Point) -> bool:
    """Whether float64 has digits to spare at a point: in narrow gaps and far out it has not."""
    return all(
        each.q.bit_length() < _SHORT and 1 < abs(each) * _ORDINARY < _ORDINARY**2
        for each in point.values()
    )
