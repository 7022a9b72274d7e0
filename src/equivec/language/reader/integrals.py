"""Integrals and differentials."""

from __future__ import annotations

from equivec.language import symbols, tokens
from equivec.language.operators import Binding
from equivec.language.reader.cursor import (
    MISSING,
    make,
    plain_number,
)
from equivec.language.reader.evidence import after_scripts
from equivec.language.reader.parts import Parts
from equivec.language.reader.signs import (
    TERM_ENDS,
)
from equivec.language.tree import Apply, Number, Tree, Variable, is_applied

_ONE = plain_number("1")


class Integrals(Parts):
    """Integrals and differentials."""

    def integral(self) -> Tree:
        start = self.i
        signs: list[tuple[Tree | None, Tree | None]] = []
        count, is_contour = 0, False
        while self.at(tokens.INTEGRAL) or (
            self.at(tokens.CONSTANT, "dots") and self.ahead(1).kind == tokens.INTEGRAL
        ):
            token = self.tokens[self.i]
            self.i += 1
            if token.kind == tokens.CONSTANT:
                continue
            count += symbols.INTEGRALS[token.value]
            is_contour = is_contour or token.value.startswith(r"\oi")
            signs.append(self.limits_of_sign())
        outer = self.in_integral
        self.in_integral = True
        try:
            integrand = self.integrand(start)
        finally:
            self.in_integral = outer
        if integrand is None:
            return self.nested(MISSING, [], signs, is_contour=is_contour)
        split = split_differential(integrand)
        if split is None:
            if self.tokens[start + 1].kind != tokens.LBRACE and not self.is_braced_integrand(start):
                self.follow("integral without differential", start)
            return self.nested(integrand, [], signs, is_contour=is_contour)
        return self.nested(split[0], split[1], signs, is_contour=is_contour)

    def is_braced_integrand(self, start: int) -> bool:
        """Whether braces hold all of the integrand."""
        index = after_scripts(self.tokens, self.partner, start + 1)
        return self.tokens[index].kind == tokens.LBRACE and self.partner[index] + 1 == self.i

    def integrand(self, start: int) -> Tree | None:
        """All terms up to the differential."""
        if not self.begins_body():
            return None
        tree = self.expression(Binding.PRODUCT - 1)
        while split_differential(tree) is None:
            token = self.tokens[self.i]
            if (
                token.kind != tokens.SIGN
                or token.value not in ("+", "-", r"\pm")
                or not self.has_differential_ahead()
            ):
                break
            self.i += 1
            right = self.expression(Binding.SUM)
            tree = make({"+": "add", "-": "sub"}.get(token.value, "plus_minus"), tree, right)
        return tree

    def has_differential_ahead(self) -> bool:
        """Whether a differential follows before this side ends."""
        index = self.i + 1
        while True:
            token = self.tokens[index]
            if token.kind in TERM_ENDS or token.kind == tokens.INTEGRAL:
                return False
            if (
                token.kind == tokens.SIGN
                and symbols.INFIX.get(token.value, symbols.INFIX["+"]).notation.binding
                <= Binding.RELATION
            ):
                return False
            if token.kind == tokens.NAME and self.is_differential(index):
                return True
            if token.kind == tokens.OPEN:
                index = self.after_group(index)
            else:
                index += 1

    def nested(
        self,
        body: Tree,
        variables: list[Tree],
        signs: list[tuple[Tree | None, Tree | None]],
        *,
        is_contour: bool,
    ) -> Tree:
        """One integral in another where each sign has a variable, else one over all of them."""
        if len(variables) == len(signs) and not is_contour:
            pairs = zip(variables, reversed(signs), strict=True)
            for variable, (lower, upper) in pairs:
                body = self.one_integral(body, variable, lower, upper)
            return body
        variable = (
            variables[0]
            if len(variables) == 1
            else (make("list", *variables) if variables else MISSING)
        )
        lower, upper = next(
            (sign for sign in reversed(signs) if sign != (None, None)), (None, None)
        )
        if is_contour:
            path = [lower] if lower is not None else []
            return make("contour_integral", body, variable, *path)
        rest = [sign for sign in signs if sign != (None, None)]
        if len(rest) > 1:
            raise self.fail("integrals without a differential each", kind="integrals")
        return self.one_integral(body, variable, lower, upper)

    def one_integral(
        self, body: Tree, variable: Tree, lower: Tree | None, upper: Tree | None
    ) -> Tree:
        """An integral over all, over a region, or between two ends."""
        if upper is not None:
            return make("integral_between", body, variable, lower or MISSING, upper)
        if lower is not None:
            return make("integral_over", body, variable, lower)
        return make("integral", body, variable)

    def is_differential(self, index: int) -> bool:
        token = self.tokens[index]
        if token.kind != tokens.NAME or token.value != "d" or token.font not in ("", "rm"):
            return False
        following = self.tokens[index + 1]
        if following.kind == tokens.LBRACE:
            following = self.tokens[index + 2]
        if following.kind == tokens.SUP:
            after = self.tokens[after_scripts(self.tokens, self.partner, index + 1)]
            return (self.in_integral or token.font == "rm") and after.kind in (
                tokens.NAME,
                tokens.ACCENT,
            )
        is_name = following.kind in (tokens.NAME, tokens.ACCENT)
        if not is_name:
            return (
                following.kind == tokens.OPEN
                and following.value == "("
                and (self.in_integral or token.font == "rm")
                and self.partner[index + 1] > 0
                and not self.has_top_level(index + 2, self.partner[index + 1], tokens.COMMA)
            )
        if token.font == "rm" or self.in_integral:
            return True
        if self.fence in ("script", "domain"):
            return False
        evidence = self.evidence
        if evidence.has_lone_d:
            return False
        if evidence.has_integral or evidence.has_upright_d:
            return True
        if len(evidence.differentials) >= 2:
            return True
        before = self.tokens[index - 1] if index else None
        is_first = before is None or (before.kind == tokens.SIGN and before.value == "=")
        return is_first and self.tokens[index + 2].kind != tokens.END

    def differential(self) -> Tree:
        token = self.tokens[self.i]
        start = self.i
        self.i += 1
        if not self.in_integral and token.font != "rm" and not self.evidence.has_integral:
            self.follow("differential alone", start)
        order: Tree | None = None
        if self.at(tokens.SUP):
            self.i += 1
            order = self.script_argument("script")
        outer, self.in_integral = self.in_integral, False
        try:
            variable = self.differential_variable(is_in_integral=outer)
        finally:
            self.in_integral = outer
        tree = make("differential", variable, *([order] if order is not None else []))
        if self.at(tokens.SUP):
            what, exponent = self.superscript(variable)
            if what == "power" and isinstance(exponent, Number):
                return make("pow", tree, exponent)
            if exponent is not None and isinstance(variable, Variable):
                return make("differential", variable.replaced(superscript=exponent))
            raise self.fail("a differential with a script", start, kind="differential")
        return tree

    def differential_variable(self, *, is_in_integral: bool) -> Tree:
        """The name after the d, applied where it is followed by one name in brackets."""
        token = self.tokens[self.i]
        if token.kind == tokens.OPEN:
            return self.bracket()
        if token.kind in (tokens.LBRACE, tokens.ACCENT):
            return self.group() if token.kind == tokens.LBRACE else self.accent_name()
        name = self.scripted_name()
        if self.at(tokens.OPEN, "(") and is_in_integral and self.is_lone_call():
            return make("apply", name, *self.arguments())
        return name

    def is_lone_call(self) -> bool:
        """Whether a bracket with one name or a list follows."""
        close = self.partner[self.i]
        inside = self.tokens[self.i + 1 : close]
        return bool(inside) and all(
            inner.kind in (tokens.NAME, tokens.COMMA, tokens.SUB, tokens.NUMBER, tokens.SUP)
            for inner in inside
        )


def _is_one(tree: Tree) -> bool:
    return isinstance(tree, Number) and tree.text == "1"


def _has_own(tree: Tree) -> bool:
    return is_applied(tree, "integral", "integral_between", "integral_over")


def _is_differentials(tree: Tree) -> bool:
    return is_applied(tree, "differential") or (
        is_applied(tree, "mul", "wedge") and all(_is_differentials(part) for part in tree.arguments)
    )


def _product(left: Tree, right: Tree) -> Tree:
    """The product, without a factor 1 that stands for nothing."""
    if _is_one(left):
        return right
    return left if _is_one(right) else make("mul", left, right)


def split_differential(tree: Tree) -> tuple[Tree, list[Tree]] | None:
    """The integrand without its differentials, and their variables; None where there is none."""
    if is_applied(tree, "differential"):
        return _ONE, [tree.arguments[0] if len(tree.arguments) == 1 else tree]
    if is_applied(tree, "mul", "wedge"):
        left, right = tree.arguments
        after = (
            split_differential(right) if _is_differentials(right) or not _has_own(right) else None
        )
        if after is not None and (
            is_applied(right, "differential", "div", "pow") or _is_differentials(right)
        ):
            before = split_differential(left)
            body = after[0] if _is_one(left) else left
            if before is not None:
                body = _product(before[0], after[0])
                return body, [*before[1], *after[1]]
            return _product(left, after[0]) if not _is_one(after[0]) else body, after[1]
        before = split_differential(left)
        if before is not None:
            return _product(before[0], right), before[1]
        return None
    if is_applied(tree, "div"):
        above = split_differential(tree.arguments[0])
        if above is not None:
            return make("div", above[0], tree.arguments[1]), above[1]
    if is_applied(tree, "neg"):
        inner = split_differential(tree.arguments[0])
        if inner is not None:
            return make("neg", inner[0]), inner[1]
    if is_applied(tree, "add", "sub", "plus_minus"):
        last = split_differential(tree.arguments[1])
        if last is not None and split_differential(tree.arguments[0]) is None:
            assert isinstance(tree, Apply)
            return Apply(tree.operator, (tree.arguments[0], last[0])), last[1]
    return None
