"""Random expressions: unary-binary trees, uniform over shapes (Lample & Charton, ICLR 2020).

With D(e, n) the number of ways to fill e empty nodes with n operators,

    D(0, n) = 0,  D(e, 0) = 1,  D(e, n) = D(e - 1, n) + D(e, n - 1) + D(e + 1, n - 1),

the next operator's arity and how many empty nodes before it become leaves are drawn in proportion
to the number of trees that each choice leaves open (their appendix C, all weights 1).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from equivec.errors import ConfigError
from equivec.expression.grammar import ELEMENTARY
from equivec.expression.tree import Node, negate

if TYPE_CHECKING:
    from collections.abc import Mapping
    from random import Random

# Subtraction is drawn as an operator of its own and written as the token format has it.
SUBTRACT = "subtract"

BINARY_WEIGHTS: Mapping[str, float] = {"add": 10, SUBTRACT: 4, "mul": 10, "div": 5, "pow": 6}
UNARY_WEIGHTS: Mapping[str, float] = {
    **dict.fromkeys(("sqrt", "ln", "exp", "sin", "cos", "tan"), 4.0),
    **dict.fromkeys(("abs", "cot", "sec", "csc", "asin", "acos", "atan"), 1.0),
    **dict.fromkeys(("sinh", "cosh", "tanh", "coth", "asinh", "acosh", "atanh"), 1.5),
    **dict.fromkeys(("sech", "csch", "acot", "acoth"), 0.2),
}
LEAF_WEIGHTS: Mapping[str, float] = {
    "variable": 55,
    "integer": 45,
    "rational": 6,
    "pi": 2.5,
    "E": 2.5,
}
OPERATOR_WEIGHTS: tuple[float, ...] = (0, 1, 10, 48, 42)
# Lowest, highest and weight: people write small integers, but data has long ones too.
INTEGER_RANGES: tuple[tuple[int, int, float], ...] = (
    (1, 5, 50),
    (6, 20, 12),
    (21, 99, 8),
    (100, 999, 8),
    (10_000, 999_999, 25),
)

# x**371234 is nobody's expression.
_LARGEST_EXPONENT = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplerConfig:
    """What random expressions are made of; `operators[n - 1]` weighs trees of n operators."""

    operators: tuple[float, ...] = OPERATOR_WEIGHTS
    binary: Mapping[str, float] = field(default_factory=lambda: BINARY_WEIGHTS)
    unary: Mapping[str, float] = field(default_factory=lambda: UNARY_WEIGHTS)
    leaves: Mapping[str, float] = field(default_factory=lambda: LEAF_WEIGHTS)
    variables: int = 1
    integers: tuple[tuple[int, int, float], ...] = INTEGER_RANGES
    # Exponents are small integers far more often than anything else.
    integer_exponents: float = 0.85

    def __post_init__(self) -> None:
        if not 1 <= self.variables <= len(ELEMENTARY.variables):
            raise ConfigError(
                f"variables must lie between 1 and {len(ELEMENTARY.variables)}, "
                f"not at {self.variables}"
            )
        if not self.operators or min(self.operators) < 0 or sum(self.operators) <= 0:
            raise ConfigError(f"operators must be weights, not {self.operators}")
        for symbol in (*self.binary, *self.unary):
            if symbol not in ELEMENTARY and symbol != SUBTRACT:
                raise ConfigError(f"{symbol!r} is not an operator of the elementary grammar")


@cache
def count_completions(empty: int, operators: int) -> int:
    """D(e, n): the ways to fill empty nodes with operators and leaves.

    >>> [count_completions(1, n) for n in range(6)]
    [1, 2, 6, 22, 90, 394]
    """
    if empty == 0:
        return 0
    if operators == 0:
        return 1
    return (
        count_completions(empty - 1, operators)
        + count_completions(empty, operators - 1)
        + count_completions(empty + 1, operators - 1)
    )


@cache
def _choices(empty: int, operators: int) -> tuple[list[tuple[int, int]], list[int]]:
    """How many empty nodes become leaves and the next operator's arity, with their weights."""
    options = [(skipped, arity) for arity in (1, 2) for skipped in range(empty)]
    weights = [
        count_completions(empty - skipped + arity - 1, operators - 1) for skipped, arity in options
    ]
    return options, weights


class Sampler:
    """Draws expressions that contain at least one variable.

    >>> from random import Random
    >>> tree = Sampler().draw(Random(3))
    >>> sorted(tree.variables)
    ['x']
    """

    def __init__(self, config: SamplerConfig | None = None) -> None:
        self.config = config or SamplerConfig()
        self._sizes = range(1, len(self.config.operators) + 1)

    def draw(self, random: Random) -> Node:
        """A random expression."""
        while True:
            (operators,) = random.choices(self._sizes, self.config.operators)
            tree = self._fill(self._shape(operators, random), random)
            if tree.variables:
                return tree

    def _shape(self, operators: int, random: Random) -> list[int]:
        """The arities of a random tree in prefix order."""
        arities: list[int] = []
        empty = 1
        for left in range(operators, 0, -1):
            options, weights = _choices(empty, left)
            ((skipped, arity),) = random.choices(options, weights)
            arities += [0] * skipped + [arity]
            empty += arity - skipped - 1
        return arities + [0] * empty

    def _fill(self, arities: list[int], random: Random) -> Node:
        """The shape with symbols in it, built from the last node to the first."""
        stack: list[Node] = []
        for arity in reversed(arities):
            arguments = tuple(stack.pop() for _ in range(arity))
            stack.append(self._node(arguments, random))
        return stack.pop()

    def _node(self, arguments: tuple[Node, ...], random: Random) -> Node:
        if not arguments:
            return self._leaf(random)
        table = self.config.unary if len(arguments) == 1 else self.config.binary
        (symbol,) = random.choices(list(table), list(table.values()))
        if symbol == SUBTRACT:
            return Node("add", (arguments[0], negate(arguments[1])))
        if symbol == "pow" and arguments[1].is_leaf:
            return Node("pow", (arguments[0], self._exponent(arguments[1], random)))
        return Node(symbol, arguments)

    def _exponent(self, drawn: Node, random: Random) -> Node:
        is_large = isinstance(drawn.symbol, int) and abs(drawn.symbol) > _LARGEST_EXPONENT
        if is_large or random.random() < self.config.integer_exponents:
            return Node(random.choice((2, 2, 2, 2, 3, 3, 4, 5, -1, -1, -2)))
        return drawn

    def _leaf(self, random: Random) -> Node:
        table = self.config.leaves
        (kind,) = random.choices(list(table), list(table.values()))
        if kind == "variable":
            return Node(ELEMENTARY.variables[random.randrange(self.config.variables)])
        if kind == "integer":
            return Node(self._integer(random))
        if kind == "rational":
            return Node("div", (Node(self._integer(random)), Node(random.randint(2, 6))))
        return Node(kind)

    def _integer(self, random: Random) -> int:
        ranges = self.config.integers
        ((low, high, _),) = random.choices(ranges, [weight for *_, weight in ranges])
        value = random.randint(low, high)
        return value if random.random() < 0.7 else -value
