"""Operands and the signs between them: a Pratt parser over the table of signs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from equivec.language import symbols, tokens
from equivec.language.cursor import GIVEN_UP, as_unread, make, plain_number
from equivec.language.evidence import after_scripts
from equivec.language.layers import SIGNATURE
from equivec.language.layers.relations import ARROWS
from equivec.language.operators import Binding, Form
from equivec.language.parts import Parts
from equivec.language.tree import Apply, Number, Opaque, Tree, Variable, is_applied

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from equivec.language.operators import Operator
    from equivec.language.tokens import Token

_STARTERS = frozenset((
    tokens.NUMBER, tokens.NAME, tokens.WORD, tokens.FUNCTION, tokens.BIG, tokens.INTEGRAL,
    tokens.CONSTANT, tokens.ACCENT, tokens.OPEN, tokens.LBRACE, tokens.BEGIN, tokens.UNKNOWN,
))  # fmt: skip
_STARTING_COMMANDS = frozenset(
    "frac sqrt binom dbinom tbinom partial nabla bra ket braket abs norm underbrace overbrace "
    "overbracket underbracket mathord mathinner".split()
)
_LABELLED = frozenset(
    "overset underset stackrel xrightarrow xleftarrow xlongequal xRightarrow xmapsto "
    "xhookrightarrow xleftrightarrow".split()
)
_MODULO = frozenset(("pmod", "mod", "pod"))
QUANTIFIERS = {"forall": "forall", "exists": "exists", "nexists": "exists_no"}
_TWO_SIGNS = {
    ("<", "="): "le", (">", "="): "ge", ("<", "<"): r"much_less", (">", ">"): "much_greater",
    ("=", "="): "eq", ("=", ":"): "defines", (":", "="): "defined_as",
}  # fmt: skip
MISSING = make("missing")


class Expressions(Parts):
    """Reads operands and what stands between them."""

    operands: Mapping[str, Callable[[Any], Tree]]  # the method for each kind of token

    # -- sides and statements

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
            if not self.is_boundary(self.tokens[self.i]) and not self.starts_condition():
                raise self.unexpected()
        except GIVEN_UP as error:
            unread = as_unread(error, start)
            if self.is_strict:
                raise unread from None
            self.bars, self.depth = bars, depth
            self.fence, self.in_integral = state
            return self.keep(start, unread)
        return tree

    def is_missing_side(self) -> bool:
        """Whether a relation stands where an operand should."""
        token = self.tokens[self.i]
        if token.kind != tokens.SIGN or token.value not in _RELATION_SIGNS:
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
        return kind in _ENDS or (kind == tokens.BAR and self.is_end_bar(index))

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

    def expression(self, binding: int) -> Tree:
        self.steps -= 1
        if self.steps < 0:
            self.charge(0)
        return self.climb(self.prefix(), binding)

    # -- what follows an operand

    def climb(self, left: Tree, binding: int) -> Tree:
        found = self.tokens
        while True:
            token = found[self.i]
            kind = token.kind
            result: Tree | None
            if kind == tokens.SIGN:
                handler = _SIGNS.get(token.value)
                if handler is None:
                    return left
                result = handler(self, left, binding, token)
            elif kind in _STARTERS:
                if kind == tokens.OPEN and self.partner[self.i] < 0 and token.font != "l":
                    return left
                result = self.juxtapose(left, binding)
            elif kind == tokens.COMMAND:
                result = self.command_after(left, binding, token)
            elif kind == tokens.BAR:
                result = self.bar_after(left, binding, token)
            elif kind in _SCRIPTS:
                after = self.postfix(left)
                result = None if after is left else after
            elif (kind == tokens.NULL and token.value == "l") or (
                kind == tokens.DOT and found[self.i + 1].kind == tokens.DOT
            ):
                result = self.juxtapose(left, binding)
            else:
                return left
            if result is None:
                return left
            left = result

    def plain_sign(self, left: Tree, binding: int, token: Token) -> Tree | None:
        """A sign between two operands that groups to the left."""
        operator = symbols.INFIX[token.value]
        own = operator.notation.binding
        if binding >= own:
            return None
        self.i += 1
        following = self.tokens[self.i]
        if (
            token.value in ("+", "-")
            and self.ends_operand(self.i)
            and isinstance(left, Number | Variable)
        ):
            if isinstance(left, Variable) and left.superscript is None:
                return left.replaced(superscript=Variable(token.value))
            return make("starred", left, Variable(token.value))  # from the right: f(0+)
        if following.kind == tokens.SUB:  # a product with a name of its own: \otimes_R
            label = self.subscript()
            right = self.expression(own)
            return make("annotated", Apply(operator, (left, right)), label or MISSING)
        return Apply(operator, (left, self.expression(own)))

    def times_or_star(self, left: Tree, binding: int, token: Token) -> Tree | None:
        """`*` between two operands: a product, or a convolution of functions."""
        if binding >= Binding.PRODUCT:
            return None
        if self.tokens[self.i + 1].kind == tokens.SUB:
            return self.plain_sign(
                left, binding, tokens.Token(tokens.SIGN, r"\ast", token.start, token.end)
            )
        self.i += 1
        if not (isinstance(left, Number) or self.at(tokens.NUMBER)):
            self.follow("star as product", self.i - 1)
        return make("mul", left, self.expression(Binding.PRODUCT))

    def slash(self, left: Tree, binding: int, token: Token) -> Tree | None:
        """`a/b`, and what stands beside b."""
        if binding >= Binding.PRODUCT:
            return None
        self.i += 1
        start = self.i
        below = self.expression(Binding.PRODUCT)
        following = self.tokens[self.i]
        if (
            following.kind in _STARTERS
            and not self.starts_condition()
            and not (self.is_differential(self.i) or following.kind == tokens.OPEN)
        ):
            gap = self.text[self.tokens[self.i - 1].end : following.start]
            if isinstance(below, Number):
                self.follow("number below a stroke", start)
            elif following.kind == tokens.NAME and "\\" not in gap and "~" not in gap:
                self.follow("names below a stroke", start)
                while self.tokens[self.i].kind == tokens.NAME and not self.is_differential(self.i):
                    below = make("mul", below, self.expression(Binding.PRODUCT))
            else:
                self.follow("names below a stroke", start)
        elif following.kind == tokens.OPEN and not self.starts_condition():
            self.follow("names below a stroke", start)
        return make("div", left, below)

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
                or (following.value not in _IMPLICATIONS)
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
        found = self.tokens
        while True:
            token = found[index]
            if token.kind == tokens.SIGN:
                if token.value in _RELATION_SIGNS or token.value == r"\neg":
                    return True
                if token.value in _WEDGES:
                    return False
            elif token.kind in _ENDS or token.kind in (tokens.GAP, tokens.TEXT):
                return False
            elif token.kind == tokens.COMMAND and token.value in QUANTIFIERS:
                return True
            index = self.after_group(index)

    def has_relation_before(self, index: int) -> bool:
        """The same, before a token."""
        index -= 1
        while index >= 0:
            token = self.tokens[index]
            if token.kind == tokens.SIGN:
                if token.value in _RELATION_SIGNS or token.value == r"\neg":
                    return True
                if token.value in _WEDGES:
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
            if 0 <= self.partner[index] < index:
                index = self.partner[index]
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
            if token.kind != tokens.SIGN or token.value not in _RELATION_SIGNS:
                break
        if token.kind == tokens.COMMAND and token.value in _LABELLED:
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
        while self.tokens[index].kind not in _ENDS:
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
            name = _TWO_SIGNS.get((value, following.value))
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
        while self.tokens[index].kind not in _ENDS:
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
            if token.kind in _ENDS or token.kind == tokens.GAP:
                self.charge(index - self.i)
                return has_arrow, has_relation
            if token.kind == tokens.SIGN and token.value in _RELATION_SIGNS:
                if symbols.INFIX.get(token.value, MISSING.operator).name in ARROWS:
                    has_arrow = True
                else:
                    has_relation = True
            elif token.kind == tokens.COMMAND and token.value in _LABELLED:
                has_arrow = True
            index = self.after_group(index)

    def quote_sign(self, left: Tree, binding: int, token: Token) -> Tree | None:
        """A sign that can only be a script."""
        return None

    # -- products without a sign

    def starts_operand(self, index: int) -> bool:
        token = self.tokens[index]
        kind = token.kind
        if kind == tokens.NULL:
            return token.value == "l"
        return kind in _STARTERS or (kind == tokens.COMMAND and token.value in _STARTING_COMMANDS)

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
            if token.kind == tokens.SIGN and token.value in _RELATION_SIGNS:
                return symbols.INFIX.get(token.value, MISSING.operator).name not in ARROWS
            index = self.after_group(index)
        return False

    def juxtapose(self, left: Tree, binding: int) -> Tree | None:
        """A factor without a sign before it, or a side condition."""
        token = self.tokens[self.i]
        if self.starts_condition():
            if binding > 0:
                return None
            self.follow("side condition")
            condition = self.bracket()
            return make("where", left, condition)
        if binding >= Binding.PRODUCT:
            return None
        if self.in_integral and ends_in_differential(left) and not self.is_differential(self.i):
            if token.kind not in (tokens.NAME,) or not is_first_differential(left):
                if not is_first_differential(left):
                    return None
        if isinstance(left, Number):
            if token.kind == tokens.NUMBER:
                self.follow("numbers side by side")
            if token.kind == tokens.COMMAND and token.value == "mathord":
                return make("mixed", left, self.prefix())
            if (
                token.kind == tokens.COMMAND
                and token.value == "frac"
                and self.is_numeric_fraction()
            ):
                self.follow("mixed number")
                if left.is_integer:
                    return make("mixed", left, self.prefix())
        if (
            self.fence == "script"
            and isinstance(left, Variable | Apply)
            and (isinstance(left, Variable) or left.name == "index")
        ):
            right = self.expression(Binding.PRODUCT)
            if isinstance(right, Variable | Number):
                before = left.arguments if is_applied(left, "index") else (left,)
                return make("index", *before, right)
            return make("mul", left, right)
        right = self.expression(Binding.PRODUCT)
        if is_applied(left, "dots"):
            return make("index", left, right)
        if isinstance(left, Number) and not left.is_integer and is_applied(right, "dots"):
            return make("index", left, right)  # 0.333...
        return make("mul", left, right)

    def is_numeric_fraction(self) -> bool:
        """Whether the fraction that follows is one of two integers."""
        above, index = False, self.i + 1
        for _ in range(2):
            token = self.tokens[index]
            if token.kind == tokens.LBRACE and self.partner[index] == index + 2:
                token = self.tokens[index + 1]
            above = token.kind == tokens.NUMBER and "." not in token.value
            if not above:
                return False
            index = self.after_group(index)
        return above

    def command_after(self, left: Tree, binding: int, token: Token) -> Tree | None:
        """A command after an operand."""
        value = token.value
        if value in _STARTING_COMMANDS:
            return self.juxtapose(left, binding)
        if value in _MODULO:
            if binding >= Binding.MODULO:
                return None
            self.i += 1
            modulus = self.argument() if value != "mod" else self.expression(Binding.SUM - 1)
            return make("modulo", left, modulus)
        if value in _LABELLED:
            return self.labelled(left, binding, value)
        if value == "colon":
            return self.colon(left, binding, token)
        if value in QUANTIFIERS and binding < Binding.WHERE:
            return make("where", left, self.quantifier())
        if value == "prime":
            self.i += 1
            return make("starred", left, Variable("'"))
        return None

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
        if token.kind == tokens.SIGN and token.value in _RELATION_SIGNS:
            more = self.relation(left, 0, token)
        elif token.kind == tokens.COMMAND and token.value in _LABELLED:
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

    # -- bars after an operand

    def bar_after(self, left: Tree, binding: int, token: Token) -> Tree | None:
        """A bar where an operator is expected: it closes, or divides, or begins a factor."""
        value = token.value
        if self.bars and self.bars[-1] == value and token.font != "l":
            return None
        if self.fence == "null" and token.font == "r":
            return None
        if value == "|" and self.is_double_bar() and self.fence in ("(", "[", r"\{"):
            if binding >= Binding.BAR:
                return None
            self.i += 2
            return make("parallel", left, self.side(Binding.RELATION))
        if (
            value in ("|", "mid")
            and token.font != "l"
            and self.tokens[self.i + 1].kind == tokens.SUB
        ):
            return self.evaluated(left)
        if value != "mid" and (token.font == "l" or self.bars_ahead(value) % 2 == 0):
            return self.juxtapose(left, binding)
        if self.fence in ("(", "[", r"\{", r"\langle", "null") and not (
            self.fence == "(" and self.has_logic_ahead()
        ):
            return None
        if value == "||":
            if binding >= Binding.RELATION:
                return None
            self.i += 1
            return make("parallel", left, self.side(Binding.RELATION))
        if self.fence == "script":
            if binding > 0:
                return None
            self.i += 1
            return make("given", left, self.clause())
        if binding >= Binding.RELATION:
            return None
        if self.is_given():
            if binding >= Binding.BAR:
                return None
            self.i += 1
            return make("given", left, self.expression(Binding.BAR))
        following = self.tokens[self.i + 1]
        is_sure = (
            self.fence == "domain"
            or isinstance(left, Number)
            or (
                isinstance(left, Variable)
                and left.is_plain
                and left.base.islower()
                and following.kind in (tokens.NAME, tokens.NUMBER)
            )
        )
        if not is_sure:
            self.follow("divides")
        return self.relation(
            left, binding, tokens.Token(tokens.SIGN, r"\mid", token.start, token.end)
        )

    def has_logic_ahead(self) -> bool:
        """Whether a sign of logic stands in this bracket, whose bars divide then."""
        start = self.i
        while start > 0 and self.tokens[start].kind != tokens.OPEN:
            start -= 1
        stop = max(self.partner[start], self.i)
        self.charge(stop - start)
        return any(
            token.kind == tokens.SIGN and token.value in _LOGIC_SIGNS
            for token in self.tokens[start:stop]
        )

    def is_given(self) -> bool:
        """Whether a distribution follows: X | Y ~ N(0, 1)."""
        index = self.i + 1
        while self.tokens[index].kind not in _ENDS:
            token = self.tokens[index]
            if token.kind == tokens.SIGN and token.value == r"\sim":
                return True
            index = self.after_group(index)
        self.charge(index - self.i)
        return False

    def is_double_bar(self) -> bool:
        """Whether two bars touch that are the only ones: KL[P||Q]."""
        token, following = self.tokens[self.i], self.tokens[self.i + 1]
        return (
            following.kind == tokens.BAR
            and following.value == "|"
            and (
                self.text[token.end : following.start].strip(" ~\\,;!") == ""
                and self.bars_ahead("|") == 2
            )
        )

    def bars_ahead(self, value: str) -> int:
        """How many such bars stand from here to the end of this bracket."""
        count, index = 0, self.i
        while True:
            token = self.tokens[index]
            if token.kind in _ENDS or (
                token.kind == tokens.SIGN and token.value in self.boundary_signs and index > self.i
            ):
                self.charge(index - self.i)
                return count
            if token.kind == tokens.BAR and token.value == value:
                count += 1
            index = self.after_group(index)

    def evaluated(self, left: Tree) -> Tree:
        """`f|_{x = 0}`: at a place or between two."""
        self.i += 1
        lower = upper = None
        for _ in range(2):
            if self.at(tokens.SUB) and lower is None:
                self.i += 1
                lower = self.script_argument("domain")
            elif self.at(tokens.SUP) and upper is None:
                self.i += 1
                upper = self.script_argument("domain")
        arguments = [left, lower or MISSING]
        return make("evaluated", *arguments, *([upper] if upper is not None else []))

    # -- signs before an operand

    def prefix(self) -> Tree:
        token = self.tokens[self.i]
        method = self.operands.get(token.kind)
        if method is None:
            if token.kind == tokens.UNKNOWN and not self.is_strict:
                return self.unknown()
            raise self.unexpected()
        return method(self)

    def unknown(self) -> Tree:
        """A command that is not known, kept with what stands in braces after it."""
        start = self.i
        self.i += 1
        while self.at(tokens.LBRACE) and self.partner[self.i] > 0:
            self.i = self.after_group(self.i)
        return self.postfix(Opaque(self.source(start, self.i), self.tokens[start].value))

    def number(self) -> Tree:
        """A number with its scripts."""
        token = self.tokens[self.i]
        text = token.value
        self.i += 1
        following = self.tokens[self.i]
        if following.kind == tokens.COMMA and len(text) <= 3 and self.reading.numbers == "1,000":
            text = self.with_thousands(text, token.end)
            following = self.tokens[self.i]
        if len(text) > self.limits.digits:
            raise self.fail(
                f"a number of {len(text):,} digits; at most {self.limits.digits:,} are read",
                kind="digits",
            )
        tree = plain_number(text)
        return self.postfix(tree) if following.kind in _SCRIPTS else tree

    def with_thousands(self, text: str, end: int) -> str:
        """The digits of 1,000 where it cannot be a list."""
        groups, index = text, self.i
        while True:
            comma, digits = self.tokens[index], self.tokens[min(index + 1, len(self.tokens) - 1)]
            is_group = (
                comma.kind == tokens.COMMA
                and comma.value == ","
                and comma.start == end
                and digits.kind == tokens.NUMBER
                and digits.start == comma.end
                and len(digits.value.split(".")[0]) == 3
            )
            if not is_group:
                break
            groups += digits.value
            end, index = digits.end, index + 2
        is_alone = self.fence == "" and not any(
            token.kind == tokens.COMMA
            for place, token in enumerate(self.tokens)
            if not self.i <= place < index
        )
        if index == self.i or not is_alone or text == "0":
            return text
        self.follow("thousands", self.i - 1)
        self.i = index
        return groups

    def sign_before(self) -> Tree:
        """A sign where an operand should stand."""
        token = self.tokens[self.i]
        value = token.value
        if value in symbols.ALONE and self.ends_operand(self.i + 1):
            self.i += 1
            return Apply(symbols.ALONE[value])
        if value in ("+", "-"):
            self.i += 1
            operand = self.expression(Binding.SIGN)
            return make("neg", operand) if value == "-" else operand
        if value in (r"\angle", r"\triangle", r"\bigtriangleup"):
            return self.figure("angle" if value == r"\angle" else "triangle")
        if value in (r"\implies", r"\iff") or value in (r"\therefore", r"\because"):
            self.i += 1
            while self.tokens[self.i].kind == tokens.GAP:
                self.i += 1
            return make("because" if value == r"\because" else "therefore", self.statement(0))
        if value in _RELATION_SIGNS and value in symbols.INFIX and not self.is_missing_side():
            self.i += 1
            name, _ = self.scripted(Variable(symbols.INFIX[value].notation.sign))
            return name
        if value in (r"\star", r"\ast", "*") and self.starts_operand(self.i + 1):
            self.i += 1
            return make("apply", Variable("⋆"), self.expression(Binding.PRODUCT))
        if value == r"\#":
            self.i += 1
            return self.named(Variable("#"), is_word=True)
        if value in _LARGE and (
            self.ahead(1).kind == tokens.SUB or self.starts_operand(self.i + 1)
        ):
            self.tokens[self.i] = tokens.Token(tokens.BIG, _LARGE[value], token.start, token.end)
            return self.large()
        operator = symbols.PREFIX.get(value)
        if operator is None:
            raise self.unexpected()
        self.i += 1
        binding = operator.notation.binding
        if operator.name == "not" and self.starts_condition():
            return make("not", self.bracket())
        return Apply(operator, (self.expression(binding),))

    def figure(self, name: str) -> Tree:
        """An angle or a triangle, with its corners."""
        self.i += 1
        following = self.ahead(1).kind
        is_letter = self.at(tokens.NAME) and self.tokens[self.i].value.isupper()
        if not self.at(tokens.NUMBER) and (not is_letter or following == tokens.OPEN):
            if not self.starts_operand(self.i):
                raise self.unexpected()
            return make(name, self.expression(Binding.PRODUCT))
        corners: list[Tree] = []
        while self.at(tokens.NAME) and (self.tokens[self.i].value.isupper() or not corners):
            token = self.tokens[self.i]
            self.i += 1
            corner: Tree = Variable(token.value, token.font)
            while self.at(tokens.SUB) or self.at(tokens.PRIME):
                if self.at(tokens.PRIME):
                    self.i += 1
                    corner = Variable(token.value, token.font, primes=1)
                else:
                    corner = Variable(token.value, token.font, subscript=self.subscript())
            corners.append(corner)
            if not token.value.isupper():
                break
        if not corners and self.at(tokens.NUMBER):
            corners.append(self.number())
        if not corners:
            raise self.unexpected()
        inside = corners[0] if len(corners) == 1 else make("index", *corners)
        return make(name, inside)

    def quantifier(self) -> Tree:
        """A quantifier, its names and its statement."""
        name = QUANTIFIERS[self.tokens[self.i].value]
        self.i += 1
        if self.at(tokens.FACTORIAL):
            self.i += 1
            name = "exists_one"
        state = self.enter("quantifier")
        try:
            bound = [self.bound_part()]
            while self.at(tokens.COMMA) and self.is_bound_name(self.i + 1):
                self.i += 1
                bound.append(self.bound_part())
        finally:
            self.leave(state)
        domain = bound[0] if len(bound) == 1 else make("list", *bound)
        body = self.quantified_body()
        return make(name, domain) if body is None else make(name, domain, body)

    def bound_part(self) -> Tree:
        """One name after a quantifier, with where it lies."""
        token = self.tokens[self.i]
        is_braced = token.kind == tokens.LBRACE and self.partner[self.i] == self.i + 2
        if is_braced:
            token = self.tokens[self.i + 1]
        if token.kind == tokens.NAME:
            self.i += 3 if is_braced else 1
            name, power = self.scripted(Variable(token.value, token.font))
            if power is None and not (
                self.at(tokens.SIGN) and self.tokens[self.i].value in _RELATION_SIGNS
            ):
                return name
            left = self.raised(name, *power) if power is not None else name
            return self.climb(left, Binding.AND)
        return self.climb(self.side(Binding.RELATION), Binding.AND)

    def is_bound_name(self, index: int) -> bool:
        """Whether a further bound name stands there: y in `\forall x, y \\in A`."""
        token, following = self.tokens[index], self.tokens[min(index + 1, len(self.tokens) - 1)]
        return (
            token.kind == tokens.NAME
            and following.kind == tokens.SIGN
            and (
                following.value in (r"\in", ">", r"\ge", r"\ne", ":", "<", r"\subset", r"\subseteq")
            )
        )

    def quantified_body(self) -> Tree | None:
        """The statement after the names, past a colon or a comma."""
        token = self.tokens[self.i]
        is_mark = (
            token.kind in (tokens.COMMA, tokens.DOT)
            or (token.kind == tokens.SIGN and token.value in (":", r"\colon"))
            or (token.kind == tokens.BAR and not self.bars)
            or token.kind == tokens.GAP
            or (
                token.kind == tokens.TEXT
                and token.value.strip(" ,.:").lower() in ("such that", "s.t.", "s.t", "st")
            )
        )
        if is_mark:
            if self.ends_operand(self.i + 1):
                return None
            self.i += 1
            while self.tokens[self.i].kind in (tokens.GAP, tokens.COMMA):
                self.i += 1
            return self.statement(Binding.QUANTIFIER - 1)
        if self.starts_operand(self.i) or token.kind == tokens.COMMAND:
            return self.statement(Binding.QUANTIFIER - 1)
        return None

    def dots(self) -> Tree:
        """Two full stops or more."""
        if self.tokens[self.i + 1].kind != tokens.DOT:
            raise self.unexpected()
        while self.at(tokens.DOT):
            self.i += 1
        return make("dots")

    def constant(self) -> Tree:
        """A sign without arguments, with its scripts."""
        row = SIGNATURE[self.tokens[self.i].value]
        self.i += 1
        return self.postfix(_CONSTANT_LEAVES[row.name])


def is_relation(tree: Tree) -> bool:
    """Whether the tree is a relation or a chain of them."""
    return isinstance(tree, Apply) and (
        tree.operator.notation.binding == Binding.RELATION
        or tree.name in ("list", "forall", "exists")
    )


def ends_in_differential(tree: Tree) -> bool:
    """Whether the last factor is a differential, or one stands above a stroke."""
    if is_applied(tree, "mul"):
        return ends_in_differential(tree.arguments[1])
    if is_applied(tree, "div", "neg", "pow"):
        return ends_in_differential(tree.arguments[0])
    return is_applied(tree, "differential")


def is_first_differential(tree: Tree) -> bool:
    """Whether only differentials stand so far: `\\int dx f(x)`."""
    if is_applied(tree, "mul"):
        return all(is_first_differential(argument) for argument in tree.arguments)
    return is_applied(tree, "differential")


_RELATION_SIGNS = frozenset(
    spelling for spelling, row in symbols.INFIX.items() if row.notation.binding == Binding.RELATION
) | frozenset(symbols.NEGATED_COMMANDS)
_RELATION_SIGNS |= frozenset(f"not {sign}" for sign in _RELATION_SIGNS)
_LARGE = {
    r"\cup": "big_union", r"\cap": "big_intersection", r"\oplus": "big_direct_sum",
    r"\otimes": "big_tensor", r"\vee": "big_or", r"\wedge": "big_and",
    r"\sqcup": "big_disjoint_union",
}  # fmt: skip
_IMPLICATIONS = frozenset(
    spelling for spelling, row in symbols.INFIX.items() if row.notation.binding == Binding.IMPLIES
)
_LOGIC_SIGNS = frozenset((r"\land", r"\lor", r"\wedge", r"\vee", r"\implies", r"\iff"))
_WEDGES = frozenset((r"\wedge", r"\vee", r"\land", r"\lor", r"\implies", r"\iff"))
_ENDS = frozenset((
    tokens.END, tokens.CLOSE, tokens.RBRACE, tokens.COMMA, tokens.ROW, tokens.CELL, tokens.FINISH,
    tokens.NULL,
))  # fmt: skip
_SCRIPTS = frozenset((
    tokens.SUP, tokens.SUB, tokens.PRIME, tokens.FACTORIAL, tokens.POSTFIX, tokens.APPLY,
))  # fmt: skip
_CONSTANT_LEAVES = {row.name: Apply(row) for row in SIGNATURE if row.form is Form.CONSTANT}
_SIGNS: dict[str, Callable[[Expressions, Tree, int, Token], Tree | None]] = {
    **{
        spelling: (
            Expressions.relation
            if row.notation.binding == Binding.RELATION
            else Expressions.logic
            if row.notation.binding < Binding.RELATION
            else Expressions.plain_sign
        )
        for spelling, row in symbols.INFIX.items()
    },
    **dict.fromkeys(_RELATION_SIGNS, Expressions.relation),
    "*": Expressions.times_or_star,
    "/": Expressions.slash,
    r"\equiv": Expressions.equivalence,
    ":": Expressions.colon,
    r"\colon": Expressions.colon,
    r"\wedge": Expressions.wedge,
    r"\vee": Expressions.wedge,
}
Expressions.boundary_signs = (
    _RELATION_SIGNS
    | {
        spelling
        for spelling, row in symbols.INFIX.items()
        if row.notation.binding < Binding.RELATION
    }
    | {":", r"\colon"}
)
