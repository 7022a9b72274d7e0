"""MathML: well formed, with a root that a browser knows, and nothing lost."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equivec.expression.grammar import GRAMMARS, Grammar
from equivec.expression.mathml import write_mathml
from equivec.expression.text import parse
from support.trees import trees

NAMESPACE = "{http://www.w3.org/1998/Math/MathML}"


@pytest.mark.parametrize("grammar", GRAMMARS.values(), ids=lambda g: g.name)
@given(data=st.data())
def test_every_tree_gives_one_math_element(grammar: Grammar, data: st.DataObject) -> None:
    root = ET.fromstring(write_mathml(data.draw(trees(grammar)), grammar))
    assert root.tag == f"{NAMESPACE}math"
    assert len(root) == 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("x - 3", "x−3"),
        ("-x", "−x"),
        ("x - y", "x−y"),
        ("2*x", "2\N{INVISIBLE TIMES}x"),
        ("2*3", "2⋅3"),
        ("(x + 1)*y", "(x+1)\N{INVISIBLE TIMES}y"),
        ("(x + 1)**2", "(x+1)2"),
        ("sin(x)**2", "(sin\N{FUNCTION APPLICATION}(x))2"),
        ("abs(x)", "|x|"),
        ("x*(-2)", "x\N{INVISIBLE TIMES}(−2)"),
    ],
)
def test_the_text_of_a_formula_is_what_is_seen(text: str, shown: str) -> None:
    root = ET.fromstring(write_mathml(parse(text)))
    assert "".join(root.itertext()) == shown


def test_fractions_powers_and_roots_are_laid_out() -> None:
    root = ET.fromstring(write_mathml(parse("x**2/sqrt(y)")))
    tags = [element.tag.removeprefix(NAMESPACE) for element in root.iter()]
    assert tags == ["math", "mfrac", "msup", "mi", "mn", "msqrt", "mi"]
