"""MathML out: what a browser shows without any script."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from equivec.expression.grammar import ELEMENTARY, Grammar
from equivec.expression.tree import Node, is_negated

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_SUM, _PRODUCT, _FACTOR, _ATOM = range(4)
_INVISIBLE_TIMES = "<mo>\N{INVISIBLE TIMES}</mo>"
_APPLY = "<mo>\N{FUNCTION APPLICATION}</mo>"
_MINUS = "<mo>\N{MINUS SIGN}</mo>"
_SIGNS: Mapping[str, str] = {
    "subtract": "\N{MINUS SIGN}",
    "multiply": "\N{DOT OPERATOR}",
    "and": "\N{LOGICAL AND}",
    "or": "\N{LOGICAL OR}",
    "xor": "\N{CIRCLED PLUS}",
    "implies": "\N{RIGHTWARDS DOUBLE ARROW}",
}
_NAMES: Mapping[str, str] = {
    "pi": "\N{GREEK SMALL LETTER PI}",
    "E": "e",
    "ln": "ln",
    "true": "\N{DOWN TACK}",
    "false": "\N{UP TACK}",
}


def write_mathml(tree: Node, grammar: Grammar = ELEMENTARY) -> str:
    """The MathML of a tree, with its root, ready to stand in a page.

    >>> write_mathml(Node("sqrt", (Node("x"),)))
    '<math xmlns="http://www.w3.org/1998/Math/MathML"><msqrt><mi>x</mi></msqrt></math>'
    """
    inside = _write(tree, grammar).markup
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML">{inside}</math>'


@dataclass(frozen=True, slots=True)
class _Markup:
    """Written MathML and how tightly it holds together."""

    markup: str
    binding: int

    def within(self, binding: int) -> str:
        """The markup as an operand that must hold at least this tightly."""
        return self.markup if self.binding >= binding else _in_parentheses(self.markup)


def _in_parentheses(markup: str) -> str:
    return _row("<mo>(</mo>", markup, "<mo>)</mo>")


def _row(*parts: str) -> str:
    return f"<mrow>{''.join(parts)}</mrow>"


def _write(tree: Node, grammar: Grammar) -> _Markup:
    if isinstance(tree.symbol, int):
        number = f"<mn>{abs(tree.symbol)}</mn>"
        return _Markup(number, _ATOM) if tree.symbol >= 0 else _Markup(_row(_MINUS, number), _SUM)
    if tree.is_leaf:
        return _Markup(f"<mi>{_NAMES.get(tree.symbol, tree.symbol)}</mi>", _ATOM)
    if is_negated(tree):
        return _Markup(_row(_MINUS, _write(tree.arguments[1], grammar).within(_PRODUCT)), _SUM)
    if tree.symbol == "add":
        return _sum(tree, grammar)
    arguments = [_write(argument, grammar) for argument in tree.arguments]
    if tree.symbol in _LAYOUTS:
        return _LAYOUTS[tree.symbol](*arguments)
    if tree.symbol in _SIGNS:
        sign = f"<mo>{_SIGNS[tree.symbol]}</mo>"
        return _Markup(
            _row(arguments[0].within(_PRODUCT), sign, arguments[1].within(_PRODUCT)), _SUM
        )
    name = f"<mi>{_NAMES.get(tree.symbol, tree.symbol)}</mi>"
    return _Markup(_row(name, _APPLY, _in_parentheses(arguments[0].markup)), _FACTOR)


def _sum(tree: Node, grammar: Grammar) -> _Markup:
    first, second = tree.arguments
    left = _write(first, grammar).markup
    if is_negated(second):
        right = _write(second.arguments[1], grammar).within(_PRODUCT)
        return _Markup(_row(left, _MINUS, right), _SUM)
    if isinstance(second.symbol, int) and second.symbol < 0:
        return _Markup(_row(left, _MINUS, f"<mn>{-second.symbol}</mn>"), _SUM)
    return _Markup(_row(left, "<mo>+</mo>", _write(second, grammar).within(_PRODUCT)), _SUM)


def _product(left: _Markup, right: _Markup) -> _Markup:
    factor = right.within(_FACTOR)
    times = "<mo>\N{DOT OPERATOR}</mo>" if "<mn>" in factor[:20] else _INVISIBLE_TIMES
    return _Markup(_row(left.within(_PRODUCT), times, factor), _PRODUCT)


def _quotient(left: _Markup, right: _Markup) -> _Markup:
    return _Markup(f"<mfrac>{left.markup}{right.markup}</mfrac>", _FACTOR)


def _power(base: _Markup, exponent: _Markup) -> _Markup:
    return _Markup(f"<msup>{base.within(_ATOM)}{exponent.markup}</msup>", _FACTOR)


def _root(radicand: _Markup) -> _Markup:
    return _Markup(f"<msqrt>{radicand.markup}</msqrt>", _ATOM)


def _absolute(inside: _Markup) -> _Markup:
    return _Markup(_row("<mo>|</mo>", inside.markup, "<mo>|</mo>"), _ATOM)


def _exponential(exponent: _Markup) -> _Markup:
    return _Markup(f"<msup><mi>e</mi>{exponent.markup}</msup>", _FACTOR)


def _not(inside: _Markup) -> _Markup:
    return _Markup(_row("<mo>\N{NOT SIGN}</mo>", inside.within(_PRODUCT)), _PRODUCT)


_LAYOUTS: Mapping[str, Callable[..., _Markup]] = {
    "mul": _product,
    "div": _quotient,
    "pow": _power,
    "sqrt": _root,
    "abs": _absolute,
    "exp": _exponential,
    "not": _not,
}
