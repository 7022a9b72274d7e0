"""Operands that begin with a number, a sign or an unknown command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from equivec.language import symbols, tokens
from equivec.language.layers import SIGNATURE
from equivec.language.operators import Binding, Form
from equivec.language.reader.cursor import (
    make,
    plain_number,
)
from equivec.language.reader.parts import Parts
from equivec.language.reader.signs import (
    LARGE,
    RELATION_SIGNS,
    SCRIPTS,
)
from equivec.language.tree import Apply, Opaque, Tree, Variable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


_CONSTANT_LEAVES = {row.name: Apply(row) for row in SIGNATURE if row.form is Form.CONSTANT}


class Operands(Parts):
    """Operands that begin with a number, a sign or an unknown command."""

    operands: Mapping[str, Callable[[Any], Tree]]  # the method for each kind of token

    def prefix(self) -> Tree:
        token = self.tokens[self.i]
        method = self.operands.get(token.kind)
        if method is None:
            if token.kind == tokens.UNKNOWN and not self.is_strict:
                return self.unknown()
            raise self.unexpected()
        return method(self)

    def unknown(self) -> Tree:
        """A command that is not known, kept with what stands in braces after it."""
        start = self.i
        self.i += 1
        while self.at(tokens.LBRACE) and self.partner[self.i] > 0:
            self.i = self.after_group(self.i)
        return self.postfix(Opaque(self.source(start, self.i), self.tokens[start].value))

    def number(self) -> Tree:
        """A number with its scripts."""
        token = self.tokens[self.i]
        text = token.value
        self.i += 1
        following = self.tokens[self.i]
        if self.reading.numbers == "1.000":
            text = self.with_decimal_comma(text, token.end)
            following = self.tokens[self.i]
        if following.kind == tokens.COMMA and len(text) <= 3 and self.reading.numbers == "1,000":
            text = self.with_thousands(text, token.end)
            following = self.tokens[self.i]
        if len(text) > self.limits.digits:
            raise self.fail(
                f"a number of {len(text):,} digits; at most {self.limits.digits:,} are read",
                kind="digits",
            )
        tree = plain_number(text)
        return self.postfix(tree) if following.kind in SCRIPTS else tree

    def with_decimal_comma(self, text: str, end: int) -> str:
        """The digits of 1.000,5, where the point groups digits and the comma is decimal."""
        head, *groups = text.split(".")
        if groups and len(head) <= 3 and all(len(group) == 3 for group in groups):
            text = head + "".join(groups)
        comma, digits = self.tokens[self.i], self.ahead(1)
        if (
            comma.kind == tokens.COMMA
            and comma.start == end
            and digits.kind == tokens.NUMBER
            and digits.start == comma.end
            and digits.value.isdigit()
        ):
            self.i += 2
            return f"{text}.{digits.value}"
        return text

    def with_thousands(self, text: str, end: int) -> str:
        """The digits of 1,000 where it cannot be a list."""
        groups, index = text, self.i
        while True:
            comma, digits = self.tokens[index], self.tokens[min(index + 1, len(self.tokens) - 1)]
            is_group = (
                comma.kind == tokens.COMMA
                and comma.value == ","
                and comma.start == end
                and digits.kind == tokens.NUMBER
                and digits.start == comma.end
                and len(digits.value.split(".")[0]) == 3
            )
            if not is_group:
                break
            groups += digits.value
            end, index = digits.end, index + 2
        is_alone = self.fence == "" and not any(
            token.kind == tokens.COMMA
            for place, token in enumerate(self.tokens)
            if not self.i <= place < index
        )
        if index == self.i or not is_alone or text == "0":
            return text
        self.follow("thousands", self.i - 1)
        self.i = index
        return groups

    def sign_before(self) -> Tree:
        """A sign where an operand should stand."""
        token = self.tokens[self.i]
        value = token.value
        if value in symbols.ALONE and self.ends_operand(self.i + 1):
            self.i += 1
            return Apply(symbols.ALONE[value])
        if value in ("+", "-"):
            self.i += 1
            operand = self.expression(Binding.SIGN)
            return make("neg", operand) if value == "-" else operand
        if value in (r"\angle", r"\triangle", r"\bigtriangleup"):
            return self.figure("angle" if value == r"\angle" else "triangle")
        if value in (r"\implies", r"\iff") or value in (r"\therefore", r"\because"):
            self.i += 1
            while self.tokens[self.i].kind == tokens.GAP:
                self.i += 1
            return make("because" if value == r"\because" else "therefore", self.statement(0))
        if value in RELATION_SIGNS and value in symbols.INFIX and not self.is_missing_side():
            self.i += 1
            name, _ = self.scripted(Variable(symbols.INFIX[value].notation.sign))
            return name
        if value in (r"\star", r"\ast", "*") and self.starts_operand(self.i + 1):
            self.i += 1
            return make("apply", Variable("⋆"), self.expression(Binding.PRODUCT))
        if value == r"\#":
            self.i += 1
            return self.named(Variable("#"), is_word=True)
        if value in LARGE and (self.ahead(1).kind == tokens.SUB or self.starts_operand(self.i + 1)):
            self.tokens[self.i] = tokens.Token(tokens.BIG, LARGE[value], token.start, token.end)
            return self.large()
        operator = symbols.PREFIX.get(value)
        if operator is None:
            raise self.unexpected()
        self.i += 1
        binding = operator.notation.binding
        if operator.name == "not" and self.starts_condition():
            return make("not", self.bracket())
        return Apply(operator, (self.expression(binding),))

    def figure(self, name: str) -> Tree:
        """An angle or a triangle, with its corners."""
        self.i += 1
        following = self.ahead(1).kind
        is_letter = self.at(tokens.NAME) and self.tokens[self.i].value.isupper()
        if not self.at(tokens.NUMBER) and (not is_letter or following == tokens.OPEN):
            if not self.starts_operand(self.i):
                raise self.unexpected()
            return make(name, self.expression(Binding.PRODUCT))
        corners: list[Tree] = []
        while self.at(tokens.NAME) and (self.tokens[self.i].value.isupper() or not corners):
            token = self.tokens[self.i]
            self.i += 1
            corner: Tree = Variable(token.value, token.font)
            while self.at(tokens.SUB) or self.at(tokens.PRIME):
                if self.at(tokens.PRIME):
                    self.i += 1
                    corner = Variable(token.value, token.font, primes=1)
                else:
                    corner = Variable(token.value, token.font, subscript=self.subscript())
            corners.append(corner)
            if not token.value.isupper():
                break
        if not corners and self.at(tokens.NUMBER):
            corners.append(self.number())
        if not corners:
            raise self.unexpected()
        inside = corners[0] if len(corners) == 1 else make("index", *corners)
        return make(name, inside)

    def dots(self) -> Tree:
        """Two full stops or more."""
        if self.tokens[self.i + 1].kind != tokens.DOT:
            raise self.unexpected()
        while self.at(tokens.DOT):
            self.i += 1
        return make("dots")

    def constant(self) -> Tree:
        """A sign without arguments, with its scripts."""
        row = SIGNATURE[self.tokens[self.i].value]
        self.i += 1
        return self.postfix(_CONSTANT_LEAVES[row.name])
