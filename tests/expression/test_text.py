"""The guess which format a text is in, and the two doors to all formats."""

from __future__ import annotations

import pytest

from equivec.errors import ConfigError, ParseError
from equivec.expression.text import (
    PARSERS,
    WRITERS,
    as_tree,
    detect_format,
    draw_tree,
    parse,
    write,
)
from equivec.expression.tree import Node


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ("sin(x)/cos(x)", "infix"),
        ("x", "infix"),
        ("2x", "infix"),
        ("div sin x cos x", "prefix"),
        ("add x INT+ 1", "prefix"),
        (r"\frac{1}{x}", "latex"),
        ("x^{2}", "latex"),
        ("$x$", "latex"),
        ("|x|", "latex"),
        ("a^2+2ab+b^2", "latex"),
        ("2[x+1]", "latex"),
        ("x y", "latex"),
        ("-x e", "latex"),
        ("coss(x)", "infix"),
    ],
)
def test_the_format_is_guessed(text: str, format: str) -> None:
    assert detect_format(text) == format


@pytest.mark.parametrize("text", ["|tan(x)|", "|u| + tan(x)", "tanx", "nan", "|x| exp(x)"])
def test_no_guess_turns_a_name_into_a_product(text: str) -> None:
    with pytest.raises(ParseError, match="product"):
        parse(text)


@pytest.mark.parametrize("text", ["|x| + 1e-3", "ab + 2e-3"])
def test_no_guess_turns_a_number_into_a_sum(text: str) -> None:
    with pytest.raises(ParseError, match="one number or the constant e"):
        parse(text)


def test_an_unknown_format_is_named() -> None:
    with pytest.raises(ConfigError, match="'word' is not a format; use auto, infix, latex, prefix"):
        parse("x", "word")
    with pytest.raises(ConfigError, match="'word' is not a format; use infix, latex, mathml"):
        write(Node("x"), "word")


def test_every_parser_has_its_writer() -> None:
    assert set(PARSERS) <= set(WRITERS)


def test_a_tree_is_taken_as_it_is() -> None:
    tree = Node("x")
    assert as_tree(tree) is tree
    assert as_tree("x") == tree


def test_a_drawing_has_a_line_for_every_node() -> None:
    tree = parse("sin(x)**2 + sqrt(2)*x")
    lines = draw_tree(tree).splitlines()
    assert len(lines) == tree.size
    assert [line.split()[-1] for line in lines] == [str(node.symbol) for node in tree.walk()]
