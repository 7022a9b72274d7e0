"""Many expressions as one list of operations, in which every subterm stands once."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from flint import fmpq

from equivec.expression.tree import LETTERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from equivec.expression.tree import Node

# Fractions of more bits than this are left to balls.
EXACT_BITS = 65_536


class Operation(NamedTuple):
    """A symbol applied to earlier operations; `exact` is its value if that is a plain fraction."""

    symbol: str | int
    arguments: tuple[int, ...]
    level: int
    exact: fmpq | None
    is_constant: bool
    is_rational: bool


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

    def exact_value(self, root: int, point: Mapping[str, fmpq]) -> fmpq | None:
        """The value of a rational function at a point; none where it is undefined or too long."""
        known: dict[int, fmpq] = {}
        for place in self.needs(root):
            symbol, arguments, _, value, _, _ = self.operations[place]
            if value is None:
                value = point.get(str(symbol))
                if arguments:
                    left, right = known[arguments[0]], known[arguments[-1]]
                    value = exact_arithmetic(str(symbol), left, right)
            if value is None:
                return None
            known[place] = value
        return known[root]

    def _append(self, symbol: str | int, arguments: tuple[int, ...]) -> int:
        operations = self.operations
        level, exact, is_constant, is_rational = 0, None, True, False
        if not arguments:
            if isinstance(symbol, int):
                exact = _whole(symbol)
            elif symbol in LETTERS:
                self.variables.add(symbol)
                is_constant, is_rational = False, True
        elif len(arguments) == 1:
            inner = operations[arguments[0]]
            level, is_constant = 1 + inner.level, inner.is_constant
        else:
            left, right = operations[arguments[0]], operations[arguments[1]]
            level = 1 + max(left.level, right.level)
            is_constant = left.is_constant and right.is_constant
            if left.exact is not None and right.exact is not None:
                exact = exact_arithmetic(str(symbol), left.exact, right.exact)
            elif left.is_rational and right.is_rational:
                is_rational = symbol in ARITHMETIC and (symbol != "pow" or is_whole(right.exact))
        is_rational = is_rational or exact is not None
        operations.append(Operation(symbol, arguments, level, exact, is_constant, is_rational))
        return len(operations) - 1


# Making a fraction takes longer than finding one, and the same few numbers stand everywhere.
_whole = lru_cache(maxsize=1024)(fmpq)

# What makes fractions of fractions.
ARITHMETIC = frozenset(("add", "subtract", "mul", "multiply", "div", "pow"))


def is_whole(value: fmpq | None) -> bool:
    """Whether a value is known and an integer."""
    return value is not None and bool(value.q == 1)


def exact_arithmetic(symbol: str, left: fmpq, right: fmpq) -> fmpq | None:
    """The value of arithmetic on fractions, while it does not grow too long."""
    if symbol == "pow":
        value = _power(left, right)
    elif symbol in ("add", "subtract"):
        value = left + right if symbol == "add" else left - right
    elif symbol in ("mul", "multiply"):
        value = left * right
    elif symbol == "div" and right != 0:
        value = left / right
    else:
        return None
    return value if value is not None and _bits(value) <= EXACT_BITS else None


def _power(base: fmpq, exponent: fmpq) -> fmpq | None:
    if not is_whole(exponent) or (base == 0 and exponent < 0):
        return None
    power = int(exponent.p)
    is_short = abs(power) * max(1, _bits(base) - 1) <= EXACT_BITS
    return base**power if is_short else None


def _bits(value: fmpq) -> int:
    return max(int(value.p.bit_length()), int(value.q.bit_length()))
