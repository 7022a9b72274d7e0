"""Infix text: what is accepted, what it means, and what is refused with which words."""

from __future__ import annotations

import gc
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from equivec.errors import ParseError
from equivec.expression.grammar import BOOLEAN, POLYNOMIAL
from equivec.expression.infix import parse_infix, write_infix
from equivec.expression.prefix import write_prefix


@pytest.mark.parametrize(
    ("text", "prefix"),
    [
        ("sin(x)**2", "pow sin x INT+ 2"),
        ("x^2", "pow x INT+ 2"),
        ("2*x^2", "mul INT+ 2 pow x INT+ 2"),
        ("2x", "mul INT+ 2 x"),
        ("2 x", "mul INT+ 2 x"),
        ("x y", "mul x y"),
        ("2x sin(y)", "mul mul INT+ 2 x sin y"),
        ("n(n+1)/2", "div mul n add n INT+ 1 INT+ 2"),
        ("x(1 - x)", "mul x add INT+ 1 mul INT- 1 x"),
        ("a(-b/2)^2", "mul a pow div mul INT- 1 b INT+ 2 INT+ 2"),
        ("3sin(x)cos(x)", "mul mul INT+ 3 sin x cos x"),
        ("(x+1)(x-1)", "mul add x INT+ 1 add x INT- 1"),
        ("2(x+1)", "mul INT+ 2 add x INT+ 1"),
        ("2x^2", "mul INT+ 2 pow x INT+ 2"),
        ("-x**2", "mul INT- 1 pow x INT+ 2"),
        ("-3x", "mul INT- 3 x"),
        ("x - 3*y", "add x mul INT- 3 y"),
        ("x - (3*y)", "add x mul INT- 1 mul INT+ 3 y"),
        ("x - 3**2", "add x mul INT- 1 pow INT+ 3 INT+ 2"),
        ("x - 1/2", "add x div INT- 1 INT+ 2"),
        ("x**y**z", "pow x pow y z"),
        ("x**-1", "pow x INT- 1"),
        ("+x", "x"),
        ("0.25", "div INT+ 1 INT+ 4"),
        (".5x", "mul div INT+ 1 INT+ 2 x"),
        ("1e-3", "div INT+ 1 INT+ 1 0 0 0"),
        ("2e3", "INT+ 2 0 0 0"),
        ("2e", "mul INT+ 2 E"),
        ("e^x", "pow E x"),
        ("ln(x)", "ln x"),
        ("log(x)", "ln x"),
        ("log(x, 2)", "div ln x ln INT+ 2"),
        ("Abs(x)", "abs x"),
        ("arcsin(x)", "asin x"),
        ("arcosh(x)", "acosh x"),
        ("sgn(x)", "sign x"),
    ],
)
def test_a_text_means_one_tree(text: str, prefix: str) -> None:
    assert write_prefix(parse_infix(text)) == prefix


@pytest.mark.parametrize(
    ("text", "column", "problem"),
    [
        ("x +", 4, "the text ends where a number, a name or '(' should stand"),
        ("x + * y", 5, "'*' cannot stand here"),
        ("(x", 1, "'(' is never closed"),
        ("x)", 2, "')' closes nothing"),
        ("()", 1, "'(' cannot stand here"),
        ("x, y", 2, "',' can stand only between the arguments of a function"),
        ("coss(x)", 1, "'coss' is not a symbol of this grammar; did you mean 'cos'?"),
        ("2ab", 2, "'ab' is not a symbol; for a product write a*b"),
        ("sin x", 1, "'sin' is a function: write sin(...)"),
        ("sin(x, y)", 1, "'sin' takes 1 argument, not 2"),
        ("sin()", 1, "'sin' takes 1 argument, not 0"),
        ("x 2", 3, "'x' and '2' stand side by side; put an operator between them"),
        (
            "1/2x",
            4,
            "a product without '*' after '/' can be read in two ways; add parentheses",
        ),
        (
            "x^2y",
            4,
            "a product without '*' after '**' can be read in two ways; add parentheses",
        ),
        ("1/-2x", 5, "a product without '*' after '/' can be read in two ways; add parentheses"),
        ("x^-2y", 5, "a product without '*' after '**' can be read in two ways; add parentheses"),
        ("x == 2", 3, "this is an equation or a relation; give one expression at a time"),
        ("x < 2", 3, "this is an equation or a relation; give one expression at a time"),
        ("x + i", 5, "'i': complex numbers are not supported; expressions here are real"),
        ("n!", 2, "'!' is a factorial; factorials are not read yet"),
        ("x != y", 3, "this is an equation or a relation; give one expression at a time"),
        ("y'", 2, "a prime is a derivative or part of a name; neither is read yet"),
        ("x_1 + y", 2, "subscripts are not read yet; use a plain letter as the variable"),
        ("phi", 1, "'phi': Greek letters other than pi are not read yet"),
        ("x & y", 1, "the elementary grammar has no operator '&'"),
        ("\\sin x", 1, "'\\' begins a LaTeX command; read the text as LaTeX"),
        ("x @ y", 3, "'@' cannot stand in an expression"),
        ("2 × x", 3, "'×' (MULTIPLICATION SIGN) cannot stand in an expression; write *"),
        ("х + 1", 1, "'х' (CYRILLIC SMALL LETTER HA) cannot stand in an expression; write x"),
        ("x\0", 2, "'\\x00' cannot stand in an expression"),
    ],
)
def test_a_bad_text_is_refused_at_its_column(text: str, column: int, problem: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_infix(text)
    assert str(caught.value) == f"column {column}: {problem}"


@pytest.mark.parametrize(
    "payload",
    [
        "__import__('os').system('true')",
        "(lambda: x)()",
        "[x for x in y]",
        "x if y else z",
        "x.real",
        "x[0]",
        "'x'",
        "f'{x}'",
        "open(x)",
        "sin(x=1)",
        "sin(*x)",
        "x := 2",
        "await x",
        "not x",
        "print(x)",
    ],
)
def test_python_that_is_no_arithmetic_is_refused(payload: str) -> None:
    with pytest.raises(ParseError):
        parse_infix(payload)


def test_the_caret_stands_under_the_column() -> None:
    with pytest.raises(ParseError) as caught:
        parse_infix("1 + coss(x)")
    assert caught.value.with_caret().splitlines()[1:] == ["  1 + coss(x)", "      ^"]


def test_a_long_line_is_shown_around_the_caret() -> None:
    text = "+".join(["x"] * 200) + "+$"
    with pytest.raises(ParseError) as caught:
        parse_infix(text)
    _, line, caret = caught.value.with_caret().splitlines()
    assert len(line) < 80
    assert line[caret.index("^")] == "$"


def test_boolean_operators_bind_as_in_python() -> None:
    tree = parse_infix("a & ~b | c >> d ^ a", BOOLEAN)
    assert write_prefix(tree) == "or and a not b xor implies c d a"
    assert write_infix(tree, BOOLEAN) == "a & ~b | (c >> d) ^ a"


def test_boolean_functions_of_sympy_are_read() -> None:
    tree = parse_infix("Or(And(a, b, c), Not(a), Implies(a, b))", BOOLEAN)
    assert write_prefix(tree) == "or or and and a b c not a implies a b"


def test_polynomials_have_a_subtraction_of_their_own() -> None:
    assert write_prefix(parse_infix("a - b*c", POLYNOMIAL)) == "subtract a multiply b c"


@pytest.mark.parametrize("text", ["-a", "a - 2", "a/b", "a**b"])
def test_polynomials_have_nothing_else(text: str) -> None:
    with pytest.raises(ParseError):
        parse_infix(text, POLYNOMIAL)


@pytest.fixture
def many_switches():
    """Threads take turns as often as they can, in the middle of Python's parser too."""
    interval, threshold = sys.getswitchinterval(), gc.get_threshold()

    def look(phase: str, info: dict) -> None:
        for _ in range(50):
            pass

    sys.setswitchinterval(1e-6)
    gc.set_threshold(20)
    gc.callbacks.append(look)
    yield
    gc.callbacks.remove(look)
    gc.set_threshold(*threshold)
    sys.setswitchinterval(interval)


def test_threads_may_read_at_the_same_time(many_switches) -> None:
    text = " + ".join(f"(sin({n}*x) + cos(x)^{n})^{n}" for n in range(2, 14))
    with ThreadPoolExecutor(8) as threads:
        trees = list(threads.map(parse_infix, [text] * 160))
    assert trees == [trees[0]] * 160
