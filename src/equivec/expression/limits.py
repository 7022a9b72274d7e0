"""How large an expression may be; what is larger is refused with a sentence, never cut."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from equivec.errors import ConfigError, LimitError

if TYPE_CHECKING:
    from collections.abc import Callable

    from equivec.expression.tree import Node

# Python neither reads nor writes longer integers, unless it is told to.
_PYTHON_DIGITS = 4_300


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The largest expression a parser accepts."""

    characters: int = 20_000
    nodes: int = 4_000
    depth: int = 200
    digits: int = 1_000
    exponent: int = 10_000

    def __post_init__(self) -> None:
        for field in fields(self):
            if getattr(self, field.name) < 1:
                raise ConfigError(
                    f"the limit on {field.name} must be at least 1, not {getattr(self, field.name)}"
                )
        if self.digits > _PYTHON_DIGITS:
            raise ConfigError(
                f"the limit on digits must be at most {_PYTHON_DIGITS:,}, as Python reads no more, "
                f"not {self.digits:,}"
            )


DEFAULT_LIMITS = Limits()
# No limit on digits is worth a look below this size.
_SMALL_BITS = 64


def check_length(text: str, limits: Limits) -> None:
    """Refuse text longer than the limit, before anything else looks at it."""
    if len(text) > limits.characters:
        raise LimitError(
            f"the text has {len(text):,} characters; at most {limits.characters:,} are read"
        )


def check_nesting(depth: int, text: str, column: int, most: int) -> None:
    """Refuse what is nested deeper than the limit, at the place that is one level too many."""
    if depth > most:
        raise LimitError(f"nested deeper than {most} levels", text, column)


def read_digits(digits: str, limits: Limits, text: str = "", column: int | None = None) -> int:
    """The integer that the digits spell, refused when there are too many of them."""
    if len(digits) > limits.digits:
        raise LimitError(
            f"an integer of {len(digits):,} digits; at most {limits.digits:,} are read",
            text,
            column,
        )
    return int(digits)


def write_integer(value: int) -> str:
    """The integer in decimal digits, refused when Python would not write so many of them."""
    try:
        return str(value)
    except ValueError:
        raise LimitError(
            f"an integer of about {_count_digits(value):,} digits; at most {_PYTHON_DIGITS:,} are "
            "written"
        ) from None


def _count_digits(value: int) -> int:
    return int(value.bit_length() * math.log10(2)) + 1


def check_tree(tree: Node, limits: Limits) -> Node:
    """The tree itself, refused when it is too large, too deep, or has a huge constant exponent."""
    nodes = tree.nodes()
    if len(nodes) > limits.nodes:
        raise LimitError(
            f"the expression has {len(nodes):,} nodes; at most {limits.nodes:,} are read"
        )
    # A small tree cannot be deep, and without a power there is no exponent to look at.
    if len(nodes) > limits.depth and tree.depth > limits.depth:
        raise LimitError(
            f"the expression is {tree.depth:,} levels deep; at most {limits.depth:,} are read"
        )
    symbols = [node.symbol for node in nodes]
    _check_integers(symbols, limits)
    if "pow" in symbols:
        _check_exponents(nodes, limits)
    return tree


def is_readable(tree: Node) -> bool:
    """Whether parsers would read the tree, within the limits that they have by default.

    >>> from equivec.expression.tree import Node
    >>> [is_readable(Node("pow", (Node("x"), Node(exponent)))) for exponent in (2, 10**9)]
    [True, False]
    """
    try:
        check_tree(tree, DEFAULT_LIMITS)
    except LimitError:
        return False
    return True


def _check_integers(symbols: list[str | int], limits: Limits) -> None:
    for symbol in symbols:
        if not isinstance(symbol, int) or symbol.bit_length() <= _SMALL_BITS:
            continue
        if abs(symbol) >= 10**limits.digits:
            raise LimitError(
                f"an integer of about {_count_digits(symbol):,} digits; "
                f"at most {limits.digits:,} are read"
            )


def _check_exponents(nodes: list[Node], limits: Limits) -> None:
    exponents = [node.arguments[1] for node in reversed(nodes) if node.symbol == "pow"]
    is_plain = all(exponent.is_leaf for exponent in exponents)
    values: dict[int, float | None] = {}
    for node in exponents if is_plain else reversed(nodes):
        values[id(node)] = _arithmetic_value(node, values)
    for exponent in exponents:
        _check_exponent(values[id(exponent)], limits)


def _check_exponent(value: float | None, limits: Limits) -> None:
    if value is not None and abs(value) > limits.exponent:
        raise LimitError(
            f"an exponent of about {value:.3g}; exponents up to {limits.exponent:,} are read"
        )


def _arithmetic_value(node: Node, known: dict[int, float | None]) -> float | None:
    """The value of a constant made by arithmetic on integers; None for anything else."""
    try:
        if isinstance(node.symbol, int):
            return float(node.symbol)
        operation = _ARITHMETIC.get(node.symbol)
        if operation is None:
            return None
        left, right = (known[id(argument)] for argument in node.arguments)
        if left is None or right is None:
            return None
        value = operation(left, right)
    except OverflowError:
        return float("inf")
    except ZeroDivisionError:
        return None
    return None if isinstance(value, complex) else value


_ARITHMETIC: dict[str, Callable[[float, float], float]] = {
    "add": operator.add,
    "mul": operator.mul,
    "div": operator.truediv,
    "pow": operator.pow,
}
