"""Random trees of any grammar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from equivec.errors import LimitError
from equivec.expression.grammar import ELEMENTARY, Grammar
from equivec.expression.limits import DEFAULT_LIMITS, check_tree
from equivec.expression.tree import Node

if TYPE_CHECKING:
    import random

_NUMBERS = (0, 1, 2, 3, 4, 5, 7, 10, 12, 100, -1, -2, -3, -10)


def random_tree(generator: random.Random, grammar: Grammar = ELEMENTARY, depth: int = 4) -> Node:
    """A tree of at most the given depth that no limit refuses."""
    while True:
        tree = _random_tree(generator, grammar, depth)
        if is_within_limits(tree):
            return tree


def is_within_limits(tree: Node) -> bool:
    """Whether the parsers accept such a tree."""
    try:
        check_tree(tree, DEFAULT_LIMITS)
    except LimitError:
        return False
    return True


def _random_tree(generator: random.Random, grammar: Grammar, depth: int) -> Node:
    """Binary symbols come up as often as unary ones."""
    if depth <= 1 or generator.random() < 0.15:
        return _random_leaf(generator, grammar)
    arity = generator.choice([row.arity for row in grammar.symbols if row.arity])
    if generator.random() < 0.5:
        arity = 2
    rows = [row for row in grammar.symbols if row.arity == arity]
    arguments = tuple(_random_tree(generator, grammar, depth - 1) for _ in range(arity))
    return Node(generator.choice(rows).name, arguments)


def _random_leaf(generator: random.Random, grammar: Grammar) -> Node:
    if grammar.has_integers and generator.random() < 0.5:
        return Node(generator.choice(_NUMBERS))
    return Node(generator.choice([row.name for row in grammar.symbols if not row.arity]))


def trees(grammar: Grammar = ELEMENTARY, max_leaves: int = 12) -> st.SearchStrategy[Node]:
    """Trees of a grammar that no limit refuses."""
    names = st.sampled_from([row.name for row in grammar.symbols if not row.arity]).map(Node)
    integers = st.integers(-(10**12), 10**12).map(Node)
    leaves = st.one_of(names, integers) if grammar.has_integers else names
    every = st.recursive(leaves, lambda inner: _nodes(grammar, inner), max_leaves=max_leaves)
    return every.filter(is_within_limits)


def _nodes(grammar: Grammar, inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    by_arity = {
        arity: [row.name for row in grammar.symbols if row.arity == arity] for arity in (1, 2)
    }
    return st.one_of(
        st.builds(Node, st.sampled_from(names), st.tuples(*[inner] * arity))
        for arity, names in by_arity.items()
        if names
    )
