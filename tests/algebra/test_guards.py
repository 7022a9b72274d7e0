"""Laws of the guards: whatever they promise of a term holds where the term is evaluated."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from equivec.algebra.balls import BallEvaluator, Outcome
from equivec.algebra.compare import Relation, compare_many
from equivec.algebra.floats import evaluate_at
from equivec.algebra.guards import (
    exceeds_one,
    is_constant,
    is_even,
    is_integer,
    is_natural,
    is_nonnegative,
    is_nonzero,
    is_odd,
    is_positive,
    is_total,
    is_within_one,
    signs,
    varies,
)
from equivec.algebra.points import sample_points
from equivec.algebra.program import Program
from equivec.algebra.rules.terms import from_tuple, to_tuple
from equivec.expression.infix import write_infix
from equivec.expression.text import parse
from equivec.expression.tree import Node

POINTS = sample_points(["x", "y"])

_FUNCTIONS = (
    "sqrt abs ln exp sin cos tan cot sec csc asin acos atan acot asec acsc sinh cosh tanh coth "
    "sech csch asinh acosh atanh acoth asech acsch sign"
).split()


def tree(random, operators):
    if operators == 0:
        return random.choice(("x", "x", "x", "y", 1, 2, 3, -1, -2, 0, "pi", "E"))
    if random.random() < 0.5:
        return (random.choice(_FUNCTIONS), tree(random, operators - 1))
    symbol = random.choice(("add", "add", "mul", "div", "pow", "pow"))
    left = random.randrange(operators)
    if symbol == "pow" and random.random() < 0.7:
        return ("pow", tree(random, operators - 1), random.choice((2, 3, 4, -1, -2, ("div", 1, 2))))
    return (symbol, tree(random, left), tree(random, operators - 1 - left))


@pytest.fixture(scope="module")
def terms():
    random = Random(4)
    found = [tree(random, random.randrange(1, 5)) for _ in range(20_000)]
    return list(dict.fromkeys(found))


# What a promise means for a value, which is NaN where the term is undefined.
PROMISES = {
    is_positive: lambda value: np.isnan(value) | (value > 0),
    is_nonnegative: lambda value: np.isnan(value) | (value >= 0),
    exceeds_one: lambda value: np.isnan(value) | (value > 1),
    is_within_one: lambda value: np.isnan(value) | (abs(value) <= 1),
    is_total: lambda value: ~np.isnan(value),
}


@pytest.mark.parametrize("guard", PROMISES, ids=lambda guard: guard.__name__)
def test_what_a_guard_promises_holds(guard, terms):
    promised = [from_tuple(term) for term in terms if guard(term)]
    assert len(promised) > 300
    for start in range(0, len(promised), 500):
        chunk = promised[start : start + 500]
        values = evaluate_at(chunk, POINTS)
        broken = values.known & ~PROMISES[guard](values.numbers)
        for row, column in zip(*np.nonzero(broken), strict=True):
            value = exact_value(chunk[row], POINTS.at(int(column)))
            is_kept = value is None or PROMISES[guard](value)
            assert is_kept, f"{write_infix(chunk[row])} is {value} at {POINTS.at(int(column))}"


def exact_value(term, point):
    """The value by balls, which do not round tanh(40) to 1; None where they cannot tell."""
    program, (root,) = Program.of([term])
    value = BallEvaluator(program, point, 512).value(root)
    if isinstance(value, Outcome):
        return np.float64("nan") if value is Outcome.UNDEFINED else None
    # A number next to a border may round onto it: only its side counts.
    sides = [side for side in (-1, 0, 1) if value > side]
    return None if any(value.contains(side) for side in (-1, 0, 1)) else _BETWEEN[len(sides)]


_BETWEEN = [np.float64(value) for value in (-1.5, -0.5, 0.5, 1.5)]


def test_what_is_nonzero_is_not_zero(terms):
    promised = [from_tuple(term) for term in terms if is_nonzero(term)]
    assert len(promised) > 3000
    for term, verdict in zip(
        promised, compare_many([(term, Node(0)) for term in promised[:3000]]), strict=False
    ):
        assert verdict.relation is not Relation.EQUAL, write_infix(term)


def test_what_varies_is_not_constant(terms):
    """A term in x that equals itself at a shifted x for all x is a constant."""
    shift = {"x": parse("x + sqrt(2)/7"), "y": parse("y + sqrt(3)/7")}
    promised = [from_tuple(term) for term in terms if varies(term)][:3000]
    assert len(promised) == 3000
    pairs = [(term, _substitute(term, shift)) for term in promised]
    for (term, _), verdict in zip(pairs, compare_many(pairs), strict=True):
        assert verdict.relation is not Relation.EQUAL, write_infix(term)


def _substitute(node, replacements):
    if node.is_leaf:
        return replacements.get(node.symbol, node)
    arguments = tuple(_substitute(argument, replacements) for argument in node.arguments)
    return Node(node.symbol, arguments)


@pytest.mark.parametrize(
    ("guard", "yes", "no"),
    [
        (is_positive, ["x", "x + 1", "exp(-x)", "x*y/3", "log(x + 2)"], ["x - 1", "sin(x)", "0"]),
        (is_nonnegative, ["sin(x)^2", "abs(x - 1)", "1 - cos(x)", "acos(x)"], ["sin(x)", "-x"]),
        (is_nonzero, ["x", "sin(x)", "x - 1", "-3", "x^2 + x"], ["x - x", "0", "sin(pi)"]),
        (is_total, ["x", "tan(x)", "1/(x - 1)", "sqrt(x)"], ["log(x - 1)", "asin(x)", "tan(pi/2)"]),
        (exceeds_one, ["x + 1", "cosh(x)", "exp(x)", "2", "pi"], ["x", "1", "cos(x)"]),
        (is_within_one, ["sin(x)", "1/2", "tanh(x)^2", "exp(-x)"], ["x", "2"]),
        (varies, ["x", "2*x + 1", "exp(x) + x"], ["3", "x - x", "sign(x)", "x/x", "0*x"]),
        (is_constant, ["pi", "sin(2)"], ["x", "x*0"]),
        (is_integer, ["3", "-3"], ["1/2", "x"]),
        (is_natural, ["3"], ["0", "-3", "x"]),
        (is_even, ["4", "-2", "0"], ["3", "x"]),
        (is_odd, ["3", "-1"], ["4", "x"]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_guards_on_small_cases(guard, yes, no):
    assert [text for text in yes if not guard(to_tuple(parse(text)))] == []
    assert [text for text in no if guard(to_tuple(parse(text)))] == []


def test_signs_of_sums_are_those_of_their_terms():
    assert signs(to_tuple(parse("x + y"))) == 4
    assert signs(to_tuple(parse("-x - y"))) == 1
    assert signs(to_tuple(parse("x - y"))) == 7
