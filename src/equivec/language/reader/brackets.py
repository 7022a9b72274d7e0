"""What stands in brackets: tuples, sets, intervals, or an operand grouped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equivec.language import symbols, tokens
from equivec.language.layers import SIGNATURE
from equivec.language.operators import Binding
from equivec.language.reader.cursor import (
    MISSING,
    make,
)
from equivec.language.reader.parts import Parts
from equivec.language.tree import Apply, Number, Opaque, Tree, is_applied

if TYPE_CHECKING:
    from equivec.language.tokens import Token

_INTERVALS = {
    ("[", "]"): "interval", ("(", ")"): "interval_open", ("(", "]"): "interval_left_open",
    ("[", ")"): "interval_right_open", ("]", "["): "interval_open",
    ("]", "]"): "interval_left_open", ("[", "["): "interval_right_open",
}  # fmt: skip
_SETS_BEFORE = frozenset((
    r"\in", r"\notin", r"\subset", r"\subseteq", r"\cup", r"\cap", r"\setminus", "not \\in",
    r"\supset", r"\supseteq",
))  # fmt: skip
_ROUNDED = {
    (r"\lfloor", r"\rfloor"): "floor", (r"\lceil", r"\rceil"): "ceil",
    (r"\lfloor", r"\rceil"): "nearest",
}  # fmt: skip


class Brackets(Parts):
    """What stands in brackets: tuples, sets, intervals, or an operand grouped."""

    def enclosed(self) -> Tree:
        """A bracket with the scripts that follow it, applied where one name in brackets follows."""
        token = self.tokens[self.i]
        tree = self.bracket()
        following = self.tokens[self.i]
        if (
            token.value in ("(", "[")
            and following.kind == tokens.OPEN
            and self.is_name_in_brackets()
            and (not isinstance(tree, Number) and not self.is_value(tree))
        ):
            self.follow("lone argument")
            return self.postfix(make("apply", tree, *self.arguments()))
        return self.postfix(tree)

    def is_name_in_brackets(self) -> bool:
        """Whether a round bracket holds one letter."""
        close = self.partner[self.i]
        return (
            self.at(tokens.OPEN, "(")
            and close == self.i + 2
            and (self.tokens[self.i + 1].kind == tokens.NAME)
        )

    def is_value(self, tree: Tree) -> bool:
        """Whether a number is in it, which functions are not added to."""
        return any(isinstance(node, Number) for node in tree.walk()) or is_applied(tree, "tuple")

    def bracket(self) -> Tree:
        start = self.i
        token = self.tokens[start]
        close = self.partner[start]
        if close < 0:
            return self.unmatched(start, token)
        if token.value == "(" and close == start + 2:
            alone = self.sign_in_brackets(start)
            if alone is not None:
                return alone
        if (
            self.tokens[start + 1].kind == tokens.COMMAND
            and self.tokens[start + 1].value == "mathinner"
        ):
            return self.marked_interval(start, close)
        items, given = self.content(token.value, close)
        closing = self.tokens[close].value
        if self.tokens[close].kind == tokens.NULL:
            closing = ""
        return self.enclosure(token.value, closing, items, given, start)

    def content(self, opening: str, close: int) -> tuple[list[Tree], list[Tree] | None]:
        """The items in a bracket, and those after a bar; the place is after the bracket then."""
        self.i += 1
        state = self.enter(opening)
        items: list[Tree] = []
        given: list[Tree] | None = None
        try:
            if self.i < close:
                items = self.joined_items()
            if self.i < close and self.is_such_that(opening):
                self.i += 1
                self.fence = "given"
                given = self.joined_items() if self.i < close else []
            if self.i != close:
                if self.is_strict:
                    raise self.unexpected()
                kept = Opaque(self.source(self.i, close), "in brackets")
                (items if given is None else given).append(kept)
        finally:
            self.leave(state)
        self.i = close + 1
        return items, given

    def joined_items(self) -> list[Tree]:
        """Items, or one formula where words join them."""
        items = self.items()
        join = self.connector()
        if join is None:
            return items
        return [make(join, self.listed(items), self.clause())]

    def is_such_that(self, opening: str) -> bool:
        """Whether a bar or colon stands here that parts a set or a condition."""
        token = self.tokens[self.i]
        if token.kind == tokens.BAR:
            return True
        return opening == r"\{" and token.kind == tokens.SIGN and token.value in (":", r"\colon")

    def arguments(self) -> list[Tree]:
        close = self.partner[self.i]
        if close < 0:
            raise self.fail("'(' is never closed", kind="bracket not closed")
        token = self.tokens[self.i]
        items, given = self.content(token.value, close)
        if given is not None:
            self.follow("conditional", close)
            return [make("given", self.listed_plainly(items), self.listed_plainly(given))]
        return items

    def listed_plainly(self, items: list[Tree]) -> Tree:
        """One tree of items that are not grouped further."""
        if not items:
            raise self.fail("nothing stands beside the bar", kind="empty")
        return items[0] if len(items) == 1 else make("list", *items)

    def enclosure(
        self, opening: str, closing: str, items: list[Tree], given: list[Tree] | None, start: int
    ) -> Tree:
        """The tree of a bracket by its signs and what stands in it."""
        if opening == r"\{":
            return self.set_of(items, given, closing)
        if opening == r"\langle":
            parts = [
                *items,
                *([make("given", MISSING, self.listed_plainly(given))] if given else []),
            ]
            if not parts:
                raise self.fail("nothing stands in the brackets", start, kind="empty")
            return Apply(SIGNATURE["angles"], tuple(parts))
        if (opening, closing) in _ROUNDED and len(items) == 1 and given is None:
            return make(_ROUNDED[opening, closing], items[0])
        if given is not None:
            self.follow("conditional", start)
            inside = make("given", self.listed_plainly(items), self.listed_plainly(given))
            return inside if opening == "(" else make("brackets", inside)
        if not items:
            raise self.fail("nothing stands in the brackets", start, kind="empty")
        if len(items) == 1:
            return self.single(opening, closing, items[0])
        return self.several(opening, closing, items, start)

    def single(self, opening: str, closing: str, item: Tree) -> Tree:
        """One thing in brackets: round ones only group."""
        if (opening, closing) == ("(", ")"):
            if is_applied(item, "list"):
                return Apply(SIGNATURE["tuple"], item.arguments)
            return item
        if (opening, closing) == ("[", "]"):
            return item if self.is_grouping(item) else make("brackets", item)
        if closing == "":
            return item
        raise self.fail(f"{opening!r} and {closing!r} hold one thing only", kind="bracket")

    def is_grouping(self, item: Tree) -> bool:
        """Whether square brackets around one thing only group it, as outer brackets do."""
        return is_applied(item, "matrix") or (
            isinstance(item, Apply) and item.operator.notation.binding < Binding.POWER
        )

    def several(self, opening: str, closing: str, items: list[Tree], start: int) -> Tree:
        """Several things in brackets: an interval, or a neutral list."""
        if len(items) == 2 and (opening, closing) in _INTERVALS:
            is_mixed = opening + closing not in ("()", "[]")
            if is_mixed or (not self.has_semicolon and self.is_interval(opening, items, start)):
                return make(_INTERVALS[opening, closing], *items)
        if opening == "(":
            if closing != ")":
                raise self.fail("'(' and ']' hold two ends of an interval", kind="bracket")
            if len(items) == 2:
                self.follow("pair in round brackets", start)
            return Apply(SIGNATURE["tuple"], tuple(items))
        if opening in ("[", "⟦"):
            if len(items) == 2:
                self.follow("pair in square brackets", start)
            return Apply(SIGNATURE["brackets"], tuple(items))
        raise self.fail("these brackets hold one thing", kind="bracket")

    def is_interval(self, opening: str, items: list[Tree], start: int) -> bool:
        """Whether a pair is an interval: by infinity, a set sign before it, or numbers."""
        before = self.tokens[start - 1] if start else None
        after = self.tokens[self.i]
        is_set = before is not None and before.kind == tokens.SIGN and before.value in _SETS_BEFORE
        is_set = is_set or (
            after.kind == tokens.SIGN and after.value in (r"\cup", r"\cap", r"\setminus")
        )
        if any(_has_infinity(item) for item in items) and not any(
            is_applied(item, "dots") for item in items
        ):
            return True
        if is_set and opening == "[":
            return True
        if is_set and opening == "(":
            return (
                before is None
                or before.value not in (r"\in", r"\notin")
                or not self.has_pair_set(start)
            )
        return (
            opening == "["
            and any(_is_number(item) for item in items)
            and not self.is_bracketed_pair(start)
        )

    def has_pair_set(self, start: int) -> bool:
        """(x, y) \\in A: pairs stand before the sign, so one may stand after it."""
        return start >= 2 and self.tokens[start - 2].kind == tokens.CLOSE

    def is_bracketed_pair(self, start: int) -> bool:
        """Whether the square brackets stand in others or in a sum, as commutators do."""
        before, after = self.tokens[start - 1] if start else None, self.tokens[self.i]
        return (before is not None and before.kind == tokens.OPEN and before.value == "[") or (
            after.kind == tokens.CLOSE and after.value == "]"
        )

    def marked_interval(self, start: int, close: int) -> Tree:
        r"""`\left[\mathinner{a, b}\right]`: an interval, said so."""
        self.i = start + 2
        group_close = self.partner[self.i]
        items, _ = self.content("(", group_close)
        if self.i != close or len(items) != 2:
            raise self.unexpected()
        self.i = close + 1
        return make(_INTERVALS[self.tokens[start].value, self.tokens[close].value], *items)

    def set_of(self, items: list[Tree], given: list[Tree] | None, closing: str) -> Tree:
        """A set by its elements or by a condition; a system of rows when nothing closes it."""
        if given is not None:
            if not items or not given:
                raise self.fail("nothing stands beside the bar", kind="empty")
            return make("set_where", self.listed_plainly(items), self.listed_plainly(given))
        if closing != r"\}":
            if len(items) == 1:
                return (
                    items[0] if is_applied(items[0], "cases", "rows") else make("system", items[0])
                )
            raise self.fail("'{' is never closed", kind="bracket not closed")
        return Apply(SIGNATURE["set"], tuple(items))

    def unmatched(self, start: int, token: Token) -> Tree:
        r"""`\left\{ .. \right.`, or a bracket that nothing closes."""
        depth, index = 0, start + 1
        while token.font == "l" and self.tokens[index].kind != tokens.END:
            following = self.tokens[index]
            if following.font == "l" and following.kind in (tokens.OPEN, tokens.NULL, tokens.BAR):
                depth += 1
            elif following.kind == tokens.NULL and following.value == "r" and depth == 0:
                self.partner[start] = index
                items, given = self.content(token.value, index)
                return self.set_of(items, given, "") if token.value == r"\{" else self.listed(items)
            elif following.font == "r":
                depth -= 1
            index += 1
        if token.value == r"\langle":
            return self.ket_or_bra(start)
        raise self.fail(f"{token.value!r} is never closed", start, kind="bracket not closed")

    def ket_or_bra(self, start: int) -> Tree:
        r"""`\langle x |`, closed by a bar."""
        self.i = start + 1
        state = self.enter(r"\langle")
        try:
            items = self.items()
            if not self.at(tokens.BAR):
                raise self.fail("'<' is never closed", start, kind="bracket not closed")
            self.i += 1
        finally:
            self.leave(state)
        return make("bra", self.listed_plainly(items))

    def sign_in_brackets(self, start: int) -> Tree | None:
        r"""`(+)`, `(\cdot)`: a sign alone, as a name."""
        token = self.tokens[start + 1]
        if token.kind == tokens.SIGN and token.value in symbols.ALONE:
            self.i = start + 3
            return Apply(symbols.ALONE[token.value])
        return None


def _has_infinity(tree: Tree) -> bool:
    return is_applied(tree, "infinity") or (
        is_applied(tree, "neg", "add", "sub")
        and any(_has_infinity(part) for part in tree.arguments)
    )


def _is_number(tree: Tree) -> bool:
    return isinstance(tree, Number) or (
        isinstance(tree, Apply)
        and tree.name in ("neg", "div", "mul", "pi", "sqrt", "add", "sub")
        and all(_is_number(part) for part in tree.arguments)
    )
