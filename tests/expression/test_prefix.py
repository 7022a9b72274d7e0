"""Prefix notation: the published token format, and errors that name the position."""

from __future__ import annotations

import pytest

from equivec.errors import ParseError
from equivec.expression.grammar import BOOLEAN
from equivec.expression.infix import parse_infix
from equivec.expression.prefix import parse_prefix, write_prefix
from equivec.expression.tree import Node


@pytest.mark.parametrize(
    ("prefix", "infix"),
    [
        ("div sin x cos x", "sin(x)/cos(x)"),
        ("div INT+ 1 INT+ 2", "1/2"),
        ("add x mul INT- 1 y", "x - y"),
        ("mul INT- 1 2 pow x INT+ 3", "-12*x**3"),
        ("ln abs mul pi E", "log(abs(pi*e))"),
    ],
)
def test_published_tokens_are_read_and_written(prefix: str, infix: str) -> None:
    assert parse_prefix(prefix) == parse_infix(infix)
    assert write_prefix(parse_infix(infix)) == prefix


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there is no expression: the text is empty"),
        ("add x", "the text ends where argument 2 of 'add' (token 1) should stand"),
        ("sin", "the text ends where argument 1 of 'sin' (token 1) should stand"),
        ("x y", "column 3: token 2: 'y' is left over after a complete expression"),
        ("add x INT+", "column 7: token 3: 'INT+' must be followed by at least one digit"),
        ("add x 1", "column 7: token 3: the digit '1' must follow INT+ or INT-"),
        (
            "coss x",
            "column 1: token 1: 'coss' is not a token of the elementary grammar; "
            "did you mean 'cos'?",
        ),
    ],
)
def test_malformed_prefix_is_refused_at_its_position(text: str, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_prefix(text)
    assert str(caught.value) == message


def test_integers_of_any_length_are_spelt_digit_by_digit() -> None:
    tree = Node(-123456789012345678901234567890)
    assert write_prefix(tree) == "INT- " + " ".join("123456789012345678901234567890")
    assert parse_prefix(write_prefix(tree)) == tree


def test_a_grammar_without_integers_knows_no_integer_tokens() -> None:
    with pytest.raises(ParseError, match=r"'INT\+' is not a token of the boolean grammar"):
        parse_prefix("and a INT+ 1", BOOLEAN)
