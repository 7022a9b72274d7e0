"""Values to draw: two expressions along one variable."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from equivec.algebra.floats import evaluate_at
from equivec.algebra.points import Domain, Points
from equivec.serve.schemas import Plot

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from equivec.expression.tree import Node

_COUNT = 401
_REACH = 10.0


def plot(
    left: Node, right: Node, domain: Domain, witness: Mapping[str, float] | None
) -> Plot | None:
    """Both sides along their first variable; a witness is within view, and its other values held.

    >>> from equivec.expression.text import parse
    >>> drawn = plot(parse("sqrt(x)"), parse("x + a"), Domain.REAL, {"a": 2.0, "x": -1.0})
    >>> drawn.variable, drawn.held, drawn.points[0], drawn.points[-1]
    ('x', {'a': 2.0}, -10.0, 10.0)
    """
    names = sorted(left.variables | right.variables, key=lambda name: (name != "x", name))
    if not names:
        return None
    shown, *others = names
    held = {name: (witness or {}).get(name, 1.0) for name in others}
    xs = np.linspace(*_window(domain, (witness or {}).get(shown)), _COUNT)
    columns = {shown: xs, **{name: np.full(_COUNT, value) for name, value in held.items()}}
    values = evaluate_at([left, right], Points(columns, _COUNT))
    is_shown = values.known & np.isfinite(values.numbers)
    sides = [
        _with_gaps(numbers, seen) for numbers, seen in zip(values.numbers, is_shown, strict=True)
    ]
    return Plot(variable=shown, held=held, points=xs.tolist(), left=sides[0], right=sides[1])


def _window(domain: Domain, witness: float | None) -> tuple[float, float]:
    """The interval to look at: up to 10, or to twice a witness that lies far out or close in."""
    size = abs(witness or 1.0)
    high = _REACH if 0.05 <= size <= _REACH else 2 * size
    return (-high, high) if domain is Domain.REAL else (high / _COUNT, high)


def _with_gaps(numbers: NDArray[np.float64], is_shown: NDArray[np.bool_]) -> list[float | None]:
    return [float(n) if seen else None for n, seen in zip(numbers, is_shown, strict=True)]
