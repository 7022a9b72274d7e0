"""What all parts of the reader share: where it stands, what it is in, and how it gives up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from equivec.errors import ConversionError, LimitError, ParseError, SortError
from equivec.language import tokens
from equivec.language.layers import SIGNATURE
from equivec.language.reading import CONVENTIONS, KEEP, REFUSE
from equivec.language.tree import Apply, Number, Opaque, Tree, Variable

if TYPE_CHECKING:
    from equivec.language.limits import Limits
    from equivec.language.reading import Reading
    from equivec.language.tokens import Token

_CLOSERS = {tokens.CLOSE: tokens.OPEN, tokens.RBRACE: tokens.LBRACE, tokens.FINISH: tokens.BEGIN}
_OPENERS = frozenset(_CLOSERS.values())
_NAMES: dict[tuple[str, str], Variable] = {}
_NUMBERS: dict[str, Number] = {}
_KEPT = 5_000  # leaves remembered at most


class Unread(Exception):  # noqa: N818 - caught within the reader, never shown
    """A part that cannot be read: why, and at which token."""

    def __init__(self, reason: str, index: int, *, kind: str = "") -> None:
        self.reason = reason
        self.index = index
        self.kind = kind or reason
        super().__init__(reason)


GIVEN_UP = (Unread, SortError, ConversionError)


def as_unread(error: Unread | SortError | ConversionError, index: int) -> Unread:
    """The same reason, with a place."""
    return error if isinstance(error, Unread) else Unread(str(error), index, kind="sort")


def make(name: str, *arguments: Tree) -> Apply:
    """An operator of the language applied."""
    return Apply(SIGNATURE.by_name[name], arguments)


def plain_name(base: str, font: str = "") -> Variable:
    """The leaf of a bare name."""
    leaf = _NAMES.get((base, font))
    if leaf is None:
        leaf = Variable(base, font)
        if len(_NAMES) < _KEPT:
            _NAMES[base, font] = leaf
    return leaf


def plain_number(text: str) -> Number:
    """The leaf of a number."""
    leaf = _NUMBERS.get(text)
    if leaf is None:
        leaf = Number(text)
        if len(_NUMBERS) < _KEPT:
            _NUMBERS[text] = leaf
    return leaf


MISSING = make("missing")


class Cursor:
    """A place in the tokens, and the state that a bracket or a script begins anew."""

    def __init__(
        self, text: str, found: list[Token], reading: Reading, limits: Limits, *, is_strict: bool
    ) -> None:
        self.text = text
        self.tokens = found
        self.reading = reading
        self.limits = limits
        self.is_strict = is_strict
        self.i = 0
        self.depth = 0
        self.bars: list[str] = []  # bars that are open, outermost first
        self.fence = ""  # the bracket we are in: ( [ \{ \langle, "script" or "domain"
        self.in_integral = False
        self.has_semicolon = False  # whether the list read last has one
        self.partner = self.match_brackets()
        self.steps = 12 * len(found) + 400  # reading again after a failure may not go on for ever

    # -- the state

    def enter(self, fence: str) -> tuple[list[str], str, bool]:
        """Begin a bracket, a group or a script; the state to go back to."""
        self.depth += 1
        if self.depth > self.limits.nesting:
            raise LimitError(
                f"nested deeper than {self.limits.nesting} levels",
                self.text,
                self.tokens[self.i].start,
            )
        state = (self.bars, self.fence, self.in_integral)
        self.bars, self.fence, self.in_integral = [], fence, False
        return state

    def leave(self, state: tuple[list[str], str, bool]) -> None:
        """Back to the state before."""
        self.depth -= 1
        self.bars, self.fence, self.in_integral = state

    # -- looking

    def at(self, kind: str, value: str | None = None) -> bool:
        """Whether the next token is of a kind, and has a value."""
        token = self.tokens[self.i]
        return token.kind == kind and (value is None or token.value == value)

    def ahead(self, count: int) -> Token:
        """The token so many places ahead, or the end."""
        place = self.i + count
        return self.tokens[place] if place < len(self.tokens) else self.tokens[-1]

    def source(self, start: int, stop: int) -> str:
        """The text of the tokens from one index to before another."""
        if stop <= start:
            return ""
        return self.text[self.tokens[start].start : self.tokens[stop - 1].end]

    def match_brackets(self) -> list[int]:
        """For each token the index of the one that closes or opens it; -1 for any other."""
        partner = [-1] * len(self.tokens)
        stack: list[int] = []
        for index, token in enumerate(self.tokens):
            kind = token.kind
            if kind in _OPENERS:
                stack.append(index)
            elif kind in _CLOSERS:
                self._close(index, token, stack, partner)
        return partner

    def _close(self, index: int, token: Token, stack: list[int], partner: list[int]) -> None:
        """Match a closing token with the last opening one of its kind, over unclosed brackets."""
        wanted = _CLOSERS[token.kind]
        depth = len(stack) - 1
        if wanted == tokens.OPEN:
            if not stack or self.tokens[stack[-1]].kind != tokens.OPEN:
                return
            is_brace = self.tokens[stack[-1]].value == r"\{"
            if is_brace != (token.value == r"\}"):
                return
        else:
            while depth >= 0 and self.tokens[stack[depth]].kind != wanted:
                if self.tokens[stack[depth]].kind != tokens.OPEN:
                    return
                depth -= 1
            if depth < 0:
                return
        opener = stack[depth]
        del stack[depth:]
        partner[opener], partner[index] = index, opener

    def charge(self, scanned: int) -> None:
        """Count tokens that were looked at ahead, so that a long text cannot take for ever."""
        self.steps -= scanned >> 4
        if self.steps < 0:
            raise LimitError("the brackets and bars are too tangled to be read", self.text, 0)

    def after_group(self, index: int) -> int:
        """The index after the token there, or after all that it opens."""
        after = self.partner[index] + 1 if self.partner[index] > index else index + 1
        return min(after, len(self.tokens) - 1)

    # -- giving up

    def fail(self, reason: str, index: int | None = None, *, kind: str = "") -> Unread:
        """The reason to give up, at a token."""
        return Unread(reason, self.i if index is None else index, kind=kind)

    def unexpected(self) -> Unread:
        """The token cannot stand here."""
        token = self.tokens[self.i]
        if token.kind == tokens.END:
            return self.fail("the formula ends where an operand should stand", kind="end")
        shown = self.text[token.start : token.end].strip() or token.value or token.kind
        if token.kind == tokens.UNKNOWN and shown.startswith("\\"):
            return self.fail(f"{shown!r} is not a command that is known", kind=shown)
        return self.fail(f"{shown[:40]!r} cannot stand here", kind=shown[:20])

    def follow(self, key: str, index: int | None = None) -> None:
        """Read by a convention, or give up where strictness or safety asks for it."""
        row = CONVENTIONS[key]
        if (row.strict == REFUSE) if self.is_strict else (row.tolerant == KEEP):
            place = self.i if index is None else index
            start = self.tokens[place].start
            shown = self.text[start : start + 30].split("\n")[0]
            raise Unread(
                f"{shown!r} can be read in two ways, as {row.form} can: {row.reading}, "
                f"or {row.other}",
                place,
                kind=key,
            )

    def refusal(self, unread: Unread) -> ParseError:
        """The error of strict reading, with its place."""
        index = min(unread.index, len(self.tokens) - 1)
        return ParseError(unread.reason, self.text, self.tokens[index].start)

    def keep(self, start: int, unread: Unread) -> Opaque:
        """The part from a token to the next boundary, as it is written."""
        found = self.tokens
        index = start
        while found[index].kind != tokens.END:
            token = found[index]
            if index > start and self.is_boundary(token):
                break
            if index == start and token.kind in _HARD_BOUNDARIES:
                break
            index = self.after_group(index)
        self.i = index
        return Opaque(self.source(start, index), unread.kind)

    def is_boundary(self, token: Token) -> bool:
        """Whether a side of a relation or an item of a list can end before the token."""
        kind = token.kind
        return kind in _BOUNDARIES or (
            token.value in self.boundary_signs
            if kind == tokens.SIGN
            else kind == tokens.COMMAND and token.value in _BOUNDARY_COMMANDS
        )

    boundary_signs: frozenset[str] = frozenset()


_BOUNDARY_COMMANDS = frozenset(
    "pmod mod pod overset underset stackrel xrightarrow xleftarrow xlongequal xRightarrow xmapsto "
    "xhookrightarrow xleftrightarrow forall exists nexists over choose atop".split()
)
_HARD_BOUNDARIES = frozenset(
    (tokens.RBRACE, tokens.ROW, tokens.CELL, tokens.FINISH, tokens.END, tokens.COMMA)
)
_BOUNDARIES = _HARD_BOUNDARIES | {
    tokens.CLOSE, tokens.GAP, tokens.TEXT, tokens.NULL, tokens.BAR, tokens.DOT,
}  # fmt: skip
