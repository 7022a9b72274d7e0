"""MathML out: what a browser shows without any script."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from equivec.expression.grammar import ELEMENTARY, Grammar
from equivec.expression.limits import write_integer
from equivec.expression.tree import Node, is_negated

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def write_mathml(tree: Node, grammar: Grammar = ELEMENTARY) -> str:
    """The MathML of a tree, with its root, ready to stand in a page.

    >>> write_mathml(Node("sqrt", (Node("x"),)))
    '<math xmlns="http://www.w3.org/1998/Math/MathML" ...><msqrt><mi>x</mi></msqrt></math>'
    """
    inside = _write(grammar.check(tree), grammar).markup
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML" displaystyle="true">{inside}</math>'


# How tightly written MathML holds together, loosest first.
_SUM, _NEGATIVE, _PRODUCT, _FACTOR, _ATOM = range(5)
_INVISIBLE_TIMES = "<mo>\N{INVISIBLE TIMES}</mo>"
_SPACED_TIMES = '<mo rspace="0.167em">\N{INVISIBLE TIMES}</mo>'
_DOT = "<mo>\N{DOT OPERATOR}</mo>"
_APPLY = "<mo>\N{FUNCTION APPLICATION}</mo>"
_MINUS = "<mo>\N{MINUS SIGN}</mo>"
_NAMES: Mapping[str, str] = {
    "pi": "\N{GREEK SMALL LETTER PI}",
    "true": "\N{DOWN TACK}",
    "false": "\N{UP TACK}",
}
# The first element that shows something, and its text.
_OPENING = re.compile(r"(?:<mrow>|<msup>)*<(\w+)[^>]*>([^<]*)")


@dataclass(frozen=True, slots=True)
class _Markup:
    """Written MathML, without its minus where it is negative, and how tightly it holds together."""

    body: str
    binding: int

    @property
    def markup(self) -> str:
        """The whole of it, the minus included."""
        return _row(_MINUS, self.body) if self.binding == _NEGATIVE else self.body

    def within(self, binding: int) -> str:
        """The markup as an operand that must hold at least this tightly."""
        return self.markup if self.binding >= binding else _in_parentheses(self.markup)


@dataclass(frozen=True, slots=True)
class _Sign:
    """An operator between two operands: how tightly they must hold together, and it does."""

    sign: str
    left: int = _PRODUCT
    right: int = _PRODUCT
    binding: int = _SUM


_SIGNS: Mapping[str, _Sign] = {
    "subtract": _Sign("\N{MINUS SIGN}", left=_SUM),
    "multiply": _Sign("\N{DOT OPERATOR}", right=_FACTOR, binding=_PRODUCT),
    "and": _Sign("\N{LOGICAL AND}"),
    "or": _Sign("\N{LOGICAL OR}"),
    "xor": _Sign("\N{CIRCLED PLUS}"),
    "implies": _Sign("\N{RIGHTWARDS DOUBLE ARROW}"),
}


def _in_parentheses(markup: str) -> str:
    # Chromium sets gaps around parentheses that may stretch, so only those around fractions do.
    stretch = "" if "<mfrac>" in markup else ' stretchy="false"'
    return _row(f"<mo{stretch}>(</mo>", markup, f"<mo{stretch}>)</mo>")


def _row(*parts: str) -> str:
    return f"<mrow>{''.join(parts)}</mrow>"


def _write(tree: Node, grammar: Grammar) -> _Markup:
    if isinstance(tree.symbol, int):
        digits = write_integer(abs(tree.symbol))
        return _Markup(f"<mn>{digits}</mn>", _ATOM if tree.symbol >= 0 else _NEGATIVE)
    if tree.is_leaf:
        return _Markup(_name(tree.symbol, grammar), _ATOM)
    if tree.symbol in _WRITERS:
        return _WRITERS[tree.symbol](tree, grammar)
    if tree.symbol in _SIGNS:
        return _write_sign(_SIGNS[tree.symbol], tree, grammar)
    return _apply(_name(tree.symbol, grammar), tree, grammar)


def _name(symbol: str, grammar: Grammar) -> str:
    """A variable, constant or function under its mathematical name: arcsin, not asin."""
    spelling = re.sub(r"\\(operatorname)?|[{}]", "", grammar[symbol].latex)
    return f"<mi>{_NAMES.get(symbol, spelling)}</mi>"


def _apply(name: str, tree: Node, grammar: Grammar) -> _Markup:
    inside = _write(tree.arguments[0], grammar).markup
    return _Markup(_row(name, _APPLY, _in_parentheses(inside)), _FACTOR)


def _write_sign(row: _Sign, tree: Node, grammar: Grammar) -> _Markup:
    left, right = (_write(argument, grammar) for argument in tree.arguments)
    sign = f"<mo>{row.sign}</mo>"
    return _Markup(_row(left.within(row.left), sign, right.within(row.right)), row.binding)


def _write_sum(tree: Node, grammar: Grammar) -> _Markup:
    left, right = (_write(argument, grammar) for argument in tree.arguments)
    if right.binding == _NEGATIVE:
        return _Markup(_row(left.markup, _MINUS, right.body), _SUM)
    return _Markup(_row(left.markup, "<mo>+</mo>", right.within(_PRODUCT)), _SUM)


def _write_product(tree: Node, grammar: Grammar) -> _Markup:
    first, second = tree.arguments
    left, right = _write(first, grammar), _write(second, grammar)
    if first.symbol == -1 and not (isinstance(second.symbol, int) and second.symbol >= 0):
        return _Markup(right.within(_PRODUCT), _NEGATIVE)
    factor = right.within(_FACTOR)
    if left.binding == _NEGATIVE and not is_negated(first):
        return _Markup(_row(left.body, _times(factor), factor), _NEGATIVE)
    return _Markup(_row(left.within(_PRODUCT), _times(factor), factor), _PRODUCT)


def _times(factor: str) -> str:
    """What stands before a factor so that it reads as one: 2·3, x·|y|, a space before a name."""
    opening = _OPENING.match(factor)
    assert opening is not None
    element, text = opening.groups()
    if element in ("mn", "mfrac") or text == "|":
        return _DOT
    return _SPACED_TIMES if element == "mi" and len(text) > 1 else _INVISIBLE_TIMES


def _write_quotient(tree: Node, grammar: Grammar) -> _Markup:
    above, below = (_write(argument, grammar) for argument in tree.arguments)
    if tree.arguments[0].is_integer and above.binding == _NEGATIVE:
        return _Markup(_fraction(above.body, below.markup), _NEGATIVE)
    return _Markup(_fraction(above.markup, below.markup), _FACTOR)


def _fraction(above: str, below: str) -> str:
    return f"<mfrac>{_widened(above)}{_widened(below)}</mfrac>"


def _widened(markup: str) -> str:
    """A fraction within a fraction gets room at its sides, so that the outer bar is the longer."""
    gap = '<mspace width="0.2em"/>'
    return _row(gap, markup, gap) if markup.startswith("<mfrac>") else markup


def _write_power(tree: Node, grammar: Grammar) -> _Markup:
    base, exponent = tree.arguments
    script = _write(exponent, grammar).markup
    is_named = len(base.arguments) == 1 and base.symbol not in _WRITERS
    if is_named and exponent.symbol != -1:  # a superscript -1 would be the inverse function
        return _apply(f"<msup>{_name(str(base.symbol), grammar)}{script}</msup>", base, grammar)
    return _Markup(f"<msup>{_write(base, grammar).within(_ATOM)}{script}</msup>", _FACTOR)


def _write_root(tree: Node, grammar: Grammar) -> _Markup:
    return _Markup(f"<msqrt>{_write(tree.arguments[0], grammar).markup}</msqrt>", _FACTOR)


def _write_absolute(tree: Node, grammar: Grammar) -> _Markup:
    inside = _write(tree.arguments[0], grammar).markup
    return _Markup(_row("<mo>|</mo>", inside, "<mo>|</mo>"), _ATOM)


def _write_exponential(tree: Node, grammar: Grammar) -> _Markup:
    exponent = _write(tree.arguments[0], grammar).markup
    return _Markup(f"<msup><mi>e</mi>{exponent}</msup>", _FACTOR)


def _write_not(tree: Node, grammar: Grammar) -> _Markup:
    inside = _write(tree.arguments[0], grammar).within(_PRODUCT)
    return _Markup(_row("<mo>\N{NOT SIGN}</mo>", inside), _PRODUCT)


_WRITERS: Mapping[str, Callable[[Node, Grammar], _Markup]] = {
    "add": _write_sum,
    "mul": _write_product,
    "div": _write_quotient,
    "pow": _write_power,
    "sqrt": _write_root,
    "abs": _write_absolute,
    "exp": _write_exponential,
    "not": _write_not,
}
