"""Names before brackets: what is applied and what is multiplied; functions and their arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equivec.language import names, symbols, tokens
from equivec.language.cursor import make, plain_name
from equivec.language.evidence import Evidence, Key, after_scripts, gather
from equivec.language.layers import SIGNATURE
from equivec.language.operators import Binding
from equivec.language.parts import Parts
from equivec.language.tree import Apply, Number, Tree, Variable, is_applied

if TYPE_CHECKING:
    from equivec.language.tokens import Token

_USUAL = frozenset("f g h F G H P E phi psi varphi Gamma zeta Phi Psi Pr".split())
_SUMS_ARE_FACTORS = frozenset("g h G P E H".split())
_SHIFTED = frozenset("u v x y X Y U V delta".split())
_LONE = frozenset((tokens.NAME, tokens.NUMBER, tokens.CONSTANT, tokens.WORD))
_POWERS_OF_VALUES = frozenset(
    "sin cos tan cot sec csc sinh cosh tanh coth sech csch ln log exp lg asin acos atan".split()
)
_INVERSES = {
    name: f"a{name}" for name in "sin cos tan cot sec csc sinh cosh tanh coth sech csch".split()
}
_BRACKETED = {"[": "apply_brackets", r"\{": "apply_braces"}
_BRACKET_FONTS = frozenset(("bb", "cal", "scr", "rm", "bf", "sf"))


class Application(Parts):
    """Decides what is a function, and reads its arguments."""

    _evidence: Evidence | None = None

    @property
    def evidence(self) -> Evidence:
        if self._evidence is None:
            self._evidence = gather(self.tokens, self.partner)
        return self._evidence

    # -- names

    def called(
        self, name: Variable, power: tuple[str, Tree | None] | None, *, is_word: bool
    ) -> Tree | None:
        """The name applied to the bracket that follows; None where that is a factor."""
        token = self.tokens[self.i]
        if token.kind == tokens.APPLY or self.is_marked_call():
            opening = self.tokens[self.i + 1].value
            if opening in _BRACKETED:
                return make(_BRACKETED[opening], name, *self.marked_arguments())
            return self.with_power(name, power, self.marked_arguments())
        if token.kind != tokens.OPEN:
            return None
        if token.value in _BRACKETED:
            if power is None and self.is_bracket_call(name, token, is_word=is_word):
                content = self.arguments()
                return make(_BRACKETED[token.value], name, *content)
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
        r"""Whether a bracket in braces follows, as in `f{\left(x\right)}`."""
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
        if self.partner[self.i] < 0:
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
        return name.base in ("E", "V", "P", "f", "F", "R", "Q", "Z") or (
            not has_sum and not any(inner.kind == tokens.COMMAND for inner in inside)
        )

    def is_application(self, leaf: Variable, primes: int) -> bool:
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
        """Whether one bar stands between two tokens: p(x | y), or the bracket holds a sign alone."""
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

    # -- known functions

    def function(self) -> Tree:
        token = self.tokens[self.i]
        name = token.value
        start = self.i
        if (
            name == "arg"
            and self.ahead(1).kind == tokens.BIG
            and self.ahead(1).value in ("max", "min")
        ):
            self.i += 1
            self.tokens[self.i] = self.big_token(self.tokens[self.i])
            return self.large()
        self.i += 1
        return self.applied_function(name, start)

    def big_token(self, token: Token) -> Token:
        """`\\arg\\max` as one sign."""
        return tokens.Token(tokens.BIG, f"arg{token.value}", token.start, token.end)

    def applied_function(self, name: str, start: int) -> Tree:
        """A function with its scripts and its argument."""
        head = plain_name(name)
        scripted, power = head, None
        if self.tokens[self.i].kind in (tokens.SUB, tokens.SUP, tokens.PRIME):
            scripted, power = self.scripted(head)
        arguments = self.function_arguments(start)
        if arguments is None:
            if power is None:
                return scripted
            return make("pow", scripted, power[1] or Variable("'"))
        return self.finished(name, scripted, power, arguments)

    def finished(
        self,
        name: str,
        head: Variable,
        power: tuple[str, Tree | None] | None,
        arguments: list[Tree],
    ) -> Tree:
        """The function applied, its logarithm base and power in their places."""
        exponent = power[1] if power is not None and power[0] == "power" else None
        if _is_minus_one(exponent) and name in _INVERSES and head.is_plain:
            self.follow("inverse of a named function")
            return self.postfix(make(_INVERSES[name], *arguments))
        tree = self.value(name, head, arguments)
        if power is None:
            return self.postfix(tree)
        if exponent is None:
            return self.postfix(make("starred", tree, power[1] or Variable("'")))
        if name not in _POWERS_OF_VALUES and not isinstance(exponent, Number):
            head = head.replaced(superscript=exponent)
            return self.postfix(make("apply", head, *arguments))
        self.follow("power of a value")
        return self.postfix(make("pow", tree, exponent))

    def value(self, name: str, head: Variable, arguments: list[Tree]) -> Tree:
        """The function applied to its arguments, by the operator it is or as a name."""
        if name == "log" and len(arguments) == 1:
            base: Tree | None = head.subscript
            if base is not None and head.replaced(subscript=None).is_plain:
                return make("log_base", arguments[0], base)
            if head.is_plain and self.reading.log != "as written":
                if self.reading.log == "e":
                    return make("ln", arguments[0])
                return make("log_base", arguments[0], Number(self.reading.log))
        if name == "log" and len(arguments) == 2 and head.is_plain:
            return make("log_base", *arguments)
        if (
            not head.is_plain
            or name not in SIGNATURE
            or not SIGNATURE[name].accepts(len(arguments))
        ):
            return make("apply", head, *arguments)
        return make(name, *arguments)

    def function_arguments(self, start: int) -> list[Tree] | None:
        """The arguments of a function; None where it stands alone."""
        token = self.tokens[self.i]
        if token.kind == tokens.OPEN and token.value == "(" and self.partner[self.i] > 0:
            return self.arguments()
        if token.kind == tokens.APPLY or self.is_marked_call():
            return self.marked_arguments()
        if token.kind == tokens.OPEN and token.value == "[" and self.partner[self.i] > 0:
            return [self.bracket_content()]
        if token.kind == tokens.OPEN and token.value == r"\{" and self.partner[self.i] > 0:
            return [self.bracket_content()]
        is_signed = token.kind == tokens.SIGN and token.value == "-" and self.can_follow(self.i + 1)
        if is_signed:
            self.i += 1
        if not self.can_follow(self.i):
            return None
        argument = self.bare_argument(start)
        return [make("neg", argument) if is_signed else argument]

    def bracket_content(self) -> Tree:
        """What stands in square brackets or braces after a function, which group here."""
        tree = self.bracket()
        if is_applied(tree, "set", "brackets") and len(tree.arguments) == 1:
            return tree.arguments[0]
        return tree

    def can_follow(self, index: int) -> bool:
        """Whether an argument without brackets can begin at a token."""
        token = self.tokens[index]
        if token.kind == tokens.SIGN:
            return token.value in (r"\angle", r"\triangle", r"\#")
        if token.kind == tokens.BAR:
            return (
                token.value != "mid"
                and not (self.bars and self.bars[-1] == token.value and token.font != "l")
                and (not self.fence or self.count_bars(index, token.value) % 2 == 0)
            )
        return self.starts_operand(index)

    def count_bars(self, index: int, value: str) -> int:
        """How many bars of a kind follow in this bracket."""
        count = 0
        while self.tokens[index].kind not in (tokens.END, tokens.CLOSE, tokens.RBRACE, tokens.ROW):
            token = self.tokens[index]
            count += token.kind == tokens.BAR and token.value == value
            index = self.after_group(index)
        return count

    def bare_argument(self, start: int) -> Tree:
        """An argument without brackets: it goes on over letters and numbers."""
        argument = self.expression(Binding.PRODUCT)
        has_letter = not _is_numeric(argument)
        while True:
            token = self.tokens[self.i]
            if token.kind == tokens.SIGN and token.value == "/":
                self.follow("argument before a stroke", start)
                break
            if token.kind not in (tokens.NAME, tokens.NUMBER, tokens.CONSTANT) and not (
                not has_letter
                and self.starts_operand(self.i)
                and token.kind not in (tokens.FUNCTION, tokens.BIG, tokens.INTEGRAL)
            ):
                break
            if self.is_differential(self.i) or self.starts_relation_bracket():
                break
            if has_letter:
                self.follow("argument of several names", start)
            argument = make("mul", argument, self.expression(Binding.PRODUCT))
            has_letter = has_letter or not _is_numeric(argument)
        return argument

    def starts_relation_bracket(self) -> bool:
        """Whether a bracket with a relation follows."""
        token = self.tokens[self.i]
        return (
            token.kind == tokens.OPEN
            and self.partner[self.i] > 0
            and self.has_relation(self.i + 1, self.partner[self.i])
        )

    # -- words

    def word(self) -> Tree:
        """An upright word: a name, or a function of what follows."""
        token = self.tokens[self.i]
        start = self.i
        self.i += 1
        leaf = plain_name(token.value, token.font)
        return self.word_named(leaf, start)

    def word_named(self, leaf: Variable, start: int) -> Tree:
        """A word with its scripts and, if it is a function, its argument without brackets."""
        tree = self.named(leaf, is_word=True)
        if (
            leaf.base in names.FUNCTION_WORDS
            and isinstance(tree, Variable)
            and self.can_follow(self.i)
            and self.tokens[self.i].kind not in (tokens.OPEN, tokens.BAR)
        ):
            return self.postfix(make("apply", tree, self.bare_argument(start)))
        return tree

    def text_name(self) -> Tree:
        """Prose where an operand should stand: a name of several words."""
        token = self.tokens[self.i]
        following = self.tokens[self.i + 1]
        before = self.tokens[self.i - 1] if self.i else None
        is_between = (
            following.kind in _PHRASE_ENDS
            and (before is None or before.kind in _PHRASE_STARTS)
            and not (before is None and following.kind == tokens.END)
        )
        words = token.value.strip()
        if (
            not is_between
            or len(words.split()) > 6
            or (" " in words and words.endswith((".", ",", ":", ";")))
        ):
            raise self.fail(f"{words[:40]!r} is prose", kind="text")
        self.i += 1
        return self.postfix(Variable(words, "text"))


def key_of(name: Variable) -> Key:
    """The name as evidence knows it."""
    return (name.base, name.font, name.subscript is not None)


def _is_minus_one(tree: Tree | None) -> bool:
    return is_applied(tree, "neg") and tree is not None and tree.arguments[0] == Number(1)


def _is_numeric(tree: Tree) -> bool:
    return isinstance(tree, Number) or (
        isinstance(tree, Apply)
        and tree.name in ("neg", "mul", "div", "pi", "sqrt")
        and all(_is_numeric(argument) for argument in tree.arguments)
    )


_COEFFICIENTS = frozenset("a b c k m n r s l i j N q pi lambda".split())
_PHRASE_ENDS = frozenset((
    tokens.SIGN, tokens.END, tokens.CLOSE, tokens.RBRACE, tokens.ROW, tokens.CELL, tokens.COMMA,
    tokens.FINISH, tokens.DOT, tokens.BAR,
))  # fmt: skip
_PHRASE_STARTS = frozenset((
    tokens.SIGN, tokens.OPEN, tokens.LBRACE, tokens.ROW, tokens.CELL, tokens.COMMA, tokens.BEGIN,
    tokens.SUB, tokens.SUP, tokens.BAR,
))  # fmt: skip
assert symbols.WORDS
