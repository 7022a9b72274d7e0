"""Large signs: sums, products, limits and extrema."""

from __future__ import annotations

from equivec.language import symbols, tokens
from equivec.language.binding import names_bound_by
from equivec.language.layers import SIGNATURE
from equivec.language.operators import Binding
from equivec.language.reader.cursor import (
    MISSING,
    make,
    plain_name,
)
from equivec.language.reader.parts import Parts
from equivec.language.reader.signs import (
    TERM_ENDS,
)
from equivec.language.tree import Apply, Tree

_EXTREMA = frozenset("max min sup inf argmax argmin esssup".split())


class LargeSigns(Parts):
    """Large signs: sums, products, limits and extrema."""

    def large(self) -> Tree:
        operator = SIGNATURE[self.tokens[self.i].value]
        self.i += 1
        lower, upper = self.limits_of_sign()
        body = self.body_of(operator.name)
        if body is None:
            if lower is None and upper is None:
                return self.named(plain_name(operator.name))
            body = MISSING
        arguments = [body]
        if lower is not None or upper is not None:
            arguments.append(lower or MISSING)
        if upper is not None:
            arguments.append(upper)
        tree: Tree = Apply(operator, tuple(arguments))
        if lower is not None and operator.name in ("sum", "prod"):
            return self.with_further_terms(tree, body, lower, upper)
        return tree

    def limits_of_sign(self) -> tuple[Tree | None, Tree | None]:
        """What stands under and over a large sign."""
        lower = upper = None
        while True:
            if self.at(tokens.SUB) and lower is None:
                self.i += 1
                lower = self.script_argument("domain")
            elif self.at(tokens.SUP) and upper is None:
                self.i += 1
                upper = self.script_argument("domain")
            else:
                return lower, upper

    def body_of(self, name: str) -> Tree | None:
        """The body of a large sign: a bracket for extrema, else a product."""
        token = self.tokens[self.i]
        if name in _EXTREMA and token.kind == tokens.OPEN and self.partner[self.i] > 0:
            return self.postfix(self.bracket())
        if name in _EXTREMA and token.kind == tokens.LBRACE:
            following = self.ahead(1)
            if (
                following.kind == tokens.OPEN
                and self.partner[self.i + 1] == self.partner[self.i] - 1
            ):
                return self.group()
        if not self.begins_body():
            return None
        return self.expression(Binding.PRODUCT - 1)

    def begins_body(self) -> bool:
        """Whether an operand follows."""
        token = self.tokens[self.i]
        if token.kind == tokens.SIGN:
            return token.value in ("-", "+", r"\pm") or token.value in (r"\neg", r"\angle")
        if token.kind == tokens.BAR:
            return token.value != "mid" and not (
                self.bars and self.bars[-1] == token.value and token.font != "l"
            )
        return self.starts_operand(self.i) or (token.kind == tokens.NULL and token.value == "l")

    def with_further_terms(self, tree: Tree, body: Tree, lower: Tree, upper: Tree | None) -> Tree:
        """The sum with the terms after it that use its bound name."""
        bound = {name.base for name in names_bound_by(lower)}
        while (
            bound and self.tokens[self.i].kind == tokens.SIGN and self.tokens[self.i].value in "+-"
        ):
            if not self.next_term_has(bound):
                break
            self.follow("sum that goes on")
            sign = self.tokens[self.i].value
            self.i += 1
            body = make("add" if sign == "+" else "sub", body, self.expression(Binding.SUM))
            arguments = [body, lower] + ([upper] if upper is not None else [])
            assert isinstance(tree, Apply)
            tree = Apply(tree.operator, tuple(arguments))
        return tree

    def next_term_has(self, bound: set[str]) -> bool:
        """Whether the term after a sign uses a bound name, outside a large sign of its own."""
        index = self.i + 1
        while True:
            token = self.tokens[index]
            if token.kind in TERM_ENDS:
                return False
            if token.kind == tokens.SIGN and (
                token.value in ("+", "-")
                or symbols.INFIX.get(token.value, symbols.INFIX["+"]).notation.binding
                <= Binding.RELATION
            ):
                return False
            if token.kind == tokens.NAME and token.value in bound:
                return True
            index += 1
