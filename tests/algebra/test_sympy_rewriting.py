"""SymPy's forms: the paper's functions, each failure named, nothing a parser would refuse."""

from __future__ import annotations

import pytest

from equivec.algebra.compare import PAPER_JUDGE, compare
from equivec.algebra.sympy_bridge import to_sympy
from equivec.algebra.sympy_rewriting import _applicable, sympy_variants
from equivec.expression.prefix import parse_prefix, write_prefix
from equivec.expression.text import parse


def variants(text: str, *, with_slow_functions: bool = False) -> dict[str, str]:
    found = sympy_variants(write_prefix(parse(text)), with_slow_functions)
    return {variant.function: variant.text or variant.problem for variant in found}


@pytest.mark.parametrize(
    ("text", "function", "form"),
    [
        ("(x + 1)**2", "expand", "x**2 + 2*x + 1"),
        ("x**2 + 5*x + 6", "factor", "(x + 2)*(x + 3)"),
        ("1/(x + 1) + 1/(x + 2)", "cancel", "(2*x + 3)/(x**2 + 3*x + 2)"),
        ("log(x**2)", "expand", "2*log(x)"),
        ("log(x) + log(2)", "logcombine", "log(2*x)"),
        ("sinh(x)", "rewrite tanh", "2*tanh(x/2)/(1 - tanh(x/2)**2)"),
        ("sin(x)**2 + cos(x)**2 + x", "simplify", "x + 1"),
    ],
)
def test_the_functions_of_the_paper_are_applied(text: str, function: str, form: str) -> None:
    found = variants(text, with_slow_functions=True)
    tree = parse_prefix(found[function])
    assert to_sympy(tree) == to_sympy(parse(form))
    assert compare(tree, text, PAPER_JUDGE).is_equal


def test_slow_functions_are_left_out_when_not_wanted() -> None:
    assert "simplify" not in variants("sin(x)**2 + cos(x)**2 + x")


def test_what_is_complex_or_infinite_is_named() -> None:
    assert variants("sin(x)")["rewrite exp"] == "not in the grammar"
    assert variants("x/(2 - 2)") == {"to_sympy": "undefined"}


def test_a_form_too_long_to_be_read_is_named() -> None:
    """A build once ended on a sum of seven thousand digits that SymPy had written out."""
    assert variants("(x + 999999)**99")["expand"] == "too long"


@pytest.mark.parametrize(
    ("text", "function", "form"),
    [
        ("1/(x*(x + 1))", "apart", "1/x - 1/(1 + x)"),
        ("sin(3*x)", "expand_trig", "3*sin(x) - 4*sin(x)**3"),
        ("cos(3*x)*cos(2*x)", "product to sum", "(cos(x) + cos(5*x))/2"),
        ("x*sqrt(7 + 4*sqrt(3))", "sqrtdenest", "x*(2 + sqrt(3))"),
    ],
)
def test_what_people_do_with_fractions_waves_and_roots(text: str, function: str, form: str) -> None:
    found = sympy_variants(write_prefix(parse(text)), False, True)
    texts = [variant.text for variant in found if variant.function == function]
    assert texts, [variant.function for variant in found]
    assert compare(parse_prefix(texts[0]), parse(form)).is_equal
    assert texts[0] != write_prefix(parse(text))


def test_a_function_that_two_tables_have_is_applied_once() -> None:
    names = [name for name, _ in _applicable(to_sympy(parse("sin(x)")), True, True)]
    assert "trigsimp" in names
    assert len(names) == len(set(names))
