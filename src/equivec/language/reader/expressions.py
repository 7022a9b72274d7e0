"""Signs between operands: a Pratt parser over the table of signs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from equivec.language import symbols, tokens
from equivec.language.operators import Binding
from equivec.language.reader.cursor import (
    MISSING,
    make,
)
from equivec.language.reader.parts import Parts
from equivec.language.reader.signs import (
    LABELLED,
    MODULO,
    QUANTIFIERS,
    SCRIPTS,
    STARTERS,
    STARTING_COMMANDS,
)
from equivec.language.tree import Apply, Number, Tree, Variable, is_applied

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from equivec.language.tokens import Token


class Expressions(Parts):
    """Signs between operands: a Pratt parser over the table of signs."""

    # the method for each sign after an operand
    signs: Mapping[str, Callable[[Any, Tree, int, Token], Tree | None]]

    def expression(self, binding: int) -> Tree:
        self.steps -= 1
        if self.steps < 0:
            self.charge(0)
        return self.climb(self.prefix(), binding)

    def climb(self, left: Tree, binding: int) -> Tree:
        found = self.tokens
        while True:
            token = found[self.i]
            kind = token.kind
            result: Tree | None
            if kind == tokens.SIGN:
                handler = self.signs.get(token.value)
                if handler is None:
                    return left
                result = handler(self, left, binding, token)
            elif kind in STARTERS:
                if kind == tokens.OPEN and 0 <= self.partner[self.i] < self.i:
                    return left  # the end of ]a, b[
                result = self.juxtapose(left, binding)
            elif kind == tokens.COMMAND:
                result = self.command_after(left, binding, token)
            elif kind == tokens.BAR:
                result = self.bar_after(left, binding, token)
            elif kind in SCRIPTS:
                after = self.postfix(left)
                result = None if after is left else after
            elif (kind == tokens.NULL and token.value == "l") or (
                kind == tokens.DOT and found[self.i + 1].kind == tokens.DOT
            ):
                result = self.juxtapose(left, binding)
            else:
                return left
            if result is None:
                return left
            left = result

    def plain_sign(self, left: Tree, binding: int, token: Token) -> Tree | None:
        """A sign between two operands that groups to the left."""
        operator = symbols.INFIX[token.value]
        own = operator.notation.binding
        if binding >= own:
            return None
        self.i += 1
        following = self.tokens[self.i]
        if (
            token.value in ("+", "-")
            and following.kind in (tokens.CLOSE, tokens.RBRACE)
            and isinstance(left, Number | Variable)
        ):
            if isinstance(left, Variable) and left.superscript is None:
                return left.replaced(superscript=Variable(token.value))
            return make("starred", left, Variable(token.value))  # from the right: f(0+)
        if following.kind == tokens.SUB:  # a product with a name of its own: \otimes_R
            label = self.subscript()
            right = self.expression(own)
            return make("annotated", Apply(operator, (left, right)), label or MISSING)
        return Apply(operator, (left, self.expression(own)))

    def times_or_star(self, left: Tree, binding: int, token: Token) -> Tree | None:
        """`*` between two operands: a product, or a convolution of functions."""
        if binding >= Binding.PRODUCT:
            return None
        if self.tokens[self.i + 1].kind == tokens.SUB:
            return self.plain_sign(
                left, binding, tokens.Token(tokens.SIGN, r"\ast", token.start, token.end)
            )
        self.i += 1
        if not (isinstance(left, Number) or self.at(tokens.NUMBER)):
            self.follow("star as product", self.i - 1)
        return make("mul", left, self.expression(Binding.PRODUCT))

    def slash(self, left: Tree, binding: int, token: Token) -> Tree | None:
        """`a/b`, and what stands beside b."""
        if binding >= Binding.PRODUCT:
            return None
        self.i += 1
        start = self.i
        below = self.expression(Binding.PRODUCT)
        following = self.tokens[self.i]
        if (
            following.kind in STARTERS
            and not self.starts_condition()
            and not (self.is_differential(self.i) or following.kind == tokens.OPEN)
        ):
            gap = self.text[self.tokens[self.i - 1].end : following.start]
            if isinstance(below, Number):
                self.follow("number below a stroke", start)
            elif following.kind == tokens.NAME and "\\" not in gap and "~" not in gap:
                self.follow("names below a stroke", start)
                while self.tokens[self.i].kind == tokens.NAME and not self.is_differential(self.i):
                    below = make("mul", below, self.expression(Binding.PRODUCT))
            else:
                self.follow("names below a stroke", start)
        elif following.kind == tokens.OPEN and not self.starts_condition():
            self.follow("names below a stroke", start)
        return make("div", left, below)

    def starts_operand(self, index: int) -> bool:
        token = self.tokens[index]
        kind = token.kind
        if kind == tokens.NULL:
            return token.value == "l"
        return kind in STARTERS or (kind == tokens.COMMAND and token.value in STARTING_COMMANDS)

    def juxtapose(self, left: Tree, binding: int) -> Tree | None:  # noqa: C901 - a list of cases
        """A factor without a sign before it, or a side condition."""
        start = self.i
        token = self.tokens[start]
        if self.starts_condition():
            if binding > 0:
                return None
            self.follow("side condition")
            condition = self.bracket()
            return make("where", left, condition)
        if binding >= Binding.PRODUCT:
            return None
        if self.in_integral and self.ends_integrand(left):
            return None
        if isinstance(left, Number):
            if token.kind == tokens.NUMBER:
                self.follow("numbers side by side")
            if token.kind == tokens.LBRACE and self.is_braced_fraction():
                self.follow("mixed number")
                if left.is_integer:
                    return make("mixed", left, self.prefix())
            if token.kind == tokens.COMMAND and token.value == "mathord":
                return make("mixed", left, self.prefix())
            if (
                token.kind == tokens.COMMAND
                and token.value == "frac"
                and self.is_numeric_fraction()
            ):
                self.follow("mixed number")
                if left.is_integer:
                    return make("mixed", left, self.prefix())
        if (
            self.fence == "script"
            and isinstance(left, Variable | Apply)
            and (isinstance(left, Variable) or left.name == "index")
        ):
            right = self.expression(Binding.PRODUCT)
            if isinstance(right, Variable | Number):
                before = left.arguments if is_applied(left, "index") else (left,)
                return make("index", *before, right)
            return make("mul", left, right)
        right = self.expression(Binding.PRODUCT)
        if self.tokens[start - 1].kind == tokens.RBRACE and ends_in_operator(left):
            return applied_operator(left, right)  # {d/dx} f, in braces as wikis write it
        if is_applied(left, "dots"):
            return make("index", left, right)
        if isinstance(left, Number) and not left.is_integer and is_applied(right, "dots"):
            return make("index", left, right)  # 0.333...
        return make("mul", left, right)

    def ends_integrand(self, left: Tree) -> bool:
        """Whether a differential stands last, and no further one follows."""
        return (
            ends_in_differential(left)
            and not self.is_differential(self.i)
            and not is_first_differential(left)
        )

    def is_braced_fraction(self) -> bool:
        """Whether braces hold one fraction of two integers."""
        following = self.tokens[self.i + 1]
        if following.kind != tokens.COMMAND or following.value != "frac":
            return False
        self.i += 1
        end = self.after_group(self.after_group(self.i + 1))
        is_one = self.is_numeric_fraction()
        self.i -= 1
        return is_one and self.partner[self.i] == end

    def is_numeric_fraction(self) -> bool:
        """Whether the fraction that follows is one of two integers."""
        above, index = False, self.i + 1
        for _ in range(2):
            token = self.tokens[index]
            if token.kind == tokens.LBRACE and self.partner[index] == index + 2:
                token = self.tokens[index + 1]
            above = token.kind == tokens.NUMBER and "." not in token.value
            if not above:
                return False
            index = self.after_group(index)
        return above

    def command_after(self, left: Tree, binding: int, token: Token) -> Tree | None:
        """A command after an operand."""
        value = token.value
        if value in STARTING_COMMANDS:
            return self.juxtapose(left, binding)
        if value in MODULO:
            if binding >= Binding.MODULO:
                return None
            self.i += 1
            modulus = self.argument() if value != "mod" else self.expression(Binding.SUM - 1)
            return make("modulo", left, modulus)
        if value in LABELLED:
            return self.labelled(left, binding, value)
        if value == "colon":
            return self.colon(left, binding, token)
        if value in QUANTIFIERS and binding < Binding.WHERE:
            return make("where", left, self.quantifier())
        if value == "prime":
            self.i += 1
            return make("starred", left, Variable("'"))
        return None


def ends_in_operator(tree: Tree) -> bool:
    """Whether a derivative waits last for what it is taken of."""
    if is_applied(tree, "mul"):
        return ends_in_operator(tree.arguments[1])
    return is_applied(tree, "derivative_operator", "partial_operator")


def applied_operator(left: Tree, right: Tree) -> Tree:
    """The derivative that waits last, taken of what follows."""
    if is_applied(left, "mul"):
        return make("mul", left.arguments[0], applied_operator(left.arguments[1], right))
    name = "derivative" if is_applied(left, "derivative_operator") else "partial"
    return make(name, right, *left.arguments)


def ends_in_differential(tree: Tree) -> bool:
    """Whether the last factor is a differential, or one stands above a stroke."""
    if is_applied(tree, "mul"):
        return ends_in_differential(tree.arguments[1])
    if is_applied(tree, "div", "neg", "pow"):
        return ends_in_differential(tree.arguments[0])
    return is_applied(tree, "differential")


def is_first_differential(tree: Tree) -> bool:
    """Whether only differentials stand so far: `\\int dx f(x)`."""
    if is_applied(tree, "mul"):
        return all(is_first_differential(argument) for argument in tree.arguments)
    return is_applied(tree, "differential")
