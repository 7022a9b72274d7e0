"""The bridge: trees become SymPy objects and come back meaning the same."""

from __future__ import annotations

import random

import pytest
import sympy

from equivec.algebra.compare import PAPER_JUDGE, Relation, compare
from equivec.algebra.points import Domain
from equivec.algebra.sympy_bridge import from_sympy, to_sympy
from equivec.errors import ConversionError
from equivec.expression.grammar import BOOLEAN, POLYNOMIAL
from equivec.expression.infix import parse_infix, write_infix
from equivec.expression.tree import Node
from support.trees import random_tree

x = sympy.Symbol("x", positive=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x + x", 2 * x),
        ("sin(x)**2", sympy.sin(x) ** 2),
        ("1/2", sympy.Rational(1, 2)),
        ("sqrt(x)*pi", sympy.pi * sympy.sqrt(x)),
        ("log(e)", sympy.Integer(1)),
        ("abs(x)", x),
    ],
)
def test_a_tree_becomes_the_sympy_object(text: str, expected: sympy.Expr) -> None:
    assert to_sympy(parse_infix(text)) == expected


def test_the_domain_decides_what_sympy_may_assume() -> None:
    assert to_sympy(parse_infix("sqrt(x**2)"), Domain.REAL) == sympy.Abs(
        sympy.Symbol("x", real=True)
    )


def test_random_trees_come_back_meaning_the_same() -> None:
    generator = random.Random(21)
    compared = 0
    while compared < 300:
        tree = random_tree(generator, depth=3)
        try:
            back = from_sympy(to_sympy(tree))
        except ConversionError:
            continue  # complex or infinite constants, which SymPy makes of undefined ones
        compared += 1
        allowed = (Relation.EQUAL, Relation.EQUAL_ON_COMMON_DOMAIN, Relation.UNKNOWN)
        assert compare(tree, back, PAPER_JUDGE).relation in allowed, write_infix(tree)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        (sympy.gamma(x), "SymPy's gamma has no counterpart in the elementary grammar"),
        (sympy.I * x, "SymPy's ImaginaryUnit has no counterpart in the elementary grammar"),
        (sympy.oo, "SymPy's Infinity has no counterpart in the elementary grammar"),
        (sympy.Symbol("theta"), "the symbol 'theta' is not a variable of this grammar"),
        (sympy.Integral(x, x), "SymPy's Integral has no counterpart in the elementary grammar"),
        (sympy.Eq(x, 1), "SymPy's Equality has no counterpart in the elementary grammar"),
    ],
)
def test_what_has_no_counterpart_is_named(expression: sympy.Basic, message: str) -> None:
    with pytest.raises(ConversionError) as caught:
        from_sympy(expression)
    assert str(caught.value) == message


def test_powers_that_would_fill_the_memory_are_refused() -> None:
    with pytest.raises(ConversionError, match="is too large for SymPy to write out"):
        to_sympy(Node("pow", (Node(9), Node(10**9))))


def test_boolean_trees_come_back() -> None:
    a, b = sympy.symbols("a b")
    tree = parse_infix("(a & ~b) | (a >> b)", BOOLEAN)
    assert to_sympy(tree) == sympy.Or(sympy.And(a, ~b), sympy.Implies(a, b))
    back = from_sympy(sympy.Xor(a, b), BOOLEAN)
    assert back in (parse_infix("a ^ b", BOOLEAN), parse_infix("b ^ a", BOOLEAN))


def test_polynomials_become_sums_and_products() -> None:
    a, b = sympy.symbols("a b", positive=True)
    assert to_sympy(parse_infix("(a - b)*b", POLYNOMIAL)) == (a - b) * b
