"""Plain text, MathML and JSON: the same rules and the same trees."""

from __future__ import annotations

import pytest

from equivec.errors import ConfigError, ParseError
from equivec.language.infix_reader import read_infix
from equivec.language.json_form import read_json, write_json
from equivec.language.latex_reader import read_latex
from equivec.language.mathml_reader import read_mathml
from equivec.language.text import detect_notation, parse, write
from equivec.language.tree import Variable

SAME = [
    ("x²", "x^2"),
    ("√(x + 1)", r"\sqrt{x+1}"),
    ("2π ≤ x·y", r"2\pi \le x \cdot y"),
    ("f(x) - x_1", "f(x) - x_1"),
    ("5! + |x|", "5! + |x|"),
    ("{1, 2}", r"\{1, 2\}"),
    ("x in [0, 1)", r"x \in [0, 1)"),
    ("p and not q", r"p \land \neg q"),
    ("sum(k, k=1..n)", r"\sum_{k=1}^n k"),
    ("sin(x)**2 + 2*x", r"\sin^2 x + 2x"),
    ("diff(f(x), x)", r"\frac{d}{dx} f(x)"),
    ("P(A | B)", r"P(A \mid B)"),
    ("Interval.open(a, b)", r"]a, b["),
    ("0 < x <= 1", r"0 < x \le 1"),
    ("1.5e3", r"1.5 \cdot 10^3"),
    ("log(x, 2)", r"\log_2 x"),
]


@pytest.mark.parametrize(("infix", "latex"), SAME)
def test_plain_text_says_what_latex_says(infix: str, latex: str) -> None:
    assert read_infix(infix) == read_latex(latex)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x y", "two names stand side by side"),
        (r"\sin x", "read the text as LaTeX"),
        ("w(y + z)", "can be read in two ways"),
        ("(x + 1", "is never closed"),
        ("sin(x, y)", "'sin' takes 1 argument, not 2"),
    ],
)
def test_what_plain_text_cannot_say_is_refused_with_a_sentence(text: str, words: str) -> None:
    with pytest.raises(ParseError, match=words):
        read_infix(text)


CONTENT = [
    ("<apply><plus/><ci>x</ci><cn>1</cn><ci>y</ci></apply>", "x + 1 + y"),
    ("<apply><minus/><ci>x</ci></apply>", "-x"),
    ("<apply><root/><degree><cn>3</cn></degree><ci>x</ci></apply>", "root(x, 3)"),
    ("<apply><lt/><cn>0</cn><ci>x</ci><cn>1</cn></apply>", "0 < x < 1"),
    (
        "<apply><int/><bvar><ci>x</ci></bvar><lowlimit><cn>0</cn></lowlimit>"
        "<uplimit><cn>1</cn></uplimit><apply><sin/><ci>x</ci></apply></apply>",
        "integral_between(sin(x), x, 0, 1)",
    ),
    ("<apply><ci>f</ci><ci>x</ci></apply>", "f(x)"),
    ('<interval closure="open"><cn>0</cn><pi/></interval>', "Interval.open(0, pi)"),
    ('<cn type="rational">1<sep/>2</cn>', "1/2"),
]


@pytest.mark.parametrize(("content", "infix"), CONTENT)
def test_content_mathml_is_read_by_its_names(content: str, infix: str) -> None:
    assert str(read_mathml(f"<math>{content}</math>")) == infix


def test_presentation_of_other_writers_is_read_by_the_rules_of_latex() -> None:
    markup = (
        '<math xmlns="http://www.w3.org/1998/Math/MathML"><mi>f</mi><mo>&#x2061;</mo><mfenced>'
        "<mi>x</mi></mfenced><mo>=</mo><munderover><mo>&sum;</mo><mrow><mi>k</mi><mo>=</mo>"
        "<mn>1</mn></mrow><mi>n</mi></munderover><msqrt><mi>k</mi></msqrt></math>"
    )
    assert read_mathml(markup) == read_latex(r"f(x) = \sum_{k=1}^n \sqrt{k}")


@pytest.mark.parametrize(
    "text",
    ["<!DOCTYPE math><math/>", "<math><mi>x</math>", "<math><table/></math>", "<math></math>"],
)
def test_mathml_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        read_mathml(text)


@pytest.mark.parametrize(
    "text",
    ["{", "[]", '{"version": 2, "tree": "x"}', '{"version": 1, "tree": ["nope", "x"]}',
     '{"version": 1, "tree": ["sin", "x", "y"]}', '{"version": 1, "tree": {"name": 3}}'],
)  # fmt: skip
def test_json_that_is_no_tree_is_refused(text: str) -> None:
    with pytest.raises(ParseError):
        read_json(text)


def test_the_json_form_is_this() -> None:
    assert write_json(read_latex("x_1 + 2 y")) == (
        '{"version": 1, "tree": ["add", {"name": "x", "subscript": {"number": "1"}}, '
        '["mul", {"number": "2"}, "y"]]}'
    )


def test_the_notation_is_guessed() -> None:
    trees = [
        parse(text)
        for text in (r"\frac{x}{2}", "x/2", "<math><mfrac><mi>x</mi><mn>2</mn></mfrac></math>")
    ]
    assert trees[0] == trees[1] == trees[2]
    assert detect_notation(write(trees[0], "json")) == "json"
    with pytest.raises(ConfigError, match="not a notation"):
        write(Variable("x"), "morse")
