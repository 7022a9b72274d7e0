"""What stands between begin and end: matrices, cases, and alignments row by row."""

from __future__ import annotations

from equivec.language import symbols, tokens
from equivec.language.layers import SIGNATURE
from equivec.language.operators import Binding
from equivec.language.reader.cursor import GIVEN_UP, Unread, as_unread, make
from equivec.language.reader.parts import Parts
from equivec.language.tokens import Token
from equivec.language.tree import Apply, Opaque, Tree

ALIGNMENTS = frozenset(
    "align aligned alignat alignedat eqnarray gather gathered split multline equation displaymath "
    "math flalign subequations IEEEeqnarray displaymath".split()
)
_MATRICES = {
    "matrix": "", "smallmatrix": "", "array": "", "tabular": "", "pmatrix": "matrix",
    "bmatrix": "matrix", "psmallmatrix": "matrix", "bsmallmatrix": "matrix", "Bmatrix": "matrix",
    "vmatrix": "determinant", "Vmatrix": "matrix_norm", "mysmallmatrix": "", "subarray": "",
}  # fmt: skip
_CASES = frozenset(("cases", "dcases", "rcases", "numcases"))
_CELL_ENDS = frozenset((tokens.CELL, tokens.ROW))
_CONTINUING = frozenset(
    spelling
    for spelling, row in symbols.INFIX.items()
    if row.notation.binding
    in (Binding.RELATION, Binding.SUM, Binding.PRODUCT, Binding.AND, Binding.OR)
    and spelling not in ("-", r"\pm", r"\mp")
) | {"/", "*"}


def join_rows(found: list[Token]) -> list[Token]:
    """The tokens without the marks of alignments, rows that go on joined to those before.

    Matrices and cases keep their marks; a gap is left between two columns of equations.
    """
    joined: list[Token] = []
    environments: list[str] = []
    columns = 0
    groups = 0
    for index, token in enumerate(found):
        kind = token.kind
        if kind == tokens.BEGIN:
            environments.append(token.value)
        elif kind == tokens.FINISH and environments:
            environments.pop()
        elif kind == tokens.LBRACE:
            groups += 1
        elif kind == tokens.RBRACE:
            groups -= 1
        is_aligned = not environments or environments[-1] in ALIGNMENTS
        if kind == tokens.CELL and is_aligned:
            columns += 1
            if columns % 2 == 0 and joined and joined[-1].kind not in (tokens.CELL, tokens.BEGIN):
                joined.append(Token(tokens.GAP, "", token.start, token.end))
            continue
        if kind == tokens.ROW and is_aligned and groups <= 0:
            columns = 0
            if _goes_on(found, index, joined):
                continue
        joined.append(token)
    return joined


def _goes_on(found: list[Token], index: int, before: list[Token]) -> bool:
    """Whether the next row goes on with the one before it."""
    following, is_cell = index + 1, False
    while found[following].kind in (tokens.CELL, tokens.GAP):
        is_cell = is_cell or found[following].kind == tokens.CELL
        following += 1
    token = found[following]
    if token.kind == tokens.SIGN and (token.value in _CONTINUING or token.value.startswith("not ")):
        return True
    if token.kind == tokens.COMMAND and token.value in ("overset", "stackrel"):
        return True
    if is_cell and token.kind == tokens.SIGN and token.value in ("-", r"\pm", r"\mp"):
        return True
    last = next((item for item in reversed(before) if item.kind != tokens.GAP), None)
    return (
        last is not None
        and last.kind == tokens.SIGN
        and last.value in _CONTINUING
        and last.value not in symbols.ALONE
    )


class Environments(Parts):
    """Reads environments."""

    def environment(self) -> Tree:
        start = self.i
        title = self.tokens[start].value
        close = self.partner[start]
        if close < 0:
            raise self.fail(f"{title!r} is never closed", start, kind="environment")
        self.i += 1
        state = self.enter("")
        try:
            if title in ALIGNMENTS:
                tree = self.rows(close)
            elif title in _MATRICES or title in _CASES:
                tree = self.table(title, close)
            else:
                raise self.fail(
                    f"{title!r} is not an environment of formulas", start, kind="environment"
                )
        finally:
            self.leave(state)
        self.i = close + 1
        return self.postfix(tree)

    def table(self, title: str, close: int) -> Tree:
        """A matrix or cases, cell by cell."""
        rows: list[tuple[Tree, ...]] = []
        row: list[Tree] = []
        while self.i < close:
            token = self.tokens[self.i]
            if token.kind == tokens.ROW:
                self.i += 1
                if row:
                    rows.append(tuple(row))
                row = []
                continue
            if token.kind == tokens.CELL:
                if self.i > 0 and self.tokens[self.i - 1].kind in (
                    tokens.CELL,
                    tokens.ROW,
                    tokens.BEGIN,
                ):
                    row.append(make("missing"))
                self.i += 1
                if self.tokens[self.i].kind in (tokens.ROW,) or self.i == close:
                    row.append(make("missing"))
                continue
            row.append(self.cell(close))
        if row:
            rows.append(tuple(row))
        if not rows:
            raise self.fail("nothing stands in the environment", kind="environment")
        if title in _CASES:
            return Apply(
                SIGNATURE["cases"], tuple(Apply(SIGNATURE["row"], cells) for cells in rows)
            )
        name = _MATRICES[title] or "matrix"
        return Apply(SIGNATURE[name], tuple(Apply(SIGNATURE["row"], cells) for cells in rows))

    def cell(self, close: int) -> Tree:
        """One cell, kept where it cannot be read."""
        start = self.i
        token, following = self.tokens[start], self.tokens[start + 1]
        if token.kind == tokens.SIGN and following.kind in _CELL_ENDS | {tokens.FINISH}:
            if token.value in symbols.ALONE:
                self.i += 1
                return Apply(symbols.ALONE[token.value])
            return self.kept_cell(
                start, close, Unread("a sign alone in a cell", start, kind="cell")
            )
        try:
            tree = self.clause()
            if self.tokens[self.i].kind not in _CELL_ENDS and self.i != close:
                raise self.unexpected()
        except GIVEN_UP as error:
            unread = as_unread(error, self.i)
            return self.kept_cell(start, close, unread)
        return tree

    def kept_cell(self, start: int, close: int, unread: Unread) -> Tree:
        """The cell as it is written."""
        if self.is_strict:
            raise unread
        index = start
        while index < close and self.tokens[index].kind not in _CELL_ENDS:
            index = self.after_group(index)
        self.i = index
        return Opaque(self.source(start, index), unread.kind)

    def rows(self, close: int) -> Tree:
        """Rows, each a clause."""
        rows: list[Tree] = []
        while self.i < close:
            if self.tokens[self.i].kind in (tokens.ROW, tokens.CELL, tokens.GAP):
                self.i += 1
                continue
            rows.append(self.row(close))
        if not rows:
            raise self.fail("there is no formula: the text is empty", kind="empty")
        return rows[0] if len(rows) == 1 else Apply(SIGNATURE["rows"], tuple(rows))

    def row(self, close: int) -> Tree:
        """One row; what is left over of it is kept."""
        start = self.i
        parts: list[Tree] = []
        while self.i < close and self.tokens[self.i].kind != tokens.ROW:
            begun = self.i
            try:
                parts.append(self.row_part(close))
                if self.i < close and self.tokens[self.i].kind != tokens.ROW:
                    raise self.unexpected()
            except GIVEN_UP as error:
                unread = as_unread(error, self.i)
                if self.is_strict:
                    raise
                self.restart()
                if self.i == begun or unread.index < self.i:
                    self.i = max(self.i, begun)
                parts.append(self.leftover(unread, close))
        if not parts:
            raise self.fail("nothing stands in the row", start, kind="empty")
        return parts[0] if len(parts) == 1 else Apply(SIGNATURE["list"], tuple(parts))

    def row_part(self, close: int) -> Tree:
        r"""A clause, or two of them above each other: `a \over b` without braces."""
        divider = self.divider(close)
        if divider < 0 or self.has_top_level(self.i, close, tokens.ROW):
            return self.clause()
        above = self.clause()
        if self.i != divider:
            raise self.unexpected()
        self.i += 1
        name = {"over": "div", "choose": "binomial", "atop": "list"}[self.tokens[divider].value]
        return make(name, above, self.clause())

    def restart(self) -> None:
        """The state of the beginning, after something could not be read."""
        self.bars, self.fence, self.in_integral, self.depth = [], "", False, 0

    def leftover(self, unread: Unread, close: int) -> Tree:
        """What stands from here to the end of the row, or to the next comma."""
        start = index = self.i
        while index < close:
            kind = self.tokens[index].kind
            if kind == tokens.ROW or (index > start and kind in (tokens.COMMA, tokens.GAP)):
                break
            if index == start and kind == tokens.CLOSE:
                index += 1
                break
            index = max(self.after_group(index), index + 1)
        self.i = min(index, close)
        kept = Opaque(self.source(start, self.i), unread.kind)
        while self.i < close and self.tokens[self.i].kind in (tokens.COMMA, tokens.GAP):
            self.i += 1
        return kept
