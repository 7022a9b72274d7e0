"""Plain text read into trees: the form that Python and SymPy write, and what people type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equivec.language import names, tokens
from equivec.language.infix_names import ACCENTS, CALLS
from equivec.language.infix_tokens import cut_infix
from equivec.language.latex_reader import OnUnknown, Reader, read_tokens
from equivec.language.limits import DEFAULT_LIMITS, Limits, check_length
from equivec.language.operators import Binding
from equivec.language.reader.cursor import make, plain_name, plain_number
from equivec.language.reading import DEFAULT_READING, Reading
from equivec.language.tree import Apply, Number, Tree, Variable, is_applied

if TYPE_CHECKING:
    from equivec.language.tokens import Token

_ONE = plain_number("1")


class InfixReader(Reader):
    """The reader of LaTeX with names of several letters, calls, and scripts without braces."""

    # -- names

    def name(self) -> Tree:
        token = self.tokens[self.i]
        self.i += 1
        font = "" if token.font == "it" else token.font
        return self.named(
            plain_name(token.value, font),
            is_word=len(token.value) > 1 and (token.value not in names.LETTERS),
        )

    def letter_leaf(self, token: Token) -> Tree:
        return plain_name(token.value, "" if token.font == "it" else token.font)

    def is_differential(self, index: int) -> bool:
        return False

    def command(self) -> Tree:
        value = self.tokens[self.i].value
        if value.startswith("call "):
            return self.call(value[5:])
        if value == "sqrt sign":
            self.i += 1
            return make("sqrt", self.expression(Binding.PRODUCT))
        return super().command()

    def starts_operand(self, index: int) -> bool:
        token = self.tokens[index]
        if token.kind == tokens.COMMAND:
            return token.value.startswith(("call ", "sqrt"))
        return super().starts_operand(index)

    def command_after(self, left: Tree, binding: int, token: Token) -> Tree | None:
        if token.value.startswith(("call ", "sqrt")):
            return self.juxtapose(left, binding)
        return None

    def juxtapose(self, left: Tree, binding: int) -> Tree | None:
        token = self.tokens[self.i]
        if self.fence == "script":
            return None
        if binding < Binding.PRODUCT and not self.starts_condition():
            is_clear = isinstance(left, Number) or self.tokens[self.i - 1].kind == tokens.CLOSE
            if not is_clear and token.kind in (tokens.NAME, tokens.NUMBER):
                raise self.fail(
                    "two names stand side by side; put an operator between them",
                    kind="side by side",
                )
        return super().juxtapose(left, binding)

    # -- scripts

    def superscript(self, base: Tree) -> tuple[str, Tree | None]:
        self.i += 1
        token = self.tokens[self.i]
        if token.kind == tokens.OPEN and token.value == "[":
            close = self.partner[self.i]
            if close < 0:
                raise self.fail("'[' is never closed", kind="bracket not closed")
            return "label", self.script_in(close)
        if token.kind == tokens.SIGN and token.value == "-":
            self.i += 1
            return "power", make("neg", self.exponent())
        return "power", self.exponent()

    def exponent(self) -> Tree:
        """What a power is raised to: an operand with its own scripts."""
        state = self.enter("")
        try:
            return self.prefix()
        finally:
            self.leave(state)

    def subscript(self) -> Tree | None:
        self.i += 1
        token = self.tokens[self.i]
        if token.kind == tokens.LBRACE:
            close = self.partner[self.i]
            if close < 0:
                raise self.fail("'{' is never closed", kind="brace")
            return self.script_in(close)
        if token.kind == tokens.NAME:
            self.i += 1
            return plain_name(token.value, token.font)
        if token.kind == tokens.NUMBER:
            self.i += 1
            return plain_number(token.value)
        if token.kind == tokens.OPEN and token.value == "(":
            return self.bracket()
        raise self.unexpected()

    def script_in(self, close: int) -> Tree:
        """What stands in the brackets of a script: parts side by side are indices."""
        self.i += 1
        state = self.enter("script")
        try:
            items = [self.script_item()]
            while self.at(tokens.COMMA):
                self.i += 1
                items.append(self.script_item())
            if self.i != close:
                raise self.unexpected()
        finally:
            self.leave(state)
        self.i = close + 1
        return items[0] if len(items) == 1 else make("list", *items)

    def script_item(self) -> Tree:
        """One item of a script."""
        if self.at(tokens.LBRACE):
            return self.script_in(self.partner[self.i])
        parts: list[Tree] = [self.statement()]
        while self.starts_operand(self.i):
            parts.append(self.statement())
        return parts[0] if len(parts) == 1 else make("index", *parts)

    # -- calls

    def call(self, name: str) -> Tree:
        """An operator by its name, or an accent over a name."""
        start = self.i
        self.i += 1
        close = self.partner[self.i]
        if close < 0:
            raise self.fail("'(' is never closed", kind="bracket not closed")
        arguments = self.call_arguments(close)
        if name in ACCENTS and len(arguments) == 1 and isinstance(arguments[0], Variable):
            inside = arguments[0]
            return self.named(inside.replaced(accents=(*inside.accents, name)), is_word=True)
        if name not in CALLS:
            raise self.fail(f"{name!r} takes one name", start, kind="accent")
        return self.postfix(self.called_operator(name, arguments))

    def called_operator(self, name: str, arguments: list[Tree]) -> Tree:
        """The operator of a call applied."""
        operator = CALLS[name]
        if any(is_applied(argument, "tuple") for argument in arguments[1:]):
            folded = self.with_limits(operator.name, arguments)
            if folded is not None:
                return folded
        if name in ("Limit", "limit") and len(arguments) == 3:
            return make("lim", arguments[0], make("to", arguments[1], arguments[2]))
        if name == "log" and len(arguments) == 2:
            return make("log_base", *arguments)
        if name == "log" and len(arguments) == 1:
            return self.value("log", Variable("log"), arguments)
        if operator.name in ("derivative", "partial") and len(arguments) in (1, 2):
            arguments = [*arguments, _ONE]
        return Apply(operator, tuple(arguments))

    def with_limits(self, name: str, arguments: list[Tree]) -> Tree | None:
        """What SymPy writes: Integral(f(x), (x, 0, 1)) and Sum(f(k), (k, 1, n))."""
        if name not in ("integral", "sum", "prod"):
            return None
        tree = arguments[0]
        for limits in arguments[1:]:
            parts = limits.arguments
            if not is_applied(limits, "tuple") or len(parts) != 3:
                return None
            if name == "integral":
                tree = make("integral_between", tree, *parts)
            else:
                tree = make(name, tree, make("eq", parts[0], parts[1]), parts[2])
        return tree

    def call_arguments(self, close: int) -> list[Tree]:
        """The arguments of a call; `k=1..n` are two."""
        self.i += 1
        arguments: list[Tree] = []
        state = self.enter("(")
        try:
            while self.i < close:
                arguments.append(self.statement())
                if self.at(tokens.COMMAND, "range"):
                    self.i += 1
                    arguments.append(self.statement())
                if self.at(tokens.COMMA):
                    self.i += 1
                elif self.i != close:
                    raise self.unexpected()
        finally:
            self.leave(state)
        self.i = close + 1
        return arguments

    def is_boundary(self, token: Token) -> bool:
        return (
            super().is_boundary(token)
            or (token.kind == tokens.COMMAND and token.value == "range")
            or (self.fence == "script" and self.starts_operand(self.i))
        )


InfixReader.operands = {
    **Reader.operands,
    tokens.NAME: InfixReader.name,
    tokens.COMMAND: InfixReader.command,
}


def read_infix(
    text: str,
    reading: Reading = DEFAULT_READING,
    on_unknown: OnUnknown = "refuse",
    limits: Limits = DEFAULT_LIMITS,
) -> Tree:
    """The tree that a plain text spells.

    >>> read_infix("sin(x)^2 + 2x") == read_infix("sin(x)**2 + 2*x")
    True
    """
    check_length(text, limits)
    return read_tokens(InfixReader, text, cut_infix(text), reading, on_unknown, limits)
