"""Items with commas, gaps and words between them, and the rows of alignments."""

from __future__ import annotations

from equivec.language import tokens
from equivec.language.layers import SIGNATURE
from equivec.language.operators import Binding
from equivec.language.reader.cursor import make
from equivec.language.reader.parts import Parts
from equivec.language.tree import Apply, Number, Opaque, Tree, Variable, is_applied
from equivec.language.words import CONNECTORS, OTHERWISE

_LIST_ENDS = frozenset((
    tokens.END, tokens.CLOSE, tokens.RBRACE, tokens.ROW, tokens.CELL, tokens.FINISH, tokens.NULL,
))  # fmt: skip
_GROUPING = frozenset(
    "eq in not_in equivalent ne lt le gt ge to approx subset subset_or_equal defined_as".split()
)


class Lists(Parts):
    """Reads what stands beside what."""

    def clause(self) -> Tree:
        parts: list[Tree] = []
        joins: list[str] = []
        while True:
            items = self.items()
            parts.append(self.listed(items))
            join = self.connector()
            if join is None:
                break
            if self.is_list_end():
                raise self.fail("a word at the end joins nothing", kind="text")
            joins.append(join)
        tree = parts[-1]
        for part, join in zip(reversed(parts[:-1]), reversed(joins), strict=True):
            tree = make(join, part, tree)
        return tree

    def is_list_end(self) -> bool:
        """Whether a list ends here."""
        token = self.tokens[self.i]
        return token.kind in _LIST_ENDS or (token.kind == tokens.BAR and self.is_end_bar(self.i))

    def connector(self) -> str | None:
        """The operator of a word that joins two formulas, past the word."""
        while self.tokens[self.i].kind in (tokens.GAP, tokens.COMMA) and self.tokens[
            self.i + 1
        ].kind in (tokens.TEXT, tokens.GAP, tokens.COMMA):
            self.i += 1
        token = self.tokens[self.i]
        if token.kind != tokens.TEXT:
            return None
        join = CONNECTORS.get(_bare(token.value))
        if join is None:
            return None
        self.i += 1
        while self.tokens[self.i].kind in (tokens.GAP, tokens.COMMA):
            self.i += 1
        return join

    def items(self) -> list[Tree]:
        items: list[Tree] = []
        has_semicolon = False
        self.lead_in()
        while True:
            if (
                self.tokens[self.i].kind == tokens.TEXT
                and _bare(self.tokens[self.i].value) in OTHERWISE
            ):
                self.i += 1
                items.append(Variable("otherwise"))
            elif self.is_prose():
                if self.is_strict:
                    raise self.fail(
                        f"{self.tokens[self.i].value[:40]!r} is prose; give the formula alone",
                        kind="text",
                    )
                items.append(Opaque(self.source(self.i, self.i + 1), "text"))
                self.i += 1
                if self.starts_operand(self.i):
                    continue
            else:
                items.append(self.remarked(self.statement()))
            has_semicolon = has_semicolon or self.at(tokens.COMMA, ";")
            if not self.goes_on():
                self.has_semicolon = has_semicolon
                return items

    def remarked(self, tree: Tree) -> Tree:
        """A formula with the few words that end it: `n odd`."""
        token = self.tokens[self.i]
        if token.kind != tokens.TEXT or _bare(token.value) in CONNECTORS:
            return tree
        words = token.value.strip(" ,.:;()")
        following = self.tokens[self.i + 1]
        if len(words.split()) > 6 or not (
            following.kind in _LIST_ENDS or following.kind == tokens.COMMA
        ):
            return tree
        if not words.replace(" ", "").replace("-", "").isalpha():
            return tree
        self.i += 1
        return make("where", tree, Variable(words, "text" if " " in words else ""))

    def lead_in(self) -> None:
        """Past gaps, and a joining word that nothing stands before."""
        while self.tokens[self.i].kind == tokens.GAP:
            self.i += 1
        token = self.tokens[self.i]
        if (
            token.kind == tokens.TEXT
            and _bare(token.value) in CONNECTORS
            and not self.ends_item(self.i + 1)
        ):
            self.i += 1
            while self.tokens[self.i].kind in (tokens.GAP, tokens.COMMA):
                self.i += 1

    def ends_item(self, index: int) -> bool:
        """Whether an item cannot begin at a token."""
        kind = self.tokens[index].kind
        return kind in _LIST_ENDS or kind == tokens.COMMA

    def is_prose(self) -> bool:
        """Whether prose stands where an item should, rather than a name of several words."""
        token = self.tokens[self.i]
        if token.kind != tokens.TEXT:
            return False
        if _bare(token.value) in CONNECTORS:
            return True
        following = self.tokens[self.i + 1]
        before = self.tokens[self.i - 1] if self.i else None
        if before is not None and before.kind == tokens.LBRACE and following.kind == tokens.RBRACE:
            return False  # the name of a quantity, above or below a stroke
        return following.kind not in (tokens.SIGN, tokens.SUB, tokens.SUP) or (
            " " in token.value and (following.kind != tokens.SIGN)
        )

    def goes_on(self) -> bool:
        """Whether a further item follows; the place is on it then."""
        token = self.tokens[self.i]
        if token.kind == tokens.DOT:
            following = self.tokens[self.i + 1]
            if following.kind in _LIST_ENDS or following.kind in (tokens.GAP, tokens.TEXT):
                self.i += 1
                token = following
        if token.kind in (tokens.COMMA, tokens.GAP):
            start = self.i
            while self.tokens[self.i].kind in (tokens.COMMA, tokens.GAP):
                self.i += 1
            following = self.tokens[self.i]
            if following.kind == tokens.TEXT and _bare(following.value) in CONNECTORS:
                self.i = start
                return False
            return not self.is_list_end()
        if token.kind == tokens.TEXT:
            return _bare(token.value) not in CONNECTORS
        return False

    def listed(self, items: list[Tree]) -> Tree:
        if len(items) == 1:
            return items[0]
        if self.has_semicolon:
            return Apply(SIGNATURE["list"], tuple(items))
        are_relations = [is_statement(item) for item in items]
        if not any(are_relations) or all(are_relations):
            return Apply(SIGNATURE["list"], tuple(items))
        if self.is_range(items, are_relations):
            self.follow("list before a relation", max(self.i - 1, 0))
            return Apply(SIGNATURE["list"], tuple(items))
        grouped = self.grouped(items, are_relations)
        return grouped[0] if len(grouped) == 1 else Apply(SIGNATURE["list"], tuple(grouped))

    def is_range(self, items: list[Tree], are_relations: list[bool]) -> bool:
        """Whether dots stand between two relations: 0 < a_1, ..., a_n < 1."""
        dots = [index for index, item in enumerate(items) if is_applied(item, "dots")]
        return bool(dots) and any(are_relations[: dots[0]]) and any(are_relations[dots[-1] :])

    def grouped(self, items: list[Tree], are_relations: list[bool]) -> list[Tree]:
        """`i = 1, .., n` as one relation, and `a, b > 0` as one."""
        grouped: list[Tree] = []
        waiting: list[Tree] = []
        for item, is_one in zip(items, are_relations, strict=True):
            is_shared = is_applied(item, "modulo") and not is_statement(item.arguments[0])
            if is_shared and grouped and _takes_tail(grouped[-1]):
                relation = _with_tail(grouped[-1], item.arguments[0])
                grouped[-1] = make("modulo", relation, item.arguments[1])
                continue
            if not is_one:
                if grouped and _takes_tail(grouped[-1]) and _is_value(item):
                    self.follow("list after a relation", max(self.i - 1, 0))
                    grouped[-1] = _with_tail(grouped[-1], item)
                elif grouped:
                    grouped.append(item)
                else:
                    waiting.append(item)
                continue
            if waiting:
                if not grouped and _can_share(waiting, item):
                    self.follow("list before a relation", max(self.i - 1, 0))
                    item = _with_head(waiting, item)
                else:
                    grouped += waiting
                waiting = []
            grouped.append(item)
        return grouped + waiting


def _bare(text: str) -> str:
    return text.strip(" ,.:;()").lower()


def is_statement(tree: Tree) -> bool:
    """Whether the tree says something, rather than being a value."""
    if not isinstance(tree, Apply):
        return False
    return tree.operator.notation.binding in (
        Binding.RELATION,
        Binding.COLON,
        Binding.IMPLIES,
        Binding.AND,
        Binding.OR,
        Binding.QUANTIFIER,
        Binding.WHERE,
        Binding.MODULO,
    )


def _takes_tail(tree: Tree) -> bool:
    """Whether a relation's right side can be the first of several values."""
    if is_applied(tree, "not"):
        return _takes_tail(tree.arguments[0])
    last = tree.arguments[-1] if is_applied(tree, "chain") else tree
    if not is_applied(last, *_GROUPING):
        return False
    right = last.arguments[1]
    values = right.arguments if is_applied(right, "list") else (right,)
    return all(_is_value(value) for value in values) and not is_applied(tree, "chain")


def _is_value(tree: Tree) -> bool:
    """A number, a name or dots: what a list of values holds."""
    if isinstance(tree, (Number, Variable)) or is_applied(tree, "dots", "infinity", "pi"):
        return True
    if is_applied(tree, "neg", "factorial"):
        return _is_value(tree.arguments[0])
    return is_applied(tree, "add", "sub", "mul", "div", "pow", "sqrt", "either_sign") and all(
        _is_value(part) for part in tree.arguments
    )


def _with_tail(tree: Tree, item: Tree) -> Tree:
    assert isinstance(tree, Apply)
    if tree.name == "not":
        return make("not", _with_tail(tree.arguments[0], item))
    left, right = tree.arguments
    values = right.arguments if is_applied(right, "list") else (right,)
    return Apply(tree.operator, (left, make("list", *values, item)))


def _can_share(waiting: list[Tree], item: Tree) -> bool:
    """Whether names before a relation share it: all are names, as its left side is."""
    first = item.arguments[0] if is_applied(item, "chain") else item
    if not is_applied(first, *_GROUPING):
        return False
    names = [*waiting, first.arguments[0]]
    return all(isinstance(name, Variable) or is_applied(name, "dots") for name in names) and (
        isinstance(names[-1], Variable)
    )


def _with_head(waiting: list[Tree], item: Tree) -> Tree:
    assert isinstance(item, Apply)
    if item.name == "chain":
        first, *rest = item.arguments
        return Apply(item.operator, (_with_head(waiting, first), *rest))
    left, right = item.arguments
    return Apply(item.operator, (make("list", *waiting, left), right))
