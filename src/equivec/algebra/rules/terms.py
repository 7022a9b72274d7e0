"""Terms: trees as plain tuples, the form in which rules match and build them quickly.

A term is an integer, the name of a leaf, or a tuple of a symbol and its arguments.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeAlias

from equivec.expression.tree import Node

Term: TypeAlias = int | str | tuple[Any, ...]

COMMUTATIVE = frozenset(("add", "mul"))


def to_tuple(tree: Node) -> Term:
    """The term of a tree.

    >>> to_tuple(Node("add", (Node("x"), Node(1))))
    ('add', 'x', 1)
    """
    if tree.is_leaf:
        return tree.symbol
    return (tree.symbol, *map(to_tuple, tree.arguments))


def from_tuple(term: Term) -> Node:
    """The tree of a term.

    >>> from_tuple(("sin", "x")) == Node("sin", (Node("x"),))
    True
    """
    if type(term) is not tuple:
        return _leaf(term)
    if len(term) == 2:
        return Node(term[0], (from_tuple(term[1]),))
    return Node(term[0], (from_tuple(term[1]), from_tuple(term[2])))


# The same few leaves stand in all terms.
_leaf = lru_cache(maxsize=4096)(Node)


def measure(term: Term) -> tuple[int, int]:
    """How many operators a term has, and how many tokens its prefix form.

    >>> measure(("add", "x", -12))
    (1, 5)
    """
    operators = tokens = 0
    stack = [term]
    while stack:
        part = stack.pop()
        if type(part) is tuple:
            operators += 1
            stack.extend(part[1:])
        elif type(part) is int:
            tokens += len(str(abs(part)))
        tokens += 1
    return operators, tokens


def operands(symbol: str, term: Term) -> list[Term]:
    """The terms that a chain of one commutative operator joins, from left to right.

    >>> operands("add", ("add", ("add", "x", 1), ("mul", 2, "x")))
    ['x', 1, ('mul', 2, 'x')]
    """
    found: list[Term] = []
    stack = [term]
    while stack:
        part = stack.pop()
        if type(part) is tuple and part[0] == symbol:
            stack.extend(part[:0:-1])
        else:
            found.append(part)
    return found


def canonical_key(term: Term) -> str:
    """A text that is the same for terms that differ only in the order of sums and products.

    >>> canonical_key(("add", ("mul", 2, "x"), 1)) == canonical_key(("add", 1, ("mul", "x", 2)))
    True
    """
    if type(term) is not tuple:
        return str(term)
    symbol = term[0]
    if symbol in COMMUTATIVE:
        parts = sorted([canonical_key(part) for part in operands(symbol, term)])
    else:
        parts = [canonical_key(part) for part in term[1:]]
    return f"{symbol}({','.join(parts)})"
