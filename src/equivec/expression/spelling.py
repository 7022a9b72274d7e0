"""What infix and LaTeX have in common: names with their other spellings, and stray characters."""

from __future__ import annotations

import unicodedata
from fractions import Fraction
from typing import TYPE_CHECKING

from equivec.errors import ParseError
from equivec.expression.grammar import ALIASES, Grammar, Symbol
from equivec.expression.limits import Limits, read_digits
from equivec.expression.readings import SUBSCRIPT, UNREAD_NAMES, WORDS, differential, word
from equivec.expression.tree import Node

if TYPE_CHECKING:
    from collections.abc import Mapping

LOOK_ALIKES: Mapping[str, str] = {
    "\N{MINUS SIGN}": "-",
    "\N{EN DASH}": "-",
    "\N{MULTIPLICATION SIGN}": "*",
    "\N{MIDDLE DOT}": "*",
    "\N{DOT OPERATOR}": "*",
    "\N{DIVISION SIGN}": "/",
    "\N{FRACTION SLASH}": "/",
    "\N{SUPERSCRIPT TWO}": "^2",
    "\N{SUPERSCRIPT THREE}": "^3",
    "\N{SQUARE ROOT}": "sqrt(...)",
    "\N{GREEK SMALL LETTER PI}": "pi",
    "\N{CYRILLIC SMALL LETTER HA}": "x",
    "\N{CYRILLIC SMALL LETTER U}": "y",
    "\N{CYRILLIC SMALL LETTER A}": "a",
    "\N{CYRILLIC SMALL LETTER ES}": "c",
    "\N{CYRILLIC SMALL LETTER IE}": "e",
    "\N{CYRILLIC SMALL LETTER ER}": "p",
}

_LONGEST_NAME = max(map(len, ALIASES))


def find_symbol(name: str, grammar: Grammar) -> Symbol | None:
    """The row that a name means, by its infix spelling or one of its aliases."""
    symbol = grammar.by_infix.get(name)
    return symbol if symbol is not None else grammar.by_name.get(ALIASES.get(name, ""))


def spelt_name(text: str, column: int, grammar: Grammar) -> tuple[str, Symbol] | None:
    """The longest name of more than one letter that begins at a column, and the row it means.

    >>> from equivec.expression.grammar import ELEMENTARY
    >>> spelt_name("xtanhx", 1, ELEMENTARY)[0], spelt_name("ab", 0, ELEMENTARY)
    ('tanh', None)
    """
    for end in range(column + _LONGEST_NAME, column + 1, -1):
        symbol = find_symbol(text[column:end], grammar)
        if symbol is not None and end <= len(text):
            return text[column:end], symbol
    return None


def spelt_word(text: str, column: int) -> str | None:
    """The word of people's language that begins at a column, if its letters are those of one.

    >>> spelt_word("a and b", 2), spelt_word("ab", 0)
    ('and', None)
    """
    return next((name for name in WORDS if text.startswith(name, column)), None)


def unknown_name(name: str, grammar: Grammar, text: str, column: int) -> ParseError:
    """The error for a name the grammar does not know, with the nearest one it does."""
    if name in UNREAD_NAMES:
        problem = UNREAD_NAMES[name]
    elif "_" in name[1:]:
        return ParseError(SUBSCRIPT, text, column + name.index("_", 1))
    elif name in WORDS:
        problem = word(name)
    elif len(name) == 2 and name[0] == "d" and name[1] in grammar.by_infix:
        problem = differential(name[1], "*")
    elif len(name) > 1 and all(letter in grammar.variables for letter in name):
        problem = f"{name!r} is not a symbol; for a product write {'*'.join(name)}"
    else:
        near = grammar.suggest(name, [*_names(grammar), *ALIASES]) if len(name) > 1 else None
        hint = (
            f"did you mean {near!r}?" if near else f"variables are {', '.join(grammar.variables)}"
        )
        problem = f"{name[:40]!r} is not a symbol of this grammar; {hint}"
    return ParseError(problem, text, column)


def stray_character(text: str, column: int) -> ParseError:
    """The error for a character that no token begins with."""
    character = text[column]
    name = unicodedata.name(character, f"character {ord(character)}")
    shown = f"{character!r} ({name})" if not character.isascii() else f"{character!r}"
    meant = LOOK_ALIKES.get(character)
    hint = f"; write {meant}" if meant else ""
    return ParseError(f"{shown} cannot stand in an expression{hint}", text, column)


def read_number(literal: str, text: str, column: int, limits: Limits) -> Node:
    """An integer or, for a decimal, the fraction that it is exactly.

    >>> from equivec.expression.limits import DEFAULT_LIMITS
    >>> read_number("0.25", "0.25", 0, DEFAULT_LIMITS) == Node("div", (Node(1), Node(4)))
    True
    """
    if literal.isdigit():
        return Node(read_digits(literal, limits, text, column))
    mantissa, _, exponent = literal.lower().partition("e")
    # The digits that writing the number out would take; the exponent alone can make it huge.
    size = len(mantissa) + int(exponent.lstrip("+-0")[:6] or "0")
    read_digits("0" * size, limits, text, column)
    value = Fraction(literal)
    if value.denominator == 1:
        return Node(value.numerator)
    return Node("div", (Node(value.numerator), Node(value.denominator)))


def logarithm(argument: Node, base: Node) -> Node:
    """A logarithm to any base, as a quotient of natural ones."""
    return Node("div", (Node("ln", (argument,)), Node("ln", (base,))))


def _names(grammar: Grammar) -> list[str]:
    """Spellings that are words, the only ones a misspelt word can be near to."""
    return [spelling for spelling in grammar.by_infix if spelling.isalpha()]
