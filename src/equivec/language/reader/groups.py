"""Braces: groups, arguments of commands, and what stands above something."""

from __future__ import annotations

from equivec.language import symbols, tokens
from equivec.language.layers import SIGNATURE
from equivec.language.reader.cursor import (
    GIVEN_UP,
    MISSING,
    as_unread,
    make,
    plain_number,
)
from equivec.language.reader.parts import Parts
from equivec.language.tree import Apply, Opaque, Tree, Variable, is_applied


class Groups(Parts):
    """Braces: groups, arguments of commands, and what stands above something."""

    def braces(self) -> Tree:
        """A group with the scripts that follow it; a name in braces is still a name."""
        start = self.i
        close = self.partner[start]
        tree = self.group()
        if isinstance(tree, Variable):
            return self.named(
                tree,
                is_word=len(tree.base) > 1
                and tree.base.isalpha()
                and (close == start + 2 and self.tokens[start + 1].kind == tokens.WORD),
            )
        return self.postfix(tree)

    def group(self) -> Tree:
        start = self.i
        close = self.partner[start]
        if close < 0:
            raise self.fail("'{' is never closed", start, kind="brace")
        self.i += 1
        if self.i == close:
            self.i += 1
            return self.empty_group(start)
        state = self.enter("")
        try:
            tree = self.group_content(close)
        except GIVEN_UP as error:
            unread = as_unread(error, self.i)
            if self.is_strict:
                raise
            tree = Opaque(self.source(start + 1, close), unread.kind)
        finally:
            self.leave(state)
        self.i = close + 1
        return tree

    def empty_group(self, start: int) -> Tree:
        """`{}`: nothing, or a place for scripts in front: {}_2F_1."""
        lower = upper = None
        while self.at(tokens.SUB) or self.at(tokens.SUP):
            is_lower = self.at(tokens.SUB)
            self.i += 1
            script = self.script_argument("script")
            lower, upper = (script, upper) if is_lower else (lower, script)
        if (lower or upper) and self.starts_operand(self.i) and not self.at(tokens.OPEN):
            tree = self.prefix()
            scripts = (lower or MISSING, upper or MISSING)
            if is_applied(tree, "apply"):
                return make(
                    "apply", make("prescript", tree.arguments[0], *scripts), *tree.arguments[1:]
                )
            return make("prescript", tree, *scripts)
        raise self.fail("nothing stands in the braces", start, kind="empty group")

    def group_content(self, close: int) -> Tree:
        """What stands between two braces."""
        if self.i + 1 == close:
            token = self.tokens[self.i]
            if token.kind == tokens.SIGN and token.value in symbols.ALONE:
                self.i += 1
                return Apply(symbols.ALONE[token.value])
        divider = self.divider(close)
        if divider >= 0:
            return self.divided(divider, close)
        tree = self.clause()
        if self.at(tokens.ROW) and self.i < close:
            rows = [tree]
            while self.at(tokens.ROW):
                self.i += 1
                rows.append(self.clause())
            tree = make("list", *rows)
        if self.i != close:
            raise self.unexpected()
        return tree

    def divider(self, close: int) -> int:
        r"""Where `\over` or `\choose` parts the group; -1 where nothing does."""
        index = self.i
        while index < close:
            token = self.tokens[index]
            if token.kind == tokens.COMMAND and token.value in ("over", "choose", "atop"):
                return index
            index = self.after_group(index)
        return -1

    def divided(self, divider: int, close: int) -> Tree:
        r"""`{a \over b}`, `{n \choose k}`."""
        above = self.clause()
        if self.i != divider:
            raise self.unexpected()
        self.i += 1
        below = self.clause()
        if self.i != close:
            raise self.unexpected()
        name = {"over": "div", "choose": "binomial", "atop": "list"}[self.tokens[divider].value]
        return make(name, above, below)

    def argument(self) -> Tree:
        token = self.tokens[self.i]
        kind = token.kind
        if kind == tokens.LBRACE:
            return self.group()
        if kind == tokens.NUMBER and len(token.value) > 1 and token.value.isdigit():
            rest = tokens.Token(tokens.NUMBER, token.value[1:], token.start + 1, token.end)
            self.tokens[self.i] = rest
            return plain_number(token.value[0])
        if kind == tokens.NUMBER:
            self.i += 1
            return plain_number(token.value)
        if kind == tokens.NAME:
            self.i += 1
            return self.letter_leaf(token)
        if kind == tokens.CONSTANT:
            self.i += 1
            return Apply(SIGNATURE[token.value])
        if kind == tokens.WORD:
            self.i += 1
            return Variable(token.value, token.font)
        if kind in (tokens.COMMAND, tokens.ACCENT, tokens.FUNCTION, tokens.BEGIN, tokens.BIG):
            return self.prefix()
        raise self.unexpected()
