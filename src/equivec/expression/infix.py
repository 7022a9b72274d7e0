"""Infix text, as Python and SymPy write it: `sin(x)**2 + 2*x`.

The text is cut into tokens, every name is looked up in the grammar, and what is left is read by
Python's own parser into a syntax tree of which only a handful of node types are accepted. Nothing
is ever evaluated. Beyond Python, `^` is a power (in the Boolean grammar: exclusive or) and a
product may leave out its `*`: `2x`, `3sin(x)`, `(x+1)(x-1)`, `x y`, `x(x+1)`. Where that could be
read in two ways (`1/2x`, `x^2y`, `x(t)`, `d x`) it is refused.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from threading import Lock
from typing import TYPE_CHECKING, Any

from equivec.errors import LimitError, ParseError
from equivec.expression.grammar import ELEMENTARY, Grammar, Symbol
from equivec.expression.limits import (
    DEFAULT_LIMITS,
    Limits,
    check_length,
    check_nesting,
    check_tree,
    write_integer,
)
from equivec.expression.readings import (
    LABEL,
    REPEATING,
    UNREAD_LATEX,
    application,
    differential,
    is_label,
    may_be_applied,
    may_repeat,
)
from equivec.expression.spelling import (
    find_symbol,
    logarithm,
    read_number,
    stray_character,
    unknown_name,
)
from equivec.expression.tree import Node, is_negated, leading_factor, negate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_TOKEN = re.compile(
    r"(?P<space>[ \t\r\n]+)"
    r"|(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>[A-Za-z_][A-Za-z_0-9]*)"
    r"|(?P<operator>\*\*|>>|[-+*/^&|~,])"
    r"|(?P<open>\()"
    r"|(?P<close>\))"
)
# `^` is a power everywhere but in the Boolean grammar, where it is exclusive or.
_POWERS = {("^", "elementary"): "**", ("^", "polynomial"): "**"}
_UNREAD = re.compile(r"[=<>!'\[]")
# Python's parser counts its depth once for all threads: two at a time may end in a SystemError.
_ONE_AT_A_TIME = Lock()

# Function-style spellings of the Boolean operators, as SymPy prints them; they take many arguments.
_CALLED_OPERATORS: Mapping[str, str] = {
    "And": "and",
    "Or": "or",
    "Xor": "xor",
    "Implies": "implies",
    "Not": "not",
}


def parse_infix(text: str, grammar: Grammar = ELEMENTARY, limits: Limits = DEFAULT_LIMITS) -> Node:
    """The tree that an infix text spells.

    >>> from equivec.expression.prefix import write_prefix
    >>> write_prefix(parse_infix("2x - 1/2"))
    'add mul INT+ 2 x div INT- 1 INT+ 2'
    >>> parse_infix("coss(x)")
    Traceback (most recent call last):
    equivec.errors.ParseError: column 1: 'coss' is not a symbol of this grammar; did you mean 'cos'?
    """
    check_length(text, limits)
    tokens = list(_tokens(text, grammar, limits))
    if not tokens:
        raise ParseError("there is no expression: the text is empty")
    if is_label(tokens):
        raise ParseError(LABEL, text, tokens[0].column)
    tokens = _with_signed_literals(list(_with_products(tokens, text, grammar)), grammar)
    return check_tree(_Reader(text, tokens, grammar, limits).read(), limits)


def write_infix(tree: Node, grammar: Grammar = ELEMENTARY) -> str:
    """The infix text of a tree; reading it gives the same tree back.

    >>> write_infix(parse_infix("(x+1)^2/(2*x) - 3"))
    '(x + 1)**2/(2*x) - 3'
    """
    return _write(grammar.check(tree), grammar).text


@dataclass(frozen=True, slots=True)
class _Token:
    """A piece of the text: its kind, its letters, the column, and its row if it is a name."""

    kind: str
    text: str
    column: int
    symbol: Symbol | None = None

    @property
    def ends_operand(self) -> bool:
        is_leaf = self.symbol is not None and not self.symbol.arity
        return is_leaf or self.kind in ("number", "close")

    @property
    def begins_operand(self) -> bool:
        return self.kind in ("number", "name", "open")

    @property
    def python(self) -> str:
        """What Python's parser sees: no letter of the user's text, only its shape."""
        if self.kind == "number":
            return "0"
        if self.symbol is not None:
            return "f" if self.symbol.arity else "v"
        return self.text


def _tokens(text: str, grammar: Grammar, limits: Limits) -> Iterator[_Token]:
    """The tokens of the text; every name is known, every parenthesis has its partner."""
    column = 0
    opened: list[int] = []
    while column < len(text):
        match = _TOKEN.match(text, column)
        if match is None:
            raise _no_token(text, column)
        kind = str(match.lastgroup)
        if kind == "open":
            opened.append(column)
            check_nesting(len(opened), text, column, limits.depth)
        elif kind == "close":
            if not opened:
                raise ParseError("')' closes nothing", text, column)
            opened.pop()
        if kind == "name":
            yield _name(match, text, grammar)
        elif kind != "space":
            yield _Token(kind, _POWERS.get((match.group(), grammar.name), match.group()), column)
        column = match.end()
    if opened:
        raise ParseError("'(' is never closed", text, opened[-1])


def _name(match: re.Match[str], text: str, grammar: Grammar) -> _Token:
    name, column = match.group(), match.start()
    symbol = find_symbol(name, grammar) or grammar.by_name.get(_CALLED_OPERATORS.get(name, ""))
    if symbol is None:
        raise unknown_name(name, grammar, text, column)
    is_called = text[match.end() :].lstrip()[:1] == "("
    if symbol.arity and not is_called:
        raise ParseError(f"{name!r} is a function: write {name}(...)", text, column)
    return _Token("name", name, column, symbol)


def _no_token(text: str, column: int) -> ParseError:
    if _UNREAD.match(text, column):
        sign = "=" if text.startswith("!=", column) else text[column]
        return ParseError(UNREAD_LATEX[sign], text, column)
    if text[column] == "\\":
        return ParseError("'\\' begins a LaTeX command; read the text as LaTeX", text, column)
    return stray_character(text, column)


def _with_products(tokens: list[_Token], text: str, grammar: Grammar) -> Iterator[_Token]:
    """The tokens with a `*` wherever two operands stand side by side."""
    operator = ""  # in front of the operand being read
    outer: list[str] = []  # the same, for every parenthesis that is open
    previous: _Token | None = None
    for index, token in enumerate(tokens):
        if previous is not None and previous.ends_operand and token.begins_operand:
            _check_product(tokens, index, operator, text, grammar)
            yield _Token("operator", "*", token.column)
        if token.kind == "operator" and previous is not None and previous.ends_operand:
            operator = token.text  # a sign leaves the one before it where it was
        elif token.kind == "open":
            outer.append(operator)
            operator = ""
        elif token.kind == "close":
            operator = outer.pop()
        yield token
        previous = token


def _check_product(
    tokens: list[_Token], index: int, operator: str, text: str, grammar: Grammar
) -> None:
    """Refuse a product without `*` where people would disagree on what it means."""
    left, right = tokens[index - 1], tokens[index]
    if operator in ("/", "**"):
        raise ParseError(
            f"a product without '*' after {operator!r} can be read in two ways; add parentheses",
            text,
            right.column,
        )
    if right.kind == "number" or (left.kind == "name" and not grammar.has_integers):
        raise ParseError(
            f"{left.text!r} and {right.text!r} stand side by side; put an operator between them",
            text,
            right.column,
        )
    if right.kind == "open" and may_repeat(tokens, index):
        raise ParseError(REPEATING, text, right.column)
    if left.kind == "name" and right.kind == "open" and may_be_applied(tokens, index):
        raise ParseError(application(left.text, "*"), text, left.column)
    if left.text == "d" and right.kind == "name":
        raise ParseError(differential(right.text, "*"), text, left.column)


def _with_signed_literals(tokens: list[_Token], grammar: Grammar) -> list[_Token]:
    """`x - 3*y` as x + (-3)*y, the way the token format writes it; `x - 3**2` stays as it is."""
    if not grammar.has_integers:
        return tokens
    result: list[_Token] = []
    for index, token in enumerate(tokens):
        following = tokens[index + 1 : index + 3]
        if (
            token.text == "-"
            and result
            and result[-1].ends_operand
            and following
            and following[0].kind == "number"
            and (len(following) == 1 or following[1].text != "**")
        ):
            result.append(_Token("operator", "+", token.column))
        result.append(token)
    return result


class _Reader:
    """Reads tokens through Python's parser, accepting only the node types in its table."""

    def __init__(self, text: str, tokens: list[_Token], grammar: Grammar, limits: Limits) -> None:
        self.text = text
        self.tokens = tokens
        self.grammar = grammar
        self.limits = limits
        self.starts = [0, *accumulate(len(token.python) for token in tokens)]

    def read(self) -> Node:
        """The tree."""
        if not self.tokens[-1].ends_operand:
            raise ParseError(
                "the text ends where a number, a name or '(' should stand",
                self.text,
                len(self.text.rstrip()),
            )
        source = "".join(token.python for token in self.tokens)
        try:
            with _ONE_AT_A_TIME:
                syntax = ast.parse(source, mode="eval").body
            return self._build(syntax)
        except SyntaxError as error:
            raise self._misplaced((error.offset or 1) - 1) from None
        except (RecursionError, MemoryError):
            raise LimitError("the expression is nested too deeply to be read") from None

    def _build(self, syntax: ast.expr) -> Node:
        build = _BUILDERS.get(type(syntax))
        if build is None:
            raise self._refuse(syntax)
        return build(self, syntax)

    def _token(self, syntax: ast.expr) -> _Token:
        return self.tokens[bisect_right(self.starts, syntax.col_offset) - 1]

    def _refuse(self, syntax: ast.expr) -> ParseError:
        if isinstance(syntax, ast.Tuple) and syntax.elts:
            comma = next(token for token in self.tokens if token.text == ",")
            return ParseError(
                "',' can stand only between the arguments of a function", self.text, comma.column
            )
        return self._misplaced(syntax.col_offset)

    def _misplaced(self, offset: int) -> ParseError:
        token = self.tokens[min(bisect_right(self.starts, offset), len(self.tokens)) - 1]
        return ParseError(f"{token.text!r} cannot stand here", self.text, token.column)

    def _constant(self, syntax: ast.Constant) -> Node:
        token = self._token(syntax)
        if not self.grammar.has_integers:
            raise ParseError(
                f"the {self.grammar.name} grammar has no numbers", self.text, token.column
            )
        return read_number(token.text, self.text, token.column, self.limits)

    def _name(self, syntax: ast.Name) -> Node:
        symbol = self._token(syntax).symbol
        assert symbol is not None
        return Node(symbol.name)

    def _binary(self, syntax: ast.BinOp) -> Node:
        left, right = self._build(syntax.left), self._build(syntax.right)
        if isinstance(syntax.op, ast.Sub) and self.grammar.has_integers:
            return Node("add", (left, negate(right)))
        symbol = self.grammar.by_infix.get(_OPERATORS.get(type(syntax.op), ""))
        if symbol is None:
            raise ParseError(
                f"the {self.grammar.name} grammar has no operator "
                f"{_OPERATORS.get(type(syntax.op), '')!r}",
                self.text,
                self._token(syntax).column,
            )
        return Node(symbol.name, (left, right))

    def _unary(self, syntax: ast.UnaryOp) -> Node:
        operand = self._build(syntax.operand)
        if isinstance(syntax.op, ast.USub) and self.grammar.has_integers:
            return negate(operand)
        if isinstance(syntax.op, ast.UAdd) and self.grammar.has_integers:
            return operand
        if isinstance(syntax.op, ast.Invert) and "not" in self.grammar:
            return Node("not", (operand,))
        raise self._refuse(syntax)

    def _call(self, syntax: ast.Call) -> Node:
        token = self._token(syntax)
        symbol = token.symbol
        if symbol is None or not isinstance(syntax.func, ast.Name) or syntax.keywords:
            raise self._refuse(syntax)
        arguments = [self._build(argument) for argument in syntax.args]
        if symbol.name == "ln" and len(arguments) == 2:
            return logarithm(arguments[0], arguments[1])
        if token.text in _CALLED_OPERATORS and len(arguments) > symbol.arity == 2:
            return reduce(lambda left, right: Node(symbol.name, (left, right)), arguments)
        if len(arguments) != symbol.arity:
            raise ParseError(
                f"{token.text!r} takes {symbol.arity} argument{'s'[: symbol.arity > 1]}, "
                f"not {len(arguments)}",
                self.text,
                token.column,
            )
        return Node(symbol.name, tuple(arguments))


_BUILDERS: Mapping[type[ast.expr], Callable[[_Reader, Any], Node]] = {
    ast.Constant: _Reader._constant,
    ast.Name: _Reader._name,
    ast.BinOp: _Reader._binary,
    ast.UnaryOp: _Reader._unary,
    ast.Call: _Reader._call,
}

_OPERATORS: Mapping[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "**",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.RShift: ">>",
}


@dataclass(frozen=True, slots=True)
class _Text:
    """Written text and how tightly Python binds it."""

    text: str
    binding: int

    def within(self, binding: int) -> str:
        """The text as an operand that must bind at least this tightly."""
        return self.text if self.binding >= binding else f"({self.text})"


_ATOM = 100
_UNARY = 8
# How tightly Python binds each operator; all but `**` group to the left. Python binds `>>` tighter
# than `&`, people looser: it is written in parentheses, and so are its operands.
_BINDING: Mapping[str, int] = {
    ">>": 0, "|": 1, "^": 2, "&": 3, "+": 5, "-": 5, "*": 6, "/": 6, "~": _UNARY, "**": 9,
}  # fmt: skip


def _write(tree: Node, grammar: Grammar) -> _Text:
    if isinstance(tree.symbol, int):
        return _Text(write_integer(tree.symbol), _ATOM if tree.symbol >= 0 else _UNARY)
    if is_negated(tree):
        return _Text(f"-{_write(tree.arguments[1], grammar).within(_UNARY + 1)}", _UNARY)
    spelling = grammar[tree.symbol].infix
    if spelling == "+" and grammar.has_integers:
        return _write_sum(tree, grammar)
    arguments = tuple(_write(argument, grammar) for argument in tree.arguments)
    if spelling not in _BINDING:
        inside = f"({', '.join(argument.text for argument in arguments)})" if arguments else ""
        return _Text(spelling + inside, _ATOM)
    if len(arguments) == 1:
        return _Text(spelling + arguments[0].within(_UNARY), _UNARY)
    return _write_binary(spelling, *arguments)


def _write_binary(spelling: str, left: _Text, right: _Text) -> _Text:
    binding = _BINDING[spelling]
    if spelling == "**":
        return _Text(f"{left.within(_ATOM)}**{right.within(_ATOM)}", binding)
    if spelling == ">>":
        return _Text(f"{left.within(_UNARY)} >> {right.within(_UNARY)}", binding)
    # An operand that starts with a minus is legal after `*` but hard to read.
    second = right.within(_ATOM if right.text.startswith("-") else binding + 1)
    space = "" if spelling in ("*", "/") else " "
    return _Text(f"{left.within(binding)}{space}{spelling}{space}{second}", binding)


def _write_sum(tree: Node, grammar: Grammar) -> _Text:
    """A sum, with a minus where reading turns it back into the same second term."""
    binding = _BINDING["+"]
    first, second = tree.arguments
    left = _write(first, grammar).within(binding)
    if is_negated(second):
        inner = second.arguments[1]
        hides_sign = isinstance(leading_factor(inner).symbol, int)
        right = _write(inner, grammar).within(_ATOM if hides_sign else binding + 1)
        return _Text(f"{left} - {right}", binding)
    right = _write(second, grammar).within(binding + 1)
    head = leading_factor(second).symbol
    if isinstance(head, int) and head < 0:
        return _Text(f"{left} - {right.removeprefix('-')}", binding)
    return _Text(f"{left} + {right}", binding)
