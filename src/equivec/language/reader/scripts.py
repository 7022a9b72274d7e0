"""Names with what stands under and after them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equivec.language import tokens
from equivec.language.layers import SIGNATURE
from equivec.language.reader.cursor import (
    GIVEN_UP,
    as_unread,
    make,
    plain_name,
    plain_number,
)
from equivec.language.reader.parts import Parts
from equivec.language.reader.signs import (
    STARS,
)
from equivec.language.tree import Apply, Number, Opaque, Tree, Variable, is_applied

if TYPE_CHECKING:
    from equivec.language.tokens import Token

_POWER, _PRIME, _LABEL, _TRANSPOSE, _DEGREE = "power", "prime", "label", "transpose", "degree"
_SIGNS_OF_INDEX = frozenset((r"\cdot", "*", r"\ast", r"\bullet", r"\star"))
_AFTER_OPERAND = frozenset((
    tokens.SUP, tokens.SUB, tokens.PRIME, tokens.FACTORIAL, tokens.POSTFIX, tokens.APPLY,
))  # fmt: skip
_CALLED = ("apply", "apply_brackets")
_CALLS = frozenset((tokens.OPEN, tokens.APPLY, tokens.LBRACE))
_AFTER_NAME = _AFTER_OPERAND | _CALLS


class Scripts(Parts):
    """Names with what stands under and after them."""

    def named(self, leaf: Variable, *, is_word: bool = False) -> Tree:
        kind = self.tokens[self.i].kind
        if kind not in _AFTER_NAME:
            return leaf
        name, power = self.scripted(leaf)
        following = self.tokens[self.i]
        if following.kind in _CALLS:
            called = self.called(name, power, is_word=is_word)
            if called is not None:
                return self.postfix(called)
        if power is not None:
            return self.postfix(self.raised(name, *power))
        return self.postfix(name) if following.kind in _AFTER_OPERAND else name

    def scripted(self, leaf: Variable) -> tuple[Variable, tuple[str, Tree | None] | None]:
        """The name with the scripts that are part of it, and the power that is not."""
        sub: Tree | None = leaf.subscript
        label: Tree | None = leaf.superscript
        primes = leaf.primes
        power: tuple[str, Tree | None] | None = None
        while True:
            token = self.tokens[self.i]
            if token.kind == tokens.SUB and sub is None:
                sub = self.subscript()
            elif token.kind == tokens.PRIME and power is None:
                self.i += 1
                primes += len(token.value)
            elif token.kind == tokens.SUP and power is None and label is None:
                index = self.i
                what, tree = self.superscript(leaf if sub is None else leaf.replaced(subscript=sub))
                if what == _PRIME:
                    primes += tree.value.numerator if isinstance(tree, Number) else 1
                elif what == _LABEL:
                    label = tree
                elif what:
                    power = (what, tree)
                    if index == self.i:
                        break
            elif (
                token.kind == tokens.LBRACE
                and self.partner[self.i] == self.i + 1
                and self.tokens[self.i + 2].kind in (tokens.SUB, tokens.SUP)
                and not self.is_before_name(self.i + 2)
            ):
                self.i += 2  # an empty group keeps staggered indices apart: R^a{}_b
                if power is not None and power[0] == "power" and label is None:
                    label, power = power[1], None  # so what stands over the name is one too
            else:
                break
        if sub is None and label is None and not primes:
            return leaf, power
        return Variable(leaf.base, leaf.font, leaf.accents, sub, label, primes), power

    def is_before_name(self, index: int) -> bool:
        """Whether a number under nothing stands before a name: the 2 of {}_2F_1."""
        first = index + 1
        after = self.after_group(first)
        number = (
            self.tokens[first + 1]
            if self.tokens[first].kind == tokens.LBRACE
            else (self.tokens[first])
        )
        return number.kind == tokens.NUMBER and self.tokens[after].kind in (
            tokens.NAME, tokens.WORD, tokens.LBRACE,
        )  # fmt: skip

    def raised(self, base: Tree, what: str, tree: Tree | None) -> Tree:
        """An operand with what stands over it."""
        if what == _TRANSPOSE:
            return make("transpose", base)
        if what == _DEGREE:
            return make("degree", base)
        if what == _POWER and tree is not None:
            if is_applied(base, "neg"):
                return make("pow", base, tree)
            return make("pow", base, tree)
        return make("starred", base, tree if tree is not None else Variable("'"))

    def postfix(self, tree: Tree) -> Tree:  # noqa: C901 - a list of cases
        while True:
            token = self.tokens[self.i]
            kind = token.kind
            if kind == tokens.SUP:
                what, value = self.superscript(tree)
                if what == _PRIME:
                    count = value.value.numerator if isinstance(value, Number) else 1
                    tree = make("starred", tree, Variable("'" * count))
                elif what == _LABEL and value is not None:
                    tree = make("starred", tree, value)
                elif what:
                    tree = self.raised(tree, what, value)
            elif kind == tokens.SUB:
                sub = self.subscript()
                if sub is not None:
                    tree = make("indexed", tree, sub)
            elif kind == tokens.PRIME:
                self.i += 1
                tree = make("starred", tree, Variable("'" * len(token.value)))
            elif kind == tokens.FACTORIAL:
                following = self.tokens[self.i + 1]
                if following.kind == tokens.FACTORIAL and following.start == token.end:
                    self.i += 2
                    tree = make("double_factorial", tree)
                else:
                    self.i += 1
                    tree = make("factorial", tree)
            elif kind == tokens.POSTFIX:
                self.i += 1
                tree = make(token.value, tree)
            elif kind == tokens.APPLY:
                self.i += 1
                tree = make("apply", tree, *self.arguments())
            elif kind == tokens.LBRACE and self.is_marked_call():
                tree = make("apply", tree, *self.marked_arguments())
            elif kind == tokens.OPEN and is_applied(tree, *_CALLED) and self.is_lone_bracket():
                tree = make("apply", tree, *self.arguments())
            else:
                return tree

    def is_lone_bracket(self) -> bool:
        """Whether a round bracket with one name or a list follows: f(a)(b)."""
        close = self.partner[self.i]
        inside = self.tokens[self.i + 1 : close]
        return self.tokens[self.i].value == "(" and (
            len(inside) == 1 and inside[0].kind in (tokens.NAME, tokens.NUMBER)
        )

    def scripted_name(self) -> Variable:
        """The name of this token, with its subscript and primes."""
        token = self.tokens[self.i]
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

    def subscript(self) -> Tree | None:
        self.i += 1
        token = self.tokens[self.i]
        if token.kind == tokens.LBRACE:
            close = self.partner[self.i]
            if close < 0:
                raise self.fail("'{' is never closed", kind="brace")
            inside = self.tokens[self.i + 1 : close]
            if not inside:
                self.i = close + 1
                return None
            simple = self.simple_index(inside)
            if simple is not None:
                self.i = close + 1
                return simple
        return self.script_argument("script")

    def simple_index(self, inside: list[Token]) -> Tree | None:
        """Letters, numbers and words side by side or between commas: an index, never a product."""
        if len(inside) == 1:
            return self.index_leaf(inside[0])
        items: list[list[Tree]] = [[]]
        for place, token in enumerate(inside):
            if token.kind == tokens.COMMA:
                items.append([])
                continue
            leaf = self.index_leaf(token)
            if leaf is None or (
                token.kind == tokens.SIGN
                and (token.value not in _SIGNS_OF_INDEX or 0 < place < len(inside) - 1)
            ):
                return None
            items[-1].append(leaf)
        if not all(items):
            return None
        if len(items) == 1 and self.is_number_before_letters(inside):
            return None
        word = self.word_in_script(inside)
        if word is not None:
            return word
        parts = [part[0] if len(part) == 1 else make("index", *part) for part in items]
        return parts[0] if len(parts) == 1 else make("list", *parts)

    def is_number_before_letters(self, inside: list[Token]) -> bool:
        """2n and 2k are products in a script; 1j is two indices."""
        return (
            len(inside) == 2
            and inside[0].kind == tokens.NUMBER
            and inside[0].value not in ("0", "1")
            and inside[1].kind == tokens.NAME
            and inside[1].value in ("n", "k", "m", "p", "N", "r")
        )

    def word_in_script(self, inside: list[Token]) -> Tree | None:
        """max in x_{max}: letters that make a word."""
        if len(inside) < 3 or any(
            token.kind != tokens.NAME or len(token.value) != 1 or token.font for token in inside
        ):
            return None
        word = "".join(token.value for token in inside)
        if word in ("cyc", "sym", "max", "min"):
            return plain_name(word)
        if inside[-1].end - inside[0].start != len(word):
            return None
        if (
            set(word) <= set("ijklmnpqrstabcdxyzuvw")
            and len(word) < 4
            and not set(word) & set("aeiou") - {"a", "i"}
        ):
            return None
        has_vowel = bool(set(word.lower()) & set("aeiouy"))
        return plain_name(word) if has_vowel and list(word) != sorted(word) else None

    def index_leaf(self, token: Token) -> Tree | None:
        """The leaf of one token of an index."""
        kind, value = token.kind, token.value
        if kind == tokens.NAME:
            return plain_name(value, token.font)
        if kind == tokens.NUMBER:
            return plain_number(value)
        if kind in (tokens.WORD, tokens.FUNCTION, tokens.BIG):
            return Variable(value, token.font)
        if kind == tokens.TEXT:
            return Variable(value, "text")
        if kind == tokens.CONSTANT:
            return Apply(SIGNATURE[value])
        if kind == tokens.SIGN and value in STARS:
            return Variable(STARS[value])
        return None

    def script_argument(self, fence: str) -> Tree | None:
        token = self.tokens[self.i]
        if token.kind == tokens.LBRACE:
            close = self.partner[self.i]
            if close == self.i + 1:
                self.i = close + 1
                return None
            if close == self.i + 2:
                leaf = self.script_leaf(self.tokens[self.i + 1], fence)
                if leaf is not None:
                    self.i = close + 1
                    return leaf
        else:
            leaf = self.script_leaf(token, fence)
            if leaf is not None:
                if token.kind == tokens.NUMBER and fence != "script" and len(token.value) > 1:
                    return self.argument()
                self.i += 1
                return leaf
            if token.kind == tokens.OPEN:
                raise self.fail("a script of several signs needs braces", kind="script")
        close = self.partner[self.i] if token.kind == tokens.LBRACE else -1
        if fence == "domain" and close > 0:
            inside = self.tokens[self.i + 1 : close]
            if all(inner.kind == tokens.NAME for inner in inside):
                simple = self.simple_index(inside)
                if simple is not None:
                    self.i = close + 1
                    return simple
        state = self.enter(fence)
        try:
            if close < 0:
                return self.argument()
            tree = self.script_group(close)
        finally:
            self.leave(state)
        self.i = close + 1
        return tree

    def script_group(self, close: int) -> Tree:
        """A script in braces, kept where it cannot be read."""
        start = self.i + 1
        self.i = start
        try:
            return self.group_content(close)
        except GIVEN_UP as error:
            unread = as_unread(error, self.i)
            if self.is_strict:
                raise
            return Opaque(self.source(start, close), unread.kind)

    def script_leaf(self, token: Token, fence: str) -> Tree | None:
        """The leaf of one token over or under a sign; a value there, an index elsewhere."""
        if fence != "script" and token.kind == tokens.NAME:
            return self.letter_leaf(token)
        return self.index_leaf(token)
