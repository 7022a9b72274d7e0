"""Many expressions as one list of operations, in which every subterm stands once."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from equivec.expression.tree import LETTERS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from equivec.expression.tree import Node

# Fractions of more bits than this are left to the evaluators.
_EXACT_BITS = 256


class Operation(NamedTuple):
    """A symbol applied to earlier operations; `exact` is its value if that is a plain fraction."""

    symbol: str | int
    arguments: tuple[int, ...]
    level: int
    exact: Fraction | None
    is_constant: bool


@dataclass(slots=True)
class Program:
    """Operations in an order in which arguments come before their use.

    >>> from equivec.expression.text import parse
    >>> program = Program()
    >>> program.add(parse("sin(x) + sin(x)*2")), len(program.operations)
    (4, 5)
    """

    operations: list[Operation] = field(default_factory=list)
    variables: set[str] = field(default_factory=set)
    _places: dict[tuple[str | int, tuple[int, ...]], int] = field(default_factory=dict)
    _needs: dict[int, list[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, trees: Iterable[Node]) -> tuple[Program, list[int]]:
        """A program that computes all the trees, and the place of each tree's value."""
        program = cls()
        return program, [program.add(tree) for tree in trees]

    def add(self, tree: Node) -> int:
        """The place of the tree's value, added with what it needs if it is new."""
        order: list[Node] = []
        stack = [tree]
        while stack:
            node = stack.pop()
            order.append(node)
            stack.extend(node.arguments)
        # Parents come first, last arguments before first ones: backwards, arguments pile up.
        values: list[int] = []
        for node in reversed(order):
            arguments: tuple[int, ...] = ()
            if node.arguments:
                first = len(values) - len(node.arguments)
                arguments = tuple(values[first:])
                del values[first:]
            key = (node.symbol, arguments)
            place = self._places.get(key)
            if place is None:
                place = self._places[key] = self._append(*key)
            values.append(place)
        return values.pop()

    def needs(self, root: int) -> list[int]:
        """The places that the value at a root depends on, in order, itself the last."""
        if root not in self._needs:
            found: set[int] = set()
            stack = [root]
            while stack:
                place = stack.pop()
                if place not in found:
                    found.add(place)
                    stack.extend(self.operations[place].arguments)
            self._needs[root] = sorted(found)
        return self._needs[root]

    def _append(self, symbol: str | int, arguments: tuple[int, ...]) -> int:
        operations = self.operations
        level, exact, is_constant = 0, None, True
        if not arguments:
            if isinstance(symbol, int):
                exact = _whole(symbol)
            elif symbol in LETTERS:
                self.variables.add(symbol)
                is_constant = False
        elif len(arguments) == 1:
            inner = operations[arguments[0]]
            level, is_constant = 1 + inner.level, inner.is_constant
        else:
            left, right = operations[arguments[0]], operations[arguments[1]]
            level = 1 + max(left.level, right.level)
            is_constant = left.is_constant and right.is_constant
            if left.exact is not None and right.exact is not None:
                exact = _exact(symbol, left.exact, right.exact)
        operations.append(Operation(symbol, arguments, level, exact, is_constant))
        return len(operations) - 1


def _exact(symbol: str | int, left: Fraction, right: Fraction) -> Fraction | None:
    """The value of arithmetic on fractions, while it stays small."""
    value = _exact_arithmetic(symbol, left, right)
    if value is None:
        return None
    bits = max(value.numerator.bit_length(), value.denominator.bit_length())
    return value if bits <= _EXACT_BITS else None


# Making a fraction takes longer than finding one, and the same few numbers stand everywhere.
_whole = lru_cache(maxsize=1024)(Fraction)


def _exact_arithmetic(symbol: str | int, left: Fraction, right: Fraction) -> Fraction | None:
    if symbol == "add":
        return left + right
    if symbol == "mul":
        return left * right
    if symbol == "div" and right:
        return left / right
    if symbol == "pow" and right.denominator == 1 and abs(right) <= 64 and (left or right >= 0):
        return Fraction(left**right.numerator)
    return None
