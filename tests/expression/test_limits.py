"""Nothing is too large to be refused: every limit has its sentence, and none is hit silently."""

from __future__ import annotations

import pytest

from equivec.errors import ConfigError, LimitError, ParseError
from equivec.expression.grammar import ELEMENTARY, Symbol
from equivec.expression.latex_parser import LATEX_NESTING
from equivec.expression.limits import DEFAULT_LIMITS, Limits, check_tree
from equivec.expression.text import PARSERS, WRITERS, parse, write
from equivec.expression.tree import Node

formats = pytest.mark.parametrize("format", PARSERS)


@formats
def test_text_of_a_megabyte_is_refused(format: str) -> None:
    with pytest.raises(LimitError, match="1,000,000 characters; at most 20,000 are read"):
        parse("x" * 1_000_000, format)


@pytest.mark.parametrize("format", ["infix", "latex"])
@pytest.mark.parametrize("text", ["(" * 100_000, "(" * 9_000 + "x" + ")" * 9_000])
def test_too_many_parentheses_are_refused(format: str, text: str) -> None:
    with pytest.raises(LimitError, match=r"characters|nested (too deeply|deeper)"):
        parse(text, format)


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ("-" * 9_000 + "x", "infix"),
        ("-" * 9_000 + "x", "latex"),
        ("**".join(["x"] * 3_000), "infix"),
        ("+".join(["x"] * 3_000), "infix"),
        (r"\sqrt" * 3_000 + "x", "latex"),
        (r"\sin" * 3_000 + " x", "latex"),
        ("x^{" * 3_000 + "x" + "}" * 3_000, "latex"),
        ("sin " * 3_000 + "x", "prefix"),
    ],
)
def test_deep_nesting_without_parentheses_is_refused(text: str, format: str) -> None:
    with pytest.raises(LimitError, match="deep"):
        parse(text, format)


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        (r"\sin(", ")"),
        (r"\sin", ""),
        (r"2 \cdot \frac{", "}{y}"),
        (r"\sqrt{", "}"),
        (r"\sqrt", ""),
        ("x^{", "}"),
        (r"x \cdot \sin^{", "}(x)"),
        (r"\left|", r"\right|"),
        ("(", ")"),
    ],
)
def test_latex_is_read_to_its_depth_and_refused_beyond(opening: str, closing: str) -> None:
    within = LATEX_NESTING - 1  # the innermost x is a level too
    assert parse(f"{opening * within} x {closing * within}", "latex").variables >= {"x"}
    with pytest.raises(LimitError, match=f"nested deeper than {LATEX_NESTING} levels"):
        parse(f"{opening * (within + 1)} x {closing * (within + 1)}", "latex")


@pytest.mark.parametrize("row", [row for row in ELEMENTARY.symbols if row.arity])
def test_every_tree_as_deep_as_latex_comes_back_from_it(row: Symbol) -> None:
    tree = Node("x")
    while tree.depth < LATEX_NESTING:
        tree = Node(row.name, (Node("y"), tree)[-row.arity :])
    assert parse(write(tree, "latex"), "latex") == tree


def test_too_many_nodes_are_refused() -> None:
    balanced = "x"
    for _ in range(11):
        balanced = f"mul {balanced} {balanced}"
    with pytest.raises(LimitError, match="4,095 nodes; at most 4,000 are read"):
        parse(balanced, "prefix")


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ("9" * 1_001, "infix"),
        ("9" * 1_001, "latex"),
        ("INT+ " + "9 " * 1_001, "prefix"),
        ("1e5000", "infix"),
        ("1e-999999999999", "infix"),
        ("1e0000000020000000", "infix"),
        ("1e-0000000020000000", "infix"),
        ("." + "1" * 2_000, "latex"),
    ],
)
def test_numbers_with_too_many_digits_are_refused(text: str, format: str) -> None:
    with pytest.raises(LimitError, match="digits; at most 1,000 are read"):
        parse(text, format)


@pytest.mark.parametrize(
    "text", ["9**9**9**9", "x**100000", "2**(10**6)", "x**(9**9)", "2**(2*10**5)", "x**-20000"]
)
def test_huge_exponents_are_refused(text: str) -> None:
    with pytest.raises(LimitError, match=r"an exponent of about .*; exponents up to 10,000"):
        parse(text)


@pytest.mark.parametrize("text", ["x**9999", "x**(10**(-9))", "2**(1/10**6)", "x**(x**9999)"])
def test_other_exponents_are_read(text: str) -> None:
    assert parse(text).symbol == "pow"


@formats
@pytest.mark.parametrize(
    "text", ["\0", "x\0", "\x1b[31m", "\ud800", "\N{ZERO WIDTH SPACE}x", "ｘ", "𝑥", "x²"]
)
def test_strange_characters_are_refused(format: str, text: str) -> None:
    with pytest.raises(ParseError):
        parse(text, format)


def test_limits_are_checked_at_birth() -> None:
    with pytest.raises(ConfigError, match="the limit on depth must be at least 1, not 0"):
        Limits(depth=0)
    with pytest.raises(ConfigError, match="the limit on digits must be at most 4,300"):
        Limits(digits=10_000)


@formats
def test_the_longest_integer_that_limits_allow_is_read_and_written(format: str) -> None:
    tree = Node(10**4_300 - 1)
    text = write(tree, format)
    assert parse(text, format, limits=Limits(digits=4_300)) == tree


@pytest.mark.parametrize("format", WRITERS)
def test_an_integer_that_python_does_not_write_is_refused(format: str) -> None:
    for tree in (Node(-(10**5_000)), Node("div", (Node(-(10**5_000)), Node(2)))):
        with pytest.raises(LimitError, match="about 5,001 digits; at most 4,300 are written"):
            write(tree, format)


def test_limits_can_be_widened() -> None:
    text = "+".join(["x"] * 250)
    assert parse(text, limits=Limits(depth=300)).depth == 250


def test_an_integer_that_no_parser_would_read_is_refused_in_a_tree_too() -> None:
    # SymPy once expanded a power into 1,972 digits; the text was written and could not be read.
    with pytest.raises(LimitError, match="an integer of about 1,972 digits; at most 1,000 are"):
        check_tree(Node(10**1971), DEFAULT_LIMITS)
    assert check_tree(Node(10**1000 - 1), DEFAULT_LIMITS).is_integer
