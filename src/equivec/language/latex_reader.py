r"""LaTeX read into trees."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from equivec.errors import ConfigError, ConversionError, LimitError, ParseError, SortError
from equivec.language import symbols, tokens
from equivec.language.latex_macros import Macro, expand
from equivec.language.latex_tokens import cut_latex
from equivec.language.limits import DEFAULT_LIMITS, Limits, check_length, check_tree
from equivec.language.operators import Binding
from equivec.language.reader.application import Application
from equivec.language.reader.bars import Bars
from equivec.language.reader.brackets import Brackets
from equivec.language.reader.colons import Colons
from equivec.language.reader.cursor import Unread, make, plain_name
from equivec.language.reader.derivatives import Derivatives
from equivec.language.reader.environments import Environments, join_rows
from equivec.language.reader.expressions import Expressions
from equivec.language.reader.functions import Functions
from equivec.language.reader.groups import Groups
from equivec.language.reader.integrals import Integrals
from equivec.language.reader.large_signs import LargeSigns
from equivec.language.reader.letters import Letters
from equivec.language.reader.lists import Lists
from equivec.language.reader.operands import Operands
from equivec.language.reader.quantifiers import Quantifiers
from equivec.language.reader.scripts import Scripts
from equivec.language.reader.signs import QUANTIFIERS, RELATION_SIGNS
from equivec.language.reader.statements import Statements
from equivec.language.reader.superscripts import Superscripts
from equivec.language.reading import DEFAULT_READING, Reading
from equivec.language.tree import Opaque, Tree

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from equivec.language.tokens import Token

OnUnknown = Literal["refuse", "keep"]
_GAP_DROPPERS = frozenset((
    tokens.COMMA, tokens.ROW, tokens.CELL, tokens.BEGIN, tokens.OPEN, tokens.GAP, tokens.LBRACE,
))  # fmt: skip
_GAP_DROPPERS_AFTER = frozenset((
    tokens.ROW, tokens.CELL, tokens.FINISH, tokens.CLOSE, tokens.RBRACE, tokens.END, tokens.SUP,
    tokens.SUB,
))  # fmt: skip
_ENDING = frozenset((tokens.DOT, tokens.COMMA, tokens.GAP, tokens.ROW))


class Reader(
    Statements, Expressions, Operands, Colons, Bars, Quantifiers, Scripts, Superscripts,
    Application, Functions, Brackets, Groups, LargeSigns, Integrals, Derivatives, Letters, Lists,
    Environments,
):  # fmt: skip
    """All parts of the reader together."""

    def read(self) -> Tree:
        """The tree of all tokens."""
        tree = self.rows(len(self.tokens) - 1)
        if isinstance(tree, Opaque):
            raise ParseError(f"the formula cannot be read: {tree.reason}", self.text, 0)
        return tree

    # -- commands

    def command(self) -> Tree:
        """A command where an operand should stand."""
        token = self.tokens[self.i]
        method = _COMMANDS.get(token.value)
        if method is not None:
            return method(self)
        if token.value in QUANTIFIERS:
            return self.quantifier()
        raise self.unexpected()

    def fraction(self) -> Tree:
        start = self.i
        self.i += 1
        derivative = self.derivative_fraction()
        if derivative is not None:
            return derivative
        self.i = start + 1
        above = self.argument()
        return self.postfix(make("div", above, self.argument()))

    def root(self) -> Tree:
        self.i += 1
        if self.at(tokens.OPEN, "[") and self.partner[self.i] > 0:
            close = self.partner[self.i]
            items, _ = self.content("[", close)
            if len(items) != 1:
                raise self.fail("a root has one degree", close, kind="root")
            return self.postfix(make("root", self.argument(), items[0]))
        if self.at(tokens.OPEN, "("):
            return self.postfix(make("sqrt", self.bracket()))
        return self.postfix(make("sqrt", self.argument()))

    def old_root(self) -> Tree:
        r"""`\root n \of x`."""
        self.i += 1
        degree = self.argument()
        if not self.at(tokens.COMMAND, "of"):
            raise self.unexpected()
        self.i += 1
        return self.postfix(make("root", self.argument(), degree))

    def binomial(self) -> Tree:
        self.i += 1
        above = self.argument()
        return self.postfix(make("binomial", above, self.argument()))

    def braced(self) -> Tree:
        """A brace over or under a formula, with the note that belongs to it."""
        self.i += 1
        tree = self.argument()
        if self.at(tokens.SUB) or self.at(tokens.SUP):
            self.i += 1
            note = self.label(self.i)
            self.i = self.after_group(self.i)
            return make("annotated", tree, note)
        return tree

    def annotated(self) -> Tree:
        r"""`\overset{a}{x}` where x is no relation."""
        start = self.i
        self.i += 1
        first = self.i
        self.i = self.after_group(self.i)
        token = self.tokens[self.i]
        if self.tokens[start].value.startswith("x") or (
            token.kind == tokens.SIGN
            or (
                token.kind == tokens.LBRACE
                and self.tokens[self.i + 1].kind == tokens.SIGN
                and self.partner[self.i] == self.i + 2
            )
        ):
            raise self.fail("the left side of a relation is missing", start, kind="missing side")
        base = self.argument()
        after = self.i
        note = self.label(first)
        self.i = after
        return self.postfix(make("annotated", base, note))

    def stacked(self) -> Tree:
        self.i += 1
        return self.argument()

    def marked(self) -> Tree:
        self.i += 1
        return self.postfix(self.argument())

    def dirac(self) -> Tree:
        name = self.tokens[self.i].value
        self.i += 1
        inside = self.argument()
        return self.postfix(
            make(
                {"ket": "ket", "bra": "bra", "abs": "abs", "norm": "norm"}.get(name, "angles"),
                inside,
            )
        )

    def prime_alone(self) -> Tree:
        self.i += 1
        return plain_name("'")

    def null(self) -> Tree:
        if self.tokens[self.i].value == "l":
            return self.open_null()
        raise self.unexpected()

    def closing(self) -> Tree:
        """`]a, b[`: an interval that opens with a closing bracket."""
        start = self.i
        token = self.tokens[start]
        if token.value != "]":
            raise self.unexpected()
        index = start + 1
        while self.tokens[index].kind not in (tokens.END, tokens.RBRACE, tokens.ROW):
            following = self.tokens[index]
            if (following.kind == tokens.CLOSE and following.value == "]") or (
                following.kind == tokens.OPEN and following.value == "[" and self.partner[index] < 0
            ):
                self.partner[start], self.partner[index] = index, start
                items, _ = self.content("(", index)
                if len(items) == 2:
                    return self.postfix(
                        make(
                            "interval_open" if following.value == "[" else "interval_left_open",
                            *items,
                        )
                    )
                break
            index = self.after_group(index)
        raise self.unexpected()


_COMMANDS: dict[str, Callable[[Reader], Tree]] = {
    "frac": Reader.fraction,
    "sqrt": Reader.root,
    "root": Reader.old_root,
    **dict.fromkeys(("binom", "dbinom", "tbinom"), Reader.binomial),
    **dict.fromkeys(("underbrace", "overbrace", "overbracket", "underbracket"), Reader.braced),
    **dict.fromkeys(
        ("overset", "underset", "stackrel", "xrightarrow", "xleftarrow"), Reader.annotated
    ),
    "substack": Reader.stacked,
    **dict.fromkeys(("mathord", "mathinner"), Reader.marked),
    **dict.fromkeys(("bra", "ket", "braket", "abs", "norm"), Reader.dirac),
    "prime": Reader.prime_alone,
    "partial": Reader.partial,
    "nabla": Reader.nabla,
}
Reader.signs = {
    **{
        spelling: (
            Reader.relation
            if row.notation.binding == Binding.RELATION
            else Reader.logic
            if row.notation.binding < Binding.RELATION
            else Reader.plain_sign
        )
        for spelling, row in symbols.INFIX.items()
    },
    **dict.fromkeys(RELATION_SIGNS, Reader.relation),
    "*": Reader.times_or_star,
    "/": Reader.slash,
    r"\equiv": Reader.equivalence,
    ":": Reader.colon,
    r"\colon": Reader.colon,
    r"\wedge": Reader.wedge,
    r"\vee": Reader.wedge,
}
Reader.boundary_signs = (
    RELATION_SIGNS
    | {
        spelling
        for spelling, row in symbols.INFIX.items()
        if row.notation.binding < Binding.RELATION
    }
    | {":", r"\colon", r"\wedge", r"\vee"}
)
Reader.operands = {
    tokens.NUMBER: Reader.number,
    tokens.SIGN: Reader.sign_before,
    tokens.DOT: Reader.dots,
    tokens.CONSTANT: Reader.constant,
    tokens.NAME: Reader.name,
    tokens.WORD: Reader.word,
    tokens.FUNCTION: Reader.function,
    tokens.BIG: Reader.large,
    tokens.INTEGRAL: Reader.integral,
    tokens.ACCENT: Reader.accented,
    tokens.COMMAND: Reader.command,
    tokens.OPEN: Reader.enclosed,
    tokens.LBRACE: Reader.braces,
    tokens.BAR: Reader.barred,
    tokens.NULL: Reader.null,
    tokens.BEGIN: Reader.environment,
    tokens.TEXT: Reader.text_name,
    tokens.CLOSE: Reader.closing,
}


def read_latex(
    text: str,
    reading: Reading = DEFAULT_READING,
    on_unknown: OnUnknown = "refuse",
    limits: Limits = DEFAULT_LIMITS,
    macros: Mapping[str, Macro] | None = None,
) -> Tree:
    r"""The tree that a LaTeX text spells.

    Strict reading refuses what is unknown or can be read in two ways; `on_unknown="keep"` keeps
    such parts as they are written.

    >>> print(read_latex(r"E = mc^2"))
    E = m*c^2
    """
    check_length(text, limits)
    if on_unknown not in ("refuse", "keep"):
        raise ConfigError(f"on_unknown is 'refuse' or 'keep', not {on_unknown!r}")
    text = expand(text, macros) if "\\" in text else text
    found = cut_latex(text)
    return read_tokens(Reader, text, found, reading, on_unknown, limits)


def read_tokens(
    reader: type[Reader],
    text: str,
    found: list[Token],
    reading: Reading,
    on_unknown: OnUnknown,
    limits: Limits,
) -> Tree:
    """The tree of tokens, whatever notation they were cut from."""
    found = _tidied(found)
    if len(found) == 1:
        raise ParseError("there is no formula: the text is empty")
    machine = reader(text, found, reading, limits, is_strict=on_unknown == "refuse")
    try:
        return check_tree(machine.read(), limits)
    except Unread as unread:
        raise machine.refusal(unread) from None
    except (SortError, ConversionError) as error:
        raise ParseError(str(error), text) from None
    except RecursionError:
        raise LimitError("the formula is nested too deeply to be read") from None


def _tidied(found: list[Token]) -> list[Token]:
    """The tokens without gaps that part nothing, alignment marks and punctuation at the end."""
    kinds = {token.kind for token in found}
    if tokens.ROW in kinds or tokens.CELL in kinds:
        found = join_rows(found)
    if tokens.LBRACE in kinds:
        is_nested = any(
            token.kind == tokens.LBRACE == following.kind for token, following in pairwise(found)
        )
        found = _without_idle_braces(found)
        found = _without_idle_braces(found) if is_nested else found
    if tokens.GAP in kinds or tokens.CELL in kinds:
        found = _without_gaps(found)
    while len(found) > 1 and found[-2].kind in _ENDING:
        if found[-2].kind == tokens.DOT and len(found) > 2 and found[-3].kind == tokens.DOT:
            break
        del found[-2]
    found = _without_equation_number(found)
    if _begins_with_number(found):
        found = found[4:] if found[3].kind == tokens.GAP else found[3:]
    start = 0
    while found[start].kind in _ENDING and found[start].kind != tokens.DOT:
        start += 1
    return found[start:] if start else found


def _begins_with_number(found: list[Token]) -> bool:
    """Whether an equation number in brackets stands first: (1) x = y."""
    return (
        len(found) > 6
        and [token.kind for token in found[:3]] == [tokens.OPEN, tokens.NUMBER, tokens.CLOSE]
        and found[0].value == "("
        and len(found[1].value) <= 2
        and found[3].kind in (tokens.GAP, tokens.NAME, tokens.ACCENT)
        and any(token.kind == tokens.SIGN and token.value == "=" for token in found)
    )


def _without_equation_number(found: list[Token]) -> list[Token]:
    """The tokens without a number in brackets at the end: nobody multiplies by (1)."""
    if (
        len(found) > 6
        and [token.kind for token in found[-4:-1]]
        == [
            tokens.OPEN,
            tokens.NUMBER,
            tokens.CLOSE,
        ]
        and found[-5].kind in (tokens.GAP, tokens.COMMA, tokens.CLOSE, tokens.RBRACE)
        and (found[-4].value == "(" and len(found[-3].value) <= 2 and found[-3].value.isdigit())
        and (found[-5].kind in (tokens.GAP, tokens.COMMA) or found[-5].value == ")")
    ):
        end = -5 if found[-5].kind in (tokens.GAP, tokens.COMMA) else -4
        if any(token.kind == tokens.SIGN and token.value == "=" for token in found):
            return [*found[:end], found[-1]]
    return found


def _without_idle_braces(found: list[Token]) -> list[Token]:
    """The tokens without braces around nothing, a sign, prose or a modulus, as wikis write them."""
    kept: list[Token] = []
    last = len(found) - 1
    index = 0
    while index <= last:
        token = found[index]
        following = found[index + 1] if index < last else token
        if (
            token.kind == tokens.LBRACE
            and following.kind in _FENCES
            and found[index + 2].kind == tokens.RBRACE
            and not (kept and kept[-1].kind in _TAKING_ALL)
        ):
            kept.append(following)
            index += 3
            continue
        if token.kind == tokens.LBRACE and not (kept and kept[-1].kind in _TAKING):
            if following.kind == tokens.RBRACE and found[index + 2].kind not in (
                tokens.SUB,
                tokens.SUP,
            ):
                if not kept or kept[-1].kind != tokens.RBRACE:
                    index += 2
                    continue
            elif (
                following.kind in _IDLE
                and found[index + 2].kind == tokens.RBRACE
                and (
                    not (kept and kept[-1].kind == tokens.RBRACE)
                    or (following.kind == tokens.TEXT and not _is_second_argument(kept))
                )
            ) or (
                following.kind == tokens.NAME
                and following.value == "d"
                and following.font == "rm"
                and found[index + 2].kind == tokens.RBRACE
                and not _is_second_argument(kept)
            ):
                kept.append(following)
                index += 3
                continue
            elif following.kind == tokens.SIGN and following.value == r"\bmod":
                close = _group_close(found, index)
                if close > 0:
                    del found[close]
                    last -= 1
                    index += 1
                    continue
            elif following.kind == tokens.COMMAND and following.value in _IDLE_COMMANDS:
                close = _group_close(found, index)
                after = _after_arguments(
                    found, index + 2, 1 if following.value in _ONE_ARGUMENT else 2
                )
                if close == after:
                    kept += found[index + 1 : close]
                    index = close + 1
                    continue
        kept.append(token)
        index += 1
    return kept


def _is_second_argument(kept: list[Token]) -> bool:
    """Whether the group that ends here is the first argument of a command that takes two."""
    depth = 0
    for place in range(len(kept) - 1, 0, -1):
        depth += (kept[place].kind == tokens.RBRACE) - (kept[place].kind == tokens.LBRACE)
        if depth == 0:
            before = kept[place - 1]
            return before.kind == tokens.COMMAND and before.value in _TWO_ARGUMENTS
    return False


def _group_close(found: list[Token], index: int) -> int:
    depth = 0
    for place in range(index, len(found)):
        depth += (found[place].kind == tokens.LBRACE) - (found[place].kind == tokens.RBRACE)
        if depth == 0:
            return place
    return -1


def _after_arguments(found: list[Token], index: int, count: int) -> int:
    for _ in range(count):
        if index >= len(found):
            return -2
        if found[index].kind == tokens.LBRACE:
            index = _group_close(found, index)
            if index < 0:
                return -2
        index += 1
    return index


_TWO_ARGUMENTS = frozenset("frac binom dbinom tbinom overset underset stackrel".split())
_FENCES = frozenset((tokens.OPEN, tokens.CLOSE, tokens.BAR))
_TAKING_ALL = frozenset((tokens.SUB, tokens.SUP, tokens.COMMAND, tokens.ACCENT))
_TAKING = frozenset((tokens.SUB, tokens.SUP, tokens.COMMAND, tokens.ACCENT, tokens.FUNCTION))
_IDLE = frozenset(
    (
        tokens.OPEN,
        tokens.CLOSE,
        tokens.BAR,
        tokens.SIGN,
        tokens.TEXT,
        tokens.COMMA,
        tokens.GAP,
        tokens.FUNCTION,
        tokens.WORD,
    )
)
_ONE_ARGUMENT = frozenset(("pmod", "xrightarrow", "xleftarrow", "xlongequal", "xRightarrow"))
_IDLE_COMMANDS = _ONE_ARGUMENT | {"overset", "underset", "stackrel"}


def _without_gaps(found: list[Token]) -> list[Token]:
    kept: list[Token] = []
    for index, token in enumerate(found):
        if token.kind == tokens.GAP:
            before = kept[-1] if kept else None
            following = found[index + 1]
            if (
                before is None
                or before.kind in _GAP_DROPPERS
                or following.kind in _GAP_DROPPERS_AFTER
                or (before.kind == tokens.SIGN and before.value not in symbols.ALONE)
                or (following.kind == tokens.SIGN and following.value in _signs_between)
                or before.kind == tokens.TEXT
                or following.kind == tokens.GAP
            ):
                continue
        kept.append(token)
    return kept


_signs_between = frozenset(symbols.INFIX) - {r"\bot", r"\perp"}
