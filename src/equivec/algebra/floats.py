"""Evaluation in float64: all expressions at all points, one numpy call per operator and level.

Real semantics: an expression has a value only where every subterm is real. Where double precision
cannot be trusted (overflow, underflow, huge arguments of periodic functions) a value is not known.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from equivec.algebra.program import Program
from equivec.errors import ConversionError
from equivec.expression.tree import LETTERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from numpy.typing import NDArray

    from equivec.algebra.points import Points
    from equivec.algebra.program import Operation
    from equivec.expression.tree import Node

    Array = NDArray[np.float64]

_HUGE, _TINY, _FAST_TURNING = 1e150, 1e-150, 1e6


@dataclass(frozen=True, slots=True)
class Values:
    """Values of expressions at points, both (expressions, points).

    `numbers` is NaN outside the domain; where `known` is false, the number says nothing.
    """

    numbers: NDArray[np.float64]
    known: NDArray[np.bool_]


def evaluate_at(trees: Iterable[Node], points: Points) -> Values:
    """The values of expressions at points.

    >>> from equivec.algebra.points import Points
    >>> from equivec.expression.text import parse
    >>> points = Points({"x": np.array([4.0, -4.0])}, 2)
    >>> evaluate_at([parse("sqrt(x)"), parse("x/2")], points).numbers
    array([[ 2., nan],
           [ 2., -2.]])
    """
    program, roots = Program.of(trees)
    return run(program, points, roots)


def run(program: Program, points: Points, roots: list[int]) -> Values:
    """The values at the given places of a program."""
    numbers, is_doubtful = compute(program, points)
    propagate(is_doubtful, program.operations)
    return Values(numbers.take(roots, 0), ~is_doubtful.take(roots, 0))


def compute(program: Program, points: Points) -> tuple[Array, NDArray[np.bool_]]:
    """The numbers at all places of a program, and where each of them is doubtful by itself."""
    operations = program.operations
    numbers = np.empty((len(operations), points.count))
    is_doubtful = np.zeros((len(operations), points.count), dtype=np.bool_)
    groups: dict[tuple[int, str, int], list[int]] = defaultdict(list)
    for place, operation in enumerate(operations):
        if isinstance(operation.symbol, str) and operation.arguments:
            groups[operation.level, operation.symbol, len(operation.arguments)].append(place)
        else:
            numbers[place] = _leaf(operation.symbol, points)
    with np.errstate(all="ignore"):
        for (_, symbol, arity), places in sorted(groups.items()):
            # `take` copies whole rows, which an index does not.
            operands = [numbers.take(column, 0) for column in _columns(places, operations)]
            result = _function(symbol, arity)(*operands)
            numbers[places] = result
            if symbol in VANISHING:
                is_doubtful[places] = result == 0
            elif symbol in _PERIODIC:
                is_doubtful[places] = np.abs(operands[0]) > _FAST_TURNING
        size = np.abs(numbers)
        is_doubtful |= (size > _HUGE) | ((size < _TINY) & (size > 0))
    return numbers, is_doubtful


def propagate(is_marked: NDArray[np.bool_], operations: list[Operation]) -> None:
    """Mark every operation with a marked argument, level by level; `is_marked` is (places, ...)."""
    levels: dict[int, list[int]] = defaultdict(list)
    for place, operation in enumerate(operations):
        if operation.arguments:
            levels[operation.level].append(place)
    for _, places in sorted(levels.items()):
        arguments = [operations[place].arguments for place in places]
        # No symbol has more than two arguments; where it has one, that is the last one too.
        first, last = [each[0] for each in arguments], [each[-1] for each in arguments]
        is_marked[places] |= is_marked.take(first, 0) | is_marked.take(last, 0)


def _columns(places: list[int], operations: list[Operation]) -> list[list[int]]:
    """The places of first arguments and, where there are such, of second ones."""
    arguments = [operations[place].arguments for place in places]
    return [[each[number] for each in arguments] for number in range(len(arguments[0]))]


def _function(symbol: str, arity: int) -> Callable[..., Array]:
    if symbol not in FLOAT_FUNCTIONS:
        raise ConversionError(f"{symbol!r} has no numeric value")
    if arity != (2 if symbol in _BINARY else 1):
        raise ConversionError(
            f"{symbol!r} cannot be evaluated with {arity} argument{'s'[: arity > 1]}"
        )
    return FLOAT_FUNCTIONS[symbol]


def require_numeric(tree: Node) -> None:
    """Raise unless every symbol of a tree has a numeric value."""
    nodes = tree.nodes()
    for symbol, arity in {(node.symbol, len(node.arguments)) for node in nodes} - _NUMERIC:
        if arity or isinstance(symbol, str):
            _function(str(symbol), arity)


def _leaf(symbol: str | int, points: Points) -> Array | float:
    if isinstance(symbol, int):
        try:
            return float(symbol)
        except OverflowError:
            return float("inf")
    if symbol in points.values:
        return points.values[symbol]
    if symbol in _CONSTANTS:
        return _CONSTANTS[symbol]
    if symbol in LETTERS:
        raise ConversionError(f"the points have no values for the variable {symbol!r}")
    raise ConversionError(f"{symbol!r} has no numeric value")


def _power(base: Array, exponent: Array) -> Array:
    # IEEE has pow(1, nan) = pow(nan, 0) = 1, which would hide an undefined subterm.
    is_undefined = np.isnan(base) | np.isnan(exponent)
    return np.where(is_undefined, np.nan, np.power(base, exponent))


# Functions that reach 0 only by underflow, and those that turn faster than float64 can follow.
VANISHING = frozenset(("exp", "pow", "sech", "csch"))
# Functions that reach 1 in float64 though they only approach it.
LIMITED = frozenset(("tanh", "coth"))
_PERIODIC = frozenset(("sin", "cos", "tan", "cot", "sec", "csc"))
# All others take one argument.
_BINARY = frozenset(("add", "mul", "div", "subtract", "multiply", "pow"))
_CONSTANTS: Mapping[str, float] = {"pi": float(np.pi), "E": float(np.e)}

FLOAT_FUNCTIONS: Mapping[str, Callable[..., Array]] = {
    "add": np.add,
    "mul": np.multiply,
    "div": np.divide,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "pow": _power,
    "sqrt": np.sqrt,
    "abs": np.abs,
    "sign": np.sign,
    "ln": np.log,
    "exp": np.exp,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "cot": lambda u: np.cos(u) / np.sin(u),
    "sec": lambda u: 1 / np.cos(u),
    "csc": lambda u: 1 / np.sin(u),
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "acot": lambda u: np.arctan(1 / u),
    "asec": lambda u: np.arccos(1 / u),
    "acsc": lambda u: np.arcsin(1 / u),
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "coth": lambda u: 1 / np.tanh(u),
    "sech": lambda u: 1 / np.cosh(u),
    "csch": lambda u: 1 / np.sinh(u),
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "acoth": lambda u: np.arctanh(1 / u),
    "asech": lambda u: np.arccosh(1 / u),
    "acsch": lambda u: np.arcsinh(1 / u),
}

# What has a value: an integer has one too.
_NUMERIC: frozenset[tuple[str | int, int]] = frozenset(
    [
        *((symbol, 2 if symbol in _BINARY else 1) for symbol in FLOAT_FUNCTIONS),
        *((symbol, 0) for symbol in (*LETTERS, *_CONSTANTS)),
    ]
)
