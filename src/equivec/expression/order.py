"""Trees up to the order of commutative arguments."""

from __future__ import annotations

from functools import reduce

from equivec.expression.grammar import GRAMMARS
from equivec.expression.prefix import write_prefix
from equivec.expression.tree import Node

_COMMUTATIVE = frozenset(
    row.name for grammar in GRAMMARS.values() for row in grammar.symbols if row.is_commutative
)


def in_order(tree: Node) -> Node:
    """The tree with the arguments of commutative operators in a fixed order, grouped to the left.

    Constants come first, then the others by their prefix text. The arguments of all other
    operators stay where they are.

    >>> from equivec.expression.text import parse
    >>> in_order(parse("sin(x) + (x + 2)")) == in_order(parse("(2 + sin(x)) + x"))
    True
    >>> in_order(parse("x/2")) == in_order(parse("2/x"))
    False
    """
    if tree.is_leaf:
        return tree
    if tree.symbol not in _COMMUTATIVE:
        return Node(tree.symbol, tuple(map(in_order, tree.arguments)))
    operands = sorted(map(in_order, operands_of(tree)), key=_place)
    return chain(tree.symbol, operands)


def operands_of(tree: Node) -> list[Node]:
    """The parts that a chain of one operator joins, from left to right."""
    found: list[Node] = []
    stack = [tree]
    while stack:
        part = stack.pop()
        if part.symbol == tree.symbol:
            stack.extend(reversed(part.arguments))
        else:
            found.append(part)
    return found


def chain(symbol: str | int, operands: list[Node]) -> Node:
    """Operands joined by one operator, grouped to the left."""
    return reduce(lambda left, right: Node(symbol, (left, right)), operands)


def _place(tree: Node) -> tuple[bool, str]:
    return bool(tree.variables), write_prefix(tree)
