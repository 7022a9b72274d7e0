"""Names before brackets: what is applied and what is multiplied."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equivec.language import tokens
from equivec.language.reader.cursor import (
    make,
)
from equivec.language.reader.evidence import Evidence, Key, after_scripts, gather
from equivec.language.reader.parts import Parts
from equivec.language.reader.signs import (
    BRACKETED,
)
from equivec.language.tree import Number, Tree, Variable, is_applied

if TYPE_CHECKING:
    from equivec.language.tokens import Token

_USUAL = frozenset("f g h F G H P E phi psi varphi Gamma zeta Phi Psi Pr".split())
_SUMS_ARE_FACTORS = frozenset("g h G P E H".split())
_SHIFTED = frozenset("u v x y X Y U V delta".split())
_LONE = frozenset((tokens.NAME, tokens.NUMBER, tokens.CONSTANT, tokens.WORD))
_BRACKET_FONTS = frozenset(("bb", "cal", "scr", "rm", "bf", "sf"))
_COEFFICIENTS = frozenset("a b c k m n r s l i j N q pi lambda".split())


class Application(Parts):
    """Names before brackets: what is applied and what is multiplied."""

    _evidence: Evidence | None = None

    @property
    def evidence(self) -> Evidence:
        if self._evidence is None:
            self._evidence = gather(self.tokens, self.partner)
        return self._evidence

    def called(
        self, name: Variable, power: tuple[str, Tree | None] | None, *, is_word: bool
    ) -> Tree | None:
        """The name applied to the bracket that follows; None where that is a factor."""
        token = self.tokens[self.i]
        if token.kind == tokens.APPLY or self.is_marked_call():
            opening = self.tokens[self.i + 1].value
            if opening in BRACKETED:
                return make(BRACKETED[opening], name, *self.marked_arguments())
            return self.with_power(name, power, self.marked_arguments())
        if token.kind != tokens.OPEN:
            return None
        if token.value in BRACKETED:
            if power is None and self.is_bracket_call(name, token, is_word=is_word):
                content = self.arguments()
                return make(BRACKETED[token.value], name, *content)
            return None
        if token.value != "(" or self.partner[self.i] < 0:
            if token.value == "(" and self.partner[self.i] < 0:
                raise self.fail("'(' is never closed", kind="bracket not closed")
            return None
        if not (is_word or self.is_application(name, name.primes)):
            return None
        if power is not None and not self.is_power_of_function(name, power):
            return None
        return self.with_power(name, power, self.arguments())

    def is_power_of_function(self, name: Variable, power: tuple[str, Tree | None]) -> bool:
        """Whether a^k(x) is a function's power rather than a product."""
        if _is_minus_one(power[1]) or name.primes:
            return True
        key = key_of(name)
        return (
            name.base in _USUAL
            or name.base == "chi"
            or key in self.evidence.applied
            or bool(name.font)
        )

    def with_power(
        self, name: Variable, power: tuple[str, Tree | None] | None, arguments: list[Tree]
    ) -> Tree:
        """f^2(x), f^{-1}(x), H^k(X), or f(x) where nothing stands over it."""
        if power is None:
            return make("apply", name, *arguments)
        what, exponent = power
        if what != "power" or exponent is None:
            if what == "transpose":
                return make("apply", make("transpose", name), *arguments)
            return make("apply", name.replaced(superscript=exponent or Variable("∘")), *arguments)
        if _is_minus_one(exponent):
            self.follow("inverse function")
            return make("apply", make("inverse", name), *arguments)
        is_value = (
            isinstance(exponent, Number)
            and exponent.text in ("2", "3", "4")
            and name.base[0].islower()
            and name.font == ""
            and name.base != "chi"
        )
        if is_value:
            self.follow("power of a value")
            return make("pow", make("apply", name, *arguments), exponent)
        self.follow("superscript of a function")
        return make("apply", name.replaced(superscript=exponent), *arguments)

    def is_marked_call(self) -> bool:
        r"""Whether a bracket in braces follows as a mark: `f{\left(x\right)}`.

        A power after the braces says that they hold a factor: `x {\left(1+y\right)}^2`.
        """
        if not self.is_braced_bracket():
            return False
        after = self.tokens[self.after_group(self.i)].kind
        is_close = self.tokens[self.i].start == self.tokens[self.i - 1].end
        return is_close and after not in (tokens.SUP, tokens.SUB)

    def is_braced_bracket(self) -> bool:
        """Whether braces follow that hold one bracket and no more."""
        token, following = self.tokens[self.i], self.ahead(1)
        return (
            token.kind == tokens.LBRACE
            and following.kind == tokens.OPEN
            and following.value in ("(", "[", r"\{")
            and following.font == "l"
            and self.partner[self.i + 1] == self.partner[self.i] - 1
        )

    def marked_arguments(self) -> list[Tree]:
        """The arguments after a mark of application."""
        is_group = self.tokens[self.i].kind == tokens.LBRACE
        self.i += 1
        if not self.at(tokens.OPEN):
            raise self.unexpected()
        arguments = self.arguments()
        self.i += is_group
        return arguments

    def is_bracket_call(self, name: Variable, token: Token, *, is_word: bool) -> bool:
        """Whether E[X] or P{X} is an application."""
        if self.partner[self.i] < self.i:
            return False
        inside = self.tokens[self.i + 1 : self.partner[self.i]]
        if (
            any(inner.kind == tokens.COMMA for inner in inside)
            and token.value == "["
            and not (name.base in ("E", "V", "P", "Q", "R", "F", "k") or name.font or is_word)
        ):
            return False
        if is_word or name.font in _BRACKET_FONTS:
            return True
        if token.value == r"\{":
            return name.base in ("E", "P", "L", "F", "V")
        has_sum = any(inner.kind == tokens.SIGN and inner.value in ("+", "-") for inner in inside)
        if name.base in ("E", "P", "f", "F", "R", "Q", "Z") and name.subscript is None:
            return True
        if has_sum or any(inner.kind == tokens.COMMAND for inner in inside):
            return False
        self.follow("square brackets after a name")
        return True

    def is_application(self, leaf: Variable, primes: int) -> bool:  # noqa: C901 - a list of cases
        reading, base, key = self.reading, leaf.base, key_of(leaf)
        if reading.is_function(base):
            return True
        if reading.is_variable(base):
            return False
        first, close = self.i + 1, self.partner[self.i]
        inside = self.tokens[first:close]
        if primes or key in self.evidence.applied:
            self.follow("declared function")
            return not self.has_relation(first, close) or primes > 0 or base in _USUAL
        if not inside:
            return True
        if self.has_top_level(first, close, tokens.COMMA):
            self.follow("list of arguments")
            return True
        if self.has_condition(first, close):
            self.follow("conditional")
            return True
        is_sum = self.has_sum(first, close)
        has_relation = self.has_relation(first, close)
        if (base == "chi" and key not in self.evidence.bare) or self.is_distribution():
            return True
        if base in _USUAL or leaf.font in ("bb", "cal", "scr"):
            if is_sum and not has_relation and base in _SUMS_ARE_FACTORS and not leaf.font:
                return self.is_usual_before_sum(leaf, inside)
            self.follow("usual function")
            return True
        if self.is_lone(first, close):
            self.follow("lone argument")
            return not (isinstance(leaf.subscript, Number) and inside[0].kind == tokens.NUMBER)
        if has_relation:
            return False
        if not is_sum:
            return self.is_unneeded_bracket(leaf, key, close)
        if (
            base in _SHIFTED
            and inside[0].kind == tokens.NAME
            and inside[0].value in ("t", "x")
            and (key not in self.evidence.bare or base == "delta")
            and leaf.subscript is None
        ):
            self.follow("shifted argument")
            return True
        return self.product_before_bracket(leaf, key)

    def is_usual_before_sum(self, leaf: Variable, inside: list[Token]) -> bool:
        """g(x + 1): mostly a function, but g(m_1 + m_2) is mostly a product."""
        key = key_of(leaf)
        if len(inside) <= 3 and key not in self.evidence.bare:
            self.follow("usual function")
            return True
        is_bare = key in self.evidence.bare
        is_raised = self.tokens[self.partner[self.i] + 1].kind == tokens.SUP
        if leaf.base in ("E", "P", "H") and not is_bare and not is_raised:
            return True
        self.follow("bracket without evidence")
        return False

    def is_unneeded_bracket(self, leaf: Variable, key: Key, close: int) -> bool:
        """C(p^r): a product would need no bracket."""
        if self.tokens[close + 1].kind == tokens.SUP or key in self.evidence.bare:
            self.follow("product before a bracket")
            return False
        self.follow("unneeded brackets")
        return True

    def product_before_bracket(self, leaf: Variable, key: Key) -> bool:
        """a(b + c): a product, surely where a also stands bare or after a factor."""
        before = self.tokens[self.i - 2] if self.i >= 2 else None
        is_factor = before is not None and before.kind in (tokens.NUMBER, tokens.NAME)
        if key in self.evidence.bare or is_factor or leaf.base in _COEFFICIENTS:
            self.follow("product before a bracket")
        else:
            self.follow("bracket without evidence")
        return False

    def is_lone(self, first: int, last: int) -> bool:
        """Whether one name or number with its scripts fills the bracket."""
        token = self.tokens[first]
        if token.kind == tokens.ACCENT:
            return self.after_group(first + 1) == last
        if token.kind == tokens.NAME:
            return after_scripts(self.tokens, self.partner, first + 1) == last and not any(
                inner.kind == tokens.SUP for inner in self.tokens[first:last]
            )
        return token.kind in _LONE and first + 1 == last

    def has_top_level(self, start: int, stop: int, kind: str) -> bool:
        """Whether a kind of token stands between two tokens, in no bracket."""
        index = start
        while index < stop:
            if self.tokens[index].kind == kind:
                return True
            index = self.after_group(index)
        return False

    def is_distribution(self) -> bool:
        r"""Whether the name stands right after `\sim`."""
        index = self.i - 1
        while index > 0 and self.tokens[index].kind != tokens.SIGN:
            if self.tokens[index].kind in (tokens.OPEN, tokens.COMMA, tokens.NUMBER, tokens.CLOSE):
                return False
            index = self.partner[index] - 1 if 0 <= self.partner[index] < index else index - 1
        return index >= 0 and self.tokens[index].value == r"\sim"

    def has_condition(self, first: int, close: int) -> bool:
        """Whether one bar stands between two tokens: p(x | y), or the bracket holds a sign alone."""  # noqa: E501
        inside = self.tokens[first:close]
        if len(inside) == 1 and inside[0].kind == tokens.SIGN:
            return True
        bars = sum(token.kind == tokens.BAR and not token.font for token in inside)
        return bars == 1 or any(
            token.kind == tokens.BAR and token.value == "mid" for token in inside
        )

    def has_sum(self, start: int, stop: int) -> bool:
        """Whether a sign of addition stands between two tokens, in no bracket or script."""
        index = start
        while index < stop:
            token = self.tokens[index]
            if (
                token.kind == tokens.SIGN
                and token.value in ("+", "-", r"\pm", r"\mp")
                and index > start
            ):
                return True
            index = self.after_group(index + (token.kind in (tokens.SUP, tokens.SUB)))
        return False


def key_of(name: Variable) -> Key:
    """The name as evidence knows it."""
    return (name.base, name.font, name.subscript is not None)


def _is_minus_one(tree: Tree | None) -> bool:
    return is_applied(tree, "neg") and tree is not None and tree.arguments[0] == Number(1)
