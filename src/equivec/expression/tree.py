"""The tree every expression is: a symbol and its arguments, frozen, compared by structure."""

from __future__ import annotations

from dataclasses import dataclass
from string import ascii_lowercase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# What a variable may be called, in every grammar.
LETTERS = frozenset(ascii_lowercase)


@dataclass(frozen=True, slots=True)
class Node:
    """A symbol of a grammar, or an integer, with its arguments.

    Nothing is reordered or simplified: two ways of writing a function are two trees.

    >>> tree = Node("add", (Node("x"), Node(3)))
    >>> tree.size, tree.depth, sorted(tree.variables)
    (3, 2, ['x'])
    >>> tree == Node("add", (Node(3), Node("x")))
    False
    """

    symbol: str | int
    arguments: tuple[Node, ...] = ()

    @property
    def is_leaf(self) -> bool:
        """Whether the node has no arguments."""
        return not self.arguments

    @property
    def is_integer(self) -> bool:
        """Whether the node is an integer literal."""
        return isinstance(self.symbol, int)

    @property
    def size(self) -> int:
        """How many nodes the tree has."""
        return len(self.nodes())

    @property
    def depth(self) -> int:
        """How many nodes lie on the longest way from the root to a leaf."""
        level, depth = [self], 0
        while level:
            depth += 1
            level = [argument for node in level for argument in node.arguments]
        return depth

    @property
    def variables(self) -> frozenset[str]:
        """The names of the variables that occur."""
        return LETTERS.intersection([node.symbol for node in self.nodes()])

    def nodes(self) -> list[Node]:
        """Every node, level by level: the quickest way to see them all."""
        nodes = [self]
        for node in nodes:  # which grows on the way
            nodes += node.arguments
        return nodes

    def walk(self) -> Iterator[Node]:
        """Every node, parents before children, left before right."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.arguments))

    def rename(self, names: dict[str, str]) -> Node:
        """The same tree with its leaves renamed.

        >>> Node("sin", (Node("x"),)).rename({"x": "y"}) == Node("sin", (Node("y"),))
        True
        """
        if self.is_leaf:
            return (
                Node(names.get(self.symbol, self.symbol)) if isinstance(self.symbol, str) else self
            )
        return Node(self.symbol, tuple(argument.rename(names) for argument in self.arguments))


def negate(node: Node) -> Node:
    """Minus the node; an integer literal takes the sign itself, as the token format has it.

    >>> negate(Node(3)), negate(Node("x")) == Node("mul", (Node(-1), Node("x")))
    (Node(symbol=-3, arguments=()), True)
    """
    if isinstance(node.symbol, int) and node.symbol >= 0:
        return Node(-node.symbol)
    return Node("mul", (Node(-1), node))


def is_negated(node: Node) -> bool:
    """Whether the node is minus something that is not itself an integer literal."""
    return (
        node.symbol == "mul" and node.arguments[0].symbol == -1 and not node.arguments[1].is_integer
    )


def leading_factor(node: Node) -> Node:
    """The leftmost factor of a product or quotient, the one that a sign in front would touch."""
    while node.symbol in ("mul", "div") and not is_negated(node):
        node = node.arguments[0]
    return node


def is_literal(node: Node) -> bool:
    """Whether the node is a non-negative integer, or a fraction of one by an integer."""
    if node.symbol == "div":
        return all(argument.is_integer for argument in node.arguments) and is_literal(
            node.arguments[0]
        )
    return isinstance(node.symbol, int) and node.symbol >= 0


def negative_literal(node: Node) -> Node:
    """Minus a literal, the sign taken into its number."""
    if node.symbol == "div":
        return Node("div", (negative_literal(node.arguments[0]), node.arguments[1]))
    return negate(node)
