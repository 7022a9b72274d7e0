"""The forms in which expressions are compared as trees: arguments in order, constants dropped.

A constant is a part without a variable: 1, sqrt(2), cos(log(1)). The paper takes a*f(x) + b as
f(x) for constants a and b. As a rule on trees that means, for a part f that has a variable:

- in a sum, constant operands are dropped: f + b -> f;
- in a product, constant factors are dropped, the sign too: a*f -> f, -f -> f;
- a quotient by a constant is its numerator: f/a -> f;
- a constant over f is 1 over f: a/f -> 1/f;
- constant factors of a factor, numerator or denominator are factors of the whole:
  (a*f)/(b*g) -> f/g.

`without_constants` applies the rule at every level, from the leaves up, so that sin(3*x + 1) is
sin(x); `without_outer_constants` only around the whole expression, again and again until nothing
changes. Constants elsewhere stay: x**2, 2**x and sin(2) keep their 2. An expression that is
constant altogether becomes 1. Nothing else is simplified.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from equivec.expression.order import chain, in_order, operands_of
from equivec.expression.tree import Node

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_ONE = Node(1)


def without_constants(tree: Node) -> Node:
    """The tree with constant summands and factors dropped at every level.

    >>> from equivec.expression.text import parse, write
    >>> write(without_constants(parse("2*sin(3*x + 1)**2/cos(1) - 5")))
    'sin(x)**2'
    """
    if not tree.variables:
        return _ONE
    return _drop_everywhere(tree)


def without_outer_constants(tree: Node) -> Node:
    """The tree with constant summands and factors dropped around it, but nowhere inside.

    >>> from equivec.expression.text import parse, write
    >>> write(without_outer_constants(parse("2*sin(3*x + 1)**2/cos(1) - 5")))
    'sin(3*x + 1)**2'
    """
    if not tree.variables:
        return _ONE
    while (smaller := _drop(tree)) != tree:
        tree = smaller
    return tree


FORMS: Mapping[str, Callable[[Node], Node]] = {
    "raw": in_order,
    "without outer constants": lambda tree: in_order(without_outer_constants(tree)),
    "without constants": lambda tree: in_order(without_constants(tree)),
}


def _drop_everywhere(tree: Node) -> Node:
    """The same for a tree that has a variable; its constant parts are left for `_drop` to see."""
    parts = [_drop_everywhere(part) if part.variables else part for part in tree.arguments]
    return _drop(Node(tree.symbol, tuple(parts)))


def _drop(tree: Node) -> Node:
    """The tree, which has a variable, without the constants that it adds or is multiplied by."""
    if tree.symbol == "add":
        return chain("add", [part for part in operands_of(tree) if part.variables])
    return _without_factors(tree)


def _without_factors(tree: Node) -> Node:
    """A product or quotient without its constant factors and divisors; other trees as they are."""
    if not tree.variables:
        return _ONE
    if tree.symbol == "mul":
        return chain(
            "mul", [_without_factors(part) for part in operands_of(tree) if part.variables]
        )
    if tree.symbol == "div":
        above, below = map(_without_factors, tree.arguments)
        return above if below == _ONE else Node("div", (above, below))
    return tree
