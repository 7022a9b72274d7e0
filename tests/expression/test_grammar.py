"""The tables: every symbol has its spellings, and no two share one."""

from __future__ import annotations

import pytest

from equivec.algebra.sympy_bridge import to_sympy
from equivec.errors import ConversionError, ParseError
from equivec.expression.grammar import (
    ALIASES,
    BOOLEAN,
    ELEMENTARY,
    GRAMMARS,
    INVERSES,
    POLYNOMIAL,
    Grammar,
)
from equivec.expression.text import write
from equivec.expression.tree import Node
from equivec.expression.vocabulary import SPECIAL_TOKENS, Vocabulary

grammars = pytest.mark.parametrize("grammar", GRAMMARS.values(), ids=lambda g: g.name)


@grammars
@pytest.mark.parametrize("spelling", ["name", "infix", "latex"])
def test_every_symbol_has_a_spelling_of_its_own(grammar: Grammar, spelling: str) -> None:
    spellings = [getattr(symbol, spelling) for symbol in grammar.symbols]
    assert all(spellings)
    assert len(set(spellings)) == len(spellings)


@grammars
def test_every_token_has_an_id_of_its_own(grammar: Grammar) -> None:
    vocabulary = Vocabulary.of(grammar)
    ids = vocabulary.encode([*SPECIAL_TOKENS, *grammar.tokens])
    assert ids == list(range(len(vocabulary)))
    assert vocabulary.decode(ids) == [*SPECIAL_TOKENS, *grammar.tokens]


@grammars
def test_every_symbol_has_a_sympy_object_of_its_own(grammar: Grammar) -> None:
    from equivec.algebra.points import Domain

    variables = [Node(name) for name in grammar.variables]
    objects = [
        to_sympy(Node(row.name, tuple(variables[: row.arity])), Domain.REAL)
        for row in grammar.symbols
    ]
    assert len({str(value) for value in objects}) == len(objects)


def test_the_operators_of_the_paper_are_all_there() -> None:
    paper = (
        "add mul div pow sqrt abs sin cos tan cot sec csc asin acos atan "
        "sinh cosh tanh coth asinh acosh atanh ln exp pi E x"
    )
    beyond = "sech csch acot asec acsc acoth asech acsch sign"
    assert set(f"{paper} {beyond}".split()) <= set(ELEMENTARY.by_name)
    assert set("and or xor implies not true false".split()) <= set(BOOLEAN.by_name)
    assert set("add subtract multiply".split()) <= set(POLYNOMIAL.by_name)


def test_variables_and_coefficients_are_known() -> None:
    assert set("xyztuvwabcdkmn") <= set(ELEMENTARY.variables)


def test_aliases_lead_to_symbols_and_hide_none() -> None:
    assert set(ALIASES.values()) <= set(ELEMENTARY.by_name)
    assert not set(ALIASES) & set(ELEMENTARY.by_infix)


def test_inverses_are_functions_of_the_grammar() -> None:
    assert set(INVERSES) | set(INVERSES.values()) <= set(ELEMENTARY.by_name)


def test_a_token_the_vocabulary_lacks_is_named() -> None:
    with pytest.raises(ParseError, match="'gamma' is not a token of this vocabulary"):
        Vocabulary.of(ELEMENTARY).encode(["gamma"])


@pytest.mark.parametrize("format", ["infix", "latex", "mathml"])
@pytest.mark.parametrize(
    ("tree", "grammar", "problem"),
    [
        (Node("and", (Node("a"), Node("b"))), ELEMENTARY, "'and' is not a symbol of the"),
        (Node("not", (Node("x"),)), BOOLEAN, "'x' is not a symbol of the boolean grammar"),
        (Node("add", (Node("a"), Node(1))), POLYNOMIAL, "1 is not a symbol of the polynomial"),
        (Node("add", (Node("x"),)), ELEMENTARY, "'add' of the elementary grammar takes 2 arg"),
        (Node("x", (Node("x"),)), ELEMENTARY, "'x' of the elementary grammar takes 0 arguments"),
    ],
)
def test_a_tree_of_another_grammar_is_refused_by_name(
    format: str, tree: Node, grammar: Grammar, problem: str
) -> None:
    with pytest.raises(ConversionError, match=f"^{problem}"):
        write(tree, format, grammar)
