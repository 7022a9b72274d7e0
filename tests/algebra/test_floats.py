"""Evaluation in float64: the same numbers as one expression at a time, and real semantics."""

from __future__ import annotations

import random

import numpy as np
import pytest

from equivec.algebra.balls import BALL_FUNCTIONS, BallEvaluator, Outcome
from equivec.algebra.compare import compare
from equivec.algebra.floats import FLOAT_FUNCTIONS, evaluate_at
from equivec.algebra.points import Points, sample_points
from equivec.algebra.program import Program
from equivec.errors import ConversionError
from equivec.expression.grammar import ELEMENTARY
from equivec.expression.text import parse
from equivec.expression.tree import Node
from support.trees import random_tree


def at(text: str, **values: float) -> float:
    points = Points({name: np.array([value]) for name, value in values.items()}, 1)
    return float(evaluate_at([parse(text)], points).numbers[0, 0])


def test_every_operator_of_the_grammar_has_its_numbers() -> None:
    operators = {row.name for row in ELEMENTARY.symbols if row.arity}
    assert operators <= set(FLOAT_FUNCTIONS)
    assert operators <= {*BALL_FUNCTIONS, "pow"}


@pytest.mark.parametrize(
    ("text", "x", "value"),
    [
        ("2*x + 1", 3.0, 7.0),
        ("x**2 - x/4", 2.0, 3.5),
        ("sqrt(x)", 9.0, 3.0),
        ("log(exp(x))", 1.5, 1.5),
        ("acot(x)", 1.0, np.pi / 4),
        ("asec(x)", 2.0, np.pi / 3),
        ("acsch(x)", 1.0, np.arcsinh(1.0)),
        ("sign(x)*abs(x)", -2.0, -2.0),
    ],
)
def test_a_case_worked_by_hand(text: str, x: float, value: float) -> None:
    assert at(text, x=x) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(
    "text",
    [
        "sqrt(-x)",
        "log(-x)",
        "asin(x + 1)",
        "acosh(x/2)",
        "atanh(x + 1)",
        "(-x)**(1/3)",
        "(-x)**x",
        "0*sqrt(-x)",
        "sqrt(-x)**0",
        "1**sqrt(-x)",
        "asech(x + 1)",
    ],
)
def test_an_undefined_subterm_makes_the_whole_undefined(text: str) -> None:
    assert np.isnan(at(text, x=1.5))


@pytest.mark.parametrize("text", ["exp(exp(9*x))", "exp(-exp(9*x))", "sin(exp(30*x))", "1/(x - x)"])
def test_what_float64_cannot_tell_is_not_known(text: str) -> None:
    points = Points({"x": np.array([1.5])}, 1)
    assert not evaluate_at([parse(text)], points).known[0, 0]


def test_a_batch_gives_the_numbers_of_its_members_alone() -> None:
    generator = random.Random(5)
    trees = [random_tree(generator) for _ in range(200)]
    points = sample_points(ELEMENTARY.variables)
    together = evaluate_at(trees, points)
    for row, tree in enumerate(trees):
        alone = evaluate_at([tree], points)
        np.testing.assert_array_equal(together.numbers[row], alone.numbers[0])
        np.testing.assert_array_equal(together.known[row], alone.known[0])


def test_known_numbers_lie_in_their_balls_or_near() -> None:
    """Float64 and balls agree on value and domain wherever float64 is well conditioned."""
    generator = random.Random(11)
    points = Points({name: np.array([0.7 + 0.1 * i]) for i, name in enumerate("xyztuvw")}, 1)
    checked = 0
    for symbol in (row for row in ELEMENTARY.symbols if row.arity):
        for _ in range(20):
            leaves = [Node(generator.choice("xyztuvw")) for _ in range(symbol.arity)]
            scaled = tuple(Node("mul", (Node(generator.choice([-2, -1, 1, 2])), u)) for u in leaves)
            tree = Node(symbol.name, scaled)
            program, (root,) = Program.of([tree])
            ball = BallEvaluator(program, points.at(0), 128).value(root)
            number = evaluate_at([tree], points).numbers[0, 0]
            if isinstance(ball, Outcome):
                assert ball is Outcome.UNDEFINED
                assert np.isnan(number), tree
            else:
                assert float(ball) == pytest.approx(number, rel=1e-12), tree
                checked += 1
    assert checked > 300


def test_a_symbol_without_numbers_is_named() -> None:
    with pytest.raises(ConversionError, match="'and' has no numeric value"):
        evaluate_at([Node("and", (Node("a"), Node("b")))], sample_points("ab"))


@pytest.mark.parametrize(
    ("tree", "problem"),
    [
        (Node("y"), "the points have no values for the variable 'y'"),
        (Node("true"), "'true' has no numeric value"),
        (Node("add", (Node("x"),)), "'add' cannot be evaluated with 1 argument"),
        (Node("sin", (Node("x"), Node("x"))), "'sin' cannot be evaluated with 2 arguments"),
    ],
)
def test_a_tree_that_has_no_numbers_here_is_refused(tree: Node, problem: str) -> None:
    with pytest.raises(ConversionError, match=f"^{problem}$"):
        evaluate_at([tree], sample_points("x"))


def test_the_judge_refuses_such_trees_too() -> None:
    for tree in (Node("true"), Node("add", (Node("x"),))):
        with pytest.raises(ConversionError, match=str(tree.symbol)):
            compare(tree, Node("x"))
    with pytest.raises(ConversionError, match="'true' has no numeric value"):
        compare(Node("true"), Node("false"))


def test_shared_subterms_are_computed_once() -> None:
    program, _ = Program.of([parse("sin(x)*sin(x)"), parse("sin(x) + 1"), parse("x")])
    assert len(program.operations) == 5
