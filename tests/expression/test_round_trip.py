"""What is written is read back as the same tree, in every format and grammar."""

from __future__ import annotations

import random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from equivec.expression.grammar import GRAMMARS, Grammar
from equivec.expression.limits import DEFAULT_LIMITS
from equivec.expression.prefix import parse_tokens, write_tokens
from equivec.expression.text import PARSERS, WRITERS, parse, write
from equivec.expression.tree import Node
from support.trees import random_tree, trees


def is_lone_constant(tree: Node, format: str) -> bool:
    """Whether nothing in the text shows that it is prefix, where infix writes a name otherwise."""
    return format == "prefix" and tree.symbol in ("E", "true", "false")


formats = pytest.mark.parametrize("format", PARSERS)
grammars = pytest.mark.parametrize("grammar", GRAMMARS.values(), ids=lambda g: g.name)


@formats
@grammars
@given(data=st.data())
def test_reading_what_was_written_gives_the_tree_back(
    format: str, grammar: Grammar, data: st.DataObject
) -> None:
    tree = data.draw(trees(grammar))
    text = write(tree, format, grammar)
    assert parse(text, format, grammar) == tree, text


@formats
@grammars
def test_thousands_of_random_trees_come_back(format: str, grammar: Grammar) -> None:
    generator = random.Random(f"{format} {grammar.name}")
    for _ in range(3_000):
        tree = random_tree(generator, grammar, depth=generator.randint(1, 6))
        text = write(tree, format, grammar)
        assert parse(text, format, grammar) == tree, text


@grammars
@given(data=st.data())
def test_tokens_come_back(grammar: Grammar, data: st.DataObject) -> None:
    tree = data.draw(trees(grammar))
    assert parse_tokens(write_tokens(tree), grammar) == tree


@formats
@grammars
@given(data=st.data())
def test_our_own_texts_are_read_without_naming_their_format(
    format: str, grammar: Grammar, data: st.DataObject
) -> None:
    tree = data.draw(trees(grammar))
    text = write(tree, format, grammar)
    assume(not is_lone_constant(tree, format))
    assert parse(text, grammar=grammar) == tree, text


@formats
@grammars
def test_thousands_of_our_own_texts_are_read_without_naming_their_format(
    format: str, grammar: Grammar
) -> None:
    generator = random.Random(f"auto {format} {grammar.name}")
    for _ in range(3_000):
        tree = random_tree(generator, grammar, depth=generator.randint(1, 4))
        text = write(tree, format, grammar)
        assert is_lone_constant(tree, format) or parse(text, grammar=grammar) == tree, text


@pytest.mark.parametrize("format", ["infix", "latex"])
def test_products_of_letters_are_read_without_naming_their_format(format: str) -> None:
    """A product in LaTeX needs no sign and no command, so that nothing else shows its format."""
    for text in ("x*y", "2*x*y", "-(x*y)", "-x*y", "x - 3*y*z", "x*e", "d*x", "x*(-y)", "n*(x*y)"):
        tree = parse(text, "infix")
        assert parse(write(tree, format)) == tree, write(tree, format)


@formats
@grammars
def test_the_deepest_trees_come_back(format: str, grammar: Grammar) -> None:
    unary = next((row.name for row in grammar.symbols if row.arity == 1), None)
    tree = Node(grammar.variables[0])
    while tree.depth < 60:
        leaf = Node(grammar.variables[0])
        tree = Node(grammar.symbols[0].name, (leaf, tree))
        tree = tree if unary is None else Node(unary, (tree,))
    assert parse(write(tree, format, grammar), format, grammar) == tree


def test_a_tree_at_the_limit_of_depth_is_written_in_every_format() -> None:
    tree = Node("x")
    while tree.depth < DEFAULT_LIMITS.depth:
        tree = Node("add", (tree, Node("x")))
    assert all(write(tree, name) for name in WRITERS)
    assert parse(write(tree, "infix"), "infix") == tree
