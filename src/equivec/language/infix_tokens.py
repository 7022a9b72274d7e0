"""Plain text cut into the tokens that the reader of LaTeX knows too."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from equivec.errors import ParseError
from equivec.language import names, symbols, tokens
from equivec.language.infix_names import ACCENTS, CALLS, CONSTANTS, FONTS, WORD_SIGNS
from equivec.language.layers import SIGNATURE
from equivec.language.operators import Form
from equivec.language.tokens import Token

if TYPE_CHECKING:
    from collections.abc import Mapping

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ", "0123456789-+n")
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")


def _signs() -> dict[str, tuple[str, str]]:
    """The kind and value of each sign, by its spelling in plain text and in Unicode."""
    table: dict[str, tuple[str, str]] = {}
    for row in SIGNATURE:
        notation = row.notation
        if row.form not in (Form.INFIX, Form.PREFIX) or row.name in ("mapping", "ratio"):
            continue
        for spelling in {notation.sign, notation.infix}:
            if spelling and not spelling[0].isalnum():
                table.setdefault(spelling, (tokens.SIGN, notation.latex))
    for row in symbols.CONSTANTS.values():
        if row.notation.sign and not row.notation.sign.isascii():
            table[row.notation.sign] = (tokens.CONSTANT, row.name)
    table.update(_SIGNS)
    return table


_SIGNS: Mapping[str, tuple[str, str]] = {
    "**": (tokens.SUP, "^"), "^": (tokens.SUP, "^"), "_": (tokens.SUB, "_"), "*": (tokens.SIGN, r"\cdot"),  # noqa: E501
    "·": (tokens.SIGN, r"\cdot"), "⋅": (tokens.SIGN, r"\cdot"), "/": (tokens.SIGN, "/"),
    "÷": (tokens.SIGN, "/"), "==": (tokens.SIGN, "="), "<=": (tokens.SIGN, r"\le"),
    ">=": (tokens.SIGN, r"\ge"), "!=": (tokens.SIGN, r"\ne"), "−": (tokens.SIGN, "-"),
    "–": (tokens.SIGN, "-"), "(": (tokens.OPEN, "("), ")": (tokens.CLOSE, ")"),
    "[": (tokens.OPEN, "["), "]": (tokens.CLOSE, "]"), "{": (tokens.OPEN, r"\{"),
    "}": (tokens.CLOSE, r"\}"), ",": (tokens.COMMA, ","), ";": (tokens.COMMA, ";"),
    "|": (tokens.BAR, "|"), "||": (tokens.BAR, "||"), "!": (tokens.FACTORIAL, "!"),
    "%": (tokens.POSTFIX, "percent"), "°": (tokens.POSTFIX, "degree"), "'": (tokens.PRIME, "'"),
    "′": (tokens.PRIME, "'"), ":": (tokens.SIGN, ":"), "...": (tokens.CONSTANT, "dots"),
    "…": (tokens.CONSTANT, "dots"), "..": (tokens.COMMAND, "range"), "∧": (tokens.SIGN, r"\land"),
    "∨": (tokens.SIGN, r"\lor"), "∶": (tokens.SIGN, "∶"), "√": (tokens.COMMAND, "sqrt sign"),
    "&": (tokens.SIGN, r"\land"), "&&": (tokens.SIGN, r"\land"), "∞": (tokens.CONSTANT, "infinity"),
    "⇒": (tokens.SIGN, r"\implies"), "⇔": (tokens.SIGN, r"\iff"), "¬": (tokens.SIGN, r"\neg"),
    "≠": (tokens.SIGN, r"\ne"), "≤": (tokens.SIGN, r"\le"), "≥": (tokens.SIGN, r"\ge"),
    "ℝ": (tokens.NAME, "R"), "ℕ": (tokens.NAME, "N"), "ℤ": (tokens.NAME, "Z"),
    "ℚ": (tokens.NAME, "Q"), "ℂ": (tokens.NAME, "C"), "ln": (tokens.FUNCTION, "ln"),
    "×": (tokens.SIGN, r"\times"), "±": (tokens.SIGN, r"\pm"), "∓": (tokens.SIGN, r"\mp"),
    **{sign: (tokens.NAME, name) for name, sign in names.LETTERS.items()},
}  # fmt: skip
_TABLE = _signs()
_LONGEST = sorted((re.escape(sign) for sign in _TABLE), key=len, reverse=True)
_TOKEN = re.compile(
    r"(?P<space>[ \t\r\n\u00a0]+)"
    r"|(?P<number>(?:\d+(?:\.(?!\.)\d*)?|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<font>(?:" + "|".join(sorted(FONTS)) + r")\.(?=[A-Za-z\"]))"
    r"|(?P<call>(?:"
    + "|".join(sorted((name for name in CALLS if "_" in name), key=len, reverse=True))
    + r")(?=\s*\())"
    r"|(?P<name>\??[A-Za-z][A-Za-z0-9]*(?:\.(?:open|Lopen|Ropen)\b)?)"
    r"|(?P<quoted>\"[^\"]*\")"
    r"|(?P<power>[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ]+)"
    r"|(?P<index>[₀₁₂₃₄₅₆₇₈₉]+)"
    r"|(?P<sign>" + "|".join(_LONGEST) + r")"
    r"|(?P<other>.)",
    re.DOTALL,
)
_BLACKBOARD = frozenset("ℝℕℤℚℂ")


def cut_infix(text: str) -> list[Token]:  # noqa: C901 - a list of cases
    r"""The tokens of a plain text, the last of them the end.

    >>> cut_infix("2*x**2 <= y")
    [number:2, sign:\cdot, name:x, ^:^, number:2, sign:\le, name:y, end:]
    """
    found: list[Token] = []
    font = ""
    for match in _TOKEN.finditer(text):
        kind, piece, start, end = str(match.lastgroup), match[0], match.start(), match.end()
        if kind == "space":
            continue
        if kind == "font":
            font = piece[:-1]
            continue
        if kind == "other":
            raise _stray(text, start)
        if kind == "call":
            found.append(Token(tokens.COMMAND, f"call {piece}", start, end))
        elif kind == "name":
            found.append(_name(text, piece, start, end, font, found))
        elif kind == "quoted":
            found.append(Token(tokens.NAME, piece[1:-1] or '""', start, end, font))
        elif kind == "number":
            found += _number(piece, start, end)
        elif kind == "power":
            found += _scripts(tokens.SUP, piece.translate(_SUPERSCRIPTS), start, end)
        elif kind == "index":
            found += _scripts(tokens.SUB, piece.translate(_SUBSCRIPTS), start, end)
        else:
            if piece == "\\" and text[end : end + 1].isalpha():
                raise _stray(text, start)
            if piece == "π" and text[end : end + 1] != "_":
                found.append(Token(tokens.CONSTANT, "pi", start, end))
            else:
                found.append(_sign(piece, start, end, found))
        font = ""
    found.append(Token(tokens.END, "", len(text), len(text)))
    return _with_groups(found)


def _number(piece: str, start: int, end: int) -> list[Token]:
    """A number; one with an exponent is written out."""
    mantissa, _, exponent = piece.lower().partition("e")
    mantissa = mantissa.rstrip(".") or "0"
    if not exponent:
        return [Token(tokens.NUMBER, mantissa, start, end)]
    power = Token(tokens.NUMBER, exponent.lstrip("+-0") or "0", start, end)
    sign = [Token(tokens.SIGN, "-", start, end)] if exponent.startswith("-") else []
    return [
        Token(tokens.NUMBER, mantissa, start, end), Token(tokens.SIGN, r"\cdot", start, end),
        Token(tokens.NUMBER, "10", start, end), Token(tokens.SUP, "^", start, end), *sign, power,
    ]  # fmt: skip


def _name(text: str, name: str, start: int, end: int, font: str, found: list[Token]) -> Token:
    """A name, a constant, a sign spelt as a word, or the name of an operator before a bracket."""
    is_script = bool(found) and found[-1].kind == tokens.SUB
    if font:
        return Token(tokens.NAME, name, start, end, font)
    if name in WORD_SIGNS and not is_script:
        return Token(tokens.SIGN, WORD_SIGNS[name].notation.latex, start, end)
    is_called = text[end:].lstrip()[:1] == "("
    if is_called and (name in CALLS or name in ACCENTS):
        return Token(tokens.COMMAND, f"call {name}", start, end)
    if (
        name in CONSTANTS
        and not is_script
        and text[end : end + 1] != "_"
        and not (name == "inf" and is_called)
    ):
        return Token(tokens.CONSTANT, CONSTANTS[name], start, end)
    return Token(tokens.NAME, name, start, end)


def _scripts(kind: str, digits: str, start: int, end: int) -> list[Token]:
    inside = Token(tokens.NAME if digits == "n" else tokens.NUMBER, digits.lstrip("+-"), start, end)
    sign = [Token(tokens.SIGN, "-", start, end)] if digits.startswith("-") else []
    return [Token(kind, "^" if kind == tokens.SUP else "_", start, start), *sign, inside]


def _sign(piece: str, start: int, end: int, found: list[Token]) -> Token:
    kind, value = _TABLE[piece]
    font = "bb" if piece in _BLACKBOARD else ""
    if kind == tokens.OPEN and piece == "{" and found and found[-1].kind == tokens.SUB:
        return Token(tokens.LBRACE, "{", start, end)
    return Token(kind, value, start, end, font)


def _with_groups(found: list[Token]) -> list[Token]:
    """The tokens with the braces of subscripts told from those of sets."""
    stack: list[str] = []
    for index, token in enumerate(found):
        if token.kind == tokens.LBRACE or (token.kind == tokens.OPEN and token.value == r"\{"):
            is_inner = bool(stack) and stack[-1] == tokens.LBRACE and token.kind == tokens.OPEN
            if is_inner and found[index - 1].kind in (tokens.LBRACE, tokens.COMMA):
                token.kind, token.value = tokens.LBRACE, "{"
            stack.append(token.kind)
        elif (
            token.kind == tokens.CLOSE
            and token.value == r"\}"
            and stack
            and stack.pop() == tokens.LBRACE
        ):
            token.kind, token.value = tokens.RBRACE, "}"
    return found


def _stray(text: str, column: int) -> ParseError:
    character = text[column]
    if character == "\\":
        return ParseError("'\\' begins a LaTeX command; read the text as LaTeX", text, column)
    return ParseError(f"{character!r} cannot stand in a formula", text, column)
