"""Known functions, words and their arguments, with brackets or without."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equivec.language import names, tokens
from equivec.language.layers import SIGNATURE
from equivec.language.operators import Binding
from equivec.language.reader.cursor import (
    make,
    plain_name,
)
from equivec.language.reader.parts import Parts
from equivec.language.tree import Apply, Number, Tree, Variable, is_applied

if TYPE_CHECKING:
    from equivec.language.tokens import Token

_POWERS_OF_VALUES = frozenset(
    "sin cos tan cot sec csc sinh cosh tanh coth sech csch ln log exp lg asin acos atan".split()
)
_INVERSES = {
    name: f"a{name}" for name in "sin cos tan cot sec csc sinh cosh tanh coth sech csch".split()
}
_PHRASE_ENDS = frozenset((
    tokens.SIGN, tokens.END, tokens.CLOSE, tokens.RBRACE, tokens.ROW, tokens.CELL, tokens.COMMA,
    tokens.FINISH, tokens.DOT, tokens.BAR,
))  # fmt: skip
_PHRASE_STARTS = frozenset((
    tokens.SIGN, tokens.OPEN, tokens.LBRACE, tokens.ROW, tokens.CELL, tokens.COMMA, tokens.BEGIN,
    tokens.SUB, tokens.SUP, tokens.BAR,
))  # fmt: skip


class Functions(Parts):
    """Known functions, words and their arguments, with brackets or without."""

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
        if token.kind == tokens.APPLY or self.is_braced_bracket():
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
            (leaf.base in names.FUNCTION_WORDS or self.tokens[start].is_operator)
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


def _is_minus_one(tree: Tree | None) -> bool:
    return is_applied(tree, "neg") and tree is not None and tree.arguments[0] == Number(1)


def _is_numeric(tree: Tree) -> bool:
    return isinstance(tree, Number) or (
        isinstance(tree, Apply)
        and tree.name in ("neg", "mul", "div", "pi", "sqrt")
        and all(_is_numeric(argument) for argument in tree.arguments)
    )
