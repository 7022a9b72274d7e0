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
    r"|(?P<escaped>\\[{}|\\])"
    r"|(?P<command>\\[A-Za-z]+)"
    r"|(?P<scientific>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)[eE][-+]?[0-9]+)"
    r"|(?P<number>[0-9]+(?:\.[0-9]+)?|\.[0-9]+)"
    r"|(?P<letter>[A-Za-z])"
    r"|(?P<sign>[-+*/^_(){}\[\]|,!'=<>.&])"
)

# A bar that says which side it stands on, as \left| and \rvert do.
BAR_OPEN, BAR_CLOSE = "|(", ")|"

# Commands and escapes that are another way to write a plain sign.
_PLAIN: Mapping[str, str] = {
    r"\lbrace": r"\{",
    r"\rbrace": r"\}",
    r"\lparen": "(",
    r"\rparen": ")",
    r"\lbrack": "[",
    r"\rbrack": "]",
    r"\lvert": BAR_OPEN,
    r"\rvert": BAR_CLOSE,
    r"\vert": "|",
    r"\Vert": r"\|",
    r"\lVert": r"\|",
    r"\rVert": r"\|",
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
    """A piece of LaTeX: `kind` is number, letter, word, command, sign or end.

    `is_apart` says that a wide gap stands in front of it.
    """

    kind: str
    text: str
    column: int
    is_apart: bool = False


def cut(text: str) -> Iterator[Token]:
    r"""The tokens of a LaTeX text, closed by one of kind `end`.

    >>> [token.text for token in cut(r"\left(\dfrac{1}{2}\right) \operatorname{acosh} x")]
    ['(', '\\frac', '{', '1', '}', '{', '2', '}', ')', 'acosh', 'x', '']
    """
    column, end = _inside_delimiters(text)
    size, is_apart = "", False
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
        elif kind == "space":
            is_apart = is_apart or match.group().startswith(r"\q")
        else:
            yield Token(*_kind_and_text(match, size), column, is_apart)
            size, is_apart = "", False
        column = match.end()
    yield Token("end", "", end)


def _kind_and_text(match: re.Match[str], size: str) -> tuple[str, str]:
    text = match.group()
    if match["upright"]:
        is_slanted = text.startswith(r"\mathit") and len(match["word"]) == 1
        return "letter" if is_slanted else "word", match["word"]
    if match.lastgroup in ("number", "letter"):
        return match.lastgroup, text
    plain = _PLAIN.get(text, text)
    if plain == "|" and size:
        plain = BAR_OPEN if size == "\\left" or size.endswith("l") else BAR_CLOSE
    is_command = plain.startswith("\\") and plain[1:].isalpha()
    return "command" if is_command else "sign", plain


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
    if not re.match(
        r"[(){}\[\]|]|\\[{}|]|\\[lr](?:brace|paren|brack|[vV]ert)|\\[vV]ert", following
    ):
        raise ParseError(r"\left, \right and \big need a bracket after them", text, column)
