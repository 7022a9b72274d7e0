r"""Private commands of a document: collected from `\newcommand` and `\def`, and written out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from equivec.errors import LimitError

if TYPE_CHECKING:
    from collections.abc import Mapping

_NEW = re.compile(
    r"\\(?:re|provide)?newcommand\*?\s*\{?\s*\\([A-Za-z]+)\s*\}?\s*(?:\[(\d)\])?\s*(?:\[([^\]]*)\])?\s*(?=\{)"
)
_DEF = re.compile(r"\\def\s*\\([A-Za-z]+)\s*((?:#\d)*)\s*(?=\{)")
_OPERATOR = re.compile(r"\\DeclareMathOperator(\*?)\s*\{?\s*\\([A-Za-z]+)\s*\}?\s*(?=\{)")
_COMMAND = re.compile(r"\\([A-Za-z]+)")
_ARGUMENT = re.compile(r"\s*(?:(?=\{)|(\\[A-Za-z]+|\\.|[^\s{}]))", re.DOTALL)
_KEPT = frozenset("frac dfrac tfrac nicefrac sqrt".split())  # known well enough
_ROUNDS = 8
_LONGEST = 20_000


@dataclass(frozen=True, slots=True)
class Macro:
    """A private command: how many arguments it takes, the default of the first, and its text."""

    arity: int
    default: str | None
    body: str


def group_end(text: str, start: int) -> int:
    """The place after the group that opens at `start`; -1 where it is never closed."""
    depth, place = 0, start
    while place < len(text):
        character = text[place]
        if character == "\\":
            place += 2
            continue
        if character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
            if depth == 0:
                return place + 1
        place += 1
    return -1


def collect_macros(text: str) -> dict[str, Macro]:
    r"""The private commands that a text defines, by name.

    >>> collect_macros(r"\newcommand{\RR}{\mathbb{R}} x")
    {'RR': Macro(arity=0, default=None, body='\\mathbb{R}')}
    """
    return _collect(text)[0]


def _collect(text: str) -> tuple[dict[str, Macro], str]:
    """The definitions of a text, and the text without them."""
    macros: dict[str, Macro] = {}
    cut: list[tuple[int, int]] = []
    for pattern in (_NEW, _DEF, _OPERATOR):
        for match in pattern.finditer(text):
            end = group_end(text, match.end())
            if end < 0:
                continue
            body = text[match.end() + 1 : end - 1]
            if pattern is _NEW:
                macros[match[1]] = Macro(int(match[2] or 0), match[3], body)
            elif pattern is _DEF:
                macros[match[1]] = Macro(len(match[2]) // 2, None, body)
            else:
                macros[match[2]] = Macro(0, None, rf"\operatorname{match[1]}{{{body}}}")
            cut.append((match.start(), end))
    for start, end in sorted(cut, reverse=True):
        text = text[:start] + text[end:]
    return macros, text


def expand(text: str, macros: Mapping[str, Macro] | None) -> str:
    r"""The text with private commands written out, those that it defines itself among them.

    >>> expand(r"\def\half#1{\frac{#1}{2}} \half{x}", None)
    ' {\\frac{x}{2}} '
    """
    own: dict[str, Macro] = {}
    if "\\newcommand" in text or "\\def" in text or "\\DeclareMath" in text or "\\renew" in text:
        own, text = _collect(text)
    known = {**(macros or {}), **own}
    if not known:
        return text
    for _ in range(_ROUNDS):
        expanded = _expand_once(text, known)
        if expanded == text:
            break
        if len(expanded) > _LONGEST:
            raise LimitError("private commands make the formula too long to be read")
        text = expanded
    return text


def _expand_once(text: str, macros: Mapping[str, Macro]) -> str:
    pieces: list[str] = []
    last = 0
    for match in _COMMAND.finditer(text):
        macro = macros.get(match[1])
        if (
            macro is None
            or match[1] in _KEPT
            or match.start() < last
            or _names_itself(match[1], macro)
        ):
            continue
        arguments, place = _arguments(text, match.end(), macro)
        if len(arguments) < macro.arity:
            continue
        body = _fill(macro.body, arguments)
        pieces.append(
            f"{text[last : match.start()]}{{{body}}} "
            if macro.arity
            else f"{text[last : match.start()]}{body} "
        )
        last = place
        if sum(map(len, pieces)) > _LONGEST:
            break
    return "".join(pieces) + text[last:]


def _names_itself(name: str, macro: Macro) -> bool:
    return re.search(rf"\\{name}(?![A-Za-z])", macro.body) is not None


def _fill(body: str, arguments: list[str]) -> str:
    """The text of a private command with its arguments in their places."""

    def argument(hit: re.Match[str]) -> str:
        index = int(hit[1]) - 1
        return arguments[index] if index < len(arguments) else ""

    return re.sub(r"#(\d)", argument, body)


def _arguments(text: str, place: int, macro: Macro) -> tuple[list[str], int]:
    arguments: list[str] = []
    if macro.default is not None:
        end = text.find("]", place) if text[place : place + 1] == "[" else -1
        arguments.append(text[place + 1 : end] if end > 0 else macro.default)
        place = end + 1 if end > 0 else place
    while len(arguments) < macro.arity:
        match = _ARGUMENT.match(text, place)
        if match is None:
            break
        if match[1] is not None:
            arguments.append(match[1])
            place = match.end()
            continue
        end = group_end(text, match.end())
        if end < 0:
            break
        arguments.append(text[match.end() + 1 : end - 1])
        place = end
    return arguments, place
