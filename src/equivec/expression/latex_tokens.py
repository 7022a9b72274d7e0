"""LaTeX text cut into tokens: spacing dropped, brackets of every kind made plain, names found."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from equivec.errors import ParseError
from equivec.expression.spelling import stray_character

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_TOKEN = re.compile(
    r"(?P<space>[ \t\r\n~]+|\\[,;:!> ]|\\(?:quad|qquad|displaystyle|textstyle|limits|thinspace)"
    r"(?![A-Za-z]))"
    r"|(?P<size>\\(?:left|right|middle|[bB]igg?[lrm]?)(?![A-Za-z])\s*)"
    r"|(?P<upright>\\(?:operatorname\*?|mathrm|mathop|mathit|text|textrm)\s*"
    r"\{\s*(?P<word>[A-Za-z]+)\s*\})"
    r"|(?P<escaped>\\[{}|])"
    r"|(?P<command>\\[A-Za-z]+)"
    r"|(?P<scientific>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)[eE][-+]?[0-9]+)"
    r"|(?P<number>[0-9]+(?:\.[0-9]+)?|\.[0-9]+)"
    r"|(?P<letter>[A-Za-z])"
    r"|(?P<sign>[-+*/^_(){}\[\]|,!'=<>.])"
)

# A bar that says which side it stands on, as \left| and \rvert do.
BAR_OPEN, BAR_CLOSE = "|(", ")|"

# Commands and escapes that are another way to write a plain sign.
_PLAIN: Mapping[str, str] = {
    r"\{": "(",
    r"\}": ")",
    r"\lbrace": "(",
    r"\rbrace": ")",
    r"\lparen": "(",
    r"\rparen": ")",
    r"\lbrack": "[",
    r"\rbrack": "]",
    r"\lvert": BAR_OPEN,
    r"\rvert": BAR_CLOSE,
    r"\vert": "|",
    r"\|": "|",
    r"\cdot": "*",
    r"\times": "*",
    r"\ast": "*",
    r"\div": "/",
    r"\dfrac": r"\frac",
    r"\tfrac": r"\frac",
    r"\cfrac": r"\frac",
}

_DELIMITERS = (("$$", "$$"), ("$", "$"), (r"\(", r"\)"), (r"\[", r"\]"))


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of LaTeX: `kind` is number, letter, word, command, sign or end."""

    kind: str
    text: str
    column: int


def cut(text: str) -> Iterator[Token]:
    r"""The tokens of a LaTeX text, closed by one of kind `end`.

    >>> [token.text for token in cut(r"\left(\dfrac{1}{2}\right) \operatorname{acosh} x")]
    ['(', '\\frac', '{', '1', '}', '{', '2', '}', ')', 'acosh', 'x', '']
    """
    column, end = _inside_delimiters(text)
    size = ""
    while column < end:
        match = _TOKEN.match(text, column, end)
        if match is None:
            raise stray_character(text, column)
        kind = str(match.lastgroup)
        if kind == "scientific":
            raise ParseError(
                f"is '{match.group()}' one number or the constant e? write a power of 10 or spaces",
                text,
                column,
            )
        if kind == "size":
            size = match.group().strip()
            _expect_bracket(text, match.end())
        elif match["upright"]:
            yield Token("word", match["word"], column)
        elif kind in ("number", "letter"):
            yield Token(kind, match.group(), column)
        elif kind != "space":
            yield _sign_or_command(match.group(), size, column)
            size = ""
        column = match.end()
    yield Token("end", "", end)


def _sign_or_command(text: str, size: str, column: int) -> Token:
    plain = _PLAIN.get(text, text)
    if plain == "|" and size:
        plain = BAR_OPEN if size == "\\left" or size.endswith("l") else BAR_CLOSE
    return Token("command" if plain.startswith("\\") else "sign", plain, column)


def _inside_delimiters(text: str) -> tuple[int, int]:
    """Where the formula begins and ends, without `$...$` and its like around it."""
    stripped = text.strip()
    start = len(text) - len(text.lstrip())
    for opening, closing in _DELIMITERS:
        is_wrapped = len(stripped) >= len(opening) + len(closing)
        if is_wrapped and stripped.startswith(opening) and stripped.endswith(closing):
            return start + len(opening), start + len(stripped) - len(closing)
    return start, start + len(stripped)


def _expect_bracket(text: str, column: int) -> None:
    following = text[column : column + 12]
    if not re.match(r"[(){}\[\]|]|\\[{}|]|\\[lr](?:brace|paren|brack|vert)|\\vert", following):
        raise ParseError(r"\left, \right and \big need a bracket after them", text, column)
