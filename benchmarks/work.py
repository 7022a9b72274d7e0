"""Seeded random expressions for the benchmarks to work on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import sympy

from equivec import ELEMENTARY, ConversionError, Node, evaluate, sample_points, to_sympy

if TYPE_CHECKING:
    import random

_FUNCTIONS = tuple(symbol.name for symbol in ELEMENTARY.symbols if symbol.arity == 1)
_OPERATORS = ("add", "add", "add", "mul", "mul", "mul", "div", "div", "pow")
_EXPONENTS = (
    *(Node(number) for number in (2, 2, 3, 4, -1, -2)),
    *(Node("div", (Node(number), Node(2))) for number in (1, 3, -1)),
)
_INTEGERS = (1, 2, 3, 4, 5, 7, 10, -1, -2, -3)
_NUMERATORS, _DENOMINATORS = (1, 2, 3, -1, 5), (2, 3, 4, 7)
_FEWEST, _MOST = 2, 6
# The share of the sampled points at which an expression has to have a value.
_DEFINED = 0.25
_BATCH = 200


def sample_trees(generator: random.Random, count: int) -> list[Node]:
    """Different expressions in x, each with a value at a good part of the points.

    >>> import random
    >>> from equivec import write_infix
    >>> [write_infix(tree) for tree in sample_trees(random.Random(1), 2)]
    ['acsc(x) + x*(-1/7)', 'asec(sqrt(10 - 2) + cosh(5/3)) + x']
    """
    found: dict[Node, None] = {}
    while len(found) < count:
        found.update(dict.fromkeys(_defined_trees(generator)))
    return list(found)[:count]


def sample_sympy(generator: random.Random, count: int) -> list[tuple[Node, Any]]:
    """Expressions with their SymPy objects, which are real and still have an x in them."""
    pairs: list[tuple[Node, Any]] = []
    while len(pairs) < count:
        for tree in sample_trees(generator, _BATCH):
            expression = as_sympy(tree)
            if expression is not None:
                pairs.append((tree, expression))
    return pairs[:count]


def as_sympy(tree: Node) -> Any | None:
    """The SymPy object of a tree, unless SymPy's own simplifying leaves the real functions of x."""
    try:
        expression = to_sympy(tree)
    # SymPy divides by 0 on its own: sech(csch(log(tanh(10))) + x*x).
    except (ConversionError, ArithmeticError):
        return None
    is_real = not expression.has(sympy.I, sympy.zoo, sympy.nan, sympy.oo)
    return expression if is_real and expression.free_symbols else None


def _defined_trees(generator: random.Random) -> list[Node]:
    points = sample_points(["x"])
    trees = [_tree(generator, generator.randint(_FEWEST, _MOST)) for _ in range(_BATCH)]
    trees = [tree for tree in trees if tree.variables]
    values = evaluate(trees, points)
    shares = (values.known & ~np.isnan(values.numbers)).mean(axis=1)
    return [tree for tree, share in zip(trees, shares, strict=True) if share >= _DEFINED]


def _tree(generator: random.Random, operators: int) -> Node:
    """A tree with so many operators; functions come up as often as arithmetic."""
    if operators == 0:
        return _leaf(generator)
    if generator.random() < 0.5:
        return Node(generator.choice(_FUNCTIONS), (_tree(generator, operators - 1),))
    name = generator.choice(_OPERATORS)
    if name == "pow":
        return Node(name, (_tree(generator, operators - 1), generator.choice(_EXPONENTS)))
    first = generator.randrange(operators)
    return Node(name, (_tree(generator, first), _tree(generator, operators - 1 - first)))


def _leaf(generator: random.Random) -> Node:
    kind = generator.random()
    if kind < 0.6:
        return Node("x")
    if kind < 0.85:
        return Node(generator.choice(_INTEGERS))
    if kind < 0.95:
        numerator, denominator = generator.choice(_NUMERATORS), generator.choice(_DENOMINATORS)
        return Node("div", (Node(numerator), Node(denominator)))
    return Node(generator.choice(("pi", "E")))
