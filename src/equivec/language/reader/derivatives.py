"""Derivatives as fractions, and the signs of partial derivatives and gradients."""

from __future__ import annotations

from equivec.language import tokens
from equivec.language.operators import Binding
from equivec.language.reader.cursor import (
    MISSING,
    make,
    plain_number,
)
from equivec.language.reader.evidence import after_scripts
from equivec.language.reader.parts import Parts
from equivec.language.tree import Number, Tree, Variable

_ONE = plain_number("1")


class Derivatives(Parts):
    """Derivatives as fractions, and the signs of partial derivatives and gradients."""

    def partial(self) -> Tree:
        r"""`\partial`: of something, or alone."""
        self.i += 1
        lower, upper = self.limits_of_sign()
        scripts = [lower or MISSING] if lower is not None or upper is not None else []
        scripts += [upper] if upper is not None else []
        if self.begins_body() and not self.at(tokens.SIGN):
            return make("partial_sign", self.expression(Binding.PRODUCT), *scripts)
        if scripts:
            return make("partial_sign", MISSING, *scripts)
        return make("partial_alone")

    def nabla(self) -> Tree:
        r"""`\nabla f`, `\nabla \cdot F`, `\nabla \times F`, `\nabla^2 f`."""
        self.i += 1
        if self.at(tokens.SUB) or self.at(tokens.SUP):
            sign = self.postfix(make("nabla_sign"))
            if self.begins_body() and not self.at(tokens.SIGN):
                return make("mul", sign, self.expression(Binding.PRODUCT))
            return sign
        for value, name in ((r"\cdot", "divergence"), (r"\times", "rotation")):
            if self.at(tokens.SIGN, value):
                self.i += 1
                return make(name, self.expression(Binding.PRODUCT))
        if self.begins_body() and not self.at(tokens.SIGN):
            return make("nabla", self.expression(Binding.PRODUCT))
        return make("nabla_sign")

    def derivative_fraction(self) -> Tree | None:
        first, last, after = self.span(self.i)
        below, below_last, end = self.span(after)
        sign = self.tokens[first]
        if not _is_d(sign) or first >= last or below >= below_last:
            return None
        if not self.is_same_d(sign, below):
            return None
        variables = self.denominator(below, below_last, sign.value)
        if variables is None:
            return None
        name = "partial" if sign.value == "partial" else "derivative"
        index = first + 1
        if self.tokens[index].kind == tokens.SUP and index < last:
            index = after_scripts(self.tokens, self.partner, index)
        if index < last:
            self.i = index
            state = self.enter("")
            try:
                body = self.expression(0)
                if self.i != last:
                    raise self.unexpected()
            finally:
                self.leave(state)
            self.i = end
            return self.postfix(make(name, body, *variables))
        self.i = end
        return self.applied_derivative(name, variables)

    def applied_derivative(self, name: str, variables: list[Tree]) -> Tree:
        """A derivative before what it is taken of: a bracket, or the product that follows."""
        if self.at(tokens.OPEN) and self.partner[self.i] > 0:
            return self.postfix(make(name, self.bracket(), *variables))
        if not self.begins_body() or self.at(tokens.SIGN):
            return make(f"{name}_operator", *variables)
        body = self.expression(Binding.PRODUCT)
        while (
            self.starts_operand(self.i)
            and not self.is_differential(self.i)
            and not self.at(tokens.OPEN)
        ):
            body = make("mul", body, self.expression(Binding.PRODUCT))
        return make(name, body, *variables)

    def span(self, index: int) -> tuple[int, int, int]:
        """Where an argument begins and ends without its braces, and what comes after it."""
        if self.tokens[index].kind != tokens.LBRACE:
            return index, min(index + 1, len(self.tokens) - 1), min(index + 1, len(self.tokens) - 1)
        first, last = index + 1, self.partner[index]
        after = last + 1
        if last < 0:
            return index, index, index
        while (
            last - first > 2
            and self.tokens[first].kind == tokens.LBRACE
            and self.partner[first] == last - 1
        ):
            first, last = first + 1, last - 1
        return first, last, min(after, len(self.tokens) - 1)

    def is_same_d(self, sign: tokens.Token, index: int) -> bool:
        """Whether the denominator begins with the same sign as the numerator."""
        token = self.tokens[index]
        if token.kind == tokens.LBRACE:
            token = self.tokens[index + 1]
        return _is_d(token) and token.value == sign.value

    def denominator(self, index: int, last: int, sign: str) -> list[Tree] | None:
        """The variables of a derivative, each with its order; None where it is no derivative."""
        found: list[Tree] = []
        while index < last:
            token = self.tokens[index]
            is_grouped = token.kind == tokens.LBRACE
            stop = self.partner[index] if is_grouped else last
            index += is_grouped
            if not _is_d(self.tokens[index]) or self.tokens[index].value != sign:
                return None
            index += 1
            part = self.denominator_name(index, stop)
            if part is None:
                return None
            variable, order, index = part
            if is_grouped:
                if index != stop:
                    return None
                index += 1
                if self.tokens[index].kind == tokens.SUP and index < last:
                    self.i = index + 1
                    raised = self.script_argument("script")
                    order, index = raised or _ONE, self.i
            found += [variable, order]
        return found or None

    def denominator_name(self, index: int, stop: int) -> tuple[Tree, Tree, int] | None:
        """One variable of a derivative and its order, and where it ends."""
        if index >= stop:
            return None
        token = self.tokens[index]
        self.i = index
        state = self.enter("script")
        try:
            variable = self.denominator_variable(token)
            if variable is None:
                return None
            order: Tree = _ONE
            if self.at(tokens.SUP) and self.i < stop:
                self.i += 1
                raised = self.script_argument("script")
                if isinstance(raised, Number) or (
                    isinstance(raised, Variable) and raised.base in "nmkpqrij"
                ):
                    order = raised
                    if (
                        isinstance(raised, Variable)
                        and raised.base in ("i", "j", "mu", "nu")
                        and isinstance(variable, Variable)
                    ):
                        variable, order = variable.replaced(superscript=raised), _ONE
                elif raised is not None and isinstance(variable, Variable):
                    variable = variable.replaced(superscript=raised)
        finally:
            self.leave(state)
        return variable, order, self.i

    def denominator_variable(self, token: tokens.Token) -> Tree | None:
        """A name with its subscript, without its power."""
        if token.kind == tokens.ACCENT:
            return self.accent_name()
        if token.kind == tokens.OPEN:
            return self.bracket()
        if token.kind == tokens.LBRACE:
            return self.group()
        if token.kind not in (tokens.NAME, tokens.WORD):
            return None
        return self.scripted_name()


def _is_d(token: tokens.Token) -> bool:
    if token.kind == tokens.NAME:
        return token.value == "d" and token.font in ("", "rm", "sf", "bf")
    return token.kind == tokens.COMMAND and token.value == "partial"
