"""Bars: absolute values and norms, conditions, divisors, values at a place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equivec.language import tokens
from equivec.language.layers import SIGNATURE
from equivec.language.operators import Binding
from equivec.language.reader.colons import is_relation
from equivec.language.reader.cursor import (
    MISSING,
    make,
)
from equivec.language.reader.parts import Parts
from equivec.language.reader.signs import (
    ENDS,
    LOGIC_SIGNS,
)
from equivec.language.tree import Apply, Number, Tree, Variable, is_applied

if TYPE_CHECKING:
    from equivec.language.tokens import Token


class Bars(Parts):
    """Bars: absolute values and norms, conditions, divisors, values at a place."""

    def bar_after(self, left: Tree, binding: int, token: Token) -> Tree | None:  # noqa: C901 - a list of cases
        """A bar where an operator is expected: it closes, or divides, or begins a factor."""
        value = token.value
        if self.bars and self.bars[-1] == value and token.font != "l":
            return None
        if self.fence == "null" and token.font == "r":
            return None
        if value in ("|", "mid") and self.is_ket_ahead():
            return self.juxtapose(left, binding)
        if value == "|" and self.is_double_bar() and self.fence in ("(", "[", r"\{"):
            if binding >= Binding.BAR:
                return None
            self.i += 2
            return make("parallel", left, self.side(Binding.RELATION))
        if (
            value in ("|", "mid")
            and token.font != "l"
            and self.tokens[self.i + 1].kind == tokens.SUB
        ):
            return self.evaluated(left)
        if value != "mid" and (token.font == "l" or self.bars_ahead(value) % 2 == 0):
            return self.juxtapose(left, binding)
        if self.fence in ("(", "[", r"\{", r"\langle", "null") and not (
            self.fence == "(" and self.has_logic_ahead()
        ):
            return None
        if value == "||":
            if binding >= Binding.RELATION:
                return None
            self.i += 1
            return make("parallel", left, self.side(Binding.RELATION))
        if self.fence in ("script", "power"):
            if binding > 0:
                return None
            self.i += 1
            return make("given", left, self.clause())
        if binding >= Binding.RELATION:
            return None
        if self.is_given():
            if binding >= Binding.BAR:
                return None
            self.i += 1
            return make("given", left, self.expression(Binding.BAR))
        following = self.tokens[self.i + 1]
        is_sure = (
            self.fence == "domain"
            or isinstance(left, Number)
            or (
                isinstance(left, Variable)
                and left.is_plain
                and left.base.islower()
                and following.kind in (tokens.NAME, tokens.NUMBER)
            )
        )
        if is_relation(left):
            raise self.fail("a bar between relations", kind="bar")
        if not is_sure:
            self.follow("divides")
        return self.relation(
            left, binding, tokens.Token(tokens.SIGN, r"\mid", token.start, token.end)
        )

    def has_logic_ahead(self) -> bool:
        """Whether a sign of logic stands in this bracket, whose bars divide then."""
        start = self.i
        while start > 0 and self.tokens[start].kind != tokens.OPEN:
            start -= 1
        stop = max(self.partner[start], self.i)
        self.charge(stop - start)
        return any(
            token.kind == tokens.SIGN and token.value in LOGIC_SIGNS
            for token in self.tokens[start:stop]
        )

    def is_ket_ahead(self) -> bool:
        r"""Whether the bar begins a ket: `|x \rangle`."""
        index = self.i + 1
        while self.tokens[index].kind not in (tokens.END, tokens.BAR, tokens.RBRACE, tokens.ROW):
            token = self.tokens[index]
            if token.kind == tokens.CLOSE:
                return token.value == r"\rangle" and self.partner[index] < 0
            index = self.after_group(index)
        self.charge(index - self.i)
        return False

    def is_given(self) -> bool:
        """Whether a distribution follows: X | Y ~ N(0, 1)."""
        index = self.i + 1
        while self.tokens[index].kind not in ENDS:
            token = self.tokens[index]
            if token.kind == tokens.SIGN and token.value == r"\sim":
                return True
            index = self.after_group(index)
        self.charge(index - self.i)
        return False

    def is_double_bar(self) -> bool:
        """Whether two bars touch that are the only ones: KL[P||Q]."""
        token, following = self.tokens[self.i], self.tokens[self.i + 1]
        return (
            following.kind == tokens.BAR
            and following.value == "|"
            and (
                self.text[token.end : following.start].strip(" ~\\,;!") == ""
                and self.bars_ahead("|") == 2
            )
        )

    def bars_ahead(self, value: str) -> int:
        """How many such bars stand from here to the end of this bracket."""
        count, index = 0, self.i
        while True:
            token = self.tokens[index]
            if token.kind in ENDS or (
                token.kind == tokens.SIGN and token.value in self.boundary_signs and index > self.i
            ):
                self.charge(index - self.i)
                return count
            if token.kind == tokens.BAR and token.value == value:
                count += 1
            index = self.after_group(index)

    def evaluated(self, left: Tree) -> Tree:
        """`f|_{x = 0}`: at a place or between two."""
        self.i += 1
        lower = upper = None
        for _ in range(2):
            if self.at(tokens.SUB) and lower is None:
                self.i += 1
                lower = self.script_argument("domain")
            elif self.at(tokens.SUP) and upper is None:
                self.i += 1
                upper = self.script_argument("domain")
        arguments = [left, lower or MISSING]
        return make("evaluated", *arguments, *([upper] if upper is not None else []))

    def barred(self) -> Tree:
        """An absolute value, a norm, or a ket."""
        start = self.i
        token = self.tokens[start]
        value = token.value
        if value == "mid":
            value = "|"
        self.i += 1
        is_double = False
        if (
            value == "|"
            and token.font == ""
            and self.at(tokens.BAR, "|")
            and (self.tokens[self.i].start == token.end)
        ):
            is_double = True
            self.i += 1
        if token.font == "" and value == "|" and len(self.bars) >= 1:
            self.follow("many bars", start)
        bars, fence = self.bars, self.fence
        self.depth += 1
        if self.depth > self.limits.nesting:
            raise self.fail("bars within bars within bars", start, kind="bars")
        self.bars, self.fence = [*bars, token.value], "bars"
        try:
            inside = self.clause()
            closing = self.tokens[self.i]
            if closing.kind == tokens.CLOSE and closing.value == r"\rangle":
                self.i += 1
                return self.after_bars("ket", inside)
            if closing.kind != tokens.BAR or closing.font == "l":
                raise self.fail("a bar is never closed", start, kind="bar not closed")
            self.i += 1
            if is_double:
                if not self.at(tokens.BAR, "|"):
                    raise self.fail("a bar is never closed", start, kind="bar not closed")
                self.i += 1
        finally:
            self.bars, self.fence = bars, fence
            self.depth -= 1
        return self.after_bars("norm" if value == "||" or is_double else "abs", inside)

    def after_bars(self, name: str, inside: Tree) -> Tree:
        """What the bars say of what stands in them, with scripts."""
        if name == "abs" and is_applied(inside, "matrix"):
            name, inside = "determinant", inside
            return self.postfix(Apply(SIGNATURE[name], inside.arguments))
        return self.postfix(make(name, inside))

    def open_null(self) -> Tree:
        r"""`\left. .. \right|_a^b`."""
        start = self.i
        self.i += 1
        state = self.enter("null")
        try:
            inside = self.clause()
        finally:
            self.leave(state)
        token = self.tokens[self.i]
        if token.kind == tokens.BAR and token.font == "r":
            return self.evaluated(inside)
        if token.kind in (tokens.NULL, tokens.CLOSE) and (token.font or token.value) == "r":
            self.i += 1
            return self.postfix(inside)
        raise self.fail(r"'\left.' is never closed", start, kind="bracket not closed")
