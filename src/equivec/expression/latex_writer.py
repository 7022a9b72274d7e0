"""LaTeX out: every tree gets a text of its own, so that reading it gives the tree back."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from equivec.expression.grammar import ELEMENTARY, Grammar
from equivec.expression.infix import write_infix
from equivec.expression.limits import write_integer
from equivec.expression.tree import Node, is_literal, is_negated

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def write_latex(tree: Node, grammar: Grammar = ELEMENTARY) -> str:
    r"""The LaTeX text of a tree; reading it gives the same tree back.

    >>> print(write_latex(Node("div", (Node("pow", (Node("x"), Node(2))), Node(3)))))
    \frac{x^{2}}{3}
    """
    if not grammar.has_integers:
        return _from_infix(write_infix(tree, grammar), grammar)
    return _write(grammar.check(tree), grammar).text


def _from_infix(text: str, grammar: Grammar) -> str:
    spellings = {"(": r"\left(", ")": r"\right)"} | {
        row.infix: row.latex for row in grammar.symbols
    }
    words = re.findall(r">>|[A-Za-z]+|[^\sA-Za-z]", text)
    return " ".join(spellings[word] for word in words)


# How tightly written LaTeX holds together, loosest first.
_SUM, _NEGATIVE, _PRODUCT, _FACTOR, _ATOM = range(5)


@dataclass(frozen=True, slots=True)
class _Text:
    """Written LaTeX and how tightly it holds together."""

    text: str
    binding: int

    def within(self, binding: int) -> str:
        """The text as an operand that must hold at least this tightly."""
        return self.text if self.binding >= binding else rf"\left({self.text}\right)"


def _write(tree: Node, grammar: Grammar) -> _Text:
    if isinstance(tree.symbol, int):
        return _Text(write_integer(tree.symbol), _ATOM if tree.symbol >= 0 else _NEGATIVE)
    if tree.is_leaf:
        return _Text(grammar[tree.symbol].latex, _ATOM)
    if is_negated(tree):
        return _Text(f"-{_after_minus(tree.arguments[1], grammar)}", _NEGATIVE)
    writer = _WRITERS.get(tree.symbol)
    if writer is not None:
        return writer(tree, grammar)
    inside = _write(tree.arguments[0], grammar).text
    return _Text(rf"{grammar[tree.symbol].latex}\left({inside}\right)", _ATOM)


def _after_minus(tree: Node, grammar: Grammar) -> str:
    """A term behind a minus, in brackets where reading would take the minus into its number."""
    return _write(tree, grammar).within(_ATOM + 1 if is_literal(_first_factor(tree)) else _PRODUCT)


def _first_factor(tree: Node) -> Node:
    while tree.symbol == "mul" and not is_negated(tree):
        tree = tree.arguments[0]
    return tree


def _write_sum(tree: Node, grammar: Grammar) -> _Text:
    first, second = tree.arguments
    left = _write(first, grammar).text
    if is_negated(second):
        return _Text(f"{left} - {_after_minus(second.arguments[1], grammar)}", _SUM)
    right = _write(second, grammar)
    if right.binding == _NEGATIVE:
        return _Text(f"{left} - {right.text.removeprefix('-')}", _SUM)
    return _Text(f"{left} + {right.within(_PRODUCT)}", _SUM)


def _write_product(tree: Node, grammar: Grammar) -> _Text:
    first, second = tree.arguments
    left, loose = _write(first, grammar), _write(second, grammar)
    right = loose.within(_FACTOR)
    is_signed = left.binding == _NEGATIVE and not is_negated(first)
    head = left.text if is_signed else left.within(_PRODUCT)
    is_mixed = head[-1].isdigit() and right.startswith(r"\frac")
    # Beside these a name looks like a function, and d like the sign of a differential.
    is_called = right.startswith(r"\left(") and loose.binding != _SUM
    is_clear = not (right[0].isdigit() or is_mixed or is_called or _ends_in_d(first))
    between = " " if is_clear else r" \cdot "
    return _Text(f"{head}{between}{right}", _NEGATIVE if is_signed else _PRODUCT)


def _ends_in_d(tree: Node) -> bool:
    while tree.symbol == "mul":
        tree = tree.arguments[1]
    return (tree.arguments[0] if tree.symbol == "pow" else tree).symbol == "d"


def _write_fraction(tree: Node, grammar: Grammar) -> _Text:
    above, below = tree.arguments
    bottom = _write(below, grammar).text
    if isinstance(above.symbol, int) and above.symbol < 0 and below.is_integer:
        return _Text(rf"-\frac{{{write_integer(-above.symbol)}}}{{{bottom}}}", _NEGATIVE)
    return _Text(rf"\frac{{{_write(above, grammar).text}}}{{{bottom}}}", _FACTOR)


def _write_power(tree: Node, grammar: Grammar) -> _Text:
    base, exponent = tree.arguments
    script = _write(exponent, grammar).text
    if base.symbol == "E":
        return _Text(f"{{e}}^{{{script}}}", _FACTOR)
    is_named = len(base.arguments) == 1 and base.symbol not in _WRITERS
    if is_named and exponent.symbol != -1 and isinstance(base.symbol, str):
        inside = _write(base.arguments[0], grammar).text
        return _Text(rf"{grammar[base.symbol].latex}^{{{script}}}\left({inside}\right)", _FACTOR)
    binding = _ATOM + 1 if is_named else _ATOM
    return _Text(f"{_write(base, grammar).within(binding)}^{{{script}}}", _FACTOR)


def _write_root(tree: Node, grammar: Grammar) -> _Text:
    return _Text(rf"\sqrt{{{_write(tree.arguments[0], grammar).text}}}", _ATOM)


def _write_absolute(tree: Node, grammar: Grammar) -> _Text:
    return _Text(rf"\left|{_write(tree.arguments[0], grammar).text}\right|", _ATOM)


def _write_exponential(tree: Node, grammar: Grammar) -> _Text:
    return _Text(f"e^{{{_write(tree.arguments[0], grammar).text}}}", _FACTOR)


_WRITERS: Mapping[str, Callable[[Node, Grammar], _Text]] = {
    "add": _write_sum,
    "mul": _write_product,
    "div": _write_fraction,
    "pow": _write_power,
    "sqrt": _write_root,
    "abs": _write_absolute,
    "exp": _write_exponential,
}
