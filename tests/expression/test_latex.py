"""LaTeX: what people type and what SymPy prints, and what is refused with which words."""

from __future__ import annotations

import re

import pytest

from equivec.errors import ParseError
from equivec.expression.grammar import BOOLEAN
from equivec.expression.infix import write_infix
from equivec.expression.latex_parser import parse_latex
from equivec.expression.latex_writer import write_latex
from equivec.expression.prefix import parse_prefix


@pytest.mark.parametrize(
    ("text", "infix"),
    [
        (r"\frac{1}{x}", "1/x"),
        (r"\dfrac{x+1}{2}", "(x + 1)/2"),
        (r"\tfrac12 x", "1/2*x"),
        (r"\frac1x", "1/x"),
        (r"\sqrt{x}", "sqrt(x)"),
        (r"\sqrt2", "sqrt(2)"),
        (r"\sqrt[3]{x}", "x**(1/3)"),
        (r"\sqrt[n]{x}", "x**(1/n)"),
        (r"\sin^2 x", "sin(x)**2"),
        (r"\sin^{2}{\left(x \right)}", "sin(x)**2"),
        (r"\sin^{-1} x", "asin(x)"),
        (r"\tanh^{-1}(x)", "atanh(x)"),
        (r"\sin^{-2} x", "sin(x)**(-2)"),
        (r"\sin(x)^2", "sin(x)**2"),
        (r"\log{\left(x \right)}^{2}", "log(x)**2"),
        (r"\operatorname{acosh}{\left(x \right)}", "acosh(x)"),
        (r"\operatorname{arcosh} x", "acosh(x)"),
        (r"\mathrm{arsinh}(x)", "asinh(x)"),
        (r"\arcsin x", "asin(x)"),
        (r"\arccos x + \arctan x", "acos(x) + atan(x)"),
        (r"\sinh x \cosh x", "sinh(x)*cosh(x)"),
        (r"\ln x", "log(x)"),
        (r"\log x", "log(x)"),
        (r"\log_2 x", "log(x)/log(2)"),
        (r"\log_{10}(x)", "log(x)/log(10)"),
        (r"\log_{b}^{2} x", "(log(x)/log(b))**2"),
        (r"\exp(-x)", "exp(-x)"),
        (r"e^{-x}", "exp(-x)"),
        (r"\mathrm{e}^{x}", "exp(x)"),
        (r"e", "e"),
        (r"|x|", "abs(x)"),
        (r"|x| + |y|", "abs(x) + abs(y)"),
        (r"\left| x - 1 \right|", "abs(x - 1)"),
        (r"\left|x \left|y\right|\right|", "abs(x*abs(y))"),
        (r"\lvert x \rvert", "abs(x)"),
        (r"\left[\left(x+1\right)(y)\right]^2", "((x + 1)*y)**2"),
        (r"[\cos x]^2", "cos(x)**2"),
        (r"(k+1)[6(k+3)]", "(k + 1)*(6*(k + 3))"),
        (r"\bigl(x+1\bigr)^2", "(x + 1)**2"),
        (r"x \cdot y \times z \div t", "x*y*z/t"),
        (r"2x", "2*x"),
        (r"x(x+1)", "x*(x + 1)"),
        (r"p^{k}(1-p)^{n-k}", "p**k*(1 - p)**(n - k)"),
        (r"a(-\frac{b}{2})^2", "a*(-(b/2))**2"),
        (r"7^{2}(8m)", "7**2*(8*m)"),
        (r"e^{x}(y)", "exp(x)*y"),
        (r"x d", "x*d"),
        (r"a+(n-1)d", "a + (n - 1)*d"),
        (r"\mathit{x}", "x"),
        (r"3\sin x \cos x", "3*sin(x)*cos(x)"),
        (r"\sin 2x", "sin(2*x)"),
        (r"\sin 2\pi x", "sin(2*pi*x)"),
        (r"\sin \frac{x}{2}", "sin(x/2)"),
        (r"\sin 2\sqrt{x}", "sin(2*sqrt(x))"),
        (r"\sin 2e^{x}", "sin(2*exp(x))"),
        (r"\sin e^{x}", "sin(exp(x))"),
        (r"\sin x / \cos x", "sin(x)/cos(x)"),
        (r"\sin(x)/2", "sin(x)/2"),
        (r"\ln \sin x", "log(sin(x))"),
        (r"\sin -x", "sin(-x)"),
        (r"\sin x + 1", "sin(x) + 1"),
        (r"\sin x \cdot y", "sin(x)*y"),
        (r"-x^2", "-x**2"),
        (r"-3x", "-3*x"),
        (r"-3^2", "-3**2"),
        (r"x - \frac{1}{2}", "x - 1/2"),
        (r"2 \cdot -3", "2*(-3)"),
        (r"\pi x", "pi*x"),
        (r"\,x\;+\quad 1\!", "x + 1"),
        (r"$x+1$", "x + 1"),
        (r"\(x+1\)", "x + 1"),
        (r"a^2+2ab+b^2", "a**2 + 2*a*b + b**2"),
        (r"0.5x", "1/2*x"),
        (r"2^{x} 3^{y}", "2**x*3**y"),
        (r"{x}{y}", "x*y"),
        (r"\frac{{x+1}}{2}", "(x + 1)/2"),
        (r"{\left(x+1\right)}^{2}", "(x + 1)**2"),
        (r"{\left|x+1\right|}^{2}", "abs(x + 1)**2"),
        (r"\left|{x+1}\right| |{x-1}|", "abs(x + 1)*abs(x - 1)"),
        (r"2{x}", "2*x"),
        (r"2 e - 3", "2*e - 3"),
        (r"2e^{-3}", "2*exp(-3)"),
    ],
)
def test_a_text_means_one_expression(text: str, infix: str) -> None:
    assert write_infix(parse_latex(text)) == infix


@pytest.mark.parametrize(
    ("text", "column", "problem"),
    [
        (
            r"\frac{d}{dx} x^2",
            1,
            "this is a derivative; only expressions without calculus are read",
        ),
        (
            r"\frac{d^2 y}{dx^2}",
            1,
            "this is a derivative; only expressions without calculus are read",
        ),
        (r"\int x dx", 1, r"'\int' is calculus; only expressions without it are read"),
        (r"\sum_{n} x", 1, r"'\sum' is calculus; only expressions without it are read"),
        (r"\lim_{x \to 0} x", 1, r"'\lim' is calculus; only expressions without it are read"),
        (r"y = x^2", 3, "this is an equation or a relation; give one expression at a time"),
        (r"x \leq 2", 3, "this is an equation or a relation; give one expression at a time"),
        (r"x_1", 2, "subscripts are not read yet; use a plain letter as the variable"),
        (r"x_{1}", 2, "subscripts are not read yet; use a plain letter as the variable"),
        (r"5!", 2, "'!' is a factorial; factorials are not read yet"),
        (r"y'", 2, "a prime is a derivative or part of a name; neither is read yet"),
        (r"\vec{a}", 1, r"'\vec': letters with accents and bars are not read yet"),
        (r"\dot{x}", 1, r"'\dot': letters with accents and bars are not read yet"),
        (r"\mathbf{x}", 1, r"'\mathbf': letters in other fonts (vectors, sets) are not read yet"),
        (r"2\alpha", 2, r"'\alpha': Greek letters other than pi are not read yet"),
        (
            r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}",
            1,
            r"'\begin': matrices, cases and rows of formulas are not read yet",
        ),
        (r"x \\ y", 3, r"'\\': matrices, cases and rows of formulas are not read yet"),
        (r"(a, b)", 3, "',' parts the items of a list, a point or an interval"),
        (r"f'(x)", 1, "'f' is not a symbol of this grammar; variables are x, y, z, t"),
        (r"x^2^3", 4, "a second superscript; put braces around the power"),
        (r"x^10", 3, "put braces around '10': TeX takes only its first digit"),
        (r"\sin{x}^2", 8, r"does the power belong to '\sin' or to its argument? use brackets"),
        (r"\sin x (x+1)", 8, r"where does the argument of '\sin' end? put it in brackets"),
        (r"\ln^{-1} x", 1, r"a superscript -1 on '\ln' can mean two things; write it out"),
        (
            r"2\frac{1}{2}",
            2,
            "a number beside a fraction can be a sum or a product; write + or \\cdot",
        ),
        (r"\sin 2\frac{1}{2}", 7, "a number beside a fraction can be a sum or a product"),
        (r"\frac{d^{2}}{d x^{2}} x", 1, "this is a derivative"),
        (r"\frac{d^{2} y}{d x^{2}}", 1, "this is a derivative"),
        (r"1/2x", 4, "a product after '/' can be read in two ways; use \\frac or parentheses"),
        (r"2 3", 3, "the number '3' stands beside a factor; put \\cdot between them"),
        ("x + 2e-3", 5, "is '2e-3' one number or the constant e? write a power of 10 or spaces"),
        ("1.5E+6", 1, "is '1.5E+6' one number or the constant e? write a power of 10 or spaces"),
        (r"\sinn x", 1, r"'\sinn' is not a command of this grammar; did you mean \sin?"),
        (r"\frac{1}{x", 9, "'{' is never closed"),
        (r"(x]", 3, "']' cannot stand here; ')' should close the '('"),
        (r"x)", 2, "')' cannot stand here"),
        (r"\sin", 5, "the text ends where a number, a name or a bracket should stand"),
        (r"\left x", 7, r"\left, \right and \big need a bracket after them"),
        (r"i x", 1, "'i': complex numbers are not supported; expressions here are real"),
        (r"x & y", 3, "'&': matrices, cases and rows of formulas are not read yet"),
        (r"х", 1, "'х' (CYRILLIC SMALL LETTER HA) cannot stand in an expression; write x"),
    ],
)
def test_a_bad_text_is_refused_at_its_column(text: str, column: int, problem: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_latex(text)
    assert str(caught.value).startswith(f"column {column}: {problem}")


@pytest.mark.parametrize(
    ("text", "column", "name", "written"),
    [
        ("tan(x)", 1, "tan", r"\tan or t a n"),
        ("|tan(x)|", 2, "tan", r"\tan or t a n"),
        ("2xatanx", 3, "atan", r"\arctan or a t a n"),
        ("exp(x)", 1, "exp", r"\exp or e x p"),
        (r"\frac{1}{xtan y}", 11, "tan", r"\tan or t a n"),
        ("pi x", 1, "pi", r"\pi or p i"),
    ],
)
def test_letters_that_spell_a_name_are_no_product(
    text: str, column: int, name: str, written: str
) -> None:
    problem = f"column {column}: is '{name}' a name or a product? write {written}"
    with pytest.raises(ParseError, match=re.escape(problem)):
        parse_latex(text)
    assert write_infix(parse_latex("t a n x")) == "t*a*n*x"


@pytest.mark.parametrize(
    ("text", "column"),
    [
        (r"\sin \pi/4", 9),
        (r"\sin x/2", 7),
        (r"\sin -x/2", 8),
        (r"\ln \sin(x)/2", 12),
        (r"\cos x e^{-x}", 8),
        (r"\cos x \mathrm{e}^{-x}", 8),
        (r"\ln x \sqrt{x}", 7),
        (r"\sin x \frac{1}{2}", 8),
        (r"\sin x^2 \pi", 10),
        (r"\sin \frac{x}{2} \sqrt{3}", 18),
    ],
)
def test_an_argument_whose_end_is_not_seen_is_refused(text: str, column: int) -> None:
    with pytest.raises(ParseError, match=r"where does the argument of .* end") as caught:
        parse_latex(text)
    assert caught.value.column == column - 1


@pytest.mark.parametrize(
    ("text", "column", "problem"),
    [
        ("{2}{3}", 5, "the number '3' stands beside a factor"),
        ("2{3}", 3, "the number '3' stands beside a factor"),
        ("{2}3", 4, "the number '3' stands beside a factor"),
        ("{{x}}{{3}y}", 8, "the number '3' stands beside a factor"),
        (r"2{\frac{1}{2}}", 3, "a number beside a fraction"),
        (r"{2}\frac{1}{2}", 4, "a number beside a fraction"),
        (r"2{\frac{1}{2}x}", 3, "a number beside a fraction"),
        (r"2{x+1}", 2, "TeX does not show these braces; use parentheses"),
        (r"x{-1}", 2, "TeX does not show these braces; use parentheses"),
        (r"{x+1}|y|", 1, "TeX does not show these braces; use parentheses"),
        (r"{x+1}^2", 1, "TeX does not show these braces; use parentheses"),
        (r"{{x-1}}/2", 1, "TeX does not show these braces; use parentheses"),
    ],
)
def test_braces_that_are_not_seen_change_nothing(text: str, column: int, problem: str) -> None:
    with pytest.raises(ParseError, match=f"^column {column}: {problem}"):
        parse_latex(text)


def test_the_exponential_and_the_power_of_e_are_told_apart() -> None:
    for text in (r"e^{x}", r"{e}^{x}"):
        assert write_latex(parse_latex(text)) == text


def test_fractions_in_fractions_are_read_once_each() -> None:
    """Were each read twice, this would be read 2**60 times."""
    text = "x"
    for _ in range(60):
        text = rf"2\frac{{{text}}}{{y}}"
    assert parse_latex(text).depth == 121


@pytest.mark.parametrize(
    ("text", "column", "problem"),
    [
        (r"a \land b \Rightarrow c", 11, r"'\Rightarrow' beside another operator can be read in"),
        (r"a \Rightarrow b \Rightarrow c", 17, r"'\Rightarrow' beside another operator"),
        (r"d \lor (a \Rightarrow b \oplus c)", 25, r"'\oplus' beside another operator"),
        (r"a \left| b)", 8, "'|' cannot stand here"),
        (r"a^b", 2, "'^' cannot stand here"),
        (r"a \land \foo b", 9, r"'\foo' is not a command of the boolean grammar"),
        (r"a \land \land b", 9, "'&' cannot stand here"),
        (r"\bot\land x", 11, "'x' is not a symbol of this grammar"),
        (r"a \land", 8, "the text ends where"),
    ],
)
def test_a_bad_boolean_text_is_refused_at_its_column(text: str, column: int, problem: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_latex(text, BOOLEAN)
    assert str(caught.value).startswith(f"column {column}: {problem}")


@pytest.mark.parametrize(
    ("prefix", "latex"),
    [
        ("and a implies b c", r"a \land \left( b \Rightarrow c \right)"),
        ("implies and a b c", r"\left( a \land b \right) \Rightarrow c"),
        ("implies implies a b c", r"\left( a \Rightarrow b \right) \Rightarrow c"),
        ("implies not a b", r"\neg a \Rightarrow b"),
    ],
)
def test_an_implication_is_never_beside_another_operator(prefix: str, latex: str) -> None:
    tree = parse_prefix(prefix, BOOLEAN)
    assert write_latex(tree, BOOLEAN) == latex
    assert parse_latex(latex, BOOLEAN) == tree
