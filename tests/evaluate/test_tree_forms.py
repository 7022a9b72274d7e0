"""The forms that trees are compared in: the order of arguments, and the rule on constants."""

from __future__ import annotations

import random

import pytest
from hypothesis import given

from equivec.evaluate.tree_edit_distance import tree_edit_distance
from equivec.evaluate.tree_forms import FORMS, without_constants, without_outer_constants
from equivec.expression.order import in_order
from equivec.expression.text import parse, write
from equivec.expression.tree import Node
from support.trees import random_tree, trees


def shuffled(tree: Node, generator: random.Random) -> Node:
    """The tree with the two arguments of sums and products swapped at random."""
    arguments = [shuffled(argument, generator) for argument in tree.arguments]
    if tree.symbol in ("add", "mul") and generator.random() < 0.5:
        arguments.reverse()
    return Node(tree.symbol, tuple(arguments))


@given(trees())
def test_the_order_of_commutative_arguments_does_not_matter(tree: Node) -> None:
    assert in_order(shuffled(tree, random.Random(1))) == in_order(tree)


@given(trees())
def test_order_loses_no_node_and_is_reached_in_one_step(tree: Node) -> None:
    ordered = in_order(tree)
    assert sorted(str(node.symbol) for node in ordered.walk()) == sorted(
        str(node.symbol) for node in tree.walk()
    )
    assert in_order(ordered) == ordered


@pytest.mark.parametrize("pair", ["x/2 2/x", "x**3 3**x", "(x+1)/x x/(x+1)"], ids=str)
@pytest.mark.parametrize("form", ["raw", "without outer constants"], ids=str)
def test_arguments_of_other_operators_keep_their_places(pair: str, form: str) -> None:
    left, right = (FORMS[form](parse(text)) for text in pair.split())
    assert tree_edit_distance(left, right) > 0


def test_a_quotient_and_its_reciprocal_are_apart_without_constants_too() -> None:
    left, right = (without_constants(parse(text)) for text in ("x/2", "2/x"))
    assert (write(left), write(right)) == ("x", "1/x")


@pytest.mark.parametrize(
    ("text", "everywhere", "outside"),
    [
        ("2*sin(x) + 1", "sin(x)", "sin(x)"),
        ("sin(x)", "sin(x)", "sin(x)"),
        ("cos(1)*sin(x) - cos(log(1))", "sin(x)", "sin(x)"),
        ("-sin(x)", "sin(x)", "sin(x)"),
        ("sqrt(2) + 3*(5 + sin(x)/7)", "sin(x)", "sin(x)"),
        ("sin(3*x + 1)", "sin(x)", "sin(3*x + 1)"),
        ("4*x**2*cos(3*x - 1)", "x**2*cos(x)", "x**2*cos(3*x - 1)"),
        ("2*x + 3*sin(x) + 1", "x + sin(x)", "2*x + 3*sin(x)"),
        ("2*(x + sin(x)) + cos(x)", "x + sin(x) + cos(x)", "2*(x + sin(x)) + cos(x)"),
        ("5/(2*x + 1)", "1/x", "1/(2*x + 1)"),
        ("(2*x)**3 + 2**x", "x**3 + 2**x", "(2*x)**3 + 2**x"),
        ("exp(x + sin(2)) * 3", "exp(x)", "exp(x + sin(2))"),
        ("2*x/(x + 1)", "x/x", "x/(x + 1)"),
        ("x/(3*(x + 1)) - 2", "x/x", "x/(x + 1)"),
        ("-sin(x)/(pi*x) + 1", "sin(x)/x", "sin(x)/x"),
        ("x*(sin(x)/3)", "x*sin(x)", "x*sin(x)"),
        ("2/(3/x)", "1/(1/x)", "1/(1/x)"),
        ("cos(1) + 3", "1", "1"),
        ("7", "1", "1"),
    ],
    ids=lambda text: str(text),
)
def test_the_rule_on_constants(text: str, everywhere: str, outside: str) -> None:
    tree = parse(text)
    assert write(without_constants(tree)) == everywhere
    assert write(without_outer_constants(tree)) == outside


@pytest.mark.parametrize("wrapper", ["sin", "quotient", "product"], ids=str)
def test_a_times_f_plus_b_is_f_for_random_f_and_constants(wrapper: str) -> None:
    generator = random.Random(5)
    for _ in range(300):
        f = Node("sin", (Node("add", (Node("x"), random_tree(generator))),))
        a, b, c = (constant(generator) for _ in range(3))
        inside, scaled = {
            "sin": (f, Node("mul", (a, f))),
            "quotient": (
                Node("div", (f, Node("x"))),
                Node("div", (Node("mul", (a, f)), Node("mul", (Node("x"), c)))),
            ),
            "product": (Node("mul", (Node("x"), f)), Node("mul", (Node("x"), Node("div", (f, a))))),
        }[wrapper]
        shifted = Node("add", (scaled, b))
        for form in ("without constants", "without outer constants"):
            assert FORMS[form](shifted) == FORMS[form](inside), write(shifted)


def constant(generator: random.Random) -> Node:
    while True:
        tree = random_tree(generator, depth=3)
        if not tree.variables:
            return tree


@given(trees())
def test_dropping_constants_is_reached_in_one_step(tree: Node) -> None:
    for form in FORMS.values():
        assert form(form(tree)) == form(tree)
