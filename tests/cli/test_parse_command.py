"""`equivec parse`: results on stdout, complaints on stderr, exit code 2 for bad input."""

from __future__ import annotations

import json

import pytest

from equivec.cli.parse import GrammarName, InputFormat, OutputFormat
from equivec.expression.grammar import GRAMMARS
from equivec.expression.text import PARSERS, WRITERS
from support.command import run


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        (["sin(x)/cos(x)"], "div sin x cos x\n"),
        ([r"\frac{1}{x}", "--to", "infix"], "1/x\n"),
        (["div x INT+ 2", "--to", "latex"], "\\frac{x}{2}\n"),
        (["sin x", "--from", "prefix", "--to", "infix"], "sin(x)\n"),
        (["a & ~b", "--grammar", "boolean"], "and a not b\n"),
        (["sin(x)", "--to", "tree"], "sin\n└── x\n"),
    ],
)
def test_a_text_is_written_in_another_format(arguments: list[str], output: str) -> None:
    result = run("parse", *arguments)
    assert (result.stdout, result.stderr, result.code) == (output, "", 0)


def test_json_has_every_format() -> None:
    answer = json.loads(run("parse", "x/2", "--json").stdout)
    assert answer["prefix"] == "div x INT+ 2"
    assert answer["tree"] == ["div", "x", 2]
    assert set(WRITERS) <= set(answer)


def test_a_bad_text_ends_in_one_sentence_with_a_caret() -> None:
    result = run("parse", "1 + coss(x)")
    assert result.code == 2
    assert result.stdout == ""
    assert result.stderr == (
        "column 5: 'coss' is not a symbol of this grammar; did you mean 'cos'?\n"
        "  1 + coss(x)\n"
        "      ^\n"
    )


def test_many_lines_are_done_in_order_and_the_bad_ones_reported() -> None:
    result = run("parse", "--to", "infix", stdin="sin x\nx +\n2x\n\nx^2\n")
    assert result.code == 2
    assert result.stdout == "sin(x)\n2*x\nx**2\n"
    assert "line 2: column 4: the text ends where" in result.stderr
    assert "line 4: there is no expression: the text is empty" in result.stderr


def test_json_lines_carry_their_number() -> None:
    result = run("parse", "--json", stdin="x\n)\ny\n")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(row["line"], row["infix"]) for row in rows] == [(1, "x"), (3, "y")]


def test_bytes_that_are_no_text_are_reported() -> None:
    result = run("parse", stdin=b"x\n\xff\xfe\nx\n")
    assert result.code == 2
    assert result.stdout == "x\nx\n"
    assert "line 2: column 1: " in result.stderr


def test_the_choices_offered_are_those_of_the_tables() -> None:
    assert InputFormat.__args__ == ("auto", *PARSERS)
    assert OutputFormat.__args__ == tuple(WRITERS)
    assert GrammarName.__args__ == tuple(GRAMMARS)
