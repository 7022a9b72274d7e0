"""MathML: well formed, with a root that a browser knows, and read as it is meant."""

from __future__ import annotations

import random
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equivec.algebra.compare import Relation, compare_many
from equivec.expression.grammar import ELEMENTARY, GRAMMARS, POLYNOMIAL, Grammar
from equivec.expression.infix import write_infix
from equivec.expression.mathml import write_mathml
from equivec.expression.text import parse
from equivec.expression.tree import Node
from support.trees import random_tree, trees

NAMESPACE = "{http://www.w3.org/1998/Math/MathML}"
APPLY, TIMES = "\N{FUNCTION APPLICATION}", "\N{INVISIBLE TIMES}"
LAYOUTS = {"mfrac": "(({})/({}))", "msup": "{}**({})", "msqrt": "sqrt({})"}
SPELLINGS = {APPLY: "", TIMES: "*", "⋅": "*", "−": "-", "π": "pi"}


@pytest.mark.parametrize("grammar", GRAMMARS.values(), ids=lambda g: g.name)
@given(data=st.data())
def test_every_tree_gives_one_math_element(grammar: Grammar, data: st.DataObject) -> None:
    root = ET.fromstring(write_mathml(data.draw(trees(grammar)), grammar))
    assert root.tag == f"{NAMESPACE}math"
    assert len(root) == 1


def tags(root: ET.Element) -> list[str]:
    return [element.tag.removeprefix(NAMESPACE) for element in root.iter()]


def as_read(element: ET.Element) -> str:
    """The infix text that a reader sees: what is laid out is grouped, nothing else is."""
    tag = element.tag.removeprefix(NAMESPACE)
    parts = [as_read(child) for child in element]
    if tag == "mrow" and parts[0] == "|":
        return f"abs({''.join(parts[1:-1])})"
    if tag == "mrow" and element[0].tag == f"{NAMESPACE}msup" and element[1].text == APPLY:
        name, exponent = (as_read(child) for child in element[0])
        return f"{name}{parts[2]}**({exponent})"
    if tag in LAYOUTS:
        return LAYOUTS[tag].format(*parts)
    return "".join(parts) or SPELLINGS.get(element.text or "", element.text or "")


def test_what_is_read_means_what_the_tree_means() -> None:
    drawn = [random_tree(random.Random(seed)) for seed in range(1000)]
    texts = [as_read(ET.fromstring(write_mathml(tree))) for tree in drawn]
    read = [parse(text, "infix") for text in texts]
    verdicts = compare_many(list(zip(drawn, read, strict=True)))
    misread = [
        (write_infix(tree), text, verdict.relation)
        for tree, text, verdict in zip(drawn, texts, verdicts, strict=True)
        if verdict.relation in (Relation.DIFFERENT, Relation.EQUAL_ON_COMMON_DOMAIN)
    ]
    assert not misread
    assert sum(verdict.is_equal for verdict in verdicts) > 900


def test_every_function_is_read_under_its_mathematical_name() -> None:
    for row in ELEMENTARY.symbols:
        if row.arity == 1 and row.name != "exp":  # which is shown as a power of e
            tree = Node(row.name, (Node("x"),))
            assert parse(as_read(ET.fromstring(write_mathml(tree))), "infix") == tree


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("x - 3", "x−3"),
        ("-x", "−x"),
        ("x - y", "x−y"),
        ("2*x", f"2{TIMES}x"),
        ("2*3", "2⋅3"),
        ("(x + 1)*y", f"(x+1){TIMES}y"),
        ("(x + 1)**2", "(x+1)2"),
        ("abs(x)", "|x|"),
        ("x*(-2)", f"x{TIMES}(−2)"),
        # A negative coefficient is a minus, not a factor in parentheses.
        ("-2*x", f"−2{TIMES}x"),
        ("x - 3*y", f"x−3{TIMES}y"),
        ("x - (-3)", "x−(−3)"),
        ("(-2)**x", "(−2)x"),
        # A dot stands before what would run into the factor on its left, and only there.
        ("2*x**3", f"2{TIMES}x3"),
        ("x*2**y", "x⋅2y"),
        ("abs(x*abs(y))", "|x⋅|y||"),
        ("(x/y)*(y/x)", "xy⋅yx"),
        # A superscript -1 at a function's name would be the inverse function.
        ("sin(x)**2", f"sin2{APPLY}(x)"),
        ("sin(x)**(-1)", f"(sin{APPLY}(x))−1"),
        ("asin(x)", f"arcsin{APPLY}(x)"),
        # An exponent at a bare root could be taken for one under it.
        ("sqrt(x)**3", "(x)3"),
    ],
)
def test_the_text_of_a_formula_is_what_is_seen(text: str, shown: str) -> None:
    root = ET.fromstring(write_mathml(parse(text)))
    assert "".join(root.itertext()) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a - b - c", "a−b−c"), ("a - (b - c)", "a−(b−c)"), ("a*b - c*d*e", "a⋅b−c⋅d⋅e")],
)
def test_polynomials_have_no_more_parentheses_than_they_need(text: str, shown: str) -> None:
    root = ET.fromstring(write_mathml(parse(text, grammar=POLYNOMIAL), POLYNOMIAL))
    assert "".join(root.itertext()) == shown


def test_fractions_powers_and_roots_are_laid_out() -> None:
    root = ET.fromstring(write_mathml(parse("x**2/sqrt(y)")))
    assert tags(root) == ["math", "mfrac", "msup", "mi", "mn", "msqrt", "mi"]


@pytest.mark.parametrize("text", ["-1/2", "(-1)/x"])
def test_the_minus_of_a_fraction_stands_before_its_bar(text: str) -> None:
    root = ET.fromstring(write_mathml(parse(text)))
    assert tags(root)[:4] == ["math", "mrow", "mo", "mfrac"]


def test_the_bar_of_a_fraction_of_fractions_is_longer_than_theirs() -> None:
    root = ET.fromstring(write_mathml(parse("(1/x)/(1/y)")))
    for inner in root[0]:
        assert [part.tag.removeprefix(NAMESPACE) for part in inner] == ["mspace", "mfrac", "mspace"]


def test_a_space_stands_between_a_factor_and_the_name_of_a_function() -> None:
    spaced = f'<mo rspace="0.167em">{TIMES}</mo>'
    assert spaced in write_mathml(parse("x*log(x)"))
    assert spaced in write_mathml(parse("2*sin(x)**2"))
    assert spaced not in write_mathml(parse("x*y"))


def test_parentheses_grow_around_fractions_only() -> None:
    assert '<mo stretchy="false">(</mo>' in write_mathml(parse("sin(x)"))
    assert "stretchy" not in write_mathml(parse("sin(x/2)"))


def test_fractions_are_set_in_full_size() -> None:
    assert ET.fromstring(write_mathml(parse("1/x"))).get("displaystyle") == "true"
