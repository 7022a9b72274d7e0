"""Large signs, integrals, differentials and derivatives."""

from __future__ import annotations

from equivec.language import symbols, tokens
from equivec.language.binding import names_bound_by
from equivec.language.cursor import make, plain_name, plain_number
from equivec.language.evidence import after_scripts
from equivec.language.layers import SIGNATURE
from equivec.language.operators import Binding
from equivec.language.parts import Parts
from equivec.language.tree import Apply, Number, Opaque, Tree, Variable, is_applied

_EXTREMA = frozenset("max min sup inf argmax argmin esssup".split())
_ONE = plain_number("1")
_MISSING = make("missing")


class Calculus(Parts):
    """Reads what binds a name or changes a function."""

    # -- sums, products, limits, extrema

    def large(self) -> Tree:
        operator = SIGNATURE[self.tokens[self.i].value]
        self.i += 1
        lower, upper = self.limits_of_sign()
        body = self.body_of(operator.name)
        if body is None:
            if lower is None and upper is None:
                return self.named(plain_name(operator.name))
            body = _MISSING
        arguments = [body]
        if lower is not None or upper is not None:
            arguments.append(lower or _MISSING)
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
            if token.kind in _TERM_ENDS:
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

    # -- integrals

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
            return self.nested(_MISSING, [], signs, is_contour=is_contour)
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
            if token.kind in _TERM_ENDS or token.kind == tokens.INTEGRAL:
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
            else (make("list", *variables) if variables else _MISSING)
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
            return make("integral_between", body, variable, lower or _MISSING, upper)
        if lower is not None:
            return make("integral_over", body, variable, lower)
        return make("integral", body, variable)

    # -- differentials

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
        if evidence.has_integral:
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
        self.i += 1
        sub: Tree | None = None
        primes = 0
        while self.at(tokens.SUB) or self.at(tokens.PRIME):
            if self.at(tokens.SUB):
                sub = self.subscript()
            else:
                self.i += 1
                primes += 1
        name = Variable(token.value, token.font, (), sub, None, primes)
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

    # -- derivatives

    def partial(self) -> Tree:
        r"""`\partial`: of something, or alone."""
        self.i += 1
        lower, upper = self.limits_of_sign()
        scripts = [lower or _MISSING] if lower is not None or upper is not None else []
        scripts += [upper] if upper is not None else []
        if self.begins_body() and not self.at(tokens.SIGN):
            return make("partial_sign", self.expression(Binding.PRODUCT), *scripts)
        if scripts:
            return make("partial_sign", _MISSING, *scripts)
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
                following = self.tokens[self.i]
                raised = self.script_argument("script")
                if isinstance(raised, Number) or (
                    isinstance(raised, Variable)
                    and raised.base in "nmkpqrij"
                    and (following.kind != tokens.NAME or True)
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
        self.i += 1
        sub: Tree | None = None
        primes = 0
        while self.at(tokens.SUB) or self.at(tokens.PRIME):
            if self.at(tokens.SUB):
                sub = self.subscript()
            else:
                self.i += 1
                primes += 1
        return Variable(token.value, token.font, (), sub, None, primes)


def _is_d(token: tokens.Token) -> bool:
    if token.kind == tokens.NAME:
        return token.value == "d" and token.font in ("", "rm", "sf", "bf")
    return token.kind == tokens.COMMAND and token.value == "partial"


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


_TERM_ENDS = frozenset((
    tokens.END, tokens.CLOSE, tokens.RBRACE, tokens.COMMA, tokens.ROW, tokens.CELL, tokens.FINISH,
    tokens.NULL, tokens.GAP, tokens.TEXT, tokens.BIG, tokens.BAR,
))  # fmt: skip
assert Opaque
