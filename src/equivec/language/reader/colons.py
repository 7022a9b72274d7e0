"""Colons, which say five things, and relations with a label over them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equivec.language import symbols, tokens
from equivec.language.layers import SIGNATURE
from equivec.language.layers.relations import ARROWS
from equivec.language.operators import Binding
from equivec.language.reader.cursor import (
    GIVEN_UP,
    MISSING,
    make,
)
from equivec.language.reader.parts import Parts
from equivec.language.reader.signs import (
    ENDS,
    LABELLED,
    RELATION_SIGNS,
)
from equivec.language.tree import Apply, Number, Opaque, Tree, Variable, is_applied

if TYPE_CHECKING:
    from equivec.language.tokens import Token


class Colons(Parts):
    """Colons, which say five things, and relations with a label over them."""

    def colon(self, left: Tree, binding: int, token: Token) -> Tree | None:
        """`:` is a definition with `=`, part of a set, a map, such that, or a ratio."""
        following = self.tokens[self.i + 1]
        if following.kind == tokens.SIGN and following.value == "=":
            if binding >= Binding.RELATION:
                return None
            self.i += 1
            return self.relation(
                left, binding, tokens.Token(tokens.SIGN, ":=", token.start, following.end)
            )
        if self.fence in (r"\{", "quantifier"):
            return None
        has_arrow, has_relation = self.signs_ahead(self.i + 1)
        if token.value == r"\colon" or (has_arrow and not is_relation(left)):
            if binding >= Binding.COLON:
                return None
            self.i += 1
            return make("mapping", left, self.statement(Binding.COLON))
        if is_relation(left) or (has_relation and is_applied(left, "forall", "exists")):
            if binding >= Binding.WHERE:
                return None
            self.i += 1
            return make("where", left, self.statement(Binding.WHERE))
        if has_relation and not self.has_colon_ahead():
            if binding >= Binding.COLON:
                return None
            self.follow("label")
            self.i += 1
            return make("mapping", left, self.statement(Binding.COLON))
        if binding >= Binding.WEDGE - 1:
            return None
        if not (isinstance(left, Number) and following.kind == tokens.NUMBER):
            self.follow("ratio")
        self.i += 1
        return make("ratio", left, self.expression(Binding.WEDGE - 1))

    def has_colon_ahead(self) -> bool:
        """Whether a further colon follows, as in a : b = c : d."""
        index = self.i + 1
        while self.tokens[index].kind not in ENDS:
            if self.tokens[index].kind == tokens.SIGN and self.tokens[index].value == ":":
                return True
            index = self.after_group(index)
        self.charge(index - self.i)
        return False

    def signs_ahead(self, index: int) -> tuple[bool, bool]:
        """Whether an arrow, or another relation, stands ahead in no bracket."""
        has_arrow = has_relation = False
        while True:
            token = self.tokens[index]
            if token.kind in ENDS or token.kind == tokens.GAP:
                self.charge(index - self.i)
                return has_arrow, has_relation
            if token.kind == tokens.SIGN and token.value in RELATION_SIGNS:
                if symbols.INFIX.get(token.value, MISSING.operator).name in ARROWS:
                    has_arrow = True
                else:
                    has_relation = True
            elif token.kind == tokens.COMMAND and token.value in LABELLED:
                has_arrow = True
            index = self.after_group(index)

    def labelled(self, left: Tree, binding: int, value: str) -> Tree | None:
        r"""A relation with a label over it: `\overset{!}{=}`, `\xrightarrow{f}`."""
        start = self.i
        sign = "\\to" if value.startswith("x") else None
        self.i += 1
        if sign is not None:
            sign = {
                "xlongequal": "=",
                "xleftarrow": r"\leftarrow",
                "xRightarrow": r"\implies",
                "xmapsto": r"\mapsto",
                "xhookrightarrow": r"\hookrightarrow",
                "xleftrightarrow": r"\leftrightarrow",
            }.get(value, sign)
            if self.at(tokens.OPEN, "["):
                self.i = self.after_group(self.i)
            first = self.i
            self.i = self.after_group(self.i)
            token = self.tokens[self.i - 1]
        else:
            first = self.i
            self.i = self.after_group(self.i)
            token = self.tokens[self.i]
            if token.kind == tokens.LBRACE and self.partner[self.i] == self.i + 2:
                token = self.tokens[self.i + 1]
            self.i = self.after_group(self.i)
            if token.kind != tokens.SIGN or token.value not in symbols.INFIX:
                self.i = start
                if binding >= Binding.PRODUCT:
                    return None
                return make("mul", left, self.expression(Binding.PRODUCT))
            sign = token.value
        operator = symbols.INFIX[sign]
        if binding >= operator.notation.binding or binding >= Binding.RELATION:
            self.i = start
            return None
        after = self.i
        label = self.label(first)
        self.i = after
        if self.ends_operand(self.i):
            right = self.missing_side("right")
        elif operator.notation.binding == Binding.RELATION:
            right = self.side(Binding.RELATION)
        else:
            right = self.expression(operator.notation.binding)
        link = Apply(operator, (left, right))
        is_bare = isinstance(label, Opaque) and not label.text
        labelled: Tree = link if is_bare else make("labelled", link, label)
        token = self.tokens[self.i]
        if operator.notation.binding == Binding.RELATION:
            rest = self.rest_of_chain(right)
            if rest:
                return Apply(SIGNATURE["chain"], (labelled, *rest))
        return labelled

    def rest_of_chain(self, left: Tree) -> tuple[Tree, ...]:
        """The relations that go on after one that is labelled."""
        token = self.tokens[self.i]
        more: Tree | None = None
        if token.kind == tokens.SIGN and token.value in RELATION_SIGNS:
            more = self.relation(left, 0, token)
        elif token.kind == tokens.COMMAND and token.value in LABELLED:
            more = self.labelled(left, 0, token.value)
        if more is None:
            return ()
        return more.arguments if is_applied(more, "chain") else (more,)

    def label(self, index: int) -> Tree:
        """The label of a relation: a tree where it can be read, else its text."""
        first, last = index, self.after_group(index)
        if self.tokens[index].kind == tokens.LBRACE:
            first, last = index + 1, last - 1
        text = self.source(first, last)
        if last <= first:
            return Opaque("")
        if last == first + 1 and self.tokens[first].kind in (tokens.TEXT, tokens.WORD):
            return Variable(self.tokens[first].value)
        if last == first + 1 and self.tokens[first].kind in (tokens.FACTORIAL, tokens.UNKNOWN):
            return Variable(text.strip() or "!")
        self.i = first
        state = self.enter("script")
        try:
            tree = self.clause()
            if self.i == last:
                return tree
        except GIVEN_UP:
            if self.is_strict:
                raise
        finally:
            self.leave(state)
        return Opaque(text, "label")


def is_relation(tree: Tree) -> bool:
    """Whether the tree is a relation or a chain of them."""
    return isinstance(tree, Apply) and (
        tree.operator.notation.binding == Binding.RELATION
        or tree.name in ("list", "forall", "exists")
    )
