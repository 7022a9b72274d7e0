"""One way in and one way out for every format, and the guess which format a text is in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from equivec.errors import ConfigError
from equivec.expression.grammar import ELEMENTARY, INTEGER_SIGNS, Grammar
from equivec.expression.infix import parse_infix, write_infix
from equivec.expression.latex_parser import parse_latex
from equivec.expression.latex_writer import write_latex
from equivec.expression.limits import DEFAULT_LIMITS, Limits, write_integer
from equivec.expression.mathml import write_mathml
from equivec.expression.prefix import parse_prefix, write_prefix
from equivec.expression.spelling import find_symbol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from equivec.expression.tree import Node


def parse(
    text: str,
    format: str = "auto",  # noqa: A002
    grammar: Grammar = ELEMENTARY,
    limits: Limits = DEFAULT_LIMITS,
) -> Node:
    r"""The tree that a text spells, in a format of `PARSERS` or, by default, one guessed from it.

    >>> parse("sin(x)/2") == parse(r"\frac{\sin x}{2}") == parse("div sin x INT+ 2")
    True
    """
    chosen = detect_format(text, grammar) if format == "auto" else format
    if chosen not in PARSERS:
        raise ConfigError(f"{format!r} is not a format; use auto, {', '.join(PARSERS)}")
    return PARSERS[chosen](text, grammar, limits)


def write(tree: Node, format: str = "infix", grammar: Grammar = ELEMENTARY) -> str:  # noqa: A002
    r"""The text of a tree in a format of `WRITERS`.

    >>> write(parse("x^2/2"), "latex")
    '\\frac{x^{2}}{2}'
    """
    if format not in WRITERS:
        raise ConfigError(f"{format!r} is not a format; use {', '.join(WRITERS)}")
    return WRITERS[format](tree, grammar)


def write_recognizable(tree: Node) -> str:
    """The prefix text of a tree or, where E alone does not show its format, the infix text.

    >>> [write_recognizable(parse(text)) for text in ("2*e", "e", "7")]
    ['mul INT+ 2 E', 'e', 'INT+ 7']
    """
    return write_infix(tree) if tree.symbol == "E" else write_prefix(tree)


def as_tree(expression: str | Node, grammar: Grammar = ELEMENTARY) -> Node:
    """The tree itself, or the one that a text in any format spells."""
    return parse(expression, grammar=grammar) if isinstance(expression, str) else expression


def detect_format(text: str, grammar: Grammar = ELEMENTARY) -> str:
    r"""The format a text is most likely in.

    >>> [detect_format(text) for text in (r"\sin x", "sin(x)", "sin x", "|x|", "2ab + 1")]
    ['latex', 'infix', 'prefix', 'latex', 'latex']
    """
    if any(sign in text for sign in "\\{}$"):
        return "latex"
    if _begins_like_prefix(text.split(), grammar):
        return "prefix"
    is_latex = any(sign in text for sign in "|[")
    if grammar.has_integers and (is_latex or _is_product_of_letters(text, grammar)):
        return "latex"
    return "infix"


def _begins_like_prefix(tokens: list[str], grammar: Grammar) -> bool:
    """Whether an operator stands first and nothing but tokens follows."""
    is_first = len(tokens) > 1 and (
        tokens[0] in INTEGER_SIGNS or (tokens[0] in grammar and grammar[tokens[0]].arity > 0)
    )
    return is_first and all(token in grammar.tokens for token in tokens)


def _is_product_of_letters(text: str, grammar: Grammar) -> bool:
    """Whether all words are letters and some stand side by side, as in `ab` and `a b`."""
    letters = {*grammar.variables, "e"}
    return _LETTERS_BESIDE.search(text) is not None and all(
        set(word) <= letters and (len(word) == 1 or find_symbol(word, grammar) is None)
        for word in re.findall("[A-Za-z]+", text)
    )


_LETTERS_BESIDE = re.compile(r"[A-Za-z]\s*[A-Za-z]")


def draw_tree(tree: Node, _: Grammar = ELEMENTARY) -> str:
    """A drawing of the tree, one node a line.

    >>> print(draw_tree(parse("sin(x) + 2")))
    add
    ├── sin
    │   └── x
    └── 2
    """
    lines: list[str] = []
    stack = [(tree, "", "")]
    while stack:
        node, branch, trunk = stack.pop()
        symbol = node.symbol if isinstance(node.symbol, str) else write_integer(node.symbol)
        lines.append(f"{branch}{symbol}")
        for index, argument in reversed(list(enumerate(node.arguments, 1))):
            is_last = index == len(node.arguments)
            stack.append(
                (
                    argument,
                    f"{trunk}{'└── ' if is_last else '├── '}",
                    f"{trunk}{'    ' if is_last else '│   '}",
                )
            )
    return "\n".join(lines)


PARSERS: Mapping[str, Callable[[str, Grammar, Limits], Node]] = {
    "infix": parse_infix,
    "latex": parse_latex,
    "prefix": parse_prefix,
}

WRITERS: Mapping[str, Callable[[Node, Grammar], str]] = {
    "infix": write_infix,
    "latex": write_latex,
    "mathml": write_mathml,
    "prefix": lambda tree, _: write_prefix(tree),
    "tree": draw_tree,
}
