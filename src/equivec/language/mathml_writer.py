"""Trees written in presentation MathML: the LaTeX that we write, laid out element by element."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from equivec.language import names, symbols
from equivec.language.latex_writer import write_latex
from equivec.language.layers import SIGNATURE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from equivec.language.tree import Tree

_PIECE = re.compile(
    r"\s+|\\[A-Za-z]+\*?|\\.|\d+(?:\.\d+)?|[^\s\\]",
)
_TEXTS = frozenset((r"\text", r"\mathrm", r"\operatorname"))
_FONTS = {
    f"\\{command}": font
    for font, command in names.FONT_COMMANDS.items()
    if font not in ("text", "rm")
}
_VARIANTS = {
    "bf": "bold", "bb": "double-struck", "cal": "script", "scr": "script", "frak": "fraktur",
    "sf": "sans-serif", "tt": "monospace",
}  # fmt: skip
_ACCENTS = {
    "hat": "^", "bar": "¯", "vec": "→", "overleftarrow": "←", "overleftrightarrow": "↔",
    "dot": "˙", "ddot": "¨", "dddot": "⃛", "tilde": "~", "breve": "˘", "check": "ˇ",
    "acute": "´", "grave": "`", "mathring": "˚", "wideparen": "⏜", "widehat": "^",
    "overline": "¯", "overrightarrow": "→", "widetilde": "~",
}  # fmt: skip
_UNDER = {"underline": "_", "utilde": "~"}
_SIGNS: Mapping[str, str] = {
    **{row.notation.latex: row.notation.sign for row in SIGNATURE if row.notation.sign},
    **{f"\\{name}": sign for name, sign in names.LETTERS.items()},
    r"\langle": "⟨", r"\rangle": "⟩", r"\lfloor": "⌊", r"\rfloor": "⌋", r"\lceil": "⌈",
    r"\rceil": "⌉", r"\{": "{", r"\}": "}", r"\|": "‖", r"\%": "%", r"\degree": "°",
    r"\partial": "∂", r"\nabla": "∇", r"\forall": "∀", r"\exists": "∃", r"\nexists": "∄",
    r"\mid": "|", r"\colon": ":", r"\oint": "∮", r"\int": "∫", r"\circ": "∘", r"\dagger": "†",
    "-": "−",
}  # fmt: skip
_BIG = frozenset(symbols.BIG)
_TABLES = {"pmatrix": ("(", ")"), "vmatrix": ("|", "|"), "Vmatrix": ("‖", "‖"), "cases": ("{", ""),
           "aligned": ("", "")}  # fmt: skip
_APPLY = "<mo>\N{FUNCTION APPLICATION}</mo>"
_ENDS_NAME = re.compile(r"</(?:mi|msub|msup|msubsup|mover|munder|mrow|mtext)>$")
_BEGINS_SIGN = re.compile(r"(?:<(?:msub|msup|msubsup)>)*<mo>")
_INTENTS = {r"\mathinner": "interval", r"\mathord": "label"}


def write_mathml(tree: Tree) -> str:
    """The MathML of a tree, a `math` element that pages draw without our help.

    >>> from equivec.language.tree import Variable
    >>> write_mathml(Variable("x") ** 2)[-40:]
    '<msup><mi>x</mi><mn>2</mn></msup></math>'
    """
    body = _Layout(write_latex(tree)).row()
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML">{body}</math>'


class _Layout:
    """Walks over LaTeX that our writer made; nothing else need be understood."""

    def __init__(self, latex: str) -> None:
        self.pieces = [str(piece) for piece in _PIECE.findall(latex) if not piece.isspace()]
        self.latex = latex
        self.place = 0

    def row(self, *ends: str) -> str:
        """The elements up to one of the ends, which stays."""
        elements: list[str] = []
        while self.place < len(self.pieces) and self.pieces[self.place] not in ends:
            elements.append(self.scripted(elements))
        return "".join(elements)

    def scripted(self, before: list[str]) -> str:
        """One element with its scripts."""
        is_bare = self.pieces[self.place] in ("_", "^")
        base = "<mrow></mrow>" if is_bare else self.element(before)
        lower = upper = None
        primes = 0
        while self.place < len(self.pieces):
            piece = self.pieces[self.place]
            if piece == "_" and lower is None:
                self.place += 1
                lower = self.argument()
            elif piece == "^" and upper is None:
                self.place += 1
                upper = self.argument()
            elif piece == "'":
                self.place += 1
                primes += 1
            else:
                break
        mark_before = ""
        if base.startswith(_APPLY):
            mark_before, base = _APPLY, base[len(_APPLY) :]
        base = base or "<mrow></mrow>"
        if primes:
            mark = f"<mo>{'′' * primes}</mo>"
            upper = mark if upper is None else f"<mrow>{mark}{upper}</mrow>"
        if lower is None and upper is None:
            return mark_before + base
        if lower is None:
            return f"{mark_before}<msup>{base}{upper}</msup>"
        if upper is None:
            return f"{mark_before}<msub>{base}{lower}</msub>"
        return f"{mark_before}<msubsup>{base}{lower}{upper}</msubsup>"

    def take(self) -> str:
        """The next piece."""
        piece = self.pieces[self.place]
        self.place += 1
        return piece

    def argument(self) -> str:
        """A group as one element."""
        if self.pieces[self.place] != "{":
            return self.element([])
        self.place += 1
        body = self.row("}")
        self.place += 1
        return _one(body)

    def raw(self) -> str:
        """The text of a group."""
        assert self.take() == "{"
        start = self.place
        while self.pieces[self.place] != "}":
            self.place += 1
        text = "".join(self.pieces[start : self.place])
        self.place += 1
        return text

    def element(self, before: list[str]) -> str:
        """One element without scripts."""
        piece = self.take()
        if piece == "{":
            return self.group(before)
        if piece[0].isdigit():
            return f"<mn>{piece}</mn>"
        if piece in _TEXTS:
            return self.upright(piece)
        method = _method(piece)
        if method is not None:
            return method(self, piece)
        if piece in (r"\land", r"\lor"):
            return f'<mo class="logic">{_SIGNS[piece]}</mo>'
        name = piece[1:]
        if name in _ACCENTS:
            return f'<mover accent="true">{self.argument()}<mo>{_ACCENTS[name]}</mo></mover>'
        if name in _UNDER:
            return f"<munder>{self.argument()}<mo>{_UNDER[name]}</mo></munder>"
        if piece in _FONTS:
            return self.in_font(_FONTS[piece])
        if piece in _BIG and piece not in _SIGNS:
            return f"<mo>{name}</mo>"
        if piece.isalpha() or name in names.LETTERS:
            return f"<mi>{_SIGNS.get(piece, piece)}</mi>"
        if name.isalpha() and piece in symbols.FUNCTIONS:
            return f"<mi>{name}</mi>"
        return f"<mo>{escape(_SIGNS.get(piece, piece), quote=False)}</mo>"

    def group(self, before: list[str]) -> str:
        """A group: a marked application, or a row of its own."""
        is_call = self.pieces[self.place] == r"\left" and bool(before)
        body = self.row("}")
        self.place += 1
        if is_call and _ENDS_NAME.search(before[-1]) and not _BEGINS_SIGN.match(before[-1]):
            return f"{_APPLY}<mrow>{body}</mrow>"
        return f'<mrow intent="group">{body}</mrow>' if body else ""

    def upright(self, piece: str) -> str:
        """A word or an upright letter."""
        if piece == r"\text":
            return f"<mtext>{escape(self.text(), quote=False)}</mtext>"
        word = self.raw()
        if word == "d" and piece == r"\mathrm":
            return "<mo>ⅆ</mo>"
        shown = _SIGNS.get(word, word)
        return f'<mi mathvariant="normal">{escape(shown, quote=False)}</mi>'

    def text(self) -> str:
        """The words of a text group, from the source, as pieces know no blanks."""
        words = self.raw()
        for match in re.finditer(r"\\text\{([^}]*)\}", self.latex):
            if match[1].replace(" ", "") == words:
                return match[1]
        return words

    def in_font(self, font: str) -> str:
        """A letter in a font."""
        letter = self.raw()
        return (
            f'<mi mathvariant="{_VARIANTS[font]}" class="{font}">{_SIGNS.get(letter, letter)}</mi>'
        )

    # -- commands

    def fraction(self, piece: str) -> str:
        lines = ' linethickness="0"' if piece == r"\binom" else ""
        above = self.argument()
        fraction = f"<mfrac{lines}>{above}{self.argument()}</mfrac>"
        return f"<mrow><mo>(</mo>{fraction}<mo>)</mo></mrow>" if lines else fraction

    def root(self, piece: str) -> str:
        if self.pieces[self.place] == "[":
            self.place += 1
            degree = self.argument()
            self.place += 1
            return f"<mroot>{self.argument()}{degree}</mroot>"
        return f"<msqrt>{self.argument()}</msqrt>"

    def fenced(self, piece: str) -> str:
        opening = self.take()
        body = self.row(r"\right")
        self.place += 1
        closing = self.take()
        ends = [
            ""
            if end == "."
            else f'<mo fence="true">{escape(_SIGNS.get(end, end), quote=False)}</mo>'
            for end in (opening, closing)
        ]
        null = (
            ' intent="evaluated"'
            if opening == "."
            else ' intent="system"'
            if closing == "."
            else ""
        )
        return f"<mrow{null}>{ends[0]}{body}{ends[1]}</mrow>"

    def environment(self, piece: str) -> str:
        name = self.raw()
        rows: list[list[str]] = [[]]
        while True:
            rows[-1].append(self.row("&", r"\\", r"\end"))
            end = self.take()
            if end == r"\\":
                rows.append([])
            elif end == r"\end":
                break
        self.raw()
        opening, closing = _TABLES[name]
        table = "".join(
            f"<mtr>{''.join(f'<mtd>{cell}</mtd>' for cell in row)}</mtr>" for row in rows
        )
        ends = [f'<mo fence="true">{end}</mo>' if end else "" for end in (opening, closing)]
        return f'<mrow class="{name}">{ends[0]}<mtable>{table}</mtable>{ends[1]}</mrow>'

    def over(self, piece: str) -> str:
        label = self.argument()
        return f"<mover>{self.argument()}{label}</mover>"

    def brace(self, piece: str) -> str:
        body = self.argument()
        assert self.take() == "_"
        return f"<munder><munder>{body}<mo>⏟</mo></munder>{self.argument()}</munder>"

    def marked(self, piece: str) -> str:
        assert self.take() == "{"
        body = self.row("}")
        self.place += 1
        return f'<mrow intent="{_INTENTS[piece]}">{body}</mrow>'

    def modulus(self, piece: str) -> str:
        return f'<mrow intent="modulo"><mo>(</mo><mi>mod</mi>{self.argument()}<mo>)</mo></mrow>'

    def related(self, piece: str) -> str:
        self.raw()
        return "<mo>∣</mo>"

    def negated(self, piece: str) -> str:
        sign = self.take()
        return f"<mo>{escape(_SIGNS.get(sign, sign), quote=False)}\N{COMBINING LONG SOLIDUS OVERLAY}</mo>"  # noqa: E501

    def nothing(self, piece: str) -> str:
        return ""

    def limit(self, piece: str) -> str:
        word = self.raw().replace(r"\,", "")
        return f"<mo>{word}</mo>"


_METHODS: Mapping[str, Callable[[_Layout, str], str]] = {
    r"\frac": _Layout.fraction, r"\binom": _Layout.fraction, r"\sqrt": _Layout.root,
    r"\left": _Layout.fenced, r"\begin": _Layout.environment, r"\overset": _Layout.over,
    r"\underbrace": _Layout.brace, r"\mathinner": _Layout.marked, r"\mathord": _Layout.marked,
    r"\pmod": _Layout.modulus, r"\mathrel": _Layout.related, r"\not": _Layout.negated,
    r"\,": _Layout.nothing, r"\operatorname*": _Layout.limit, r"\!": _Layout.nothing,
}  # fmt: skip


def _method(piece: str) -> Callable[[_Layout, str], str] | None:
    return _METHODS.get(piece)


def _one(body: str) -> str:
    """One element of several."""
    return body if re.fullmatch(r"<(m[ino])[^>]*>[^<]*</\1>", body) else f"<mrow>{body}</mrow>"
