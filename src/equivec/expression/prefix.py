"""Prefix (Polish) notation in the published token format: `div sin x cos x`, `INT- 1 2`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equivec.errors import ParseError
from equivec.expression.grammar import DIGITS, ELEMENTARY, INTEGER_SIGNS, Grammar, Symbol
from equivec.expression.limits import (
    DEFAULT_LIMITS,
    Limits,
    check_length,
    check_tree,
    read_digits,
    write_integer,
)
from equivec.expression.tree import Node

if TYPE_CHECKING:
    from collections.abc import Sequence

_DIGITS = frozenset(DIGITS)


def parse_prefix(text: str, grammar: Grammar = ELEMENTARY, limits: Limits = DEFAULT_LIMITS) -> Node:
    """The tree that a prefix text spells.

    >>> from equivec.expression.infix import write_infix
    >>> write_infix(parse_prefix("add x mul INT- 1 div sin x cos x"))
    'x - sin(x)/cos(x)'
    """
    check_length(text, limits)
    return parse_tokens(text.split(), grammar, limits)


def parse_tokens(
    tokens: Sequence[str], grammar: Grammar = ELEMENTARY, limits: Limits = DEFAULT_LIMITS
) -> Node:
    """The tree that a sequence of prefix tokens spells.

    >>> parse_tokens(["add", "x"])
    Traceback (most recent call last):
    equivec.errors.ParseError: the text ends where argument 2 of 'add' (token 1) should stand
    """
    reader = _Reader(tokens, grammar, limits)
    open_nodes: list[tuple[Symbol, int, list[Node]]] = []
    while True:
        start = reader.position
        symbol = reader.next_symbol(open_nodes)
        if isinstance(symbol, Symbol) and symbol.arity:
            open_nodes.append((symbol, start, []))
            continue
        node = Node(symbol.name if isinstance(symbol, Symbol) else symbol)
        while open_nodes:
            parent, _, arguments = open_nodes[-1]
            arguments.append(node)
            if len(arguments) < parent.arity:
                break
            open_nodes.pop()
            node = Node(parent.name, tuple(arguments))
        else:
            reader.expect_end()
            return check_tree(node, limits)


def write_prefix(tree: Node) -> str:
    """The prefix text of a tree.

    >>> write_prefix(Node("mul", (Node(-12), Node("x"))))
    'mul INT- 1 2 x'
    """
    return " ".join(write_tokens(tree))


def write_tokens(tree: Node) -> list[str]:
    """The prefix tokens of a tree."""
    tokens: list[str] = []
    stack = [tree]
    while stack:
        node = stack.pop()
        symbol = node.symbol
        if isinstance(symbol, int):
            tokens.append(INTEGER_SIGNS[symbol < 0])
            tokens.extend(write_integer(abs(symbol)))
        else:
            tokens.append(symbol)
            stack += node.arguments[::-1]
    return tokens


class _Reader:
    """A place in a sequence of tokens, and the errors that can happen there."""

    def __init__(self, tokens: Sequence[str], grammar: Grammar, limits: Limits) -> None:
        self.tokens = tokens
        self.grammar = grammar
        self.limits = limits
        self.position = 0

    def next_symbol(self, open_nodes: list[tuple[Symbol, int, list[Node]]]) -> Symbol | int:
        """The next symbol, or integer with all its digits."""
        if self.position == len(self.tokens):
            raise self._missing(open_nodes)
        token = self.tokens[self.position]
        self.position += 1
        if token in INTEGER_SIGNS and self.grammar.has_integers:
            return self._integer(token)
        symbol = self.grammar.by_name.get(token)
        if symbol is None:
            raise self._unknown(token)
        return symbol

    def expect_end(self) -> None:
        """Refuse tokens after a complete expression."""
        if self.position < len(self.tokens):
            raise self._error(
                f"{self.tokens[self.position]!r} is left over after a complete expression",
                self.position,
            )

    def _integer(self, sign: str) -> int:
        start = self.position
        while self.position < len(self.tokens) and self.tokens[self.position] in _DIGITS:
            self.position += 1
        if self.position == start:
            raise self._error(f"{sign!r} must be followed by at least one digit", start - 1)
        digits = "".join(self.tokens[start : self.position])
        value = read_digits(digits, self.limits)
        return -value if sign == "INT-" else value

    def _unknown(self, token: str) -> ParseError:
        where = self.position - 1
        if token in _DIGITS and self.grammar.has_integers:
            return self._error(f"the digit {token!r} must follow INT+ or INT-", where)
        near = self.grammar.suggest(token, self.grammar.tokens)
        hint = f"; did you mean {near!r}?" if near else ""
        return self._error(
            f"{token[:40]!r} is not a token of the {self.grammar.name} grammar{hint}", where
        )

    def _missing(self, open_nodes: list[tuple[Symbol, int, list[Node]]]) -> ParseError:
        if not open_nodes:
            return ParseError("there is no expression: the text is empty")
        symbol, start, arguments = open_nodes[-1]
        return ParseError(
            f"the text ends where argument {len(arguments) + 1} of {symbol.name!r} "
            f"(token {start + 1}) should stand"
        )

    def _error(self, problem: str, position: int) -> ParseError:
        return ParseError(f"token {position + 1}: {problem}", *self._place(position))

    def _place(self, position: int) -> tuple[str, int]:
        """The tokens as one line, and the column at which the token stands there."""
        return " ".join(self.tokens), sum(len(token) + 1 for token in self.tokens[:position])
