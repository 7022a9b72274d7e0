r"""LaTeX in: `\frac{\sin x}{2}`, as people type it and as SymPy prints it.

A hand-written recursive descent parser. What can be read in two ways (`1/2x`, `\sin x (x+1)`,
`\sin x/2`, `tan(x)`, `2e-3`, `2\frac{1}{2}`, `p(x)`, `dx`, `\|x\|`, `\{x\}`) and what is not an
expression (calculus, equations, subscripts) is refused with a sentence. `\log` is the natural
logarithm, `\sin^{-1}` the inverse function, `\sqrt[n]{u}` is `u^{1/n}`, and `e^{u}` is `\exp(u)`
while `{e}^{u}` is the power of the constant.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate
from typing import TYPE_CHECKING

from equivec.errors import LimitError, ParseError
from equivec.expression.grammar import ELEMENTARY, INVERSES, Grammar, Symbol
from equivec.expression.infix import parse_infix
from equivec.expression.latex_tokens import BAR_CLOSE, BAR_OPEN, Token, cut
from equivec.expression.limits import (
    DEFAULT_LIMITS,
    Limits,
    check_length,
    check_nesting,
    check_tree,
)
from equivec.expression.readings import (
    GAP,
    INDEX,
    LABEL,
    NORM,
    ORDINAL,
    REPEATING,
    SIZE,
    SQUARE,
    UNREAD_LATEX,
    application,
    differential,
    is_label,
    is_lone,
    may_be_applied,
    may_repeat,
    upright,
    word,
)
from equivec.expression.spelling import (
    find_symbol,
    logarithm,
    read_number,
    spelt_name,
    spelt_word,
    unknown_name,
)
from equivec.expression.tree import Node, is_literal, negate, negative_literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# A factor within a factor takes up to a dozen calls, of the thousand that Python has for everybody.
LATEX_NESTING = 80

_CLOSING = {"(": ")", "[": "]", "{": "}"}
_BRACKETS = _CLOSING | {BAR_OPEN: BAR_CLOSE}


def parse_latex(text: str, grammar: Grammar = ELEMENTARY, limits: Limits = DEFAULT_LIMITS) -> Node:
    r"""The tree that a LaTeX text spells.

    >>> from equivec.expression.infix import write_infix
    >>> write_infix(parse_latex(r"\frac{3\sin^2 x}{\sqrt[3]{x}} - 2x e^{-x}"))
    '3*sin(x)**2/x**(1/3) - 2*x*exp(-x)'
    >>> parse_latex(r"\int x dx")
    Traceback (most recent call last):
    equivec.errors.ParseError: column 1: '\int' is calculus; only expressions without it are read
    """
    check_length(text, limits)
    if not grammar.has_integers:
        return _parse_by_infix(text, grammar, limits)
    try:
        tree = _Parser(text, grammar, limits).parse()
    except RecursionError:
        raise LimitError("the expression is nested too deeply to be read") from None
    return check_tree(tree, limits)


def _parse_by_infix(text: str, grammar: Grammar, limits: Limits) -> Node:
    """The tree of a grammar without fractions and functions, its symbols spelt the infix way."""
    tokens = list(cut(text))
    _check_implications(tokens, text, grammar)
    pieces = [_infix_spelling(token, text, grammar) for token in tokens]
    starts = [0, *accumulate(len(piece) + 1 for piece in pieces)]
    try:
        return parse_infix(" ".join(pieces).rstrip(), grammar, limits)
    except ParseError as error:
        if error.column is None:
            raise
        column = tokens[bisect_left(starts, error.column)].column
        raise type(error)(error.problem, text, column) from None


def _check_implications(tokens: list[Token], text: str, grammar: Grammar) -> None:
    """Refuse an implication beside another operator: not all agree on which of them binds first."""
    operators = [""]  # the last one in each bracket that is open
    for token in tokens:
        row = grammar.by_latex.get(token.text)
        if token.text == "(":
            operators.append("")
        elif token.text == ")" and len(operators) > 1:
            operators.pop()
        elif row is not None and row.arity == 2:
            if operators[-1] and "implies" in (operators[-1], row.name):
                raise ParseError(
                    f"'{token.text}' beside another operator can be read in two ways; "
                    "add parentheses",
                    text,
                    token.column,
                )
            operators[-1] = row.name


def _infix_spelling(token: Token, text: str, grammar: Grammar) -> str:
    row = grammar.by_latex.get(_LATEX_SIGNS.get(token.text, token.text))
    if row is not None:
        return row.infix
    if token.kind == "command":
        near = grammar.suggest(token.text, grammar.by_latex)
        hint = f"; did you mean {near}?" if near else ""
        raise ParseError(
            f"'{token.text}' is not a command of the {grammar.name} grammar{hint}",
            text,
            token.column,
        )
    if token.kind == "sign" and token.text not in _SIGNS_OF_INFIX:
        raise ParseError(f"'{token.text.strip('()')}' cannot stand here", text, token.column)
    return token.text


# Signs that the tokens have in their plain form, and those that infix has an answer to.
_LATEX_SIGNS = {"*": r"\cdot"}
_SIGNS_OF_INFIX = ("(", ")", "=", "<", ">")


class _Parser:
    """A place in the tokens; one method a rule, the loosest binding first."""

    def __init__(self, text: str, grammar: Grammar, limits: Limits) -> None:
        self.text = text
        self.grammar = grammar
        self.limits = limits
        self.tokens = list(cut(text))
        self.position = 0
        self.depth = 0  # how many factors the place lies in
        self.nesting = min(limits.depth, LATEX_NESTING)
        self.bars = False  # whether a plain | here would close an absolute value
        self.unseen: set[int] = set()  # where braces stand that TeX does not show
        self.named: Token | None = None  # the name that the last factor is, or is a power of

    # ---- moving along

    @property
    def token(self) -> Token:
        return self.tokens[self.position]

    def advance(self) -> Token:
        token = self.token
        self.position += 1
        return token

    def at(self, *texts: str) -> bool:
        return self.token.kind in ("sign", "command") and self.token.text in texts

    def accept(self, text: str) -> bool:
        if self.at(text):
            self.position += 1
            return True
        return False

    def expect(self, text: str, opened: Token) -> None:
        if not self.accept(text):
            if self.token.kind == "end":
                raise self.error(f"'{opened.text}' is never closed", opened)
            raise self.misplaced(f"; '{text}' should close the '{opened.text}'")

    def error(self, problem: str, token: Token | None = None) -> ParseError:
        return ParseError(problem, self.text, (token or self.token).column)

    def misplaced(self, hint: str = "") -> ParseError:
        token = self.token
        if token.kind != "word" and token.text in UNREAD_LATEX:
            return self.error(UNREAD_LATEX[token.text])
        if token.kind == "end":
            return self.error("the text ends where a number, a name or a bracket should stand")
        if token.kind == "command":
            return self._unknown_command(token)
        return self.error(f"'{token.text}' cannot stand here{hint}")

    def _unknown_command(self, token: Token) -> ParseError:
        near = self.grammar.suggest(token.text, self.commands())
        hint = (
            f"did you mean {near}?"
            if near
            else (f"variables are {', '.join(self.grammar.variables)}")
        )
        return self.error(f"'{token.text}' is not a command of this grammar; {hint}")

    def commands(self) -> list[str]:
        return [
            *(row.latex for row in self.grammar.symbols),
            *_COMMANDS,
            r"\log",
            r"\cdot",
            r"\times",
        ]

    # ---- rules

    def parse(self) -> Node:
        if self.token.kind == "end":
            raise ParseError("there is no expression: the text is empty")
        if is_label(self.tokens):
            raise self.error(LABEL)
        self._check_size()
        tree = self.sum()
        if self.token.kind != "end":
            raise self.misplaced()
        return tree

    def _check_size(self) -> None:
        r"""Refuse `m \times n` alone, as sizes are given."""
        inside = [token for token in self.tokens if token.text not in ("{", "}", "(", ")", "")]
        if len(inside) == 3 and self.text.startswith(r"\times", inside[1].column):
            raise self.error(SIZE, inside[1])

    def sum(self) -> Node:
        tree = self.signed_term()
        while self.at("+", "-"):
            is_minus = self.at("-")
            self.advance()
            term = self.negative_term() if is_minus else self.signed_term()
            tree = Node("add", (tree, term))
        return tree

    def signed_term(self) -> Node:
        if self.accept("-"):
            return self.negative_term()
        self.accept("+")
        return self.term()

    def negative_term(self) -> Node:
        """A term after a minus, which an integer or a fraction of integers takes into itself."""
        if self.at("-", "+"):
            return negate(self.signed_term())
        start = self.position
        first = self.factor()
        literal = self.position - start == 1 or self.tokens[start].text == r"\frac"
        if literal and is_literal(first):
            return self.products(negative_literal(first))
        return negate(self.products(first))

    def term(self) -> Node:
        return self.products(self.factor())

    def products(self, tree: Node) -> Node:
        """The factors that follow a first one, with or without a sign of multiplication."""
        after_slash = False
        while True:
            if self.at("*", "/"):
                after_slash = self.at("/")
                self.advance()
                tree = Node("div" if after_slash else "mul", (tree, self.signed_factor()))
            elif self.begins_operand():
                beside = self._check_juxtaposition(after_slash)
                tree = Node("mul", (tree, self._not_mixed(self.factor(), beside)))
            else:
                return tree

    def _check_juxtaposition(self, after_slash: bool) -> Token | None:
        """Refuse what cannot stand side by side; a fraction beside a number is yet to be seen."""
        previous, token = self._seen_before(), self._seen_here()
        if token.is_apart or self.token.is_apart:
            raise self.error(GAP)
        if self.named is not None:
            self._check_named(self.named)
        if self.at("(") and may_repeat(self.tokens, self.position):
            raise self.error(REPEATING, token)
        if after_slash:
            raise self.error(
                "a product after '/' can be read in two ways; use \\frac or parentheses"
            )
        if token.kind == "number" and previous.kind != "sign":
            raise self.error(
                f"the number '{token.text}' stands beside a factor; put \\cdot between them", token
            )
        return token if previous.kind == "number" and token.text == r"\frac" else None

    def _seen_before(self) -> Token:
        """The token in front of this place, as the reader of the formula sees it."""
        position = self.position - 1
        while position in self.unseen:
            position -= 1
        return self.tokens[position]

    def _seen_here(self) -> Token:
        return self.tokens[self._place_seen()]

    def _place_seen(self) -> int:
        position = self.position
        while self.tokens[position].text == "{":
            position += 1
        return position

    def _check_named(self, name: Token) -> None:
        """Refuse a name beside a factor that it may be a function or the differential of."""
        place = self._place_seen()
        seen = self.tokens[place]
        if seen.kind == "sign" and seen.text in ("(", "[") and may_be_applied(self.tokens, place):
            raise self.error(application(name.text, " \\cdot "), name)
        is_named = seen.kind in ("letter", "word") or self.function() is not None
        if name.text == "d" and is_named:
            raise self.error(differential(seen.text, " \\cdot "), name)

    def _not_mixed(self, factor: Node, fraction: Token | None) -> Node:
        """The factor, unless with the number before it it may be a mixed number."""
        base = factor
        while base.symbol in ("pow", "mul"):
            base = base.arguments[0]
        is_numeric = base.symbol == "div" and all(part.is_integer for part in base.arguments)
        if fraction is not None and is_numeric:
            raise self.error(
                "a number beside a fraction can be a sum or a product; write + or \\cdot", fraction
            )
        return factor

    def signed_factor(self) -> Node:
        if self.accept("-"):
            return negate(self.signed_factor())
        self.accept("+")
        return self.factor()

    def begins_operand(self) -> bool:
        kind, text = self.token.kind, self.token.text
        if kind == "sign":
            return text in _CLOSING or text == BAR_OPEN or (text == "|" and not self.bars)
        return kind in ("number", "letter", "word") or (
            kind == "command" and (text in _COMMANDS or self.function() is not None)
        )

    def factor(self) -> Node:
        """An atom and its superscript."""
        self.go_deeper()
        token = self.token
        tree = self.atom()
        is_name = tree.is_leaf and (token.kind in ("letter", "word") or token.text == r"\pi")
        # Braces that TeX does not show leave the name that stands last in them.
        named = token if is_name else self.named if token.text == "{" else None
        if self.accept("^"):
            exponent = self.superscript()
            named = named if tree.symbol in self.grammar.variables else None
            is_e = token.kind in ("letter", "word") and tree.symbol == "E"
            tree = Node("exp", (exponent,)) if is_e else Node("pow", (tree, exponent))
            if self.at("^"):
                raise self.error("a second superscript; put braces around the power")
        self.named = named
        self.depth -= 1
        return tree

    def go_deeper(self) -> None:
        self.depth += 1
        check_nesting(self.depth, self.text, self.token.column, self.nesting)

    def macro_argument(self) -> Node:
        r"""The argument of `\frac` or `\sqrt`: a group or, in TeX, a single digit or letter."""
        token = self.token
        if token.kind == "number" and token.text.isdigit() and len(token.text) > 1:
            rest = Token("number", token.text[1:], token.column + 1)
            self.tokens[self.position : self.position + 1] = [
                Token("number", token.text[0], token.column),
                rest,
            ]
        return self.script()

    def superscript(self) -> Node:
        texts = [token.text for token in self.tokens[self.position : self.position + 5]]
        if texts[:2] == ["{", "("] and texts[3:] == [")", "}"]:
            raise self.error(INDEX)
        if self.text.startswith("{nd}", self.token.column):
            raise self.error(ORDINAL)
        return self.script()

    def script(self) -> Node:
        """What stands in a superscript: a group or a single sign."""
        if self.at("{"):
            return self.group()
        token = self.token
        if token.kind == "number" and len(token.text) > 1:
            # TeX takes one digit: x^12 is x^1 2, which nobody means.
            raise self.error(f"put braces around '{token.text}': TeX takes only its first digit")
        if token.kind in ("letter", "number", "word") or self.at(*_COMMANDS):
            self.go_deeper()
            tree = self.atom()
            self.depth -= 1
            return tree
        raise self.misplaced("; put braces around what belongs here")

    def group(self) -> Node:
        opened = self.advance()
        bars, self.bars = self.bars, False
        tree = self.sum()
        self.expect(_CLOSING[opened.text], opened)
        self.bars = bars
        return tree

    def atom(self) -> Node:
        token = self.token
        if self.function() is not None:
            return self.application()
        if token.kind == "number":
            self.advance()
            return read_number(token.text, self.text, token.column, self.limits)
        if token.kind in ("letter", "word"):
            return self.name()
        if self.at("{"):
            return self.braces()
        if token.kind == "sign" and token.text in _CLOSING:
            return self.group() if token.text == "(" else self.square()
        if self.at("|", BAR_OPEN):
            return self.absolute()
        command = _COMMANDS.get(token.text) if token.kind == "command" else None
        if command is None:
            raise self.misplaced()
        self.advance()
        return command(self, token)

    def square(self) -> Node:
        """Square brackets, where a product or a power needs them."""
        start, opened = self.position, self.token
        tree = self.group()
        if self._stands_alone(start) or is_lone(self.tokens, start, self.position - 1):
            raise self.error(SQUARE, opened)
        return tree

    def _stands_alone(self, start: int) -> bool:
        """Whether nothing stands beside what began at a place and ends here."""
        is_first = start == 0 or self.tokens[start - 1].text in (*_BRACKETS, "|")
        is_last = self.token.text in ("", *_BRACKETS.values()) or (self.bars and self.at("|"))
        return is_first and is_last

    def braces(self) -> Node:
        """Braces that TeX does not show: a sum in them must stand alone, as `2{x+1}` shows 2x+1."""
        start = self.position
        tree = self.group()
        self.unseen |= {start, self.position - 1}
        if not self._stands_alone(start) and self._has_sign(start + 1, self.position - 1):
            raise self.error("TeX does not show these braces; use parentheses", self.tokens[start])
        return tree

    def _has_sign(self, start: int, end: int) -> bool:
        """Whether a plus or minus stands between two places, outside of brackets one sees."""
        depth = 0
        for position in range(start, end):
            text = self.tokens[position].text
            if position not in self.unseen:
                depth += (text in _BRACKETS) - (text in _BRACKETS.values())
            if depth == 0 and text in ("+", "-"):
                return True
        return False

    def name(self) -> Node:
        self._check_letters()
        token = self.advance()
        if token.kind == "word" and len(token.text) == 1 and token.text != "e":
            raise self.error(upright(token.text), token)
        symbol = find_symbol(token.text, self.grammar)
        if symbol is None:
            raise unknown_name(token.text, self.grammar, self.text, token.column)
        if self.at("_"):
            raise self.misplaced()
        return Node(symbol.name)

    def _check_letters(self) -> None:
        """Refuse letters side by side that spell a name: `tan(x)` is not `t a n (x)`."""
        spelt = spelt_word(self.text, self.token.column)
        if spelt is not None:
            raise self.error(word(spelt))
        found = spelt_name(self.text, self.token.column, self.grammar)
        if found is not None:
            name, symbol = found
            raise self.error(
                f"is '{name}' a name or a product? write {symbol.latex} or {' '.join(name)}"
            )

    def absolute(self) -> Node:
        opened = self.advance()
        is_plain = opened.text == "|"
        bars, self.bars = self.bars, is_plain
        is_double = is_plain and self.at("|")
        tree = self.sum()
        if is_double and tree.symbol == "abs":
            raise self.error(NORM, opened)
        self.expect("|" if is_plain else BAR_CLOSE, opened)
        self.bars = bars
        return Node("abs", (tree,))

    # ---- functions

    def function(self) -> Symbol | None:
        """The function whose name stands here, if one does."""
        token = self.token
        if token.kind == "word":
            symbol = find_symbol(token.text, self.grammar)
        elif token.kind == "command" and token.text not in _COMMANDS:
            symbol = find_symbol(token.text[1:], self.grammar)
        else:
            return None
        return symbol if symbol is not None and symbol.arity == 1 else None

    def application(self) -> Node:
        r"""A function, its script (`\sin^2`, `\log_2`) and its argument."""
        symbol = self.function()
        assert symbol is not None
        name = self.advance()
        base = self._base(symbol)
        power: Node | None = None
        if self.accept("^"):
            power = self.superscript()
            base = base or self._base(symbol)
        argument = self.argument(name)
        if power is not None and power.symbol == -1:
            return self._inverse(symbol, name, argument)
        tree = Node(symbol.name, (argument,)) if base is None else logarithm(argument, base)
        if power is None:
            return tree
        if self.at("^"):
            raise self.error("a second superscript; put parentheses around the power")
        return Node("pow", (tree, power))

    def _base(self, symbol: Symbol) -> Node | None:
        if not self.at("_"):
            return None
        if symbol.name != "ln":
            raise self.misplaced()
        self.advance()
        return self.script()

    def _inverse(self, symbol: Symbol, name: Token, argument: Node) -> Node:
        inverse = INVERSES.get(symbol.name)
        if inverse is None:
            raise self.error(
                f"a superscript -1 on '{name.text}' can mean two things; write it out",
                name,
            )
        return Node(inverse, (argument,))

    def argument(self, name: Token) -> Node:
        """A bracketed argument, or the factors up to the next sign, bracket or function."""
        if self.at("(", "[", "{"):
            return self._bracketed_argument(name)
        if self.accept("-"):
            return negate(self.argument(name))
        if not self.begins_operand():
            raise self.misplaced(f"; '{name.text}' needs an argument")
        is_function, start = self.function() is not None, self.position
        tree = self.factor()
        while not is_function and self.begins_operand() and self.function() is None:
            if self._may_end_argument(start):
                raise self._endless(name)
            beside = self._check_juxtaposition(after_slash=False)
            tree = Node("mul", (tree, self._not_mixed(self.factor(), beside)))
        if self.at("/") and not self._is_function_next():
            raise self._endless(name)
        return tree

    def _may_end_argument(self, start: int) -> bool:
        r"""Whether the operand here may stand beside the argument that began at a start.

        All agree on `\sin 2\pi x`; but a bracket may stand beside it, and so may all but a letter
        where more than a number came before.
        """
        if self.at("(", "[", "{", "|", BAR_OPEN):
            return True
        is_power_of_e = self.token.text == "e" and self.tokens[self.position + 1].text == "^"
        is_letter = self.token.kind == "letter" and not is_power_of_e
        is_after_number = self.position == start + 1 and self.tokens[start].kind == "number"
        return not is_letter and not is_after_number

    def _is_function_next(self) -> bool:
        r"""Whether a function comes after the sign here, as in `\sin x / \cos x`."""
        self.position += 1
        is_function = self.function() is not None
        self.position -= 1
        return is_function

    def _endless(self, name: Token) -> ParseError:
        return self.error(f"where does the argument of '{name.text}' end? put it in brackets")

    def _bracketed_argument(self, name: Token) -> Node:
        is_brace = self.at("{")
        shows_brackets = not is_brace or self.tokens[self.position + 1].text in ("(", "[", BAR_OPEN)
        argument = self.group()
        if not shows_brackets and self.at("^"):
            raise self.error(
                f"does the power belong to '{name.text}' or to its argument? use brackets"
            )
        return argument

    # ---- commands

    def fraction(self, token: Token) -> Node:
        if self._is_derivative():
            raise self.error(
                "this is a derivative; only expressions without calculus are read", token
            )
        numerator = self.macro_argument()
        return Node("div", (numerator, self.macro_argument()))

    def _is_derivative(self) -> bool:
        r"""Whether `\frac{d..}{d x}` follows: a d above, and below a d before a letter."""
        above = self.tokens[self.position : self.position + 2]
        if [token.text for token in above] != ["{", "d"]:
            return False
        position, depth = self.position + 1, 1
        while depth and self.tokens[position].text:
            depth += {"{": 1, "}": -1}.get(self.tokens[position].text, 0)
            position += 1
        below = self.tokens[position : position + 3]
        return [t.text for t in below[:2]] == ["{", "d"] and below[2].kind == "letter"

    def root(self, _: Token) -> Node:
        index: Node | None = None
        if self.at("["):
            index = self.group()
        radicand = self.macro_argument()
        if index is None or index.symbol == 2:
            return Node("sqrt", (radicand,))
        return Node("pow", (radicand, Node("div", (Node(1), index))))

    def pi(self, _: Token) -> Node:
        return Node("pi")


_COMMANDS: Mapping[str, Callable[[_Parser, Token], Node]] = {
    r"\frac": _Parser.fraction,
    r"\sqrt": _Parser.root,
    r"\pi": _Parser.pi,
}
