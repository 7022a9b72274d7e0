r"""What has two readings is refused in infix and in LaTeX, with both of them named."""

from __future__ import annotations

import re

import pytest

from equivec.errors import ParseError
from equivec.expression.infix import write_infix
from equivec.expression.readings import UNREAD_LATEX
from equivec.expression.text import PARSERS, parse, write


def refusal(text: str, format: str = "auto") -> tuple[int, str]:
    """The column, counted from 1, and the sentence with which a text is refused."""
    with pytest.raises(ParseError) as caught:
        parse(text, format)
    assert caught.value.column is not None
    return caught.value.column + 1, caught.value.problem


@pytest.mark.parametrize(
    ("text", "column", "name"),
    [
        ("y(3)", 1, "y"),
        ("p(-n)", 1, "p"),
        ("x(t)", 1, "x"),
        ("1 - p(a)", 5, "p"),
        ("n*d(n)", 3, "d"),
        ("2x(t)", 2, "x"),
        ("u(2t)", 1, "u"),
        ("p(x^2)", 1, "p"),
        ("p(x)^2", 1, "p"),
        ("a(-n)^k", 1, "a"),
        ("n((a+b)/2)", 1, "n"),
        ("p(x, y)", 1, "p"),
        ("p(p(x))", 1, "p"),
        ("e(x)", 1, "e"),
    ],
)
def test_a_name_before_a_bracket_that_no_product_needs_may_be_a_function(
    text: str, column: int, name: str
) -> None:
    for kind in ("auto", "infix", "latex"):
        where, problem = refusal(text, kind)
        assert where == column
        assert problem.startswith(f"is '{name}(...)' a product or the value of a function?")


@pytest.mark.parametrize(
    ("text", "column", "name"),
    [
        (r"\pi(n)", 1, r"\pi"),
        (r"c^{-1}(x)", 1, "c"),
        (r"a^2(t)", 1, "a"),
        (r"k[x]/(x^n)", 1, "k"),
        (r"a[n]b", 1, "a"),
        (r"n\left(\frac{a+b}{2}\right)", 1, "n"),
        (r"y{\left(x \right)}", 1, "y"),
        (r"{p}(x)", 2, "p"),
        (r"p\left(|a+b|\right)", 1, "p"),
        (r"\frac{k(z)}{z}", 7, "k"),
    ],
)
def test_latex_has_more_ways_to_apply_a_function(text: str, column: int, name: str) -> None:
    where, problem = refusal(text, "latex")
    assert where == column
    assert problem.startswith(f"is '{name}(...)' a product or the value of a function?")
    assert rf"write {name} \cdot (...) for the product" in problem


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("dx", 1), ("a + dx", 5), ("x*dy", 3), ("dy/dx", 1), ("d/dx", 3), ("d x", 1),
        ("d sin(x)", 1),
    ],
)  # fmt: skip
def test_d_before_a_name_may_be_a_differential(text: str, column: int) -> None:
    for kind in ("auto", "infix"):
        where, problem = refusal(text, kind)
        assert where == column
        assert re.match(r"is 'd\w+' a product or a differential\? write d", problem), problem


@pytest.mark.parametrize(
    ("text", "column"),
    [
        (r"\cos x\,dx", 9),
        (r"u\,dv", 4),
        (r"dx\,dy", 1),
        (r"d^2 y", 1),
        (r"\sqrt{(dx)^{2}+(dy)^{2}}", 8),
        (r"\frac{dx}{2}", 7),
        (r"\frac{d^{2}}{{dz}^{2}}\sqrt z", 15),
        (r"\frac{d^{2}}{{d z}^{2}}", 15),
        (r"d \ln x", 1),
    ],
)
def test_latex_has_more_ways_to_write_a_differential(text: str, column: int) -> None:
    where, problem = refusal(text, "latex")
    assert where == column
    assert "a product or a differential? write d \\cdot " in problem


@pytest.mark.parametrize(
    "text",
    [
        r"\frac{dy}{dx}",
        r"\frac{d}{dx} x",
        r"\frac{d^2y}{dx^2}",
        r"\frac{\mathrm{d}y}{\mathrm{d}x}",
    ],
)
def test_a_quotient_of_differentials_is_a_derivative(text: str) -> None:
    assert refusal(text) == (1, "this is a derivative; only expressions without calculus are read")


@pytest.mark.parametrize(
    ("text", "column", "problem"),
    [
        (r"\mathrm{d}x", 1, "is the upright 'd' the sign of a differential or a variable?"),
        (
            r"20\,\text{m}^{3}",
            5,
            "is the upright 'm' the sign of a unit or a variable? write m for",
        ),
        (r"\mathrm{m}", 1, "is the upright 'm' the sign of a unit or a variable?"),
        (r"(5\operatorname{a})", 3, "is the upright 'a' the sign of a unit or a variable?"),
        (r"\|v\|", 1, "is '||...||' a norm or an absolute value? write |...| for"),
        (r"\left\|v\right\|", 6, "is '||...||' a norm or an absolute value?"),
        (r"x/\lVert x \rVert", 3, "is '||...||' a norm or an absolute value?"),
        ("||x||", 1, "is '||...||' a norm or an absolute value?"),
        (r"\{1, 2\}", 1, r"is '\{...\}' a set or a bracket? write (...) for the bracket"),
        (r"n\{x\}", 2, r"is '\{...\}' a set or a bracket?"),
        (r"\left\{x+1\right\}", 6, r"is '\{...\}' a set or a bracket?"),
        (r"[x + 1]", 1, "is '[...]' a bracket, a floor or an index? write (...) for the bracket"),
        (r"2[x]", 2, "is '[...]' a bracket, a floor or an index?"),
        (r"2^{[n]}", 4, "is '[...]' a bracket, a floor or an index?"),
        (r"\sin^{(n)} x", 6, "is a superscript in brackets a power or an index?"),
        (r"x^{(2)}", 3, "is a superscript in brackets a power or an index?"),
        (r"2^{nd}", 3, "is 'nd' a power or the end of an ordinal?"),
        (r"a\ln b\qquad a\ln b", 14, "does this wide gap part two formulas or two factors?"),
        (r"\qquad(2.1)", 7, "is this a number or the label of a formula?"),
        (r"(m \times n)", 4, "is this a product or the size of a table? write \\cdot for the"),
        (r"3 \times 3", 3, "is this a product or the size of a table?"),
        ("(1)", 1, "is this a number or the label of a formula?"),
        ("0.(9)", 3, "are the digits in brackets a factor or the repeating end of a decimal?"),
        (r"\frac{0.1(6)}{2}", 10, "are the digits in brackets a factor or the repeating end"),
        (r"a\;and\;b", 4, "is 'and' a word or a product? write a n d for the product"),
        ("max(x)", 1, "is 'max' a word or a product? write m a x for the product"),
        ("nan", 1, "is 'nan' a word or a product? write n a n for the product"),
        ("x max y", 3, "is 'max' a word or a product?"),
    ],
)
def test_both_readings_are_named_at_their_column(text: str, column: int, problem: str) -> None:
    where, found = refusal(text)
    assert (where, found[: len(problem)]) == (column, problem)


@pytest.mark.parametrize(
    ("text", "column"),
    [("E", 1), ("E(0)", 1), ("E/c^2", 1), ("2*E", 3), (r"\frac{E}{c^2}", 7), ("E^{-xt}", 1)],
)
def test_a_capital_e_is_no_number(text: str, column: int) -> None:
    sentence = "Euler's number is written e; an energy or another name E is not read yet"
    assert refusal(text) == (column, sentence)


@pytest.mark.parametrize("format", ["infix", "latex", "mathml"])
def test_eulers_number_is_written_e(format: str) -> None:
    tree = parse("mul INT+ 2 ln E", "prefix")
    assert write(tree, "prefix") == "mul INT+ 2 ln E"
    assert not re.search(r"\bE\b", write(tree, format))
    assert format not in PARSERS or parse(write(tree, format)) == tree


@pytest.mark.parametrize(
    ("text", "infix"),
    [
        (r"y \cdot (3)", "y*3"),
        (r"y*(3)", "y*3"),
        (r"d \cdot x", "d*x"),
        (r"a n d", "a*n*d"),
        (r"2 \cdot 3", "2*3"),
        (r"2 \times 3 \times 5", "2*3*5"),
        (r"\pi \times x^2", "pi*x**2"),
        (r"5m", "5*m"),
        (r"\left|\left|x\right|\right|", "abs(abs(x))"),
        (r"|(|x|)|", "abs(abs(x))"),
        (r"x^{n \cdot d}", "x**(n*d)"),
        ("0.3*(7)", "3/10*7"),
    ],
)
def test_the_reading_that_is_meant_can_be_written(text: str, infix: str) -> None:
    assert write_infix(parse(text)) == infix


@pytest.mark.parametrize("name", [name for name in UNREAD_LATEX if name[1:].isalpha()])
def test_a_command_that_is_not_read_is_told_why(name: str) -> None:
    assert refusal(name + " x", "latex") == (1, UNREAD_LATEX[name])
