"""Relations and logic, whose sides are kept where they cannot be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equivec.language import symbols, tokens
from equivec.language.layers import SIGNATURE
from equivec.language.layers.relations import ARROWS
from equivec.language.operators import Binding
from equivec.language.reader.cursor import (
    GIVEN_UP,
    MISSING,
    Unread,
    as_unread,
    make,
)
from equivec.language.reader.evidence import after_scripts
from equivec.language.reader.parts import Parts
from equivec.language.reader.signs import (
    ENDS,
    IMPLICATIONS,
    LABELLED,
    QUANTIFIERS,
    RELATION_SIGNS,
    TWO_SIGNS,
    WEDGES,
)
from equivec.language.tree import Apply, Opaque, Tree, is_applied

if TYPE_CHECKING:
    from collections.abc import Iterator

    from equivec.language.operators import Operator
    from equivec.language.tokens import Token


class Statements(Parts):
    """Relations and logic, whose sides are kept where they cannot be read."""

    def statement(self, binding: int = 0) -> Tree:
        return self.climb(self.side(Binding.RELATION), binding)

    def side(self, binding: int) -> Tree:
        start, bars, depth, state = (
            self.i,
            list(self.bars),
            self.depth,
            (self.fence, self.in_integral),
        )
        try:
            if self.is_missing_side():
                if self.tokens[start].value in (r"\vdash", r"\models"):
                    return MISSING  # these may stand before a formula
                return self.missing_side("left")
            tree = self.expression(binding)
            is_end = 0 <= self.partner[self.i] < self.i
            if not (is_end or self.is_boundary(self.tokens[self.i]) or self.starts_condition()):
                raise self.unexpected()
        except GIVEN_UP as error:
            unread = as_unread(error, start)
            if self.is_strict:
                raise unread from None
            self.bars, self.depth = bars, depth
            self.fence, self.in_integral = state
            self.i = start
            return self.term_by_term(unread)
        return tree

    def term_by_term(self, unread: Unread) -> Tree:
        """A side that cannot be read as a whole: the terms of its sum, each read or kept."""
        start = self.i
        kept = self.keep(start, unread)
        end = self.i
        marks = [
            index
            for index in self.top_level(start + 1, end)
            if self.tokens[index].kind == tokens.SIGN and self.tokens[index].value in ("+", "-")
        ]
        if not marks:
            return kept
        tree: Tree | None = None
        for first, last in zip([start - 1, *marks], [*marks, end], strict=True):
            self.i = first + 1
            term = self.term(last, unread)
            if tree is None:
                tree = term
            else:
                name = "add" if self.tokens[first].value == "+" else "sub"
                tree = make(name, tree, term)
        self.i = end
        return kept if tree is None or is_opaque_sum(tree) else tree

    def term(self, last: int, unread: Unread) -> Tree:
        """One term, kept where it is not read up to its end."""
        start, bars, depth, state = self.i, self.bars, self.depth, (self.fence, self.in_integral)
        try:
            tree = self.expression(Binding.SUM)
            if self.i == last:
                return tree
        except GIVEN_UP as error:
            unread = as_unread(error, start)
        self.bars, self.depth = bars, depth
        self.fence, self.in_integral = state
        return Opaque(self.source(start, last), unread.kind)

    def top_level(self, start: int, stop: int) -> Iterator[int]:
        """The tokens between two that stand in no bracket or script."""
        index = start
        while index < stop:
            yield index
            is_script = self.tokens[index].kind in (tokens.SUP, tokens.SUB)
            index = self.after_group(index + is_script)

    def is_missing_side(self) -> bool:
        """Whether a relation stands where an operand should."""
        token = self.tokens[self.i]
        if token.kind != tokens.SIGN or token.value not in RELATION_SIGNS:
            return False
        after = self.i + 1
        if self.tokens[after].kind in (tokens.SUB, tokens.SUP):
            after = after_scripts(self.tokens, self.partner, after)
        return not self.ends_operand(after)

    def missing_side(self, which: str) -> Tree:
        """What is put where a side is missing: nothing in a script, else a part not understood."""
        if self.fence in ("script", "domain"):
            return MISSING
        if self.is_strict:
            shown = self.tokens[self.i].value or "the relation"
            raise self.fail(f"the {which} side of {shown!r} is missing", kind="missing side")
        return Opaque("", "missing side")

    def ends_operand(self, index: int) -> bool:
        """Whether nothing more can follow: the end, a comma or a closing bracket."""
        token = self.tokens[index]
        kind = token.kind
        if kind == tokens.NULL:
            return token.value == "r"
        return kind in ENDS or (kind == tokens.BAR and self.is_end_bar(index))

    def is_end_bar(self, index: int) -> bool:
        """Whether a bar closes or divides rather than opens."""
        token = self.tokens[index]
        if token.font == "l":
            return False
        if token.value == "mid" or (self.bars and self.bars[-1] == token.value):
            return True
        if not self.fence:
            return False
        here, self.i = self.i, index
        count = self.bars_ahead(token.value)
        self.i = here
        return count % 2 == 1

    def logic(self, left: Tree, binding: int, token: Token) -> Tree | None:
        """A logical sign between two statements."""
        operator = symbols.INFIX[token.value]
        own = operator.notation.binding
        if binding >= own:
            return None
        links: list[Tree] = []
        while True:
            self.i += 1
            while self.tokens[self.i].kind == tokens.GAP:
                self.i += 1
            is_missing = self.ends_operand(self.i)
            right = self.missing_side("right") if is_missing else self.statement(own)
            links.append(Apply(operator, (left, right)))
            following = self.tokens[self.i]
            if (
                own != Binding.IMPLIES
                or following.kind != tokens.SIGN
                or (following.value not in IMPLICATIONS)
            ):
                break
            operator, left = symbols.INFIX[following.value], right
        return links[0] if len(links) == 1 else Apply(SIGNATURE["chain"], tuple(links))

    def wedge(self, left: Tree, binding: int, token: Token) -> Tree | None:
        r"""`\wedge` and `\vee`: logic between statements, else a neutral sign."""
        if self.has_relation_before(self.i) and self.has_relation_after(self.i + 1):
            operator = SIGNATURE["and" if token.value == r"\wedge" else "or"]
            own = operator.notation.binding
            if binding >= own:
                return None
            self.i += 1
            return Apply(operator, (left, self.statement(own)))
        return self.plain_sign(left, binding, token)

    def has_relation_after(self, index: int) -> bool:
        """Whether a relation or negation stands between here and the next sign of logic."""
        while True:
            token = self.tokens[index]
            if token.kind == tokens.SIGN:
                if token.value in RELATION_SIGNS or token.value == r"\neg":
                    return True
                if token.value in WEDGES:
                    return False
            elif token.kind in ENDS or token.kind in (tokens.GAP, tokens.TEXT):
                return False
            elif token.kind == tokens.OPEN:
                if self.has_relation(index + 1, self.partner[index]):
                    return True
            elif token.kind == tokens.COMMAND and token.value in QUANTIFIERS:
                return True
            index = self.after_group(index)

    def has_relation_before(self, index: int) -> bool:
        """The same, before a token."""
        index -= 1
        while index >= 0:
            token = self.tokens[index]
            if token.kind == tokens.SIGN:
                if token.value in RELATION_SIGNS or token.value == r"\neg":
                    return True
                if token.value in WEDGES:
                    return False
            elif token.kind in (
                tokens.OPEN,
                tokens.LBRACE,
                tokens.COMMA,
                tokens.GAP,
                tokens.TEXT,
                tokens.ROW,
                tokens.CELL,
                tokens.BEGIN,
            ):
                return False
            opener = self.partner[index]
            if 0 <= opener < index:
                if token.kind == tokens.CLOSE and self.has_relation(opener + 1, index):
                    return True
                index = opener
            index -= 1
        return False

    def relation(self, left: Tree, binding: int, token: Token) -> Tree | None:
        """A chain of relations."""
        if binding >= Binding.RELATION:
            return None
        links: list[Tree] = []
        while True:
            self.i += 1
            link, left = self.link(left, token)
            links.append(link)
            token = self.tokens[self.i]
            if token.kind != tokens.SIGN or token.value not in RELATION_SIGNS:
                break
        if token.kind == tokens.COMMAND and token.value in LABELLED:
            links += self.rest_of_chain(left)
        return links[0] if len(links) == 1 else Apply(SIGNATURE["chain"], tuple(links))

    def equivalence(self, left: Tree, binding: int, token: Token) -> Tree | None:
        r"""`\equiv`: looser than and and or where these stand beside it."""
        if not self.has_logic_beside():
            return self.relation(left, binding, token)
        if binding >= Binding.IMPLIES:
            return None
        self.i += 1
        return make("equivalent", left, self.statement(Binding.IMPLIES))

    def has_logic_beside(self) -> bool:
        """Whether signs of logic stand in this bracket."""
        index = self.i
        while index > 0 and self.tokens[index - 1].kind not in (
            tokens.OPEN,
            tokens.LBRACE,
            tokens.COMMA,
        ):
            index -= 1
            if 0 <= self.partner[index] < index:
                index = self.partner[index]
        while self.tokens[index].kind not in ENDS:
            token = self.tokens[index]
            if token.kind == tokens.SIGN and token.value in (r"\land", r"\lor", r"\neg"):
                return True
            index = self.after_group(index)
        return False

    def link(self, left: Tree, token: Token) -> tuple[Tree, Tree]:
        """One relation of a chain, and its right side."""
        operator, is_negated = self.relation_of(token)
        label = None
        if self.at(tokens.SUB) or self.at(tokens.SUP):
            self.i += 1
            label = self.script_argument("script")
        if self.ends_operand(self.i) or self.at(tokens.GAP):
            right = self.missing_side("right")
        else:
            right = self.side(Binding.RELATION)
        link: Tree = Apply(operator, (left, right))
        if is_negated:
            link = make("not", link)
        return (link if label is None else make("labelled", link, label)), right

    def relation_of(self, token: Token) -> tuple[Operator, bool]:
        """The operator of a relation, made of two signs perhaps, and whether it is negated."""
        value = token.value
        following = self.tokens[self.i]
        if following.kind == tokens.SIGN and following.start == token.end:
            name = TWO_SIGNS.get((value, following.value))
            if name is not None:
                self.i += 1
                return SIGNATURE[name], False
        if value == r"\perp" and following.kind == tokens.SIGN and following.value == value:
            self.i += 1
            return SIGNATURE["independent"], False
        if value in symbols.NEGATED_COMMANDS:
            return symbols.INFIX[symbols.NEGATED_COMMANDS[value]], True
        if value.startswith("not "):
            operator = symbols.INFIX[value[4:]]
            if operator.name in symbols.NEGATED:
                return SIGNATURE[symbols.NEGATED[operator.name]], False
            return operator, True
        return symbols.INFIX[value], False

    def starts_condition(self) -> bool:
        """Whether a bracket with a relation follows: a side condition."""
        token = self.tokens[self.i]
        if token.kind != tokens.OPEN or token.value != "(" or self.fence in ("script", "domain"):
            return False
        close = self.partner[self.i]
        return close > 0 and self.has_relation(self.i + 1, close)

    def has_relation(self, start: int, stop: int) -> bool:
        index = start
        while index < stop:
            token = self.tokens[index]
            if token.kind == tokens.SIGN and token.value in RELATION_SIGNS:
                return symbols.INFIX.get(token.value, MISSING.operator).name not in ARROWS
            index = self.after_group(index)
        return False


def is_opaque_sum(tree: Tree) -> bool:
    """Whether no term of a sum was read."""
    if is_applied(tree, "add", "sub"):
        return all(is_opaque_sum(part) for part in tree.arguments)
    return isinstance(tree, Opaque)
